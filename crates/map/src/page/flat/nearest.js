// @ts-check

/*
 * Finds the column nearest to another one whose pixel has a chosen colour.
 *
 * It reads the pictures of native tiles, ring by ring around the start. A page from disk may not do
 * that.
 */

import { REGION } from '../map/layers.js';
import { isInBoxes } from './legend-parts.js';

/** The search ends this many regions from its start. */
const MAX_RINGS = 64;
const TILES_AT_A_TIME = 8;

/** @typedef {Column & { distance: number }} FoundColumn */

/**
 * Returns the nearest column, or null if the search ends before it finds one.
 *
 * @param {{ nativePicture(x: number, y: number): Promise<Blob | null> }} tiles
 * @param {import('./legend-parts.js').ColourBox[]} boxes
 * @param {Column} from
 * @returns {Promise<FoundColumn | null>}
 */
export async function nearestColumn(tiles, boxes, from) {
  const home = { x: Math.floor(from.x / REGION), z: Math.floor(from.z / REGION) };
  /** @type {FoundColumn | null} */
  let best = null;

  for (let reach = 0; reach <= MAX_RINGS; reach++) {
    // A region of this ring is at least `reach - 1` regions away.
    if (best && best.distance <= (reach - 1) * REGION) return best;

    const regions = ring(home, reach);
    while (regions.length > 0) {
      const batch = regions.splice(0, TILES_AT_A_TIME).map(async (region) => {
        const picture = await tiles.nativePicture(region.x, region.z);
        return picture && nearestIn(picture, region, boxes, from);
      });
      best = nearestOf([best, ...(await Promise.all(batch))]);
    }
  }
  return best;
}

/**
 * Returns the nearest of several columns.
 *
 * @param {(FoundColumn | null)[]} columns
 */
export function nearestOf(columns) {
  /** @type {FoundColumn | null} */
  let best = null;
  for (const column of columns) {
    if (column && (!best || column.distance < best.distance)) best = column;
  }
  return best;
}

/**
 * Returns the regions at the border of a square around a region.
 *
 * @param {Column} middle
 * @param {number} reach
 */
export function ring({ x, z }, reach) {
  const regions = [];
  for (let dz = -reach; dz <= reach; dz++) {
    // The rows at the top and at the bottom are whole. The others have two ends.
    const step = Math.abs(dz) === reach ? 1 : 2 * reach;
    for (let dx = -reach; dx <= reach; dx += step) regions.push({ x: x + dx, z: z + dz });
  }
  return regions;
}

/**
 * Returns the nearest column in the picture of a region.
 *
 * @param {Blob} picture
 * @param {Column} region
 * @param {import('./legend-parts.js').ColourBox[]} boxes
 * @param {Column} from
 */
async function nearestIn(picture, region, boxes, from) {
  const pixels = await pixelsOf(picture);
  /** @type {FoundColumn | null} */
  let best = null;

  for (let at = 0; at < pixels.length; at += 4) {
    if (pixels[at + 3] === 0 || !isInBoxes(boxes, pixels, at)) continue;
    const pixel = at / 4;
    const x = region.x * REGION + (pixel % REGION);
    const z = region.z * REGION + Math.floor(pixel / REGION);
    const distance = Math.hypot(x - from.x, z - from.z);
    if (!best || distance < best.distance) best = { x, z, distance };
  }
  return best;
}

/** @param {Blob} picture */
async function pixelsOf(picture) {
  const bitmap = await createImageBitmap(picture, { colorSpaceConversion: 'none' });
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = REGION;
  const settings = { willReadFrequently: true };
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', settings));
  pen.drawImage(bitmap, 0, 0);
  return pen.getImageData(0, 0, REGION, REGION).data;
}
