// @ts-check

/*
 * Gives MapLibre the tiles of a map, and converts between columns and places on the earth.
 *
 * MapLibre can only show the earth. So the possible world, 2^26 blocks wide, stands for the square
 * that Web Mercator makes of the earth, and the zooms of MapLibre are the zoom levels of tiles.
 * This module does not know which layers are made of the tiles.
 */

import { FAR } from '../map/address.js';
import { REGION } from '../map/layers.js';
import { innermostZoom, tileFiles } from '../map/tile-files.js';

const PROTOCOL = 'pixelmap';
/** At this many levels further out than the outermost one, a tile of that level is one pixel. */
const MAX_OUTER_LEVELS = 9;
/** Height 0 in the colours of heights. It fills the parts where nothing is drawn. */
const NO_HEIGHT = 'rgb(128, 0, 1)';

/**
 * The tiles of a source of MapLibre.
 *
 * @typedef {object} TileSet
 * @property {LayerFacts} layer
 * @property {string} ground the colour of the ground, for a mask; otherwise empty
 * @property {import('../map/tile-files.js').TileFiles} files
 * @property {number} side pixels along the side of a tile
 * @property {number} native the native zoom level
 */

/**
 * Returns the place on the earth that stands for a point of the map.
 *
 * @param {number} x
 * @param {number} z
 * @returns {[number, number]}
 */
export function onEarth(x, z) {
  const latitude = Math.atan(Math.sinh((-z / FAR) * Math.PI));
  return [(x / FAR) * 180, (latitude * 180) / Math.PI];
}

/**
 * Returns the column that a place on the earth stands for.
 *
 * @param {{ lng: number, lat: number }} place
 * @returns {Column}
 */
export function columnOnEarth({ lng, lat }) {
  const north = Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI;
  return { x: Math.floor((lng / 180) * FAR), z: Math.floor(-north * FAR) };
}

/** The tile sets by their numbers in MapLibre's addresses. */
const tileSets = /** @type {TileSet[]} */ ([]);
/** @type {Map<string, number>} */
const tileSetNumbers = new Map();
/**
 * The files that the visitor has chosen, by path. A page from disk may not read others.
 *
 * @type {Map<string, File> | null}
 */
let folder = null;

/**
 * Lets MapLibre read tiles. `files` is the folder that the visitor has chosen, if there is one.
 *
 * @param {FileList | null} files
 */
export function provideTiles(files) {
  folder = files && new Map([...files].map((file) => [pathInFolder(file), file]));
  maplibregl.addProtocol(PROTOCOL, readTile);
}

/** @param {File} file */
function pathInFolder(file) {
  return file.webkitRelativePath.split('/').slice(1).join('/');
}

/**
 * Returns a source with the tiles of a layer.
 *
 * @param {MapFacts} facts
 * @param {LayerFacts} layer
 * @param {object} options
 */
export function tileSource(facts, layer, options) {
  return source(facts, layer, '', innermostZoom(facts, layer), options);
}

/**
 * Returns a source that has the colour of the ground where a layer shows nothing. It covers the
 * heights there, because heights are everywhere.
 *
 * @param {MapFacts} facts
 * @param {LayerFacts} layer
 * @param {string} ground
 */
export function maskSource(facts, layer, ground) {
  // Tiles further in than the native ones may be few, so a mask does without them.
  return source(facts, layer, ground, facts.native_zoom, { type: 'raster' });
}

/**
 * @param {MapFacts} facts
 * @param {LayerFacts} layer
 * @param {string} ground
 * @param {number} maxzoom
 * @param {object} options
 * @returns {any}
 */
function source(facts, layer, ground, maxzoom, options) {
  const { x0, z0, x1, z1 } = layer.bounds;
  const number = tileSetNumber(facts, layer, ground);
  return {
    tiles: [`${PROTOCOL}://${number}/{z}/{x}/{y}`],
    tileSize: facts.tile_size,
    // MapLibre shows the far parts of a tilted map by outer tiles.
    minzoom: Math.max(1, layer.min_zoom - MAX_OUTER_LEVELS),
    maxzoom,
    bounds: [...onEarth(x0, z1), ...onEarth(x1, z0)],
    ...options,
  };
}

/**
 * Returns the number of a tile set. The same version always gets the same number, so that MapLibre
 * keeps the tiles that it has.
 *
 * @param {MapFacts} facts
 * @param {LayerFacts} layer
 * @param {string} ground
 */
function tileSetNumber(facts, layer, ground) {
  const key = `${layer.path}?${layer.version}?${ground}`;
  let number = tileSetNumbers.get(key);
  if (number === undefined) {
    const files = tileFiles(facts, layer);
    const set = { layer, ground, files, side: facts.tile_size, native: facts.native_zoom };
    number = tileSets.push(set) - 1;
    tileSetNumbers.set(key, number);
  }
  return number;
}

/**
 * Reads a tile for MapLibre, which counts tiles from the north-west.
 *
 * @param {{ url: string }} request
 * @param {AbortController} abort
 */
async function readTile({ url }, { signal }) {
  const [number, z, column, row] = url.slice(`${PROTOCOL}://`.length).split('/').map(Number);
  const set = tileSets[number];
  const half = Math.pow(2, z - 1);
  const [x, y] = [Math.floor(column - half), Math.floor(row - half)];

  const isOuter = z < set.layer.min_zoom;
  const tile = isOuter
    ? await outerTile(set, z, x, y, signal)
    : await tileBytes(set, z, x, y, signal);
  if (set.ground) return { data: await maskOf(tile, set) };
  if (!tile) throw absentTile();
  return { data: tile };
}

/**
 * Returns the bytes of a tile, or null if it does not exist.
 *
 * @param {TileSet} set
 * @param {number} z
 * @param {number} x
 * @param {number} y
 * @param {AbortSignal} signal
 */
async function tileBytes({ files }, z, x, y, signal) {
  if (!(await files.exists(z, x, y))) return null;
  return readFile(files.addressOf(z, x, y), signal);
}

/**
 * Returns the bytes of a file, or null if it does not exist.
 *
 * @param {string} address
 * @param {AbortSignal} signal
 */
async function readFile(address, signal) {
  if (folder) {
    const file = folder.get(decodeURIComponent(address.replace(/\?.*/, '')));
    return file ? file.arrayBuffer() : null;
  }

  const response = await fetch(address, { signal });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`the host answers ${response.status}`);
  return response.arrayBuffer();
}

/**
 * Returns the error by which MapLibre accepts that a tile is missing: it requests no other tile and
 * reports nothing.
 */
function absentTile() {
  return Object.assign(new Error('nothing is drawn there'), { status: 404 });
}

/**
 * Returns a tile further out than the files: the outermost tiles, made smaller. If all of them are
 * missing, it returns null.
 *
 * @param {TileSet} set
 * @param {number} z
 * @param {number} x
 * @param {number} y
 * @param {AbortSignal} signal
 */
async function outerTile(set, z, x, y, signal) {
  const { layer, side } = set;
  const across = Math.pow(2, layer.min_zoom - z);
  if (across > Math.pow(2, MAX_OUTER_LEVELS)) return null;

  const pen = penOfSide(side);
  if (layer.encoding) {
    // A mean of colours is not a mean of heights, so heights are picked instead of mixed.
    pen.imageSmoothingEnabled = false;
    pen.fillStyle = NO_HEIGHT;
    pen.fillRect(0, 0, side, side);
  }

  const small = side / across;
  let count = 0;
  for (const tile of tilesWithin(set, x * across, y * across, across)) {
    const bytes = await tileBytes(set, layer.min_zoom, tile.x, tile.y, signal);
    if (!bytes) continue;
    const picture = await createImageBitmap(new Blob([bytes]));
    const [left, top] = [(tile.x - x * across) * small, (tile.y - y * across) * small];
    pen.drawImage(picture, left, top, small, small);
    count += 1;
  }
  return count > 0 ? createImageBitmap(pen.canvas) : null;
}

/**
 * Returns the outermost tiles of a layer within a square, as far as the layer's bounds reach.
 *
 * @param {TileSet} set
 * @param {number} west
 * @param {number} north
 * @param {number} across tiles along a side of the square
 */
function tilesWithin({ layer, native }, west, north, across) {
  const { x0, z0, x1, z1 } = layer.bounds;
  const blocks = REGION * Math.pow(2, native - layer.min_zoom);
  const firstX = Math.max(west, Math.floor(x0 / blocks));
  const endX = Math.min(west + across, Math.ceil(x1 / blocks));
  const firstY = Math.max(north, Math.floor(z0 / blocks));
  const endY = Math.min(north + across, Math.ceil(z1 / blocks));

  const tiles = [];
  for (let y = firstY; y < endY; y += 1) {
    for (let x = firstX; x < endX; x += 1) tiles.push({ x, y });
  }
  return tiles;
}

/**
 * Returns a picture with the colour of the ground where a tile shows nothing.
 *
 * @param {ArrayBuffer | ImageBitmap | null} tile
 * @param {TileSet} set
 */
async function maskOf(tile, { ground, side }) {
  const pen = penOfSide(side);
  pen.fillStyle = ground;
  pen.fillRect(0, 0, side, side);

  pen.globalCompositeOperation = 'destination-out';
  const picture = tile instanceof ArrayBuffer ? await createImageBitmap(new Blob([tile])) : tile;
  if (picture) pen.drawImage(picture, 0, 0);
  return createImageBitmap(pen.canvas);
}

/** @param {number} side */
function penOfSide(side) {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = side;
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
}
