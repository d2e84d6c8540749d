// @ts-check

/*
 * Shows the legends of the shown layers, and lets the visitor choose entries: only columns with the
 * chosen colours stay coloured.
 */

import { translate } from '../basics/language.js';
import { buttonById, byId, element } from '../basics/page.js';
import { freeCentre } from './free-part.js';
import { colourFilter, svg } from './legend-filter.js';
import { colourBoxes, legendParts } from './legend-parts.js';
import { nearestColumn, nearestOf } from './nearest.js';
import { columnAt } from './plane.js';
import { hatchesUndrawn } from './tile-layer.js';
import { blocksText } from './tools.js';

/** @typedef {[LayerFacts, import('./tile-layer.js').TileLayer]} ShownLayer */

/**
 * The parts of the page that a legend needs.
 *
 * @typedef {object} LegendPage
 * @property {() => ShownLayer[]} layers the shown layers of this map
 * @property {() => ShownLayer[]} compared the shown layers of another map
 * @property {() => void} changed hears of a new choice
 * @property {(at: Column) => void} go shows a column
 */

export class Legend {
  #map;
  #page;
  /** The chosen texts, including texts of layers that are hidden now. */
  #chosen = new Set();
  /** The parts in the panel as text. */
  #shown = '';
  #isOuter = false;
  #isSearching = false;
  #filterCount = 0;
  #filters;

  /**
   * @param {L.Map} map
   * @param {LegendPage} page
   */
  constructor(map, page) {
    this.#map = map;
    this.#page = page;
    this.#filters = svg('svg', { class: 'filters', 'aria-hidden': 'true' });
    document.body.append(this.#filters);

    byId('nearest').addEventListener('click', () => this.#goToNearest());
    byId('all-colours').addEventListener('click', () => this.#clear());
    map.on('beside', () => this.#filter());
    map.on('zoomend', () => {
      if (this.#isOuter !== map.getZoom() < 0) this.#filter();
    });
  }

  /** Shows the legends of the layers that are shown now. */
  show() {
    const layers = this.#page.layers().map(([layer]) => layer);
    const parts = layers.flatMap(legendParts);
    const isHatched = layers.some(hatchesUndrawn);
    const shown = JSON.stringify([parts, isHatched]);
    if (shown !== this.#shown) {
      this.#shown = shown;
      byId('legend').hidden = parts.length === 0 && !isHatched;
      byId('legend-parts').replaceChildren(
        ...parts.flatMap((part) => this.#partElements(part)),
        ...(isHatched ? [hatchingElement()] : []),
      );
      byId('legend-actions').hidden = !parts.some((part) => part.isOffered);
    }
    this.#mark();
    this.#filter();
  }

  /**
   * Returns the texts of a layer's legend that may be chosen.
   *
   * @param {LayerFacts} layer
   */
  textsOf(layer) {
    return offeredParts(layer).flatMap((part) => part.entries.map(({ text }) => text));
  }

  /** Returns the chosen texts of the shown legends. */
  texts() {
    const all = this.#page.layers().flatMap(([layer]) => this.textsOf(layer));
    return all.filter((text) => this.#chosen.has(text));
  }

  /**
   * Chooses exactly these texts. `show` must follow.
   *
   * @param {string[]} texts
   */
  choose(texts) {
    this.#chosen = new Set(texts);
  }

  #clear() {
    for (const text of this.texts()) this.#chosen.delete(text);
    this.#change();
    byId('legend').querySelector('summary')?.focus();
  }

  /** @param {string} text */
  #toggle(text) {
    if (!this.#chosen.delete(text)) this.#chosen.add(text);
    this.#change();
  }

  #change() {
    this.#mark();
    this.#filter();
    this.#page.changed();
  }

  /** Marks the buttons of the chosen entries. */
  #mark() {
    const chosen = this.texts();
    for (const button of byId('legend-parts').querySelectorAll('button')) {
      button.setAttribute('aria-pressed', String(chosen.includes(button.value)));
    }
    buttonById('nearest').disabled = chosen.length === 0;
    buttonById('all-colours').disabled = chosen.length === 0;
    byId('legend-found').textContent = '';
  }

  /** Shows the tiles through filters that keep the chosen colours. */
  #filter() {
    this.#isOuter = this.#map.getZoom() < 0;
    const shown = [...this.#page.layers(), ...this.#page.compared()];

    if (this.texts().length === 0) {
      this.#filters.replaceChildren();
      for (const [, tiles] of shown) tiles.setFilter('');
      return;
    }

    // Each filter gets a new name, because browsers keep the results of an old name.
    const first = this.#filterCount;
    this.#filterCount += shown.length;
    const nameOf = (/** @type {number} */ at) => `filter-${first + at}`;
    const filters = shown.map(([layer], at) =>
      colourFilter(nameOf(at), this.#keptBoxes(layer, this.#isOuter)),
    );
    this.#filters.replaceChildren(...filters);
    shown.forEach(([, tiles], at) => tiles.setFilter(`url(#${nameOf(at)})`));
  }

  /**
   * Returns the boxes of a layer's chosen colours.
   *
   * @param {LayerFacts} layer
   * @param {boolean} isOuter
   */
  #keptBoxes(layer, isOuter) {
    return offeredParts(layer).flatMap((part) =>
      colourBoxes(part, isOuter).filter((_, at) => this.#chosen.has(part.entries[at].text)),
    );
  }

  async #goToNearest() {
    if (this.#isSearching) return;

    this.#isSearching = true;
    const result = byId('legend-found');
    result.textContent = translate('Searching');
    const chosen = String(this.texts());
    try {
      const nearest = await this.#findNearest(columnAt(freeCentre(this.#map)));
      // The visitor has made another choice meanwhile.
      if (String(this.texts()) !== chosen) return;
      if (nearest) this.#page.go({ x: nearest.x, z: nearest.z });
      result.textContent = nearest
        ? translate('{distance} away', { distance: blocksText(Math.round(nearest.distance)) })
        : translate('None is near');
    } catch (error) {
      result.textContent = translate('Not found: {reason}', { reason: error.message });
    } finally {
      this.#isSearching = false;
    }
  }

  /** @param {Column} from */
  async #findNearest(from) {
    const searches = [];
    for (const [layer, tiles] of this.#page.layers()) {
      const boxes = this.#keptBoxes(layer, false);
      if (boxes.length > 0) searches.push(nearestColumn(tiles, boxes, from));
    }
    return nearestOf(await Promise.all(searches));
  }

  /**
   * Returns the elements of a part: its title, and its colours with their texts.
   *
   * @param {import('./legend-parts.js').LegendPart} part
   */
  #partElements(part) {
    const list = element('ul');
    list.classList.toggle('offered', part.isOffered);
    list.classList.toggle('scale', part.scale);

    for (const { colour, text, label } of part.entries) {
      /** @type {(Node | string)[]} */
      const content = part.scale ? [label] : [swatch(colour), label];
      const item = element('li');
      item.append(...(part.isOffered ? [this.#button(text, content)] : content));
      list.append(item);
    }
    // A list may contain only entries, so the gradient of all is in the first one.
    if (part.scale) list.firstElementChild?.prepend(ramp(part.entries.map(({ colour }) => colour)));
    if (part.more) list.append(element('li', '', translate('and more')));
    return [element('h2', '', translate(part.title)), list];
  }

  /**
   * @param {string} text
   * @param {(Node | string)[]} content
   */
  #button(text, content) {
    const button = element('button');
    button.type = 'button';
    button.value = text;
    button.append(...content);
    button.addEventListener('click', () => this.#toggle(text));
    return button;
  }
}

/** @param {LayerFacts} layer */
function offeredParts(layer) {
  return legendParts(layer).filter((part) => part.isOffered);
}

/** Returns the line that explains the hatching of land that is not drawn. */
function hatchingElement() {
  const item = element('li');
  item.append(element('span', 'swatch hatched'), translate('unexplored or not drawn'));
  const list = element('ul', 'hatching');
  list.append(item);
  return list;
}

/** @param {string} colour */
function swatch(colour) {
  const made = element('span', 'swatch');
  made.style.background = colour;
  return made;
}

/**
 * Returns the gradient of a scale, with each colour in the middle of its entry's part.
 *
 * @param {string[]} colours
 */
function ramp(colours) {
  const stops = colours.map((colour, at) => `${colour} ${(100 * (at + 0.5)) / colours.length}%`);
  const made = element('span', 'ramp');
  made.style.background =
    stops.length > 1 ? `linear-gradient(${stops.join(',')})` : (colours[0] ?? '');
  return made;
}
