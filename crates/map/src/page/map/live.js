// @ts-check

/*
 * Follows a map that a server is drawing.
 *
 * The page names its view in the address of an event stream, so that the server draws this view
 * first, and the events name the tiles that are drawn. The server marks its pages by a tag in the
 * head. This module does not know how a page shows tiles or markers: the page hands that over.
 */

import { translate } from '../basics/language.js';
import { byId, element } from '../basics/page.js';

/** The view must rest for this time before the server hears of it. */
const SETTLE_MS = 150;
/** The page waits for this time before it calls a server again that is away. */
const AGAIN_MS = 3000;
const REGION = 512;
/** The page searches a view for blocks only if the view has at most this many regions. */
const MAX_FIND_REGIONS = 64;

/**
 * The view of a page, and the functions that show news of it.
 *
 * @typedef {object} LiveView
 * @property {{ path: string }} layer
 * @property {number} zoom the zoom level of the tiles
 * @property {Bounds} area
 * @property {(z: number, x: number, y: number) => void} reloadTile
 * @property {(kind: string, text: string, features: any[]) => void} [showLive] shows the markers of
 * a kind, if the page shows markers
 */

/**
 * The events of a map in Leaflet and in MapLibre.
 *
 * @typedef {object} MapEvents
 * @property {(name: any, handler: any) => unknown} on
 * @property {(name: any, handler: any) => unknown} off
 */

/** Returns the tag that the server of a world adds to its pages. */
function liveTag() {
  /** @type {HTMLMetaElement | null} */
  const tag = document.querySelector('meta[name=pixelmap-live]');
  return tag;
}

/** Returns whether the page was served together with a drawing of its map. */
export function isLive() {
  return liveTag() !== null;
}

/**
 * Returns the innermost zoom level of a layer. The server draws tiles with textures further in than
 * the files.
 *
 * @param {LayerFacts} layer
 */
export function innermostLive(layer) {
  const tag = liveTag();
  const hasTextures = tag && tag.content.split(' ').includes(layer.id);
  return hasTextures ? Number(tag.dataset.innermost) : layer.max_zoom;
}

/**
 * Follows the drawing. `seen` returns the current view, and `look` finds a newer map.
 *
 * @param {MapEvents} map
 * @param {() => LiveView} seen
 * @param {() => Promise<void>} look
 */
export function followDrawing(map, seen, look) {
  new LiveMap(map, seen, look).follow();
  findBlocks(map, seen);
}

class LiveMap {
  /** @type {EventSource | null} */
  #events = null;
  #timer = 0;
  #progress = element('span');

  /**
   * @param {MapEvents} map
   * @param {() => LiveView} seen
   * @param {() => Promise<void>} look
   */
  constructor(map, seen, look) {
    this.map = map;
    this.seen = seen;
    this.look = look;
    this.listenSoon = () => this.#listenAfter(SETTLE_MS);
    this.#progress.id = 'drawing';
    byId('status').append(this.#progress);
  }

  follow() {
    // A hidden page gives its connection back, because a browser has few of them per host.
    document.addEventListener('visibilitychange', () => {
      clearTimeout(this.#timer);
      if (!document.hidden) this.#listen();
      else this.#events?.close();
    });

    // Another layer at the same place is another view.
    this.map.on('moveend', this.listenSoon);
    this.map.on('layeradd', this.listenSoon);
    this.#listenAfter(0);
  }

  /** @param {number} milliseconds */
  #listenAfter(milliseconds) {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#listen(), milliseconds);
  }

  #listen() {
    this.#events?.close();
    const { layer, zoom, area } = this.seen();
    const query = { layer: layer.path, zoom, ...area };
    const values = Object.entries(query).map(([name, value]) => [name, String(value)]);
    const events = new EventSource(`live?${new URLSearchParams(values)}`);
    this.#events = events;

    events.addEventListener('tiles', (event) => this.#reloadTiles(JSON.parse(event.data)));
    events.addEventListener('players', (event) => this.#showPlayers(JSON.parse(event.data)));
    events.addEventListener('progress', (event) => this.#showProgress(JSON.parse(event.data)));
    events.addEventListener('finished', () => this.#finish());
    events.onerror = () => {
      // The browser tries again by itself, unless the server refuses.
      if (events.readyState === EventSource.CLOSED) this.#listenAfter(AGAIN_MS);
    };
  }

  /** @param {[number, number, number][]} tiles */
  #reloadTiles(tiles) {
    const { reloadTile } = this.seen();
    for (const [z, x, y] of tiles) reloadTile(z, x, y);
  }

  /** @param {any[]} players */
  #showPlayers(players) {
    const features = players.map(({ x, z, ...properties }) => ({
      geometry: { type: 'Point', coordinates: [x, z] },
      properties,
    }));
    this.seen().showLive?.('online', 'Players online', features);
  }

  /** @param {{ drawn: number, of: number }} progress */
  #showProgress({ drawn, of }) {
    const text = translate('{drawn} of {of} regions drawn', { drawn, of });
    this.#progress.textContent = drawn < of ? text : '';
  }

  /** Looks for the finished map. The server draws no view first any more, so views stay unsent. */
  #finish() {
    this.map.off('moveend', this.listenSoon);
    this.map.off('layeradd', this.listenSoon);
    clearTimeout(this.#timer);
    this.#progress.remove();
    this.look().catch(() => {});
  }
}

/**
 * Shows the blocks that the page's address names (`?find=minecraft:spawner,*_bed&depth=all`) in the
 * visible regions.
 *
 * @param {MapEvents} map
 * @param {() => LiveView} seen
 */
function findBlocks(map, seen) {
  const asked = new URLSearchParams(location.search);
  const find = asked.get('find');
  if (!find) return;

  const query = new URLSearchParams({ find, depth: asked.get('depth') || 'surface' });
  /** @type {Map<string, any[]>} */
  const featuresByAddress = new Map();

  /** @param {string} address */
  async function readRegion(address) {
    featuresByAddress.set(address, []);
    try {
      featuresByAddress.set(address, await foundFeatures(address));
      seen().showLive?.('found', 'Found blocks', [...featuresByAddress.values()].flat());
    } catch {
      // The next move tries again.
      featuresByAddress.delete(address);
    }
  }

  function look() {
    const { layer, area, showLive } = seen();
    const folder = layer.path.slice(0, layer.path.lastIndexOf('/'));
    const regions = regionsIn(area);
    if (!showLive || regions.length > MAX_FIND_REGIONS) return;

    for (const { x, z } of regions) {
      const address = `found/${folder}/${x}/${z}?${query}`;
      if (!featuresByAddress.has(address)) readRegion(address);
    }
  }

  let timer = 0;
  map.on('moveend', () => {
    clearTimeout(timer);
    timer = window.setTimeout(look, SETTLE_MS);
  });
  look();
}

/**
 * Returns the found blocks of a region, each with its dimension.
 *
 * @param {string} address
 * @returns {Promise<any[]>}
 */
async function foundFeatures(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the host answers ${response.status}`);
  const { dimension, features } = await response.json();
  for (const { properties } of features) properties.dimension = dimension;
  return features;
}

/**
 * Returns the regions in an area, but no more than one above the limit.
 *
 * @param {Bounds} area
 */
function regionsIn({ x0, z0, x1, z1 }) {
  const regions = [];
  for (let z = Math.floor(z0 / REGION); z * REGION < z1; z += 1) {
    for (let x = Math.floor(x0 / REGION); x * REGION < x1; x += 1) {
      regions.push({ x, z });
      if (regions.length > MAX_FIND_REGIONS) return regions;
    }
  }
  return regions;
}
