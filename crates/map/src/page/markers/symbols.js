// @ts-check

/*
 * Paints the signs of markers: dots with a symbol, an icon or a short text, counts, and names.
 *
 * Each sign is painted once and kept as a picture, because a map shows hundreds of them at a time.
 * This module does not know maps or positions.
 */

import { isIcon, pictureOf } from './icons.js';

/** The radius of a dot with its outline, in pixels. */
const RADIUS = 9;
/** The radius of the largest dot. Two dots are always further apart than their radii. */
export const MAX_RADIUS = 22;
/** The longest side of an icon, in pixels. */
const MAX_ICON = 20;
const MAX_PICTURES = 600;
const MAX_LABEL = 40;

const FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
const LABEL_FONT = `600 12px ${FAMILY}`;
const ICON_FONT = `600 16px ${FAMILY}`;
const COUNT_FONT = `700 11px ${FAMILY}`;

const DARK_INK = '#1b212b';
const LIGHT_INK = '#fff';
/** The colour of markers whose own colour the canvas does not understand. */
export const UNKNOWN_COLOUR = '#76808d';
/** A background is light if it is brighter than this, from 0 to 255. */
const LIGHT_FROM = 170;

/**
 * Filled shapes in a square of 16 by 16. The owner of a map may name them as icons.
 *
 * @type {Record<string, string>}
 */
const SYMBOLS = {
  dot: 'M8 5a3 3 0 1 1 0 6a3 3 0 1 1 0-6z',
  star: 'M8 2.6l1.6 3.5 3.9.4-2.9 2.6.8 3.8L8 11l-3.4 1.9.8-3.8-2.9-2.6 3.9-.4z',
  house: 'M8 2.8L13.2 7.6H12V12.6H9.2V9.4H6.8V12.6H4V7.6H2.8z',
  tower: 'M4 3h1.7v1.4h1.4V3h1.8v1.4h1.4V3H12v3.6l-1 .8v5.4H9.1V10a1.1 1.1 0 0 0-2.2 0v2.8H5V7.4l-1-.8z',
  portal: 'M4.4 2.8h7.2v10.4H4.4zM6.3 4.7v6.6h3.4V4.7z',
  boat: 'M7.4 2.6h1.2v1.1l3.3 3.4H8.6v1.3h5L12 12.4H4L2.4 8.4h5z',
  pyramid: 'M8 3.2l5.6 9H2.4z',
  cross: 'M4.6 3.2L8 6.6l3.4-3.4 1.4 1.4L9.4 8l3.4 3.4-1.4 1.4L8 9.4l-3.4 3.4-1.4-1.4L6.6 8 3.2 4.6z',
  bed: 'M2.6 4.4h1.5v3h2V6h5a2.3 2.3 0 0 1 2.3 2.3v3.3h-1.5V10H4.1v1.6H2.6z',
  bell: 'M8 2.6a1 1 0 0 1 1 .9c1.6.5 2.4 1.9 2.4 3.6 0 2 .5 2.6 1.2 3.3v.9H3.4v-.9c.7-.7 1.2-1.3 1.2-3.3 0-1.7.8-3.1 2.4-3.6a1 1 0 0 1 1-.9zM6.6 12h2.8a1.4 1.4 0 0 1-2.8 0z',
  compass: 'M8 2.4l1.9 5.6L8 13.6 6.1 8z',
  hammer: 'M4 3h6.4l2 2.2-.9 1-1.5-1.1H9.1v8H6.9v-8H4z',
  sign: 'M3 3.2h10v5.6H8.8v4.4H7.2V8.8H3z',
  flag: 'M4.2 2.6h7.6v9.2L8 9.8l-3.8 2z',
  player: 'M8 2.8a2.5 2.5 0 1 1 0 5a2.5 2.5 0 1 1 0-5zM3.6 13c0-2.7 1.8-4.3 4.4-4.3s4.4 1.6 4.4 4.3z',
  heart: 'M8 13L3.4 8.2a2.7 2.7 0 0 1 0-4A2.7 2.7 0 0 1 8 5a2.7 2.7 0 0 1 4.6-.8 2.7 2.7 0 0 1 0 4z',
  shop: 'M3.4 3h9.2l1 3.2a1.6 1.6 0 0 1-1 1.4V13H3.4V7.6a1.6 1.6 0 0 1-1-1.4zM5 8v2.8h6V8z',
  chest: 'M3 4.6a1.4 1.4 0 0 1 1.4-1.4h7.2A1.4 1.4 0 0 1 13 4.6v2.2H9.2V6H6.8v.8H3zM3 7.8h3.8v1.4h2.4V7.8H13v5H3z',
  farm: 'M7.3 13.4V8.6L4.4 6.8V3.6l2.9 1.8L8 2.4l.7 3 2.9-1.8v3.2L8.7 8.6v4.8z',
};

export const symbolNames = Object.keys(SYMBOLS);

/** @param {string} name */
export function isSymbol(name) {
  return Object.hasOwn(SYMBOLS, name);
}

/**
 * A painted sign: `width` and `height` are the pixels of the page that it takes.
 *
 * @typedef {{ canvas: HTMLCanvasElement, width: number, height: number }} Sign
 */

/**
 * The parts of a marker that decide its sign.
 *
 * @typedef {{ colour: string, symbol: string, icon?: string }} SignLook
 */

/** @type {Map<string, Sign>} */
const kept = new Map();
/** @type {Map<string, Path2D>} */
const symbolPaths = new Map();
/** @type {Map<string, string>} */
const inks = new Map();

/** Returns the pixels of the screen per pixel of the page. */
export function sharpness() {
  return window.devicePixelRatio || 1;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {CanvasRenderingContext2DSettings} [settings]
 */
export function penOf(canvas, settings) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', settings));
}

/**
 * Returns the sign with a key. If it is not kept, `paint` gets a pen whose origin is the middle.
 *
 * @param {string} key
 * @param {number} width
 * @param {number} height
 * @param {(pen: CanvasRenderingContext2D) => void} paint
 */
function signOf(key, width, height, paint) {
  const sharpKey = `${key}|${sharpness()}`;
  const known = kept.get(sharpKey);
  if (known) return known;
  if (kept.size > MAX_PICTURES) kept.clear();

  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(width * sharpness());
  canvas.height = Math.ceil(height * sharpness());
  const pen = penOf(canvas);
  pen.scale(sharpness(), sharpness());
  pen.translate(width / 2, height / 2);
  paint(pen);

  const sign = { canvas, width, height };
  kept.set(sharpKey, sign);
  return sign;
}

/**
 * Sets the colour of a pen. If the canvas does not understand the colour, it keeps the grey.
 *
 * @param {CanvasRenderingContext2D} pen
 * @param {string} colour
 */
export function setFill(pen, colour) {
  pen.fillStyle = UNKNOWN_COLOUR;
  pen.fillStyle = colour;
}

/**
 * Returns the colour in which a symbol is readable on a background.
 *
 * @param {string} background
 */
function inkOn(background) {
  let ink = inks.get(background);
  if (!ink) {
    ink = isLight(background) ? DARK_INK : LIGHT_INK;
    inks.set(background, ink);
  }
  return ink;
}

/** @param {string} colour */
function isLight(colour) {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const pen = penOf(canvas, { willReadFrequently: true });
  pen.fillStyle = '#000';
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
  return 0.299 * red + 0.587 * green + 0.114 * blue > LIGHT_FROM;
}

/**
 * Returns the sign of a marker: a dot with a symbol, or the owner's icon or short text instead.
 *
 * @param {SignLook} marker
 */
export function dot({ colour, icon = '', symbol }) {
  const picture = pictureOf(icon);
  if (picture) return pictureSign(picture);
  if (icon && !isSymbol(icon) && !isIcon(icon)) return shortText(icon);

  const name = isSymbol(icon) ? icon : symbol;
  const side = 2 * RADIUS + 4;
  return signOf(`dot ${name} ${colour}`, side, side, (pen) => {
    paintDot(pen, RADIUS, colour);
    pen.scale(0.82, 0.82);
    pen.translate(-8, -8);
    pen.fillStyle = inkOn(colour);
    pen.fill(symbolPath(name), 'evenodd');
  });
}

/**
 * Returns an icon in the size of a dot. A light and a dark edge set it apart from any map.
 *
 * @param {HTMLImageElement} picture
 */
function pictureSign(picture) {
  const { naturalWidth, naturalHeight } = picture;
  const scale = Math.min(1, MAX_ICON / Math.max(naturalWidth, naturalHeight));
  const [width, height] = [naturalWidth * scale, naturalHeight * scale];
  const side = 2 * RADIUS + 4;

  return signOf(`icon ${picture.src}`, side, side, (pen) => {
    // A small icon is enlarged on a sharp screen, and its pixels should stay squares.
    pen.imageSmoothingEnabled = naturalWidth > width * sharpness();
    pen.imageSmoothingQuality = 'high';
    for (const [blur, edge] of /** @type {const} */ ([[4, 'rgba(0,0,0,.8)'], [2, '#fff']])) {
      pen.shadowBlur = blur * sharpness();
      pen.shadowColor = edge;
      pen.drawImage(picture, -width / 2, -height / 2, width, height);
    }
  });
}

/**
 * Paints a disc with an outline that sets it apart from the map.
 *
 * @param {CanvasRenderingContext2D} pen
 * @param {number} radius with the outline
 * @param {string} colour
 */
function paintDot(pen, radius, colour) {
  pen.fillStyle = 'rgba(0,0,0,.45)';
  paintDisc(pen, radius + 1);
  pen.fillStyle = '#fff';
  paintDisc(pen, radius);
  setFill(pen, colour);
  paintDisc(pen, radius - 1.25);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number} radius
 */
function paintDisc(pen, radius) {
  pen.beginPath();
  pen.arc(0, 0, radius, 0, 2 * Math.PI);
  pen.fill();
}

/** @param {string} name */
function symbolPath(name) {
  let path = symbolPaths.get(name);
  if (!path) {
    path = new Path2D(SYMBOLS[name]);
    symbolPaths.set(name, path);
  }
  return path;
}

/** @param {string} icon */
function shortText(icon) {
  return signOf(`text ${icon}`, widthOf(icon, ICON_FONT) + 6, 24, (pen) => {
    pen.font = ICON_FONT;
    paintText(pen, icon, DARK_INK, 'rgba(255,255,255,.9)');
  });
}

/**
 * Returns the name next to a dot.
 *
 * @param {string} words
 * @param {boolean} isLightPage
 */
export function label(words, isLightPage) {
  const name = words.length > MAX_LABEL ? `${words.slice(0, MAX_LABEL - 1)}…` : words;
  return signOf(`label ${isLightPage} ${name}`, widthOf(name, LABEL_FONT) + 6, 18, (pen) => {
    pen.font = LABEL_FONT;
    if (isLightPage) paintText(pen, name, DARK_INK, 'rgba(255,255,255,.88)');
    else paintText(pen, name, LIGHT_INK, 'rgba(12,15,20,.82)');
  });
}

/**
 * Returns the radius of a dot that stands for `count` markers, in pixels.
 *
 * @param {number} count
 */
export function dotRadius(count) {
  return count === 1 ? RADIUS : Math.min(MAX_RADIUS, RADIUS + 2 + 4 * Math.log10(count));
}

/**
 * Returns the sign of several markers: a disc with their number, which is larger for more of them.
 *
 * @param {number} count
 * @param {string} colour
 */
export function crowd(count, colour) {
  const words = count < 1000 ? String(count) : `${Math.floor(count / 1000)}k`;
  const radius = dotRadius(count);
  const side = 2 * radius + 4;
  return signOf(`crowd ${radius.toFixed(1)} ${words} ${colour}`, side, side, (pen) => {
    paintDot(pen, radius, colour);
    pen.font = COUNT_FONT;
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    pen.fillStyle = inkOn(colour);
    pen.fillText(words, 0, 0.5);
  });
}

/**
 * Paints a text in the middle, with an outline that sets it apart from the map.
 *
 * @param {CanvasRenderingContext2D} pen
 * @param {string} words
 * @param {string} ink
 * @param {string} outline
 */
function paintText(pen, words, ink, outline) {
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.lineJoin = 'round';
  pen.lineWidth = 3.5;
  pen.strokeStyle = outline;
  pen.fillStyle = ink;
  pen.strokeText(words, 0, 1);
  pen.fillText(words, 0, 1);
}

/** @type {CanvasRenderingContext2D | undefined} */
let ruler;

/**
 * @param {string} words
 * @param {string} font
 */
function widthOf(words, font) {
  ruler ??= penOf(document.createElement('canvas'));
  ruler.font = font;
  return Math.ceil(ruler.measureText(words).width);
}

/**
 * Returns the sign of a marker as an element of the panel.
 *
 * @param {SignLook} marker
 */
export function signElement(marker) {
  const sign = dot(marker);
  const canvas = document.createElement('canvas');
  canvas.width = sign.canvas.width;
  canvas.height = sign.canvas.height;
  canvas.style.width = `${sign.width}px`;
  canvas.style.height = `${sign.height}px`;
  canvas.setAttribute('aria-hidden', 'true');
  canvas.className = 'sign';
  penOf(canvas).drawImage(sign.canvas, 0, 0);
  return canvas;
}
