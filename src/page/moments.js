/* The moments of a map with history: the time line, and what tiles and markers were at each moment.
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapMoments`. It knows what lies below
 * `history`: the list of moments, which is read when the time line is opened or an address names a moment, and pieces
 * with the earlier versions of tiles and markers, which are read for what is in sight at another moment than now. A piece
 * that is not there has none. A version is shown until its moment comes; without a later one the newest is shown.
 */

import { time, translate } from './language.js';
import { clean } from './panel.js';
import { keeping, readScript } from './tiles.js';

const PIECE_ZOOM = 13; // the zoom level of which a tile is a piece
const KEPT = 128; // pieces that are kept
const STEP = 1000; // milliseconds for which a moment is shown while it plays
const REST = 120; // milliseconds that the slider rests before its moment is shown

const byId = (id) => document.getElementById(id);
const escaped = (path) => path.split('/').map(encodeURIComponent).join('/');
const versioned = (address, version) => address + (version ? `?v=${encodeURIComponent(version)}` : '');

window.pixelmapMoments = window.pixelmapPast = window.pixelmapTiles;

/** The versions in a piece, by tile or by path: each `[until, bytes, file]`, the oldest first. */
function byKey(entries) {
  const versions = new Map();
  entries.forEach((entry) => {
    // A tile is three numbers, and has the hash of its pixels, too.
    const parts = typeof entry[0] === 'string' ? 1 : 3;
    const key = entry.slice(0, parts).join('/');
    if (!versions.has(key)) versions.set(key, []);
    versions.get(key).push(entry.slice(parts, parts + 3));
  });
  return versions;
}
const pieceAt = keeping(KEPT, (address) => readScript(address).then(byKey));

/** What is kept of a version, with the ending of the file. */
const keptAt = (file, ending) => `history/objects/${file.slice(0, 2)}/${file}.${ending}?v=${file}`;

/** The version of a tile or file at a moment; undefined: the newest. */
const versionAt = (versions, moment) => versions.find(([until]) => until > moment.id);

/** Seconds since 1970 as `2026-05-01T02:00:00Z`. */
const timeText = (moment) => new Date(1000 * moment.time).toISOString().replace(/\.\d+/, '');

/** The moment that a text names: by its label, so many moments back (`-3`), or the last until its time. */
function find(list, text) {
  if (/^-\d+$/.test(text)) return list[Math.max(0, list.length - 1 + Number(text))];
  // A day is meant to its end.
  const end = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) + 86399999 : Date.parse(text);
  const until = Number.isNaN(end) ? [] : [list[0], ...list.filter((moment) => 1000 * moment.time <= end)];
  return list.filter((moment) => moment.label === text).pop() || until.pop() || list[list.length - 1];
}

/** The moments of a map. `page.showMoment` changes the page over to the moment that is shown, and promises to have done
 * so; `page.layers` returns what is on it. */
export function openMoments(map, firstFacts, page) {
  let facts = firstFacts;
  const own = document.querySelector('script[src^="map.js?v="]');
  let version = own && new URL(own.src).searchParams.get('v'); // changes with each moment
  let reading = null; // the list, once it is wanted
  let list = [];
  let chosen = null; // the moment that is shown, null: now; one of which only the text is known has a promise of its own
  let step = 0; // counts what ends a play
  let waiting = 0;

  const hasHistory = () => facts.history === true && !facts.archive;
  const last = () => list.length - 1;
  /** The place of the moment in the list; of one that is not known yet, and of now, the last one. */
  const place = () => (list.includes(chosen) ? list.indexOf(chosen) : last());

  // -- What was shown

  async function piecesThen(address, moment) {
    const { read } = await pieceAt(address);
    const then = await (moment.found || moment);
    return { read, then };
  }

  /** The address of a tile at a moment; null: it was not there; undefined: it is the newest. */
  async function tile(layer, moment, z, x, y) {
    const up = z - PIECE_ZOOM;
    const piece = up < 0 ? 'outer' : `${Math.floor(x / Math.pow(2, up))}_${Math.floor(y / Math.pow(2, up))}`;
    const { read, then } = await piecesThen(versioned(`history/${escaped(layer.path)}/${piece}.js`, layer.version), moment);
    const found = read && then && versionAt(read.get(`${z}/${x}/${y}`) || [], then);
    if (!found) return undefined;
    return found[1] === 0 ? null : keptAt(found[2], layer.format);
  }

  /** The files below a folder that were others at the moment that is shown, by path; null: it was not there. A page from
   * disk reads them from the script of then. */
  async function filesThen(folder) {
    const moment = chosen;
    const [top] = folder.split('/');
    const pieces = ['', `${top}/`].map((of) => piecesThen(versioned(`history/${escaped(of)}files.js`, version), moment));
    const [whole, below] = await Promise.all(pieces);
    const then = new Map();
    if (!below.read || !below.then) return then;
    const script = whole.read && versionAt(whole.read.get('markers.js') || [], below.then);
    below.read.forEach((versions, path) => {
      const found = versionAt(versions, below.then);
      if (!found) return;
      const kept = { version: found[2], address: keptAt(found[2], path.split('.').pop()), script: script && keptAt(script[2], 'js') };
      then.set(`${top}/${path}`, found[1] === 0 ? null : kept);
    });
    return then;
  }

  // -- Which moment is shown

  function read() {
    reading = reading || readScript(versioned('history/moments.js', version)).then(({ moments }) => {
      list = moments;
      byId('moment').max = String(last());
      showWords();
      return list;
    });
    reading.catch(() => {
      reading = null;
      byId('moment-time').textContent = translate('The list of moments cannot be read');
    });
    return reading;
  }

  function tellTime(moment) {
    const then = time(new Date(1000 * moment.time), { timeZone: 'UTC' });
    const label = clean(moment.label, '');
    byId('moment-time').textContent = `${then} UTC`;
    byId('moment-label').textContent = label;
    byId('moment').setAttribute('aria-valuetext', `${then} UTC ${label}`);
  }

  function showWords() {
    if (list.length === 0) return;
    byId('moment').value = String(place());
    tellTime(list[place()]);
    byId('earlier').disabled = place() === 0;
    byId('later').disabled = byId('now').disabled = place() === last();
    byId('compared-this').textContent = chosen ? byId('moment-time').textContent : translate('This map');
    count();
  }

  function count() {
    const isSeen = ({ left, right, top, bottom }) => right > 0 && bottom > 0 && left < window.innerWidth && top < window.innerHeight;
    const others = [...map.getPane('tilePane').querySelectorAll('.leaflet-tile.otherwise')];
    const tiles = others.filter((image) => isSeen(image.getBoundingClientRect())).length;
    const words = tiles === 1 ? translate('1 tile') : translate('{count} tiles', { count: tiles });
    byId('otherwise').textContent = chosen ? translate('Outline what has changed since ({tiles})', { tiles: words }) : translate('Outline what has changed since');
  }

  /** Shows the moment at a place of the list. */
  function show(at) {
    clearTimeout(waiting);
    const moment = list[Math.max(0, Math.min(last(), at))];
    const before = chosen;
    chosen = moment === list[last()] ? null : moment;
    showWords();
    return before === chosen ? Promise.resolve() : page.showMoment().then(count);
  }

  /** Shows the moment that a text of the address names, when the list is there; an empty text is now. */
  function seek(text) {
    rest();
    if (text === api.text()) return;
    chosen = null;
    showWords();
    if (!text || !hasHistory()) return;
    const pending = { text };
    pending.found = read().then(() => find(list, text)).catch(() => null);
    chosen = pending;
    unfold(true);
    pending.found.then((moment) => {
      if (chosen !== pending) return;
      chosen = moment === list[last()] ? null : moment;
      showWords();
      page.showMoment().then(count);
    });
  }

  // -- The time line

  function unfold(out) {
    byId('clock').setAttribute('aria-expanded', String(out));
    byId('time').hidden = !out;
    if (out) read().catch(() => {});
  }

  function rest() {
    step += 1;
    byId('play').setAttribute('aria-pressed', 'false');
    byId('play').setAttribute('aria-label', translate('Play'));
  }

  /** Shows one moment after the other, each when what it shows is there. */
  async function play() {
    rest();
    const own = step;
    byId('play').setAttribute('aria-pressed', 'true');
    byId('play').setAttribute('aria-label', translate('Pause'));
    let next = place() === last() ? 0 : place() + 1;
    for (; next <= last(); next += 1) {
      const ahead = page.layers().map((layer) => layer.loadAhead(list[next]));
      await Promise.all([...ahead, new Promise((resolve) => { setTimeout(resolve, STEP); })]).catch(() => {});
      if (own !== step) return;
      await show(next);
      if (own !== step) return;
    }
    rest();
  }

  const isPlaying = () => byId('play').getAttribute('aria-pressed') === 'true';
  const toggle = () => (isPlaying() ? rest() : read().then(play).catch(() => {}));
  const go = (at) => {
    rest();
    show(at());
  };

  const api = {
    /** What has the earlier versions of tiles; null for a map without history. */
    past: () => (hasHistory() ? { moment: () => chosen, tile } : null),
    moment: () => chosen,
    /** The moment as the address names it, empty: now. */
    text: () => (chosen ? chosen.text || timeText(chosen) : ''),
    filesThen,
    seek,
    /** Takes over newer facts, of this version; the moment that is shown stays. */
    renew(newer, newVersion) {
      facts = newer;
      version = newVersion;
      reading = null;
      byId('clock').hidden = !hasHistory();
      if (!hasHistory()) return;
      const text = api.text();
      if (text) {
        chosen = null;
        seek(text);
      } else if (!byId('time').hidden) read().catch(() => {});
    },
  };

  map.getContainer().querySelector('.leaflet-top.leaflet-left').append(byId('clock'));
  L.DomEvent.disableClickPropagation(byId('clock'));
  byId('clock').hidden = !hasHistory();
  byId('clock').addEventListener('click', () => {
    const out = byId('time').hidden;
    unfold(out);
    if (out) byId('moment').focus();
    else go(last);
  });
  byId('moment').addEventListener('input', () => {
    rest();
    const at = Number(byId('moment').value);
    tellTime(list[at]);
    clearTimeout(waiting);
    waiting = setTimeout(() => show(at), REST);
  });
  byId('earlier').addEventListener('click', () => go(() => place() - 1));
  byId('later').addEventListener('click', () => go(() => place() + 1));
  byId('now').addEventListener('click', () => go(last));
  byId('play').addEventListener('click', toggle);
  byId('outline').addEventListener('change', () => map.getContainer().classList.toggle('outlined', byId('outline').checked));
  byId('beside').addEventListener('click', () => {
    const asked = new URLSearchParams(location.search);
    if (asked.has('compare')) asked.delete('compare');
    else asked.set('compare', '.');
    location.search = asked;
  });
  document.addEventListener('keydown', (event) => {
    const takesSpace = event.target.closest('button, select, textarea, summary, a, input:not([type=range])');
    if (event.key !== ' ' || byId('time').hidden || takesSpace) return;
    event.preventDefault();
    toggle();
  });
  map.on('moveend', () => setTimeout(count, REST));
  return api;
}
