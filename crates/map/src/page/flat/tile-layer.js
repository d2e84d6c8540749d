// @ts-check

/*
 * Shows the tiles of a layer in Leaflet: of a folder or an archive, now or at an earlier moment.
 *
 * When the page changes to another moment, only tiles that differ are touched, and each one keeps
 * its picture until the next picture is loaded, so that nothing flickers.
 */

import { translate } from '../basics/language.js';
import { say } from '../basics/page.js';
import { keepingReader } from '../map/data-scripts.js';
import { innermostZoom, tileFiles } from '../map/tile-files.js';

/** A clear pixel. Browsers frame an image without a source, so a tile without a file shows this. */
const CLEAR = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

const MAX_PICTURES = 64;

/**
 * Pixels of the window from line to line of the hatching. The sides of tiles are multiples of it.
 */
const HATCHING_STEP = 16;

/**
 * A tile at a moment: its address, which is null if the tile is missing, and whether it differs
 * from the newest tile.
 *
 * @typedef {{ address: string | null, isDifferent: boolean }} TileVersion
 */

/**
 * A tile of Leaflet. `wanted` is the address of the picture that the tile shows when it is loaded.
 *
 * @typedef {object} LeafletTile
 * @property {HTMLImageElement & { wanted?: string }} el
 * @property {L.Coords} coords
 * @property {Date} [loaded]
 */

/** Loads pictures before they are shown, so that an image changes at once. */
const pictureAt = keepingReader(MAX_PICTURES, async (address) => {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  return picture;
});

/**
 * Returns whether the page hatches the places where a layer shows nothing, because nobody has
 * explored or drawn them. Overlays and layers of some heights show only a part of the drawn land.
 *
 * @param {LayerFacts} layer
 */
export function hatchesUndrawn({ overlay, heights }) {
  return !overlay && !heights;
}

/**
 * Returns a layer of Leaflet with the tiles of `layer`.
 *
 * @param {MapFacts} map
 * @param {LayerFacts} layer
 * @param {import('../map/moments.js').Past | null} past the earlier versions, if there are any
 * @param {string} [pane]
 */
export function tileLayer(map, layer, past, pane = 'tilePane') {
  return new TileLayer(map, layer, past, pane);
}

export class TileLayer extends L.TileLayer {
  #map;
  #layer;
  #past;
  #files;
  #filter = '';

  /**
   * @param {MapFacts} map
   * @param {LayerFacts} layer
   * @param {import('../map/moments.js').Past | null} past
   * @param {string} pane
   */
  constructor(map, layer, past, pane) {
    super('', {
      tileSize: map.tile_size,
      minNativeZoom: layer.min_zoom - map.native_zoom,
      // The limits of the map apply. These must only not be narrower.
      minZoom: -30,
      maxZoom: 30,
      noWrap: true,
      className: hatchesUndrawn(layer) ? 'hatches-undrawn' : '',
      zIndex: layer.overlay ? 2 : 1,
      pane,
    });

    this.#map = map;
    this.#layer = layer;
    this.#past = past;
    this.#files = tileFiles(map, layer);
    this.options.maxNativeZoom = this.#innermost();
    this.on('tileloadstart', ({ tile }) => {
      tile.style.filter = this.#filter;
    });
  }

  /** @returns {Record<string, LeafletTile>} */
  get #tiles() {
    return /** @type {any} */ (this)._tiles ?? {};
  }

  /**
   * Returns the innermost zoom of Leaflet that has tiles. The server of a world draws further in
   * than the files, but only the present world.
   */
  #innermost() {
    const isPast = this.#past?.moment();
    const zoom = isPast ? this.#layer.max_zoom : innermostZoom(this.#map, this.#layer);
    return zoom - this.#map.native_zoom;
  }

  /**
   * @override
   * @param {L.Coords} coords
   * @param {L.DoneCallback} done
   * @returns {HTMLElement}
   */
  createTile(coords, done) {
    if (this.#past?.moment()) return this.#createPastTile(coords, done);

    const exists = this.#exists(coords);
    if (exists && this.#map.archive) return lateTile(this.#archiveAddress(coords), done);
    if (exists instanceof Promise) {
      const address = exists.then((is) => (is ? this.getTileUrl(coords) : null));
      return lateTile(address, done);
    }
    if (exists) return super.createTile(coords, done);

    // An earlier moment may have a tile here, so in a map with history the element is an image.
    const blank = this.#past ? clearImage() : document.createElement('div');
    L.Util.requestAnimFrame(() => done(undefined, blank));
    return blank;
  }

  /**
   * @param {L.Coords} coords
   * @param {L.DoneCallback} done
   */
  #createPastTile(coords, done) {
    const version = this.#shownVersion(coords);
    const image = lateTile(version.then(({ address }) => address), done);
    version.then(
      ({ isDifferent }) => image.classList.toggle('otherwise', isDifferent),
      () => {},
    );
    return image;
  }

  /** @param {L.Coords} coords */
  #zoomLevel(coords) {
    return coords.z + this.#map.native_zoom;
  }

  /** @param {L.Coords} coords */
  #exists(coords) {
    return this.#files.exists(this.#zoomLevel(coords), coords.x, coords.y);
  }

  /**
   * @override
   * @param {L.Coords} coords
   */
  getTileUrl(coords) {
    return this.#files.addressOf(this.#zoomLevel(coords), coords.x, coords.y);
  }

  /**
   * Returns the address of a tile, or null if the archive lacks it. An archive counts tiles from
   * the north-western corner of the possible world.
   *
   * @param {L.Coords} coords
   */
  async #archiveAddress(coords) {
    const z = this.#zoomLevel(coords);
    const half = Math.pow(2, z - 1);
    try {
      const bytes = await this.#map.archive?.tile(z, coords.x + half, coords.y + half);
      if (!bytes) return null;
      return URL.createObjectURL(new Blob([bytes], { type: `image/${this.#layer.format}` }));
    } catch (error) {
      say(translate('The archive cannot be read'), error.message);
      throw error;
    }
  }

  /**
   * Returns a tile at a moment, or the newest one if the moment is null.
   *
   * @param {L.Coords} coords
   * @param {import('../map/moments.js').ChosenMoment | null} moment
   * @returns {Promise<TileVersion>}
   */
  async #versionAt(coords, moment) {
    const z = this.#zoomLevel(coords);
    if (moment && z > this.#layer.max_zoom) return { address: null, isDifferent: false };

    if (moment) {
      const address = await this.#past?.tile(this.#layer, moment, z, coords.x, coords.y);
      if (address !== undefined) return { address, isDifferent: true };
    }
    const exists = await this.#exists(coords);
    return { address: exists ? this.getTileUrl(coords) : null, isDifferent: false };
  }

  /**
   * Returns a tile at the shown moment. If the page changes to another moment meanwhile, it finds
   * the tile again.
   *
   * @param {L.Coords} coords
   * @returns {Promise<TileVersion>}
   */
  async #shownVersion(coords) {
    for (;;) {
      const moment = this.#past?.moment() ?? null;
      const version = await this.#versionAt(coords, moment);
      if (moment === (this.#past?.moment() ?? null)) return version;
    }
  }

  /** Changes to the moment that the page shows now. */
  showMoment() {
    this.options.maxNativeZoom = this.#innermost();

    const leaflet = /** @type {any} */ (this);
    if (leaflet._clampZoom(leaflet._map.getZoom()) !== leaflet._tileZoom) {
      return new Promise((resolve) => this.redraw().once('load', resolve));
    }
    return Promise.all(Object.values(this.#tiles).map((tile) => this.#changeTile(tile)));
  }

  /** @param {LeafletTile} tile */
  async #changeTile(tile) {
    const { el, coords } = tile;
    const { address, isDifferent } = await this.#shownVersion(coords);
    const source = address ?? CLEAR;
    el.wanted = source;
    el.classList.toggle('otherwise', isDifferent);
    if (el.getAttribute('src') === source) return;

    await pictureAt(source);
    // Another moment may be shown by now, or Leaflet may have dropped the tile.
    if (el.wanted !== source || !el.isConnected) return;
    if (tile.loaded) stopFading(el);
    el.src = source;
  }

  /**
   * Loads the tiles of a moment, so that they can be shown at once.
   *
   * @param {import('../map/moments.js').Moment} moment
   */
  loadAhead(moment) {
    const load = async (/** @type {LeafletTile} */ { coords }) => {
      const { address } = await this.#versionAt(coords, moment);
      return address && pictureAt(address);
    };
    return Promise.all(Object.values(this.#tiles).map(load));
  }

  /**
   * Scales the tiles of a zoom. Leaflet calls this for each zoom whose tiles are shown.
   *
   * @param {{ el: HTMLElement, zoom: number }} level
   * @param {L.LatLng} center
   * @param {number} zoom
   */
  _setZoomTransform(level, center, zoom) {
    /** @type {any} */ (L.TileLayer.prototype)._setZoomTransform.call(this, level, center, zoom);

    // The hatching keeps its step in the window. Browsers round sizes below a pixel.
    const step = HATCHING_STEP * Math.pow(2, level.zoom - zoom);
    level.el.style.setProperty('--hatch-step', `${Math.max(1, step)}px`);
  }

  /**
   * Shows the tiles through a filter of CSS. An empty text removes the filter.
   *
   * @param {string} filter
   */
  setFilter(filter) {
    this.#filter = filter;
    this.getContainer()?.classList.toggle('filtered', filter !== '');
    for (const { el } of Object.values(this.#tiles)) el.style.filter = filter;
  }

  /**
   * Returns the picture of a native tile at the shown moment, or null if the tile is missing.
   *
   * @param {number} x
   * @param {number} y
   */
  async nativePicture(x, y) {
    const coords = /** @type {L.Coords} */ (Object.assign(L.point(x, y), { z: 0 }));
    const address = this.#map.archive
      ? await this.#archiveAddress(coords)
      : (await this.#shownVersion(coords)).address;
    if (!address) return null;

    const response = await fetch(address);
    if (address.startsWith('blob:')) URL.revokeObjectURL(address);
    if (!response.ok) throw new Error(`the host answers ${response.status}`);
    return response.blob();
  }

  /** Returns the zoom level of the tiles that are shown. */
  zoomShown() {
    return /** @type {any} */ (this)._tileZoom + this.#map.native_zoom;
  }

  /**
   * Loads the picture of a tile again if the tile is shown. The old picture stays until then.
   *
   * @param {number} z
   * @param {number} x
   * @param {number} y
   */
  reloadTile(z, x, y) {
    if (this.#past?.moment()) return;
    for (const { el, coords } of Object.values(this.#tiles)) {
      const isSame = this.#zoomLevel(coords) === z && coords.x === x && coords.y === y;
      // A tile that cannot be loaded keeps its picture.
      if (isSame) reloadImage(el, this.getTileUrl(coords)).catch(() => {});
    }
  }
}

function clearImage() {
  const image = document.createElement('img');
  image.alt = '';
  image.src = CLEAR;
  return image;
}

/**
 * Returns a tile whose address is not known yet.
 *
 * @param {Promise<string | null>} promised
 * @param {L.DoneCallback} done
 */
function lateTile(promised, done) {
  const image = clearImage();
  promised
    .then((address) => {
      // Leaflet has dropped the tile.
      if (!image.isConnected) return;
      image.onload = () => finishTile(image, done);
      image.onerror = () => finishTile(image, done, new Error('the picture cannot be read'));
      image.src = address ?? CLEAR;
    })
    .catch((error) => done(error, image));
  return image;
}

/**
 * @param {HTMLImageElement} image
 * @param {L.DoneCallback} done
 * @param {Error} [error]
 */
function finishTile(image, done, error) {
  if (image.src.startsWith('blob:')) URL.revokeObjectURL(image.src);
  done(error, image);
}

/**
 * @param {HTMLImageElement} image
 * @param {string} address
 */
async function reloadImage(image, address) {
  const response = await fetch(address, { cache: 'no-cache' });
  const picture = await response.blob();
  if (!image.isConnected) return;
  stopFading(image);
  image.onload = () => URL.revokeObjectURL(image.src);
  image.src = URL.createObjectURL(picture);
}

/**
 * Keeps Leaflet from fading in a tile's next picture as if the tile were new.
 *
 * @param {HTMLImageElement} image
 */
function stopFading(image) {
  L.DomEvent.off(image);
  image.onload = image.onerror = null;
}
