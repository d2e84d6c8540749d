// @ts-check

/*
 * Lets visitors draw points, lines and areas, and download them as GeoJSON.
 *
 * The browser keeps the shapes of each map until they are deleted, and sends them nowhere. The
 * marker panel shows them, because it reads such a file like a file of the owner.
 */

import { translate } from '../basics/language.js';
import { buttonById, byId, download, element, inputById } from '../basics/page.js';
import { NARROW, choices } from '../basics/panel.js';
import { recall, remember } from '../basics/storage.js';
import { symbolNames } from '../markers/symbols.js';
import { freeCentre } from './free-part.js';

/** The key under which the browser keeps the shapes of this map. */
const KEPT_AS = `drawn ${location.pathname.replace(/index\.html$/, '')}`;

/** The types of shapes, and the corners that each needs. */
const MIN_CORNERS = { Point: 1, LineString: 2, Polygon: 3 };

/** @typedef {keyof typeof MIN_CORNERS} ShapeType */

/**
 * @typedef {object} Shape
 * @property {'Feature'} type
 * @property {{ type: ShapeType, coordinates: any }} geometry
 * @property {{ name: string, color: string, icon?: string, dimension?: string }} properties
 */

/**
 * The parts of the page that drawing needs.
 *
 * @typedef {object} DrawPage
 * @property {() => string} dimension returns the id of the shown dimension
 * @property {(text: string | null) => void} show hears of the file of all shapes
 */

export class Drawing {
  #map;
  #page;
  #shapes = storedShapes();
  /**
   * The shape that the fields describe. Without one they describe the next shape.
   *
   * @type {Shape | null}
   */
  #selected = null;
  /** @type {ShapeType} */
  #type = 'Point';
  /**
   * The corners of the line or area that is not finished.
   *
   * @type {[number, number][]}
   */
  #corners = [];
  #preview = L.polyline([], { color: '#ffd54a', weight: 3, interactive: false });
  isOn = false;

  /**
   * @param {L.Map} map
   * @param {DrawPage} page
   */
  constructor(map, page) {
    this.#map = map;
    this.#page = page;
    this.#offerTools();
    this.#listenToFields();
    this.#listenToButtons();
    this.#listenToMap();
    if (this.#shapes.length > 0) page.show(fileText(this.#shapes));
  }

  #offerTools() {
    const tools = [
      { id: 'Point', text: translate('Point') },
      { id: 'LineString', text: translate('Line') },
      { id: 'Polygon', text: translate('Area') },
    ];
    const showTool = choices(byId('draw-tools'), 'draw-tool', tools, (id) => {
      this.#type = /** @type {ShapeType} */ (id);
      this.#corners = [];
      this.#select(null);
      this.#showPreview();
      this.#fold(true);
    });
    showTool(this.#type);

    byId('draw-symbol').append(...symbolNames.map((name) => new Option(translate(name), name)));
  }

  #listenToFields() {
    for (const id of ['draw-name', 'draw-colour', 'draw-symbol']) {
      byId(id).addEventListener('input', () => {
        if (!this.#selected) return;
        Object.assign(this.#selected.properties, styleFor(this.#selected.geometry.type));
        this.#keep();
      });
    }
  }

  #listenToButtons() {
    const press = (/** @type {string} */ id, /** @type {() => void} */ act) =>
      byId(id).addEventListener('click', act);

    press('draw', () => this.#toggle());
    press('measure', () => this.isOn && this.#turn(false));
    press('draw-fold', () => this.#fold(!byId('draw-card').classList.contains('folded')));
    press('draw-here', () => this.#put(freeCentre(this.#map)));
    press('draw-undo', () => this.#undo());
    press('draw-done', () => this.#finishCorners());
    press('draw-delete', () => this.#remove(this.#selected));
    press('draw-clear', () => this.#removeAll());
    press('draw-save', () => {
      const file = new Blob([fileText(this.#shapes)], { type: 'application/geo+json' });
      download(file, 'drawn.geojson');
    });
    press('draw-close', () => {
      this.#turn(false);
      byId('draw').focus();
    });
  }

  #listenToMap() {
    document.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !this.isOn) return;
      if (this.#corners.length === 0) {
        this.#turn(false);
      } else {
        this.#corners = [];
        this.#showPreview();
      }
    });

    this.#map.on('click', (event) => {
      if (this.isOn && event.originalEvent.detail < 2) this.#put(event.latlng);
    });
    this.#map.on('dblclick', () => {
      if (this.isOn) this.#finishCorners();
    });
  }

  #toggle() {
    // A click either measures or draws.
    const isMeasuring = byId('measure').getAttribute('aria-pressed') === 'true';
    if (!this.isOn && isMeasuring) byId('measure').click();
    this.#turn(!this.isOn);

    // On a phone the panel would cover the map.
    if (this.isOn && window.innerWidth <= NARROW) byId('fold').click();
  }

  /** @param {boolean} isOn */
  #turn(isOn) {
    this.isOn = isOn;
    this.#corners = [];
    byId('draw').setAttribute('aria-pressed', String(isOn));
    byId('draw-card').hidden = !isOn;
    if (isOn) this.#preview.addTo(this.#map);
    else this.#preview.remove();

    // While drawing, a double click ends a shape instead of zooming.
    if (isOn) this.#map.doubleClickZoom.disable();
    else this.#map.doubleClickZoom.enable();
    this.#select(null);
    this.#showPreview();
    this.#fold(true);
  }

  /**
   * Folds the card to the tools and buttons that choose points. Only a narrow window shows that,
   * because there the whole card would cover the lower half of the map.
   *
   * @param {boolean} isFolded
   */
  #fold(isFolded) {
    byId('draw-card').classList.toggle('folded', isFolded);
    byId('draw-fold').setAttribute('aria-expanded', String(!isFolded));
  }

  #showPreview() {
    const corners = this.#corners;
    const isArea = this.#type === 'Polygon' && corners.length > 2;
    const line = isArea ? [...corners, corners[0]] : corners;
    this.#preview.setLatLngs(line.map(([x, z]) => L.latLng(-z, x)));

    const isPoint = this.#type === 'Point';
    buttonById('draw-undo').disabled = corners.length === 0;
    buttonById('draw-done').disabled = corners.length < MIN_CORNERS[this.#type];
    byId('draw-undo').hidden = isPoint;
    byId('draw-done').hidden = isPoint;
    byId('draw-hint').textContent = isPoint
      ? translate('Click a place on the map.')
      : translate('Click the corners, then Done.');
  }

  /** @param {L.LatLng} at */
  #put(at) {
    const position = positionFor(this.#type, at);
    if (this.#type === 'Point') {
      this.#finish(position);
    } else {
      this.#corners.push(position);
      this.#showPreview();
      this.#fold(true);
    }
  }

  #undo() {
    this.#corners.pop();
    this.#showPreview();
  }

  #finishCorners() {
    const corners = this.#corners;
    if (corners.length < MIN_CORNERS[this.#type]) return;
    this.#finish(this.#type === 'Polygon' ? [[...corners, corners[0]]] : corners);
  }

  /** @param {any} coordinates */
  #finish(coordinates) {
    const type = this.#type;
    // The name in the field belongs to the selected shape.
    if (this.#selected) inputById('draw-name').value = '';
    const properties = { ...styleFor(type), dimension: this.#page.dimension() };
    /** @type {Shape} */
    const shape = { type: 'Feature', properties, geometry: { type, coordinates } };

    this.#shapes.push(shape);
    this.#corners = [];
    this.#showPreview();
    this.#select(shape);
    this.#keep();
    this.#fold(false);
    // On a phone the keyboard would cover the map.
    if (window.matchMedia('(hover: hover)').matches) byId('draw-name').focus();
  }

  /** @param {Shape | null} shape */
  #select(shape) {
    this.#selected = shape;
    const style = shape?.properties ?? { ...styleFor('Point'), name: '' };
    inputById('draw-name').value = style.name || '';
    inputById('draw-colour').value = style.color;
    inputById('draw-symbol').value = style.icon || 'dot';
    byId('draw-symbol').hidden = (shape?.geometry.type ?? this.#type) !== 'Point';
    this.#showList();
  }

  /** @param {Shape | null} shape */
  #remove(shape) {
    this.#shapes = this.#shapes.filter((one) => one !== shape);
    this.#select(null);
    this.#keep();
  }

  #removeAll() {
    this.#shapes = [];
    this.#select(null);
    this.#keep();
  }

  /** Keeps the shapes in the browser, and shows them on the map. */
  #keep() {
    const text = fileText(this.#shapes);
    remember(KEPT_AS, text);
    this.#showList();
    this.#page.show(this.#shapes.length > 0 ? text : null);
  }

  /** Shows the shapes as buttons, the last one first. */
  #showList() {
    const buttons = this.#shapes.map((shape) => this.#listItem(shape));
    byId('drawn').replaceChildren(...buttons.reverse());
    buttonById('draw-delete').disabled = !this.#selected;
    buttonById('draw-save').disabled = this.#shapes.length === 0;
    buttonById('draw-clear').disabled = this.#shapes.length === 0;
  }

  /** @param {Shape} shape */
  #listItem(shape) {
    const isSelected = shape === this.#selected;
    const button = element('button', '', shape.properties.name || translate('No name'));
    button.type = 'button';
    button.dir = 'auto';
    button.setAttribute('aria-pressed', String(isSelected));
    button.addEventListener('click', () => this.#select(isSelected ? null : shape));

    const item = element('li');
    item.append(button);
    return item;
  }
}

/**
 * Returns the shapes of an earlier visit. Anything else under the key is left out.
 *
 * @returns {Shape[]}
 */
function storedShapes() {
  try {
    const { features } = JSON.parse(recall(KEPT_AS) ?? '');
    return features.filter(
      (/** @type {Shape} */ { geometry, properties }) =>
        Array.isArray(geometry.coordinates) && typeof properties === 'object',
    );
  } catch {
    return [];
  }
}

/**
 * Returns the text of a file for `--markers`, with one line per shape.
 *
 * @param {Shape[]} shapes
 */
function fileText(shapes) {
  const lines = shapes.map((shape) => JSON.stringify(shape)).join(',\n');
  return `{"type":"FeatureCollection","features":[\n${lines}\n]}\n`;
}

/**
 * Returns the name, colour and symbol in the fields. Only points have symbols.
 *
 * @param {ShapeType} type
 * @returns {Shape['properties']}
 */
function styleFor(type) {
  const name = inputById('draw-name').value.trim();
  const style = { name, color: inputById('draw-colour').value };
  return type === 'Point' ? { ...style, icon: inputById('draw-symbol').value } : style;
}

/**
 * Returns the coordinates of a point on the map. A point is a block, a line leads through the
 * middles of blocks, and the corners of an area are corners of blocks.
 *
 * @param {ShapeType} type
 * @param {{ lat: number, lng: number }} at
 * @returns {[number, number]}
 */
export function positionFor(type, { lat, lng }) {
  if (type === 'Polygon') return [Math.round(lng), Math.round(-lat)];
  const [x, z] = [Math.floor(lng), Math.floor(-lat)];
  return type === 'Point' ? [x, z] : [x + 0.5, z + 0.5];
}
