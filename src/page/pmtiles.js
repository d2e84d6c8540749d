/* Reads a map from one file: a PMTiles archive, version 3 (github.com/protomaps/PMTiles, spec/v3/spec.md).
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapArchive`. A source gives ranges of bytes:
 * of a file that the user has chosen, or of an address, by range requests. What it reads may come from anyone: whatever
 * is not as the format says becomes an error with a message for people.
 */

const HEADER = 127;
const FIRST = 16384; // bytes in which header and root are
const WHOLE = 64 * 1024 * 1024; // the longest archive that is loaded whole from a host that sends no parts
const DEEP = 3; // directories below the root
const KEPT = 32; // directories that are kept
const NONE = 1;
const GZIP = 2;

/** The bytes of a file that the user has chosen. */
export function fileSource(file) {
  return (offset, length) => file.slice(offset, offset + length).arrayBuffer();
}

/** The bytes at an address, asked for part by part. */
export function addressSource(address) {
  let whole = null;
  let version = null;
  return async (offset, length) => {
    if (whole) return (await whole)(offset, length);
    const response = await fetch(address, { headers: { Range: `bytes=${offset}-${offset + length - 1}` } });
    if (response.status === 200) {
      const size = response.headers.get('Content-Length');
      if (size === null || Number(size) > WHOLE) {
        if (response.body) response.body.cancel();
        throw new Error('This host sends files only as a whole (it knows no range requests), and the archive is too long for that.');
      }
      whole = response.blob().then(fileSource);
      return (await whole)(offset, length);
    }
    if (response.status !== 206) throw new Error(`The host answers ${response.status} when asked for the archive.`);
    const now = response.headers.get('ETag') || response.headers.get('Last-Modified');
    if (version !== null && version !== now) throw new Error('The archive was drawn anew: reload the page.');
    version = now;
    return response.arrayBuffer();
  };
}

async function unpacked(bytes, compression) {
  if (compression === NONE) return new Uint8Array(bytes);
  if (compression !== GZIP) throw new Error('The archive is compressed in a way that this page does not know.');
  if (typeof DecompressionStream === 'undefined') throw new Error('This browser is too old to unpack the archive.');
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The entries of a directory, as columns. */
function directory(bytes) {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      if (at >= bytes.length || factor > 1e15) throw new Error('A directory of the archive is damaged.');
      const byte = bytes[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const count = number();
  // Each number takes a byte at least.
  if (4 * count > bytes.length) throw new Error('A directory of the archive is damaged.');
  const column = () => Float64Array.from({ length: count }, number);
  const [ids, runs, lengths, offsets] = [column(), column(), column(), column()];
  for (let i = 0; i < count; i++) {
    if (i > 0) ids[i] += ids[i - 1];
    offsets[i] = offsets[i] > 0 || i === 0 ? offsets[i] - 1 : offsets[i - 1] + lengths[i - 1];
  }
  return { ids, runs, lengths, offsets };
}

/** The number of the last entry that does not begin behind an id. */
function before(ids, id) {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ids[middle] <= id) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** A tile's number: all levels further out come first, then those along the level's Hilbert curve. */
function tileId(z, x, y) {
  let id = (Math.pow(4, z) - 1) / 3;
  for (let bit = z - 1; bit >= 0; bit--) {
    const right = x >> bit & 1;
    const down = y >> bit & 1;
    id += (3 * right ^ down) * Math.pow(4, bit);
    if (!down) [x, y] = right ? [~y, ~x] : [y, x];
  }
  return id;
}

/** Opens the archive of a source. */
export async function readArchive(bytesOf) {
  const first = await bytesOf(0, FIRST);
  const view = new DataView(first);
  if (first.byteLength < HEADER || new TextDecoder().decode(first.slice(0, 7)) !== 'PMTiles') {
    throw new Error('This file is no PMTiles archive.');
  }
  if (view.getUint8(7) !== 3) throw new Error(`This page does not know version ${view.getUint8(7)} of PMTiles.`);
  const number = (at) => view.getUint32(at, true) + view.getUint32(at + 4, true) * 4294967296;
  const [rootAt, rootLength, metadataAt, metadataLength, leavesAt, , dataAt] = [8, 16, 24, 32, 40, 48, 56].map(number);
  const packing = view.getUint8(97);
  if (view.getUint8(98) !== NONE) throw new Error('The tiles of this archive are compressed; those of a map are not.');
  const root = directory(await unpacked(first.slice(rootAt, rootAt + rootLength), packing));
  const metadata = JSON.parse(new TextDecoder().decode(await unpacked(await bytesOf(metadataAt, metadataLength), packing)));

  const kept = new Map(); // directories by place, the one used last at the end
  function leaf(offset, length) {
    const found = kept.get(offset) || bytesOf(leavesAt + offset, length).then((bytes) => unpacked(bytes, packing)).then(directory);
    kept.delete(offset);
    kept.set(offset, found);
    // What could not be read is asked for again.
    found.catch(() => kept.delete(offset));
    if (kept.size > KEPT) kept.delete(kept.keys().next().value);
    return found;
  }

  /** The bytes of a tile, 0 <= x, y < 2^z; null: there is none. */
  async function tile(z, x, y) {
    const id = tileId(z, x, y);
    let entries = root;
    for (let depth = 0; depth <= DEEP; depth++) {
      const at = before(entries.ids, id);
      if (at < 0) return null;
      const [run, offset, length] = [entries.runs[at], entries.offsets[at], entries.lengths[at]];
      if (run > 0) return id < entries.ids[at] + run ? bytesOf(dataAt + offset, length) : null;
      entries = await leaf(offset, length);
    }
    throw new Error('The directories of the archive are too deep.');
  }

  return { metadata, tile };
}
