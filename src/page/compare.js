/* Two maps side by side: the one of this page and the one of ?compare=FOLDER, with a divider between them.
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapCompare`. It lays the other map's tiles over
 * this one's, cuts both at the divider, and tells in a line what of the other map cannot be shown. The other map may lie
 * on any host: nothing of it is run, and its names are text.
 */

import { decoded, typedAddress } from './address.js';
import { translate } from './language.js';
import { clean, layerName } from './panel.js';
import { tileLayer } from './tiles.js';

const SCHEMES = ['signed', 'xyz', 'tms'];
const STEPS = { ArrowLeft: -.02, ArrowDown: -.02, ArrowRight: .02, ArrowUp: .02, PageDown: -.1, PageUp: .1, Home: -1, End: 1 };

const byId = (id) => document.getElementById(id);

/** The folder that is `asked` for, ended by a slash; null: it is not an address. */
function folderOf(asked) {
  const folder = typedAddress(asked.replace(/(index\.html|map\.js(on)?)$/, ''));
  if (!folder) return null;
  folder.search = folder.hash = '';
  if (!folder.pathname.endsWith('/')) folder.pathname += '/';
  return folder;
}

/** The facts of a folder on the disk: a page from disk may read no file, but run a script. */
function fromScript(folder) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    const own = window.PIXELMAP;
    window.PIXELMAP = undefined;
    const end = () => {
      const other = window.PIXELMAP;
      // The other map's script has set the global of this page's.
      window.PIXELMAP = own;
      script.remove();
      if (other) resolve(other);
      else reject(new Error('there is no map.js'));
    };
    script.onload = script.onerror = end;
    script.src = `${folder.href}map.js`;
    document.head.append(script);
  });
}

async function fromHost(folder) {
  const response = await fetch(`${folder.href}map.json`, { cache: 'no-cache' }).catch(() => {
    const isHere = folder.origin === location.origin;
    throw new Error(isHere ? 'the host does not answer' : 'its host does not answer, or lacks the header Access-Control-Allow-Origin');
  });
  if (!response.ok) throw new Error(`the host answers ${response.status}`);
  return response.json().catch(() => { throw new Error('its map.json is no JSON'); });
}

/** The name of the other map: the one of its folder. */
function nameOf(folder) {
  if (folder.href === new URL('.', location.href).href) return translate('Now');
  const last = folder.pathname.split('/').filter(Boolean).pop() || folder.host;
  return clean(decoded(last, last), translate('the other map'));
}

async function factsOf(folder) {
  if (!folder) throw new Error('this is not an address: write ?compare= with the address of a map\u2019s folder');
  const isDisk = location.protocol === 'file:';
  if (isDisk !== (folder.protocol === 'file:') || !/^(https?|file):$/.test(folder.protocol)) throw new Error('it cannot be read from here');
  const facts = await (isDisk ? fromScript(folder) : fromHost(folder));
  if (!facts || facts.format !== 1 || !Array.isArray(facts.dimensions)) throw new Error('it is no map of this version of pixelmap');
  return Object.assign({}, facts, { base: folder.href });
}

/** The layer to be laid beside one of this map, or why there is none. */
function counterpart(facts, other, dimension, layer) {
  if (other.native_zoom !== facts.native_zoom || other.tile_size !== facts.tile_size) return { lack: 'it has another scale' };
  const there = other.dimensions.find((of) => of.id === dimension.id);
  if (!there) return { lack: `it has no dimension ${clean(dimension.name, dimension.id)}` };
  const found = (there.layers || []).find((of) => of.id === layer.id);
  if (!found) return { lack: `it has no layer ${layerName(layer)} here` };
  if (!SCHEMES.includes(found.scheme || 'signed')) return { lack: 'its tiles are named by a scheme that this page does not know' };
  return { found };
}

/** A divider that is dragged or moved by keys; `moved` is told of its share of the width. */
function divider(map, moved) {
  const bar = byId('divider');
  let share = .5;
  function set(wanted) {
    share = Math.max(0, Math.min(1, wanted));
    bar.style.left = byId('compared').style.left = `${100 * share}%`;
    bar.setAttribute('aria-valuenow', String(Math.round(100 * share)));
    moved(share);
  }
  bar.addEventListener('pointerdown', (event) => {
    bar.setPointerCapture(event.pointerId);
    event.preventDefault();
    bar.focus();
  });
  bar.addEventListener('pointermove', (event) => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const around = map.getContainer().getBoundingClientRect();
    set((event.clientX - around.left) / around.width);
  });
  bar.addEventListener('keydown', (event) => {
    if (!(event.key in STEPS)) return;
    event.preventDefault();
    set(share + STEPS[event.key]);
  });
  bar.hidden = false;
  map.on('move zoomend viewreset resize', () => moved(share));
  set(share);
}

/** Opens what the address asks for beside a map; returns what is to be told of the layer that is shown, and whose
 * `layers` returns the other map's layer with its tiles. */
export function openComparison(map) {
  const asked = new URLSearchParams(location.search).get('compare');
  if (!asked) return Object.assign(() => {}, { layers: () => [] });
  const folder = folderOf(asked);
  const name = folder ? nameOf(folder) : clean(asked, translate('the other map'));
  const panes = [map.getPane('tilePane'), map.createPane('compared')];
  panes[1].style.zIndex = 250;
  panes[1].style.pointerEvents = 'none';
  let other = null;
  let shown = null;
  let shownLayer = null;
  let wanted = null;

  function tell(lack) {
    byId('compared-other').textContent = lack ? `${name}: ${lack}` : name;
  }

  function show() {
    if (shown) shown.remove();
    shown = null;
    if (!other || !wanted) return;
    const { found, lack } = counterpart(wanted.facts, other, wanted.dimension, wanted.layer);
    tell(lack);
    if (!found) return;
    shownLayer = found;
    shown = tileLayer(other, found, null, 'compared').addTo(map);
    map.fire('beside');
  }

  /** Cuts this map's tiles at the divider's right, and the other's at its left. */
  function cut(share) {
    const [from, to] = [map.containerPointToLayerPoint([0, 0]), map.containerPointToLayerPoint(map.getSize())];
    const at = Math.round(from.x + share * (to.x - from.x));
    [[from.x, at], [at, to.x]].forEach(([left, right], side) => {
      panes[side].style.clip = `rect(${from.y}px, ${right}px, ${to.y}px, ${left}px)`;
    });
  }

  byId('compared').hidden = false;
  // Pictures of another host may not be saved by this page, and half of two maps is no picture of one.
  byId('save').hidden = true;
  tell(translate('loading'));
  factsOf(folder).then((facts) => {
    other = facts;
    show();
    divider(map, cut);
  }).catch((error) => tell(error.message));

  const tellLayer = (facts, dimension, layer) => {
    wanted = { facts, dimension, layer };
    try {
      show();
    } catch (_) {
      tell('its map.json is damaged');
    }
  };
  return Object.assign(tellLayer, { layers: () => (shown ? [[shownLayer, shown]] : []) });
}
