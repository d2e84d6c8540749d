/* Looks now and then whether the host has a newer map than the one that is shown.
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapNewer`. It knows the files version.json and
 * map.json beside the page, and nothing of what is on it.
 */

import { showUpdate } from './tools.js';

const LOOK_EVERY = 60000; // milliseconds between two looks

/** Looks again and again, while the page is seen. A host that is away for a while is asked again the next time. */
export function everyMinute(look) {
  const quietly = () => document.hidden || look().catch(() => {});
  setInterval(quietly, LOOK_EVERY);
  document.addEventListener('visibilitychange', quietly);
}

/** Hands the facts of each newer map over, with its version; returns the look, null where the page has no version. */
export function followNewerMaps(renew) {
  const script = document.querySelector('script[src^="map.js?v="]');
  let shown = script && new URL(script.src).searchParams.get('v');
  if (!shown) return null;
  const ask = (address) => fetch(address, { cache: 'no-store' }).then((response) => {
    if (!response.ok) throw new Error(`the host answers ${response.status}`);
    return response;
  });
  async function look() {
    const response = await ask('version.json');
    const { map } = await response.json();
    if (typeof map !== 'string' || map === shown) return;
    const newer = await (await ask(`map.json?v=${encodeURIComponent(map)}`)).json();
    if (newer.format !== 1) return;
    shown = map;
    renew(newer, map);
    showUpdate(new Date(response.headers.get('Last-Modified') || NaN));
  }
  everyMinute(look);
  return look;
}
