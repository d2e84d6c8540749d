// @ts-check

/*
 * Reads the details of a column: its block, biome and height, and for its chunk the version of the
 * game and the time that players have spent there.
 *
 * It does not know where a page shows them.
 */

import { translate } from '../basics/language.js';
import { gameName } from '../basics/names.js';
import { keepingReader, readScript } from './data-scripts.js';
import { CHUNK, REGION } from './layers.js';
import { tileFiles } from './tile-files.js';

const COLUMNS = REGION * REGION;
/** Chunks along the side of a tile. */
const CHUNKS = REGION / CHUNK;
/** Each tile takes 1.6 MB. */
const MAX_TILES = 16;
/** Further out the pointer would pass over many tiles, so the page reads no details there. */
export const CLOSE_ZOOM = -2;

/**
 * The values of a column.
 *
 * @typedef {object} ColumnValues
 * @property {string} block
 * @property {number} y
 * @property {string | undefined} biome
 * @property {string} version
 * @property {number} seconds
 */

/**
 * Returns the values of a column, or null if it is empty or unknown.
 *
 * @typedef {(at: Column) => Promise<ColumnValues | null>} ColumnReader
 */

const tileAt = keepingReader(MAX_TILES, readTile);

/** @param {string} address */
async function readTile(address) {
  const file = await readScript(address);
  if (file.format !== 1) return null;

  const packed = Uint8Array.from(atob(file.data), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  const data = await new Response(stream).arrayBuffer();
  const chunksAt = 6 * COLUMNS;
  return {
    file,
    blocks: new Uint16Array(data, 0, COLUMNS),
    biomes: new Uint16Array(data, 2 * COLUMNS, COLUMNS),
    heights: new Int16Array(data, 4 * COLUMNS, COLUMNS),
    versions: new Int32Array(data, chunksAt, CHUNKS * CHUNKS),
    times: new Uint32Array(data, chunksAt + 4 * CHUNKS * CHUNKS, CHUNKS * CHUNKS),
  };
}

/**
 * Returns a reader for the columns of a dimension.
 *
 * @param {MapFacts} map
 * @param {Dimension} dimension
 * @param {import('./moments.js').Past | null} past the earlier versions of tiles, if there are any
 * @returns {ColumnReader}
 */
export function columnReader(map, dimension, past) {
  const { details } = dimension;
  if (!details || map.archive) return async () => null;

  const { exists, addressOf } = tileFiles(map, details);
  return async (at) => {
    const x = Math.floor(at.x / REGION);
    const y = Math.floor(at.z / REGION);
    const moment = past?.moment();

    let address = moment ? await past?.tile(details, moment, map.native_zoom, x, y) : undefined;
    if (address === undefined && (await exists(map.native_zoom, x, y))) {
      address = addressOf(map.native_zoom, x, y);
    }
    return address ? valuesIn((await tileAt(address)).content, at) : null;
  };
}

/**
 * Returns the values of a column, or null if it is empty or its tile cannot be read.
 *
 * @param {Awaited<ReturnType<typeof readTile>>} tile
 * @param {Column} at
 * @returns {ColumnValues | null}
 */
function valuesIn(tile, at) {
  if (!tile) return null;

  const x = at.x & (REGION - 1);
  const z = at.z & (REGION - 1);
  const column = z * REGION + x;
  const chunk = Math.floor(z / CHUNK) * CHUNKS + Math.floor(x / CHUNK);

  const block = tile.file.blocks[tile.blocks[column] - 1];
  if (block === undefined) return null;
  return {
    block,
    y: tile.heights[column],
    biome: tile.file.biomes[tile.biomes[column] - 1],
    version: tile.file.versions[tile.versions[chunk]] || 'a version before 1.9',
    seconds: tile.times[chunk],
  };
}

/**
 * Returns the texts for a column, the block first.
 *
 * @param {ColumnValues} values
 */
export function columnTexts({ block, y, biome }) {
  const texts = [gameName(block), `y ${y}`];
  if (biome !== undefined) texts.push(gameName(biome));
  return texts;
}

/**
 * Returns the texts for the chunk of a column, by the layer that shows the same.
 *
 * @param {ColumnValues} values
 * @returns {{ version: string, inhabited: string }}
 */
export function chunkTexts({ version, seconds }) {
  return {
    version: translate('saved by {version}', { version: translate(version) }),
    inhabited: translate('players here: {time}', { time: timeSpent(seconds) }),
  };
}

/** @param {number} seconds */
export function timeSpent(seconds) {
  if (seconds === 0) return translate('never');
  if (seconds < 60) return translate('{count} s', { count: seconds });

  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const parts = [];
  if (hours > 0) parts.push(translate('{count} h', { count: hours }));
  if (minutes > 0) parts.push(translate('{count} min', { count: minutes }));
  return parts.join(' ');
}
