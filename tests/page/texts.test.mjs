import './browser.mjs';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { time, translate } from '../../crates/map/src/page/basics/language.js';
import { translations } from '../../crates/map/src/page/basics/texts.js';
import { KINDS } from '../../crates/map/src/page/markers/kinds.js';

const page = new URL('../../crates/map/src/page/', import.meta.url);
const texts = Object.keys(translations.de);

/** Returns the names of the values in a text, such as `{count}`. */
const valuesOf = (text) => (text.match(/\{\w+\}/g) ?? []).sort();

/** Returns the scripts of a folder. */
function scriptsIn(folder) {
  const names = readdirSync(new URL(folder, page)).filter((name) => name.endsWith('.js'));
  return names.map((name) => readFileSync(new URL(folder + name, page), 'utf8'));
}

/** Returns the texts that a page of HTML shows. */
function textsIn(html) {
  const body = html.slice(html.indexOf('<body>'), html.indexOf('<noscript>'));
  const shown = [...body.matchAll(/>([^<]+)</g)].map(([, text]) => text.trim());
  const named = [...body.matchAll(/ (?:aria-label|placeholder|title)="([^"]+)"/g)];
  return [...shown, ...named.map(([, text]) => text)].filter((text) => text && text !== 'pixelmap');
}

test('every language has every text and value', () => {
  assert.ok(texts.length > 120);
  for (const [language, own] of Object.entries(translations)) {
    assert.deepEqual(Object.keys(own).sort(), [...texts].sort(), language);
    for (const [text, translation] of Object.entries(own)) {
      assert.deepEqual(valuesOf(translation), valuesOf(text), `${language}: ${text}`);
      assert.ok(translation.trim() && !translation.includes('<'), `${language}: ${text}`);
    }
  }
});

test('every file of texts is a language', () => {
  const files = readdirSync(new URL('texts/', page)).map((name) => name.replace('.json', ''));
  assert.deepEqual(files.sort(), Object.keys(translations).sort());
});

test('every text of the scripts is translated', () => {
  const folders = ['', 'basics/', 'flat/', 'hills/', 'map/', 'markers/'];
  const scripts = folders.flatMap(scriptsIn).join('\n');
  const asked = [...scripts.matchAll(/translate\(\s*'([^']+)'/g)].map(([, text]) => text);
  asked.push(...Object.values(KINDS).map(({ text }) => text));
  assert.ok(asked.length > 80);
  for (const text of asked) assert.ok(texts.includes(text), `no translation of: ${text}`);
});

test('every text of the pages is translated', () => {
  for (const name of ['index.html', 'terrain.html']) {
    const html = readFileSync(new URL(name, page), 'utf8');
    for (const text of textsIn(html)) assert.ok(texts.includes(text), `no translation of: ${text}`);
  }
});

test('times are in the named zone', () => {
  const then = new Date('2026-05-01T23:30:00+05:00');
  assert.match(time(then), /May 1, 2026, 6:30.PM UTC$/);
});

test('values replace the names in braces', () => {
  const counts = { drawn: 3, of: 9 };
  assert.equal(translate('{drawn} of {of} regions drawn', counts), '3 of 9 regions drawn');
  assert.equal(translate('{unknown} stays'), '{unknown} stays');
  assert.equal(translate('constructor'), 'constructor');
});
