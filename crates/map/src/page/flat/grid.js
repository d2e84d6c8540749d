// @ts-check

/*
 * Draws the lines between chunks and regions, and the names of the regions.
 *
 * Lines that would be too dense are left out.
 */

import { CHUNK, REGION } from '../map/layers.js';

/** Pixels between two lines at least. */
const MIN_GAP = 8;
/** Lines that are closer than this get fainter, because they would hide the map between them. */
const FULL_GAP = 128;
/** Pixels along the side of a region that has room for its name. */
const NAME_ROOM = 100;

/** The lines from the first that is drawn to the last: step in blocks, colour, strength, width. */
const LINES = /** @type {[number, string, number, number][]} */ ([
  [CHUNK, '255,255,255', 0.3, 1],
  [REGION, '0,0,0', 0.45, 3],
  [REGION, '255,255,255', 0.75, 1],
]);

/**
 * The part of the map that a tile of the grid shows.
 *
 * @typedef {object} GridTile
 * @property {number} west
 * @property {number} north
 * @property {number} size pixels along a side
 * @property {number} scale pixels per block
 */

class Grid extends L.GridLayer {
  /**
   * @override
   * @param {L.Coords} coords
   */
  createTile(coords) {
    const size = this.getTileSize().x;
    const scale = Math.pow(2, coords.z);
    const tile = { west: (coords.x * size) / scale, north: (coords.y * size) / scale, size, scale };

    const canvas = document.createElement('canvas');
    const sharpness = window.devicePixelRatio || 1;
    canvas.width = canvas.height = size * sharpness;
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    pen.scale(sharpness, sharpness);

    drawLines(pen, tile);
    if (REGION * scale >= NAME_ROOM) nameRegions(pen, tile);
    return canvas;
  }
}

/** Returns the grid as a layer of Leaflet, above the tiles of all maps. */
export function gridLayer() {
  return new Grid({ tileSize: 512, minZoom: -30, maxZoom: 30, pane: 'overlayPane' });
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {GridTile} tile
 */
function drawLines(pen, { west, north, size, scale }) {
  for (const [step, colour, strength, width] of LINES) {
    const gap = step * scale;
    if (gap < MIN_GAP) continue;

    pen.fillStyle = `rgba(${colour},${strength * Math.min(1, gap / FULL_GAP)})`;
    for (const x of multiples(step, west, size / scale)) {
      pen.fillRect((x - west) * scale, 0, width, size);
    }
    for (const z of multiples(step, north, size / scale)) {
      pen.fillRect(0, (z - north) * scale, size, width);
    }
  }
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {GridTile} tile
 */
function nameRegions(pen, { west, north, size, scale }) {
  pen.font = '12px system-ui, sans-serif';
  pen.textBaseline = 'top';
  pen.lineWidth = 3;
  pen.lineJoin = 'round';
  pen.strokeStyle = 'rgba(0,0,0,.7)';
  pen.fillStyle = '#fff';

  for (const x of multiples(REGION, west, size / scale)) {
    for (const z of multiples(REGION, north, size / scale)) {
      const name = `r.${x / REGION}.${z / REGION}`;
      const [left, top] = [(x - west) * scale + 7, (z - north) * scale + 7];
      pen.strokeText(name, left, top);
      pen.fillText(name, left, top);
    }
  }
}

/**
 * Returns the multiples of a step within a length that begins at `start`.
 *
 * @param {number} step
 * @param {number} start
 * @param {number} length
 */
function multiples(step, start, length) {
  const all = [];
  for (let at = Math.ceil(start / step) * step; at < start + length; at += step) all.push(at);
  return all;
}
