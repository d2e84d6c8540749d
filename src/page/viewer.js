/* The viewer: shows the map that map.js describes.
 *
 * A plain script and no module, because browsers load no modules from file://. It needs Leaflet (`L`) and the global
 * `PIXELMAP` of map.js, or an archive (pmtiles.js), and tells in words where one of them is missing. Nothing of map.js
 * is ever put into the page as HTML: names of worlds and dimensions come from players.
 *
 * Positions and zooms are those of tiles.js.
 */

import { FAR, decoded, readAddress, typedAddress, writeAddressOf } from './address.js';
import { openComparison } from './compare.js';
import { CLOSE, chunkTexts, columnTexts, detailsOf } from './details.js';
import { openDrawing } from './draw.js';
import { languageQuery, translate, translatePage } from './language.js';
import { openLegend } from './legend.js';
import { followDrawing, isLive } from './live.js';
import { openMarkers } from './marker-panel.js';
import { openMoments } from './moments.js';
import { everyMinute, followNewerMaps } from './newer.js';
import { choices, clean, copy, foldPanel, layerName, list, say, switches } from './panel.js';
import { addressSource, fileSource, readArchive } from './pmtiles.js';
import { CHUNK, REGION, centreOn, column, gridLayer, holdsTiles, innermost, mainBounds, middle, planeBounds, sorted, tileLayer } from './tiles.js';
import { blocksText, fullScreen, goTo, measure, placeOf, saveView, showUpdate, theme } from './tools.js';

const ZOOM_IN = 5; // levels past the native one: a block is 32 pixels wide
const ZOOM_OUT = 3; // levels past the outermost one, so that a small world can be seen from afar
const START_ZOOM = -2; // where a world too large to be shown whole opens
const MARGIN = 8; // pixels left free around a map shown whole
const BUTTONS = 6; // more choices than these are a list
const SHRUNK = { the_nether: 8 }; // blocks of the overworld that one block stands for

const byId = (id) => document.getElementById(id);

// ---- What is shown: the facts of map.js, or an archive ---------------------------------------------------------

/** Says why there is nothing to show, or returns the map's facts. */
function checked(facts) {
  if (!facts) {
    say(translate('No map here yet'), translate('There is no map.js beside this page. It is written when a render finishes: reload then.'));
  } else if (facts.format !== 1) {
    say(translate('This page is older than its map'), translate('The map was drawn by another version of pixelmap. Reload the page; if that does not help, render again.'));
  } else {
    return facts;
  }
  return null;
}

/** Asks for the archive: a page from disk may read no file that nobody has chosen. */
function askForFile(title, text) {
  say(title, text);
  byId('message-file').hidden = false;
}

/** Opens what is chosen or dropped, until something is shown. */
function takeFiles() {
  const take = (file) => file && openArchive(fileSource(file));
  byId('file').addEventListener('change', (event) => take(event.currentTarget.files[0]));
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    if (!byId('message-file').hidden) take(event.dataTransfer.files[0]);
  });
}

/** Shows the archive of a source, or says why it cannot be shown. */
function openArchive(source) {
  readArchive(source).then((archive) => {
    const known = archive.metadata.pixelmap;
    if (!known) throw new Error('It is no map of pixelmap.');
    byId('message').hidden = byId('message-file').hidden = true;
    start(Object.assign({}, known, { archive }));
  }).catch((error) => askForFile(translate('This archive cannot be shown'), error.message));
}

/** Shows the archive that the address or the page names; says whether one is named. */
function namedArchive() {
  const asked = new URLSearchParams(location.search).get('pmtiles');
  const own = typeof PIXELMAP_ARCHIVE === 'undefined' ? null : encodeURIComponent(PIXELMAP_ARCHIVE);
  if (asked === null && own === null) return false;
  const address = typedAddress(asked === null ? own : asked);
  takeFiles();
  if (!address) {
    askForFile(translate('This archive cannot be shown'), translate('{text} is not an address: write ?pmtiles= with the address of the archive, or choose the file.', { text: clean(asked, '?pmtiles=') }));
    return true;
  }
  const last = address.pathname.split('/').pop();
  const name = clean(decoded(last, last), translate('the archive'));
  if (location.protocol === 'file:') askForFile(translate('Open the map'), translate('Choose {name} or drop it here: a page from disk may not read it by itself.', { name }));
  else if (address.origin !== location.origin) askForFile(translate('This archive cannot be shown'), translate('It lies on another host than this page.'));
  else openArchive(addressSource(address.href));
  return true;
}

// ---- The page --------------------------------------------------------------------------------------------------

/** Puts a column into words: position, chunk and region file. */
function describe(element, at) {
  const [b, chunk, region] = ['b', 'i', 'i'].map((tag) => document.createElement(tag));
  b.textContent = `x ${at.x}, z ${at.z}`;
  chunk.textContent = translate('chunk {at}', { at: `[${Math.floor(at.x / CHUNK)}, ${Math.floor(at.z / CHUNK)}]` });
  region.textContent = `r.${Math.floor(at.x / REGION)}.${Math.floor(at.z / REGION)}`;
  element.textContent = '';
  element.append(b, chunk, region);
}

/** Lets a click mark a place or a marker: a dot on the map and a card with its position and what can be copied of it. */
function markedPlace(map, markers, valuesAt, addressAt, writeAddress, isBusy) {
  const dot = L.circleMarker([0, 0], { radius: 6, weight: 2.5, color: '#fff', fillColor: '#d8483e', fillOpacity: 1, interactive: false });
  let marked = null;
  let asked = null; // the values of its column that are awaited

  /** `marker` is the one that is there, `others` are those at the same place. */
  function pin(at, marker, others) {
    marked = at;
    if (marker) dot.remove();
    else dot.setLatLng(middle(at.x, at.z)).addTo(map);
    markers.choose(marker || null);
    markers.fill(byId('place-marker'), marker, others);
    describe(byId('place-position'), at);
    if (marker) byId('place-position').firstChild.textContent = markers.placeOf(marker);
    byId('place-details').hidden = true;
    tell(at, marker ? Promise.resolve(null) : valuesAt(at));
    byId('place').hidden = false;
  }

  /** Adds what stands at the place, once that is known. */
  async function tell(at, promised) {
    asked = promised;
    const values = await promised;
    if (asked !== promised) return;
    byId('place-details').hidden = !values;
    if (!values) return;
    at.y = values.y + 1; // where a player stands
    const ofChunk = translate('Chunk {version}, {inhabited}.', chunkTexts(values));
    byId('place-details').textContent = `${columnTexts(values).join(' \u00b7 ')}. ${ofChunk}`;
  }
  map.on('moment', () => map.hasLayer(dot) && tell(marked, valuesAt(marked)));

  function mark(at, marker, others) {
    pin(at, marker, others);
    // Until the map moves, the address names the place itself.
    writeAddress(at, true);
  }

  function unmark() {
    marked = asked = null;
    dot.remove();
    markers.choose(null);
    byId('place').hidden = true;
  }

  byId('copy-link').addEventListener('click', (event) => {
    copy(event.currentTarget, location.href.replace(/#.*$/, '') + addressAt(marked));
  });
  byId('copy-command').addEventListener('click', (event) => {
    copy(event.currentTarget, `/tp @s ${marked.x} ${Number.isFinite(marked.y) ? marked.y : '~'} ${marked.z}`);
  });
  byId('unmark').addEventListener('click', () => {
    unmark();
    map.getContainer().focus();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && marked) unmark();
  });

  // A double click zooms; the first of its two clicks must not mark a place.
  let waiting = 0;
  map.on('click', (event) => {
    clearTimeout(waiting);
    if (event.originalEvent.detail > 1 || isBusy() || markers.press(event.containerPoint)) return;
    waiting = setTimeout(() => mark(column(event.latlng)), 220);
  });
  map.on('dblclick', () => clearTimeout(waiting));
  return { pin, mark, unmark };
}

/** Keeps the coordinates, what stands there, and the scale bar up to date. `layerOf` is the layer that is shown. */
function showReadings(map, valuesAt, layerOf) {
  let pointer = null; // where the mouse rests, in pixels of the map
  let waiting = 0;

  // Without a mouse (phones, keyboard) the coordinates are those of the middle of the map.
  function showPosition() {
    const at = column(pointer ? map.containerPointToLatLng(pointer) : map.getCenter());
    describe(byId('position'), at);
    clearTimeout(waiting);
    // A pointer that only passes asks for nothing.
    waiting = setTimeout(() => showValues(at), 60);
  }

  async function showValues(at) {
    const now = waiting;
    const values = map.getZoom() < CLOSE ? null : await valuesAt(at);
    if (now !== waiting) return;
    byId('under').hidden = !values;
    if (!values) return;
    const ofChunk = chunkTexts(values)[layerOf()];
    byId('under').textContent = columnTexts(values).concat(ofChunk || []).join(' \u00b7 ');
  }

  function showScale() {
    const scale = Math.pow(2, map.getZoom());
    const most = 110 / scale;
    const power = Math.pow(10, Math.floor(Math.log10(most)));
    const blocks = Math.max(1, [5, 2, 1].find((n) => n * power <= most) * power);
    byId('scale-bar').style.width = `${Math.round(blocks * scale)}px`;
    byId('scale-text').textContent = blocksText(blocks);
  }

  if (window.matchMedia('(hover: hover)').matches) {
    map.on('mousemove', (event) => {
      pointer = event.containerPoint;
      showPosition();
    });
    map.on('mouseout', () => {
      pointer = null;
      showPosition();
    });
  }
  map.on('move moment', showPosition);
  map.on('viewreset zoomend', showScale);
}

/** A choice among dimensions or worlds, in buttons as long as they are few; returns what `choices` returns. */
function anyChoice(name, items, choose) {
  const fieldset = byId(`${name}s`);
  return items.length > BUTTONS ? list(fieldset, items, choose) : choices(fieldset, name, items, choose);
}

/** Offers the named maps, of which this is one, if there are any. */
function showWorlds(facts) {
  const worlds = Array.isArray(facts.worlds) ? facts.worlds : [];
  const own = worlds.findIndex((world) => world.this);
  const items = worlds.map((world, at) => ({ id: String(at), text: clean(world.name, '?') }));
  const showWorld = anyChoice('world', items, (id) => {
    // Going back leads to the page as it was left.
    showWorld(String(own));
    location.href = `${worlds[id].path.split('/').map(encodeURIComponent).join('/')}index.html${languageQuery}`;
  });
  showWorld(String(own));
}

/** Builds the map and its panel, and follows the address from then on. */
function open(facts) {
  const drawn = (known) => (known.dimensions || []).map(sorted).filter((dimension) => dimension.layers.some(holdsTiles));
  let dimensions = drawn(facts);
  if (dimensions.length === 0) {
    byId('status').hidden = true;
    // Other worlds may be drawn.
    for (const part of byId('settings').children) part.hidden = part.hidden || part.id !== 'worlds';
    if (byId('worlds').hidden) byId('settings').hidden = byId('fold').hidden = true;
    say(translate('Nothing is drawn yet'), translate('This map holds no tiles to look at.'));
    return;
  }
  const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  const map = L.map('map', {
    crs: L.CRS.Simple,
    attributionControl: false,
    zoomControl: false,
    zoomAnimation: !calm,
    fadeAnimation: !calm,
    inertia: !calm,
    // Below the plane's far side, where a hasty throw could lose the map for good.
    maxBounds: [[-FAR, -FAR], [FAR, FAR]],
  });
  L.control.zoom({ position: 'topleft', zoomInTitle: translate('Zoom in'), zoomOutTitle: translate('Zoom out') }).addTo(map);
  L.control.attribution({ prefix: false }).addAttribution('pixelmap').addTo(map);

  let dimension = null;
  let layer = null;
  let tiles = null;
  let valuesAt = async () => null; // what the map tells of a column beside its pixels
  const under = []; // the tiles that were shown before, until the new ones are there
  let showLayer = () => {};
  const views = new Map(); // the last view of each dimension
  const over = []; // the layers that are laid over it
  let shownMarkers = null; // the dimension of the markers that are shown
  const turnedOn = new Set(); // the ids of those that are wanted, whatever the dimension

  const spawnOf = (d) => (Array.isArray(d.spawn) ? { x: d.spawn[0], z: d.spawn[2] } : null);
  const shrunk = (d) => SHRUNK[d.id] || 1;
  /** Whether portals lead from one to the other, to the same place by their scales. */
  const areLinked = (a, b) => [a, b].every((d) => d.id === 'overworld' || SHRUNK[d.id]);

  /** Where players come to: the spawn, or the place that portals beside the overworld's spawn lead to. */
  function arrivalAt(d) {
    const home = dimensions.find((other) => spawnOf(other) && areLinked(other, d));
    const spawn = spawnOf(d) || (home && spawnOf(home));
    const scale = spawnOf(d) || !home ? 1 : shrunk(d) / shrunk(home);
    return spawn && { x: Math.floor(spawn.x / scale), z: Math.floor(spawn.z / scale) };
  }

  /** The place of this view in a dimension that portals lead to, if something is drawn there. */
  function viewThrough(before) {
    if (!before || !areLinked(before, dimension)) return null;
    const scale = shrunk(dimension) / shrunk(before);
    const from = map.getCenter();
    const center = L.latLng(from.lat / scale, from.lng / scale);
    return planeBounds(layer).contains(center) ? { center, zoom: map.getZoom() } : null;
  }

  /** Shows a small map whole. In a large one that would be specks: it opens at the spawn, if that was drawn. */
  function startView() {
    const bounds = mainBounds(layer);
    const spawn = arrivalAt(dimension);
    const zoom = map.getBoundsZoom(bounds, false, L.point(2 * MARGIN + covered(), 2 * MARGIN));
    if (zoom < START_ZOOM && spawn && planeBounds(layer).contains(middle(spawn.x, spawn.z))) map.setView(centreOn(spawn.x, spawn.z), START_ZOOM);
    else wholeView();
  }

  const overlaysOn = () => dimension.overlays.filter((l) => turnedOn.has(l.id));

  /** Lays over the map what is wanted of what the dimension has. */
  function showOverlays() {
    over.splice(0).forEach((shown) => shown.remove());
    overlaysOn().forEach((l) => over.push(tileLayer(facts, l, moments.past()).addTo(map)));
    legend.show();
  }

  function turn(id, on) {
    if (on) turnedOn.add(id);
    else turnedOn.delete(id);
    showOverlays();
  }

  /** Pixels at the right that the open panel covers, in a window that is wide enough to leave them free. */
  function covered() {
    const panel = byId('panel').getBoundingClientRect();
    return byId('settings').hidden || 3 * panel.width > window.innerWidth ? 0 : window.innerWidth - panel.left;
  }

  function wholeView() {
    const paddingBottomRight = [MARGIN + covered(), MARGIN];
    map.fitBounds(mainBounds(layer), { paddingTopLeft: [MARGIN, MARGIN], paddingBottomRight, maxZoom: 2, animate: false });
  }

  /** Removes what was shown before. */
  function settle() {
    under.splice(0).forEach((shown) => shown.remove());
  }

  function settleWhenLoaded(shown) {
    const last = () => { if (shown === tiles) settle(); };
    shown.once('load', last);
    // A layer without a tile in sight has nothing to load.
    setTimeout(last, 3000);
  }

  /** Offers the layers of the dimension that is shown. */
  function showChoices() {
    if (!dimension) return;
    const layers = dimension.layers.map((l) => ({ id: l.id, text: layerName(l) }));
    showLayer = choices(byId('layers'), 'layer', layers, (id) => show(dimension.id, id, undefined, true));
    const overlays = dimension.overlays.map((l) => ({ id: l.id, text: layerName(l) }));
    switches(byId('overlays'), overlays, (id) => turnedOn.has(id), turn);
    byId('spawn').hidden = !spawnOf(dimension);
  }

  /** Changes over to a dimension and layer; ids that do not exist give the nearest that do. */
  function show(dimensionId, layerId, view, isStep) {
    const before = dimension;
    if (before && !view) views.set(before.id, { center: map.getCenter(), zoom: map.getZoom() });
    dimension = dimensions.find((d) => d.id === dimensionId) || before || dimensions[0];
    if (dimension !== before) {
      showChoices();
      place.unmark();
    }
    const wished = [layerId, layer && layer.id].map((id) => dimension.layers.find((l) => l.id === id)).find(Boolean);
    layer = wished || dimension.layers.find(holdsTiles) || dimension.layers[0];
    showDimension(dimension.id);
    byId('hills').hidden = !dimension.heights || !!facts.archive;
    showLayer(layer.id);

    if (tiles) under.push(tiles);
    tiles = tileLayer(facts, layer, moments.past());
    valuesAt = detailsOf(facts, dimension, moments.past());
    // Of one dimension the tiles that are shown stay until those over them are there: no flicker.
    if (dimension === before) settleWhenLoaded(tiles);
    else settle();
    // Before the limits: with a view beyond them Leaflet would start an animation that the new view then fights.
    const limits = [layer.min_zoom - facts.native_zoom - ZOOM_OUT, innermost(facts, layer) - facts.native_zoom + ZOOM_IN];
    map.options.minZoom = limits[0];
    map.options.maxZoom = limits[1];
    const kept = view || (dimension !== before && (viewThrough(before) || views.get(dimension.id)));
    const within = (zoom) => Math.max(limits[0], Math.min(limits[1], zoom));
    if (kept) map.setView(kept.center, within(kept.zoom), { animate: false });
    else if (dimension !== before) startView();
    // Any new view, even of the same place, would clear the tiles that are shown.
    else if (map.getZoom() !== within(map.getZoom())) map.setZoom(within(map.getZoom()), { animate: false });
    tiles.addTo(map);
    compare(facts, dimension, layer);
    if (dimension !== before) {
      showOverlays();
      showMarkers();
    } else legend.show();
    map.fire('zoomlevelschange'); // the zoom buttons look at the limits then

    byId('message').hidden = holdsTiles(layer);
    if (!holdsTiles(layer)) say(translate('Nothing is drawn here'), translate('This layer holds no tiles.'));
    // A newer map in the place of this one moves nothing, so a place that is marked stays in the address.
    if (dimension === before && !view && !isStep) rewriteAddress();
    else writeAddress(column(map.getCenter()), false, isStep);
  }

  const dimensionChoice = () => anyChoice('dimension', dimensions.map((d) => ({ id: d.id, text: translate(clean(d.name, d.id)) })), (id) => show(id, undefined, undefined, true));
  let showDimension = dimensionChoice();

  /** Shows a newer map in the place of this one, where it is looked at. */
  function renew(newer, version) {
    const of = dimension;
    const now = drawn(newer);
    if (now.length === 0) return;
    facts = newer;
    dimensions = now;
    moments.renew(facts, version);
    // The same place in the new facts; what is no longer drawn gives the first that is.
    dimension = dimensions.find((d) => d.id === of.id) || null;
    showWorlds(facts);
    showDimension = dimensionChoice();
    showChoices();
    show(of.id, layer.id);
    showOverlays();
    showMarkers();
  }

  // -- Moments

  /** Shows the markers of the moment that is shown, when they are known. */
  function showMarkers() {
    const [of, moment] = [dimension, moments.moment()];
    // In another dimension no marker of the one before may stay until then.
    if (!moment || shownMarkers !== of) markers.show(facts, of);
    shownMarkers = of;
    if (!moment) return;
    moments.filesThen(of.path).then((then) => {
      if (dimension === of && moments.moment() === moment) markers.show(facts, of, then);
    });
  }

  /** Writes the address anew; a place that it marks stays in it. */
  function rewriteAddress() {
    const shown = readAddress(location.hash);
    writeAddress(shown.isPinned ? shown : column(map.getCenter()), shown.isPinned);
  }

  function showMoment() {
    rewriteAddress();
    showMarkers();
    map.fire('moment');
    return Promise.all([tiles, ...over].map((shown) => shown.showMoment()));
  }

  // -- Address

  function addressAt(at, isPinned) {
    const moment = moments.text();
    const only = legend.texts().map((text) => `only=${text}`);
    return writeAddressOf(dimension, layer, at, map.getZoom(), [isPinned && 'pin', ...only, moment && `@${moment}`].filter(Boolean));
  }

  /** Writes what is shown into the address; a step is one that the browser's back button undoes. */
  function writeAddress(at, isPinned, isStep) {
    const address = addressAt(at, isPinned);
    try {
      if (isStep && address !== location.hash) history.pushState(null, '', address);
      else history.replaceState(null, '', address);
    } catch (_) {
      // Some browsers allow only so many changes in a time; the next move writes it again.
    }
    byId('hills').href = `terrain.html${languageQuery}${address}`;
  }

  function followAddress() {
    const wanted = readAddress(location.hash);
    const isOther = dimension && moments.text() !== wanted.moment;
    moments.seek(wanted.moment);
    const placed = wanted.x !== undefined && wanted.z !== undefined;
    const zoom = wanted.zoom !== undefined ? Math.round(wanted.zoom) : dimension ? map.getZoom() : 0;
    legend.choose(wanted.only);
    show(wanted.dimension, wanted.layer, placed ? { center: centreOn(wanted.x, wanted.z), zoom } : undefined);
    if (placed && wanted.isPinned) {
      place.pin({ x: wanted.x, z: wanted.z });
      writeAddress(wanted, true);
    }
    const overlay = dimension.overlays.find((l) => !turnedOn.has(l.id) && legend.textsOf(l).some((text) => wanted.only.includes(text)));
    if (overlay) {
      turn(overlay.id, true);
      showChoices();
      showLayer(layer.id);
      rewriteAddress();
    }
    if (isOther) showMoment();
  }

  /** Moves the view to a place, where the browser's back button leads back from. */
  function goThere(at) {
    writeAddress(column(map.getCenter()), false, true);
    map.setView(centreOn(at.x, at.z), Math.max(map.getZoom(), 0), { animate: false });
  }

  const moments = openMoments(map, facts, { showMoment, layers: () => [tiles, ...over] });
  const legend = openLegend(map, {
    layers: () => [[layer, tiles], ...overlaysOn().map((l, at) => [l, over[at]])],
    beside: () => compare.layers(),
    changed: rewriteAddress,
    go(at) {
      goThere(at);
      place.mark(at);
    },
  });
  // A page from disk may not read the pixels of its tiles.
  byId('nearest').hidden = location.protocol === 'file:' && !facts.archive;
  const compare = openComparison(map);
  const isMeasuring = measure(map);
  const markers = openMarkers(map, (marker, isToGo, others) => {
    if (isToGo) goThere(marker);
    place.mark(marker, marker, others);
  });
  const isDrawing = openDrawing(map, { dimension: () => dimension.id, show: (text) => markers.draw(text) });
  const isBusy = () => isMeasuring() || isDrawing();
  const place = markedPlace(map, markers, (at) => valuesAt(at), (at) => addressAt(at, true), writeAddress, isBusy);
  goTo((text) => {
    const spawn = text.trim().toLowerCase() === 'spawn' ? arrivalAt(dimension) : null;
    const at = spawn || placeOf(text, column(map.getCenter()));
    const marker = at ? null : markers.find(text);
    if (!at && !marker) return false;
    goThere(at || marker);
    place.mark(at || marker, marker);
    return true;
  });
  saveView(map, () => {
    const at = column(map.getCenter());
    return `${dimension.id.replace(/[^\w.-]/g, '_')}-${layer.id}_${at.x}_${at.z}.png`;
  });
  fullScreen();
  showUpdate(new Date(document.lastModified));
  showReadings(map, (at) => valuesAt(at), () => layer.id);
  map.on('moveend', () => writeAddress(column(map.getCenter())));
  map.on('viewreset zoomend', () => map.getContainer().classList.toggle('crisp', map.getZoom() >= 0));

  const grid = gridLayer();
  byId('grid').addEventListener('change', (event) => (event.currentTarget.checked ? grid.addTo(map) : grid.remove()));
  byId('whole').addEventListener('click', wholeView);
  byId('spawn').addEventListener('click', () => {
    const spawn = spawnOf(dimension);
    map.setView(centreOn(spawn.x, spawn.z), Math.max(map.getZoom(), 0), { animate: false });
    place.mark(spawn);
  });

  /** What is seen of the map, for a server that draws it first. */
  function seen() {
    const bounds = map.getBounds();
    const area = { x0: Math.floor(bounds.getWest()), z0: Math.floor(-bounds.getNorth()), x1: Math.ceil(bounds.getEast()), z1: Math.ceil(-bounds.getSouth()) };
    return { layer, zoom: tiles.zoomShown(), area, takeAnew: (z, x, y) => tiles.takeAnew(z, x, y), showLive: markers.showLive };
  }

  window.addEventListener('hashchange', followAddress);
  followAddress();
  if (location.protocol === 'file:' || facts.archive) return;
  const look = followNewerMaps(renew);
  everyMinute(markers.look);
  // The server of a world adds a script.
  if (look && isLive()) followDrawing(map, seen, look);
}

/** Shows the map of these facts, if they are there and understood. */
function start(facts) {
  const known = checked(facts);
  byId('panel').hidden = byId('status').hidden = !known;
  if (!known) return;
  const name = clean(known.name, translate('Minecraft world'));
  document.title = name;
  byId('name').textContent = name;
  byId('name').title = name;
  showWorlds(known);
  open(known);
}

translatePage();
foldPanel();
theme();
byId('panel').hidden = byId('status').hidden = true;
if (!namedArchive()) start(typeof PIXELMAP === 'undefined' ? null : PIXELMAP);
