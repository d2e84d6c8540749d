/* The parts of the panel: words, choices, switches, and what buttons copy.
 *
 * A plain script for the same reason as viewer.js; it sets the global `PixelmapPanel`. It knows elements of the page, and
 * nothing of maps. Nothing that it is given is ever put into the page as HTML: names come from players.
 */

import { translate } from './language.js';

const byId = (id) => document.getElementById(id);

export function say(title, text) {
  byId('message-title').textContent = title;
  byId('message-text').textContent = text;
  byId('message').hidden = false;
}

/** A name fit for one line: no control characters, no turned writing direction, no colour codes of the game. */
export function clean(name, otherwise) {
  const text = String(name === undefined || name === null ? '' : name)
    .replace(/\u00a7./g, '')
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ' ')
    .trim();
  return text || otherwise;
}

/** A row of radio buttons; returns a function that shows which one holds. */
export function choices(fieldset, name, items, choose) {
  const box = fieldset.querySelector('.choices');
  box.textContent = '';
  // One possibility is no choice.
  fieldset.hidden = items.length < 2;
  const inputs = items.map((item) => {
    const label = document.createElement('label');
    const input = document.createElement('input');
    const text = document.createElement('span');
    label.className = 'choice';
    input.type = 'radio';
    input.name = name;
    text.textContent = item.text;
    input.addEventListener('change', () => choose(item.id));
    label.append(input, text);
    box.append(label);
    return [item.id, input];
  });
  return (id) => inputs.forEach(([own, input]) => { input.checked = own === id; });
}

/** A list of one choice at a time, for more than a row of buttons has room for; returns what `choices` returns. */
export function list(fieldset, items, choose) {
  const select = document.createElement('select');
  items.forEach((item) => select.append(new Option(item.text, item.id)));
  select.setAttribute('aria-label', fieldset.querySelector('legend').textContent);
  select.addEventListener('change', () => choose(select.value));
  fieldset.querySelector('.choices').replaceChildren(select);
  fieldset.hidden = false;
  return (id) => { select.value = id; };
}

/** A switch with its text; `more` are elements beside it, and `turn` is told when it is turned. */
export function toggle(words, isOn, turn, ...more) {
  const label = document.createElement('label');
  const input = document.createElement('input');
  const text = document.createElement('span');
  label.className = 'switch';
  input.type = 'checkbox';
  input.checked = isOn;
  text.textContent = words;
  input.addEventListener('change', () => turn(input.checked));
  label.append(input, text, ...more);
  return label;
}

/** A row of switches; `isOn` says which are on, and `turn` is told of each that is turned. */
export function switches(box, items, isOn, turn) {
  box.replaceChildren(...items.map((item) => toggle(item.text, isOn(item.id), (on) => turn(item.id, on))));
}

/** `the_nether` as `The nether`, for whatever has only an id. */
export const spoken = (id) => clean(id.charAt(0).toUpperCase() + id.slice(1).replace(/_/g, ' '), '?');

/** The name of a layer for people. */
export const layerName = ({ id, heights }) => (Array.isArray(heights) ? translate('y {from} to {to}', { from: +heights[0], to: +heights[1] }) : translate(spoken(id)));

/** Copies `text` and says so on the button. */
export function copy(button, text) {
  const words = button.dataset.words || (button.dataset.words = button.textContent);
  const said = (isDone) => {
    button.textContent = isDone ? translate('Copied') : translate('Not copied');
    setTimeout(() => { button.textContent = words; }, 1500);
  };
  // The clipboard is closed to pages that come over plain http; the old way still works there.
  const oldWay = () => {
    const field = document.createElement('textarea');
    field.value = text;
    field.style.position = 'fixed';
    field.style.opacity = '0';
    document.body.append(field);
    field.select();
    said(document.execCommand('copy'));
    field.remove();
    button.focus();
  };
  if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(text).then(() => said(true), oldWay);
  else oldWay();
}

/** What was chosen on an earlier visit; pages from disk may have no storage. */
export function recall(key) {
  try {
    return window.localStorage.getItem(`pixelmap-${key}`);
  } catch (_) {
    return null;
  }
}

export function remember(key, value) {
  try {
    window.localStorage.setItem(`pixelmap-${key}`, value);
  } catch (_) {
    // The choice holds for this visit.
  }
}

/** The panel folds away; on a narrow screen it starts folded. */
export function foldPanel() {
  const fold = byId('fold');
  const set = (out) => {
    fold.setAttribute('aria-expanded', String(out));
    byId('settings').hidden = !out;
  };
  fold.addEventListener('click', () => set(byId('settings').hidden));
  set(window.innerWidth > 560);
}
