// @ts-check

/*
 * Offers the worlds, dimensions, layers and overlays of a map in the panel.
 */

import { languageQuery } from '../basics/language.js';
import { clean } from '../basics/names.js';
import { byId } from '../basics/page.js';
import { choices, list, switches } from '../basics/panel.js';
import { escapedPath } from '../map/address.js';
import { dimensionItems, layerItems } from '../map/layers.js';
import { spawnOf } from '../map/portals.js';

/** More choices than this become a list. */
const MAX_BUTTONS = 6;

/**
 * Offers a choice in buttons, or in a list if there are many items. It returns a function that
 * marks the item with an id.
 *
 * @param {string} name
 * @param {import('../basics/panel.js').Item[]} items
 * @param {(id: string) => void} choose
 */
function choiceOf(name, items, choose) {
  const fieldset = byId(`${name}s`);
  return items.length > MAX_BUTTONS
    ? list(fieldset, items, choose)
    : choices(fieldset, name, items, choose);
}

/**
 * Offers the named maps, if this is one of several.
 *
 * @param {MapFacts} facts
 */
export function offerWorlds(facts) {
  const worlds = Array.isArray(facts.worlds) ? facts.worlds : [];
  const own = worlds.findIndex((world) => world.this);
  const items = worlds.map((world, at) => ({ id: String(at), text: clean(world.name, '?') }));

  const mark = choiceOf('world', items, (id) => {
    // The browser's back button shows this page again, so its own world stays marked.
    mark(String(own));
    location.href = `${escapedPath(worlds[Number(id)].path)}index.html${languageQuery}`;
  });
  mark(String(own));
}

/** The choices of the panel for a map. */
export class MapChoices {
  #show;
  #markDimension = /** @type {(id: string) => void} */ (() => {});
  #markLayer = /** @type {(id: string) => void} */ (() => {});

  /** @param {(dimensionId: string, layerId?: string) => void} show hears of a choice */
  constructor(show) {
    this.#show = show;
  }

  /** @param {Dimension[]} dimensions */
  offerDimensions(dimensions) {
    const items = dimensionItems(dimensions);
    this.#markDimension = choiceOf('dimension', items, (id) => this.#show(id));
  }

  /**
   * Offers the layers of a dimension.
   *
   * @param {Dimension} dimension
   * @param {(id: string) => boolean} isOverlayOn
   * @param {(id: string, isOn: boolean) => void} turnOverlay
   */
  offerLayers(dimension, isOverlayOn, turnOverlay) {
    const layers = layerItems(dimension.layers);
    this.#markLayer = choices(byId('layers'), 'layer', layers, (id) =>
      this.#show(dimension.id, id),
    );
    switches(byId('overlays'), layerItems(dimension.overlays), isOverlayOn, turnOverlay);
    byId('spawn').hidden = !spawnOf(dimension);
  }

  /**
   * Marks the dimension and the layer that are shown.
   *
   * @param {Dimension} dimension
   * @param {LayerFacts} layer
   */
  mark(dimension, layer) {
    this.#markDimension(dimension.id);
    this.#markLayer(layer.id);
  }
}
