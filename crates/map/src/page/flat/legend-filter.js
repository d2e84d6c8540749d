// @ts-check

/*
 * Makes filters of SVG that keep chosen colours and turn all others grey.
 *
 * A page from disk may not read the pixels of its tiles, but it may show them through a filter.
 */

/** The matrix that turns colours into a dark grey. */
const GREY = '.06 .22 .02 0 .16 .06 .22 .02 0 .16 .06 .22 .02 0 .16 0 0 0 1 0';
/** The matrix whose result is opaque only if all three channels are 1. */
const ALL_THREE = '0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 0 -2';

/**
 * Makes an element of SVG.
 *
 * @param {string} tag
 * @param {Record<string, unknown>} attributes
 * @param {...Element} children
 */
export function svg(tag, attributes, ...children) {
  // The address of the SVG namespace is taken from an element of the page.
  const namespace = /** @type {Element} */ (document.querySelector('svg')).namespaceURI;
  const made = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/**
 * Returns a filter that keeps the colours in boxes.
 *
 * @param {string} id
 * @param {import('./legend-parts.js').ColourBox[]} boxes
 */
export function colourFilter(id, boxes) {
  const steps = [svg('feColorMatrix', { in: 'SourceGraphic', values: GREY, result: 'grey' })];
  const layers = ['grey'];

  if (boxes.length > 0) {
    const masks = boxes.map((box, at) => boxMask(box, `kept${at}`));
    const names = boxes.map((_, at) => `kept${at}`);
    steps.push(...masks.flat(), merge('kept', names));
    const cut = { operator: 'in', in: 'SourceGraphic', in2: 'kept', result: 'colours' };
    steps.push(svg('feComposite', cut));
    layers.push('colours');
  }

  steps.push(merge('all', layers));
  // The filter compares the stored values of the channels, and not amounts of light.
  const size = { x: 0, y: 0, width: 1, height: 1, 'color-interpolation-filters': 'sRGB' };
  return svg('filter', { id, ...size }, ...steps);
}

/**
 * Returns the steps whose result is opaque where the picture has a colour of the box.
 *
 * @param {import('./legend-parts.js').ColourBox} box
 * @param {string} result
 */
function boxMask(box, result) {
  const functions = box.map(([least, most], channel) => {
    const isKept = (/** @type {number} */ value) => least <= value && value <= most;
    const table = Array.from({ length: 256 }, (_, value) => (isKept(value) ? 1 : 0));
    const attributes = { type: 'discrete', tableValues: table.join(' ') };
    return svg(`feFunc${'RGB'[channel]}`, attributes);
  });
  return [
    svg('feComponentTransfer', { in: 'SourceGraphic' }, ...functions),
    svg('feColorMatrix', { values: ALL_THREE, result }),
  ];
}

/**
 * @param {string} result
 * @param {string[]} names
 */
function merge(result, names) {
  return svg('feMerge', { result }, ...names.map((name) => svg('feMergeNode', { in: name })));
}
