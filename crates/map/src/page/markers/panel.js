// @ts-check

/*
 * Shows the markers of a dimension: their switches, the list with its search, and the layer on the
 * map.
 */

import { number, translate } from '../basics/language.js';
import { buttonOf, byId, element, inputById } from '../basics/page.js';
import { toggle } from '../basics/panel.js';
import { fillCard, markerButtons } from './card.js';
import { markerSources } from './files.js';
import { offerIcons } from './icons.js';
import { kindOf } from './kinds.js';
import { MarkerLayer } from './layer.js';
import { MarkerStore } from './store.js';
import { Switches } from './switches.js';
import { signElement } from './symbols.js';

/** Markers that the list shows. */
const MAX_LISTED = 50;

/**
 * Hears of a marker that the visitor has chosen. The view moves to it if `isFar`, and `atSamePlace`
 * has the markers that its dot stands for.
 *
 * @typedef {(marker: Marker, isFar: boolean, atSamePlace: Marker[]) => void} ChooseMarker
 */

/**
 * The parts of the page that the panel needs.
 *
 * @typedef {object} MarkerPage
 * @property {ChooseMarker} choose
 * @property {() => L.LatLng} centre returns the middle of the part of the window that is free
 * @property {(bounds: L.LatLngBounds) => boolean} showCloser shows an area larger, or returns false
 */

/**
 * The markers of a group, such as one type of structures: one of them, and their number.
 *
 * @typedef {{ group: MarkerGroup, marker: AnyMarker, count: number }} GroupRow
 */

export class MarkerPanel {
  #map;
  #page;
  #layer;
  #store;
  #switches = new Switches();
  /** @type {MarkerSource[]} */
  #sources = [];
  /** @type {Dimension | null} */
  #dimension = null;
  /**
   * The markers that the server of a world sends, by kind. The features are of all dimensions.
   *
   * @type {Map<string, { source: MarkerSource, features: any[] }>}
   */
  #live = new Map();
  /** Whether the present is shown instead of an earlier moment. */
  #isNow = true;
  /**
   * The shapes that the visitor has drawn.
   *
   * @type {MarkerSource | null}
   */
  #drawn = null;
  /** @type {AnyMarker[]} */
  #shown = [];
  #isUpdatePlanned = false;
  #areTypesOpen = false;

  /**
   * @param {L.Map} map
   * @param {MarkerPage} page
   */
  constructor(map, page) {
    this.#map = map;
    this.#page = page;
    this.#store = new MarkerStore(
      () => this.#updateSoon(),
      () => this.#showTroubles(),
    );
    this.#layer = new MarkerLayer(map, (hit, at) => this.#showHint(hit, at));

    const showList = () => this.#showList();
    byId('marker-search').addEventListener('input', showList);
    byId('marker-list').addEventListener('toggle', showList);
    map.on('moveend', () => {
      // Without a search the list is sorted by distance.
      if (inputById('marker-search').value === '') showList();
    });
  }

  // Sources

  /**
   * Shows the markers of a dimension. `past` has the files that differed at the shown moment.
   *
   * @param {MapFacts} facts
   * @param {Dimension} dimension
   * @param {Map<string, import('../map/moments.js').PastFile>} [past]
   */
  show(facts, dimension, past) {
    this.#dimension = dimension;
    this.#isNow = !past;
    offerIcons(facts, () => this.#updateSoon());
    // An archive is a single file, so files of markers next to it cannot exist.
    this.#sources = facts.archive ? [] : markerSources(facts, dimension, past);
    if (this.#drawn) this.#sources.unshift(this.#drawn);
    this.#addLive();
    this.#loadShown();

    const hasNames = this.#sources.length > 0;
    inputById('go-to').placeholder = hasNames
      ? translate('Go to x z or a name')
      : translate('Go to x z');
    this.#update();
  }

  /**
   * Shows the shapes that the visitor has drawn: the text of a file, or null without shapes.
   *
   * @param {string | null} content
   */
  showDrawn(content) {
    const before = this.#drawn;
    if (before) this.#store.forget(before);
    this.#sources = this.#sources.filter((source) => source !== before);

    this.#drawn = content === null ? null : drawnSource(content);
    if (this.#drawn) this.#sources.unshift(this.#drawn);
    if (!this.#dimension) return;
    if (this.#drawn && this.#isOn(this.#drawn)) this.#store.load(this.#drawn);
    else this.#update();
  }

  /**
   * Shows the markers of a kind that the server of a world sends, instead of the earlier ones.
   *
   * @param {string} kind
   * @param {string} text
   * @param {any[]} features
   */
  showLive(kind, text, features) {
    const source = this.#live.get(kind)?.source ?? liveSource(kind, text);
    this.#live.set(kind, { source, features });
    if (!this.#dimension) return;
    this.#addLive();
    this.#updateSoon();
  }

  /** Puts the markers of the server first, unless an earlier moment is shown. */
  #addLive() {
    const live = [...this.#live.values()];
    this.#sources = this.#sources.filter((one) => !live.some(({ source }) => source === one));

    for (const { source, features } of live) {
      const isHere = (/** @type {any} */ { properties }) =>
        properties.dimension === this.#dimension?.id;
      this.#store.set(source, features.filter(isHere));
      if (this.#isNow && features.length > 0) this.#sources.unshift(source);
    }
  }

  /** Loads the files of the kinds that are on. */
  #loadShown() {
    for (const source of this.#sources) {
      if (this.#isOn(source)) this.#store.load(source);
    }
  }

  /** Finds out whether the owner has changed the files that are on. */
  async lookForChanges() {
    const own = this.#sources.filter((source) => source.isOwn && source !== this.#drawn);
    const shown = own.filter((source) => this.#isOn(source));
    await Promise.all(shown.map((source) => this.#store.reload(source)));
  }

  // Switches

  /** @param {MarkerSource} source */
  #isOn(source) {
    return this.#switches.isOn(source.key, kindOf(source).isOn);
  }

  /**
   * @param {MarkerSource} source
   * @param {MarkerGroup} group
   */
  #isGroupOn(source, group) {
    return this.#switches.isOn(groupKey(source, group), group.isOn);
  }

  /**
   * @param {string} key
   * @param {boolean} isOn
   */
  #turn(key, isOn) {
    this.#switches.turn(key, isOn);
    this.#loadShown();
    this.#updateSoon();
  }

  // Updates

  /** Updates once after all changes that happen now. */
  #updateSoon() {
    if (this.#isUpdatePlanned) return;
    this.#isUpdatePlanned = true;
    queueMicrotask(() => {
      this.#isUpdatePlanned = false;
      this.#update();
    });
  }

  #update() {
    /** @type {PointMarker[]} */
    const points = [];
    /** @type {ShapeMarker[]} */
    const shapes = [];
    for (const source of this.#sources) {
      const file = this.#isOn(source) ? this.#store.markersOf(source) : null;
      points.push(...(file?.points ?? []).filter((marker) => this.#isShown(marker)));
      shapes.push(...(file?.shapes ?? []).filter((marker) => this.#isShown(marker)));
    }

    points.sort((a, b) => a.rank - b.rank || a.z - b.z || a.x - b.x);
    this.#shown = [...points, ...shapes];
    this.#layer.set(points, shapes);
    this.#showKinds();
    this.#showList();
  }

  /** @param {Marker} marker */
  #isShown(marker) {
    const { source, group } = marker;
    return this.#isHere(marker) && (!group || this.#isGroupOn(source, group));
  }

  /** @param {Marker} marker */
  #isHere({ source, dimension }) {
    return !source.isOwn || dimension === this.#dimension?.id;
  }

  #showTroubles() {
    const reasons = [];
    for (const source of this.#sources) {
      const trouble = this.#isOn(source) ? this.#store.troubleOf(source) : undefined;
      if (trouble) reasons.push(`${source.text}: ${trouble}`);
    }

    const box = byId('marker-trouble');
    box.hidden = reasons.length === 0;
    box.textContent = box.hidden
      ? ''
      : translate('Not shown: {reasons}.', { reasons: reasons.join('; ') });
  }

  // The switches in the panel

  #showKinds() {
    const box = byId('marker-kinds');
    /** @type {HTMLElement | null | undefined} */
    const focused = document.activeElement?.closest('#marker-kinds label');

    byId('markers').hidden = this.#sources.length === 0;
    const rows = [];
    for (const source of this.#sources) {
      rows.push(this.#kindRow(source));
      const groups = this.#groupBox(source);
      if (groups) rows.push(groups);
    }
    box.replaceChildren(...rows);

    // The switch that the visitor has just used was replaced by a new one.
    if (focused) focusSwitch(box, focused.dataset.key);
    this.#showTroubles();
  }

  /** @param {MarkerSource} source */
  #kindRow(source) {
    const row = this.#row(source.key, source.text, this.#isOn(source), this.#countOf(source));
    row.children[0].after(signElement(kindOf(source)));
    return row;
  }

  /**
   * Returns a switch with a count.
   *
   * @param {string} key
   * @param {string} text
   * @param {boolean} isOn
   * @param {number | null} count
   */
  #row(key, text, isOn, count) {
    const shownCount = element('span', 'count', count === null ? '' : number(count));
    const row = toggle(text, isOn, (now) => this.#turn(key, now), shownCount);
    row.dataset.key = key;
    return row;
  }

  /** @param {MarkerSource} source */
  #countOf(source) {
    if (!source.isOwn && source.count !== null) return source.count;
    const file = this.#store.markersOf(source);
    if (!file) return null;
    return [...file.points, ...file.shapes].filter((marker) => this.#isHere(marker)).length;
  }

  /**
   * Returns the switches of a source's groups, if it has groups.
   *
   * @param {MarkerSource} source
   */
  #groupBox(source) {
    const file = this.#isOn(source) ? this.#store.markersOf(source) : null;
    const markers = file ? [...file.points, ...file.shapes] : [];
    const groups = groupRows(markers.filter((marker) => this.#isHere(marker)));
    if (groups.length === 0) return null;

    const rows = groups.map(({ group, marker, count }) => {
      const isOn = this.#isGroupOn(source, group);
      const row = this.#row(groupKey(source, group), group.text, isOn, count);
      row.children[0].after(signElement(marker));
      return row;
    });
    const turnAll = (/** @type {boolean} */ isOn) => {
      for (const { group } of groups) this.#switches.turn(groupKey(source, group), isOn);
      this.#updateSoon();
    };
    const actions = element('div', 'actions');
    actions.append(
      buttonOf(translate('All'), () => turnAll(true)),
      buttonOf(translate('None'), () => turnAll(false)),
    );

    const box = element('details', 'groups');
    box.open = this.#areTypesOpen;
    box.addEventListener('toggle', () => {
      this.#areTypesOpen = box.open;
    });
    box.append(element('summary', '', translate('Types')), ...rows, actions);
    return box;
  }

  // The list

  #showList() {
    if (!(/** @type {HTMLDetailsElement} */ (byId('marker-list')).open)) return;

    const found = this.#search(inputById('marker-search').value);
    const buttons = markerButtons(found.slice(0, MAX_LISTED), (marker) =>
      this.#page.choose(marker, true, []),
    );
    byId('marker-found').replaceChildren(...buttons);

    const more = found.length - MAX_LISTED;
    let note = '';
    if (found.length === 0) note = translate('No marker that is on has this name.');
    else if (more > 0) note = translate('and {count} more', { count: number(more) });
    byId('marker-more').textContent = note;
  }

  /**
   * Returns the shown markers whose names contain a text: names that equal it first, then names
   * that begin with it, and the nearest of each first.
   *
   * @param {string} text
   */
  #search(text) {
    const wanted = text.trim().toLowerCase();
    const { lat, lng } = this.#page.centre();
    const hits = this.#shown
      .filter((marker) => marker.lower.includes(wanted))
      .map((marker) => ({
        marker,
        order: matchOrder(marker.lower, wanted),
        distance: Math.hypot(marker.x - lng, marker.z + lat),
      }));

    hits.sort((a, b) => a.order - b.order || a.distance - b.distance);
    return hits.map(({ marker }) => marker);
  }

  /**
   * Returns the shown marker that fits a text best.
   *
   * @param {string} text
   */
  find(text) {
    return text.trim() === '' ? null : this.#search(text)[0] ?? null;
  }

  // The map

  /**
   * Handles a click on the map, and returns whether it hit a marker. A dot of many markers leads to
   * a closer view, or to a choice if the markers are at the same place.
   *
   * @param {L.Point} at
   */
  press(at) {
    const hit = this.#layer.find(at);
    if (!hit) return false;

    byId('hint').hidden = true;
    if (hit.count === 1) {
      this.#page.choose(hit.marker, false, []);
      return true;
    }

    const markers = this.#layer.markersOf(hit);
    const bounds = L.latLngBounds(markers.map(({ centre: [x, z] }) => [-z, x]));
    if (!this.#page.showCloser(bounds)) this.#page.choose(hit.marker, false, markers);
    return true;
  }

  /**
   * Highlights a marker on the map.
   *
   * @param {Marker | null} marker
   */
  highlight(marker) {
    this.#layer.choose(marker);
  }

  /**
   * Fills the card of a marker.
   *
   * @param {HTMLElement} box
   * @param {Marker | null} marker
   * @param {Marker[]} atSamePlace
   */
  fillCard(box, marker, atSamePlace) {
    fillCard(box, marker, atSamePlace, (other) => this.#page.choose(other, false, atSamePlace));
  }

  /**
   * Shows the name of the marker under the mouse.
   *
   * @param {import('./layer.js').Hit | null} hit
   * @param {L.Point} [at]
   */
  #showHint(hit, at) {
    const hint = byId('hint');
    hint.hidden = !hit;
    this.#map.getContainer().classList.toggle('over-marker', Boolean(hit));
    if (!hit || !at) return;

    const { name } = hit.marker;
    const more = number(hit.count - 1);
    hint.textContent =
      hit.count > 1 ? translate('{name} and {count} more', { name, count: more }) : name;

    const room = this.#map.getSize();
    const left = Math.min(at.x + 14, room.x - hint.offsetWidth - 4);
    hint.style.left = `${Math.max(4, left)}px`;
    hint.style.top = `${Math.min(at.y + 16, room.y - hint.offsetHeight - 4)}px`;
  }
}

/**
 * @param {string} content
 * @returns {MarkerSource}
 */
function drawnSource(content) {
  const text = translate('Drawn here');
  return { key: 'drawn', kind: '', file: 'drawn', count: null, isOwn: true, text, content };
}

/**
 * @param {string} kind
 * @param {string} text
 * @returns {MarkerSource}
 */
function liveSource(kind, text) {
  const key = `live-${kind}`;
  const words = translate(text);
  return { key, kind, file: key, version: '', count: null, isOwn: false, text: words };
}

/**
 * Returns the key of a group's switch.
 *
 * @param {MarkerSource} source
 * @param {MarkerGroup} group
 */
function groupKey(source, group) {
  return `${source.key}/${group.text}`;
}

/**
 * Returns the groups of markers: the groups that are shown at first come first, and of these the
 * largest.
 *
 * @param {AnyMarker[]} markers
 */
function groupRows(markers) {
  /** @type {Map<string, GroupRow>} */
  const rows = new Map();
  for (const marker of markers) {
    const { group } = marker;
    if (!group) continue;
    const row = rows.get(group.text);
    if (row) row.count += 1;
    else rows.set(group.text, { group, marker, count: 1 });
  }

  const byImportance = (/** @type {GroupRow} */ a, /** @type {GroupRow} */ b) =>
    Number(b.group.isOn) - Number(a.group.isOn) || b.count - a.count;
  return [...rows.values()].sort(byImportance);
}

/**
 * @param {string} name
 * @param {string} wanted
 */
function matchOrder(name, wanted) {
  if (name === wanted) return 0;
  return name.startsWith(wanted) ? 1 : 2;
}

/**
 * @param {HTMLElement} box
 * @param {string | undefined} key
 */
function focusSwitch(box, key) {
  const labels = [...box.querySelectorAll('label')];
  const label = labels.find((one) => one.dataset.key === key);
  label?.querySelector('input')?.focus();
}
