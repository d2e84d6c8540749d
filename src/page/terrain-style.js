/* What MapLibre draws of a map with heights: its layers, their light, and markers as features.
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapTerrainStyle`. It knows MapLibre's styles and
 * the facts of map.js, and nothing of the page.
 */

import { detailLines, kindOf, loadMarkers, typeOf } from './marker-data.js';
import { maskOf, onEarth, sourceOf } from './terrain-tiles.js';

const BLOCK = 0.597164; // metres of the earth that a block takes: so many make slopes true
const FONT = 'system-ui, sans-serif';
const GROUND = { light: '#dfe3e8', dark: '#12151a' }; // of the page, as in viewer.css

// ---- Markers ---------------------------------------------------------------------------------------------------

export const collection = (features) => ({ type: 'FeatureCollection', features });

function featureOf(marker, geometry, more) {
  const lines = detailLines(marker).flatMap(([title, told]) => [title, ...told]).filter(Boolean);
  const words = [typeOf(marker), ...lines].join('\n');
  return { type: 'Feature', geometry, properties: Object.assign({ name: marker.name, rank: marker.rank, colour: marker.colour, words }, more) };
}

const pointFeature = (marker) => featureOf(marker, { type: 'Point', coordinates: onEarth(...marker.centre) });

function shapeFeature(marker) {
  const { lines, isArea, isDashed, stroke, width, fill, opacity } = marker;
  const coordinates = lines.map((line) => line.map(([x, z]) => onEarth(x, z)));
  const geometry = isArea ? { type: 'Polygon', coordinates } : { type: 'MultiLineString', coordinates };
  return featureOf(marker, geometry, { stroke, width, isDashed, fill: fill || '', opacity: fill ? opacity : 0 });
}

/** The features of a file of markers, as far as they are shown at first in this dimension. */
export async function featuresOf(source, dimension) {
  const isHere = (marker) => (!marker.source.isOwn || marker.dimension === dimension.id) && (!marker.group || marker.group.isOn);
  const { points, shapes } = await loadMarkers(source);
  return [...shapes.filter(isHere).map(shapeFeature), ...points.filter(isHere).map(pointFeature)];
}

export const isOnAtFirst = (source) => kindOf(source).isOn;

function markerLayers(isLight) {
  const colour = (key) => ['to-color', ['get', key], '#0f9a8a'];
  const isShape = ['has', 'stroke'];
  const paint = { 'line-color': colour('stroke'), 'line-width': ['get', 'width'] };
  return [
    {
      id: 'areas', type: 'fill', source: 'markers', filter: ['all', ['==', ['geometry-type'], 'Polygon'], ['!=', ['get', 'fill'], '']],
      paint: { 'fill-color': colour('fill'), 'fill-opacity': ['get', 'opacity'] },
    },
    { id: 'lines', type: 'line', source: 'markers', filter: ['all', isShape, ['!', ['get', 'isDashed']]], paint },
    { id: 'dashes', type: 'line', source: 'markers', filter: ['all', isShape, ['get', 'isDashed']], paint: Object.assign({ 'line-dasharray': [3, 2] }, paint) },
    {
      id: 'points', type: 'circle', source: 'markers', filter: ['!', isShape],
      paint: { 'circle-radius': 5, 'circle-color': colour('colour'), 'circle-stroke-color': '#fff', 'circle-stroke-width': 1.5 },
    },
    {
      id: 'names', type: 'symbol', source: 'markers', filter: ['!', isShape],
      layout: {
        'text-field': ['get', 'name'], 'text-font': [FONT], 'text-size': 13, 'text-anchor': 'top', 'text-offset': [0, .6],
        'text-max-width': 12, 'symbol-sort-key': ['get', 'rank'],
      },
      paint: { 'text-color': isLight ? '#1b212b' : '#fff', 'text-halo-color': isLight ? '#fff' : '#12151a', 'text-halo-width': 1.5 },
    },
  ];
}

// ---- The style -------------------------------------------------------------------------------------------------

/** The shade of the hills at an hour: light comes from the east in the morning, over the north, from the west in the
 * evening, and the lower it is the stronger is the shade. From the south it would make pits of hills. */
export function shadeAt({ hour }) {
  const height = Math.sin((hour - 6) / 12 * Math.PI);
  return {
    'hillshade-illumination-anchor': 'map',
    'hillshade-illumination-direction': (360 + 90 - (hour - 6) * 15) % 360,
    'hillshade-exaggeration': 0.6 - 0.4 * height,
    'hillshade-shadow-color': 'rgba(0, 4, 20, .8)',
    'hillshade-highlight-color': 'rgba(255, 244, 214, .4)',
    'hillshade-accent-color': 'rgba(0, 4, 20, .3)',
  };
}

export const visibility = ({ isShaded }) => (isShaded ? 'visible' : 'none');
export const groundAt = ({ exaggeration }) => ({ source: 'heights', exaggeration: exaggeration * BLOCK });

/** A layer of tiles, in crisp squares where blocks are larger than a pixel. */
const rasterLayer = (facts, id) => ({
  id, type: 'raster', source: id, paint: { 'raster-resampling': ['step', ['zoom'], 'linear', facts.native_zoom, 'nearest'], 'raster-fade-duration': 0 },
});

/** The style of `layer` and those that lie `over` it, draped over the heights of their dimension. Without a layer there are
 * heights alone. */
export function styleOf(facts, { dimension, layer, over, features, light }) {
  const isLight = document.documentElement.dataset.theme === 'light';
  const heights = { type: 'raster-dem', encoding: 'terrarium' };
  const sources = {
    // As if its tiles were smaller: the mesh of the ground is as fine again, and what it is painted with half as large.
    heights: sourceOf(facts, dimension.heights, Object.assign({ tileSize: facts.tile_size / 2 }, heights)),
    // Of its own: the shade takes tiles of other zoom levels than the ground.
    slopes: sourceOf(facts, dimension.heights, heights),
    markers: { type: 'geojson', data: collection(features) },
  };
  const shown = layer ? [layer, ...over] : over;
  shown.forEach((one) => { sources[one.path] = sourceOf(facts, one, { type: 'raster' }); });
  const lowest = layer ? [] : [{ id: 'plain', type: 'background', paint: { 'background-color': '#7d8a72' } }];
  const shade = { id: 'shade', type: 'hillshade', source: 'slopes', paint: shadeAt(light), layout: { visibility: visibility(light) } };
  if (layer) sources.mask = maskOf(facts, layer, isLight ? GROUND.light : GROUND.dark);
  return {
    version: 8,
    sources,
    layers: [...lowest, ...shown.map(({ path }) => rasterLayer(facts, path)), shade, ...(layer ? [rasterLayer(facts, 'mask')] : []), ...markerLayers(isLight)],
    terrain: groundAt(light),
    // Without fog on the ground: where nothing is drawn the page is seen.
    sky: Object.assign({ 'sky-horizon-blend': .6, 'fog-ground-blend': 1 }, isLight
      ? { 'sky-color': '#8fb7e3', 'horizon-color': GROUND.light, 'fog-color': GROUND.light }
      : { 'sky-color': '#1a2636', 'horizon-color': GROUND.dark, 'fog-color': GROUND.dark }),
  };
}
