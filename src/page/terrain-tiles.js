/* The tiles of a map as MapLibre takes them, and where MapLibre's places are.
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapTerrainTiles`. It knows MapLibre
 * (`maplibregl`) and how tiles are named, and nothing of what is made of them.
 *
 * Positions: MapLibre knows the earth, so the possible world, 2^26 blocks wide, stands for the square that Web Mercator
 * makes of it. Zooms are MapLibre's, which are the zoom levels of tiles.
 */

import { FAR } from './address.js';
import { REGION, filesOf, innermost } from './tiles.js';

const PROTOCOL = 'pixelmap';
const OUTER = 9; // levels further out than the outermost one: a tile of that one is a pixel then
const NO_HEIGHT = 'rgb(128, 0, 1)'; // height 0, where nothing is there

const degrees = (radians) => radians * 180 / Math.PI;

/** A point of the map as MapLibre knows places. */
export const onEarth = (x, z) => [x / FAR * 180, degrees(Math.atan(Math.sinh(-z / FAR * Math.PI)))];

/** The block at a place. */
export function blockAt({ lng, lat }) {
  return { x: Math.floor(lng / 180 * FAR), z: Math.floor(-Math.asinh(Math.tan(lat * Math.PI / 180)) / Math.PI * FAR) };
}

const known = []; // what is asked for, by the number in MapLibre's addresses
const numbers = new Map(); // these numbers, by layer, version and colour of the ground
let folder = null; // the files that a visitor has chosen, by path: a page from disk may read no others

/** What MapLibre is to do without. It asks for no other tile in its place, and reports nothing. */
const absent = () => Object.assign(new Error('nothing is drawn there'), { status: 404 });

async function readFile(address, signal) {
  if (folder) {
    const file = folder.get(decodeURIComponent(address.replace(/\?.*/, '')));
    if (!file) throw absent();
    return file.arrayBuffer();
  }
  const response = await fetch(address, { signal });
  if (response.status === 404) throw absent();
  if (!response.ok) throw new Error(`the host answers ${response.status}`);
  return response.arrayBuffer();
}

/** The bytes of a tile; null: there is none. */
async function tileBytes({ files }, z, x, y, signal) {
  if (!(await files.exists(z, x, y))) return null;
  return readFile(files.addressOf(z, x, y), signal).catch((error) => {
    if (error.status === 404) return null;
    throw error;
  });
}

function newCanvas(side) {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = side;
  return canvas.getContext('2d');
}

const drawnPart = ([low, high], first, across) => [Math.max(first, low), Math.min(first + across, high)];

/** A tile further out than those that are drawn: the outermost of these, made smaller; null: none is there. */
async function outerTile(asked, z, x, y, signal) {
  const { layer, side, native } = asked;
  const across = Math.pow(2, layer.min_zoom - z);
  if (across > Math.pow(2, OUTER)) return null;
  const { x0, z0, x1, z1 } = layer.bounds;
  const blocks = REGION * Math.pow(2, native - layer.min_zoom);
  const [west, east] = drawnPart([Math.floor(x0 / blocks), Math.ceil(x1 / blocks)], x * across, across);
  const [north, south] = drawnPart([Math.floor(z0 / blocks), Math.ceil(z1 / blocks)], y * across, across);
  const pen = newCanvas(side);
  const isHeights = !!layer.encoding;
  // A mean of colours is no mean of heights: of these one of many is taken.
  pen.imageSmoothingEnabled = !isHeights;
  pen.fillStyle = NO_HEIGHT;
  if (isHeights) pen.fillRect(0, 0, side, side);
  let count = 0;
  for (let row = north; row < south; row += 1) {
    for (let column = west; column < east; column += 1) {
      const bytes = await tileBytes(asked, layer.min_zoom, column, row, signal);
      if (!bytes) continue;
      const small = side / across;
      pen.drawImage(await createImageBitmap(new Blob([bytes])), (column - x * across) * small, (row - y * across) * small, small, small);
      count += 1;
    }
  }
  return count ? createImageBitmap(pen.canvas) : null;
}

/** A tile in the colour of the ground where the picture of a layer shows nothing. */
async function masked(picture, { ground, side }) {
  const pen = newCanvas(side);
  pen.fillStyle = ground;
  pen.fillRect(0, 0, side, side);
  pen.globalCompositeOperation = 'destination-out';
  if (picture) pen.drawImage(picture, 0, 0);
  return createImageBitmap(pen.canvas);
}

/** Reads a tile that MapLibre counts from the north-west. */
async function readTile({ url }, { signal }) {
  const [number, z, column, row] = url.slice(`${PROTOCOL}://`.length).split('/').map(Number);
  const asked = known[number];
  const half = Math.pow(2, z - 1);
  const [x, y] = [Math.floor(column - half), Math.floor(row - half)];
  const tile = z < asked.layer.min_zoom ? await outerTile(asked, z, x, y, signal) : await tileBytes(asked, z, x, y, signal);
  if (asked.ground) return { data: await masked(tile && (tile instanceof ArrayBuffer ? await createImageBitmap(new Blob([tile])) : tile), asked) };
  if (!tile) throw absent();
  return { data: tile };
}

/** A source of the tiles of a layer, or of its mask. The same version has the same address: MapLibre then keeps what it has
 * of it. */
function source(facts, layer, ground, more) {
  const { x0, z0, x1, z1 } = layer.bounds;
  const key = `${layer.path}?${layer.version}?${ground}`;
  if (!numbers.has(key)) numbers.set(key, known.push({ layer, ground, files: filesOf(facts, layer), side: facts.tile_size, native: facts.native_zoom }) - 1);
  return Object.assign({
    tiles: [`${PROTOCOL}://${numbers.get(key)}/{z}/{x}/{y}`],
    tileSize: facts.tile_size,
    // MapLibre takes tiles from further out for what is far away.
    minzoom: Math.max(1, layer.min_zoom - OUTER),
    // A mask hides what a layer does not show: it has nothing of tiles further in, of which there may be a few.
    maxzoom: ground ? facts.native_zoom : innermost(facts, layer),
    bounds: [...onEarth(x0, z1), ...onEarth(x1, z0)],
  }, more);
}

export const sourceOf = (facts, layer, more) => source(facts, layer, '', more);

/** The ground where a layer shows nothing: to lie over what is drawn of heights, which are everywhere. */
export const maskOf = (facts, layer, ground) => source(facts, layer, ground, { type: 'raster' });

/** Lets MapLibre read tiles; of `files`, a folder that was chosen, if there are any. */
export function openTiles(files) {
  folder = files && new Map([...files].map((file) => [file.webkitRelativePath.split('/').slice(1).join('/'), file]));
  maplibregl.addProtocol(PROTOCOL, readTile);
}
