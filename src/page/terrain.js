/* The page of hills: drapes the map that map.js describes over its heights.
 *
 * A plain script for the same reason as viewer.js. It needs MapLibre (`maplibregl`) and the global `PIXELMAP` of map.js, and
 * shows in words where one of them, or WebGL, is missing. Nothing of map.js is ever put into the page as HTML.
 *
 * Positions are those of terrain-tiles.js. Zooms in addresses are those of the flat page: 0 is one block a pixel; MapLibre
 * counts the native zoom level more.
 */

import { readAddress, writeAddressOf } from './address.js';
import { languageQuery, translate, translatePage } from './language.js';
import { followDrawing, isLive } from './live.js';
import { sourcesOf } from './marker-data.js';
import { followNewerMaps } from './newer.js';
import { choices, clean, foldPanel, layerName, say, switches } from './panel.js';
import { collection, featuresOf, groundAt, isOnAtFirst, shadeAt, styleOf, visibility } from './terrain-style.js';
import { blockAt, onEarth, openTiles } from './terrain-tiles.js';
import { holdsTiles, sorted } from './tiles.js';
import { showUpdate, theme } from './tools.js';

const TILT = 60; // degrees from above, at first
const MAX_TILT = 80;
const ZOOM_IN = 5; // levels past the native one
const ZOOM_OUT = 3; // levels past the outermost one
const REFRESH = 3000; // milliseconds for which changed tiles are gathered

const byId = (id) => document.getElementById(id);
const number = (id) => Number(byId(id).value);

/** The dimensions that have hills. */
const hilly = (facts) => (facts.dimensions || []).map(sorted).filter((dimension) => dimension.heights);

/** Says why there are no hills to show, or returns whether there are some. */
function checked(facts) {
  if (!facts) {
    say(translate('No map here yet'), translate('There is no map.js beside this page. It is written when a render finishes: reload then.'));
  } else if (facts.format !== 1) {
    say(translate('This page is older than its map'), translate('The map was drawn by another version of pixelmap. Reload the page; if that does not help, render again.'));
  } else if (hilly(facts).length === 0) {
    say(translate('No hills are drawn'), translate('This map has no layer terrain. Render it with -l terrain beside the other layers.'));
  } else if (!hasWebGL()) {
    say(translate('No hills in this browser'), translate('They need WebGL, which this browser does not have, or which is switched off.'));
  } else {
    return true;
  }
  return false;
}

function hasWebGL() {
  const canvas = document.createElement('canvas');
  return !!(canvas.getContext('webgl2') || canvas.getContext('webgl'));
}

/** Asks for the folder of the map: a page from disk may read no file that nobody has chosen. */
function askForFolder(take) {
  say(translate('Choose the folder of this map'), translate('A page from disk may not read heights by itself. Choose the folder in which this page is; nothing of it leaves this computer.'));
  byId('message-folder').hidden = false;
  byId('folder').addEventListener('change', ({ currentTarget: { files } }) => {
    const isOurs = [...files].some((file) => /^[^/]*\/terrain\.html$/.test(file.webkitRelativePath));
    if (!isOurs) {
      byId('message-title').textContent = translate('This is another folder');
      return;
    }
    byId('message').hidden = byId('message-folder').hidden = true;
    take(files);
  });
}

/** Turns and tilts the map by sliders, which show how it is held. */
function showPose(map) {
  byId('tilt').addEventListener('input', () => map.setPitch(number('tilt')));
  byId('turn').addEventListener('input', () => map.setBearing(number('turn')));
  const show = () => {
    byId('tilt').value = map.getPitch();
    byId('turn').value = map.getBearing();
  };
  map.on('pitch', show);
  map.on('rotate', show);
  show();
}

/** Shows the card of a marker that is clicked on. */
function showCards(map) {
  const element = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
  map.on('click', 'points', ({ features: [{ geometry, properties }] }) => {
    const at = blockAt(maplibregl.LngLat.convert(geometry.coordinates));
    const card = document.createElement('div');
    card.append(element('b', properties.name), element('p', `${properties.words}\nx ${at.x}, z ${at.z}`));
    new maplibregl.Popup({ maxWidth: '280px', closeButton: false }).setLngLat(geometry.coordinates).setDOMContent(card).addTo(map);
  });
  map.on('mouseenter', 'points', () => { map.getCanvas().style.cursor = 'pointer'; });
  map.on('mouseleave', 'points', () => { map.getCanvas().style.cursor = ''; });
}

function showPosition({ x, z }) {
  byId('position').textContent = `x ${x}, z ${z}`;
}

/** Builds the map and its panel, and follows the address from then on. */
function open(firstFacts) {
  let facts = firstFacts;
  let dimensions = hilly(facts);
  let dimension = null;
  let layer = null; // null: there are heights alone
  let pin = null; // the place that the address marks
  let features = []; // the markers that are shown
  let isStyled = false;
  let showLayer = () => {};
  const turnedOn = new Set(); // the ids of the layers to lie over it that are wanted

  const native = facts.native_zoom;
  const map = new maplibregl.Map({
    container: 'map', pitch: TILT, maxPitch: MAX_TILT, maxZoom: native + ZOOM_IN, renderWorldCopies: false, attributionControl: false,
    // It would blur the blocks of tilted tiles, and end each tile with a seam.
    anisotropicFilterPitch: 90,
  });
  map.addControl(new maplibregl.NavigationControl({ visualizePitch: true }), 'top-left');
  map.addControl(new maplibregl.AttributionControl({ customAttribution: 'pixelmap, MapLibre', compact: false }), 'bottom-right');
  // A tile that is not there is none of its errors.
  map.on('error', ({ error }) => { if (!error || error.status !== 404) console.warn(error && error.message); });
  map.on('style.load', () => { isStyled = true; });
  const mark = new maplibregl.Marker({ color: '#d8483e' });

  // -- What is shown

  const light = () => ({ exaggeration: number('exaggeration'), hour: number('hour'), isShaded: byId('shade').checked });

  /** Hands over to MapLibre what is shown. It changes only what is otherwise than before. */
  function restyle() {
    const over = dimension.overlays.filter(({ id }) => turnedOn.has(id));
    map.setStyle(styleOf(facts, { dimension, layer, over, features, light: light() }), { diff: isStyled });
  }

  /** Changes over to a dimension and layer; ids that do not exist give the nearest that do. */
  function show(dimensionId, layerId) {
    const before = dimension;
    dimension = dimensions.find((d) => d.id === dimensionId) || dimensions.find((d) => before && d.id === before.id) || dimensions[0];
    const wished = [layerId, layer && layer.id].map((id) => dimension.layers.find((l) => l.id === id)).find(Boolean);
    layer = wished || dimension.layers.find(holdsTiles) || null;
    if (dimension !== before) showChoices();
    showDimension(dimension.id);
    showLayer(layer ? layer.id : '');
    restyle();
  }

  /** Offers the layers and markers of the dimension that is shown. */
  function showChoices() {
    const items = (layers) => layers.map((l) => ({ id: l.id, text: layerName(l) }));
    showLayer = choices(byId('layers'), 'layer', items(dimension.layers), (id) => change(dimension.id, id));
    switches(byId('overlays'), items(dimension.overlays), (id) => turnedOn.has(id), (id, on) => {
      if (on) turnedOn.add(id);
      else turnedOn.delete(id);
      restyle();
    });
    map.setMinZoom(Math.max(0, dimension.heights.min_zoom - ZOOM_OUT));
    showMarkers();
  }

  /** Changes what is shown on demand. */
  function change(dimensionId, layerId) {
    const before = dimension;
    show(dimensionId, layerId);
    if (dimension !== before) wholeView();
    writeAddress();
  }

  const offerDimensions = () => choices(byId('dimensions'), 'dimension', dimensions.map((d) => ({ id: d.id, text: translate(clean(d.name, d.id)) })), (id) => change(id));
  let showDimension = offerDimensions();

  /** Shows a newer map in the place of this one, where it is looked at. */
  function renew(newer) {
    if (hilly(newer).length === 0) return;
    facts = newer;
    dimensions = hilly(facts);
    showDimension = offerDimensions();
    show(dimension.id, layer && layer.id);
  }

  // -- Markers

  /** The kinds that are on, and the switches of all kinds. */
  function showMarkers() {
    const now = dimension;
    const sources = sourcesOf(facts, dimension);
    const on = new Set(sources.filter(isOnAtFirst).map(({ key }) => key));
    const read = new Map();
    const update = async () => {
      const all = await Promise.all(sources.filter(({ key }) => on.has(key)).map((source) => {
        if (!read.has(source.key)) read.set(source.key, featuresOf(source, now).catch(() => []));
        return read.get(source.key);
      }));
      if (dimension !== now) return;
      features = all.flat();
      const shown = map.getSource('markers');
      if (shown) shown.setData(collection(features));
    };
    byId('markers').hidden = sources.length === 0;
    switches(byId('marker-kinds'), sources.map(({ key, text }) => ({ id: key, text: clean(text, '?') })), (key) => on.has(key), (key, isOn) => {
      if (isOn) on.add(key);
      else on.delete(key);
      update();
    });
    features = [];
    update();
  }

  // -- View and address

  /** Shows the main part of the map. */
  function wholeView() {
    const { x0, z0, x1, z1 } = dimension.heights.focus || dimension.heights.bounds;
    map.fitBounds([onEarth(x0, z1), onEarth(x1, z0)], { pitch: map.getPitch(), bearing: map.getBearing(), padding: 20, maxZoom: native + 2, animate: false });
  }

  function writeAddress() {
    const at = pin || blockAt(map.getCenter());
    const zoom = Math.round((map.getZoom() - native) * 100) / 100;
    const [tilt, turn] = [map.getPitch(), map.getBearing()].map(Math.round);
    const more = [pin && 'pin', tilt !== TILT && `tilt${tilt}`, turn !== 0 && `turn${turn}`].filter(Boolean);
    const address = writeAddressOf(dimension, layer || dimension.heights, at, zoom, more);
    try {
      history.replaceState(null, '', address);
    } catch (_) {
      // Some browsers allow only so many changes in a time; the next move writes it again.
    }
    byId('flat').href = `index.html${languageQuery}${address}`;
  }

  function followAddress() {
    const to = readAddress(location.hash);
    show(to.dimension, to.layer);
    map.setPitch(to.tilt === undefined ? TILT : to.tilt);
    map.setBearing(to.turn || 0);
    const isPlaced = to.x !== undefined && to.z !== undefined;
    if (isPlaced) map.jumpTo({ center: onEarth(to.x + .5, to.z + .5), zoom: native + (to.zoom === undefined ? 0 : to.zoom) });
    else wholeView();
    pin = isPlaced && to.isPinned ? { x: to.x, z: to.z } : null;
    if (pin) mark.setLngLat(onEarth(pin.x + .5, pin.z + .5)).addTo(map);
    else mark.remove();
    writeAddress();
  }

  // -- A map that is drawn while it is looked at

  let refreshing = 0;

  /** Takes all tiles anew, some time after one has changed: many are seen, of several zoom levels. */
  function refresh() {
    if (refreshing) return;
    refreshing = setTimeout(() => {
      refreshing = 0;
      Object.keys(map.getStyle().sources).filter((id) => id !== 'markers').forEach((id) => map.refreshTiles(id));
    }, REFRESH);
  }

  /** What is seen of the map, for a server that draws it first. */
  function seen() {
    const bounds = map.getBounds();
    const [first, last] = [bounds.getNorthWest(), bounds.getSouthEast()].map(blockAt);
    // Of native tiles there would be no news: a request waits until its tile is drawn.
    const zoom = Math.max(dimension.heights.min_zoom, Math.min(native - 1, Math.round(map.getZoom())));
    return { layer: dimension.heights, zoom, area: { x0: first.x, z0: first.z, x1: last.x + 1, z1: last.z + 1 }, takeAnew: refresh };
  }

  // -- Light

  function showLight() {
    const minutes = Math.round(number('hour') * 60);
    byId('clock-time').textContent = `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
    byId('times').textContent = `${number('exaggeration')}×`;
  }

  function relight() {
    showLight();
    if (!map.getLayer('shade')) return;
    Object.entries(shadeAt(light())).forEach(([name, value]) => map.setPaintProperty('shade', name, value));
    map.setLayoutProperty('shade', 'visibility', visibility(light()));
    map.setTerrain(groundAt(light()));
  }

  const isBusy = (is) => () => byId('map').setAttribute('aria-busy', String(is));
  map.on('dataloading', isBusy(true));
  map.on('movestart', isBusy(true));
  map.on('idle', isBusy(false));

  byId('exaggeration').addEventListener('input', relight);
  byId('hour').addEventListener('input', relight);
  byId('shade').addEventListener('change', relight);
  byId('light').addEventListener('change', restyle);
  byId('whole').addEventListener('click', wholeView);
  map.on('movestart', ({ originalEvent }) => { if (originalEvent) pin = null; });
  map.on('moveend', writeAddress);
  map.on('mousemove', ({ lngLat }) => showPosition(blockAt(lngLat)));
  map.on('move', () => showPosition(blockAt(map.getCenter())));
  window.addEventListener('hashchange', followAddress);
  showPose(map);
  showCards(map);
  showLight();
  showUpdate(new Date(document.lastModified));
  followAddress();
  if (location.protocol === 'file:') return;
  const look = followNewerMaps(renew);
  // The server of a world adds a script.
  if (look && isLive()) followDrawing(map, seen, look);
}

/** Shows the map of these facts, if they are there and there are hills. */
function start(facts) {
  const isThere = checked(facts);
  byId('panel').hidden = byId('status').hidden = true;
  byId('message-flat').href = `index.html${languageQuery}${location.hash}`;
  if (facts) document.title = byId('name').textContent = clean(facts.name, translate('Minecraft world'));
  if (!isThere) return;
  const take = (files) => {
    byId('panel').hidden = byId('status').hidden = false;
    openTiles(files);
    open(facts);
  };
  if (location.protocol === 'file:') askForFolder(take);
  else take(null);
}

translatePage();
foldPanel();
theme();
start(typeof PIXELMAP === 'undefined' ? null : PIXELMAP);
