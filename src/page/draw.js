/* Drawing in the page: points, lines and areas with a name, a colour and a symbol, and their download as GeoJSON.
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapDraw`. The browser keeps the drawn shapes
 * of each map until they are deleted, and sends them nowhere. They are shown by the scripts of the markers, which read them
 * as they read the files of the owner.
 */

import { translate } from './language.js';
import { choices, recall, remember } from './panel.js';
import { symbolNames } from './symbols.js';

const KEPT = `drawn ${location.pathname.replace(/index\.html$/, '')}`; // the key of what is remembered
const TOOLS = { Point: 1, LineString: 2, Polygon: 3 }; // corners of a shape at least

const NARROW = 560; // pixels of a window in which panel and map do not fit side by side

const byId = (id) => document.getElementById(id);

/** The shapes of an earlier visit; anything else that is kept under the key is left out. */
function kept() {
  try {
    const { features } = JSON.parse(recall(KEPT));
    return features.filter(({ geometry, properties }) => Array.isArray(geometry.coordinates) && typeof properties === 'object');
  } catch (_) {
    return [];
  }
}

/** A file for `--markers`: a line for each shape. */
const textOf = (features) => `{"type":"FeatureCollection","features":[\n${features.map((feature) => JSON.stringify(feature)).join(',\n')}\n]}\n`;

/** The coordinates at a place of the map: a point is a block, a line goes along the middles of blocks, and an area has its
 * corners at the corners of blocks. */
function coordinatesAt({ lat, lng }, type) {
  if (type === 'Polygon') return [Math.round(lng), Math.round(-lat)];
  const [x, z] = [Math.floor(lng), Math.floor(-lat)];
  return type === 'Point' ? [x, z] : [x + .5, z + .5];
}

/** Lets visitors draw on a map. `page.dimension` returns the id of the shown one, and `page.show` is told of the file of
 * all shapes. Returns whether clicks draw. */
export function openDrawing(map, page) {
  let features = kept();
  let selected = null; // the shape that the fields belong to; null: the next one
  let type = 'Point';
  let corners = []; // of the line or area that is not finished
  let isOn = false;
  const preview = L.polyline([], { color: '#ffd54a', weight: 3, interactive: false });
  const style = () => ({ name: byId('draw-name').value.trim(), color: byId('draw-colour').value, icon: byId('draw-symbol').value });

  function showPreview() {
    const isArea = type === 'Polygon' && corners.length > 2;
    preview.setLatLngs((isArea ? [...corners, corners[0]] : corners).map(([x, z]) => [-z, x]));
    byId('draw-undo').disabled = corners.length === 0;
    byId('draw-done').disabled = corners.length < TOOLS[type];
    byId('draw-done').hidden = byId('draw-undo').hidden = type === 'Point';
    byId('draw-hint').textContent = type === 'Point' ? translate('Click a place on the map.') : translate('Click the corners, then Done.');
  }

  /** Shows the shapes as buttons, the last one first. */
  function showList() {
    const buttons = features.map((feature) => {
      const [item, button] = ['li', 'button'].map((tag) => document.createElement(tag));
      button.type = 'button';
      button.dir = 'auto';
      button.textContent = feature.properties.name || translate('No name');
      button.setAttribute('aria-pressed', String(feature === selected));
      button.addEventListener('click', () => select(feature === selected ? null : feature));
      item.append(button);
      return item;
    });
    byId('drawn').replaceChildren(...buttons.reverse());
    byId('draw-delete').disabled = !selected;
    byId('draw-save').disabled = byId('draw-clear').disabled = features.length === 0;
  }

  function keep() {
    remember(KEPT, textOf(features));
    showList();
    page.show(features.length > 0 ? textOf(features) : null);
  }

  function select(feature) {
    selected = feature;
    const { name, color, icon } = feature ? feature.properties : Object.assign(style(), { name: '' });
    byId('draw-name').value = name || '';
    byId('draw-colour').value = color;
    byId('draw-symbol').value = icon || 'dot';
    byId('draw-symbol').hidden = (feature ? feature.geometry.type : type) !== 'Point';
    showList();
  }

  function finish(coordinates) {
    // The name of the shape before it stays with that one.
    if (selected) byId('draw-name').value = '';
    const properties = Object.assign(style(), { dimension: page.dimension() });
    if (type !== 'Point') delete properties.icon;
    features.push({ type: 'Feature', properties, geometry: { type, coordinates } });
    corners = [];
    showPreview();
    select(features[features.length - 1]);
    keep();
    if (window.matchMedia('(hover: hover)').matches) byId('draw-name').focus();
  }

  function put(place) {
    const at = coordinatesAt(place, type);
    if (type === 'Point') finish(at);
    else {
      corners.push(at);
      showPreview();
    }
  }

  function done() {
    if (corners.length < TOOLS[type]) return;
    finish(type === 'Polygon' ? [[...corners, corners[0]]] : corners);
  }

  function undo() {
    corners.pop();
    showPreview();
  }

  function turn(on) {
    isOn = on;
    corners = [];
    byId('draw').setAttribute('aria-pressed', String(on));
    byId('draw-card').hidden = !on;
    if (on) preview.addTo(map);
    else preview.remove();
    // The second click of two ends a shape.
    map.doubleClickZoom[on ? 'disable' : 'enable']();
    select(null);
    showPreview();
  }

  function download() {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([textOf(features)], { type: 'application/geo+json' }));
    link.download = 'drawn.geojson';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  const tools = [['Point', translate('Point')], ['LineString', translate('Line')], ['Polygon', translate('Area')]];
  const showTool = choices(byId('draw-tools'), 'draw-tool', tools.map(([id, text]) => ({ id, text })), (id) => {
    [type, corners] = [id, []];
    select(null);
    showPreview();
  });
  showTool(type);
  byId('draw-symbol').append(...symbolNames.map((name) => new Option(translate(name), name)));
  ['draw-name', 'draw-colour', 'draw-symbol'].forEach((id) => byId(id).addEventListener('input', () => {
    if (!selected) return;
    Object.assign(selected.properties, style());
    if (selected.geometry.type !== 'Point') delete selected.properties.icon;
    keep();
  }));
  byId('draw').addEventListener('click', () => {
    if (!isOn && byId('measure').getAttribute('aria-pressed') === 'true') byId('measure').click();
    turn(!isOn);
    // On a phone the panel would cover the map.
    if (isOn && window.innerWidth <= NARROW) byId('fold').click();
  });
  byId('measure').addEventListener('click', () => isOn && turn(false));
  byId('draw-here').addEventListener('click', () => put(map.getCenter()));
  byId('draw-undo').addEventListener('click', undo);
  byId('draw-done').addEventListener('click', done);
  byId('draw-delete').addEventListener('click', () => {
    features = features.filter((feature) => feature !== selected);
    select(null);
    keep();
  });
  byId('draw-clear').addEventListener('click', () => {
    features = [];
    select(null);
    keep();
  });
  byId('draw-save').addEventListener('click', download);
  byId('draw-close').addEventListener('click', () => {
    turn(false);
    byId('draw').focus();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !isOn) return;
    if (corners.length === 0) turn(false);
    else {
      corners = [];
      showPreview();
    }
  });
  map.on('click', (event) => isOn && event.originalEvent.detail < 2 && put(event.latlng));
  map.on('dblclick', () => isOn && done());
  if (features.length > 0) page.show(textOf(features));
  return () => isOn;
}
