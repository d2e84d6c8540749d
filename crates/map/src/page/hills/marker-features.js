// @ts-check

/*
 * Turns markers into features and layers of MapLibre.
 */

import { cardParts, typeText } from '../markers/card-texts.js';
import { loadMarkers } from '../markers/files.js';
import { kindOf } from '../markers/kinds.js';
import { onEarth } from './tiles.js';

const FONT = 'system-ui, sans-serif';
/** The colour of markers whose own colour MapLibre does not understand. */
const FALLBACK_COLOUR = '#0f9a8a';

/**
 * Returns features as one collection.
 *
 * @param {any[]} features
 * @returns {any}
 */
export function collectionOf(features) {
  return { type: 'FeatureCollection', features };
}

/**
 * Returns whether the markers of a file are shown at first.
 *
 * @param {MarkerSource} source
 */
export function isOnAtFirst(source) {
  return kindOf(source).isOn;
}

/**
 * Returns the features of a file that are shown at first in a dimension.
 *
 * @param {MarkerSource} source
 * @param {Dimension} dimension
 */
export async function featuresOf(source, dimension) {
  const isShown = (/** @type {Marker} */ marker) =>
    (!marker.source.isOwn || marker.dimension === dimension.id) &&
    (!marker.group || marker.group.isOn);
  const { points, shapes } = await loadMarkers(source);
  return [
    ...shapes.filter(isShown).map(shapeFeature),
    ...points.filter(isShown).map(pointFeature),
  ];
}

/** @param {PointMarker} marker */
function pointFeature(marker) {
  return featureOf(marker, { type: 'Point', coordinates: onEarth(...marker.centre) }, {});
}

/** @param {ShapeMarker} marker */
function shapeFeature(marker) {
  const { lines, isArea, isDashed, stroke, width, fill, opacity } = marker;
  const coordinates = lines.map((line) => line.map(([x, z]) => onEarth(x, z)));
  const geometry = { type: isArea ? 'Polygon' : 'MultiLineString', coordinates };
  const look = { stroke, width, isDashed, fill: fill ?? '', opacity: fill ? opacity : 0 };
  return featureOf(marker, geometry, look);
}

/**
 * @param {Marker} marker
 * @param {object} geometry
 * @param {object} look
 */
function featureOf(marker, geometry, look) {
  const { name, rank, colour } = marker;
  const lines = cardParts(marker).flat(2).filter(Boolean);
  const words = [typeText(marker), ...lines].join('\n');
  return { type: 'Feature', geometry, properties: { name, rank, colour, words, ...look } };
}

/**
 * Returns the layers that show the markers.
 *
 * @param {boolean} isLightPage
 * @returns {any[]}
 */
export function markerLayers(isLightPage) {
  const source = 'markers';
  const isShape = ['has', 'stroke'];
  const isFilledArea = ['all', ['==', ['geometry-type'], 'Polygon'], ['!=', ['get', 'fill'], '']];
  const line = { 'line-color': colourOf('stroke'), 'line-width': ['get', 'width'] };
  const dashes = { ...line, 'line-dasharray': [3, 2] };
  const areas = { 'fill-color': colourOf('fill'), 'fill-opacity': ['get', 'opacity'] };
  const isDashed = ['all', isShape, ['get', 'isDashed']];
  const isWhole = ['all', isShape, ['!', ['get', 'isDashed']]];

  return [
    { id: 'areas', type: 'fill', source, filter: isFilledArea, paint: areas },
    { id: 'lines', type: 'line', source, filter: isWhole, paint: line },
    { id: 'dashes', type: 'line', source, filter: isDashed, paint: dashes },
    { id: 'points', type: 'circle', source, filter: ['!', isShape], paint: dotPaint() },
    {
      id: 'names',
      type: 'symbol',
      source,
      filter: ['!', isShape],
      layout: nameLayout(),
      paint: namePaint(isLightPage),
    },
  ];
}

/** @param {string} property */
function colourOf(property) {
  return ['to-color', ['get', property], FALLBACK_COLOUR];
}

function dotPaint() {
  return {
    'circle-radius': 5,
    'circle-color': colourOf('colour'),
    'circle-stroke-color': '#fff',
    'circle-stroke-width': 1.5,
  };
}

function nameLayout() {
  return {
    'text-field': ['get', 'name'],
    'text-font': [FONT],
    'text-size': 13,
    'text-anchor': 'top',
    'text-offset': [0, 0.6],
    'text-max-width': 12,
    'symbol-sort-key': ['get', 'rank'],
  };
}

/** @param {boolean} isLightPage */
function namePaint(isLightPage) {
  return {
    'text-color': isLightPage ? '#1b212b' : '#fff',
    'text-halo-color': isLightPage ? '#fff' : '#12151a',
    'text-halo-width': 1.5,
  };
}
