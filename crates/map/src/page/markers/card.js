// @ts-check

/*
 * Builds elements about markers: the card of one marker, and buttons for several.
 *
 * Players choose names and texts of markers, so they get into the page only as texts.
 */

import { translate } from '../basics/language.js';
import { clean } from '../basics/names.js';
import { element } from '../basics/page.js';
import { cardParts, linkAddress, typeText } from './card-texts.js';
import { signElement } from './symbols.js';

/** Markers of one place that a card offers. */
const MAX_OTHERS = 30;

/**
 * Fills a box with the card of a marker. Without a marker it hides the box.
 *
 * @param {HTMLElement} box
 * @param {Marker | null} marker
 * @param {Marker[]} atSamePlace the markers that the dot of this one stands for
 * @param {(marker: Marker) => void} choose
 */
export function fillCard(box, marker, atSamePlace, choose) {
  box.hidden = !marker;
  if (!marker) return;

  box.replaceChildren(...markerElements(marker));
  const others = atSamePlace.filter((other) => other !== marker).slice(0, MAX_OTHERS);
  if (others.length === 0) return;

  const offered = element('ul', 'found');
  offered.append(...markerButtons(others, choose));
  box.append(element('h3', '', translate('At the same place')), offered);
}

/** @param {Marker} marker */
function markerElements(marker) {
  /** @type {HTMLElement[]} */
  const parts = [element('h2', '', marker.name), element('p', 'faint', typeText(marker))];
  for (const [title, lines] of cardParts(marker)) {
    if (title) parts.push(element('h3', '', title));
    parts.push(element('p', title ? 'lines sign-lines' : 'lines', lines.join('\n')));
  }

  if (marker.picture) parts.push(mapItem(marker.picture));
  const address = marker.source.isOwn ? linkAddress(marker.properties.link) : null;
  if (address) parts.push(outsideLink(address));

  for (const part of parts) part.dir = 'auto';
  return parts;
}

/** @param {string} address */
function mapItem(address) {
  const picture = element('img', 'map-item');
  picture.src = address;
  picture.alt = '';
  return picture;
}

/** @param {string} address */
function outsideLink(address) {
  const link = element('a', '', clean(address.replace(/^[a-z]+:\/\//i, ''), '?'));
  link.href = address;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  return link;
}

/**
 * Returns a list entry with a button for each marker.
 *
 * @template {Marker} M
 * @param {M[]} markers
 * @param {(marker: M) => void} choose
 */
export function markerButtons(markers, choose) {
  return markers.map((marker) => {
    const words = element('span', 'words', marker.name);
    words.dir = 'auto';
    words.append(element('small', '', `${typeText(marker)} · ${marker.x}, ${marker.z}`));

    const button = element('button');
    button.type = 'button';
    button.append(signElement(marker), words);
    button.addEventListener('click', () => choose(marker));

    const item = element('li');
    item.append(button);
    return item;
  });
}
