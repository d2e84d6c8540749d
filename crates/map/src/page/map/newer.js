// @ts-check

/*
 * Finds out whether the host has a newer map than the one that is shown.
 *
 * It reads version.json and map.json next to the page. It does not know how a newer map is shown.
 */

import { time, translate } from '../basics/language.js';
import { byId } from '../basics/page.js';

const LOOK_EVERY_MS = 60000;
/** If a page is newer than this, the host has just made it, and its time is not the map's. */
const JUST_NOW_MS = 2000;

/**
 * Calls `look` once per minute while the page is visible. If the host is away, the next call tries
 * again.
 *
 * @param {() => Promise<unknown>} look
 */
export function everyMinute(look) {
  const lookQuietly = () => {
    if (!document.hidden) look().catch(() => {});
  };
  setInterval(lookQuietly, LOOK_EVERY_MS);
  document.addEventListener('visibilitychange', lookQuietly);
}

/** Returns the version in the address of the page's own `map.js`, or null without a version. */
export function shownVersion() {
  /** @type {HTMLScriptElement | null} */
  const script = document.querySelector('script[src^="map.js?v="]');
  return script && new URL(script.src).searchParams.get('v');
}

/**
 * Calls `renew` with the facts and the version of each newer map. It returns a function that does
 * so at once, or null for a page without a version.
 *
 * @param {(facts: MapFacts, version: string) => void} renew
 */
export function followNewerMaps(renew) {
  let shown = shownVersion();
  if (!shown) return null;

  async function look() {
    const response = await request('version.json');
    const { map } = await response.json();
    if (typeof map !== 'string' || map === shown) return;

    const newer = await (await request(`map.json?v=${encodeURIComponent(map)}`)).json();
    if (newer.format !== 1) return;
    shown = map;
    renew(newer, map);
    showUpdate(new Date(response.headers.get('Last-Modified') ?? NaN));
  }

  everyMinute(look);
  return look;
}

/** @param {string} address */
async function request(address) {
  const response = await fetch(address, { cache: 'no-store' });
  if (!response.ok) throw new Error(`the host answers ${response.status}`);
  return response;
}

/**
 * Shows the time at which the map was drawn, if the host states it.
 *
 * @param {Date} then
 */
export function showUpdate(then) {
  const isKnown = Date.now() - then.getTime() > JUST_NOW_MS;
  byId('updated').hidden = !isKnown;
  if (isKnown) byId('updated').textContent = translate('Updated {time}', { time: time(then) });
}
