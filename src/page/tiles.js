/* The tiles of a map as layers of Leaflet, the grid over them, and Leaflet's plane.
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapTiles`. It knows what map.js says of a
 * layer and how its tiles are named, and nothing of what else is on the page.
 *
 * Positions: Leaflet's plane is (lat, lng) = (-z, x), so that one unit is one block and south is down. Zooms: 0 is one
 * block a pixel (the native level of the tiles), each step out halves.
 */

import { translate } from './language.js';
import { innermostLive, isLive } from './live.js';
import { say } from './panel.js';

export const CHUNK = 16;
export const REGION = 512;
const NOTHING = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'; // a clear pixel

/** The column at a point of the plane. */
export const column = (point) => ({ x: Math.floor(point.lng), z: Math.floor(-point.lat) });
/** The middle of a column on the plane. */
export const middle = (x, z) => L.latLng(-(z + 0.5), x + 0.5);
/** The centre for a view of a column: Leaflet rounds it to a pixel, and reading it back still gives the same column. */
export const centreOn = (x, z) => L.latLng(-(z + 0.25), x + 0.25);

const ROWS = 8; // a list holds 2 to the power of this rows
const KEPT = 64; // lists that are kept
const PICTURES = 64; // pictures of moments that are kept

const awaited = new Map(); // what takes the content of a script that is under way, by its address
window.pixelmapTiles = (...handed) => awaited.get(document.currentScript.src)(handed.pop());

/** Reads the last of what a script hands over: a page from disk may read no file, and no other page runs what lies on some host. */
export async function readScript(address) {
  if (location.protocol !== 'file:') {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`the host answers ${response.status}`);
    const text = await response.text();
    return JSON.parse(`[${text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'))}]`).pop();
  }
  const script = document.createElement('script');
  script.src = address;
  try {
    return await new Promise((resolve, reject) => {
      awaited.set(script.src, resolve);
      script.onerror = reject;
      script.onload = reject;
      document.head.append(script);
    });
  } finally {
    awaited.delete(script.src);
    script.remove();
  }
}

/** A reader of addresses that keeps the `limit` used last: it returns `{ read }` or a promise of that; null was not read. */
export function keeping(limit, readOne) {
  const kept = new Map(); // the one used last at the end
  return (address) => {
    const entry = kept.get(address) || readOne(address).catch(() => null).then((read) => {
      if (kept.has(address)) kept.set(address, { read });
      return { read };
    });
    kept.delete(address);
    kept.set(address, entry);
    if (kept.size > limit) kept.delete(kept.keys().next().value);
    return entry;
  };
}

/** The rows of a list. Where it cannot be read all its tiles may exist. */
const listAt = keeping(KEPT, (address) => readScript(address).then((list) => new Map(list)));

/** Whether a row has a tile at x. */
function holds(runs, x) {
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

/** Answers whether a tile exists, or promises to, so that the page asks for none that does not; without a list all may
 * exist. `addressOf` names a file in the layer's folder. */
function tileIndex(layer, addressOf) {
  if (!layer.tiles) return () => true;
  const levels = {};
  Object.keys(layer.tiles).forEach((z) => {
    levels[z] = new Map(layer.tiles[z]);
  });
  return (z, x, y) => {
    if (levels[z]) return holds(levels[z].get(y), x);
    const numbers = (layer.lists || {})[z];
    if (!numbers || !numbers.includes(y >> ROWS)) return false;
    const answer = ({ read }) => read === null || holds(read.get(y), x);
    const list = listAt(addressOf(`tiles-${z}_${y >> ROWS}.js`));
    return list.then ? list.then(answer) : answer(list);
  };
}

export const holdsTiles = (layer) => !layer.tiles || Object.keys(layer.lists || {}).length > 0 || Object.keys(layer.tiles).some((z) => layer.tiles[z].length > 0);

/** A dimension with the layers to choose among, those to be laid over them (one of these where nothing is below), and the
 * layer of its heights, if it has one. */
export function sorted(dimension) {
  // Numbers and heights are for programs: to an eye they are all but one grey, or noise.
  const shown = (dimension.layers || []).filter((layer) => !layer.numbers && !layer.encoding);
  const layers = shown.filter((layer) => !layer.overlay);
  const overlays = shown.filter((layer) => layer.overlay);
  const heights = (dimension.layers || []).find((layer) => layer.encoding === 'terrarium' && holdsTiles(layer));
  return layers.length > 0
    ? Object.assign({}, dimension, { layers, overlays: overlays.filter(holdsTiles), heights })
    : Object.assign({}, dimension, { layers: overlays, overlays: [], heights });
}

/** A rectangle of columns on Leaflet's plane. */
function onPlane(b) {
  return L.latLngBounds([-b.z0, b.x0], [-b.z1, b.x1]);
}

/** The bounds of a layer on Leaflet's plane. */
export function planeBounds(layer) {
  return onPlane(layer.bounds || { x0: 0, z0: 0, x1: REGION, z1: REGION });
}

/** The part of a layer that is the map, without specks far from the rest. */
export function mainBounds(layer) {
  return layer.focus ? onPlane(layer.focus) : planeBounds(layer);
}

/** A tile whose address is promised; null is promised where there is none. */
function lateTile(promised, done) {
  const image = document.createElement('img');
  image.alt = '';
  // No image without a source: browsers frame such a thing.
  image.src = NOTHING;
  promised.then((address) => {
    // Leaflet has given it up.
    if (!image.isConnected) return;
    image.onload = image.onerror = (event) => {
      if (image.src.startsWith('blob:')) URL.revokeObjectURL(image.src);
      done(event.type === 'error' ? new Error('no picture') : null, image);
    };
    image.src = address || NOTHING;
  }).catch((error) => done(error, image));
  return image;
}

/** The address of a tile of an archive, whose tiles are counted from the north-western corner of the possible world. */
async function addressInArchive(archive, format, z, x, y) {
  const half = Math.pow(2, z - 1);
  try {
    const bytes = await archive.tile(z, x + half, y + half);
    return bytes && URL.createObjectURL(new Blob([bytes], { type: `image/${format}` }));
  } catch (error) {
    say(translate('The archive cannot be read'), error.message);
    throw error;
  }
}

/** The files of a layer: which tiles exist, and their addresses, by zoom level, x and y as in scheme signed. `map.base` is
 * the folder of a map that is not the page's own. */
export function filesOf(map, layer) {
  // A segment at a time: a slash stays a slash, while # or % in a folder's name must not end the address.
  const folder = (map.base || '') + layer.path.split('/').map(encodeURIComponent).join('/');
  const version = layer.version ? `?v=${layer.version}` : '';
  const addressOf = (z, x, y) => {
    // The two schemes for viewers that know no negative numbers; tms counts rows from the south.
    const half = layer.scheme === 'signed' ? 0 : Math.pow(2, z - 1);
    const row = layer.scheme === 'tms' ? half - 1 - y : y + half;
    return `${folder}/${z}/${x + half}/${row}.${layer.format}${version}`;
  };
  const listed = tileIndex(layer, (name) => `${folder}/${name}${version}`);
  // The server of a world draws tiles further in than those of the list: where there is one of these.
  const exists = (z, x, y) => {
    const levels = Math.max(0, z - layer.max_zoom);
    return listed(z - levels, x >> levels, y >> levels);
  };
  return { exists, addressOf };
}

/** A picture that is loaded ahead, so that an image which gets its address shows it at once. */
const pictureAt = keeping(PICTURES, async (address) => {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  return picture;
});

/** The innermost zoom level of a layer. The script that the server of a world adds knows of more than there are files. */
export function innermost(map, layer) {
  return map.base || !isLive() ? layer.max_zoom : innermostLive(layer);
}

/** A Leaflet layer of the tiles of `layer`. `past` has its earlier versions, null: there are none (moments.js). */
export function tileLayer(map, layer, past, pane) {
  const native = map.native_zoom;
  const { exists, addressOf } = filesOf(map, layer);
  // What the server draws further in is the world of now: an earlier moment has the innermost files, enlarged.
  const innermostShown = () => (past && past.moment() ? layer.max_zoom : innermost(map, layer)) - native;
  const Tiles = L.TileLayer.extend({
    createTile(coords, done) {
      const z = coords.z + native;
      if (map.archive) return lateTile(addressInArchive(map.archive, layer.format, z, coords.x, coords.y), done);
      if (past && past.moment()) return this.createTileThen(coords, done);
      const there = exists(z, coords.x, coords.y);
      if (there.then) return lateTile(there.then((isThere) => (isThere ? this.getTileUrl(coords) : null)), done);
      if (there) return L.TileLayer.prototype.createTile.call(this, coords, done);
      // No image without a source: browsers frame such a thing.
      const nothing = document.createElement(past ? 'img' : 'div');
      // A moment may have a tile there.
      if (past) nothing.src = NOTHING;
      L.Util.requestAnimFrame(() => done(null, nothing));
      return nothing;
    },
    getTileUrl(coords) {
      return addressOf(coords.z + native, coords.x, coords.y);
    },
    createTileThen(coords, done) {
      const then = this.tileThen(coords);
      const image = lateTile(then.then(({ address }) => address), done);
      then.then(({ isOtherwise }) => image.classList.toggle('otherwise', isOtherwise), () => {});
      return image;
    },
    /** What a tile shows at a moment: its address, null where it is none, and whether that is not what it shows now. */
    async tileAt(coords, moment) {
      const [z, x, y] = [coords.z + native, coords.x, coords.y];
      if (moment && z > layer.max_zoom) return { address: null, isOtherwise: false };
      const then = moment ? await past.tile(layer, moment, z, x, y) : undefined;
      if (then !== undefined) return { address: then, isOtherwise: true };
      return { address: (await exists(z, x, y)) ? this.getTileUrl(coords) : null, isOtherwise: false };
    },
    /** What a tile shows at the moment that is shown when this is known. */
    async tileThen(coords) {
      for (;;) {
        const moment = past.moment();
        const tile = await this.tileAt(coords, moment);
        if (moment === past.moment()) return tile;
      }
    },
    /** Changes over to the moment that is shown now. Only tiles that differ are touched, and each stays what it was until
     * its next picture is there. */
    showMoment() {
      this.options.maxNativeZoom = innermostShown();
      if (this._clampZoom(this._map.getZoom()) !== this._tileZoom) {
        return new Promise((done) => this.redraw().once('load', done));
      }
      return Promise.all(Object.values(this._tiles).map(async (tile) => {
        const { el, coords } = tile;
        const { address, isOtherwise } = await this.tileThen(coords);
        const source = address || NOTHING;
        el.wanted = source;
        el.classList.toggle('otherwise', isOtherwise);
        if (el.getAttribute('src') === source) return;
        await pictureAt(source);
        // Another moment has come, or Leaflet has given it up.
        if (el.wanted !== source || !el.isConnected) return;
        if (tile.loaded) {
          // Leaflet would fade it in as a new one.
          L.DomEvent.off(el);
          el.onload = el.onerror = null;
        }
        el.src = source;
      }));
    },
    /** Loads what a moment shows, so that it can be shown at once. */
    loadAhead(moment) {
      return Promise.all(Object.values(this._tiles).map(async ({ coords }) => {
        const { address } = await this.tileAt(coords, moment);
        return address && pictureAt(address);
      }));
    },
    /** Shows the tiles through a filter of CSS; an empty text shows them as they are. */
    setFilter(filter) {
      this.filter = filter;
      Object.values(this._tiles || {}).forEach(({ el }) => { el.style.filter = filter; });
    },
    /** The picture of a native tile at the moment that is shown; null: there is none. */
    async nativePicture(x, y) {
      const coords = Object.assign(L.point(x, y), { z: 0 });
      const address = map.archive ? await addressInArchive(map.archive, layer.format, native, x, y)
        : past ? (await this.tileThen(coords)).address
          : (await exists(native, x, y)) && this.getTileUrl(coords);
      if (!address) return null;
      const response = await fetch(address);
      if (address.startsWith('blob:')) URL.revokeObjectURL(address);
      if (!response.ok) throw new Error(`the host answers ${response.status}`);
      return response.blob();
    },
    /** The zoom level of the tiles that are shown. */
    zoomShown() {
      return this._tileZoom + native;
    },
    /** Takes the picture of a tile anew, if it is shown; the one that is seen stays until then. */
    takeAnew(z, x, y) {
      if (past && past.moment()) return;
      Object.values(this._tiles).filter(({ coords }) => coords.z + native === z && coords.x === x && coords.y === y).forEach(({ el, coords }) => {
        fetch(this.getTileUrl(coords), { cache: 'no-cache' }).then((response) => response.blob()).then((picture) => {
          if (!el.isConnected) return;
          // Leaflet would fade the tile in as a new one.
          L.DomEvent.off(el);
          el.onload = () => URL.revokeObjectURL(el.src);
          el.src = URL.createObjectURL(picture);
        }).catch(() => {});
      });
    },
  });
  const made = new Tiles('', {
    tileSize: map.tile_size,
    minNativeZoom: layer.min_zoom - native,
    maxNativeZoom: innermostShown(),
    // The map's own limits hold; these only must not be narrower.
    minZoom: -30,
    maxZoom: 30,
    // Earlier moments may have tiles beyond the bounds of today.
    bounds: past && layer.tiles ? undefined : planeBounds(layer),
    noWrap: true,
    zIndex: layer.overlay ? 2 : 1,
    pane: pane || 'tilePane',
  });
  made.on('tileloadstart', ({ tile }) => { tile.style.filter = made.filter || ''; });
  return made;
}

/** Lines between chunks and regions, with the regions' names, at any zoom at which they stand clear of each other. */
export function gridLayer() {
  const Grid = L.GridLayer.extend({
    createTile(coords) {
      const size = this.getTileSize().x;
      const sharp = window.devicePixelRatio || 1;
      const canvas = document.createElement('canvas');
      canvas.width = canvas.height = size * sharp;
      const pen = canvas.getContext('2d');
      pen.scale(sharp, sharp);
      const scale = Math.pow(2, coords.z);
      const west = coords.x * size / scale;
      const north = coords.y * size / scale;
      [[CHUNK, '255,255,255', .3, 1], [REGION, '0,0,0', .45, 3], [REGION, '255,255,255', .75, 1]].forEach(([step, colour, strength, width]) => {
        if (step * scale < 8) return;
        // Dense lines would hide what they divide, so they get fainter as they close up.
        pen.fillStyle = `rgba(${colour},${strength * Math.min(1, step * scale / 128)})`;
        for (let x = Math.ceil(west / step) * step; x < west + size / scale; x += step) pen.fillRect((x - west) * scale, 0, width, size);
        for (let z = Math.ceil(north / step) * step; z < north + size / scale; z += step) pen.fillRect(0, (z - north) * scale, size, width);
      });
      if (REGION * scale >= 100) this.nameRegions(pen, west, north, size, scale);
      return canvas;
    },
    nameRegions(pen, west, north, size, scale) {
      pen.font = '12px system-ui, sans-serif';
      pen.textBaseline = 'top';
      pen.lineWidth = 3;
      pen.lineJoin = 'round';
      pen.strokeStyle = 'rgba(0,0,0,.7)';
      pen.fillStyle = '#fff';
      for (let x = Math.ceil(west / REGION) * REGION; x < west + size / scale; x += REGION) {
        for (let z = Math.ceil(north / REGION) * REGION; z < north + size / scale; z += REGION) {
          const text = `r.${x / REGION}.${z / REGION}`;
          pen.strokeText(text, (x - west) * scale + 7, (z - north) * scale + 7);
          pen.fillText(text, (x - west) * scale + 7, (z - north) * scale + 7);
        }
      }
    },
  });
  // Above the tiles of both maps where two are compared.
  return new Grid({ tileSize: 512, minZoom: -30, maxZoom: 30, pane: 'overlayPane' });
}
