// @ts-check

/*
 * Makes names of worlds, players and the game fit for one line of a page.
 */

/**
 * Returns a name without control characters, marks that turn the direction of writing, and colour
 * codes of the game. If nothing is left, it returns `fallback`.
 *
 * @param {unknown} name
 * @param {string} fallback
 */
export function clean(name, fallback) {
  const text = String(name ?? '')
    .replace(/\u00a7./g, '')
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ' ')
    .trim();
  return text || fallback;
}

/**
 * Returns an id in words: `the_nether` becomes `The nether`.
 *
 * @param {string} id
 */
export function spoken(id) {
  return clean(id.charAt(0).toUpperCase() + id.slice(1).replace(/_/g, ' '), '?');
}

/**
 * Returns the id of a block or biome in words. The namespace of a mod or data pack follows in
 * parentheses: `create:brass_casing` becomes `Brass casing (create)`.
 *
 * @param {string} id
 */
export function gameName(id) {
  const [name, namespace] = id.split(/:(.*)/s, 2).reverse();
  const words = spoken(name);
  return namespace === undefined || namespace === 'minecraft'
    ? words
    : `${words} (${clean(namespace, '?')})`;
}
