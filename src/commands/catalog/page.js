// Shows the worlds of a catalog as a table that can be sorted and filtered. The facts come from
// worlds.js, which sets PIXELMAP_CATALOG. All texts of worlds are set as text, never as HTML,
// because anyone may have made a world.
'use strict';
{
  /** @typedef {{ path: string, percent: number }} Copy */
  /**
   * @typedef {object} World
   * @property {string} path
   * @property {string} name
   * @property {string | null} edition
   * @property {string | null} game_version
   * @property {string | null} oldest_version
   * @property {string | null} newest_version
   * @property {{ id: string, chunks: number }[]} dimensions
   * @property {number} chunks
   * @property {number} bytes
   * @property {string | null} first_saved
   * @property {string | null} last_saved
   * @property {string | null} last_played
   * @property {number} players
   * @property {number} damaged
   * @property {string | null} error
   * @property {string | null} picture
   * @property {string | null} map
   * @property {Copy[]} copies
   */

  /** The number of rows that are added at once, so that ten thousand worlds open quickly. */
  const STEP = 200;

  /** @type {World[]} */
  const worlds = window.PIXELMAP_CATALOG.worlds;

  /** @param {string} id */
  const element = (id) => /** @type {HTMLInputElement} */ (document.getElementById(id));
  const [search, edition, state, count, more] = ['search', 'edition', 'state', 'count', 'more'].map(element);
  const head = document.querySelector('thead tr');
  const body = document.querySelector('tbody');

  /** @type {Map<string, number>} */
  const numbers = new Map(worlds.map((world, number) => [world.path, number]));
  let sorted = { column: 1, descending: false };
  /** @type {World[]} */
  let shown = [];
  let rows = 0;

  /** @param {string | null} time */
  const day = (time) => (time ?? '').slice(0, 10);

  /** @param {number} bytes */
  function size(bytes) {
    const units = ['B', 'kB', 'MB', 'GB', 'TB'];
    const power = bytes > 0 ? Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1) : 0;
    const value = bytes / 1000 ** power;
    return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
  }

  /** @param {World} world */
  function versions(world) {
    const { oldest_version: oldest, newest_version: newest } = world;
    if (!oldest) return world.game_version ?? '';
    return oldest === newest ? newest : `${oldest} to ${newest}`;
  }

  /** @param {World} world */
  function editionName(world) {
    const names = { java: 'Java', bedrock: 'Bedrock' };
    return names[/** @type {keyof typeof names} */ (world.edition)] ?? '';
  }

  /**
   * @param {string} text
   * @param {string} address
   */
  function link(text, address) {
    const anchor = document.createElement('a');
    anchor.href = address;
    anchor.textContent = text;
    return anchor;
  }

  /**
   * @param {string} text
   * @param {string} [kind]
   */
  function small(text, kind = '') {
    const line = document.createElement('small');
    line.className = kind;
    line.textContent = text;
    return line;
  }

  /** The address of a file of the catalog. @param {string} path */
  const file = (path) => path.split('/').map(encodeURIComponent).join('/');

  /**
   * @param {HTMLElement} cell
   * @param {World} world
   */
  function picture(cell, world) {
    if (!world.picture) return;
    const image = document.createElement('img');
    image.src = file(world.picture);
    image.alt = '';
    image.loading = 'lazy';
    const anchor = link('', file(world.map ?? world.picture));
    anchor.append(image);
    cell.append(anchor);
  }

  /**
   * @param {HTMLElement} cell
   * @param {World} world
   */
  function name(cell, world) {
    cell.append(world.map ? link(world.name, file(world.map)) : world.name, small(world.path));
    if (world.error) cell.append(small(world.error, 'bad'));
    if (world.damaged > 0) cell.append(small(`damaged places: ${world.damaged}`, 'bad'));
    for (const copy of world.copies) {
      const line = small(`${copy.percent} % equal to `);
      const anchor = link(copy.path, `#world-${numbers.get(copy.path)}`);
      anchor.addEventListener('click', () => show(copy.path));
      line.append(anchor);
      cell.append(line);
    }
  }

  /**
   * A column: its heading, the value to sort by, and the text or contents of a cell.
   * @typedef {object} Column
   * @property {string} title
   * @property {(world: World) => string | number | null} value
   * @property {(world: World) => string} [text]
   * @property {(cell: HTMLElement, world: World) => void} [fill]
   */

  /** @type {Column[]} */
  const columns = [
    { title: 'Picture', value: (world) => (world.picture ? 0 : 1), fill: picture },
    { title: 'World', value: (world) => world.name.toLowerCase(), fill: name },
    { title: 'Edition', value: (world) => world.edition, text: (world) => editionName(world) },
    { title: 'Versions', value: versions, text: versions },
    {
      title: 'Dimensions',
      value: (world) => world.dimensions.length,
      text: (world) => world.dimensions.map((dimension) => dimension.id).join(', '),
    },
    { title: 'Chunks', value: (world) => world.chunks },
    { title: 'Size', value: (world) => world.bytes, text: (world) => size(world.bytes) },
    { title: 'Players', value: (world) => world.players },
    { title: 'First saved', value: (world) => world.first_saved, text: (world) => day(world.first_saved) },
    { title: 'Last saved', value: (world) => world.last_saved, text: (world) => day(world.last_saved) },
    { title: 'Last played', value: (world) => world.last_played, text: (world) => day(world.last_played) },
  ];

  /** @param {World} world */
  function row(world) {
    const line = document.createElement('tr');
    line.id = `world-${numbers.get(world.path)}`;
    for (const column of columns) {
      const cell = line.insertCell();
      const value = column.value(world);
      if (column.fill) {
        cell.className = column.fill === picture ? 'picture' : '';
        column.fill(cell, world);
      } else {
        cell.className = typeof value === 'number' && column.title !== 'Dimensions' ? 'number' : '';
        cell.textContent = column.text ? column.text(world) : Number(value).toLocaleString();
      }
    }
    return line;
  }

  /** @param {World} world */
  function isWanted(world) {
    const words = search.value.toLowerCase().split(' ');
    const text = `${world.name} ${world.path} ${versions(world)}`.toLowerCase();
    const isBad = world.damaged > 0 || world.error !== null;
    const fits = { '': true, whole: !isBad, bad: isBad, copies: world.copies.length > 0 };
    return words.every((word) => text.includes(word))
      && (edition.value === '' || edition.value === world.edition)
      && fits[/** @type {keyof typeof fits} */ (state.value)];
  }

  /**
   * Compares two values of a column. Absent values come last.
   * @param {string | number | null} a
   * @param {string | number | null} b
   */
  function compare(a, b) {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const order = typeof a === 'number' ? a - Number(b) : a.localeCompare(String(b), undefined, { numeric: true });
    return sorted.descending ? -order : order;
  }

  function update() {
    const { value } = columns[sorted.column];
    shown = worlds.filter(isWanted).sort((a, b) => compare(value(a), value(b)));
    rows = 0;
    body?.replaceChildren();
    addRows();
    count.textContent = `${shown.length} of ${worlds.length}`;
    for (const [number, heading] of [...(head?.children ?? [])].entries()) {
      const order = sorted.descending ? 'descending' : 'ascending';
      heading.setAttribute('aria-sort', number === sorted.column ? order : 'none');
    }
  }

  function addRows() {
    body?.append(...shown.slice(rows, rows + STEP).map(row));
    rows = Math.min(rows + STEP, shown.length);
    more.hidden = rows === shown.length;
  }

  /** Makes the row of a world visible, which a link leads to. @param {string} path */
  function show(path) {
    if (!shown.some((world) => world.path === path)) {
      search.value = edition.value = state.value = '';
      update();
    }
    while (rows < shown.length && !document.getElementById(`world-${numbers.get(path)}`)) addRows();
  }

  for (const [number, column] of columns.entries()) {
    const heading = document.createElement('th');
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = column.title;
    button.addEventListener('click', () => {
      sorted = { column: number, descending: sorted.column === number && !sorted.descending };
      update();
    });
    heading.append(button);
    head?.append(heading);
  }

  element('filters').addEventListener('input', update);
  element('filters').addEventListener('submit', (event) => event.preventDefault());
  more.addEventListener('click', addRows);
  update();
}
