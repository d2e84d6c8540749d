// @ts-check

/*
 * Loads the owner's icons: pictures that markers name.
 *
 * A marker has only the name of an icon, and this module makes the address, so that nothing that a
 * player writes on a sign can lead the page to another host.
 */

import { versioned } from '../map/address.js';

const FOLDER = 'markers/icons/';
const NAME = /^[a-z0-9_-]{1,32}$/;

/** @typedef {{ address: string, picture: HTMLImageElement | null }} Icon */

/** @type {Map<string, Icon>} */
let icons = new Map();
let onLoad = () => {};

/**
 * Offers the icons of a map instead of earlier ones.
 *
 * @param {MapFacts} facts
 * @param {() => void} onPicture called when the picture of an icon has been loaded
 */
export function offerIcons(facts, onPicture) {
  onLoad = onPicture;
  const before = icons;
  icons = new Map();
  for (const { name, version } of facts.icons ?? []) {
    if (typeof name !== 'string' || !NAME.test(name)) continue;

    const address = versioned(`${FOLDER}${name}.png`, version);
    const known = before.get(name);
    icons.set(name, known?.address === address ? known : { address, picture: null });
  }
}

/** Returns a text that differs if a map offers other names. */
export function iconNames() {
  return [...icons.keys()].join();
}

/** @param {string} name */
export function isIcon(name) {
  return icons.has(name);
}

/**
 * Returns the picture of an icon, or null if it is not loaded yet.
 *
 * @param {string} name
 */
export function pictureOf(name) {
  const icon = icons.get(name);
  if (!icon) return null;

  icon.picture ??= loadPicture(icon.address);
  // A picture that cannot be loaded has no width.
  return icon.picture.complete && icon.picture.naturalWidth > 0 ? icon.picture : null;
}

/** @param {string} address */
function loadPicture(address) {
  const picture = new Image();
  picture.addEventListener('load', () => onLoad());
  picture.src = address;
  return picture;
}
