// @ts-check

/*
 * Shows the position and the values of the column under the pointer, and the scale bar.
 */

import { byId } from '../basics/page.js';
import { CLOSE_ZOOM, chunkTexts, columnTexts } from '../map/details.js';
import { freeCentre } from './free-part.js';
import { describeColumn } from './place-card.js';
import { columnAt } from './plane.js';
import { blocksText } from './tools.js';

/** The pointer must rest for this time before its column is read. */
const REST_MS = 60;
/** The scale bar is at most this wide. */
const MAX_BAR = 110;

/**
 * The parts of the page that the readings need.
 *
 * @typedef {object} ReadingsPage
 * @property {import('../map/details.js').ColumnReader} valuesAt
 * @property {() => string} layer returns the id of the shown layer
 */

export class Readings {
  #map;
  #page;
  /**
   * The pointer in pixels of the window. It is null without a mouse, and then the middle of the map
   * is described.
   *
   * @type {L.Point | null}
   */
  #pointer = null;
  #timer = 0;

  /**
   * @param {L.Map} map
   * @param {ReadingsPage} page
   */
  constructor(map, page) {
    this.#map = map;
    this.#page = page;

    if (window.matchMedia('(hover: hover)').matches) {
      map.on('mousemove', ({ containerPoint }) => this.#point(containerPoint));
      map.on('mouseout', () => this.#point(null));
    }
    map.on('move moment', () => this.#showPosition());
    map.on('viewreset zoomend', () => this.#showScale());
  }

  /** @param {L.Point | null} pointer */
  #point(pointer) {
    this.#pointer = pointer;
    this.#showPosition();
  }

  #showPosition() {
    const map = this.#map;
    const at = this.#pointer ? map.containerPointToLatLng(this.#pointer) : freeCentre(map);
    const column = columnAt(at);
    describeColumn(byId('position'), column);
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#showValues(column), REST_MS);
  }

  /** @param {Column} column */
  async #showValues(column) {
    const timer = this.#timer;
    const isClose = this.#map.getZoom() >= CLOSE_ZOOM;
    const values = isClose ? await this.#page.valuesAt(column) : null;
    // The pointer has moved meanwhile.
    if (timer !== this.#timer) return;

    const box = byId('under');
    box.hidden = !values;
    if (!values) return;
    const texts = columnTexts(values);
    const ofChunk = /** @type {Record<string, string>} */ (chunkTexts(values));
    const ofLayer = ofChunk[this.#page.layer()];
    if (ofLayer) texts.push(ofLayer);
    box.textContent = texts.join(' · ');
  }

  #showScale() {
    const scale = Math.pow(2, this.#map.getZoom());
    const blocks = scaleBarBlocks(scale);
    byId('scale-bar').style.width = `${Math.round(blocks * scale)}px`;
    byId('scale-text').textContent = blocksText(blocks);
  }
}

/**
 * Returns the round number of blocks that the scale bar shows: 1, 2 or 5 with zeros.
 *
 * @param {number} scale pixels per block
 */
export function scaleBarBlocks(scale) {
  const most = MAX_BAR / scale;
  const power = Math.pow(10, Math.floor(Math.log10(most)));
  const digit = [5, 2].find((one) => one * power <= most) ?? 1;
  return Math.max(1, digit * power);
}
