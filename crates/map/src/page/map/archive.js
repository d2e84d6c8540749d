// @ts-check

/*
 * Reads a map from one file: a PMTiles archive, version 3 (github.com/protomaps/PMTiles,
 * spec/v3/spec.md).
 *
 * The bytes come from a file that the visitor has chosen, or from an address by range requests.
 * Anyone may have made the archive, so each deviation from the format becomes an error with a
 * message for people.
 */

import { removeOldest } from './data-scripts.js';

const HEADER_BYTES = 127;
/** The header and the root directory are within these bytes. */
const FIRST_BYTES = 16384;
/** A longer archive is not loaded from a host that sends files only as a whole. */
const MAX_WHOLE_BYTES = 64 * 1024 * 1024;
/** Directories below the root. */
const MAX_DEPTH = 3;
const MAX_LEAVES = 32;

const NO_COMPRESSION = 1;
const GZIP = 2;

/**
 * Returns a range of the archive's bytes.
 *
 * @typedef {(offset: number, length: number) => Promise<ArrayBuffer>} ByteSource
 */

/**
 * The entries of a directory: one array per field.
 *
 * @typedef {object} Directory
 * @property {Float64Array} ids
 * @property {Float64Array} runs
 * @property {Float64Array} lengths
 * @property {Float64Array} offsets
 */

/**
 * Returns the bytes of a file that the visitor has chosen.
 *
 * @param {Blob} file
 * @returns {ByteSource}
 */
export function fileSource(file) {
  return (offset, length) => file.slice(offset, offset + length).arrayBuffer();
}

/**
 * Returns the bytes at an address, which are requested part by part.
 *
 * @param {string} address
 * @returns {ByteSource}
 */
export function addressSource(address) {
  /** @type {Promise<ByteSource> | null} */
  let whole = null;
  /** @type {string | null} */
  let version = null;

  return async (offset, length) => {
    if (whole) return (await whole)(offset, length);

    const range = `bytes=${offset}-${offset + length - 1}`;
    const response = await fetch(address, { headers: { Range: range } });
    if (response.status === 200) {
      whole = wholeFile(response);
      return (await whole)(offset, length);
    }
    if (response.status !== 206) {
      throw new Error(`The host answers ${response.status} when asked for the archive.`);
    }

    const now = response.headers.get('ETag') || response.headers.get('Last-Modified');
    if (version !== null && version !== now) {
      throw new Error('The archive was drawn anew: reload the page.');
    }
    version = now;
    return response.arrayBuffer();
  };
}

/**
 * Returns the bytes of an answer that holds the whole archive.
 *
 * @param {Response} response
 */
async function wholeFile(response) {
  const size = response.headers.get('Content-Length');
  if (size === null || Number(size) > MAX_WHOLE_BYTES) {
    response.body?.cancel();
    throw new Error(
      'This host sends files only as a whole (it knows no range requests), and the archive is ' +
        'too long for that.',
    );
  }
  return fileSource(await response.blob());
}

/**
 * Opens an archive.
 *
 * @param {ByteSource} bytesOf
 * @returns {Promise<Archive>}
 */
export async function openArchive(bytesOf) {
  const first = await bytesOf(0, FIRST_BYTES);
  const header = readHeader(first);

  const { rootOffset, rootLength, compression } = header;
  const root = readDirectory(
    await unpacked(first.slice(rootOffset, rootOffset + rootLength), compression),
  );
  const metadata = await unpacked(
    await bytesOf(header.metadataOffset, header.metadataLength),
    compression,
  );

  const leafAt = leafReader(bytesOf, header);
  return {
    metadata: JSON.parse(new TextDecoder().decode(metadata)),
    async tile(z, x, y) {
      const found = await findTile(root, leafAt, tileId(z, x, y));
      return found && bytesOf(header.dataOffset + found.offset, found.length);
    },
  };
}

/**
 * Reads the header of an archive.
 *
 * @param {ArrayBuffer} bytes
 */
function readHeader(bytes) {
  const name = new TextDecoder().decode(bytes.slice(0, 7));
  if (bytes.byteLength < HEADER_BYTES || name !== 'PMTiles') {
    throw new Error('This file is no PMTiles archive.');
  }

  const view = new DataView(bytes);
  const version = view.getUint8(7);
  if (version !== 3) throw new Error(`This page does not know version ${version} of PMTiles.`);
  if (view.getUint8(98) !== NO_COMPRESSION) {
    throw new Error('The tiles of this archive are compressed; those of a map are not.');
  }

  const number = (/** @type {number} */ at) =>
    view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
  return {
    rootOffset: number(8),
    rootLength: number(16),
    metadataOffset: number(24),
    metadataLength: number(32),
    leavesOffset: number(40),
    dataOffset: number(56),
    compression: view.getUint8(97),
  };
}

/**
 * @param {ArrayBuffer} bytes
 * @param {number} compression
 */
async function unpacked(bytes, compression) {
  if (compression === NO_COMPRESSION) return new Uint8Array(bytes);
  if (compression !== GZIP) {
    throw new Error('The archive is compressed in a way that this page does not know.');
  }
  if (typeof DecompressionStream === 'undefined') {
    throw new Error('This browser is too old to unpack the archive.');
  }

  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Reads a directory.
 *
 * @param {Uint8Array} bytes
 * @returns {Directory}
 */
export function readDirectory(bytes) {
  const next = numberReader(bytes);
  const count = next();
  // Each of an entry's four numbers takes at least one byte.
  if (4 * count > bytes.length) throw new Error('A directory of the archive is damaged.');

  const column = () => Float64Array.from({ length: count }, next);
  const [ids, runs, lengths, offsets] = [column(), column(), column(), column()];
  for (let at = 0; at < count; at++) {
    if (at > 0) ids[at] += ids[at - 1];
    // 0 stands for the end of the entry before, and any other number is one too high.
    const isNext = at > 0 && offsets[at] === 0;
    offsets[at] = isNext ? offsets[at - 1] + lengths[at - 1] : offsets[at] - 1;
  }
  return { ids, runs, lengths, offsets };
}

/**
 * Returns a function that reads the next number: 7 bits per byte, the lowest first.
 *
 * @param {Uint8Array} bytes
 */
function numberReader(bytes) {
  let at = 0;
  return () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      if (at >= bytes.length || factor > 1e15) {
        throw new Error('A directory of the archive is damaged.');
      }
      const byte = bytes[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
}

/**
 * Returns a function that reads the directories below the root, and keeps some of them.
 *
 * @param {ByteSource} bytesOf
 * @param {{ leavesOffset: number, compression: number }} header
 */
function leafReader(bytesOf, { leavesOffset, compression }) {
  /** @type {Map<number, Promise<Directory>>} */
  const kept = new Map();

  /**
   * @param {number} offset
   * @param {number} length
   */
  async function read(offset, length) {
    const bytes = await bytesOf(leavesOffset + offset, length);
    return readDirectory(await unpacked(bytes, compression));
  }

  return (/** @type {number} */ offset, /** @type {number} */ length) => {
    const leaf = kept.get(offset) ?? read(offset, length);
    kept.delete(offset);
    kept.set(offset, leaf);
    // A directory that could not be read is requested again.
    leaf.catch(() => kept.delete(offset));
    if (kept.size > MAX_LEAVES) removeOldest(kept);
    return leaf;
  };
}

/**
 * Returns the position of a tile's bytes, or null if the archive does not have the tile.
 *
 * @param {Directory} root
 * @param {(offset: number, length: number) => Promise<Directory>} leafAt
 * @param {number} id
 */
async function findTile(root, leafAt, id) {
  let entries = root;
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const at = lastNotAfter(entries.ids, id);
    if (at < 0) return null;

    const [run, offset, length] = [entries.runs[at], entries.offsets[at], entries.lengths[at]];
    // An entry without a run names a further directory.
    if (run > 0) return id < entries.ids[at] + run ? { offset, length } : null;
    entries = await leafAt(offset, length);
  }
  throw new Error('The directories of the archive are too deep.');
}

/**
 * Returns the index of the last entry that does not begin after an id, or -1.
 *
 * @param {Float64Array} ids
 * @param {number} id
 */
function lastNotAfter(ids, id) {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ids[middle] <= id) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Returns the number of a tile. All levels further out are counted first, and then the tiles along
 * the Hilbert curve of the tile's own level.
 *
 * @param {number} z
 * @param {number} x
 * @param {number} y
 */
export function tileId(z, x, y) {
  let id = (Math.pow(4, z) - 1) / 3;
  for (let bit = z - 1; bit >= 0; bit--) {
    const right = (x >> bit) & 1;
    const down = (y >> bit) & 1;
    id += ((3 * right) ^ down) * Math.pow(4, bit);
    // The curve is turned in the two upper quarters.
    if (!down) [x, y] = right ? [~y, ~x] : [y, x];
  }
  return id;
}
