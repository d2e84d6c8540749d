/* The legend: what the colours of the layers stand for, and the choice of entries whose columns alone stay in colour.
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapLegend`. It knows what map.js says of the
 * colours of a layer. A page from disk may not read the pixels of its tiles, but it may show them through a filter, so a
 * filter of SVG decides which columns keep their colour. Only the search for the nearest column reads pixels.
 */

import { translate } from './language.js';
import { clean } from './panel.js';
import { REGION, column } from './tiles.js';
import { blocksText } from './tools.js';

const FLAT = ['biome', 'version', 'inhabited', 'slime']; // layers whose native tiles have the colours of their legend alone
const REACH = 8; // a channel may differ by this much: screens with other colours round, and tiles further out mix
const RINGS = 64; // regions around the centre of the view in which the nearest column is searched
const AT_A_TIME = 8; // tiles that are read at a time
const GREY = '.06 .22 .02 0 .16 .06 .22 .02 0 .16 .06 .22 .02 0 .16 0 0 0 1 0'; // what the other columns become
const ALL_THREE = '0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 0 -2'; // opaque where all three channels are 1

const byId = (id) => document.getElementById(id);

/** The parts of a layer's legend. Nothing but a colour may come into a style, so entries with anything else are left out. */
function partsOf(layer) {
  const parts = Array.isArray(layer.legend) ? layer.legend : [];
  return parts.map(({ title, scale, entries, outer, more }) => {
    const all = (Array.isArray(entries) ? entries : []).map(([colour, text], at) => ({ colour, text: clean(text, '?'), outer: (outer || [])[at] || colour }));
    const isColour = ({ colour, outer: further }) => [colour, further].every((hex) => /^#[0-9a-f]{6}$/i.test(hex));
    return { title: clean(title, ''), scale: !!scale, more: !!more, isOffered: FLAT.includes(layer.id), entries: all.filter(isColour) };
  });
}

const channelsOf = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

/** For each entry of a part the least and the greatest value of each channel of its colours. An entry of a scale has all
 * colours from its own up to the next one's; the entries are from the highest to the lowest. */
function boxesOf(part, isOuter) {
  const colours = part.entries.map(({ colour, outer }) => channelsOf(isOuter ? outer : colour));
  const falling = part.scale ? [0, 1, 2].find((c) => colours.every((colour, at) => at === 0 || colour[c] < colours[at - 1][c])) : undefined;
  if (falling !== undefined) {
    return colours.map((colour, at) => colour.map((value, c) => {
      if (c !== falling) return [0, 255];
      return [at === colours.length - 1 ? 0 : value, at === 0 ? 255 : colours[at - 1][c] - 1];
    }));
  }
  return colours.map((colour, at) => {
    const apart = colours.map((other, place) => (place === at ? 256 : Math.max(...other.map((value, c) => Math.abs(value - colour[c])))));
    // Two entries never reach the same colour. Where some are not listed, any other colour may be one of theirs.
    const reach = part.more ? 0 : Math.max(0, Math.min(REACH, Math.ceil(Math.min(...apart) / 2) - 1));
    return colour.map((value) => [value - reach, value + reach]);
  });
}

function svg(tag, attributes, ...children) {
  const made = document.createElementNS(document.querySelector('svg').namespaceURI, tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  made.append(...children);
  return made;
}

/** A filter that keeps the colours in boxes, and makes all others grey. */
function filterOf(id, boxes) {
  const tests = boxes.flatMap((box, at) => {
    const functions = box.map(([least, most], c) => {
      const table = Array.from({ length: 256 }, (_, value) => (least <= value && value <= most ? 1 : 0));
      return svg(`feFunc${'RGB'[c]}`, { type: 'discrete', tableValues: table.join(' ') });
    });
    return [svg('feComponentTransfer', { in: 'SourceGraphic' }, ...functions), svg('feColorMatrix', { values: ALL_THREE, result: `kept${at}` })];
  });
  const merged = (result, names) => svg('feMerge', { result }, ...names.map((name) => svg('feMergeNode', { in: name })));
  const kept = boxes.length === 0 ? [] : [
    ...tests,
    merged('kept', boxes.map((_, at) => `kept${at}`)),
    svg('feComposite', { operator: 'in', in: 'SourceGraphic', in2: 'kept', result: 'colours' }),
  ];
  const grey = svg('feColorMatrix', { in: 'SourceGraphic', values: GREY, result: 'grey' });
  const all = merged('all', kept.length > 0 ? ['grey', 'colours'] : ['grey']);
  // Colours count as they are stored, not as light.
  return svg('filter', { id, x: 0, y: 0, width: 1, height: 1, 'color-interpolation-filters': 'sRGB' }, grey, ...kept, all);
}

/** The pixel of a picture nearest to a column whose colour is in one of the boxes; null: there is none. `tile` is its place. */
async function nearestIn(picture, tile, boxes, from) {
  const bitmap = await createImageBitmap(picture, { colorSpaceConversion: 'none' });
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = REGION;
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  pen.drawImage(bitmap, 0, 0);
  const { data } = pen.getImageData(0, 0, REGION, REGION);
  let best = null;
  for (let at = 0; at < data.length; at += 4) {
    const isKept = data[at + 3] > 0 && boxes.some((box) => box.every(([least, most], c) => least <= data[at + c] && data[at + c] <= most));
    if (!isKept) continue;
    const [x, z] = [tile[0] * REGION + (at / 4) % REGION, tile[1] * REGION + Math.floor(at / 4 / REGION)];
    const away = Math.hypot(x - from.x, z - from.z);
    if (!best || away < best.away) best = { x, z, away };
  }
  return best;
}

/** The tiles at the border of a square around a tile. */
function ring([x, y], reach) {
  const side = Array.from({ length: 2 * reach + 1 }, (_, at) => at - reach);
  const all = side.flatMap((dy) => (Math.abs(dy) === reach ? side : [-reach, reach]).map((dx) => [x + dx, y + dy]));
  return reach === 0 ? [[x, y]] : all;
}

/** The column nearest to another one whose colour is in one of the boxes. */
async function nearestOf(tiles, boxes, from) {
  const home = [from.x, from.z].map((at) => Math.floor(at / REGION));
  let best = null;
  for (let reach = 0; reach <= RINGS && !(best && best.away <= (reach - 1) * REGION); reach++) {
    const cells = ring(home, reach);
    while (cells.length > 0) {
      const found = await Promise.all(cells.splice(0, AT_A_TIME).map(async (tile) => {
        const picture = await tiles.nativePicture(...tile);
        return picture && nearestIn(picture, tile, boxes, from);
      }));
      best = [best, ...found].filter(Boolean).sort((a, b) => a.away - b.away)[0] || null;
    }
  }
  return best;
}

/** A part of a legend: its title, and colours with their texts, which a scale joins. `button` makes a text a button. */
function partElements(part, button) {
  const title = document.createElement('h2');
  const list = document.createElement('ul');
  title.textContent = translate(part.title);
  list.classList.toggle('offered', part.isOffered);
  list.classList.toggle('scale', part.scale);
  if (part.scale) {
    const ramp = document.createElement('span');
    const stops = part.entries.map(({ colour }, at) => `${colour} ${100 * (at + .5) / part.entries.length}%`);
    ramp.className = 'ramp';
    ramp.style.background = stops.length > 1 ? `linear-gradient(${stops.join(',')})` : (part.entries[0] || {}).colour || '';
    list.append(ramp);
  }
  part.entries.forEach(({ colour, text }) => {
    const item = document.createElement('li');
    const swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.background = colour;
    const content = [...(part.scale ? [] : [swatch]), translate(text)];
    item.append(...(part.isOffered ? [button(text, content)] : content));
    list.append(item);
  });
  if (part.more) list.append(Object.assign(document.createElement('li'), { textContent: translate('and more') }));
  return [title, list];
}

/** The legend of a map. `page.layers` returns each layer that is shown with its tiles, and `page.beside` those of another
 * map. `page.changed` is told of a new choice, and `page.go` shows a column. */
export function openLegend(map, page) {
  let chosen = new Set(); // texts of entries, among them those of layers that are not shown now
  let shown = ''; // the parts in the panel, as text
  let isOuter = null; // whether the tiles that are shown are of outer zoom levels
  let isSearching = false;
  let number = 0; // of the next filter
  const filters = svg('svg', { class: 'filters', 'aria-hidden': 'true' });
  document.body.append(filters);

  const offered = (layer) => partsOf(layer).filter((part) => part.isOffered);
  const textsOf = (layer) => offered(layer).flatMap((part) => part.entries.map(({ text }) => text));
  /** The chosen entries that are in the legend now. */
  const texts = () => page.layers().flatMap(([layer]) => textsOf(layer)).filter((text) => chosen.has(text));
  const keptBoxes = (layer, further) => offered(layer).flatMap((part) => {
    return boxesOf(part, further).filter((_, at) => chosen.has(part.entries[at].text));
  });

  /** Shows the tiles through filters that keep what is chosen. */
  function filter() {
    isOuter = map.getZoom() < 0;
    const isAny = texts().length > 0;
    const all = [...page.layers(), ...page.beside()];
    // A new name each time, because browsers keep what a filter of the old name has made.
    const made = isAny ? all.map(([layer]) => filterOf(`filter-${number++}`, keptBoxes(layer, isOuter))) : [];
    filters.replaceChildren(...made);
    all.forEach(([, tiles], at) => tiles.setFilter(isAny ? `url(#${made[at].id})` : ''));
  }

  /** Marks the buttons of what is chosen. */
  function mark() {
    const now = texts();
    byId('legend-parts').querySelectorAll('button').forEach((button) => button.setAttribute('aria-pressed', String(now.includes(button.value))));
    byId('nearest').disabled = byId('all-colours').disabled = now.length === 0;
    byId('legend-found').textContent = '';
  }

  function change() {
    mark();
    filter();
    page.changed();
  }

  function button(text, content) {
    const made = document.createElement('button');
    made.type = 'button';
    made.value = text;
    made.append(...content);
    made.addEventListener('click', () => {
      if (!chosen.delete(text)) chosen.add(text);
      change();
    });
    return made;
  }

  /** Shows the legend of the layers that are shown, and what is chosen of it. */
  function show() {
    const parts = page.layers().flatMap(([layer]) => partsOf(layer));
    const now = JSON.stringify(parts);
    if (now !== shown) {
      shown = now;
      byId('legend').hidden = parts.length === 0;
      byId('legend-parts').replaceChildren(...parts.flatMap((part) => partElements(part, button)));
      byId('legend-actions').hidden = !parts.some((part) => part.isOffered);
    }
    mark();
    filter();
  }

  async function goToNearest() {
    if (isSearching) return;
    isSearching = true;
    byId('legend-found').textContent = translate('Searching');
    const from = column(map.getCenter());
    const now = String(texts());
    try {
      const wanted = page.layers().map(([layer, tiles]) => [tiles, keptBoxes(layer, false)]).filter(([, boxes]) => boxes.length > 0);
      const found = (await Promise.all(wanted.map(([tiles, boxes]) => nearestOf(tiles, boxes, from)))).filter(Boolean);
      const best = found.sort((a, b) => a.away - b.away)[0];
      // Another choice has been made.
      if (String(texts()) !== now) return;
      if (best) page.go({ x: best.x, z: best.z });
      byId('legend-found').textContent = best ? translate('{distance} away', { distance: blocksText(Math.round(best.away)) }) : translate('None is near');
    } catch (error) {
      byId('legend-found').textContent = translate('Not found: {reason}', { reason: error.message });
    } finally {
      isSearching = false;
    }
  }

  byId('nearest').addEventListener('click', goToNearest);
  byId('all-colours').addEventListener('click', () => {
    texts().forEach((text) => chosen.delete(text));
    change();
    byId('legend').querySelector('summary').focus();
  });
  map.on('beside', filter);
  map.on('zoomend', () => isOuter !== map.getZoom() < 0 && filter());
  return {
    show,
    texts,
    /** The texts of a layer's legend that may be chosen. */
    textsOf,
    /** Chooses these texts and no others; `show` shows it. */
    choose(wanted) { chosen = new Set(wanted); },
  };
}
