/* The signs that stand for markers: round dots with a small symbol, or a short text, painted once and kept.
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapSymbols`. It knows colours and canvases,
 * and nothing of maps.
 */

export const RADIUS = 9; // of a dot, with its outline
const KEPT = 600; // pictures that are kept
const FONT = '600 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

/** Shapes in a square of 16, filled. The owner may name them as icons. */
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
const paths = {};
const kept = new Map();
const sharp = () => window.devicePixelRatio || 1;

/** A picture painted once; `paint` gets a pen whose 0, 0 is the middle. */
function picture(key, width, height, paint) {
  const whole = `${key}|${sharp()}`;
  const found = kept.get(whole);
  if (found) return found;
  if (kept.size > KEPT) kept.clear();
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(width * sharp());
  canvas.height = Math.ceil(height * sharp());
  const pen = canvas.getContext('2d');
  pen.scale(sharp(), sharp());
  pen.translate(width / 2, height / 2);
  paint(pen);
  const made = { canvas, width, height };
  kept.set(whole, made);
  return made;
}

/** Whether black is read better on a colour than white. */
function isLight(colour) {
  const pen = picture('probe', 1, 1, () => {}).canvas.getContext('2d', { willReadFrequently: true });
  pen.fillStyle = '#000';
  pen.fillStyle = colour;
  pen.fillRect(-1, -1, 2, 2);
  const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
  return .299 * red + .587 * green + .114 * blue > 170;
}

const lit = new Map();
function inkOn(colour) {
  if (!lit.has(colour)) lit.set(colour, isLight(colour) ? '#1b212b' : '#fff');
  return lit.get(colour);
}

function text(pen, words, ink, halo) {
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.lineJoin = 'round';
  pen.lineWidth = 3.5;
  pen.strokeStyle = halo;
  pen.fillStyle = ink;
  pen.strokeText(words, 0, 1);
  pen.fillText(words, 0, 1);
}

let ruler = null;
function widthOf(words, font) {
  ruler = ruler || document.createElement('canvas').getContext('2d');
  ruler.font = font;
  return Math.ceil(ruler.measureText(words).width);
}

/** The sign of a marker: a dot with a symbol, or the owner's short text in its place. */
export function dot(marker) {
  const { colour, icon } = marker;
  const name = icon && Object.prototype.hasOwnProperty.call(SYMBOLS, icon) ? icon : icon ? null : marker.symbol;
  if (name === null) return short(icon);
  return picture(`dot ${name} ${colour}`, 2 * RADIUS + 4, 2 * RADIUS + 4, (pen) => {
    const disc = (radius) => {
      pen.beginPath();
      pen.arc(0, 0, radius, 0, 2 * Math.PI);
      pen.fill();
    };
    pen.fillStyle = 'rgba(0,0,0,.45)';
    disc(RADIUS + 1);
    pen.fillStyle = '#fff';
    disc(RADIUS);
    pen.fillStyle = '#76808d';
    pen.fillStyle = colour;
    disc(RADIUS - 1.25);
    pen.scale(.82, .82);
    pen.translate(-8, -8);
    pen.fillStyle = inkOn(colour);
    paths[name] = paths[name] || new Path2D(SYMBOLS[name]);
    pen.fill(paths[name], 'evenodd');
  });
}

function short(icon) {
  const font = '600 16px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
  return picture(`icon ${icon}`, widthOf(icon, font) + 6, 24, (pen) => {
    pen.font = font;
    text(pen, icon, '#1b212b', 'rgba(255,255,255,.9)');
  });
}

/** A name beside a dot. */
export function label(words, isLightPage) {
  const name = words.length > 40 ? `${words.slice(0, 39)}…` : words;
  return picture(`label ${isLightPage} ${name}`, widthOf(name, FONT) + 6, 18, (pen) => {
    pen.font = FONT;
    if (isLightPage) text(pen, name, '#1b212b', 'rgba(255,255,255,.88)');
    else text(pen, name, '#fff', 'rgba(12,15,20,.82)');
  });
}

/** The number of markers that a dot stands for. */
export function badge(count, isLightPage) {
  const words = count < 1000 ? String(count) : `${Math.floor(count / 1000)}k`;
  const font = '700 10px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
  const width = Math.max(14, widthOf(words, font) + 7);
  return picture(`badge ${isLightPage} ${words}`, width, 14, (pen) => {
    pen.fillStyle = isLightPage ? '#fcfdff' : '#181c23';
    pen.strokeStyle = isLightPage ? 'rgba(20,25,35,.5)' : 'rgba(255,255,255,.75)';
    pen.beginPath();
    pen.roundRect(-width / 2 + .5, -6.5, width - 1, 13, 6.5);
    pen.fill();
    pen.stroke();
    pen.font = font;
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    pen.fillStyle = isLightPage ? '#1b212b' : '#fff';
    pen.fillText(words, 0, .5);
  });
}

/** A dot for the panel, as an element. */
export function symbolElement(marker) {
  const made = dot(marker);
  const canvas = document.createElement('canvas');
  canvas.width = made.canvas.width;
  canvas.height = made.canvas.height;
  canvas.style.width = `${made.width}px`;
  canvas.style.height = `${made.height}px`;
  canvas.setAttribute('aria-hidden', 'true');
  canvas.className = 'sign';
  canvas.getContext('2d').drawImage(made.canvas, 0, 0);
  return canvas;
}

export const symbolNames = Object.keys(SYMBOLS);
