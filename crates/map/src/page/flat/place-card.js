// @ts-check

/*
 * Marks a place: a dot on the map, or a highlighted marker, and a card with the facts of the place.
 */

import { translate } from '../basics/language.js';
import { buttonById, byId, element } from '../basics/page.js';
import { copy } from '../basics/panel.js';
import { chunkTexts, columnTexts } from '../map/details.js';
import { CHUNK, REGION } from '../map/layers.js';
import { positionText } from '../markers/card-texts.js';
import { columnAt, middleOf } from './plane.js';

/** A click marks a place after this time, because its second half may follow: that zooms. */
const DOUBLE_CLICK_MS = 220;

/** @typedef {Column & { y?: number | null }} Place */

/**
 * The parts of the page that the card needs.
 *
 * @typedef {object} CardPage
 * @property {import('../markers/panel.js').MarkerPanel} markers
 * @property {import('../map/details.js').ColumnReader} valuesAt
 * @property {(at: Column) => string} addressAt returns the address that marks a place
 * @property {(at: Column) => void} writeAddress
 * @property {() => boolean} isBusy whether clicks measure or draw
 */

export class PlaceCard {
  #map;
  #page;
  #dot = L.circleMarker([0, 0], {
    radius: 6,
    weight: 2.5,
    color: '#fff',
    fillColor: '#d8483e',
    fillOpacity: 1,
    interactive: false,
  });
  /** @type {Place | null} */
  #marked = null;
  /** The number of requests for values. Only the last one may fill the card. */
  #requests = 0;

  /**
   * @param {L.Map} map
   * @param {CardPage} page
   */
  constructor(map, page) {
    this.#map = map;
    this.#page = page;
    this.#listenToButtons();
    this.#listenToMap();
  }

  #listenToButtons() {
    byId('copy-link').addEventListener('click', () => {
      if (!this.#marked) return;
      const page = location.href.replace(/#.*$/, '');
      copy(buttonById('copy-link'), page + this.#page.addressAt(this.#marked));
    });

    byId('copy-command').addEventListener('click', () => {
      if (!this.#marked) return;
      const { x, y, z } = this.#marked;
      copy(buttonById('copy-command'), `/tp @s ${x} ${y ?? '~'} ${z}`);
    });

    byId('unmark').addEventListener('click', () => {
      this.unmark();
      this.#map.getContainer().focus();
    });
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && this.#marked) this.unmark();
    });
  }

  #listenToMap() {
    const map = this.#map;
    let timer = 0;
    map.on('click', ({ originalEvent, containerPoint, latlng }) => {
      clearTimeout(timer);
      if (originalEvent.detail > 1 || this.#page.isBusy()) return;
      if (this.#page.markers.press(containerPoint)) return;
      timer = window.setTimeout(() => this.mark(columnAt(latlng)), DOUBLE_CLICK_MS);
    });
    map.on('dblclick', () => clearTimeout(timer));
    map.on('moment', () => {
      if (this.#marked && map.hasLayer(this.#dot)) this.#showValues(this.#marked);
    });
  }

  /**
   * Marks a column, or the place of a marker, and writes it into the address. The address names the
   * place until the map moves.
   *
   * @param {Place} at
   * @param {Marker | null} [marker]
   * @param {Marker[]} [atSamePlace] the markers that the dot of this one stands for
   */
  mark(at, marker = null, atSamePlace = []) {
    this.pin(at, marker, atSamePlace);
    this.#page.writeAddress(at);
  }

  /**
   * Marks a place without writing the address.
   *
   * @param {Place} at
   * @param {Marker | null} [marker]
   * @param {Marker[]} [atSamePlace]
   */
  pin(at, marker = null, atSamePlace = []) {
    this.#marked = at;
    if (marker) this.#dot.remove();
    else this.#dot.setLatLng(middleOf(at)).addTo(this.#map);

    const { markers } = this.#page;
    markers.highlight(marker);
    markers.fillCard(byId('place-marker'), marker, atSamePlace);
    describeColumn(byId('place-position'), at, marker ? positionText(marker) : undefined);
    byId('place-details').hidden = true;
    byId('place').hidden = false;
    if (marker) this.#requests += 1;
    else this.#showValues(at);
  }

  unmark() {
    this.#marked = null;
    this.#requests += 1;
    this.#dot.remove();
    this.#page.markers.highlight(null);
    byId('place').hidden = true;
  }

  /**
   * Reads and shows the details of the marked column.
   *
   * @param {Place} at
   */
  async #showValues(at) {
    this.#requests += 1;
    const request = this.#requests;
    const values = await this.#page.valuesAt(at);
    if (request !== this.#requests) return;

    const details = byId('place-details');
    details.hidden = !values;
    if (!values) return;
    // The block above is the place for a player's feet.
    at.y = values.y + 1;
    const chunk = translate('Chunk {version}, {inhabited}.', chunkTexts(values));
    details.textContent = `${columnTexts(values).join(' · ')}. ${chunk}`;
  }
}

/**
 * Describes a column by its position, its chunk and its region file.
 *
 * @param {HTMLElement} box
 * @param {Column} column
 * @param {string} [position] the position in words, if it is more exact than the column
 */
export function describeColumn(box, { x, z }, position = `x ${x}, z ${z}`) {
  const chunk = `[${Math.floor(x / CHUNK)}, ${Math.floor(z / CHUNK)}]`;
  const region = `r.${Math.floor(x / REGION)}.${Math.floor(z / REGION)}`;
  box.replaceChildren(
    element('b', '', position),
    element('i', '', translate('chunk {at}', { at: chunk })),
    element('i', '', region),
  );
}
