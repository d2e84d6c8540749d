// @ts-check

/*
 * Shows a map draped over its hills in MapLibre: the chosen dimension and layer, the light, and the
 * view that the address names.
 *
 * Zooms in addresses are the zooms of the flat page, where 0 is one block per pixel. The zooms of
 * MapLibre are higher by the native zoom level.
 */

import { languageQuery, translate } from '../basics/language.js';
import { clean } from '../basics/names.js';
import { byId, element, inputById } from '../basics/page.js';
import { choices, coveredWidth, switches } from '../basics/panel.js';
import { readAddress, viewAddress } from '../map/address.js';
import {
  dimensionItems,
  findDimension,
  findLayer,
  layerItems,
  sortedDimension,
} from '../map/layers.js';
import { followDrawing, isLive } from '../map/live.js';
import { followNewerMaps, showUpdate } from '../map/newer.js';
import { markerSources } from '../markers/files.js';
import { collectionOf, featuresOf, isOnAtFirst } from './marker-features.js';
import { shadeAt, shadeVisibility, styleOf, terrainAt } from './style.js';
import { columnOnEarth, onEarth } from './tiles.js';

/** Degrees from above at first. */
const START_TILT = 60;
const MAX_TILT = 80;
/** Levels further in than the native one. */
const ZOOM_IN = 5;
/** Levels further out than the outermost one. */
const ZOOM_OUT = 3;
/** The pixels that stay free around a map that is shown whole. */
const MARGIN = 20;
/** Changed tiles are gathered for this time before all are loaded again. */
const REFRESH_MS = 3000;

/**
 * Returns the dimensions that have hills.
 *
 * @param {MapFacts} facts
 */
export function hillyDimensions(facts) {
  return (facts.dimensions ?? []).map(sortedDimension).filter(({ terrain }) => terrain);
}

export class Hills {
  #facts;
  #dimensions;
  /** @type {Dimension | null} */
  #dimension = null;
  /**
   * The layer on the hills. Without one the hills are plain.
   *
   * @type {LayerFacts | null}
   */
  #layer = null;
  /** The ids of the overlays that are on, in any dimension. */
  #overlaysOn = new Set();
  /**
   * The place that the address marks.
   *
   * @type {Column | null}
   */
  #pin = null;
  /** @type {any[]} */
  #features = [];
  #isStyled = false;
  #refreshTimer = 0;
  #pinMarker = new maplibregl.Marker({ color: '#d8483e' });
  #markDimension = /** @type {(id: string) => void} */ (() => {});
  #markLayer = /** @type {(id: string) => void} */ (() => {});

  /**
   * @param {MapFacts} facts
   * @param {Dimension[]} dimensions the dimensions that have hills, at least one
   */
  constructor(facts, dimensions) {
    this.#facts = facts;
    this.#dimensions = dimensions;
    this.map = mapLibreMap(facts.native_zoom);
    this.map.on('style.load', () => {
      this.#isStyled = true;
    });
  }

  /** Shows the view that the address names, and follows the address and the host from then on. */
  start() {
    this.#offerDimensions();
    this.#listenToLight();
    this.#listenToMap();
    byId('light').addEventListener('change', () => this.#restyle());
    byId('whole').addEventListener('click', () => this.#showWhole());
    window.addEventListener('hashchange', () => this.#followAddress());

    showBusyState(this.map);
    showPose(this.map);
    showCards(this.map);
    this.#showLight();
    showUpdate(new Date(document.lastModified));
    this.#followAddress();
    this.#followHost();
  }

  #listenToMap() {
    const { map } = this;
    map.on('movestart', ({ originalEvent }) => {
      // The visitor leaves the place that the address marks.
      if (originalEvent) this.#pin = null;
    });
    map.on('moveend', () => this.#writeAddress());
    map.on('mousemove', ({ lngLat }) => showPosition(columnOnEarth(lngLat)));
    map.on('move', () => showPosition(columnOnEarth(map.getCenter())));
  }

  #followHost() {
    if (location.protocol === 'file:') return;
    const look = followNewerMaps((facts) => this.#renew(facts));
    if (look && isLive()) followDrawing(this.map, () => this.#liveView(), look);
  }

  // Dimension and layer

  /** Returns the dimension that is shown. */
  #shown() {
    return /** @type {Dimension} */ (this.#dimension);
  }

  /** Returns the heights of the dimension that is shown. */
  #terrain() {
    return /** @type {LayerFacts} */ (this.#shown().terrain);
  }

  #offerDimensions() {
    const items = dimensionItems(this.#dimensions);
    const show = (/** @type {string} */ id) => this.#showChoice(id);
    this.#markDimension = choices(byId('dimensions'), 'dimension', items, show);
  }

  /** Offers the layers and markers of the shown dimension. */
  #offerLayers() {
    const { id, layers, overlays } = this.#shown();
    this.#markLayer = choices(byId('layers'), 'layer', layerItems(layers), (layerId) =>
      this.#showChoice(id, layerId),
    );
    switches(
      byId('overlays'),
      layerItems(overlays),
      (overlay) => this.#overlaysOn.has(overlay),
      (overlay, isOn) => this.#turnOverlay(overlay, isOn),
    );
    this.map.setMinZoom(Math.max(0, this.#terrain().min_zoom - ZOOM_OUT));
    this.#showMarkers();
  }

  /**
   * @param {string} id
   * @param {boolean} isOn
   */
  #turnOverlay(id, isOn) {
    if (isOn) this.#overlaysOn.add(id);
    else this.#overlaysOn.delete(id);
    this.#restyle();
  }

  /**
   * Shows a dimension or a layer that the visitor has chosen.
   *
   * @param {string} dimensionId
   * @param {string} [layerId]
   */
  #showChoice(dimensionId, layerId) {
    const before = this.#dimension;
    this.#show(dimensionId, layerId);
    if (this.#dimension !== before) this.#showWhole();
    this.#writeAddress();
  }

  /**
   * Shows a dimension and a layer. If an id does not exist, the present one stays.
   *
   * @param {string} dimensionId
   * @param {string | undefined} layerId
   */
  #show(dimensionId, layerId) {
    const before = this.#dimension;
    const dimensions = this.#dimensions;
    this.#dimension =
      findDimension(dimensions, dimensionId) ??
      findDimension(dimensions, before?.id) ??
      dimensions[0];
    this.#layer = findLayer(this.#dimension, [layerId, this.#layer?.id]) ?? null;
    if (this.#dimension !== before) this.#offerLayers();
    this.#markDimension(this.#dimension.id);
    this.#markLayer(this.#layer?.id ?? '');
    this.#restyle();
  }

  /** Gives MapLibre the style of the view. MapLibre changes only the parts that differ. */
  #restyle() {
    const dimension = this.#shown();
    const overlays = dimension.overlays.filter(({ id }) => this.#overlaysOn.has(id));
    const view = {
      dimension,
      layer: this.#layer,
      overlays,
      features: this.#features,
      light: chosenLight(),
    };
    this.map.setStyle(styleOf(this.#facts, view), { diff: this.#isStyled });
  }

  /**
   * Shows a newer map instead of this one. The view stays.
   *
   * @param {MapFacts} facts
   */
  #renew(facts) {
    const dimensions = hillyDimensions(facts);
    if (dimensions.length === 0) return;
    this.#facts = facts;
    this.#dimensions = dimensions;
    this.#offerDimensions();
    this.#show(this.#shown().id, this.#layer?.id);
  }

  // Markers

  /** Shows the markers of the dimension, and a switch for each kind. */
  #showMarkers() {
    const dimension = this.#shown();
    const sources = markerSources(this.#facts, dimension);
    const on = new Set(sources.filter(isOnAtFirst).map(({ key }) => key));
    /** @type {Map<string, Promise<any[]>>} */
    const read = new Map();

    const update = async () => {
      const shown = sources.filter(({ key }) => on.has(key));
      for (const source of shown) {
        // A file that cannot be read shows nothing.
        const features = read.get(source.key) ?? featuresOf(source, dimension).catch(() => []);
        read.set(source.key, features);
      }
      const all = await Promise.all(shown.map(({ key }) => read.get(key)));
      if (this.#dimension === dimension) this.#setFeatures(all.flat());
    };

    byId('markers').hidden = sources.length === 0;
    const items = sources.map(({ key, text }) => ({ id: key, text: clean(text, '?') }));
    switches(
      byId('marker-kinds'),
      items,
      (key) => on.has(key),
      (key, isOn) => {
        if (isOn) on.add(key);
        else on.delete(key);
        update();
      },
    );
    this.#features = [];
    update();
  }

  /** @param {any[]} features */
  #setFeatures(features) {
    this.#features = features;
    const source = /** @type {any} */ (this.map.getSource('markers'));
    source?.setData(collectionOf(features));
  }

  // The view and the address

  #showWhole() {
    const { focus, bounds } = this.#terrain();
    const { x0, z0, x1, z1 } = focus ?? bounds;
    const { map } = this;
    map.fitBounds([onEarth(x0, z1), onEarth(x1, z0)], {
      pitch: map.getPitch(),
      bearing: map.getBearing(),
      padding: MARGIN,
      maxZoom: this.#facts.native_zoom + 2,
      animate: false,
    });
  }

  #writeAddress() {
    const { map } = this;
    const at = this.#pin ?? columnOnEarth(map.getCenter());
    const zoom = Math.round((map.getZoom() - this.#facts.native_zoom) * 100) / 100;
    const tilt = Math.round(map.getPitch());
    const turn = Math.round(map.getBearing());

    const parts = [];
    if (this.#pin) parts.push('pin');
    if (tilt !== START_TILT) parts.push(`tilt${tilt}`);
    if (turn !== 0) parts.push(`turn${turn}`);
    const layer = this.#layer ?? this.#terrain();
    const address = viewAddress(this.#shown(), layer, at, zoom, parts);

    try {
      history.replaceState(null, '', address);
    } catch {
      // Some browsers limit the changes in a given time. The next move writes the address again.
    }
    /** @type {HTMLAnchorElement} */ (byId('flat')).href = `index.html${languageQuery}${address}`;
  }

  #followAddress() {
    const wanted = readAddress(location.hash);
    const { map } = this;
    this.#show(wanted.dimension, wanted.layer);
    map.setPitch(wanted.tilt ?? START_TILT);
    map.setBearing(wanted.turn ?? 0);

    const { x, z } = wanted;
    const at = x === undefined || z === undefined ? null : { x, z };
    if (at) {
      const zoom = this.#facts.native_zoom + (wanted.zoom ?? 0);
      map.jumpTo({ center: onEarth(at.x + 0.5, at.z + 0.5), zoom });
    } else {
      this.#showWhole();
    }
    this.#showPin(wanted.isPinned ? at : null);
    this.#writeAddress();
  }

  /** @param {Column | null} pin */
  #showPin(pin) {
    this.#pin = pin;
    if (pin) this.#pinMarker.setLngLat(onEarth(pin.x + 0.5, pin.z + 0.5)).addTo(this.map);
    else this.#pinMarker.remove();
  }

  // A map that is still being drawn

  /**
   * Loads all tiles again, some time after one has changed, because many tiles of several zoom
   * levels are visible.
   */
  #refreshSoon() {
    if (this.#refreshTimer) return;
    this.#refreshTimer = window.setTimeout(() => {
      this.#refreshTimer = 0;
      for (const id of Object.keys(this.map.getStyle().sources)) {
        if (id !== 'markers') this.map.refreshTiles(id);
      }
    }, REFRESH_MS);
  }

  /** @returns {import('../map/live.js').LiveView} */
  #liveView() {
    const { map } = this;
    const terrain = this.#terrain();
    const bounds = map.getBounds();
    const first = columnOnEarth(bounds.getNorthWest());
    const last = columnOnEarth(bounds.getSouthEast());

    // A request for a native tile waits until the tile is drawn, so news of it would be useless.
    const innermost = this.#facts.native_zoom - 1;
    const zoom = Math.max(terrain.min_zoom, Math.min(innermost, Math.round(map.getZoom())));
    return {
      layer: terrain,
      zoom,
      area: { x0: first.x, z0: first.z, x1: last.x + 1, z1: last.z + 1 },
      reloadTile: () => this.#refreshSoon(),
    };
  }

  // The light

  #listenToLight() {
    byId('exaggeration').addEventListener('input', () => this.#relight());
    byId('hour').addEventListener('input', () => this.#relight());
    byId('shade').addEventListener('change', () => this.#relight());
  }

  #showLight() {
    const { hour, exaggeration } = chosenLight();
    const minutes = Math.round(hour * 60);
    const minute = String(minutes % 60).padStart(2, '0');
    byId('clock-time').textContent = `${Math.floor(minutes / 60)}:${minute}`;
    byId('times').textContent = `${exaggeration}×`;
  }

  #relight() {
    this.#showLight();
    const { map } = this;
    if (!map.getLayer('shade')) return;

    const light = chosenLight();
    for (const [name, value] of Object.entries(shadeAt(light))) {
      map.setPaintProperty('shade', /** @type {any} */ (name), value);
    }
    map.setLayoutProperty('shade', 'visibility', shadeVisibility(light));
    map.setTerrain(terrainAt(light));
  }
}

/**
 * Makes the map of MapLibre with its buttons.
 *
 * @param {number} native the native zoom level
 */
function mapLibreMap(native) {
  const map = new maplibregl.Map({
    container: 'map',
    pitch: START_TILT,
    maxPitch: MAX_TILT,
    maxZoom: native + ZOOM_IN,
    renderWorldCopies: false,
    attributionControl: false,
    // This filter would blur the blocks of tilted tiles, and end each tile with a seam.
    anisotropicFilterPitch: 90,
    locale: {
      'Map.Title': translate('Map'),
      'NavigationControl.ZoomIn': translate('Zoom in'),
      'NavigationControl.ZoomOut': translate('Zoom out'),
    },
  });

  map.addControl(new maplibregl.NavigationControl({ visualizePitch: true }), 'top-left');
  const attribution = { customAttribution: 'pixelmap, MapLibre', compact: false };
  map.addControl(new maplibregl.AttributionControl(attribution), 'bottom-right');

  leavePanelFree(map);
  map.on('error', ({ error }) => {
    // A tile that does not exist is not a fault.
    if (/** @type {any} */ (error)?.status !== 404) console.warn(error?.message);
  });
  return map;
}

/**
 * Keeps the middle of the map in the middle of the part of the window that the panel leaves free.
 *
 * @param {import('maplibre-gl').Map} map
 */
function leavePanelFree(map) {
  const pad = () => map.setPadding({ top: 0, right: coveredWidth(), bottom: 0, left: 0 });
  byId('fold').addEventListener('click', pad);
  map.on('resize', pad);
  pad();
}

/**
 * Marks the map as busy for screen readers while tiles are loaded.
 *
 * @param {import('maplibre-gl').Map} map
 */
function showBusyState(map) {
  const set = (/** @type {boolean} */ isBusy) =>
    byId('map').setAttribute('aria-busy', String(isBusy));
  map.on('dataloading', () => set(true));
  map.on('movestart', () => set(true));
  map.on('idle', () => set(false));
}

/**
 * Turns and tilts the map by sliders.
 *
 * @param {import('maplibre-gl').Map} map
 */
function showPose(map) {
  byId('tilt').addEventListener('input', () => map.setPitch(numberOf('tilt')));
  byId('turn').addEventListener('input', () => map.setBearing(numberOf('turn')));
  const show = () => {
    inputById('tilt').value = String(map.getPitch());
    inputById('turn').value = String(map.getBearing());
  };
  map.on('pitch', show);
  map.on('rotate', show);
  show();
}

/**
 * Shows the card of a marker on which the visitor clicks.
 *
 * @param {import('maplibre-gl').Map} map
 */
function showCards(map) {
  const cursor = (/** @type {string} */ name) => {
    map.getCanvas().style.cursor = name;
  };
  map.on('click', 'points', ({ features }) => {
    if (features?.[0]) showCard(map, features[0]);
  });
  map.on('mouseenter', 'points', () => cursor('pointer'));
  map.on('mouseleave', 'points', () => cursor(''));
}

/**
 * @param {import('maplibre-gl').Map} map
 * @param {any} feature
 */
function showCard(map, { geometry, properties }) {
  const { x, z } = columnOnEarth(maplibregl.LngLat.convert(geometry.coordinates));
  const card = element('div');
  const words = `${properties.words}\nx ${x}, z ${z}`;
  card.append(element('b', '', properties.name), element('p', '', words));
  new maplibregl.Popup({ maxWidth: '280px', closeButton: false })
    .setLngLat(geometry.coordinates)
    .setDOMContent(card)
    .addTo(map);
}

/** @param {Column} column */
function showPosition({ x, z }) {
  byId('position').textContent = `x ${x}, z ${z}`;
}

/** @param {string} id */
function numberOf(id) {
  return Number(inputById(id).value);
}

/**
 * Returns the light that the visitor has chosen.
 *
 * @returns {import('./style.js').Light}
 */
function chosenLight() {
  const isShaded = inputById('shade').checked;
  return { exaggeration: numberOf('exaggeration'), hour: numberOf('hour'), isShaded };
}
