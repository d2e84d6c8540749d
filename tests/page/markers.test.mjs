import './browser.mjs';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cardParts,
  linkAddress,
  positionText,
  typeText,
} from '../../crates/map/src/page/markers/card-texts.js';
import { readFeatures } from '../../crates/map/src/page/markers/features.js';
import { markerSources } from '../../crates/map/src/page/markers/files.js';
import { offerIcons } from '../../crates/map/src/page/markers/icons.js';
import { idWords } from '../../crates/map/src/page/markers/kinds.js';
import { FreeSpace, Layout } from '../../crates/map/src/page/markers/layout.js';
import { MAX_RADIUS, dotRadius } from '../../crates/map/src/page/markers/symbols.js';

const sourceOf = (kind, more = {}) => ({
  key: kind, kind, file: `${kind}.geojson`, count: null, isOwn: false, text: 'Things', ...more,
});
const own = sourceOf('', { isOwn: true });
const point = (coordinates, properties = {}) => ({
  geometry: { type: 'Point', coordinates }, properties,
});
const read = (source, ...features) => readFeatures(source, { features });

test('points are shown in the middle of their block', () => {
  const { points } = read(own, point([3, -4]), point([3.2, -4.7]));
  assert.deepEqual(points.map(({ x, z }) => [x, z]), [[3, -4], [3, -5]]);
  assert.deepEqual(points.map(({ centre }) => centre), [[3.5, -3.5], [3.2, -4.7]]);
});

test('features of another form are left out', () => {
  const bad = [null, {}, point('here'), point([NaN, 0]), point([1e9, 0]), point([1])];
  const line = (coordinates) => ({ geometry: { type: 'LineString', coordinates } });
  const { points, shapes } = read(own, ...bad, line([[0, 0]]), line([[0, 0], [9, 9]]));
  assert.equal(points.length, 0);
  assert.deepEqual(shapes.map(({ bounds }) => bounds), [[0, 0, 9, 9]]);
  assert.throws(() => readFeatures(own, { type: 'Feature' }), /no GeoJSON collection/);
});

test('areas take the colours of their owner', () => {
  const ring = [[0, 0], [10, 0], [10, 10]];
  const properties = {
    stroke: '#f00', fill: 7, color: '#0f0', 'stroke-width': 99, 'fill-opacity': 3,
  };
  const feature = { geometry: { type: 'Polygon', coordinates: [ring] }, properties };
  const [area] = read(own, feature).shapes;
  assert.deepEqual([area.stroke, area.fill, area.width, area.opacity], ['#f00', '#0f0', 40, 1]);
  const [ofWorld] = read(sourceOf('world'), feature).shapes;
  assert.deepEqual([ofWorld.fill, ofWorld.isDashed], [null, true]);
});

test('names have no control characters', () => {
  const [marker] = read(own, point([0, 0], { name: '\u00a7cRed\u202e\n<b>' })).points;
  assert.equal(marker.name, 'Red  <b>');
});

test('structures have names, groups and looks', () => {
  const types = [
    'minecraft:village_plains', 'minecraft:ruined_portal_desert', 'mod:tower', 'EndCity',
  ];
  const { points } = read(sourceOf('structures'), ...types.map((type) => point([0, 0], { type })));
  assert.deepEqual(
    points.map(({ name }) => name),
    ['Village (plains)', 'Ruined portal (desert)', 'mod:tower', 'End city'],
  );
  assert.deepEqual(points.map(({ group }) => group.isOn), [true, false, false, true]);
  assert.equal(points[0].symbol, 'house');
  assert.ok(points[1].rank > points[0].rank, 'hidden types give way');
  assert.equal(idWords('minecraft:shipwreck'), 'Shipwreck');
});

test('owners name dimensions in several ways', () => {
  const names = [undefined, 'minecraft:the_nether', 'nether', 'mod:moon'];
  const { points } = read(own, ...names.map((dimension) => point([0, 0], { dimension })));
  assert.deepEqual(
    points.map(({ dimension }) => dimension),
    ['overworld', 'the_nether', 'the_nether', 'mod:moon'],
  );
});

test('pictures of map items are data only', () => {
  const images = { a: 'data:image/png;base64,AA', b: 'https://other.example/x.png' };
  const features = ['a', 'b', 'toString'].map((image) => point([0, 0], { image }));
  const { points } = readFeatures(sourceOf('maps'), { images, features });
  assert.deepEqual(points.map(({ picture }) => picture), [images.a, null, null]);
});

test('signs name only icons that exist', () => {
  const icons = ['castle', '../viewer', 'a.b'].map((name) => ({ name, version: '1' }));
  offerIcons({ icons }, () => {});
  const names = ['castle', 'shop', 'mill', '../viewer', 'https://other.example/x.png', '🏠', 7];
  const features = names.map((icon) => point([0, 0], { icon }));

  const { points } = read(sourceOf('signs'), ...features);
  assert.deepEqual(points.map(({ icon }) => icon), ['castle', 'shop', '', '', '', '', '']);
  assert.deepEqual(points.slice(0, 3).map(({ group }) => group?.text), ['Castle', 'Shop', undefined]);
  const ofOwner = read(own, ...features).points.map(({ icon, group }) => [icon, group?.text]);
  assert.deepEqual(ofOwner.slice(0, 3), [
    ['castle', 'Castle'], ['shop', undefined], ['mill', undefined],
  ]);
  assert.deepEqual(ofOwner.slice(5), [['🏠', undefined], ['7', undefined]]);
  assert.equal(read(sourceOf('beds'), features[0]).points[0].icon, '');
});

test('an area shows its icon inside of itself', () => {
  offerIcons({ icons: [{ name: 'castle' }] }, () => {});
  const area = (coordinates, icon = 'castle') =>
    read(own, { geometry: { type: 'Polygon', coordinates }, properties: { icon } }).shapes[0];
  const hook = [[0, 0], [48, 0], [48, 16], [16, 16], [16, 48], [0, 48]];
  const square = [[0, 0], [60, 0], [60, 20], [0, 20]];
  const hole = [[20, 5], [50, 5], [50, 15], [20, 15]];
  assert.deepEqual(area([hook]).iconAt, [8, 24]);
  assert.deepEqual(area([square, hole]).iconAt, [10, 10]);
  assert.equal(area([square], 'mill').iconAt, null);
  assert.equal(area([[[0, 0], [0, 9]]]).iconAt, null);
});

test('cards list contents, texts and directions', () => {
  const properties = {
    items: [{ type: 'minecraft:diamond', count: 3 }, { type: 7 }, { type: 'mod:gem' }],
    more: 2, front: ['Hello', 5], yaw: 270, y: 64.5,
  };
  const [marker] = read(sourceOf('containers'), point([1, 2], properties)).points;
  assert.deepEqual(cardParts(marker), [
    ['Items', ['Diamond × 3', 'mod:gem', 'and 2 more kinds']],
    ['Front', ['Hello', '5']],
    ['', ['Looks east']],
  ]);
  assert.equal(positionText(marker), 'x 1, y 64, z 2');
  assert.equal(typeText(marker), 'Things');
  assert.match(marker.lower, /diamond/);
});

test('links lead to the web or to this host', () => {
  assert.equal(linkAddress('photo.png'), 'https://map.example/maps/ours/photo.png');
  assert.equal(linkAddress('https://wiki.example/'), 'https://wiki.example/');
  const long = 'x'.repeat(3000);
  for (const text of ['javascript:alert(1)', ' data:text/html,x', 'file:///etc', 5, long]) {
    assert.equal(linkAddress(text), null, String(text));
  }
});

test('a moment has the files of its time', () => {
  const facts = { markers: [{ file: 'markers/my places.geojson' }, { file: 7 }] };
  const dimension = {
    path: 'overworld',
    markers: [
      { kind: 'signs', file: 'overworld/markers/signs.geojson', count: 2 },
      { kind: 'beds', file: 'overworld/markers/beds.geojson', count: 1 },
    ],
  };
  const past = new Map([
    ['overworld/markers/beds.geojson', null],
    ['overworld/markers/world.geojson', { version: 'f', address: 'a', script: undefined }],
    ['the_end/markers/signs.geojson', { version: 'g', address: 'b', script: undefined }],
  ]);
  const texts = (sources) => sources.map(({ text }) => text);
  assert.deepEqual(texts(markerSources(facts, dimension)), ['My places', 'Signs', 'Beds']);
  assert.deepEqual(
    texts(markerSources(facts, dimension, past)),
    ['My places', 'Spawn and border', 'Signs'],
  );
});

const at = (x, z, source = own) => ({ centre: [x, z], source });

test('markers without neighbours have their own dots', () => {
  const points = [at(0, 0), at(33, 0), at(0, 33)];
  const dots = new Layout(points, 1).dotsWithin(-500, -500, 500, 500, 1);
  assert.deepEqual(dots.map(({ index, count }) => [index, count]), [[0, 1], [1, 1], [2, 1]]);
});

test('a dot counts all markers around it', () => {
  const points = [at(0, 0), at(10, 0), at(79, 0), at(0, -81), at(3000, 3000)];
  const layout = new Layout(points, 1);
  const dots = layout.dotsWithin(-500, -500, 500, 500, 1);
  assert.deepEqual(dots.map(({ index, count }) => [index, count]), [[0, 3], [3, 1]]);
  assert.deepEqual(layout.markersOf(dots[0]), points.slice(0, 3));
  assert.equal(new Layout(points, 0.1).dotsWithin(-500, -500, 500, 500, 0.1)[0].count, 4);
});

test('a dot has the source of most markers', () => {
  const signs = sourceOf('signs');
  const points = [at(0, 0), at(1, 0, signs), at(2, 0, signs)];
  const [dot] = new Layout(points, 1).dotsWithin(-9, -9, 9, 9, 1);
  assert.deepEqual([dot.marker, dot.source], [points[0], signs]);
});

test('thousands of markers are readable at every zoom', () => {
  const points = [];
  for (let number = 0; number < 20000; number++) {
    points.push(at((number * 7919) % 6007, (number * 104729) % 4003));
  }

  for (let zoom = -6; zoom <= 2; zoom++) {
    const scale = Math.pow(2, zoom);
    const layout = new Layout(points, scale);
    const dots = layout.dotsWithin(0, 0, 1200, 800, scale);
    assert.ok(dots.length < 400, `${dots.length} dots at zoom ${zoom}`);
    for (const [index, one] of dots.entries()) {
      for (const other of dots.slice(index + 1)) {
        const [x, z] = [0, 1].map((axis) => one.marker.centre[axis] - other.marker.centre[axis]);
        const radii = dotRadius(one.count) + dotRadius(other.count);
        assert.ok(Math.hypot(x, z) * scale >= radii, `two dots overlap at zoom ${zoom}`);
      }
    }
  }
});

test('dots of more markers are larger', () => {
  const radii = [1, 2, 30, 400, 5000].map(dotRadius);
  assert.deepEqual(radii, radii.toSorted((a, b) => a - b));
  assert.equal(dotRadius(1e6), MAX_RADIUS);
});

test('names on the screen never overlap', () => {
  const space = new FreeSpace();
  assert.equal(space.take(0, 0, 100, 20), true);
  assert.equal(space.take(99, 19, 150, 40), false);
  assert.equal(space.take(100, 0, 150, 40), true, 'it only touches');
  assert.equal(space.take(0, 500, 100, 520), true);
});
