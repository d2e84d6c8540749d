// @ts-check

/*
 * Describes to MapLibre how a map is draped over its hills: sources, layers, light and sky.
 *
 * It does not know the page.
 */

import { collectionOf, markerLayers } from './marker-features.js';
import { maskSource, tileSource } from './tiles.js';

/** The metres of the earth that one block takes, so that slopes are true. */
const METRES_PER_BLOCK = 0.597164;
/** The colours of the page's background, as in viewer.css. */
const GROUND = { light: '#dfe3e8', dark: '#12151a' };
/** The colour of hills without a layer. */
const PLAIN = '#7d8a72';

/**
 * The light of the hills.
 *
 * @typedef {object} Light
 * @property {number} hour from 6 to 18
 * @property {number} exaggeration the factor of all heights
 * @property {boolean} isShaded
 */

/**
 * The view that a style shows. Without a layer it shows heights alone.
 *
 * @typedef {object} HillsView
 * @property {Dimension} dimension
 * @property {LayerFacts | null} layer
 * @property {LayerFacts[]} overlays
 * @property {any[]} features
 * @property {Light} light
 */

/**
 * Returns the shade of the hills at an hour. The light moves from the east in the morning over the
 * north to the west in the evening, because light from the south would make hills look like pits.
 * The lower it is, the stronger is the shade.
 *
 * @param {Light} light
 */
export function shadeAt({ hour }) {
  const height = Math.sin(((hour - 6) / 12) * Math.PI);
  return {
    'hillshade-illumination-anchor': 'map',
    'hillshade-illumination-direction': (360 + 90 - (hour - 6) * 15) % 360,
    'hillshade-exaggeration': 0.6 - 0.4 * height,
    'hillshade-shadow-color': 'rgba(0, 4, 20, .8)',
    'hillshade-highlight-color': 'rgba(255, 244, 214, .4)',
    'hillshade-accent-color': 'rgba(0, 4, 20, .3)',
  };
}

/**
 * @param {Light} light
 * @returns {'visible' | 'none'}
 */
export function shadeVisibility({ isShaded }) {
  return isShaded ? 'visible' : 'none';
}

/** @param {Light} light */
export function terrainAt({ exaggeration }) {
  return { source: 'heights', exaggeration: exaggeration * METRES_PER_BLOCK };
}

/**
 * Returns the style of a view.
 *
 * @param {MapFacts} facts
 * @param {HillsView} view
 * @returns {any}
 */
export function styleOf(facts, view) {
  const isLightPage = document.documentElement.dataset.theme === 'light';
  const ground = isLightPage ? GROUND.light : GROUND.dark;
  const { layer, overlays, light } = view;
  const shown = layer ? [layer, ...overlays] : overlays;

  return {
    version: 8,
    sources: sourcesOf(facts, view, shown, ground),
    layers: [
      ...(layer ? [] : [plainLayer()]),
      ...shown.map(({ path }) => rasterLayer(facts, path)),
      shadeLayer(light),
      ...(layer ? [rasterLayer(facts, 'mask')] : []),
      ...markerLayers(isLightPage),
    ],
    terrain: terrainAt(light),
    sky: skyOf(isLightPage, ground),
  };
}

/**
 * @param {MapFacts} facts
 * @param {HillsView} view
 * @param {LayerFacts[]} shown
 * @param {string} ground
 */
function sourcesOf(facts, { dimension, layer, features }, shown, ground) {
  const heights = { type: 'raster-dem', encoding: 'terrarium' };
  const terrain = /** @type {LayerFacts} */ (dimension.terrain);

  /** @type {Record<string, any>} */
  const sources = {
    // Smaller tiles make the mesh of the ground twice as fine.
    heights: tileSource(facts, terrain, { ...heights, tileSize: facts.tile_size / 2 }),
    // The shade needs tiles of other zoom levels than the ground, and so a source of its own.
    slopes: tileSource(facts, terrain, heights),
    markers: { type: 'geojson', data: collectionOf(features) },
  };
  for (const one of shown) sources[one.path] = tileSource(facts, one, { type: 'raster' });
  if (layer) sources.mask = maskSource(facts, layer, ground);
  return sources;
}

function plainLayer() {
  return { id: 'plain', type: 'background', paint: { 'background-color': PLAIN } };
}

/**
 * Returns a layer of tiles, with sharp edges where a block is larger than a pixel.
 *
 * @param {MapFacts} facts
 * @param {string} id
 */
function rasterLayer(facts, id) {
  const resampling = ['step', ['zoom'], 'linear', facts.native_zoom, 'nearest'];
  const paint = { 'raster-resampling': resampling, 'raster-fade-duration': 0 };
  return { id, type: 'raster', source: id, paint };
}

/** @param {Light} light */
function shadeLayer(light) {
  const layout = { visibility: shadeVisibility(light) };
  return { id: 'shade', type: 'hillshade', source: 'slopes', paint: shadeAt(light), layout };
}

/**
 * Returns the sky. The ground is free of fog, so the page is visible where nothing is drawn.
 *
 * @param {boolean} isLightPage
 * @param {string} ground
 */
function skyOf(isLightPage, ground) {
  return {
    'sky-horizon-blend': 0.6,
    'fog-ground-blend': 1,
    'sky-color': isLightPage ? '#8fb7e3' : '#1a2636',
    'horizon-color': ground,
    'fog-color': ground,
  };
}
