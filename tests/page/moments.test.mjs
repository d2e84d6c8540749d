import './browser.mjs';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeSpent } from '../../crates/map/src/page/map/details.js';
import { findMoment, momentText, pieceName, versionAt } from '../../crates/map/src/page/map/moments.js';

const moments = ['2026-05-01T02:00:00Z', '2026-05-01T20:00:00Z', '2026-05-03T02:00:00Z'].map(
  (time, id) => ({ id, time: Date.parse(time) / 1000, label: id === 0 ? 'start' : undefined }),
);
const [first, second, third] = moments;

test('a time means the last moment until then', () => {
  assert.equal(findMoment(moments, '2026-05-01T19:59:59Z'), first);
  assert.equal(findMoment(moments, '2026-05-01T20:00:00Z'), second);
  assert.equal(findMoment(moments, '2020-01-01'), first, 'before the history');
  assert.equal(findMoment(moments, '2030-01-01'), third);
});

test('a day means its last moment', () => {
  assert.equal(findMoment(moments, '2026-05-01'), second);
  assert.equal(findMoment(moments, '2026-05-02'), second);
});

test('labels and numbers name moments', () => {
  assert.equal(findMoment(moments, 'start'), first);
  assert.equal(findMoment(moments, '-1'), second);
  assert.equal(findMoment(moments, '-99'), first);
  assert.equal(findMoment(moments, 'nonsense'), third);
});

test('addresses name moments by their time', () => {
  assert.equal(momentText(first), '2026-05-01T02:00:00Z');
});

test('a version is valid until its moment', () => {
  const versions = [[1, 10, 'a'], [2, 0, 'b']];
  assert.equal(versionAt(versions, first), versions[0]);
  assert.equal(versionAt(versions, second), versions[1]);
  assert.equal(versionAt(versions, third), undefined);
  assert.equal(versionAt(undefined, first), undefined);
});

test('pieces are named after outer tiles', () => {
  assert.equal(pieceName(17, -1, 17), '-1_1');
  assert.equal(pieceName(13, 4, -4), '4_-4');
  assert.equal(pieceName(12, 0, 0), 'outer');
});

test('times of players are written in words', () => {
  const texts = [0, 59, 60, 3600, 3660].map(timeSpent);
  assert.deepEqual(texts, ['never', '59 s', '1 min', '1 h', '1 h 1 min']);
});
