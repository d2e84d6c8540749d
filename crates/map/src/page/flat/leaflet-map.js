// @ts-check

/*
 * Makes the map of Leaflet with its buttons. Buttons and keys zoom around the middle of the part of
 * the window that the panel leaves free.
 */

import { translate } from '../basics/language.js';
import { FAR } from '../map/address.js';
import { freeCentre, windowCentre } from './free-part.js';

export function leafletMap() {
  const isCalm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  const map = new FreePartMap('map', {
    crs: L.CRS.Simple,
    attributionControl: false,
    zoomControl: false,
    zoomAnimation: !isCalm,
    fadeAnimation: !isCalm,
    inertia: !isCalm,
    // A hasty throw must not lose the map beyond the far end of the plane.
    maxBounds: [
      [-FAR, -FAR],
      [FAR, FAR],
    ],
  });

  const titles = { zoomInTitle: translate('Zoom in'), zoomOutTitle: translate('Zoom out') };
  L.control.zoom({ position: 'topleft', ...titles }).addTo(map);
  L.control.attribution({ prefix: false }).addAttribution('pixelmap').addTo(map);
  return map;
}

class FreePartMap extends L.Map {
  /**
   * @override
   * @param {number} zoom
   * @param {L.ZoomOptions} [options]
   */
  setZoom(zoom, options) {
    const centre = windowCentre(this, freeCentre(this), zoom);
    return this.setView(centre, zoom, /** @type {any} */ ({ zoom: options }));
  }
}
