import './browser.mjs';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colourBoxes, isInBoxes, legendParts } from '../../crates/map/src/page/flat/legend-parts.js';
import { nearestOf, ring } from '../../crates/map/src/page/flat/nearest.js';

const partOf = (entries, more = {}) =>
  legendParts({ id: 'biome', legend: [{ title: 'Biome', entries, ...more }] })[0];

test('only colours get into styles', () => {
  const part = partOf([['#123456', 'good'], ['red;}', 'bad'], ['#12345', 'short']]);
  assert.deepEqual(part.entries.map(({ text }) => text), ['good']);
});

test('layers without shades offer their entries', () => {
  const legend = [{ title: 'Heights', entries: [] }];
  assert.equal(legendParts({ id: 'biome', legend })[0].isOffered, true);
  assert.equal(legendParts({ id: 'height', legend })[0].isOffered, false);
  assert.deepEqual(legendParts({ id: 'day' }), []);
});

test('biomes have names in words', () => {
  const [own, modded] = partOf([['#123456', 'dappled_forest'], ['#123457', 'mod:deep_cave']]).entries;
  assert.deepEqual([own.text, own.label], ['dappled_forest', 'Dappled forest']);
  assert.equal(modded.label, 'Deep cave (mod)');
});

test('boxes of two colours never overlap', () => {
  const [dark, light] = colourBoxes(partOf([['#000000', 'a'], ['#0a0000', 'b']]), false);
  assert.deepEqual(dark[0], [-4, 4]);
  assert.deepEqual(light[0], [6, 14]);
  const [alone] = colourBoxes(partOf([['#808080', 'a']]), false);
  assert.deepEqual(alone[0], [120, 136]);
});

test('unlisted colours leave a box one colour', () => {
  const [box] = colourBoxes(partOf([['#808080', 'a']], { more: true }), false);
  assert.deepEqual(box, [[128, 128], [128, 128], [128, 128]]);
});

test('an entry of a scale reaches the next one', () => {
  const entries = [['#c80000', 'high'], ['#640000', 'middle'], ['#0a0000', 'low']];
  const part = partOf(entries, { scale: true });
  const reds = colourBoxes(part, false).map(([red]) => red);
  assert.deepEqual(reds, [[200, 255], [100, 199], [0, 99]]);
});

test('outer zoom levels have their own colours', () => {
  const part = partOf([['#000000', 'a']], { outer: ['#ffffff'] });
  assert.equal(isInBoxes(colourBoxes(part, true), [255, 255, 255], 0), true);
  assert.equal(isInBoxes(colourBoxes(part, false), [255, 255, 255], 0), false);
});

test('rings cover the plane without gaps', () => {
  const seen = new Set();
  for (let reach = 0; reach <= 3; reach++) {
    for (const { x, z } of ring({ x: 5, z: -5 }, reach)) seen.add(`${x},${z}`);
  }
  assert.equal(seen.size, 49);
  assert.equal(ring({ x: 0, z: 0 }, 3).length, 24);
  assert.deepEqual(ring({ x: 1, z: 2 }, 0), [{ x: 1, z: 2 }]);
});

test('the nearest of several columns is found', () => {
  const near = { x: 1, z: 1, distance: 2 };
  assert.equal(nearestOf([null, { x: 9, z: 9, distance: 3 }, near]), near);
  assert.equal(nearestOf([null]), null);
});
