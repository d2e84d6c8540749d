// @ts-check

/*
 * Keeps the tile layers that are on the map: the chosen layer, its overlays, and earlier layers
 * that stay visible until the chosen one is loaded.
 */

import { tileLayer } from './tile-layer.js';

/** Earlier layers are removed after this time even if the chosen one has loaded no tile. */
const MAX_WAIT_MS = 3000;

/** @typedef {import('./tile-layer.js').TileLayer} TileLayer */

export class TileStack {
  #map;
  /** @type {TileLayer | null} */
  #chosen = null;
  /** @type {TileLayer[]} */
  #earlier = [];
  /** @type {import('./legend.js').ShownLayer[]} */
  #overlays = [];

  /** @param {L.Map} map */
  constructor(map) {
    this.#map = map;
  }

  /**
   * Chooses another layer. Its tiles are loaded after `show`.
   *
   * @param {MapFacts} facts
   * @param {LayerFacts} layer
   * @param {import('../map/moments.js').Past | null} past
   * @param {boolean} keepsEarlier whether the earlier layer stays visible until this one is loaded
   */
  choose(facts, layer, past, keepsEarlier) {
    if (this.#chosen) this.#earlier.push(this.#chosen);
    const tiles = tileLayer(facts, layer, past);
    this.#chosen = tiles;
    if (!keepsEarlier) {
      this.#removeEarlier();
      return;
    }

    const finish = () => {
      if (tiles === this.#chosen) this.#removeEarlier();
    };
    tiles.once('load', finish);
    // A layer without a visible tile loads nothing.
    setTimeout(finish, MAX_WAIT_MS);
  }

  /** Adds the chosen layer to the map. */
  show() {
    this.#chosen?.addTo(this.#map);
  }

  #removeEarlier() {
    for (const tiles of this.#earlier.splice(0)) tiles.remove();
  }

  /**
   * Shows exactly these overlays.
   *
   * @param {MapFacts} facts
   * @param {LayerFacts[]} layers
   * @param {import('../map/moments.js').Past | null} past
   */
  showOverlays(facts, layers, past) {
    for (const [, tiles] of this.#overlays) tiles.remove();
    this.#overlays = layers.map((layer) => {
      const tiles = tileLayer(facts, layer, past).addTo(this.#map);
      return [layer, tiles];
    });
  }

  /** Returns the chosen layer of tiles. */
  get chosen() {
    return /** @type {TileLayer} */ (this.#chosen);
  }

  /** Returns the overlays, each with its facts. */
  get overlays() {
    return this.#overlays;
  }

  /** Returns the chosen layer and the overlays. */
  all() {
    return [this.chosen, ...this.#overlays.map(([, tiles]) => tiles)];
  }
}
