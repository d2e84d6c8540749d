// @ts-check

/*
 * Lists the files of markers, and loads them.
 *
 * The world's files change with each run, so their addresses have versions. The owner's files
 * change at any time, so the page requests them again and again. A page from disk reads all of them
 * from one script.
 */

import { spoken } from '../basics/names.js';
import { escapedPath, versioned } from '../map/address.js';
import { readScript, removeOldest } from '../map/data-scripts.js';
import { readFeatures } from './features.js';
import { KINDS, kindText } from './kinds.js';

const ENDING = '.geojson';
/** Scripts that are kept: the present one, and scripts of moments. */
const MAX_SCRIPTS = 3;

/**
 * A file that was read. The text is kept for the owner's files, so that a change is noticed.
 *
 * @typedef {import('./features.js').Markers & { text: string | null }} LoadedFile
 */

/**
 * Returns the files of markers of a dimension, the owner's files first.
 *
 * @param {MapFacts} facts
 * @param {Dimension} dimension
 * @param {Map<string, import('../map/moments.js').PastFile>} [past] the files that differed at the
 * shown moment. The owner's files are always the present ones
 * @returns {MarkerSource[]}
 */
export function markerSources(facts, dimension, past) {
  const own = (facts.markers ?? []).filter(isFile).map(ownSource);
  const kinds = (dimension.markers ?? []).filter(isFile).flatMap(kindSource);
  return [...own, ...(past ? pastSources(kinds, dimension, past) : kinds)];
}

/** @param {any} entry */
function isFile(entry) {
  return typeof entry?.file === 'string';
}

/**
 * @param {MarkerFileFacts} entry
 * @returns {MarkerSource}
 */
function ownSource({ file, version }) {
  const name = file.split('/').pop() ?? file;
  const text = spoken(name.replace(/\.(geo)?json$/i, ''));
  return { key: file, kind: '', file, version, count: null, isOwn: true, text };
}

/**
 * @param {MarkerFileFacts} entry
 * @returns {MarkerSource[]}
 */
function kindSource({ kind, file, version, count }) {
  if (typeof kind !== 'string') return [];
  const text = kindText(kind);
  return [{ key: kind, kind, file, version, count: Number(count) || 0, isOwn: false, text }];
}

/**
 * Returns the kinds that existed at a moment.
 *
 * @param {MarkerSource[]} kinds
 * @param {Dimension} dimension
 * @param {Map<string, import('../map/moments.js').PastFile>} past
 */
function pastSources(kinds, dimension, past) {
  const sources = kinds.filter(({ file }) => !past.has(file));
  const folder = `${dimension.path}/markers/`;

  for (const [file, then] of past) {
    if (!then || !file.startsWith(folder) || !file.endsWith(ENDING)) continue;
    const kind = file.slice(folder.length, -ENDING.length);
    const text = kindText(kind);
    sources.push({ key: kind, kind, file, count: null, isOwn: false, text, ...then });
  }

  const order = Object.keys(KINDS);
  return sources.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

/**
 * Reads a file. If nothing has changed since it was read before, the result is `before`.
 *
 * @param {MarkerSource} source
 * @param {LoadedFile} [before]
 * @returns {Promise<LoadedFile>}
 */
export async function loadMarkers(source, before) {
  const text = await sourceText(source);
  if (before?.text === text) return before;

  let collection;
  try {
    collection = JSON.parse(text);
  } catch {
    throw new Error('it is no JSON');
  }
  return { ...readFeatures(source, collection), text: source.isOwn ? text : null };
}

/**
 * @param {MarkerSource} source
 * @returns {Promise<string>}
 */
async function sourceText(source) {
  if (source.content) return source.content;
  if (location.protocol === 'file:') return textInScript(source);

  const address = source.address ?? escapedPath(source.file);
  const response = source.isOwn
    ? await fetch(address, { cache: 'no-cache' })
    : await fetch(source.address ? address : versioned(address, source.version));
  if (!response.ok) throw new Error(`the host answers ${response.status}`);
  return response.text();
}

/** @type {Map<string, Promise<Record<string, string>>>} */
const scripts = new Map();

/** @param {MarkerSource} source */
async function textInScript(source) {
  const files = await scriptAt(source.script || 'markers.js');
  if (!Object.hasOwn(files, source.file)) throw new Error('markers.js does not hold it');
  return files[source.file];
}

/**
 * Returns the texts of all files of markers.
 *
 * @param {string} address
 */
function scriptAt(address) {
  let script = scripts.get(address);
  if (!script) {
    script = readScript(address).catch(() => {
      scripts.delete(address);
      throw new Error(`${address} cannot be read`);
    });
    scripts.set(address, script);
    if (scripts.size > MAX_SCRIPTS) removeOldest(scripts);
  }
  return script;
}
