// @ts-check

/*
 * Returns the texts of a marker's card: its position, its type, and its further facts.
 */

import { number, time, translate } from '../basics/language.js';
import { clean } from '../basics/names.js';
import { MAX_NAME, itemTexts } from './features.js';
import { idFacts, idWords } from './kinds.js';

const MAX_TEXT = 4000;
/** Lines on one side of a sign. */
const MAX_LINES = 16;
const MAX_EFFECTS = 4;
const MAX_LINK = 2000;

/** The directions in which players look, from 0 degrees on. */
const DIRECTIONS = [
  'south',
  'south-west',
  'west',
  'north-west',
  'north',
  'north-east',
  'east',
  'south-east',
];

/**
 * A part of a card: its title, which may be empty, and its lines.
 *
 * @typedef {[string, string[]]} CardPart
 */

/** @param {Marker} marker */
export function positionText({ x, y, z }) {
  return y === null ? `x ${x}, z ${z}` : `x ${x}, y ${y}, z ${z}`;
}

/**
 * Returns the type of a marker in words, or its kind if the marker is named after its type.
 *
 * @param {Marker} marker
 */
export function typeText({ type, name, source }) {
  const words = type ? idFacts(type).words : source.text;
  return words === name ? source.text : words;
}

/**
 * Returns the parts of a card besides name, type and position. Parts without content are left out.
 *
 * @param {Marker} marker
 */
export function cardParts({ properties, source }) {
  const parts = source.isOwn
    ? [/** @type {CardPart} */ (['', descriptionLines(properties.description)])]
    : worldParts(properties);
  return parts.filter(([, lines]) => lines.some(Boolean));
}

/**
 * @param {any} properties
 * @returns {CardPart[]}
 */
function worldParts(properties) {
  return [
    ...containerParts(properties),
    [translate('Front'), signLines(properties.front)],
    [translate('Back'), signLines(properties.back)],
    ['', directionLines(properties.yaw)],
    ['', seenLines(properties.seen)],
  ];
}

/**
 * @param {any} properties
 * @returns {CardPart[]}
 */
function containerParts(properties) {
  const { more, loot, book, effects } = properties;
  const items = itemTexts(properties);
  if (more > 0) items.push(translate('and {count} more kinds', { count: number(Number(more)) }));

  const effectIds = Array.isArray(effects) ? effects.slice(0, MAX_EFFECTS) : [];
  return [
    [translate('Items'), items],
    [translate('Not opened yet'), shortText(loot).map(idWords)],
    [translate('Book'), shortText(book).map((title) => clean(title, ''))],
    [translate('Effects'), effectIds.map((id) => idWords(String(id).slice(0, MAX_NAME)))],
  ];
}

/**
 * Returns a text in a list of its own, or an empty list if the value is not a text.
 *
 * @param {unknown} value
 */
function shortText(value) {
  return typeof value === 'string' ? [value.slice(0, MAX_NAME)] : [];
}

/** @param {unknown} text */
function descriptionLines(text) {
  const whole = typeof text === 'string' ? text.slice(0, MAX_TEXT) : '';
  const lines = whole.split(/\r?\n/).map((line) => clean(line, ''));
  return lines.join('\n').trim().split('\n');
}

/** @param {unknown} lines */
function signLines(lines) {
  if (!Array.isArray(lines)) return [];
  return lines.slice(0, MAX_LINES).map((line) => clean(String(line).slice(0, MAX_NAME), ''));
}

/** @param {unknown} yaw degrees, which may have any sign */
function directionLines(yaw) {
  if (!Number.isFinite(yaw)) return [];
  const direction = DIRECTIONS[Math.round(Number(yaw) / 45) & 7];
  return [translate('Looks {direction}', { direction: translate(direction) })];
}

/** @param {unknown} seen */
function seenLines(seen) {
  const date = new Date(typeof seen === 'string' ? seen : NaN);
  return Number.isNaN(date.getTime()) ? [] : [translate('Seen {time}', { time: time(date) })];
}

/**
 * Returns the address of a link if it leads to the web or to a file of the page's own host.
 *
 * @param {unknown} text
 */
export function linkAddress(text) {
  if (typeof text !== 'string' || text.length > MAX_LINK) return null;
  try {
    const address = new URL(text, location.href);
    const isWeb = /^https?:$/.test(address.protocol);
    const isSameHost =
      address.protocol === location.protocol && address.host === location.host;
    // A text that names a protocol itself is not relative to the page.
    const namesProtocol = /^[\s\u0000-\u001f]*\w+:/.test(text);
    return isWeb || (isSameHost && !namesProtocol) ? address.href : null;
  } catch {
    return null;
  }
}
