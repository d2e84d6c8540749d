// @ts-check

/*
 * Finds the places of a dimension that are reached from other dimensions by portals.
 */

/** The blocks of the overworld that one block of a dimension stands for. */
const BLOCKS_PER_BLOCK = /** @type {Record<string, number>} */ ({ the_nether: 8 });

/** @param {DimensionFacts} dimension */
export function blocksPerBlock(dimension) {
  return BLOCKS_PER_BLOCK[dimension.id] ?? 1;
}

/**
 * Returns whether portals lead from one dimension to the same place in the other.
 *
 * @param {DimensionFacts} a
 * @param {DimensionFacts} b
 */
export function arePortalsBetween(a, b) {
  return [a, b].every(({ id }) => id === 'overworld' || id in BLOCKS_PER_BLOCK);
}

/**
 * Returns the column in which players appear, or null if the map does not state it.
 *
 * @param {DimensionFacts} dimension
 * @returns {Column | null}
 */
export function spawnOf({ spawn }) {
  return Array.isArray(spawn) ? { x: spawn[0], z: spawn[2] } : null;
}

/**
 * Returns the column in which players arrive: the spawn, or the place to which portals next to the
 * overworld's spawn lead.
 *
 * @param {DimensionFacts} dimension
 * @param {DimensionFacts[]} dimensions
 * @returns {Column | null}
 */
export function arrivalIn(dimension, dimensions) {
  const own = spawnOf(dimension);
  if (own) return own;

  const home = dimensions.find((other) => spawnOf(other) && arePortalsBetween(other, dimension));
  const spawn = home && spawnOf(home);
  if (!spawn) return null;

  const scale = blocksPerBlock(dimension) / blocksPerBlock(home);
  return { x: Math.floor(spawn.x / scale), z: Math.floor(spawn.z / scale) };
}
