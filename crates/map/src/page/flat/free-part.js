// @ts-check

/*
 * Shows places in the middle of the part of the window that the open panel leaves free.
 *
 * Leaflet knows only the middle of the whole window. Addresses, tools and buttons mean the middle
 * of the free part, so that no place is under the panel.
 */

import { coveredWidth } from '../basics/panel.js';

/** Pixels that stay free around markers that are shown closer. */
const MARGIN = 40;

/** Returns the pixels between the middle of the free part and the middle of the window. */
function shift() {
  return L.point(Math.floor(coveredWidth() / 2), 0);
}

/**
 * Returns the place in the middle of the free part.
 *
 * @param {L.Map} map
 */
export function freeCentre(map) {
  return map.unproject(map.project(map.getCenter()).subtract(shift()));
}

/**
 * Returns the centre of the window with which a place is in the middle of the free part.
 *
 * @param {L.Map} map
 * @param {L.LatLng} place
 * @param {number} zoom
 */
export function windowCentre(map, place, zoom) {
  return map.unproject(map.project(place, zoom).add(shift()), zoom);
}

/**
 * Returns the pixels across and down the window that an area with a margin cannot use.
 *
 * @param {number} margin
 */
export function takenRoom(margin) {
  return L.point(2 * margin + coveredWidth(), 2 * margin);
}

/**
 * Shows an area as large as the free part allows. Returns false if it is shown that large already.
 *
 * @param {L.Map} map
 * @param {L.LatLngBounds} bounds
 */
export function showCloser(map, bounds) {
  const closest = map.getBoundsZoom(bounds, false, takenRoom(MARGIN));
  const zoom = Math.min(closest, map.getMaxZoom());
  if (zoom <= map.getZoom()) return false;
  map.setView(windowCentre(map, bounds.getCenter(), zoom), zoom);
  return true;
}
