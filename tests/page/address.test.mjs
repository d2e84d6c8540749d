import './browser.mjs';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decoded,
  escapedPath,
  readAddress,
  typedAddress,
  versioned,
  viewAddress,
} from '../../crates/map/src/page/map/address.js';

const overworld = { id: 'overworld' };
const day = { id: 'day' };

test('an address leads back to its view', () => {
  const at = { x: -120, z: 340 };
  const parts = ['pin', 'only=deep dark', '@2026-05-01T02:00:00Z'];
  const hash = viewAddress(overworld, day, at, -2, parts);
  assert.equal(hash, '#overworld/day/-120/340/-2/pin/only=deep%20dark/@2026-05-01T02:00:00Z');
  assert.deepEqual(readAddress(hash), {
    dimension: 'overworld',
    layer: 'day',
    x: -120,
    z: 340,
    zoom: -2,
    isPinned: true,
    tilt: undefined,
    turn: undefined,
    moment: '2026-05-01T02:00:00Z',
    only: ['deep dark'],
  });
});

test('wrong and missing parts are left out', () => {
  const view = readAddress('#overworld//east/%E0%A4/zoom');
  assert.equal(view.dimension, 'overworld');
  assert.deepEqual([view.x, view.z, view.zoom], [undefined, undefined, undefined]);
  assert.equal(view.isPinned, false);
  assert.equal(readAddress('').dimension, '');
});

test('numbers stay within the world', () => {
  const view = readAddress('#end/day/9e99/-99999999999/99/tilt100/turn-999');
  assert.equal(view.dimension, 'the_end');
  assert.deepEqual([view.x, view.z, view.zoom], [1 << 25, -(1 << 25), 30]);
  assert.deepEqual([view.tilt, view.turn], [85, -180]);
});

test('named parts may have any position', () => {
  const view = readAddress('#@-3/minecraft:the_nether/only=x/day/only=y/1/2/0/turn30');
  assert.deepEqual([view.dimension, view.layer, view.x, view.z], ['the_nether', 'day', 1, 2]);
  assert.deepEqual([view.only, view.moment, view.turn], [['x', 'y'], '-3', 30]);
});

test('paths and versions are escaped', () => {
  assert.equal(escapedPath('mod:a/b#c/d%'), 'mod%3Aa/b%23c/d%25');
  assert.equal(versioned('a.js', 'x&y'), 'a.js?v=x%26y');
  assert.equal(versioned('a.js', null), 'a.js');
  assert.equal(decoded('%E0%A4', 'as written'), 'as written');
});

test('typed addresses are relative to the page', () => {
  assert.equal(typedAddress('../other')?.href, 'https://map.example/maps/other');
  assert.equal(typedAddress('https://'), null);
});
