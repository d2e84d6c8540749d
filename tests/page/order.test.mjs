import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

const page = new URL('../../crates/map/src/page/', import.meta.url);

/** The folders that the scripts of a folder may import, besides their own. */
const BELOW = {
  basics: [],
  map: ['basics'],
  markers: ['basics', 'map'],
  flat: ['basics', 'map', 'markers'],
  hills: ['basics', 'map', 'markers'],
};

test('folders import only folders below them', () => {
  for (const [folder, below] of Object.entries(BELOW)) {
    for (const name of readdirSync(new URL(folder, page))) {
      const script = readFileSync(new URL(`${folder}/${name}`, page), 'utf8');
      const imported = [...script.matchAll(/ from '\.\.\/(\w+)\/[^']+\.js'/g)];
      for (const [, other] of imported) {
        assert.ok(below.includes(other), `${folder}/${name} imports ${other}`);
      }
    }
  }
});
