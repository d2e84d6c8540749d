// @ts-check

/*
 * Builds the controls of the panel: choices, lists, switches, and buttons that copy.
 *
 * It handles elements of the page and does not know maps.
 */

import { translate } from './language.js';
import { byId, element, inputById } from './page.js';
import { recall, remember } from './storage.js';

/** A panel on a narrower window would cover the map, so it starts folded. */
export const NARROW = 560;

/**
 * An entry of a choice.
 *
 * @typedef {{ id: string, text: string }} Item
 */

/**
 * Fills a fieldset with radio buttons. It returns a function that marks the button of an id.
 *
 * @param {HTMLElement} fieldset
 * @param {string} name
 * @param {Item[]} items
 * @param {(id: string) => void} choose
 */
export function choices(fieldset, name, items, choose) {
  const box = choicesBox(fieldset);
  box.textContent = '';
  // A single possibility is not a choice.
  fieldset.hidden = items.length < 2;

  /** @type {Map<string, HTMLInputElement>} */
  const inputs = new Map();
  for (const { id, text } of items) {
    const label = element('label', 'choice');
    const input = element('input');
    input.type = 'radio';
    input.name = name;
    input.addEventListener('change', () => choose(id));
    label.append(input, element('span', '', text));
    box.append(label);
    inputs.set(id, input);
  }

  return (/** @type {string} */ chosen) => {
    for (const [id, input] of inputs) input.checked = id === chosen;
  };
}

/**
 * Fills a fieldset with a drop-down list, for more choices than a row of buttons has room for. It
 * returns a function that marks the entry of an id.
 *
 * @param {HTMLElement} fieldset
 * @param {Item[]} items
 * @param {(id: string) => void} choose
 */
export function list(fieldset, items, choose) {
  const select = element('select');
  select.append(...items.map((item) => new Option(item.text, item.id)));
  select.setAttribute('aria-label', fieldset.querySelector('legend')?.textContent ?? '');
  select.addEventListener('change', () => choose(select.value));

  choicesBox(fieldset).replaceChildren(select);
  fieldset.hidden = false;

  return (/** @type {string} */ chosen) => {
    select.value = chosen;
  };
}

/**
 * @param {HTMLElement} fieldset
 * @returns {HTMLElement}
 */
function choicesBox(fieldset) {
  return /** @type {HTMLElement} */ (fieldset.querySelector('.choices'));
}

/**
 * Makes a switch with its text and further elements next to it.
 *
 * @param {string} text
 * @param {boolean} isOn
 * @param {(isOn: boolean) => void} turn
 * @param {...Node} others
 */
export function toggle(text, isOn, turn, ...others) {
  const label = element('label', 'switch');
  const input = element('input');
  input.type = 'checkbox';
  input.checked = isOn;
  input.addEventListener('change', () => turn(input.checked));
  label.append(input, element('span', '', text), ...others);
  return label;
}

/**
 * Fills a box with switches.
 *
 * @param {HTMLElement} box
 * @param {Item[]} items
 * @param {(id: string) => boolean} isOn
 * @param {(id: string, isOn: boolean) => void} turn
 */
export function switches(box, items, isOn, turn) {
  const made = items.map(({ id, text }) => toggle(text, isOn(id), (on) => turn(id, on)));
  box.replaceChildren(...made);
}

/**
 * Copies a text, and reports the result on the button for a moment.
 *
 * @param {HTMLButtonElement} button
 * @param {string} text
 */
export function copy(button, text) {
  const words = (button.dataset.words ??= button.textContent ?? '');
  const report = (/** @type {boolean} */ isDone) => {
    button.textContent = isDone ? translate('Copied') : translate('Not copied');
    setTimeout(() => {
      button.textContent = words;
    }, 1500);
  };
  const copyByField = () => {
    report(copySelection(text));
    button.focus();
  };

  // Browsers close the clipboard to pages that were loaded over plain HTTP.
  if (navigator.clipboard && window.isSecureContext) {
    navigator.clipboard.writeText(text).then(() => report(true), copyByField);
  } else {
    copyByField();
  }
}

/**
 * Copies a text by selecting it in an invisible field. This works without the clipboard.
 *
 * @param {string} text
 */
function copySelection(text) {
  const field = element('textarea');
  field.value = text;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  document.body.append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  return isDone;
}

/** Lets the visitor fold the panel. */
export function foldPanel() {
  const fold = byId('fold');
  const set = (/** @type {boolean} */ isOpen) => {
    fold.setAttribute('aria-expanded', String(isOpen));
    byId('settings').hidden = !isOpen;
  };

  fold.addEventListener('click', () => set(Boolean(byId('settings').hidden)));
  set(window.innerWidth > NARROW);

  // The styles keep messages out of the covered part.
  const showWidth = () =>
    document.documentElement.style.setProperty('--covered', `${coveredWidth()}px`);
  new ResizeObserver(showWidth).observe(byId('panel'));
  window.addEventListener('resize', showWidth);
}

/**
 * Returns the width at the right of the window that the open panel covers. In a narrow window that
 * is not counted, because too little would be left.
 */
export function coveredWidth() {
  const panel = byId('panel').getBoundingClientRect();
  const isOpen = panel.width > 0 && !byId('settings').hidden;
  const isNarrow = 3 * panel.width > window.innerWidth;
  return isOpen && !isNarrow ? window.innerWidth - panel.left : 0;
}

/** Lets the visitor choose a light page. At first the page follows the visitor's system. */
export function chooseTheme() {
  const box = inputById('light');
  const set = (/** @type {boolean} */ isLight) => {
    box.checked = isLight;
    document.documentElement.dataset.theme = isLight ? 'light' : 'dark';
  };

  const theme = recall('theme');
  const isSystemLight = window.matchMedia('(prefers-color-scheme: light)').matches;
  set(theme === null ? isSystemLight : theme === 'light');

  box.addEventListener('change', () => {
    set(box.checked);
    remember('theme', box.checked ? 'light' : 'dark');
  });
}
