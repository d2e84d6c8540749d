// @ts-check

/*
 * Reads and writes the address of a view: `#dimension/layer/x/z/zoom`.
 *
 * Further parts follow in any order: `/pin` if the place is marked, `/tilt60` and `/turn30` if the
 * hills are seen from another side, `/only=TEXT` for each chosen entry of the legend, and `/@TIME`
 * for a moment other than now. Both pages of a map read all parts, and each ignores the parts that
 * it does not show.
 */

/** No block is further out than this, because zoom level 1 ends here. */
export const FAR = 1 << 25;

/** Other names that people write for dimensions. */
export const DIMENSION_NAMES = /** @type {Record<string, string>} */ ({
  nether: 'the_nether',
  end: 'the_end',
  '-1': 'the_nether',
  0: 'overworld',
  1: 'the_end',
});

/** Matches the parts that are known by their text and not by their position. */
const NAMED_PART = /^(@|only=|(tilt|turn)-?[\d.]+$)/;

const MAX_ZOOM = 30;
const MAX_TILT = 85;
const MAX_TURN = 180;

/**
 * The view that an address describes. Parts that are missing or wrong are undefined.
 *
 * @typedef {object} View
 * @property {string} dimension
 * @property {string | undefined} layer
 * @property {number | undefined} x
 * @property {number | undefined} z
 * @property {number | undefined} zoom
 * @property {boolean} isPinned
 * @property {number | undefined} tilt
 * @property {number | undefined} turn
 * @property {string} moment
 * @property {string[]} only
 */

/**
 * Returns the text of an escaped part, or `fallback` if an escape is broken, as in a link that was
 * cut off.
 *
 * @param {string} part
 * @param {string} fallback
 */
export function decoded(part, fallback) {
  try {
    return decodeURIComponent(part);
  } catch {
    return fallback;
  }
}

/**
 * Returns the address that a visitor typed, or null if browsers do not understand it.
 *
 * @param {string} text
 */
export function typedAddress(text) {
  try {
    return new URL(text, location.href);
  } catch {
    return null;
  }
}

/**
 * Returns a relative path with its segments escaped. A slash stays a slash, but a `#` or `%` in the
 * name of a folder must not end the address.
 *
 * @param {string} path
 */
export function escapedPath(path) {
  return path.split('/').map(encodeURIComponent).join('/');
}

/**
 * Returns a file's address with its version, if it has one.
 *
 * @param {string} address
 * @param {string | null | undefined} version
 */
export function versioned(address, version) {
  return version ? `${address}?v=${encodeURIComponent(version)}` : address;
}

/**
 * Returns the address of a view. `others` are the parts after the zoom.
 *
 * @param {{ id: string }} dimension
 * @param {{ id: string }} layer
 * @param {Column} at
 * @param {number} zoom
 * @param {string[]} others
 */
export function viewAddress(dimension, layer, at, zoom, others) {
  const parts = [dimension.id, layer.id, at.x, at.z, zoom, ...others];
  return `#${parts.map((part) => escapedPart(String(part))).join('/')}`;
}

/**
 * Escapes a part. Characters that make `namespace:path`, `only=text` and `@moment` readable stay.
 *
 * @param {string} text
 */
function escapedPart(text) {
  return encodeURIComponent(text)
    .replace(/%3A/gi, ':')
    .replace(/%3D/gi, '=')
    .replace(/%40/g, '@');
}

/**
 * Returns the view that an address describes.
 *
 * @param {string} hash
 * @returns {View}
 */
export function readAddress(hash) {
  const parts = hash
    .replace(/^#/, '')
    .split('/')
    .map((part) => decoded(part, ''));
  const named = parts.filter((part) => NAMED_PART.test(part));
  const [dimension = '', layer, x, z, zoom, pin] = parts.filter((part) => !NAMED_PART.test(part));
  const id = dimension.replace(/^minecraft:/, '');

  return {
    dimension: DIMENSION_NAMES[id] ?? id,
    layer,
    x: wholeNumber(x, FAR),
    z: wholeNumber(z, FAR),
    zoom: numberWithin(zoom, MAX_ZOOM),
    isPinned: pin === 'pin',
    tilt: numberWithin(valuesOf(named, 'tilt')[0], MAX_TILT),
    turn: numberWithin(valuesOf(named, 'turn')[0], MAX_TURN),
    moment: valuesOf(named, '@')[0] ?? '',
    only: valuesOf(named, 'only='),
  };
}

/**
 * Returns the values of the parts that begin with a name.
 *
 * @param {string[]} parts
 * @param {string} name
 */
function valuesOf(parts, name) {
  return parts.filter((part) => part.startsWith(name)).map((part) => part.slice(name.length));
}

/**
 * Returns the number in a text, at most `limit` from zero.
 *
 * @param {string | undefined} text
 * @param {number} limit
 */
function numberWithin(text, limit) {
  const value = text ? Number(text) : NaN;
  return Number.isFinite(value) ? Math.max(-limit, Math.min(limit, value)) : undefined;
}

/**
 * @param {string | undefined} text
 * @param {number} limit
 */
function wholeNumber(text, limit) {
  const value = numberWithin(text, limit);
  return value === undefined ? undefined : Math.round(value);
}
