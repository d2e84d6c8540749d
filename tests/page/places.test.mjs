import './browser.mjs';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arePortalsBetween, arrivalIn } from '../../crates/map/src/page/map/portals.js';

globalThis.L = { polyline: () => ({}), GridLayer: class {}, TileLayer: class {} };
const { positionFor } = await import('../../crates/map/src/page/flat/draw.js');
const { scaleBarBlocks } = await import('../../crates/map/src/page/flat/readings.js');
const { blocksText, typedColumn } = await import('../../crates/map/src/page/flat/tools.js');

const here = { x: 100, z: -50 };

test('typed places may have a height and tildes', () => {
  const columns = ['120 -340', '120, 64, -340', '120.9/-340.1', '~ ~-1', '~5 ~'].map((text) =>
    typedColumn(text, here),
  );
  assert.deepEqual(columns, [
    { x: 120, z: -340 },
    { x: 120, z: -340 },
    { x: 120, z: -341 },
    { x: 100, z: -51 },
    { x: 105, z: -50 },
  ]);
  for (const text of ['', '1', '1 2 3 4', 'Home base', '1 z', '- 1']) {
    assert.equal(typedColumn(text, here), null, text);
  }
});

test('the scale bar shows round numbers', () => {
  assert.deepEqual([4, 1, 0.5, 1 / 8, 100].map(scaleBarBlocks), [20, 100, 200, 500, 1]);
  assert.equal(blocksText(1), '1 block');
  assert.equal(blocksText(2000), '2,000 blocks');
});

test('drawn shapes keep to blocks', () => {
  const at = { lat: -10.6, lng: 5.6 };
  assert.deepEqual(positionFor('Point', at), [5, 10]);
  assert.deepEqual(positionFor('LineString', at), [5.5, 10.5]);
  assert.deepEqual(positionFor('Polygon', at), [6, 11]);
});

test('portals lead to an eighth of the way', () => {
  const overworld = { id: 'overworld', spawn: [80, 64, -81] };
  const nether = { id: 'the_nether', spawn: null };
  const end = { id: 'the_end', spawn: null };
  assert.deepEqual(arrivalIn(nether, [overworld, nether]), { x: 10, z: -11 });
  assert.deepEqual(arrivalIn(overworld, [overworld]), { x: 80, z: -81 });
  assert.equal(arrivalIn(end, [overworld, end]), null);
  assert.equal(arePortalsBetween(nether, end), false);
});
