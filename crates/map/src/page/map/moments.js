// @ts-check

/*
 * Reads the history of a map: its moments, and the versions of tiles and markers at each moment.
 *
 * The list of moments is one file. The earlier versions are in further files, one per piece of a
 * layer. If such a file is missing, nothing in that piece has earlier versions. A version is valid
 * until its moment; after the last one the newest file is valid.
 */

import { escapedPath, versioned } from './address.js';
import { keepingReader, readScript } from './data-scripts.js';

/** A piece has the tiles within one tile of this zoom level. */
const PIECE_ZOOM = 13;
const MAX_PIECES = 128;
const DAY_MS = 24 * 3600 * 1000;

/**
 * @typedef {object} Moment
 * @property {number} id
 * @property {number} time seconds since 1970
 * @property {string} [label]
 */

/**
 * A moment that the address names, while the list is being read.
 *
 * @typedef {object} PendingMoment
 * @property {string} text
 * @property {Promise<Moment | null>} found
 */

/** @typedef {Moment | PendingMoment} ChosenMoment */

/**
 * An earlier version: the id of the moment until which it was valid, its bytes (0 if the file did
 * not exist), and the name of the kept file.
 *
 * @typedef {[number, number, string]} Version
 */

/**
 * The version of a file of markers at a moment; null if the file did not exist.
 *
 * @typedef {{ version: string, address: string, script: string | undefined } | null} PastFile
 */

/**
 * The earlier versions of tiles, and the moment that a page shows. Without a moment the page shows
 * the newest tiles.
 *
 * @typedef {object} Past
 * @property {() => ChosenMoment | null} moment
 * @property {History['tile']} tile
 */

const pieceAt = keepingReader(MAX_PIECES, async (address) =>
  versionsByKey(await readScript(address)),
);

/**
 * Returns the versions in a piece, the oldest first. The key of a tile is `z/x/y`, and the key of a
 * file is its path.
 *
 * @param {any[][]} entries
 */
function versionsByKey(entries) {
  /** @type {Map<string, Version[]>} */
  const versions = new Map();
  for (const entry of entries) {
    const keyLength = typeof entry[0] === 'string' ? 1 : 3;
    const key = entry.slice(0, keyLength).join('/');
    const [until, bytes, file] = entry.slice(keyLength);

    const known = versions.get(key);
    if (known) known.push([until, bytes, file]);
    else versions.set(key, [[until, bytes, file]]);
  }
  return versions;
}

export class History {
  /**
   * @param {MapFacts} facts
   * @param {string | null} version the version of the facts, which changes with each moment
   */
  constructor(facts, version) {
    this.exists = facts.history === true && !facts.archive;
    this.version = version;
  }

  /** @returns {Promise<Moment[]>} */
  async moments() {
    const { moments } = await readScript(versioned('history/moments.js', this.version));
    return moments;
  }

  /**
   * Returns the address of a tile at a moment. It is null if the tile did not exist, and undefined
   * if the newest tile was there already.
   *
   * @param {LayerFacts} layer
   * @param {ChosenMoment} chosen
   * @param {number} z
   * @param {number} x
   * @param {number} y
   */
  async tile(layer, chosen, z, x, y) {
    const file = `history/${escapedPath(layer.path)}/${pieceName(z, x, y)}.js`;
    const { content } = await pieceAt(versioned(file, layer.version));
    const moment = await knownMoment(chosen);
    const version = moment && versionAt(content?.get(`${z}/${x}/${y}`), moment);
    return version && keptAddress(version, layer.format);
  }

  /**
   * Returns the files below a dimension's folder that differed at a moment, by path.
   *
   * @param {string} folder
   * @param {ChosenMoment} chosen
   * @returns {Promise<Map<string, PastFile>>}
   */
  async filesAt(folder, chosen) {
    const [top] = folder.split('/');
    const [whole, below] = await Promise.all([
      pieceAt(versioned('history/files.js', this.version)),
      pieceAt(versioned(`history/${escapedPath(top)}/files.js`, this.version)),
    ]);
    const moment = await knownMoment(chosen);
    /** @type {Map<string, PastFile>} */
    const files = new Map();
    if (!moment || !below.content) return files;

    // A page from disk reads the files from the script of that moment.
    const script = versionAt(whole.content?.get('markers.js'), moment);
    for (const [path, versions] of below.content) {
      const version = versionAt(versions, moment);
      if (version) files.set(`${top}/${path}`, pastFile(path, version, script));
    }
    return files;
  }
}

/**
 * Returns the moment that is chosen, or null if the address names a moment that cannot be found.
 *
 * @param {ChosenMoment} chosen
 */
async function knownMoment(chosen) {
  return 'found' in chosen ? chosen.found : chosen;
}

/**
 * Returns the name of the piece that has a tile.
 *
 * @param {number} z
 * @param {number} x
 * @param {number} y
 */
export function pieceName(z, x, y) {
  if (z < PIECE_ZOOM) return 'outer';
  const tiles = Math.pow(2, z - PIECE_ZOOM);
  return `${Math.floor(x / tiles)}_${Math.floor(y / tiles)}`;
}

/**
 * Returns the version that was valid at a moment, or undefined if the newest file was.
 *
 * @param {Version[] | undefined} versions
 * @param {Moment} moment
 */
export function versionAt(versions, moment) {
  return versions?.find(([until]) => until > moment.id);
}

/**
 * Returns the address of a version's file, or null if the file did not exist.
 *
 * @param {Version} version
 * @param {string} ending
 */
function keptAddress([, bytes, file], ending) {
  if (bytes === 0) return null;
  return `history/objects/${file.slice(0, 2)}/${file}.${ending}?v=${file}`;
}

/**
 * @param {string} path
 * @param {Version} version
 * @param {Version | undefined} script
 * @returns {PastFile}
 */
function pastFile(path, version, script) {
  const address = keptAddress(version, path.split('.').pop() ?? '');
  if (!address) return null;
  return {
    version: version[2],
    address,
    script: (script && keptAddress(script, 'js')) ?? undefined,
  };
}

/**
 * Returns the moment that a text means: a label, a number of moments back (`-3`), or a time, which
 * means the last moment until then. A day means its last moment. If nothing fits, the text means
 * the newest moment.
 *
 * @param {Moment[]} moments from the first to the newest
 * @param {string} text
 * @returns {Moment}
 */
export function findMoment(moments, text) {
  const last = moments.length - 1;
  if (/^-\d+$/.test(text)) return moments[Math.max(0, last + Number(text))];

  const labelled = moments.findLast((moment) => moment.label === text);
  if (labelled) return labelled;

  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const end = isDay ? Date.parse(text) + DAY_MS - 1 : Date.parse(text);
  if (Number.isNaN(end)) return moments[last];
  return moments.findLast((moment) => 1000 * moment.time <= end) ?? moments[0];
}

/**
 * Returns the time of a moment in the form of addresses: `2026-05-01T02:00:00Z`.
 *
 * @param {Moment} moment
 */
export function momentText(moment) {
  return new Date(1000 * moment.time).toISOString().replace(/\.\d+/, '');
}
