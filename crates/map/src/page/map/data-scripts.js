// @ts-check

/*
 * Reads files with data: lists of tiles, details of columns, markers and moments.
 *
 * Each file is a script that calls a function with its data, because a page from disk may run
 * scripts but may not read files. A page from a host never runs such a script: it takes the data
 * out of the text, since the file may be on a foreign host.
 */

/**
 * The functions that wait for the data of a script, by the script's address.
 *
 * @type {Map<string, (data: any) => void>}
 */
const waiting = new Map();

/** The names of the functions that scripts with data call. */
const CALLED = /** @type {const} */ ([
  'pixelmapTiles',
  'pixelmapDetails',
  'pixelmapMarkers',
  'pixelmapMoments',
  'pixelmapPast',
]);

/** Defines the functions that scripts with data call. A page calls this before it reads a file. */
export function receiveData() {
  for (const name of CALLED) window[name] = (...data) => takeData(data.pop());
}

/** @param {any} data */
function takeData(data) {
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);
  waiting.get(script.src)?.(data);
}

/**
 * Returns the data of a script: the last argument of its call.
 *
 * @param {string} address
 * @returns {Promise<any>}
 */
export async function readScript(address) {
  if (location.protocol === 'file:') return runScript(address);

  const response = await fetch(address);
  if (!response.ok) throw new Error(`the host answers ${response.status}`);
  const text = await response.text();
  const data = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'));
  return JSON.parse(`[${data}]`).pop();
}

/**
 * Runs a script, and returns the data that it hands over.
 *
 * @param {string} address
 */
async function runScript(address) {
  const script = document.createElement('script');
  script.src = address;

  try {
    return await new Promise((resolve, reject) => {
      waiting.set(script.src, resolve);
      script.onerror = reject;
      // A script that has handed over its data is done already, so this changes nothing for it.
      script.onload = reject;
      document.head.append(script);
    });
  } finally {
    waiting.delete(script.src);
    script.remove();
  }
}

/**
 * The content of a file; null if it cannot be read.
 *
 * @template T
 * @typedef {{ content: T | null }} Kept
 */

/**
 * Returns a reader that keeps the `limit` most recently used files. It returns a kept file at once,
 * and a promise of any other.
 *
 * @template T
 * @param {number} limit
 * @param {(address: string) => Promise<T>} read
 */
export function keepingReader(limit, read) {
  /** @type {Map<string, Kept<T> | Promise<Kept<T>>>} */
  const kept = new Map();

  /** @param {string} address */
  async function load(address) {
    const content = await read(address).catch(() => null);
    const file = { content };
    if (kept.has(address)) kept.set(address, file);
    return file;
  }

  return (/** @type {string} */ address) => {
    const file = kept.get(address) ?? load(address);
    // A map iterates in the order of insertion, so the file that was used last becomes the last.
    kept.delete(address);
    kept.set(address, file);
    if (kept.size > limit) removeOldest(kept);
    return file;
  };
}

/**
 * Removes the entry that was inserted first.
 *
 * @param {Map<any, any>} map
 */
export function removeOldest(map) {
  map.delete(map.keys().next().value);
}
