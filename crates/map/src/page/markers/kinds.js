// @ts-check

/*
 * Lists the kinds of markers, and how ids of the game are named and look.
 */

import { translate } from '../basics/language.js';
import { clean, spoken } from '../basics/names.js';

/**
 * The look of a kind.
 *
 * @typedef {object} Kind
 * @property {string} text
 * @property {string} colour
 * @property {string} symbol
 * @property {boolean} isOn whether the kind is shown at first
 * @property {number} named the zoom from which names are shown
 * @property {number} rank the lowest rank is shown first if room is short
 */

/** The rank of kinds whose names are shown even in a crowd: the spawn, and players online. */
export const OUTSTANDING_RANK = 0;

/**
 * The kinds from the world, in the order of their switches.
 *
 * @type {Record<string, Kind>}
 */
export const KINDS = {
  world: {
    text: 'Spawn and border', colour: '#e5484d', symbol: 'star', isOn: true, named: -4,
    rank: OUTSTANDING_RANK,
  },
  structures: {
    text: 'Structures', colour: '#6f63d9', symbol: 'tower', isOn: true, named: -1, rank: 3,
  },
  portals: {
    text: 'Portals', colour: '#a03fd9', symbol: 'portal', isOn: true, named: 1, rank: 4,
  },
  beds: {
    text: 'Beds', colour: '#d9546b', symbol: 'bed', isOn: false, named: 2, rank: 8,
  },
  bells: {
    text: 'Bells', colour: '#c98a12', symbol: 'bell', isOn: false, named: 2, rank: 7,
  },
  lodestones: {
    text: 'Lodestones', colour: '#54698a', symbol: 'compass', isOn: false, named: 2, rank: 6,
  },
  workstations: {
    text: 'Workstations', colour: '#3a8a66', symbol: 'hammer', isOn: false, named: 2, rank: 9,
  },
  points: {
    text: 'Other points', colour: '#76808d', symbol: 'dot', isOn: false, named: 2, rank: 9,
  },
  signs: {
    text: 'Signs', colour: '#a87434', symbol: 'sign', isOn: true, named: 1, rank: 5,
  },
  banners: {
    text: 'Banners', colour: '#5f7186', symbol: 'flag', isOn: true, named: 0, rank: 5,
  },
  waypoints: {
    text: 'Waypoints', colour: '#0f9a8a', symbol: 'dot', isOn: true, named: -2, rank: 1,
  },
  maps: {
    text: 'Maps on walls', colour: '#8a7a3a', symbol: 'flag', isOn: true, named: 2, rank: 6,
  },
  found: {
    text: 'Found blocks', colour: '#c2410c', symbol: 'cross', isOn: true, named: 1, rank: 2,
  },
  containers: {
    text: 'Containers', colour: '#8d5a2b', symbol: 'chest', isOn: true, named: 2, rank: 7,
  },
  online: {
    text: 'Players online', colour: '#2b84dc', symbol: 'player', isOn: true, named: -6,
    rank: OUTSTANDING_RANK,
  },
  players: {
    text: 'Players', colour: '#2b84dc', symbol: 'player', isOn: true, named: -2, rank: 2,
  },
};

/** The look of the owner's own markers. */
const OWN = { colour: '#0f9a8a', symbol: 'dot', isOn: true, named: -2, rank: 1 };
/** The look of kinds that this page does not know. */
const OTHER = { colour: '#76808d', symbol: 'dot', isOn: false, named: 2, rank: 9 };

/** Structures of several sorts. Their names consist of the family and the sort. */
const FAMILIES = [
  'abandoned_camp',
  'village',
  'ruined_portal',
  'ocean_ruin',
  'shipwreck',
  'mineshaft',
];

/** Matches the structures that are shown at first. */
const GREAT = new RegExp(
  '^(village|(ocean_)?monument|(woodland_)?mansion|stronghold|(nether_)?fortress|' +
    'bastion_remnant|end_city|ancient_city|trial_chambers)$',
);

/** Symbols and colours of structures, by their ids. */
const LOOKS = /** @type {[RegExp, string, string][]} */ ([
  [/^village/, 'house', '#b5772e'],
  [/mansion/, 'house', '#5d4037'],
  [/portal/, 'portal', '#8a4fc0'],
  [/shipwreck/, 'boat', '#2f7f95'],
  [/pyramid|temple/, 'pyramid', '#b8962f'],
  [/treasure/, 'cross', '#a3352f'],
]);

/**
 * Facts about an id of the game.
 *
 * @typedef {object} IdFacts
 * @property {string} words
 * @property {MarkerGroup} structure the switch of a structure with this id
 * @property {MarkerGroup} block the switch of a found block with this id
 * @property {string | undefined} symbol
 * @property {string | undefined} colour
 */

/** @type {Map<string, IdFacts>} */
const knownIds = new Map();

/**
 * Returns the facts about an id. A file has many markers with the same id.
 *
 * @param {string} id
 */
export function idFacts(id) {
  let facts = knownIds.get(id);
  if (!facts) {
    facts = findIdFacts(id);
    knownIds.set(id, facts);
  }
  return facts;
}

/**
 * @param {string} id
 * @returns {IdFacts}
 */
function findIdFacts(id) {
  const path = gamePath(id);
  if (path === null) {
    const text = clean(id, '?');
    const group = { text, isOn: false };
    const block = { text, isOn: true };
    return { words: text, structure: group, block, symbol: undefined, colour: undefined };
  }

  const [family] = splitFamily(path);
  const text = spoken(family);
  const [, symbol, colour] = LOOKS.find(([pattern]) => pattern.test(path)) ?? [];
  return {
    words: idWords(id),
    structure: { text, isOn: GREAT.test(family) },
    block: { text, isOn: true },
    symbol,
    colour,
  };
}

/**
 * Returns an id in words: `minecraft:village_plains` becomes `Village (plains)`. An id of a mod
 * stays.
 *
 * @param {string} id
 */
export function idWords(id) {
  const path = gamePath(id);
  if (path === null) return clean(id, '?');
  const [family, sort] = splitFamily(path);
  return sort ? `${spoken(family)} (${sort.replace(/_/g, ' ')})` : spoken(family);
}

/**
 * Returns an id of the game without its namespace and in lower case, because early versions of the
 * game wrote `TwoWords`. For an id of a mod it returns null.
 *
 * @param {string} id
 */
function gamePath(id) {
  const [, space, path] = /^(?:([^:]*):)?([^]*)$/.exec(id) ?? [];
  if (space !== undefined && space !== 'minecraft') return null;
  return path.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
}

/**
 * Returns the family of a structure and the sort within the family.
 *
 * @param {string} path
 */
function splitFamily(path) {
  const family = FAMILIES.find((name) => path === name || path.startsWith(`${name}_`));
  return family ? [family, path.slice(family.length + 1)] : [path, ''];
}

/**
 * Returns a kind in words.
 *
 * @param {string} kind
 */
export function kindText(kind) {
  return translate(KINDS[kind]?.text ?? spoken(kind));
}

/**
 * Returns the look of the markers in a file.
 *
 * @param {MarkerSource} source
 */
export function kindOf(source) {
  return source.isOwn ? OWN : KINDS[source.kind] ?? OTHER;
}
