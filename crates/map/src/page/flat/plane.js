// @ts-check

/*
 * Converts between columns of blocks and Leaflet's plane.
 *
 * On the plane (lat, lng) is (-z, x), so that one unit is one block and south is down. At zoom 0,
 * the native level of the tiles, one block is one pixel, and each level further out halves that.
 */

import { REGION } from '../map/layers.js';

/**
 * Returns the column at a point of the plane.
 *
 * @param {L.LatLng} point
 * @returns {Column}
 */
export function columnAt({ lat, lng }) {
  return { x: Math.floor(lng), z: Math.floor(-lat) };
}

/**
 * Returns the middle of a column.
 *
 * @param {Column} column
 */
export function middleOf({ x, z }) {
  return L.latLng(-(z + 0.5), x + 0.5);
}

/**
 * Returns the centre for a view of a column. Leaflet rounds it to a pixel, and reading it back
 * still gives the same column.
 *
 * @param {Column} column
 */
export function centreOn({ x, z }) {
  return L.latLng(-(z + 0.25), x + 0.25);
}

/** @param {Bounds} bounds */
function onPlane({ x0, z0, x1, z1 }) {
  return L.latLngBounds([-z0, x0], [-z1, x1]);
}

/** @param {LayerFacts} layer */
export function layerBounds(layer) {
  return onPlane(layer.bounds ?? { x0: 0, z0: 0, x1: REGION, z1: REGION });
}

/**
 * Returns the bounds of the main part of a layer, without specks that are far from the rest.
 *
 * @param {LayerFacts} layer
 */
export function mainBounds(layer) {
  return layer.focus ? onPlane(layer.focus) : layerBounds(layer);
}
