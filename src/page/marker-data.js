/* Markers out of GeoJSON files: which kinds there are, what they are called, and the points and shapes of a file.
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapMarkerData`. It knows files and nothing of
 * the page. What it reads may come from any player: whatever is not as expected is left out, and all text stays text.
 */

import { number, time, translate } from './language.js';
import { clean, spoken } from './panel.js';
import { readScript } from './tiles.js';

const FAR = 1 << 26; // no marker lies further out than this
const NAME = 200; // letters of a name that are kept
const TEXT = 4000; // letters of a description
const LINES = 16; // lines of a side of a sign
const ITEMS = 27; // kinds of items in a container

/** Kinds from the world in their order: what they are called, their look, whether they are on at first, the zoom from
 * which names are shown, and how important they are where there is room for one. */
const KINDS = {
  world: { text: 'Spawn and border', colour: '#e5484d', symbol: 'star', isOn: true, named: -4, rank: 0 },
  structures: { text: 'Structures', colour: '#6f63d9', symbol: 'tower', isOn: true, named: -1, rank: 3 },
  portals: { text: 'Portals', colour: '#a03fd9', symbol: 'portal', isOn: true, named: 1, rank: 4 },
  beds: { text: 'Beds', colour: '#d9546b', symbol: 'bed', isOn: false, named: 2, rank: 8 },
  bells: { text: 'Bells', colour: '#c98a12', symbol: 'bell', isOn: false, named: 2, rank: 7 },
  lodestones: { text: 'Lodestones', colour: '#54698a', symbol: 'compass', isOn: false, named: 2, rank: 6 },
  workstations: { text: 'Workstations', colour: '#3a8a66', symbol: 'hammer', isOn: false, named: 2, rank: 9 },
  points: { text: 'Other points', colour: '#76808d', symbol: 'dot', isOn: false, named: 2, rank: 9 },
  signs: { text: 'Signs', colour: '#a87434', symbol: 'sign', isOn: true, named: 1, rank: 5 },
  banners: { text: 'Banners', colour: '#5f7186', symbol: 'flag', isOn: true, named: 0, rank: 5 },
  waypoints: { text: 'Waypoints', colour: '#0f9a8a', symbol: 'dot', isOn: true, named: -2, rank: 1 },
  maps: { text: 'Maps on walls', colour: '#8a7a3a', symbol: 'flag', isOn: true, named: 2, rank: 6 },
  found: { text: 'Found blocks', colour: '#c2410c', symbol: 'cross', isOn: true, named: 1, rank: 2 },
  containers: { text: 'Containers', colour: '#8d5a2b', symbol: 'chest', isOn: true, named: 2, rank: 7 },
  online: { text: 'Players online', colour: '#2b84dc', symbol: 'player', isOn: true, named: -6, rank: 0 },
  players: { text: 'Players', colour: '#2b84dc', symbol: 'player', isOn: true, named: -2, rank: 2 },
};
/** Where a player looks, from 0 degrees on. */
const DIRECTIONS = ['south', 'south-west', 'west', 'north-west', 'north', 'north-east', 'east', 'south-east'];
const OWN = { colour: '#0f9a8a', symbol: 'dot', isOn: true, named: -2, rank: 1 };
const OTHER = { colour: '#76808d', symbol: 'dot', isOn: false, named: 2, rank: 9 };

/** Structures of several sorts: the sort stands behind the family's name. */
const FAMILIES = ['village', 'ruined_portal', 'ocean_ruin', 'shipwreck', 'mineshaft'];
/** The structures that are shown at first. */
const GREAT = /^(village|(ocean_)?monument|(woodland_)?mansion|stronghold|(nether_)?fortress|bastion_remnant|end_city|ancient_city|trial_chambers)$/;
const LOOKS = [
  [/^village/, 'house', '#b5772e'], [/mansion/, 'house', '#5d4037'], [/portal/, 'portal', '#8a4fc0'], [/shipwreck/, 'boat', '#2f7f95'],
  [/pyramid|temple/, 'pyramid', '#b8962f'], [/treasure/, 'cross', '#a3352f'],
];
/** What the owner may write for a dimension. */
const CALLED = { nether: 'the_nether', end: 'the_end', '-1': 'the_nether', 0: 'overworld', 1: 'the_end' };

/** An id of the game without its namespace, in one way of writing; null for a mod's. */
function gamePath(type) {
  const [, space, path] = /^(?:([^:]*):)?([^]*)$/.exec(type);
  if (space !== undefined && space !== 'minecraft') return null;
  return path.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
}

/** The family of a structure's id and what follows it. */
function familyOf(path) {
  const family = FAMILIES.find((name) => path === name || path.startsWith(`${name}_`));
  return family ? [family, path.slice(family.length + 1)] : [path, ''];
}

/** An id in words: `minecraft:village_plains` is `Village (plains)`, a mod's id stays as it is. */
function readable(type) {
  const path = gamePath(type);
  if (path === null) return clean(type, '?');
  const [family, sort] = familyOf(path);
  return sort ? `${spoken(family)} (${sort.replace(/_/g, ' ')})` : spoken(family);
}

/** What is known of an id: in words, the look of its structure, and the switch that it belongs to. */
const known = new Map();
function factsOf(type) {
  if (!known.has(type)) {
    const path = gamePath(type);
    const family = path === null ? null : familyOf(path)[0];
    const group = { text: family === null ? clean(type, '?') : spoken(family), isOn: family !== null && GREAT.test(family) };
    const look = (path !== null && LOOKS.find(([pattern]) => pattern.test(path))) || [];
    known.set(type, { words: readable(type), group, block: { text: group.text, isOn: true }, look });
  }
  return known.get(type);
}

/** A kind in words. */
const textOf = (kind) => translate((KINDS[kind] || {}).text || spoken(kind));

export const kindOf = (source) => (source.isOwn ? OWN : KINDS[source.kind] || OTHER);

/** Text for people in lines, without what could turn or hide it. */
function inLines(text) {
  const whole = typeof text === 'string' ? text.slice(0, TEXT) : '';
  return whole.split(/\r?\n/).map((line) => clean(line, '')).join('\n').trim();
}

const linesOf = (lines) => (Array.isArray(lines) ? lines.slice(0, LINES).map((line) => clean(String(line).slice(0, NAME), '')) : []);
const isPair = (at) => Array.isArray(at) && Number.isFinite(at[0]) && Number.isFinite(at[1]) && Math.abs(at[0]) <= FAR && Math.abs(at[1]) <= FAR;
/** A colour as text; a canvas takes no other, and leaves out what is none. */
const colourOf = (...texts) => texts.find((text) => typeof text === 'string' && text.length > 0 && text.length < 60);
const numberOf = (value, otherwise) => (Number.isFinite(value) ? Math.max(0, Math.min(40, value)) : otherwise);

/** The address of a link, if it leads to the web or to a file beside the page. */
export function linkOf(text) {
  if (typeof text !== 'string' || text.length > 2000) return null;
  try {
    const address = new URL(text, location.href);
    const isWeb = /^https?:$/.test(address.protocol);
    const isBeside = address.protocol === location.protocol && address.host === location.host && !/^[\s\u0000-\u001f]*\w+:/.test(text);
    return isWeb || isBeside ? address.href : null;
  } catch (_) {
    return null;
  }
}

function dimensionOf(name) {
  const id = typeof name === 'string' ? name.replace(/^minecraft:/, '') : 'overworld';
  return CALLED[id] || id;
}

/** What all markers have, from a feature's properties. */
function markerOf(source, properties) {
  const kind = kindOf(source);
  const type = typeof properties.type === 'string' ? properties.type.slice(0, NAME) : '';
  const facts = type ? factsOf(type) : null;
  const given = typeof properties.name === 'string' && properties.name !== type ? clean(properties.name.slice(0, NAME), '') : '';
  const count = source.kind === 'found' && properties.count > 1 ? ` × ${Number(properties.count)}` : '';
  const name = (given || (facts ? facts.words : source.text.replace(/s$/, ''))) + count;
  const group = (facts && { structures: facts.group, found: facts.block }[source.kind]) || null;
  const look = source.kind === 'structures' && group ? facts.look : [];
  const icon = source.isOwn ? clean(String(properties.icon || '').slice(0, 16), '') : '';
  const paint = (source.isOwn || source.kind === 'waypoints') && colourOf(properties.color, properties['marker-color'], properties.stroke, properties.fill);
  return {
    source, group, type, name, icon, properties,
    lower: [name, ...(source.kind === 'containers' ? itemsOf(properties) : [])].join('\n').toLowerCase(),
    rank: kind.rank + (group && !group.isOn ? 3 : 0),
    named: kind.named,
    symbol: look[1] || kind.symbol,
    colour: paint || look[2] || kind.colour,
    y: Number.isFinite(properties.y) ? Math.floor(properties.y) : null,
  };
}

/** The items of a container in words: `Diamond × 3`. */
function itemsOf({ items }) {
  const list = Array.isArray(items) ? items.slice(0, ITEMS).filter((item) => item && typeof item.type === 'string') : [];
  return list.map(({ type, count }) => `${readable(type.slice(0, NAME))}${count > 1 ? ` × ${number(Number(count))}` : ''}`);
}

/** What the card of a container lists: its items, or why it has none. */
function contentsOf(properties) {
  const { more, loot, book, effects } = properties;
  const items = itemsOf(properties);
  const list = (texts) => (Array.isArray(texts) ? texts.slice(0, 4).map((text) => readable(String(text).slice(0, NAME))) : []);
  return [
    [translate('Items'), more > 0 ? [...items, translate('and {count} more kinds', { count: number(Number(more)) })] : items],
    [translate('Not opened yet'), typeof loot === 'string' ? [readable(loot.slice(0, NAME))] : []],
    [translate('Book'), typeof book === 'string' ? [clean(book.slice(0, NAME), '')] : []],
    [translate('Effects'), list(effects)],
  ];
}

/** What the card of a marker tells beside its name and its place: titles with lines. */
export function detailLines(marker) {
  const { properties, source } = marker;
  if (source.isOwn) return [['', inLines(properties.description).split('\n')]].filter(([, lines]) => lines.some(Boolean));
  const turn = Number.isFinite(properties.yaw) ? DIRECTIONS[Math.round(properties.yaw / 45) & 7] : '';
  const seen = typeof properties.seen === 'string' ? new Date(properties.seen) : new Date(NaN);
  return [
    ...contentsOf(properties),
    [translate('Front'), linesOf(properties.front)],
    [translate('Back'), linesOf(properties.back)],
    ['', turn ? [translate('Looks {direction}', { direction: translate(turn) })] : []],
    ['', Number.isNaN(seen.getTime()) ? [] : [translate('Seen {time}', { time: time(seen) })]],
  ].filter(([, lines]) => lines.some(Boolean));
}

/** What a marker is, in words. */
export function typeOf(marker) {
  const words = marker.type ? factsOf(marker.type).words : marker.source.text;
  return words === marker.name ? marker.source.text : words;
}

/** A shape of lines or of rings, with the part of the plane that it takes. */
function shapeOf(base, parts, isArea) {
  const { properties, source } = base;
  const lines = parts.map((part) => (Array.isArray(part) ? part.filter(isPair) : [])).filter((part) => part.length > 1);
  if (lines.length === 0) return null;
  const bounds = [Infinity, Infinity, -Infinity, -Infinity];
  lines.forEach((line) => line.forEach(([x, z]) => {
    bounds[0] = Math.min(bounds[0], x);
    bounds[1] = Math.min(bounds[1], z);
    bounds[2] = Math.max(bounds[2], x);
    bounds[3] = Math.max(bounds[3], z);
  }));
  return Object.assign(base, {
    lines, bounds, isArea,
    x: Math.floor((bounds[0] + bounds[2]) / 2),
    z: Math.floor((bounds[1] + bounds[3]) / 2),
    stroke: source.isOwn ? colourOf(properties.stroke, properties.color, properties['marker-color']) || base.colour : base.colour,
    width: source.isOwn ? numberOf(properties['stroke-width'], 2.5) : 2,
    fill: isArea && source.isOwn ? colourOf(properties.fill, properties.color) || base.colour : null,
    opacity: Math.min(1, numberOf(properties['fill-opacity'], 0.2)),
    isDashed: !source.isOwn,
  });
}

/** The picture of a map item: markers name one of their file; those of earlier versions hold it themselves. */
function pictureOf({ images }, { image }) {
  const isNamed = images && typeof images === 'object' && Object.prototype.hasOwnProperty.call(images, image);
  const address = isNamed ? images[image] : image;
  return typeof address === 'string' && address.startsWith('data:image/png;base64,') ? address : null;
}

/** The points and shapes of a file, each with its dimension where the file is the owner's. */
export function readFeatures(source, collection) {
  if (!collection || !Array.isArray(collection.features)) throw new Error('it is no GeoJSON collection of features');
  const points = [];
  const shapes = [];
  collection.features.forEach((feature) => {
    const geometry = feature && feature.geometry;
    if (!geometry || !Array.isArray(geometry.coordinates)) return;
    const properties = feature.properties || {};
    const base = () => Object.assign(markerOf(source, properties), source.isOwn ? { dimension: dimensionOf(properties.dimension || collection.dimension) } : { picture: pictureOf(collection, properties) });
    // A whole number is a block, whose middle is shown.
    const centre = (value) => (Number.isInteger(value) ? value + .5 : value);
    const put = ([x, z]) => points.push(Object.assign(base(), { x: Math.floor(x), z: Math.floor(z), centre: [centre(x), centre(z)] }));
    const draw = (parts, isArea) => {
      const shape = shapeOf(base(), parts, isArea);
      if (shape) shapes.push(shape);
    };
    const at = geometry.coordinates;
    if (geometry.type === 'Point') [at].filter(isPair).forEach(put);
    else if (geometry.type === 'MultiPoint') at.filter(isPair).forEach(put);
    else if (geometry.type === 'LineString') draw([at], false);
    else if (geometry.type === 'MultiLineString') draw(at, false);
    else if (geometry.type === 'Polygon') draw(at, true);
    else if (geometry.type === 'MultiPolygon') draw(at.filter(Array.isArray).flat(), true);
  });
  return { points, shapes };
}

/** The kinds that were there at a moment: `then` has the files that were others, null: it was not there. */
function kindsThen(kinds, dimension, then) {
  const folder = `${dimension.path}/markers/`;
  const names = [...then].filter(([file, past]) => past && file.startsWith(folder) && file.endsWith('.geojson'));
  const others = names.map(([file, past]) => {
    const kind = file.slice(folder.length, -'.geojson'.length);
    return Object.assign({ key: kind, kind, file, count: null, isOwn: false, text: textOf(kind) }, past);
  });
  const same = kinds.filter(({ file }) => !then.has(file));
  const order = Object.keys(KINDS);
  return [...same, ...others].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

/** The kinds that a map has in a dimension, and the owner's files. `then` has the files of kinds that were others at the
 * moment that is shown; null: it is now. The owner's files are always those of now: they change without a run. */
export function sourcesOf(facts, dimension, then) {
  const isSource = (entry) => entry && typeof entry.file === 'string';
  const world = (dimension.markers || []).filter((entry) => isSource(entry) && typeof entry.kind === 'string').map((entry) => ({
    key: entry.kind, kind: entry.kind, file: entry.file, version: entry.version, count: Number(entry.count) || 0, isOwn: false,
    text: textOf(entry.kind),
  }));
  const own = (facts.markers || []).filter(isSource).map((entry) => ({
    key: entry.file, kind: '', file: entry.file, version: entry.version, count: null, isOwn: true,
    text: spoken(entry.file.split('/').pop().replace(/\.(geo)?json$/i, '')),
  }));
  return [...own, ...(then ? kindsThen(world, dimension, then) : world)];
}

window.pixelmapMarkers = window.pixelmapTiles;

const SCRIPTS = 3; // scripts that are kept
const scripts = new Map(); // all files at once, for a page from disk, which may read no other: those of now, and of moments

function fromScript(address) {
  if (!scripts.has(address)) {
    scripts.set(address, readScript(address).catch(() => {
      scripts.delete(address);
      throw new Error(`${address} cannot be read`);
    }));
    if (scripts.size > SCRIPTS) scripts.delete(scripts.keys().next().value);
  }
  return scripts.get(address);
}

/** The text of a file, or what a page from disk has of it. */
async function fetched(source) {
  if (source.content) return source.content;
  if (location.protocol === 'file:') {
    const all = await fromScript(source.script || 'markers.js');
    if (!Object.prototype.hasOwnProperty.call(all, source.file)) throw new Error('markers.js does not hold it');
    return all[source.file];
  }
  const address = source.address || source.file.split('/').filter(Boolean).map(encodeURIComponent).join('/');
  // The owner's files change without a run, so they are always asked for anew.
  const version = source.version && !source.isOwn ? `?v=${encodeURIComponent(source.version)}` : '';
  const response = await fetch(address + version, { cache: source.isOwn ? 'no-cache' : 'default' });
  if (!response.ok) throw new Error(`the host answers ${response.status}`);
  return response.text();
}

/** Reads a file; `before` is what was read of it last, which is given back if nothing changed. */
export async function loadMarkers(source, before) {
  const text = await fetched(source);
  if (before && before.text === text) return before;
  let collection;
  try {
    collection = JSON.parse(text);
  } catch (_) {
    throw new Error('it is no JSON');
  }
  return Object.assign(readFeatures(source, collection), { text: source.isOwn ? text : null });
}
