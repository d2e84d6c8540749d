// @ts-check

/*
 * Shows the time line of a map with history, and lets the visitor choose or play its moments.
 *
 * The list of moments is read when the time line is opened, or when an address names a moment.
 */

import { time, translate } from '../basics/language.js';
import { clean } from '../basics/names.js';
import { buttonById, byId, inputById } from '../basics/page.js';
import { History, findMoment, momentText } from '../map/moments.js';
import { shownVersion } from '../map/newer.js';

/** A moment is shown for this time while the moments are played. */
const STEP_MS = 1000;
/** The slider must rest for this time before its moment is shown. */
const REST_MS = 120;

/** @typedef {import('../map/moments.js').Moment} Moment */
/** @typedef {import('../map/moments.js').ChosenMoment} ChosenMoment */

/**
 * The parts of the page that the time line needs.
 *
 * @typedef {object} TimelinePage
 * @property {() => Promise<unknown>} showMoment changes the page to the moment of the time line
 * @property {() => import('./tile-layer.js').TileLayer[]} layers
 */

export class Timeline {
  #map;
  #page;
  #history;
  /** @type {Promise<Moment[]> | null} */
  #reading = null;
  /** @type {Moment[]} */
  #moments = [];
  /**
   * The moment that is shown; null is now.
   *
   * @type {ChosenMoment | null}
   */
  #chosen = null;
  /** The number of plays that have begun or ended. A play ends when it changes. */
  #plays = 0;
  #timer = 0;

  /**
   * @param {L.Map} map
   * @param {MapFacts} facts
   * @param {TimelinePage} page
   */
  constructor(map, facts, page) {
    this.#map = map;
    this.#page = page;
    this.#history = new History(facts, shownVersion());

    const clock = byId('clock');
    map.getContainer().querySelector('.leaflet-top.leaflet-left')?.append(clock);
    L.DomEvent.disableClickPropagation(clock);
    clock.hidden = !this.#history.exists;
    this.#listen();
  }

  #listen() {
    byId('clock').addEventListener('click', () => this.#toggleLine());
    byId('moment').addEventListener('input', () => this.#slide());
    byId('earlier').addEventListener('click', () => this.#go(this.#index() - 1));
    byId('later').addEventListener('click', () => this.#go(this.#index() + 1));
    byId('now').addEventListener('click', () => this.#go(this.#last()));
    byId('play').addEventListener('click', () => this.#togglePlay());

    byId('outline').addEventListener('change', () => {
      const isOn = inputById('outline').checked;
      this.#map.getContainer().classList.toggle('outlined', isOn);
    });
    byId('beside').addEventListener('click', toggleBesideNow);

    document.addEventListener('keydown', (event) => this.#pressKey(event));
    this.#map.on('moveend', () => setTimeout(() => this.#showCount(), REST_MS));
  }

  // Questions and orders of other parts

  /** Returns the earlier versions of tiles, or null for a map without history. */
  past() {
    if (!this.#history.exists) return null;
    const history = this.#history;
    return {
      moment: () => this.#chosen,
      /** @type {History['tile']} */
      tile: (layer, moment, z, x, y) => history.tile(layer, moment, z, x, y),
    };
  }

  moment() {
    return this.#chosen;
  }

  /** Returns the shown moment as addresses name it. For now that is an empty text. */
  text() {
    if (!this.#chosen) return '';
    return 'text' in this.#chosen ? this.#chosen.text : momentText(this.#chosen);
  }

  /**
   * Returns the files below a dimension's folder that differed at the shown moment.
   *
   * @param {string} folder
   * @param {ChosenMoment} moment
   */
  filesAt(folder, moment) {
    return this.#history.filesAt(folder, moment);
  }

  /**
   * Takes over the facts of a newer map. The shown moment stays.
   *
   * @param {MapFacts} facts
   * @param {string} version
   */
  renew(facts, version) {
    this.#history = new History(facts, version);
    this.#reading = null;
    byId('clock').hidden = !this.#history.exists;
    if (!this.#history.exists) return;

    const text = this.text();
    if (text) {
      this.#chosen = null;
      this.seek(text);
    } else if (!byId('time').hidden) {
      this.#read().catch(() => {});
    }
  }

  /**
   * Shows the moment that the address names, as soon as the list is read. An empty text is now.
   *
   * @param {string} text
   */
  seek(text) {
    this.#stop();
    if (text === this.text()) return;
    this.#chosen = null;
    this.#showWords();
    if (!text || !this.#history.exists) return;

    const found = this.#read().then(
      (moments) => findMoment(moments, text),
      () => null,
    );
    const pending = { text, found };
    this.#chosen = pending;
    this.#openLine(true);
    this.#settle(pending);
  }

  /**
   * Replaces a moment that the address names by the one that was found.
   *
   * @param {import('../map/moments.js').PendingMoment} pending
   */
  async #settle(pending) {
    const moment = await pending.found;
    if (this.#chosen !== pending) return;
    this.#choose(moment);
    await this.#page.showMoment();
    this.#showCount();
  }

  // The list

  #last() {
    return this.#moments.length - 1;
  }

  /** Returns the index of the shown moment. Now, or a moment that is not found yet, is the last. */
  #index() {
    const index = this.#moments.indexOf(/** @type {Moment} */ (this.#chosen));
    return index === -1 ? this.#last() : index;
  }

  #read() {
    this.#reading ??= this.#history.moments().then((moments) => {
      this.#moments = moments;
      inputById('moment').max = String(this.#last());
      this.#showWords();
      return moments;
    });
    this.#reading.catch(() => {
      // The next use of the time line tries again.
      this.#reading = null;
      byId('moment-time').textContent = translate('The list of moments cannot be read');
    });
    return this.#reading;
  }

  // The moment that is shown

  /** @param {Moment | null} moment */
  #choose(moment) {
    this.#chosen = moment === this.#moments[this.#last()] ? null : moment;
    this.#showWords();
  }

  /**
   * Shows the moment with this index.
   *
   * @param {number} index
   */
  async #show(index) {
    clearTimeout(this.#timer);
    const before = this.#chosen;
    this.#choose(this.#moments[Math.max(0, Math.min(this.#last(), index))]);
    if (before === this.#chosen) return;
    await this.#page.showMoment();
    this.#showCount();
  }

  /** @param {number} index */
  #go(index) {
    this.#stop();
    this.#show(index);
  }

  /** Shows the moment of the slider when the slider rests. */
  #slide() {
    this.#stop();
    const index = Number(inputById('moment').value);
    this.#showTime(this.#moments[index]);
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#show(index), REST_MS);
  }

  #showWords() {
    if (this.#moments.length === 0) return;
    const index = this.#index();
    const isLast = index === this.#last();
    inputById('moment').value = String(index);
    this.#showTime(this.#moments[index]);
    buttonById('earlier').disabled = index === 0;
    buttonById('later').disabled = isLast;
    buttonById('now').disabled = isLast;
    buttonById('play').disabled = this.#last() === 0;
    byId('compared-this').textContent = this.#chosen
      ? byId('moment-time').textContent
      : translate('This map');
    this.#showCount();
  }

  /** @param {Moment} moment */
  #showTime(moment) {
    const then = time(new Date(1000 * moment.time));
    const label = clean(moment.label, '');
    byId('moment-time').textContent = then;
    byId('moment-label').textContent = label;
    byId('moment').setAttribute('aria-valuetext', `${then} ${label}`);
  }

  /** Shows the number of visible tiles that have changed since the shown moment. */
  #showCount() {
    const changed = this.#map.getPane('tilePane')?.querySelectorAll('.leaflet-tile.otherwise');
    const count = [...(changed ?? [])].filter(isInWindow).length;
    const tiles = count === 1 ? translate('1 tile') : translate('{count} tiles', { count });
    byId('otherwise').textContent = this.#chosen
      ? translate('Outline what has changed since ({tiles})', { tiles })
      : translate('Outline what has changed since');
  }

  // The time line

  /** @param {boolean} isOpen */
  #openLine(isOpen) {
    byId('clock').setAttribute('aria-expanded', String(isOpen));
    byId('time').hidden = !isOpen;
    if (isOpen) this.#read().catch(() => {});
  }

  #toggleLine() {
    const isOpen = Boolean(byId('time').hidden);
    this.#openLine(isOpen);
    if (isOpen) byId('moment').focus();
    else this.#go(this.#last());
  }

  // Playing

  #isPlaying() {
    return byId('play').getAttribute('aria-pressed') === 'true';
  }

  /** @param {boolean} isPlaying */
  #showPlaying(isPlaying) {
    byId('play').setAttribute('aria-pressed', String(isPlaying));
    byId('play').setAttribute('aria-label', isPlaying ? translate('Pause') : translate('Play'));
  }

  #stop() {
    this.#plays += 1;
    this.#showPlaying(false);
  }

  #togglePlay() {
    if (this.#isPlaying()) {
      this.#stop();
    } else {
      const play = () => this.#play();
      this.#read().then(play, () => {});
    }
  }

  /** Shows one moment after another, each when its tiles are loaded. */
  async #play() {
    this.#stop();
    const play = this.#plays;
    const isOver = () => play !== this.#plays;
    this.#showPlaying(true);

    const first = this.#index() === this.#last() ? 0 : this.#index() + 1;
    for (let index = first; index <= this.#last(); index += 1) {
      await this.#loadAhead(this.#moments[index]);
      if (isOver()) return;
      await this.#show(index);
      if (isOver()) return;
    }
    this.#stop();
  }

  /**
   * Loads the tiles of a moment, for as long as the moment before is shown or longer.
   *
   * @param {Moment} moment
   */
  async #loadAhead(moment) {
    const loads = this.#page.layers().map((layer) => layer.loadAhead(moment));
    const step = new Promise((resolve) => {
      setTimeout(resolve, STEP_MS);
    });
    // A tile that cannot be loaded does not stop the play.
    await Promise.all([...loads, step]).catch(() => {});
  }

  /** @param {KeyboardEvent} event */
  #pressKey(event) {
    if (event.key !== ' ' || byId('time').hidden) return;
    // These elements use the space bar themselves.
    const users = 'button, select, textarea, summary, a, input:not([type=range])';
    if (/** @type {Element} */ (event.target).closest(users)) return;
    event.preventDefault();
    if (!buttonById('play').disabled) this.#togglePlay();
  }
}

/** @param {Element} element */
function isInWindow(element) {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return right > 0 && bottom > 0 && left < window.innerWidth && top < window.innerHeight;
}

/** Opens the page with the present map next to the shown moment, or without it. */
function toggleBesideNow() {
  const query = new URLSearchParams(location.search);
  if (query.has('compare')) query.delete('compare');
  else query.set('compare', '.');
  location.search = String(query);
}
