// @ts-check

/*
 * Chooses the view with which a dimension opens.
 */

import { coveredWidth } from '../basics/panel.js';
import { takenRoom, windowCentre } from './free-part.js';
import { centreOn, layerBounds, mainBounds, middleOf } from './plane.js';

/** A map that needs a zoom further out than this opens at the spawn instead of whole. */
const START_ZOOM = -2;
/** Pixels that stay free around a map that is shown whole. */
const MARGIN = 8;
const MAX_WHOLE_ZOOM = 2;

/**
 * Shows a small map whole. A large one would look like specks, so it opens where players arrive, if
 * that place was drawn.
 *
 * @param {L.Map} map
 * @param {LayerFacts} layer
 * @param {Column | null} arrival
 */
export function showStart(map, layer, arrival) {
  const zoom = map.getBoundsZoom(mainBounds(layer), false, takenRoom(MARGIN));
  if (zoom < START_ZOOM && arrival && layerBounds(layer).contains(middleOf(arrival))) {
    map.setView(windowCentre(map, centreOn(arrival), START_ZOOM), START_ZOOM);
  } else {
    showWhole(map, layer);
  }
}

/**
 * Shows the main part of a layer.
 *
 * @param {L.Map} map
 * @param {LayerFacts} layer
 */
export function showWhole(map, layer) {
  map.fitBounds(mainBounds(layer), {
    paddingTopLeft: [MARGIN, MARGIN],
    paddingBottomRight: [MARGIN + coveredWidth(), MARGIN],
    maxZoom: MAX_WHOLE_ZOOM,
    animate: false,
  });
}
