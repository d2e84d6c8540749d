// @ts-check

/*
 * Finds and makes elements of the page, and shows the message in its middle.
 *
 * Texts become text nodes and never HTML, because players can choose them.
 */

/**
 * Returns the element with an id that the page certainly has.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * Returns the field, switch or slider with this id.
 *
 * @param {string} id
 * @returns {HTMLInputElement}
 */
export function inputById(id) {
  return /** @type {HTMLInputElement} */ (document.getElementById(id));
}

/**
 * Returns the button with this id.
 *
 * @param {string} id
 * @returns {HTMLButtonElement}
 */
export function buttonById(id) {
  return /** @type {HTMLButtonElement} */ (document.getElementById(id));
}

/**
 * Makes an element.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {string} [text]
 */
export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/**
 * Makes a button.
 *
 * @param {string} text
 * @param {() => void} press
 */
export function buttonOf(text, press) {
  const button = element('button', '', text);
  button.type = 'button';
  button.addEventListener('click', press);
  return button;
}

/**
 * Shows a message in the middle of the page.
 *
 * @param {string} title
 * @param {string} text
 */
export function say(title, text) {
  byId('message-title').textContent = title;
  byId('message-text').textContent = text;
  byId('message').hidden = false;
}

/**
 * Follows whether the visitor uses keys or points, so that the map shows the ring of its focus only
 * for keys. The libraries focus the map at every press, which browsers take for a focus by keys.
 */
export function followKeys() {
  const setPointed = (/** @type {boolean} */ isPointed) =>
    document.documentElement.classList.toggle('pointed', isPointed);
  document.addEventListener('pointerdown', () => setPointed(true), true);
  document.addEventListener('keydown', () => setPointed(false), true);
}

/**
 * Lets the browser save bytes as a file.
 *
 * @param {Blob} content
 * @param {string} name
 */
export function download(content, name) {
  const link = element('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();

  // The browser may begin to read the bytes later.
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
