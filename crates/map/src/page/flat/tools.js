// @ts-check

/*
 * Offers the tools of visitors: going to a place, measuring, saving the view, and the full screen.
 */

import { number, translate } from '../basics/language.js';
import { buttonById, byId, download, inputById } from '../basics/page.js';

/**
 * Returns a number of blocks in words.
 *
 * @param {number} count
 */
export function blocksText(count) {
  return count === 1 ? translate('1 block') : translate('{count} blocks', { count: number(count) });
}

/**
 * Returns the column that a text means: `x z` or `x y z` with spaces or commas, in which `~` stands
 * for the present position. For any other text it returns null.
 *
 * @param {string} text
 * @param {Column} here
 * @returns {Column | null}
 */
export function typedColumn(text, here) {
  const parts = text.trim().split(/[\s,;/]+/).filter(Boolean);
  if (parts.length !== 2 && parts.length !== 3) return null;

  const x = typedCoordinate(parts[0], here.x);
  const z = typedCoordinate(parts[parts.length - 1], here.z);
  return Number.isFinite(x) && Number.isFinite(z) ? { x, z } : null;
}

/**
 * @param {string} text
 * @param {number} here
 */
function typedCoordinate(text, here) {
  const [whole, tilde, digits] = /^(~?)(-?\d+(?:\.\d+)?)?$/.exec(text) ?? [];
  if (!whole) return NaN;
  return Math.floor((tilde ? here : 0) + Number(digits ?? 0));
}

/**
 * Calls `go` with each text that the visitor enters. If it returns false, the field explains what
 * to type.
 *
 * @param {(text: string) => boolean} go
 */
export function goToTyped(go) {
  const field = inputById('go-to');
  byId('go').addEventListener('submit', (event) => {
    event.preventDefault();
    const isFound = go(field.value);
    const advice = translate(
      'Type x and z, such as 120 -340, or the name of a marker that is on.',
    );
    field.setCustomValidity(isFound ? '' : advice);
    if (isFound) field.blur();
    else field.reportValidity();
  });
  field.addEventListener('input', () => field.setCustomValidity(''));
}

/** Measures a way along the points on which the visitor clicks. */
export class Ruler {
  #map;
  #line = L.polyline([], { color: '#ffd54a', weight: 3, interactive: false });
  isOn = false;

  /** @param {L.Map} map */
  constructor(map) {
    this.#map = map;
    byId('measure').addEventListener('click', () => this.turn(!this.isOn));
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && this.isOn) this.turn(false);
    });
    map.on('click', (event) => {
      // A double click zooms.
      if (this.isOn && event.originalEvent.detail <= 1) this.#add(event.latlng);
    });
  }

  /** @param {boolean} isOn */
  turn(isOn) {
    this.isOn = isOn;
    byId('measure').setAttribute('aria-pressed', String(isOn));
    this.#line.setLatLngs([]);
    if (isOn) this.#line.addTo(this.#map);
    else this.#line.remove();
    this.#show();
  }

  /** @param {L.LatLng} at */
  #add({ lat, lng }) {
    // The way leads through the middles of blocks.
    this.#line.addLatLng([Math.floor(lat) + 0.5, Math.floor(lng) + 0.5]);
    this.#show();
  }

  #show() {
    const points = /** @type {L.LatLng[]} */ (this.#line.getLatLngs());
    byId('measured').hidden = !this.isOn;
    byId('measured').textContent =
      points.length < 2
        ? translate('Click the points of a way')
        : translate('{length} along {count} points', {
            length: blocksText(Math.round(lengthOf(points))),
            count: points.length,
          });
  }
}

/** @param {L.LatLng[]} points */
function lengthOf(points) {
  let length = 0;
  for (let at = 1; at < points.length; at++) {
    const [from, to] = [points[at - 1], points[at]];
    length += Math.hypot(to.lng - from.lng, to.lat - from.lat);
  }
  return length;
}

/**
 * Saves the visible tiles and markers as a picture of the size of the window.
 *
 * @param {L.Map} map
 * @param {() => string} nameOf returns the name of the file
 */
export function offerPicture(map, nameOf) {
  const button = buttonById('save');
  // A page from disk may not read its own pictures.
  if (location.protocol === 'file:') button.hidden = true;
  button.addEventListener('click', () => {
    viewPicture(map).toBlob((picture) => {
      if (picture) download(picture, nameOf());
    });
  });
}

/**
 * Draws the visible tiles and markers on a canvas.
 *
 * @param {L.Map} map
 */
function viewPicture(map) {
  const around = map.getContainer().getBoundingClientRect();
  const sharpness = window.devicePixelRatio || 1;
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(around.width * sharpness);
  canvas.height = Math.round(around.height * sharpness);

  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  pen.scale(sharpness, sharpness);
  pen.imageSmoothingEnabled = map.getZoom() < 0;
  for (const shown of shownPictures(map)) {
    const at = shown.getBoundingClientRect();
    pen.filter = shown.style.filter || 'none';
    pen.drawImage(shown, at.left - around.left, at.top - around.top, at.width, at.height);
  }
  return canvas;
}

/**
 * Returns the loaded tiles and the canvases above them, from the lowest to the topmost.
 *
 * @param {L.Map} map
 * @returns {(HTMLImageElement | HTMLCanvasElement)[]}
 */
function shownPictures(map) {
  const loaded = 'img.leaflet-tile-loaded, canvas.leaflet-tile-loaded';
  const [tilePane, overlayPane] = [map.getPane('tilePane'), map.getPane('overlayPane')];

  /** @type {HTMLElement[]} */
  const layers = [...(tilePane?.querySelectorAll('.leaflet-layer') ?? [])].map(asElement);
  layers.sort((a, b) => Number(a.style.zIndex) - Number(b.style.zIndex));
  const tiles = layers.flatMap((layer) => [...layer.querySelectorAll(loaded)]);
  const above = overlayPane?.querySelectorAll('canvas') ?? [];
  return /** @type {any[]} */ ([...tiles, ...above]);
}

/** @param {Element} element */
function asElement(element) {
  return /** @type {HTMLElement} */ (element);
}

/** Lets the map fill the screen, if the browser can do that. */
export function offerFullScreen() {
  const button = byId('full');
  button.hidden = !document.fullscreenEnabled;
  button.addEventListener('click', () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen();
  });
}
