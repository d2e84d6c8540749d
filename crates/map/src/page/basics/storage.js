// @ts-check

/*
 * Remembers choices of the visitor until the next visit.
 *
 * Some browsers give pages from disk no storage. Then a choice holds for this visit only.
 */

/** @param {string} key */
export function recall(key) {
  try {
    return window.localStorage.getItem(`pixelmap-${key}`);
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {string} value
 */
export function remember(key, value) {
  try {
    window.localStorage.setItem(`pixelmap-${key}`, value);
  } catch {
    // The storage is missing or full.
  }
}
