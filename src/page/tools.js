/* What visitors do with a map besides looking at it: go to a place, measure, save what they see, fill the screen, and
 * choose a light or a dark page.
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapTools`. It knows Leaflet's plane, where
 * (lat, lng) = (-z, x), and nothing of tiles.
 */

import { number, time, translate } from './language.js';
import { recall, remember } from './panel.js';

const byId = (id) => document.getElementById(id);
export const blocksText = (count) => (count === 1 ? translate('1 block') : translate('{count} blocks', { count: number(count) }));

/** The place that a text means: `x z` or `x y z` with spaces or commas, `~` for here; null: it is no place. */
export function placeOf(text, here) {
  const parts = text.trim().split(/[\s,;/]+/).filter(Boolean);
  if (parts.length !== 2 && parts.length !== 3) return null;
  const read = (part, from) => {
    const [whole, near, digits] = /^(~?)(-?\d+(?:\.\d+)?)?$/.exec(part) || [];
    if (!whole) return NaN;
    return Math.floor((near ? from : 0) + Number(digits || 0));
  };
  const [x, z] = [read(parts[0], here.x), read(parts[parts.length - 1], here.z)];
  return Number.isFinite(x) && Number.isFinite(z) ? { x, z } : null;
}

/** Asks `find` for what is typed; where it finds nothing, the field tells what to type. */
export function goTo(find) {
  const field = byId('go-to');
  byId('go').addEventListener('submit', (event) => {
    event.preventDefault();
    const found = find(field.value);
    field.setCustomValidity(found ? '' : translate('Type x and z, such as 120 -340, or the name of a marker that is on.'));
    if (found) field.blur();
    else field.reportValidity();
  });
  field.addEventListener('input', () => field.setCustomValidity(''));
}

/** Lets clicks measure a way instead of marking places; returns whether that is on. */
export function measure(map) {
  const line = L.polyline([], { color: '#ffd54a', weight: 3, interactive: false });
  const button = byId('measure');
  let isOn = false;

  function show() {
    const points = line.getLatLngs();
    const steps = points.slice(1).map((point, at) => Math.hypot(point.lng - points[at].lng, point.lat - points[at].lat));
    const total = steps.reduce((sum, step) => sum + step, 0);
    byId('measured').hidden = !isOn;
    byId('measured').textContent = points.length < 2 ? translate('Click the points of a way') : translate('{length} along {count} points', { length: blocksText(Math.round(total)), count: points.length });
  }

  function turn(on) {
    isOn = on;
    button.setAttribute('aria-pressed', String(on));
    line.setLatLngs([]);
    if (on) line.addTo(map);
    else line.remove();
    show();
  }

  button.addEventListener('click', () => turn(!isOn));
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && isOn) turn(false);
  });
  map.on('click', (event) => {
    // A double click zooms.
    if (!isOn || event.originalEvent.detail > 1) return;
    line.addLatLng([Math.floor(event.latlng.lat) + 0.5, Math.floor(event.latlng.lng) + 0.5]);
    show();
  });
  return () => isOn;
}

/** Saves the tiles and markers in sight as a picture of the size of the window. */
export function saveView(map, nameOf) {
  const button = byId('save');
  // A page from disk may not read its own pictures.
  if (location.protocol === 'file:') button.hidden = true;
  button.addEventListener('click', () => {
    const around = map.getContainer().getBoundingClientRect();
    const sharp = window.devicePixelRatio || 1;
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [around.width * sharp, around.height * sharp].map(Math.round);
    const pen = canvas.getContext('2d');
    pen.scale(sharp, sharp);
    pen.imageSmoothingEnabled = map.getZoom() < 0;
    const levels = [...map.getPane('tilePane').querySelectorAll('.leaflet-layer')];
    levels.sort((a, b) => Number(a.style.zIndex) - Number(b.style.zIndex));
    const tiles = levels.flatMap((level) => [...level.querySelectorAll('img.leaflet-tile-loaded, canvas.leaflet-tile-loaded')]);
    [...tiles, ...map.getPane('overlayPane').querySelectorAll('canvas')].forEach((tile) => {
      const at = tile.getBoundingClientRect();
      pen.filter = tile.style.filter || 'none';
      pen.drawImage(tile, at.left - around.left, at.top - around.top, at.width, at.height);
    });
    canvas.toBlob((picture) => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(picture);
      link.download = nameOf();
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
  });
}

/** Lets the map fill the screen, where the browser can. */
export function fullScreen() {
  const button = byId('full');
  button.hidden = !document.fullscreenEnabled;
  button.addEventListener('click', () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen();
  });
}

/** Lets visitors choose a light page; at first it is as their system is set. */
export function theme() {
  const box = byId('light');
  const set = (isLight) => {
    box.checked = isLight;
    document.documentElement.dataset.theme = isLight ? 'light' : 'dark';
  };
  const kept = recall('theme');
  set(kept === null ? window.matchMedia('(prefers-color-scheme: light)').matches : kept === 'light');
  box.addEventListener('change', () => {
    set(box.checked);
    remember('theme', box.checked ? 'light' : 'dark');
  });
}

/** Says when the map was drawn last, where the host tells. */
export function showUpdate(then) {
  const isKnown = !Number.isNaN(then.getTime()) && Date.now() - then > 2000;
  byId('updated').hidden = !isKnown;
  if (isKnown) byId('updated').textContent = translate('Updated {time}', { time: time(then) });
}
