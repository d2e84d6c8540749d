/* A map that is drawn while it is looked at: tells the server what is seen, and takes what it draws.
 *
 * A plain script, which the server puts into the pages of a world. It sets the global
 * `PixelmapLive` and knows of a page what its own script hands over.
 */

import { translate } from './language.js';

const SETTLE = 150; // milliseconds that the view rests before the server is told of it
const REGION = 512; // blocks along the side of a region
const MOST_REGIONS = 64; // regions in which blocks are looked for at a time
const AGAIN = 3000; // milliseconds until a server that is away is asked again

/** The tag that the server puts into the pages of a world; other pages have none. */
const liveTag = () => document.querySelector('meta[name=pixelmap-live]');

/** Returns whether a server draws the map while it is looked at. */
export const isLive = () => liveTag() !== null;

/** Follows what is drawn. `map` reports its moves, as Leaflet and MapLibre do. `seen` returns a `layer` that is shown, the
 * `zoom` level of its tiles, the `area` of columns, and `takeAnew`, which takes the picture of a tile anew, and `showLive`, if the page shows markers, which shows those of a kind; `look` has the
 * page look for a newer map. */
export function followDrawing(map, seen, look) {
  const status = document.getElementById('status');
  const progress = status.appendChild(document.createElement('span'));
  progress.id = 'drawing';
  let events = null;
  let waiting = 0;

  /** The address of the events of what is seen: the server draws first what somebody listens to. */
  function address() {
    const { layer, zoom, area } = seen();
    return `live?${new URLSearchParams(Object.assign({ layer: layer.path, zoom }, area))}`;
  }

  function listen() {
    if (events) events.close();
    events = new EventSource(address());
    events.addEventListener('tiles', (event) => {
      const { takeAnew } = seen();
      JSON.parse(event.data).forEach(([z, x, y]) => takeAnew(z, x, y));
    });
    events.addEventListener('players', (event) => {
      const { showLive } = seen();
      const features = JSON.parse(event.data).map(({ x, z, ...properties }) => ({ geometry: { type: 'Point', coordinates: [x, z] }, properties }));
      if (showLive) showLive('online', 'Players online', features);
    });
    events.addEventListener('progress', (event) => {
      const { drawn, of } = JSON.parse(event.data);
      progress.textContent = drawn < of ? translate('{drawn} of {of} regions drawn', { drawn, of }) : '';
    });
    // Also each time when what the game saved is drawn: nothing is drawn for what is seen any more.
    events.addEventListener('finished', () => {
      ['moveend', 'layeradd'].forEach((name) => map.off(name, moved));
      clearTimeout(waiting);
      progress.remove();
      look().catch(() => {});
    });
    events.onerror = () => {
      // The browser tries again by itself unless the server refuses.
      if (events.readyState === EventSource.CLOSED) moved(AGAIN);
    };
  }

  function moved(after) {
    clearTimeout(waiting);
    waiting = setTimeout(listen, Number.isFinite(after) ? after : SETTLE);
  }

  // A page that nobody sees wants nothing, and a browser has few connections to a host.
  document.addEventListener('visibilitychange', () => {
    clearTimeout(waiting);
    if (!document.hidden) listen();
    else if (events) events.close();
  });
  // Another layer at the same place is another view.
  ['moveend', 'layeradd'].forEach((name) => map.on(name, moved));
  moved(0);
  findBlocks(map, seen);
}

/** Looks for the blocks that the page's address names, as `?find=minecraft:spawner,*_bed&depth=all` does, in the regions
 * that are seen. */
function findBlocks(map, seen) {
  const asked = new URLSearchParams(location.search);
  if (!asked.get('find')) return;
  const query = new URLSearchParams({ find: asked.get('find'), depth: asked.get('depth') || 'surface' });
  const known = new Map(); // the features of regions, by address
  let waiting = 0;

  async function featuresOf(address) {
    const response = await fetch(address);
    if (!response.ok) throw new Error(response.status);
    const { dimension, features } = await response.json();
    features.forEach(({ properties }) => Object.assign(properties, { dimension }));
    return features;
  }

  async function look() {
    const { layer, area, showLive } = seen();
    const folder = layer.path.slice(0, layer.path.lastIndexOf('/'));
    const [x0, z0, x1, z1] = [area.x0, area.z0, area.x1 - 1, area.z1 - 1].map((at) => Math.floor(at / REGION));
    if (!showLive || (x1 - x0 + 1) * (z1 - z0 + 1) > MOST_REGIONS) return;
    const wanted = [];
    for (let z = z0; z <= z1; z += 1) for (let x = x0; x <= x1; x += 1) wanted.push(`found/${folder}/${x}/${z}?${query}`);
    await Promise.all(wanted.filter((address) => !known.has(address)).map(async (address) => {
      known.set(address, []);
      try {
        known.set(address, await featuresOf(address));
        showLive('found', 'Found blocks', [...known.values()].flat());
      } catch (_) {
        known.delete(address);
      }
    }));
  }

  map.on('moveend', () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, SETTLE);
  });
  look();
}

/** The innermost zoom level of a layer: the server draws tiles with textures beyond that of the files. */
export function innermostLive(layer) {
  const tag = liveTag();
  return tag && tag.content.split(' ').includes(layer.id) ? Number(tag.dataset.innermost) : layer.max_zoom;
}
