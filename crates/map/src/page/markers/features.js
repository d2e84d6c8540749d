// @ts-check

/*
 * Turns GeoJSON features into markers: points, lines and areas.
 *
 * Any player may have chosen the content. Features of another form are left out, lengths are
 * bounded, and all texts stay texts. This module neither loads files nor shows markers.
 */

import { number } from '../basics/language.js';
import { clean, spoken } from '../basics/names.js';
import { DIMENSION_NAMES } from '../map/address.js';
import { isIcon } from './icons.js';
import { idFacts, idWords, kindOf } from './kinds.js';
import { isSymbol } from './symbols.js';

/** No marker is further out than this. */
const MAX_DISTANCE = 1 << 26;
export const MAX_NAME = 200;
/** Letters of a text that is shown instead of a dot. */
const MAX_ICON_TEXT = 16;
const MAX_COLOUR = 60;
const MAX_WIDTH = 40;
/** Kinds of items that a card lists. */
const MAX_ITEMS = 27;
/** Structures that are hidden at first give way to others. */
const HIDDEN_RANK = 3;

/**
 * A file of markers after it was read.
 *
 * @typedef {{ points: PointMarker[], shapes: ShapeMarker[] }} Markers
 */

/**
 * Returns the markers of a collection. In a file of the owner each one has its dimension.
 *
 * @param {MarkerSource} source
 * @param {any} collection
 * @returns {Markers}
 */
export function readFeatures(source, collection) {
  if (!Array.isArray(collection?.features)) {
    throw new Error('it is no GeoJSON collection of features');
  }

  /** @type {Markers} */
  const markers = { points: [], shapes: [] };
  for (const feature of collection.features) {
    if (Array.isArray(feature?.geometry?.coordinates)) {
      addFeature(markers, source, collection, feature);
    }
  }
  return markers;
}

/**
 * @param {Markers} markers
 * @param {MarkerSource} source
 * @param {any} collection
 * @param {any} feature
 */
function addFeature(markers, source, collection, { geometry, properties }) {
  const base = () => baseMarker(source, collection, properties ?? {});
  const { type, coordinates } = geometry;

  switch (type) {
    case 'Point':
      addPoints(markers, base, [coordinates]);
      break;
    case 'MultiPoint':
      addPoints(markers, base, coordinates);
      break;
    case 'LineString':
      addShape(markers, base, [coordinates], false);
      break;
    case 'MultiLineString':
      addShape(markers, base, coordinates, false);
      break;
    case 'Polygon':
      addShape(markers, base, coordinates, true);
      break;
    case 'MultiPolygon':
      addShape(markers, base, coordinates.filter(Array.isArray).flat(), true);
      break;
  }
}

/**
 * @param {Markers} markers
 * @param {() => Marker} base
 * @param {any[]} positions
 */
function addPoints(markers, base, positions) {
  for (const position of positions) {
    if (!isPosition(position)) continue;
    const [x, z] = position;
    const point = { x: Math.floor(x), z: Math.floor(z), centre: [centre(x), centre(z)] };
    markers.points.push(/** @type {PointMarker} */ (Object.assign(base(), point)));
  }
}

/**
 * Returns the shown coordinate: a whole number means a block, which is shown by its middle.
 *
 * @param {number} value
 */
function centre(value) {
  return Number.isInteger(value) ? value + 0.5 : value;
}

/**
 * @param {Markers} markers
 * @param {() => Marker} base
 * @param {any[]} parts
 * @param {boolean} isArea
 */
function addShape(markers, base, parts, isArea) {
  /** @type {[number, number][][]} */
  const lines = [];
  for (const part of parts) {
    const line = Array.isArray(part) ? part.filter(isPosition) : [];
    if (line.length > 1) lines.push(line);
  }
  if (lines.length > 0) markers.shapes.push(shapeMarker(base(), lines, isArea));
}

/**
 * @param {Marker} base
 * @param {[number, number][][]} lines
 * @param {boolean} isArea
 * @returns {ShapeMarker}
 */
function shapeMarker(base, lines, isArea) {
  const { properties, source, colour } = base;
  const bounds = boundsOf(lines);
  const [x0, z0, x1, z1] = bounds;
  const { stroke, color, fill } = properties;

  const ownStroke = firstColour(stroke, color, properties['marker-color']) ?? colour;
  const ownFill = firstColour(fill, color) ?? colour;
  return Object.assign(base, {
    lines,
    bounds,
    isArea,
    iconAt: isArea && isIcon(base.icon) ? insideOf(lines, (z0 + z1) / 2) : null,
    x: Math.floor((x0 + x1) / 2),
    z: Math.floor((z0 + z1) / 2),
    stroke: source.isOwn ? ownStroke : colour,
    width: source.isOwn ? boundedNumber(properties['stroke-width'], 2.5) : 2,
    fill: isArea && source.isOwn ? ownFill : null,
    opacity: Math.min(1, boundedNumber(properties['fill-opacity'], 0.2)),
    isDashed: !source.isOwn,
  });
}

/**
 * @param {[number, number][][]} lines
 * @returns {[number, number, number, number]}
 */
function boundsOf(lines) {
  let [x0, z0, x1, z1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, z] of lines.flat()) {
    [x0, x1] = [Math.min(x0, x), Math.max(x1, x)];
    [z0, z1] = [Math.min(z0, z), Math.max(z1, z)];
  }
  return [x0, z0, x1, z1];
}

/**
 * Returns the middle of the widest part of an area in a row, or null if the area is not there. The
 * middle of its bounds may be outside of an area of several chunks, or in a hole.
 *
 * @param {[number, number][][]} rings
 * @param {number} row
 * @returns {[number, number] | null}
 */
function insideOf(rings, row) {
  /** @type {number[]} */
  const crossings = [];
  for (const ring of rings) {
    ring.forEach(([x1, z1], index) => {
      const [x0, z0] = ring.at(index - 1) ?? [x1, z1];
      if (z0 <= row !== z1 <= row) crossings.push(x0 + ((row - z0) / (z1 - z0)) * (x1 - x0));
    });
  }
  crossings.sort((a, b) => a - b);

  let [west, east] = [0, 0];
  for (let at = 1; at < crossings.length; at += 2) {
    if (crossings[at] - crossings[at - 1] > east - west) [west, east] = crossings.slice(at - 1);
  }
  return east > west ? [(west + east) / 2, row] : null;
}

/**
 * Returns the part that points and shapes have in common. Their positions are added later.
 *
 * @param {MarkerSource} source
 * @param {any} collection
 * @param {any} properties
 * @returns {Marker}
 */
function baseMarker(source, collection, properties) {
  const { rank, named, symbol, colour } = kindOf(source);
  const type = typeof properties.type === 'string' ? properties.type.slice(0, MAX_NAME) : '';
  const facts = type ? idFacts(type) : null;
  const isStructure = source.kind === 'structures';
  const icon = markerIcon(source, properties);
  const group = markerGroup(source, facts, icon);
  const name = markerName(source, properties, type);
  const words = [name, ...(source.kind === 'containers' ? itemTexts(properties) : [])];

  return {
    source,
    group,
    type,
    name,
    icon,
    properties,
    lower: words.join('\n').toLowerCase(),
    rank: rank + (group && !group.isOn ? HIDDEN_RANK : 0),
    named,
    symbol: (isStructure && facts?.symbol) || symbol,
    colour: chosenColour(source, properties) || (isStructure && facts?.colour) || colour,
    x: 0,
    y: Number.isFinite(properties.y) ? Math.floor(properties.y) : null,
    z: 0,
    ...(source.isOwn
      ? { dimension: dimensionId(properties.dimension || collection.dimension) }
      : { picture: pictureAddress(collection, properties) }),
  };
}

/**
 * Returns the icon that a marker names, or a text of the owner. Signs name only icons and symbols
 * that exist, because any player may write one.
 *
 * @param {MarkerSource} source
 * @param {any} properties
 */
function markerIcon({ isOwn, kind }, { icon }) {
  if (!isOwn && kind !== 'signs') return '';
  const name = String(icon || '');
  if (isIcon(name) || isSymbol(name)) return name;
  return isOwn ? clean(name.slice(0, MAX_ICON_TEXT), '') : '';
}

/**
 * @param {MarkerSource} source
 * @param {import('./kinds.js').IdFacts | null} facts
 * @param {string} icon
 * @returns {MarkerGroup | null}
 */
function markerGroup({ kind, isOwn }, facts, icon) {
  if (kind === 'structures') return facts?.structure ?? null;
  if (kind === 'found') return facts?.block ?? null;
  const isGrouped = kind === 'signs' ? icon !== '' : isOwn && isIcon(icon);
  return isGrouped ? { text: spoken(icon), isOn: true } : null;
}

/**
 * @param {MarkerSource} source
 * @param {any} properties
 * @param {string} type
 */
function markerName(source, { name, count }, type) {
  const given = typeof name === 'string' && name !== type ? clean(name.slice(0, MAX_NAME), '') : '';
  const known = type ? idFacts(type).words : source.text.replace(/s$/, '');
  const times = source.kind === 'found' && count > 1 ? ` × ${Number(count)}` : '';
  return (given || known) + times;
}

/**
 * Returns the colour that a file states for a marker. Only the owner and waypoints choose colours.
 *
 * @param {MarkerSource} source
 * @param {any} properties
 */
function chosenColour(source, properties) {
  if (!source.isOwn && source.kind !== 'waypoints') return undefined;
  const { color, stroke, fill } = properties;
  return firstColour(color, properties['marker-color'], stroke, fill);
}

/**
 * Returns the items of a container in words, such as `Diamond × 3`.
 *
 * @param {any} properties
 */
export function itemTexts({ items }) {
  if (!Array.isArray(items)) return [];
  return items
    .slice(0, MAX_ITEMS)
    .filter((item) => typeof item?.type === 'string')
    .map(({ type, count }) => {
      const times = count > 1 ? ` × ${number(Number(count))}` : '';
      return idWords(type.slice(0, MAX_NAME)) + times;
    });
}

/**
 * Returns the address of the picture of a map item. A marker names a picture of its file. In files
 * of earlier versions each marker contains its picture.
 *
 * @param {any} collection
 * @param {any} properties
 */
function pictureAddress({ images }, { image }) {
  const isNamed = images && typeof images === 'object' && Object.hasOwn(images, image);
  const address = isNamed ? images[image] : image;
  const isPicture = typeof address === 'string' && address.startsWith('data:image/png;base64,');
  return isPicture ? address : null;
}

/**
 * Returns the id of a dimension that the owner has named. Markers without one are in the overworld.
 *
 * @param {unknown} name
 */
function dimensionId(name) {
  const id = typeof name === 'string' ? name.replace(/^minecraft:/, '') : 'overworld';
  return DIMENSION_NAMES[id] ?? id;
}

/** @param {any} position */
function isPosition(position) {
  if (!Array.isArray(position)) return false;
  const [x, z] = position;
  const isWithin = (/** @type {any} */ at) => Number.isFinite(at) && Math.abs(at) <= MAX_DISTANCE;
  return isWithin(x) && isWithin(z);
}

/**
 * Returns the first text that may be a colour. A canvas ignores texts that are not colours.
 *
 * @param {...unknown} texts
 */
function firstColour(...texts) {
  for (const text of texts) {
    if (typeof text === 'string' && text.length > 0 && text.length < MAX_COLOUR) return text;
  }
  return undefined;
}

/**
 * @param {unknown} value
 * @param {number} fallback
 */
function boundedNumber(value, fallback) {
  return Number.isFinite(value) ? Math.max(0, Math.min(MAX_WIDTH, Number(value))) : fallback;
}
