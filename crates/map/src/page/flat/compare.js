// @ts-check

/*
 * Compares this map with another one (`?compare=FOLDER`): it lays the other map's tiles over this
 * map's, and cuts both at a divider.
 *
 * The other map may be on any host. On a page from a host nothing of it is run, and its names get
 * into the page only as texts. If the other map has nothing to show, the page states the reason.
 */

import { translate } from '../basics/language.js';
import { clean } from '../basics/names.js';
import { byId } from '../basics/page.js';
import { coveredWidth } from '../basics/panel.js';
import { decoded, typedAddress } from '../map/address.js';
import { layerName } from '../map/layers.js';
import { tileLayer } from './tile-layer.js';

const SCHEMES = ['signed', 'xyz', 'tms'];

/** How far each key moves the divider, as a share of the width. */
const STEPS = /** @type {Record<string, number>} */ ({
  ArrowLeft: -0.02,
  ArrowDown: -0.02,
  ArrowRight: 0.02,
  ArrowUp: 0.02,
  PageDown: -0.1,
  PageUp: 0.1,
  Home: -1,
  End: 1,
});

/**
 * The layer of this map that is shown.
 *
 * @typedef {{ facts: MapFacts, dimension: Dimension, layer: LayerFacts }} ShownHere
 */

/** The comparison with the map that the page's address names, if it names one. */
export class Comparison {
  #map;
  #name = '';
  /** @type {MapFacts | null} */
  #other = null;
  /** @type {ShownHere | null} */
  #here = null;
  /** @type {import('./legend.js').ShownLayer | null} */
  #shown = null;

  /** @param {L.Map} map */
  constructor(map) {
    this.#map = map;
    const asked = new URLSearchParams(location.search).get('compare');
    if (!asked) return;

    const folder = folderAt(asked);
    this.#name = folder ? folderName(folder) : clean(asked, translate('the other map'));
    const pane = map.createPane('compared');
    pane.style.zIndex = '250';
    pane.style.pointerEvents = 'none';

    byId('compared').hidden = false;
    // A page may not save pictures of another host, and half of two maps is not a picture of one.
    byId('save').hidden = true;
    this.#report(translate('loading'));
    this.#read(folder).catch((error) => this.#report(error.message));
  }

  /** @param {URL | null} folder */
  async #read(folder) {
    this.#other = await readFacts(folder);
    this.#showCounterpart();
    new Divider(this.#map, (share) => this.#cut(share));
  }

  /** Returns the shown layer of the other map, if there is one. */
  layers() {
    return this.#shown ? [this.#shown] : [];
  }

  /**
   * Shows the layer of the other map that corresponds to the layer of this map.
   *
   * @param {ShownHere} here
   */
  show(here) {
    this.#here = here;
    try {
      this.#showCounterpart();
    } catch {
      this.#report('its map.json is damaged');
    }
  }

  #showCounterpart() {
    this.#shown?.[1].remove();
    this.#shown = null;
    if (!this.#other || !this.#here) return;

    const { layer, trouble } = counterpart(this.#other, this.#here);
    this.#report(trouble);
    if (!layer) return;

    const tiles = tileLayer(this.#other, layer, null, 'compared').addTo(this.#map);
    this.#shown = [layer, tiles];
    this.#map.fire('beside');
  }

  /**
   * Shows the name of the other map, and the reason why it is not shown.
   *
   * @param {string} [trouble]
   */
  #report(trouble) {
    byId('compared-other').textContent = trouble ? `${this.#name}: ${trouble}` : this.#name;
  }

  /**
   * Cuts this map's tiles right of the divider, and the other map's tiles left of it.
   *
   * @param {number} share
   */
  #cut(share) {
    const map = this.#map;
    const from = map.containerPointToLayerPoint([0, 0]);
    const to = map.containerPointToLayerPoint(map.getSize());
    const middle = Math.round(from.x + share * (to.x - from.x));

    clip(map.getPane('tilePane'), from.y, middle, to.y, from.x);
    clip(map.getPane('compared'), from.y, to.x, to.y, middle);
  }
}

/**
 * @param {HTMLElement | undefined} pane
 * @param {number} top
 * @param {number} right
 * @param {number} bottom
 * @param {number} left
 */
function clip(pane, top, right, bottom, left) {
  if (pane) pane.style.clip = `rect(${top}px, ${right}px, ${bottom}px, ${left}px)`;
}

/** A divider that the visitor drags, or moves by keys. */
class Divider {
  #map;
  #moved;
  #bar = byId('divider');
  /** Half of the part of the window that the panel leaves free. */
  #share = freeShare() / 2;

  /**
   * @param {L.Map} map
   * @param {(share: number) => void} moved hears of the divider's share of the width
   */
  constructor(map, moved) {
    this.#map = map;
    this.#moved = moved;

    this.#bar.addEventListener('pointerdown', (event) => this.#grip(event));
    this.#bar.addEventListener('pointermove', (event) => this.#drag(event));
    this.#bar.addEventListener('keydown', (event) => this.#step(event));
    map.on('move zoomend viewreset resize', () => moved(this.#share));
    this.#bar.hidden = false;
    byId('compared').classList.add('divided');
    this.#set(this.#share);
  }

  /** @param {PointerEvent} event */
  #grip(event) {
    this.#bar.setPointerCapture(event.pointerId);
    event.preventDefault();
    this.#bar.focus();
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    if (!this.#bar.hasPointerCapture(event.pointerId)) return;
    const around = this.#map.getContainer().getBoundingClientRect();
    this.#set((event.clientX - around.left) / around.width);
  }

  /** @param {KeyboardEvent} event */
  #step(event) {
    if (!(event.key in STEPS)) return;
    event.preventDefault();
    this.#set(this.#share + STEPS[event.key]);
  }

  /** @param {number} share */
  #set(share) {
    this.#share = Math.max(0, Math.min(freeShare(), share));
    const percent = 100 * this.#share;
    this.#bar.style.left = `${percent}%`;
    byId('compared').style.setProperty('--divider', `${percent}vw`);
    this.#bar.setAttribute('aria-valuenow', String(Math.round(percent)));
    this.#moved(this.#share);
  }
}

/** Returns the share of the window's width that the panel leaves free. */
function freeShare() {
  return 1 - coveredWidth() / window.innerWidth;
}

/**
 * Returns the address of the folder that is asked for, with a slash at its end, or null if the text
 * is not an address.
 *
 * @param {string} asked
 */
function folderAt(asked) {
  const folder = typedAddress(asked.replace(/(index\.html|map\.js(on)?)$/, ''));
  if (!folder) return null;
  folder.search = folder.hash = '';
  if (!folder.pathname.endsWith('/')) folder.pathname += '/';
  return folder;
}

/** @param {URL} folder */
function folderName(folder) {
  if (folder.href === new URL('.', location.href).href) return translate('Now');
  const last = folder.pathname.split('/').filter(Boolean).pop() || folder.host;
  return clean(decoded(last, last), translate('the other map'));
}

/**
 * Returns the facts of the map in a folder.
 *
 * @param {URL | null} folder
 * @returns {Promise<MapFacts>}
 */
async function readFacts(folder) {
  if (!folder) {
    throw new Error(
      'this is not an address: write ?compare= with the address of a map\u2019s folder',
    );
  }
  const isDisk = location.protocol === 'file:';
  const isOnDisk = folder.protocol === 'file:';
  if (isDisk !== isOnDisk || !/^(https?|file):$/.test(folder.protocol)) {
    throw new Error('it cannot be read from here');
  }

  const facts = await (isDisk ? factsFromScript(folder) : factsFromHost(folder));
  if (facts?.format !== 1 || !Array.isArray(facts.dimensions)) {
    throw new Error('it is no map of this version of pixelmap');
  }
  return { ...facts, base: folder.href };
}

/**
 * Returns the facts of a map on the disk, by running its script: a page from disk may not read
 * files.
 *
 * @param {URL} folder
 * @returns {Promise<MapFacts>}
 */
function factsFromScript(folder) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    const own = window.PIXELMAP;
    window.PIXELMAP = undefined;

    const finish = () => {
      const other = window.PIXELMAP;
      // The other map's script has set the global variable of this page's map.
      window.PIXELMAP = own;
      script.remove();
      if (other) resolve(other);
      else reject(new Error('there is no map.js'));
    };
    script.onload = finish;
    script.onerror = finish;
    script.src = `${folder.href}map.js`;
    document.head.append(script);
  });
}

/**
 * @param {URL} folder
 * @returns {Promise<MapFacts>}
 */
async function factsFromHost(folder) {
  const response = await fetch(`${folder.href}map.json`, { cache: 'no-cache' }).catch(() => {
    const isHere = folder.origin === location.origin;
    throw new Error(
      isHere
        ? 'the host does not answer'
        : 'its host does not answer, or lacks the header Access-Control-Allow-Origin',
    );
  });
  if (!response.ok) throw new Error(`the host answers ${response.status}`);
  return response.json().catch(() => {
    throw new Error('its map.json is no JSON');
  });
}

/**
 * Returns the layer of the other map that corresponds to the shown one, or the reason why it is
 * missing.
 *
 * @param {MapFacts} other
 * @param {ShownHere} here
 * @returns {{ layer?: LayerFacts, trouble?: string }}
 */
function counterpart(other, { facts, dimension, layer }) {
  if (other.native_zoom !== facts.native_zoom || other.tile_size !== facts.tile_size) {
    return { trouble: 'it has another scale' };
  }

  const otherDimension = other.dimensions.find(({ id }) => id === dimension.id);
  if (!otherDimension) {
    return { trouble: `it has no dimension ${clean(dimension.name, dimension.id)}` };
  }

  const otherLayer = otherDimension.layers?.find(({ id }) => id === layer.id);
  if (!otherLayer) return { trouble: `it has no layer ${layerName(layer)} here` };
  if (!SCHEMES.includes(otherLayer.scheme ?? 'signed')) {
    return { trouble: 'its tiles are named by a scheme that this page does not know' };
  }
  return { layer: otherLayer };
}
