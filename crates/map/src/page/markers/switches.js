// @ts-check

/*
 * Remembers which kinds and groups of markers the visitor has turned on or off.
 */

import { recall, remember } from '../basics/storage.js';

/** The key under which the browser keeps the switches. */
const KEPT_AS = 'markers';

export class Switches {
  #turned = new Map(Object.entries(storedSwitches()));

  /**
   * @param {string} key
   * @param {boolean} fallback the state of a switch that the visitor has never used
   * @returns {boolean}
   */
  isOn(key, fallback) {
    const isOn = this.#turned.get(key);
    return typeof isOn === 'boolean' ? isOn : fallback;
  }

  /**
   * @param {string} key
   * @param {boolean} isOn
   */
  turn(key, isOn) {
    this.#turned.set(key, isOn);
    remember(KEPT_AS, JSON.stringify(Object.fromEntries(this.#turned)));
  }
}

/** @returns {Record<string, unknown>} */
function storedSwitches() {
  try {
    return JSON.parse(recall(KEPT_AS) ?? '{}') ?? {};
  } catch {
    // Another program has written something else under this key.
    return {};
  }
}
