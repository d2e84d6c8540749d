// @ts-check

/*
 * Keeps the files of markers that were read, and the reasons for which others could not be read.
 *
 * A file is read when it is first needed. It stays in memory, because the visitor may turn its kind
 * off and on again.
 */

import { readFeatures } from './features.js';
import { loadMarkers } from './files.js';
import { iconNames } from './icons.js';

export class MarkerStore {
  /**
   * The files that were read, by address. A file that is being read has a promise.
   *
   * @type {Map<string, import('./files.js').LoadedFile | Promise<void>>}
   */
  #files = new Map();
  /** @type {Map<string, string>} */
  #troubles = new Map();

  /**
   * @param {() => void} onLoaded called after a file has brought news
   * @param {() => void} onTrouble called after a file could not be read
   */
  constructor(onLoaded, onTrouble) {
    this.onLoaded = onLoaded;
    this.onTrouble = onTrouble;
  }

  /**
   * Returns the markers of a file, or null if they have not been read.
   *
   * @param {MarkerSource} source
   */
  markersOf(source) {
    const file = this.#files.get(addressOf(source));
    return file && !(file instanceof Promise) ? file : null;
  }

  /**
   * Returns the reason for which a file could not be read.
   *
   * @param {MarkerSource} source
   */
  troubleOf(source) {
    return this.#troubles.get(source.key);
  }

  /**
   * Reads a file unless it has been read or is being read.
   *
   * @param {MarkerSource} source
   */
  async load(source) {
    const address = addressOf(source);
    if (this.#files.has(address)) return;

    const reading = this.#read(source);
    this.#files.set(address, reading);
    await reading;
  }

  /**
   * Reads a file again, if it has been read before or could not be read.
   *
   * @param {MarkerSource} source
   */
  async reload(source) {
    if (this.#files.get(addressOf(source)) instanceof Promise) return;
    await this.#read(source);
  }

  /** @param {MarkerSource} source */
  async #read(source) {
    const before = this.markersOf(source) ?? undefined;
    try {
      const file = await loadMarkers(source, before);
      this.#files.set(addressOf(source), file);
      const hadTrouble = this.#troubles.delete(source.key);
      if (file !== before || hadTrouble) this.onLoaded();
    } catch (error) {
      // Markers that were read before stay.
      if (!before) this.#files.delete(addressOf(source));
      this.#troubles.set(source.key, error.message);
      this.onTrouble();
    }
  }

  /**
   * Replaces the markers of a source that is not a file.
   *
   * @param {MarkerSource} source
   * @param {any[]} features
   */
  set(source, features) {
    this.#files.set(addressOf(source), { ...readFeatures(source, { features }), text: null });
  }

  /** @param {MarkerSource} source */
  forget(source) {
    this.#files.delete(addressOf(source));
  }
}

/**
 * Returns the key of a file. The version is a part of it, except for the owner's files. The names
 * of the icons are a part of it because they decide what the markers of a file look like.
 *
 * @param {MarkerSource} source
 */
function addressOf({ file, version, isOwn }) {
  return `${file}?${isOwn ? '' : version}&${iconNames()}`;
}
