// @ts-check

/*
 * Sorts the layers of a dimension by the way in which a page shows them, and names them.
 */

import { translate } from '../basics/language.js';
import { clean, spoken } from '../basics/names.js';

/** Blocks along the side of a chunk. */
export const CHUNK = 16;
/** Blocks along the side of a region, which is one native tile. */
export const REGION = 512;

/** @param {LayerFacts} layer */
export function hasTiles(layer) {
  const { tiles, lists } = layer;
  if (!tiles || Object.keys(lists ?? {}).length > 0) return true;
  return Object.values(tiles).some((rows) => rows.length > 0);
}

/**
 * Returns a dimension with its layers sorted: the layers among which the visitor chooses, the
 * overlays, and the layer of heights. If there are only overlays, the visitor chooses among them.
 *
 * @param {DimensionFacts} dimension
 * @returns {Dimension}
 */
export function sortedDimension(dimension) {
  const all = dimension.layers ?? [];
  const terrain = all.find((layer) => layer.encoding === 'terrarium' && hasTiles(layer));

  // Layers of numbers and heights are for programs. People would see almost one grey, or noise.
  const shown = all.filter((layer) => !layer.numbers && !layer.encoding);
  const layers = shown.filter((layer) => !layer.overlay);
  const overlays = shown.filter((layer) => layer.overlay);

  if (layers.length === 0) return { ...dimension, layers: overlays, overlays: [], terrain };
  return { ...dimension, layers, overlays: overlays.filter(hasTiles), terrain };
}

/**
 * Returns the dimension with an id.
 *
 * @param {Dimension[]} dimensions
 * @param {string | undefined} id
 */
export function findDimension(dimensions, id) {
  return dimensions.find((dimension) => dimension.id === id);
}

/**
 * Returns the layer with the first of these ids that the dimension has. Otherwise it returns the
 * first layer with tiles.
 *
 * @param {Dimension} dimension
 * @param {(string | undefined)[]} ids
 */
export function findLayer(dimension, ids) {
  for (const id of ids) {
    const layer = dimension.layers.find((one) => one.id === id);
    if (layer) return layer;
  }
  return dimension.layers.find(hasTiles);
}

/**
 * Returns the name of a layer for people.
 *
 * @param {LayerFacts} layer
 */
export function layerName({ id, heights }) {
  if (!Array.isArray(heights)) return translate(spoken(id));
  return translate('y {from} to {to}', { from: Number(heights[0]), to: Number(heights[1]) });
}

/**
 * Returns layers as entries of a choice.
 *
 * @param {LayerFacts[]} layers
 */
export function layerItems(layers) {
  return layers.map((layer) => ({ id: layer.id, text: layerName(layer) }));
}

/**
 * Returns dimensions as entries of a choice.
 *
 * @param {Dimension[]} dimensions
 */
export function dimensionItems(dimensions) {
  return dimensions.map(({ id, name }) => ({ id, text: translate(clean(name, id)) }));
}
