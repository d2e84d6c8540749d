// @ts-check

/*
 * Shows a map in Leaflet: the chosen dimension and layer, and the view that the address names.
 *
 * `Viewer` decides which dimension, layer and moment are shown, and calls its parts: the tiles, the
 * choices of the panel, the legend, the markers, the time line, the comparison, and the card of the
 * marked place. The parts do not know each other; they get functions of the viewer instead.
 */

import { languageQuery, translate } from '../basics/language.js';
import { byId, inputById, say } from '../basics/page.js';
import { readAddress, viewAddress } from '../map/address.js';
import { columnReader } from '../map/details.js';
import { findDimension, findLayer, hasTiles, sortedDimension } from '../map/layers.js';
import { followDrawing, isLive } from '../map/live.js';
import { everyMinute, followNewerMaps, showUpdate } from '../map/newer.js';
import { arePortalsBetween, arrivalIn, blocksPerBlock, spawnOf } from '../map/portals.js';
import { innermostZoom } from '../map/tile-files.js';
import { MarkerPanel } from '../markers/panel.js';
import { MapChoices, offerWorlds } from './choices.js';
import { Comparison } from './compare.js';
import { Drawing } from './draw.js';
import { showStart, showWhole } from './first-view.js';
import { freeCentre, showCloser, windowCentre } from './free-part.js';
import { gridLayer } from './grid.js';
import { leafletMap } from './leaflet-map.js';
import { Legend } from './legend.js';
import { PlaceCard } from './place-card.js';
import { centreOn, columnAt, layerBounds } from './plane.js';
import { Readings } from './readings.js';
import { TileStack } from './tile-stack.js';
import { Timeline } from './timeline.js';
import { Ruler, goToTyped, offerFullScreen, offerPicture, typedColumn } from './tools.js';

/** Levels further in than the innermost tiles. */
const ZOOM_IN = 5;
/** Levels further out than the outermost tiles, so that a small world can be seen from afar. */
const ZOOM_OUT = 3;

/**
 * A view: the place in the middle of the free part of the window, and the zoom.
 *
 * @typedef {{ center: L.LatLng, zoom: number }} View
 */

/**
 * Returns the dimensions that have tiles.
 *
 * @param {MapFacts} facts
 */
export function drawnDimensions(facts) {
  const dimensions = (facts.dimensions ?? []).map(sortedDimension);
  return dimensions.filter((dimension) => dimension.layers.some(hasTiles));
}

export class Viewer {
  #facts;
  #dimensions;
  /** @type {Dimension} */
  #dimension;
  /** @type {LayerFacts} */
  #layer;
  #hasView = false;
  /**
   * The last view of each dimension.
   *
   * @type {Map<string, View>}
   */
  #views = new Map();
  /** The ids of the overlays that are on, in any dimension. */
  #overlaysOn = new Set();
  /** @type {import('../map/details.js').ColumnReader} */
  #valuesAt = async () => null;
  /**
   * The dimension of the markers that are shown.
   *
   * @type {Dimension | null}
   */
  #markersOf = null;

  /**
   * @param {MapFacts} facts
   * @param {Dimension[]} dimensions the dimensions that have tiles, at least one
   */
  constructor(facts, dimensions) {
    this.#facts = facts;
    this.#dimensions = dimensions;
    [this.#dimension] = dimensions;
    [this.#layer] = this.#dimension.layers;

    const map = leafletMap();
    this.map = map;
    this.tiles = new TileStack(map);
    this.choices = new MapChoices((dimension, layer) => this.#showChoice(dimension, layer));
    this.timeline = new Timeline(map, facts, {
      showMoment: () => this.#showMoment(),
      layers: () => this.tiles.all(),
    });
    this.legend = new Legend(map, {
      layers: () => [[this.#layer, this.tiles.chosen], ...this.tiles.overlays],
      compared: () => this.comparison.layers(),
      changed: () => this.#rewriteAddress(),
      go: (at) => this.#goAndMark(at),
    });
    this.comparison = new Comparison(map);
    this.ruler = new Ruler(map);
    this.markers = new MarkerPanel(map, {
      choose: (marker, isFar, atSamePlace) => {
        if (isFar) this.#goTo(marker);
        this.card.mark(marker, marker, atSamePlace);
      },
      centre: () => freeCentre(map),
      showCloser: (bounds) => showCloser(map, bounds),
    });
    this.drawing = new Drawing(map, {
      dimension: () => this.#dimension.id,
      show: (text) => this.markers.showDrawn(text),
    });
    this.card = new PlaceCard(map, {
      markers: this.markers,
      valuesAt: (at) => this.#valuesAt(at),
      addressAt: (at) => this.#addressAt(at, true),
      writeAddress: (at) => this.#writeAddress(at, { isPinned: true }),
      isBusy: () => this.ruler.isOn || this.drawing.isOn,
    });
    new Readings(map, {
      valuesAt: (at) => this.#valuesAt(at),
      layer: () => this.#layer.id,
    });
  }

  /** Shows the view that the address names, and follows the address and the host from then on. */
  start() {
    this.choices.offerDimensions(this.#dimensions);
    this.#offerTools();
    this.#followMap();
    window.addEventListener('hashchange', () => this.#followAddress());
    this.#followAddress();
    this.#followHost();
  }

  // Tools

  #offerTools() {
    // A page from disk may not read the pixels of its tiles.
    byId('nearest').hidden = location.protocol === 'file:' && !this.#facts.archive;
    goToTyped((text) => this.#goToTyped(text));
    offerPicture(this.map, () => this.#pictureName());
    offerFullScreen();
    showUpdate(new Date(document.lastModified));

    const grid = gridLayer();
    byId('grid').addEventListener('change', () => {
      if (inputById('grid').checked) grid.addTo(this.map);
      else grid.remove();
    });
    byId('whole').addEventListener('click', () => showWhole(this.map, this.#layer));
    // The address names the middle of the part that the panel leaves free.
    byId('fold').addEventListener('click', () => this.#rewriteAddress());
    byId('spawn').addEventListener('click', () => this.#showSpawn());
  }

  /**
   * Goes to the spawn, to a column, or to a marker, and returns whether the text means one of them.
   *
   * @param {string} text
   */
  #goToTyped(text) {
    const isSpawn = text.trim().toLowerCase() === 'spawn';
    const arrival = isSpawn ? arrivalIn(this.#dimension, this.#dimensions) : null;
    const column = arrival ?? typedColumn(text, this.#centre());
    if (column) {
      this.#goAndMark(column);
      return true;
    }

    const marker = this.markers.find(text);
    if (!marker) return false;
    this.#goTo(marker);
    this.card.mark(marker, marker);
    return true;
  }

  #pictureName() {
    const { x, z } = this.#centre();
    return `${this.#dimension.id.replace(/[^\w.-]/g, '_')}-${this.#layer.id}_${x}_${z}.png`;
  }

  #showSpawn() {
    const spawn = spawnOf(this.#dimension);
    if (!spawn) return;
    this.#moveTo(spawn);
    this.card.mark(spawn);
  }

  /** Returns the column in the middle of the free part of the window. */
  #centre() {
    return columnAt(freeCentre(this.map));
  }

  /** @param {Column} at */
  #moveTo(at) {
    this.#setFreeView({ center: centreOn(at), zoom: Math.max(this.map.getZoom(), 0) });
  }

  /**
   * Shows a view in the free part of the window.
   *
   * @param {View} view
   */
  #setFreeView({ center, zoom }) {
    this.map.setView(windowCentre(this.map, center, zoom), zoom, { animate: false });
  }

  /**
   * Moves the view to a place. The browser's back button leads back.
   *
   * @param {Column} at
   */
  #goTo(at) {
    this.#writeAddress(this.#centre(), { isStep: true });
    this.#moveTo(at);
  }

  /** @param {Column} at */
  #goAndMark(at) {
    this.#goTo(at);
    this.card.mark(at);
  }

  #followMap() {
    const { map } = this;
    map.on('moveend', () => this.#writeAddress(this.#centre()));
    map.on('viewreset zoomend', () => {
      // Blocks that are larger than a pixel stay sharp.
      map.getContainer().classList.toggle('crisp', map.getZoom() >= 0);
    });
  }

  // Dimension and layer

  /**
   * Shows a dimension or a layer that the visitor has chosen.
   *
   * @param {string} dimensionId
   * @param {string} [layerId]
   */
  #showChoice(dimensionId, layerId) {
    this.#show(dimensionId, layerId, null);
    this.#writeAddress(this.#centre(), { isStep: true });
  }

  /**
   * Shows a dimension and a layer. If an id does not exist, the present one stays. Without a view
   * the map stays in place, or shows the last view of the dimension.
   *
   * @param {string | undefined} dimensionId
   * @param {string | undefined} layerId
   * @param {View | null} view
   */
  #show(dimensionId, layerId, view) {
    const before = this.#hasView ? this.#dimension : null;
    if (before && !view) this.#rememberView(before);
    this.#dimension = findDimension(this.#dimensions, dimensionId) ?? this.#dimension;
    const isOther = this.#dimension !== before;
    if (isOther) {
      this.#offerLayers();
      this.card.unmark();
    }

    const { layers } = this.#dimension;
    const ids = this.#hasView ? [layerId, this.#layer.id] : [layerId];
    this.#layer = findLayer(this.#dimension, ids) ?? layers[0];
    this.choices.mark(this.#dimension, this.#layer);
    byId('hills').hidden = !this.#dimension.terrain || Boolean(this.#facts.archive);

    this.#showTiles(before, view);
    this.comparison.show({
      facts: this.#facts,
      dimension: this.#dimension,
      layer: this.#layer,
    });
    if (isOther) {
      this.#showOverlays();
      this.#showMarkers();
    } else {
      this.legend.show();
    }
    this.#showEmptyLayer();
  }

  /** @param {Dimension} dimension */
  #rememberView(dimension) {
    this.#views.set(dimension.id, { center: freeCentre(this.map), zoom: this.map.getZoom() });
  }

  /**
   * Shows the tiles of the layer. In the same dimension the earlier tiles stay until the new ones
   * are loaded, so that nothing flickers.
   *
   * @param {Dimension | null} before
   * @param {View | null} view
   */
  #showTiles(before, view) {
    const past = this.timeline.past();
    this.tiles.choose(this.#facts, this.#layer, past, this.#dimension === before);
    this.#valuesAt = columnReader(this.#facts, this.#dimension, past);

    this.#setLimits();
    this.#setView(before, view);
    this.tiles.show();
    // The zoom buttons look at the limits when this event comes.
    this.map.fire('zoomlevelschange');
  }

  /**
   * Sets the limits of the zoom. Leaflet's own functions would start an animation if the view were
   * outside the limits, and the next view would fight it.
   */
  #setLimits() {
    const native = this.#facts.native_zoom;
    this.map.options.minZoom = this.#layer.min_zoom - native - ZOOM_OUT;
    this.map.options.maxZoom = innermostZoom(this.#facts, this.#layer) - native + ZOOM_IN;
  }

  /**
   * @param {Dimension | null} before
   * @param {View | null} view
   */
  #setView(before, view) {
    const { map } = this;
    const isOther = this.#dimension !== before;
    const left = isOther ? this.#views.get(this.#dimension.id) : null;
    const wanted = view ?? (isOther ? this.#viewThroughPortal(before) : null) ?? left;

    if (wanted) {
      this.#setFreeView({ center: wanted.center, zoom: this.#withinLimits(wanted.zoom) });
    } else if (isOther) {
      showStart(map, this.#layer, arrivalIn(this.#dimension, this.#dimensions));
    } else if (map.getZoom() !== this.#withinLimits(map.getZoom())) {
      // Any other call would clear the tiles that are shown, even with the same view.
      map.setZoom(this.#withinLimits(map.getZoom()), { animate: false });
    }
    this.#hasView = true;
  }

  /** @param {number} zoom */
  #withinLimits(zoom) {
    const { minZoom = zoom, maxZoom = zoom } = this.map.options;
    return Math.max(minZoom, Math.min(maxZoom, zoom));
  }

  /**
   * Returns the view of the place to which portals lead from the present view, if that place was
   * drawn.
   *
   * @param {Dimension | null} before
   * @returns {View | null}
   */
  #viewThroughPortal(before) {
    if (!before || !arePortalsBetween(before, this.#dimension)) return null;
    const scale = blocksPerBlock(this.#dimension) / blocksPerBlock(before);
    const { lat, lng } = freeCentre(this.map);
    const center = L.latLng(lat / scale, lng / scale);
    const isDrawn = layerBounds(this.#layer).contains(center);
    return isDrawn ? { center, zoom: this.map.getZoom() } : null;
  }

  #showEmptyLayer() {
    byId('message').hidden = hasTiles(this.#layer);
    if (!hasTiles(this.#layer)) {
      say(translate('Nothing is drawn here'), translate('This layer holds no tiles.'));
    }
  }

  #offerLayers() {
    this.choices.offerLayers(
      this.#dimension,
      (id) => this.#overlaysOn.has(id),
      (id, isOn) => this.#turnOverlay(id, isOn),
    );
  }

  /**
   * @param {string} id
   * @param {boolean} isOn
   */
  #turnOverlay(id, isOn) {
    if (isOn) this.#overlaysOn.add(id);
    else this.#overlaysOn.delete(id);
    this.#showOverlays();
  }

  #showOverlays() {
    const shown = this.#dimension.overlays.filter(({ id }) => this.#overlaysOn.has(id));
    this.tiles.showOverlays(this.#facts, shown, this.timeline.past());
    this.legend.show();
  }

  // Moments and newer maps

  /** Shows the markers of the shown moment. */
  async #showMarkers() {
    const dimension = this.#dimension;
    const moment = this.timeline.moment();
    // Markers of another dimension must not stay until then.
    if (!moment || this.#markersOf !== dimension) this.markers.show(this.#facts, dimension);
    this.#markersOf = dimension;
    if (!moment) return;

    const past = await this.timeline.filesAt(dimension.path, moment);
    const isShown = this.#dimension === dimension && this.timeline.moment() === moment;
    if (isShown) this.markers.show(this.#facts, dimension, past);
  }

  /** Changes the tiles and markers to the moment of the time line. */
  async #showMoment() {
    this.#rewriteAddress();
    this.#showMarkers();
    this.map.fire('moment');
    await Promise.all(this.tiles.all().map((tiles) => tiles.showMoment()));
  }

  /**
   * Shows a newer map instead of this one. The view stays.
   *
   * @param {MapFacts} facts
   * @param {string} version
   */
  #renew(facts, version) {
    const dimensions = drawnDimensions(facts);
    if (dimensions.length === 0) return;

    this.#facts = facts;
    this.#dimensions = dimensions;
    this.timeline.renew(facts, version);
    offerWorlds(facts);
    this.choices.offerDimensions(dimensions);

    const same = findDimension(dimensions, this.#dimension.id);
    if (same) {
      this.#dimension = same;
      this.#offerLayers();
      this.#show(same.id, this.#layer.id, null);
      this.#rewriteAddress();
    } else {
      // The shown dimension is gone, so the map opens as at first.
      [this.#dimension] = dimensions;
      this.#hasView = false;
      this.#show(this.#dimension.id, this.#layer.id, null);
      this.#writeAddress(this.#centre());
    }
    this.#showOverlays();
    this.#showMarkers();
  }

  /** Follows newer maps of the host, and the drawing of a server. */
  #followHost() {
    if (location.protocol === 'file:' || this.#facts.archive) return;
    const look = followNewerMaps((facts, version) => this.#renew(facts, version));
    everyMinute(() => this.markers.lookForChanges());
    if (look && isLive()) followDrawing(this.map, () => this.#liveView(), look);
  }

  /** @returns {import('../map/live.js').LiveView} */
  #liveView() {
    const bounds = this.map.getBounds();
    const area = {
      x0: Math.floor(bounds.getWest()),
      z0: Math.floor(-bounds.getNorth()),
      x1: Math.ceil(bounds.getEast()),
      z1: Math.ceil(-bounds.getSouth()),
    };

    return {
      layer: this.#layer,
      zoom: this.tiles.chosen.zoomShown(),
      area,
      reloadTile: (z, x, y) => this.tiles.chosen.reloadTile(z, x, y),
      showLive: (kind, text, features) => this.markers.showLive(kind, text, features),
    };
  }

  // The address

  /**
   * @param {Column} at
   * @param {boolean} isPinned
   */
  #addressAt(at, isPinned) {
    const parts = this.legend.texts().map((text) => `only=${text}`);
    if (isPinned) parts.unshift('pin');
    const moment = this.timeline.text();
    if (moment) parts.push(`@${moment}`);
    return viewAddress(this.#dimension, this.#layer, at, this.map.getZoom(), parts);
  }

  /**
   * Writes the view into the address.
   *
   * @param {Column} at
   * @param {{ isPinned?: boolean, isStep?: boolean }} [options] the browser's back button undoes a
   * step
   */
  #writeAddress(at, { isPinned = false, isStep = false } = {}) {
    const address = this.#addressAt(at, isPinned);
    try {
      if (isStep && address !== location.hash) history.pushState(null, '', address);
      else history.replaceState(null, '', address);
    } catch {
      // Some browsers limit the changes in a given time. The next move writes the address again.
    }
    /** @type {HTMLAnchorElement} */ (byId('hills')).href =
      `terrain.html${languageQuery}${address}`;
  }

  /** Writes the address again. If it marks a place, it still does afterwards. */
  #rewriteAddress() {
    const { x, z, isPinned } = readAddress(location.hash);
    const isMarked = isPinned && x !== undefined && z !== undefined;
    if (isMarked) this.#writeAddress({ x, z }, { isPinned });
    else this.#writeAddress(this.#centre());
  }

  /** Shows the view that the address names. */
  #followAddress() {
    const wanted = readAddress(location.hash);
    const { x, z } = wanted;
    const isOtherMoment = this.#hasView && this.timeline.text() !== wanted.moment;
    this.timeline.seek(wanted.moment);
    this.legend.choose(wanted.only);

    const at = x === undefined || z === undefined ? null : { x, z };
    const zoom = wanted.zoom ?? (this.#hasView ? this.map.getZoom() : 0);
    const view = at && { center: centreOn(at), zoom: Math.round(zoom) };
    const before = this.#hasView ? this.#dimension : null;
    this.#show(wanted.dimension, wanted.layer, view);

    if (at && wanted.isPinned) {
      this.card.pin(at);
      this.#writeAddress(at, { isPinned: true });
    } else if (this.#dimension === before && !view) {
      // A marked place stays marked.
      this.#rewriteAddress();
    } else {
      this.#writeAddress(this.#centre());
    }
    this.#showChosenOverlay(wanted.only);
    if (isOtherMoment) this.#showMoment();
  }

  /**
   * Turns on the overlay whose legend has entries that the address names.
   *
   * @param {string[]} texts
   */
  #showChosenOverlay(texts) {
    const overlay = this.#dimension.overlays.find(
      (one) =>
        !this.#overlaysOn.has(one.id) &&
        this.legend.textsOf(one).some((text) => texts.includes(text)),
    );
    if (!overlay) return;

    this.#turnOverlay(overlay.id, true);
    this.#offerLayers();
    this.choices.mark(this.#dimension, this.#layer);
    this.#rewriteAddress();
  }
}
