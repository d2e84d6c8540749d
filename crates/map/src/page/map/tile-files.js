// @ts-check

/*
 * Finds the files of a layer's tiles: which tiles exist, and their addresses.
 *
 * Tiles are counted as in scheme `signed`: tile (0, 0) begins at block (0, 0), and tiles to the
 * west and north have negative numbers. This module draws nothing.
 */

import { escapedPath } from './address.js';
import { keepingReader, readScript } from './data-scripts.js';
import { REGION } from './layers.js';
import { innermostLive, isLive } from './live.js';

/** A list of tiles has 2 to the power of this rows. */
const LIST_ROWS = 8;
const MAX_LISTS = 64;

/**
 * The files of a layer.
 *
 * @typedef {object} TileFiles
 * @property {(z: number, x: number, y: number) => boolean | Promise<boolean>} exists
 * @property {(z: number, x: number, y: number) => string} addressOf
 */

/**
 * The runs of tiles by row.
 *
 * @typedef {Map<number, [number, number][]>} Rows
 */

const listAt = keepingReader(MAX_LISTS, async (address) => {
  /** @type {TileRow[]} */
  const rows = await readScript(address);
  return new Map(rows);
});

/**
 * Returns the files of a layer.
 *
 * @param {MapFacts} map
 * @param {LayerFacts} layer
 * @returns {TileFiles}
 */
export function tileFiles(map, layer) {
  const folder = (map.base ?? '') + escapedPath(layer.path);
  const version = layer.version ? `?v=${layer.version}` : '';
  const isListed = layer.tiles
    ? tileIndex(layer, (name) => `${folder}/${name}${version}`)
    : boundsTest(layer, map.native_zoom);

  return {
    exists(z, x, y) {
      // The server of a world draws tiles further in than the files, wherever a file is.
      const levels = Math.max(0, z - layer.max_zoom);
      return isListed(z - levels, x >> levels, y >> levels);
    },
    addressOf(z, x, y) {
      return `${folder}/${tilePath(layer.scheme, z, x, y)}.${layer.format}${version}`;
    },
  };
}

/**
 * Returns the path of a tile in a scheme. The schemes `xyz` and `tms` avoid negative numbers, and
 * `tms` counts rows from the south.
 *
 * @param {LayerFacts['scheme']} scheme
 * @param {number} z
 * @param {number} x
 * @param {number} y
 */
export function tilePath(scheme, z, x, y) {
  const half = scheme === 'signed' ? 0 : Math.pow(2, z - 1);
  const row = scheme === 'tms' ? half - 1 - y : y + half;
  return `${z}/${x + half}/${row}`;
}

/**
 * Returns a function that finds out whether a tile without a list may exist: whether it reaches
 * into the bounds of its layer.
 *
 * @param {LayerFacts} layer
 * @param {number} native the native zoom level
 * @returns {(z: number, x: number, y: number) => boolean}
 */
function boundsTest({ bounds }, native) {
  if (!bounds) return () => true;

  const { x0, z0, x1, z1 } = bounds;
  return (z, x, y) => {
    const side = REGION * Math.pow(2, native - z);
    return x * side < x1 && (x + 1) * side > x0 && y * side < z1 && (y + 1) * side > z0;
  };
}

/**
 * Returns a function that finds out whether a tile exists, so that the page requests no tile in
 * vain.
 *
 * @param {LayerFacts} layer
 * @param {(name: string) => string} addressOf returns the address of a file in the layer's folder
 * @returns {TileFiles['exists']}
 */
function tileIndex(layer, addressOf) {
  const { tiles, lists } = layer;

  /** @type {Map<number, Rows>} */
  const levels = new Map();
  for (const [z, rows] of Object.entries(tiles ?? {})) levels.set(Number(z), new Map(rows));

  return (z, x, y) => {
    const level = levels.get(z);
    if (level) return holds(level.get(y), x);

    const list = y >> LIST_ROWS;
    if (!lists?.[z]?.includes(list)) return false;
    const file = listAt(addressOf(`tiles-${z}_${list}.js`));
    return file instanceof Promise
      ? file.then(({ content }) => mayHold(content, x, y))
      : mayHold(file.content, x, y);
  };
}

/**
 * Returns whether a list has a tile. If the list could not be read, every tile may exist.
 *
 * @param {Rows | null} rows
 * @param {number} x
 * @param {number} y
 */
function mayHold(rows, x, y) {
  return rows === null || holds(rows.get(y), x);
}

/**
 * Returns whether one of the runs of a row holds a tile.
 *
 * @param {[number, number][] | undefined} runs
 * @param {number} x
 */
export function holds(runs, x) {
  if (!runs) return false;

  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle][1] < x) low = middle + 1;
    else high = middle;
  }
  return low < runs.length && runs[low][0] <= x;
}

/**
 * Returns the innermost zoom level of a layer. The server of a world may draw further in than there
 * are files.
 *
 * @param {MapFacts} map
 * @param {LayerFacts} layer
 */
export function innermostZoom(map, layer) {
  return map.base || !isLive() ? layer.max_zoom : innermostLive(layer);
}
