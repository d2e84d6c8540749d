/* What stands at a column, where the map has details: block, biome, height, and of its chunk the version of the game and
 * the time of players.
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapDetails`. It knows the form of a tile's
 * details, and nothing of what else is on the page.
 */

import { translate } from './language.js';
import { spoken } from './panel.js';
import { CHUNK, REGION, filesOf, keeping, readScript } from './tiles.js';

const COLUMNS = REGION * REGION;
const ACROSS = REGION / CHUNK; // chunks along a side of a tile
const KEPT = 16; // tiles that are kept, of 1.6 MB each
export const CLOSE = -2; // from this zoom on the pointer asks: further out it would pass over many tiles

window.pixelmapDetails = window.pixelmapTiles;

async function read(address) {
  const file = await readScript(address);
  if (file.format !== 1) return null;
  const packed = Uint8Array.from(atob(file.data), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  const data = await new Response(stream).arrayBuffer();
  return {
    file,
    blocks: new Uint16Array(data, 0, COLUMNS),
    biomes: new Uint16Array(data, 2 * COLUMNS, COLUMNS),
    heights: new Int16Array(data, 4 * COLUMNS, COLUMNS),
    versions: new Int32Array(data, 6 * COLUMNS, ACROSS * ACROSS),
    times: new Uint32Array(data, 6 * COLUMNS + 4 * ACROSS * ACROSS, ACROSS * ACROSS),
  };
}

/** The tile at an address; null where it cannot be read. */
const tileAt = keeping(KEPT, read);

/** What a tile tells of a column; null where nothing stands. */
function valuesIn(tile, at) {
  if (!tile) return null;
  const [x, z] = [at.x & (REGION - 1), at.z & (REGION - 1)];
  const [column, chunk] = [z * REGION + x, Math.floor(z / CHUNK) * ACROSS + Math.floor(x / CHUNK)];
  const block = tile.file.blocks[tile.blocks[column] - 1];
  if (block === undefined) return null;
  return {
    block,
    y: tile.heights[column],
    biome: tile.file.biomes[tile.biomes[column] - 1],
    version: tile.file.versions[tile.versions[chunk]] || 'before 1.9',
    seconds: tile.times[chunk],
  };
}

/** The details of a dimension: a function that promises the values at a column, or null. `past` has their earlier
 * versions, null: there are none (moments.js). */
export function detailsOf(map, dimension, past) {
  if (!dimension.details || map.archive) return async () => null;
  const { exists, addressOf } = filesOf(map, dimension.details);
  return async (at) => {
    const tile = [map.native_zoom, Math.floor(at.x / REGION), Math.floor(at.z / REGION)];
    const moment = past && past.moment();
    const then = moment ? await past.tile(dimension.details, moment, ...tile) : undefined;
    const address = then !== undefined ? then : (await exists(...tile)) && addressOf(...tile);
    return address ? valuesIn((await tileAt(address)).read, at) : null;
  };
}

const named = (id) => spoken(id.replace(/^minecraft:/, ''));

/** A time of players in words. */
function spent(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (seconds < 60) return seconds === 0 ? translate('never') : translate('{count} s', { count: seconds });
  const parts = [hours > 0 && translate('{count} h', { count: hours }), minutes > 0 && translate('{count} min', { count: minutes })];
  return parts.filter(Boolean).join(' ');
}

/** The values of a column in words, the block first. */
export const columnTexts = ({ block, y, biome }) => [named(block), `y ${y}`].concat(biome === undefined ? [] : [named(biome)]);
/** Those of its chunk. */
export const chunkTexts = ({ version, seconds }) => ({
  version: translate('saved by {version}', { version: translate(version) }),
  inhabited: translate('players here: {time}', { time: spent(seconds) }),
});
