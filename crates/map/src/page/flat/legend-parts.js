// @ts-check

/*
 * Reads the legends of layers, and finds the colours that an entry of a legend stands for.
 */

import { translate } from '../basics/language.js';
import { clean, gameName } from '../basics/names.js';

/** The layers whose native tiles contain only colours of their legends, without shades. */
const FLAT_LAYERS = ['biome', 'version', 'inhabited', 'slime'];
/**
 * A channel of a pixel may differ by this much from the legend, because screens with other colours
 * round, and outer tiles mix colours.
 */
const MAX_REACH = 8;

/**
 * @typedef {object} LegendEntry
 * @property {string} colour
 * @property {string} outer the colour on outer zoom levels
 * @property {string} text the text in the facts of the map, and in addresses
 * @property {string} label the text that the visitor reads
 */

/**
 * @typedef {object} LegendPart
 * @property {string} title
 * @property {boolean} scale whether the colours between two entries belong to the values between
 * @property {boolean} more whether further colours are not listed
 * @property {boolean} isOffered whether the visitor may choose entries
 * @property {LegendEntry[]} entries
 */

/**
 * For each channel the least and the greatest value.
 *
 * @typedef {[number, number][]} ColourBox
 */

/**
 * Returns the parts of a layer's legend. Colours get into styles, so entries with any other text
 * there are left out.
 *
 * @param {LayerFacts} layer
 * @returns {LegendPart[]}
 */
export function legendParts({ id, legend }) {
  if (!Array.isArray(legend)) return [];
  return legend.map((part) => ({
    title: clean(part.title, ''),
    scale: Boolean(part.scale),
    more: Boolean(part.more),
    isOffered: FLAT_LAYERS.includes(id),
    entries: legendEntries(part, id === 'biome' ? gameName : translate),
  }));
}

/**
 * @param {LegendFacts} part
 * @param {(text: string) => string} labelOf
 * @returns {LegendEntry[]}
 */
function legendEntries({ entries, outer }, labelOf) {
  if (!Array.isArray(entries)) return [];
  return entries
    .map(([colour, written], at) => {
      const text = clean(written, '?');
      return { colour, outer: outer?.[at] || colour, text, label: labelOf(text) };
    })
    .filter((entry) => isColour(entry.colour) && isColour(entry.outer));
}

/** @param {unknown} text */
function isColour(text) {
  return typeof text === 'string' && /^#[0-9a-f]{6}$/i.test(text);
}

/**
 * Returns the box of colours of each entry of a part.
 *
 * @param {LegendPart} part
 * @param {boolean} isOuter whether outer zoom levels are shown
 * @returns {ColourBox[]}
 */
export function colourBoxes(part, isOuter) {
  const colours = part.entries.map(({ colour, outer }) => channels(isOuter ? outer : colour));
  const falling = part.scale ? fallingChannel(colours) : undefined;
  return falling === undefined ? separateBoxes(colours, part.more) : scaleBoxes(colours, falling);
}

/**
 * Returns red, green and blue.
 *
 * @param {string} colour
 */
function channels(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

/**
 * Returns the channel whose values fall from each entry of a scale to the next.
 *
 * @param {number[][]} colours
 */
function fallingChannel(colours) {
  return [0, 1, 2].find((channel) =>
    colours.every((colour, at) => at === 0 || colour[channel] < colours[at - 1][channel]),
  );
}

/**
 * Returns the boxes of a scale. An entry has all colours from its own up to the next higher one.
 *
 * @param {number[][]} colours from the highest value to the lowest
 * @param {number} falling
 * @returns {ColourBox[]}
 */
function scaleBoxes(colours, falling) {
  const last = colours.length - 1;
  return colours.map((colour, at) =>
    colour.map((value, channel) => {
      if (channel !== falling) return [0, 255];
      return [at === last ? 0 : value, at === 0 ? 255 : colours[at - 1][channel] - 1];
    }),
  );
}

/**
 * Returns boxes around colours, so small that no two of them overlap. If the legend does not list
 * all colours, a box has one colour only, because any other may belong to another entry.
 *
 * @param {number[][]} colours
 * @param {boolean} hasMore
 * @returns {ColourBox[]}
 */
function separateBoxes(colours, hasMore) {
  return colours.map((colour) => {
    const others = colours.filter((other) => other !== colour);
    const distances = others.map((other) => distanceOf(other, colour));
    const free = Math.ceil(Math.min(256, ...distances) / 2) - 1;
    const reach = hasMore ? 0 : Math.max(0, Math.min(MAX_REACH, free));
    return colour.map((value) => [value - reach, value + reach]);
  });
}

/**
 * Returns the largest difference in a channel.
 *
 * @param {number[]} a
 * @param {number[]} b
 */
function distanceOf(a, b) {
  return Math.max(...a.map((value, channel) => Math.abs(value - b[channel])));
}

/**
 * Returns whether a colour is in one of the boxes.
 *
 * @param {ColourBox[]} boxes
 * @param {ArrayLike<number>} pixels
 * @param {number} at the index of the colour's first channel
 */
export function isInBoxes(boxes, pixels, at) {
  return boxes.some((box) =>
    box.every(([least, most], channel) => {
      const value = pixels[at + channel];
      return least <= value && value <= most;
    }),
  );
}
