/* The address of a place on the map: #dimension/layer/x/z/zoom, then /pin where a place is marked, /tilt60 and /turn30 where
 * the hills are seen from another side, /only= with each entry of the legend that is chosen, and /@ with the time of the
 * moment where that is not now.
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapAddress`. Both pages of a map read it, and
 * each leaves out what it does not show.
 */

export const FAR = 1 << 25; // no block lies further out than this: level 1 ends here
const CALLED = { nether: 'the_nether', end: 'the_end', '-1': 'the_nether', 0: 'overworld', 1: 'the_end' };
const NAMED = /^(@|only=|(tilt|turn)-?[\d.]+$)/; // the parts whose place does not count

/** A segment of the address: escaped where it must be, while `namespace:path`, `only=text` and `@moment` stay readable. */
const segment = (text) => encodeURIComponent(text).replace(/%3A/gi, ':').replace(/%3D/gi, '=').replace(/%40/g, '@');

/** The text of a part of an address; `fallback` if an escape is broken, as when a link was cut off. */
export function decoded(part, fallback) {
  try {
    return decodeURIComponent(part);
  } catch (_) {
    return fallback;
  }
}

/** The address that a visitor has typed; null: browsers do not understand it. */
export function typedAddress(text) {
  try {
    return new URL(text, location.href);
  } catch (_) {
    return null;
  }
}

/** `more` are parts behind the place, such as `pin`. */
export function writeAddressOf(dimension, layer, at, zoom, more) {
  return `#${[dimension.id, layer.id, at.x, at.z, zoom, ...more].map(segment).join('/')}`;
}

/** What an address asks for; what it leaves out or gets wrong is undefined. */
export function readAddress(hash) {
  const all = hash.replace(/^#/, '').split('/').map((part) => decoded(part, ''));
  const parts = all.filter((part) => !NAMED.test(part));
  const allNamed = (name) => all.filter((part) => NAMED.test(part) && part.startsWith(name)).map((part) => part.slice(name.length));
  const named = (name) => allNamed(name)[0] || '';
  const number = (text, limit) => {
    const value = text === undefined || text === '' ? NaN : Number(text);
    return Number.isFinite(value) ? Math.max(-limit, Math.min(limit, value)) : undefined;
  };
  const whole = (text, limit) => {
    const value = number(text, limit);
    return value === undefined ? undefined : Math.round(value);
  };
  const dimension = (parts[0] || '').replace(/^minecraft:/, '');
  return {
    dimension: CALLED[dimension] || dimension,
    layer: parts[1],
    x: whole(parts[2], FAR),
    z: whole(parts[3], FAR),
    zoom: number(parts[4], 30),
    isPinned: parts[5] === 'pin',
    tilt: number(named('tilt'), 85),
    turn: number(named('turn'), 180),
    moment: named('@'),
    only: allNamed('only='),
  };
}
