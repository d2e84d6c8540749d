// @ts-check

/*
 * Shows the page in the language of its visitor.
 *
 * The language is the one of `?lang=`, or the first of the browser's languages that the page has.
 * English texts are the keys of the translations, so a text without a translation stays English.
 */

import { translations } from './texts.js';

const asked = new URLSearchParams(location.search).get('lang');
const wished = [asked ?? '', ...navigator.languages];
const language = wished.map(pageLanguage).find(Boolean) ?? 'en';

/** The visitor's tag of this language. Its country decides how numbers and dates are written. */
const tag = wished.find((wish) => pageLanguage(wish) === language) ?? language;

const texts = translations[language] ?? {};

/** The query that links to other pages of the map carry, so that they use the same language. */
export const languageQuery = asked && pageLanguage(asked) ? `?lang=${language}` : '';

/**
 * Returns the language of the page that a tag such as `de-AT` means.
 *
 * @param {string} wish
 */
function pageLanguage(wish) {
  const [name] = wish.toLowerCase().split(/[-_]/);
  return ['en', ...Object.keys(translations)].find((known) => known === name);
}

/**
 * Returns a text in the language of the page. `values` replace the names in braces.
 *
 * @param {string} text
 * @param {Record<string, unknown>} [values]
 */
export function translate(text, values = {}) {
  const translated = Object.hasOwn(texts, text) ? texts[text] : text;
  return translated.replace(/\{(\w+)\}/g, (braces, name) =>
    name in values ? String(values[name]) : braces,
  );
}

/**
 * Returns a number as text.
 *
 * @param {number} value
 */
export function number(value) {
  return format((locale) => value.toLocaleString(locale));
}

/**
 * Returns a date with its time as text. All times are in UTC, like the moments in addresses and the
 * times in legends, so that visitors of any country can talk about them.
 *
 * @param {Date} value
 */
export function time(value) {
  const text = format((locale) =>
    value.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
  );
  return `${text} UTC`;
}

/**
 * Formats a value by the habits of the visitor's country, or of the language alone if the browser
 * refuses the tag.
 *
 * @param {(locale: string) => string} toText
 */
function format(toText) {
  try {
    return toText(tag);
  } catch {
    return toText(language);
  }
}

/** Translates the texts that the page's HTML contains. */
export function translatePage() {
  document.documentElement.lang = language;

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const written = node.nodeValue ?? '';
    const text = written.trim();
    if (Object.hasOwn(texts, text)) node.nodeValue = written.replace(text, () => texts[text]);
  }

  for (const name of ['aria-label', 'placeholder', 'title']) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      element.setAttribute(name, translate(element.getAttribute(name) ?? ''));
    }
  }
}
