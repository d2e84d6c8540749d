/* Markers in the panel: which kinds are on, a list with a search, the card of a marker, and what went wrong.
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapMarkers`. It has the files loaded that are
 * needed, and hands their points to the layer. Names and texts of markers come from players: they are put into the page
 * as text alone.
 */

import { number, translate } from './language.js';
import { detailLines, kindOf, linkOf, loadMarkers, readFeatures, sourcesOf, typeOf } from './marker-data.js';
import { createMarkerLayer } from './marker-layer.js';
import { clean, recall, remember, toggle } from './panel.js';
import { symbolElement } from './symbols.js';

const LISTED = 50; // markers that the list shows
const CHOICE = 30; // markers of one place that a card offers
const KEPT = 'markers'; // the key of what is remembered

const byId = (id) => document.getElementById(id);

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** What was turned on or off by hand, by key. */
function choicesOfVisitor() {
  let known = null;
  try {
    known = JSON.parse(recall(KEPT));
  } catch (_) {
    // Whatever that was, it was not written here.
  }
  const turned = new Map(Object.entries(known && typeof known === 'object' ? known : {}));
  return {
    isOn: (key, otherwise) => (typeof turned.get(key) === 'boolean' ? turned.get(key) : otherwise),
    turn(key, on) {
      turned.set(key, on);
      remember(KEPT, JSON.stringify(Object.fromEntries(turned)));
    },
  };
}

/** Where a marker is, in words. */
const placeOf = (marker) => `x ${marker.x}${marker.y === null ? '' : `, y ${marker.y}`}, z ${marker.z}`;

/** The card's part about a marker. */
function about(marker) {
  const parts = [element('h2', '', marker.name), element('p', 'faint', typeOf(marker))];
  detailLines(marker).forEach(([title, lines]) => {
    if (title) parts.push(element('h3', '', title));
    parts.push(element('p', title ? 'lines sign-lines' : 'lines', lines.join('\n')));
  });
  if (marker.picture) {
    const picture = element('img', 'map-item');
    picture.src = marker.picture;
    picture.alt = '';
    parts.push(picture);
  }
  const address = marker.source.isOwn ? linkOf(marker.properties.link) : null;
  if (address) {
    const link = element('a', '', clean(address.replace(/^[a-z]+:\/\//i, ''), '?'));
    link.href = address;
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
    parts.push(link);
  }
  parts.forEach((part) => { part.dir = 'auto'; });
  return parts;
}

/** A list of markers as buttons. */
function buttons(markers, choose) {
  return markers.map((marker) => {
    const item = element('li');
    const button = element('button');
    button.type = 'button';
    const words = element('span', 'words', marker.name);
    words.dir = 'auto';
    words.append(element('small', '', `${typeOf(marker)} · ${marker.x}, ${marker.z}`));
    button.append(symbolElement(marker), words);
    button.addEventListener('click', () => choose(marker));
    item.append(button);
    return item;
  });
}

/** Markers for a map. `choose` is told of a marker that is to be shown, and whether the map is to go there. */
export function openMarkers(map, choose) {
  const chosen = choicesOfVisitor();
  const loaded = new Map(); // what is read of each file, by address
  const trouble = new Map(); // what went wrong, by the file's key
  let sources = [];
  let dimension = null;
  const live = new Map(); // what the server of a world sends, by kind: its source, and its features in all dimensions
  let isNow = true; // not an earlier moment
  let shown = { points: [], shapes: [] };
  let isWaiting = false;
  let drawn = null; // what the visitor has drawn, as a source of its own

  const hint = byId('hint');
  const layer = createMarkerLayer(map, (found, place) => {
    hint.hidden = !found;
    map.getContainer().classList.toggle('over-marker', Boolean(found));
    if (!found) return;
    hint.textContent = found.count > 1 ? translate('{name} and {count} more', { name: found.marker.name, count: number(found.count - 1) }) : found.marker.name;
    const room = map.getSize();
    hint.style.left = `${Math.max(4, Math.min(place.x + 14, room.x - hint.offsetWidth - 4))}px`;
    hint.style.top = `${Math.min(place.y + 16, room.y - hint.offsetHeight - 4)}px`;
  });

  const addressOf = (source) => `${source.file}?${source.isOwn ? '' : source.version}`;
  const isOn = (source) => chosen.isOn(source.key, kindOf(source).isOn);
  const groupKey = ({ source, group }) => `${source.key}/${group.text}`;
  const isGroupOn = (marker) => chosen.isOn(groupKey(marker), marker.group.isOn);
  const isHere = (marker) => !marker.source.isOwn || marker.dimension === dimension.id;
  const ofSource = (source) => {
    const known = loaded.get(addressOf(source));
    return known && known.points ? known : null;
  };

  // -- Files

  function tellTrouble() {
    const told = sources.filter((source) => trouble.has(source.key) && isOn(source)).map((source) => `${source.text}: ${trouble.get(source.key)}`);
    byId('marker-trouble').hidden = told.length === 0;
    byId('marker-trouble').textContent = told.length ? translate('Not shown: {reasons}.', { reasons: told.join('; ') }) : '';
  }

  /** Reads the file of a kind, if that is not done or under way; `anew` reads it again. */
  function need(source, anew) {
    const address = addressOf(source);
    const before = loaded.get(address);
    if (before && !(anew && before.points)) return Promise.resolve();
    const reading = loadMarkers(source, before).then((read) => {
      const isNew = read !== before || trouble.has(source.key);
      loaded.set(address, read);
      trouble.delete(source.key);
      if (isNew) updateSoon();
    }).catch((error) => {
      // What was read before stays.
      if (!before) loaded.delete(address);
      trouble.set(source.key, error.message);
      tellTrouble();
    });
    if (!before) loaded.set(address, reading);
    return reading;
  }

  // -- What is on

  /** Hands over what is on to the layer, once for all that changes at a time. */
  function updateSoon() {
    if (isWaiting) return;
    isWaiting = true;
    Promise.resolve().then(() => {
      isWaiting = false;
      update();
    });
  }

  function update() {
    const on = sources.filter(isOn).map(ofSource).filter(Boolean);
    const isWanted = (marker) => isHere(marker) && (!marker.group || isGroupOn(marker));
    const points = on.flatMap((read) => read.points.filter(isWanted));
    points.sort((a, b) => a.rank - b.rank || a.z - b.z || a.x - b.x);
    shown = { points, shapes: on.flatMap((read) => read.shapes.filter(isWanted)) };
    layer.set(shown.points, shown.shapes);
    showKinds();
    showList();
  }

  function turn(key, on) {
    chosen.turn(key, on);
    sources.filter(isOn).forEach((source) => need(source));
    updateSoon();
  }

  function countOf(source) {
    const read = ofSource(source);
    if (!source.isOwn && source.count !== null) return source.count;
    return read ? read.points.filter(isHere).length + read.shapes.filter(isHere).length : null;
  }

  /** A row with a switch, a sign and a count. */
  function row(key, text, on, count, marker) {
    const shownCount = element('span', 'count', count === null ? '' : number(count));
    const made = toggle(text, on, (now) => turn(key, now), shownCount);
    made.dataset.key = key;
    if (marker) made.children[0].after(symbolElement(marker));
    return made;
  }

  /** The groups of markers of a file, such as the types of structures: their first marker and their number, the most
   * numerous first. */
  function groupsOf(read) {
    const types = new Map();
    read.points.forEach((marker) => {
      if (!marker.group) return;
      const known = types.get(marker.group.text);
      if (known) known.count += 1;
      else types.set(marker.group.text, { marker, count: 1 });
    });
    return [...types.values()].sort((a, b) => b.marker.group.isOn - a.marker.group.isOn || b.count - a.count);
  }

  let unfolded = false;
  function groupBox(source) {
    const read = ofSource(source);
    if (!read || !isOn(source)) return [];
    const box = element('details', 'groups');
    const groups = groupsOf(read);
    if (groups.length === 0) return [];
    const rows = groups.map(({ marker, count }) => row(groupKey(marker), marker.group.text, isGroupOn(marker), count, marker));
    box.open = unfolded;
    box.addEventListener('toggle', () => { unfolded = box.open; });
    const turnAll = (on) => {
      groups.forEach(({ marker }) => chosen.turn(groupKey(marker), on));
      updateSoon();
    };
    const actions = element('div', 'actions');
    [[translate('All'), true], [translate('None'), false]].forEach(([text, on]) => {
      const button = element('button', '', text);
      button.type = 'button';
      button.addEventListener('click', () => turnAll(on));
      actions.append(button);
    });
    box.append(element('summary', '', translate('Types')), ...rows, actions);
    return [box];
  }

  function showKinds() {
    const focused = document.activeElement && document.activeElement.closest('#marker-kinds label');
    const key = focused && focused.dataset.key;
    byId('markers').hidden = sources.length === 0;
    byId('marker-kinds').replaceChildren(...sources.flatMap((source) => {
      const { colour, symbol } = kindOf(source);
      return [row(source.key, source.text, isOn(source), countOf(source), { colour, symbol }), ...groupBox(source)];
    }));
    // The switch that was just turned is a new one now.
    const again = key && [...byId('marker-kinds').querySelectorAll('label')].find((label) => label.dataset.key === key);
    if (again) again.querySelector('input').focus();
    tellTrouble();
  }

  // -- The list

  /** Markers that are on whose name holds the words: those that begin with them first, then the nearest. */
  function found(words) {
    const wanted = words.trim().toLowerCase();
    const centre = map.getCenter();
    const away = (marker) => Math.hypot(marker.x - centre.lng, marker.z + centre.lat);
    const hits = [...shown.points, ...shown.shapes].filter((marker) => marker.lower.includes(wanted));
    const order = hits.map((marker) => ({ marker, first: marker.lower === wanted ? 0 : marker.lower.startsWith(wanted) ? 1 : 2, away: away(marker) }));
    return order.sort((a, b) => a.first - b.first || a.away - b.away).map(({ marker }) => marker);
  }

  function showList() {
    if (!byId('marker-list').open) return;
    const hits = found(byId('marker-search').value);
    byId('marker-found').replaceChildren(...buttons(hits.slice(0, LISTED), (marker) => choose(marker, true)));
    const more = hits.length - LISTED;
    byId('marker-more').textContent = hits.length === 0 ? translate('No marker that is on has this name.') : more > 0 ? translate('and {count} more', { count: number(more) }) : '';
  }
  byId('marker-search').addEventListener('input', showList);
  byId('marker-list').addEventListener('toggle', showList);
  map.on('moveend', () => byId('marker-search').value === '' && showList());

  /** Puts what the server sends first among the kinds, unless an earlier moment is shown. */
  function addLive() {
    sources = sources.filter((source) => !live.has(source.kind) || live.get(source.kind).source !== source);
    [...live.values()].forEach(({ source, features }) => {
      const here = features.filter((feature) => feature.properties.dimension === dimension.id);
      loaded.set(addressOf(source), readFeatures(source, { features: here }));
      if (isNow && features.length > 0) sources.unshift(source);
    });
  }

  // -- The map

  /** Shows what a dot stands for: the marker, or a closer view of many, or a choice where they lie at one place. */
  function press(place) {
    const hit = layer.find(place);
    if (!hit) return false;
    hint.hidden = true;
    if (hit.count === 1) {
      choose(hit.marker, false);
      return true;
    }
    const all = layer.under(hit);
    const bounds = L.latLngBounds(all.map((marker) => [-marker.centre[1], marker.centre[0]]));
    const zoom = Math.min(map.getBoundsZoom(bounds, false, L.point(80, 80)), map.getMaxZoom());
    if (zoom > map.getZoom()) map.setView(bounds.getCenter(), zoom);
    else choose(hit.marker, false, all);
    return true;
  }

  return {
    /** Shows the markers of a dimension of a map; `then` has the files that were others at the moment that is shown. */
    show(facts, newDimension, then) {
      dimension = newDimension;
      // An archive is one file: nothing lies beside it.
      sources = [...(drawn ? [drawn] : []), ...(facts.archive ? [] : sourcesOf(facts, dimension, then))];
      isNow = !then;
      addLive();
      sources.filter(isOn).forEach((source) => need(source));
      byId('go-to').placeholder = sources.length > 0 ? translate('Go to x z or a name') : translate('Go to x z');
      update();
    },
    /** Shows what the visitor has drawn: the text of a file; null: nothing is drawn. */
    draw(content) {
      if (drawn) loaded.delete(addressOf(drawn));
      sources = sources.filter((source) => source !== drawn);
      drawn = content && { key: 'drawn', kind: '', file: 'drawn', count: null, isOwn: true, text: translate('Drawn here'), content };
      if (drawn) sources.unshift(drawn);
      if (!dimension) return;
      if (drawn && isOn(drawn)) need(drawn);
      else update();
    },
    /** Shows what the server of a world sends of a kind, instead of what it sent before. */
    showLive(kind, text, features) {
      const key = `live-${kind}`;
      const known = live.get(kind) || { source: { key, kind, file: key, version: '', count: null, isOwn: false, text: translate(text) } };
      live.set(kind, Object.assign(known, { features }));
      if (!dimension) return;
      addLive();
      updateSoon();
    },
    /** Looks whether the owner's files that are on are still the same. */
    look: () => Promise.all(sources.filter((source) => source.isOwn && source !== drawn && isOn(source)).map((source) => need(source, true))),
    press,
    choose: (marker) => layer.choose(marker),
    find: (words) => (words.trim() === '' ? null : found(words)[0] || null),
    /** Fills the card for a marker, or for one of several at its place. */
    fill(box, marker, all) {
      box.hidden = !marker;
      if (!marker) return;
      const others = (all || []).filter((other) => other !== marker).slice(0, CHOICE);
      const offered = element('ul', 'found');
      offered.append(...buttons(others, (other) => choose(other, false, all)));
      box.replaceChildren(...about(marker), ...(others.length ? [element('h3', '', translate('At the same place')), offered] : []));
    },
    placeOf,
  };
}
