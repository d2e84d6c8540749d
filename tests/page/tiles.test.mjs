import './browser.mjs';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDirectory, tileId } from '../../crates/map/src/page/map/archive.js';
import { keepingReader } from '../../crates/map/src/page/map/data-scripts.js';
import { findLayer, hasTiles, sortedDimension } from '../../crates/map/src/page/map/layers.js';
import { holds, tileFiles, tilePath } from '../../crates/map/src/page/map/tile-files.js';

const layer = {
  id: 'day',
  path: 'mod:a/day',
  scheme: 'signed',
  format: 'png',
  min_zoom: 15,
  max_zoom: 17,
  version: 'v1',
  tiles: { 17: [[-1, [[-3, -2], [4, 4]]]] },
};

test('a tile has one path in each scheme', () => {
  assert.equal(tilePath('signed', 17, -1, 2), '17/-1/2');
  assert.equal(tilePath('xyz', 2, -1, 1), '2/1/3');
  assert.equal(tilePath('tms', 2, -1, 1), '2/1/0');
});

test('a row holds the tiles of its runs', () => {
  const runs = [[-3, -2], [4, 4], [7, 9]];
  const held = [-4, -3, -2, -1, 3, 4, 5, 7, 9, 10].filter((x) => holds(runs, x));
  assert.deepEqual(held, [-3, -2, 4, 7, 9]);
  assert.equal(holds(undefined, 0), false);
});

test('only listed tiles exist, and tiles within them', () => {
  const { exists, addressOf } = tileFiles({}, layer);
  assert.equal(exists(17, -3, -1), true);
  assert.equal(exists(17, -1, -1), false);
  assert.equal(exists(18, -5, -2), true, 'a quarter of a listed tile');
  assert.equal(exists(16, 0, 0), false, 'a level without a list');
  assert.equal(addressOf(17, -3, -1), 'mod%3Aa/day/17/-3/-1.png?v=v1');
});

test('without a list tiles exist within the bounds', () => {
  const bounds = { x0: -600, z0: 0, x1: 512, z1: 512 };
  const { exists } = tileFiles({ native_zoom: 17 }, { ...layer, tiles: undefined, bounds });
  const row = [-3, -2, -1, 0, 1].map((x) => exists(17, x, 0));
  assert.deepEqual(row, [false, true, true, true, false]);
  assert.deepEqual([exists(16, -1, 0), exists(16, 0, 1)], [true, false]);
  assert.equal(exists(18, 1, 1), true, 'a quarter of a tile');
});

test('tiles of a long list are looked up in its files', async () => {
  const requests = [];
  globalThis.fetch = async (address) => {
    requests.push(address);
    return { ok: true, text: async () => 'pixelmapTiles([[300,[[5,5]]]]);' };
  };
  const { exists } = tileFiles({}, { ...layer, lists: { 16: [1] } });
  assert.equal(exists(16, 5, 9), false, 'no file has this row');
  assert.equal(await exists(16, 5, 300), true);
  assert.equal(exists(16, 6, 300), false, 'the file is kept');
  assert.deepEqual(requests, ['mod%3Aa/day/tiles-16_1.js?v=v1']);
});

test('a reader keeps the files that were used last', async () => {
  const read = [];
  const reader = keepingReader(2, async (address) => {
    read.push(address);
    if (address === 'broken') throw new Error('it is broken');
    return address;
  });
  for (const address of ['a', 'b', 'a', 'c', 'a', 'b']) await reader(address);
  assert.deepEqual(read, ['a', 'b', 'c', 'b']);
  assert.deepEqual(await reader('broken'), { content: null });
});

test('dimensions sort their layers for people', () => {
  const numbers = { ...layer, id: 'height16', numbers: true };
  const terrain = { ...layer, id: 'terrain', encoding: 'terrarium' };
  const overlay = { ...layer, id: 'slime', overlay: true };
  const empty = { ...layer, id: 'night', tiles: { 17: [] } };

  const sorted = sortedDimension({ layers: [empty, layer, overlay, numbers, terrain] });
  assert.deepEqual(sorted.layers.map(({ id }) => id), ['night', 'day']);
  assert.deepEqual(sorted.overlays.map(({ id }) => id), ['slime']);
  assert.equal(sorted.terrain, terrain);
  assert.equal(findLayer(sorted, ['roof', undefined]), layer, 'the first layer with tiles');
  assert.equal(findLayer(sorted, ['roof', 'night']), empty);
  assert.equal(hasTiles(empty), false);
  assert.equal(hasTiles({ ...empty, lists: { 16: [0] } }), true);
  assert.deepEqual(sortedDimension({ layers: [overlay] }).layers, [overlay], 'nothing is below');
});

test('archives number tiles along a curve', () => {
  const level = [[0, 0], [0, 1], [1, 1], [1, 0]];
  assert.deepEqual(level.map(([x, y]) => tileId(1, x, y)), [1, 2, 3, 4]);
  assert.equal(tileId(0, 0, 0), 0);
  // The example of the format's description.
  assert.equal(tileId(12, 3423, 1763), 19078479);
});

test('directories of archives are read, and damage is noticed', () => {
  // Two entries: ids 5 and 47, runs 1 and 2, lengths 10 and 200, the second follows the first.
  const bytes = Uint8Array.from([2, 5, 42, 1, 2, 10, 200, 1, 1, 0]);
  const { ids, runs, lengths, offsets } = readDirectory(bytes);
  assert.deepEqual([...ids], [5, 47]);
  assert.deepEqual([...runs, ...lengths, ...offsets], [1, 2, 10, 200, 0, 10]);
  assert.throws(() => readDirectory(bytes.subarray(0, 6)), /damaged/);
  assert.throws(() => readDirectory(Uint8Array.from([255, 255, 1])), /damaged/);
});
