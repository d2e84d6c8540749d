/* The page in the language of its visitor: texts.js has the translations, and a text without one stays in English.
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapLanguage`. English texts are the keys of the
 * translations. The language is the one of ?lang=, or the first of the browser's languages that the page has.
 */

import { translations } from './texts.js';

/** The language of the page that a tag such as `de-AT` means, if it has it. */
const known = (tag) => ['en', ...Object.keys(translations)].find((language) => language === tag.toLowerCase().split(/[-_]/)[0]);
const asked = new URLSearchParams(location.search).get('lang');
const wished = [asked || '', ...navigator.languages];
const own = wished.map(known).find(Boolean) || 'en';
const tag = wished.find((wish) => known(wish) === own) || own; // with the country, for numbers and dates
const texts = translations[own] || {};

/** A text in the language of the page; `values` fill its places in braces. */
export function translate(text, values) {
  const found = Object.hasOwn(texts, text) ? texts[text] : text;
  return found.replace(/\{(\w+)\}/g, (place, name) => (values && name in values ? values[name] : place));
}

/** Formats by the habits of the language; a tag that the browser refuses gives those of the browser. */
function format(value, options) {
  try {
    return value.toLocaleString(tag, options);
  } catch (_) {
    return value.toLocaleString(own, options);
  }
}

/** Translates what index.html or terrain.html itself contains. */
export function translatePage() {
  document.documentElement.lang = own;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.trim();
    if (Object.hasOwn(texts, text)) node.data = node.data.replace(text, () => translate(text));
  }
  ['aria-label', 'placeholder', 'title'].forEach((name) => document.querySelectorAll(`[${name}]`).forEach((element) => {
    element.setAttribute(name, translate(element.getAttribute(name)));
  }));
}

export const number = (value) => format(value);

export const time = (value, more) => format(value, Object.assign({ dateStyle: 'medium', timeStyle: 'short' }, more));

/** What links to other pages of the map carry, so that they are in the same language. */
export const languageQuery = asked && known(asked) ? `?lang=${own}` : '';
