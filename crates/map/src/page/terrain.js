// @ts-check

/*
 * Starts the page of hills: it drapes the map that map.js describes over its heights. If it cannot,
 * it states the reason.
 */

import { languageQuery, translate, translatePage } from './basics/language.js';
import { clean } from './basics/names.js';
import { byId, followKeys, inputById, say } from './basics/page.js';
import { chooseTheme, foldPanel } from './basics/panel.js';
import { fitToPaper } from './basics/print.js';
import { Hills, hillyDimensions } from './hills/hills.js';
import { provideTiles } from './hills/tiles.js';
import { receiveData } from './map/data-scripts.js';
import { understoodFacts } from './map/understood.js';

/** @param {MapFacts | undefined} written */
function start(written) {
  showControls(false);
  /** @type {HTMLAnchorElement} */ (byId('message-flat')).href =
    `index.html${languageQuery}${location.hash}`;
  const name = clean(written?.name, translate('Minecraft world'));
  if (written) document.title = name;
  if (written) byId('name').textContent = name;

  const facts = understoodFacts(written);
  if (!facts || !canShow(facts)) return;
  if (location.protocol === 'file:') askForFolder((files) => open(facts, files));
  else open(facts, null);
}

/**
 * Shows the hills.
 *
 * @param {MapFacts} facts
 * @param {FileList | null} files
 */
function open(facts, files) {
  showControls(true);
  provideTiles(files);
  new Hills(facts, hillyDimensions(facts)).start();
}

/** @param {boolean} areShown */
function showControls(areShown) {
  byId('panel').hidden = !areShown;
  byId('status').hidden = !areShown;
}

/**
 * Returns whether there are hills that this browser can show. Otherwise it states the reason.
 *
 * @param {MapFacts} facts
 */
function canShow(facts) {
  if (hillyDimensions(facts).length === 0) {
    say(
      translate('No hills are drawn'),
      translate('This map has no layer terrain. Render it with -l terrain beside the other layers.'),
    );
    return false;
  }

  if (!hasWebGL()) {
    say(
      translate('No hills in this browser'),
      translate('They need WebGL, which this browser does not have, or which is switched off.'),
    );
    return false;
  }
  return true;
}

function hasWebGL() {
  const canvas = document.createElement('canvas');
  return Boolean(canvas.getContext('webgl2') || canvas.getContext('webgl'));
}

/**
 * Asks for the folder of the map, because a page from disk may not read files that nobody has
 * chosen.
 *
 * @param {(files: FileList) => void} take
 */
function askForFolder(take) {
  say(
    translate('Choose the folder of this map'),
    translate(
      'A page from disk may not read heights by itself. Choose the folder in which this page is; nothing of it leaves this computer.',
    ),
  );
  byId('message-folder').hidden = false;

  byId('folder').addEventListener('change', () => {
    const files = inputById('folder').files;
    if (!files || !hasPage(files)) {
      byId('message-title').textContent = translate('This is another folder');
      return;
    }
    byId('message').hidden = true;
    byId('message-folder').hidden = true;
    take(files);
  });
}

/**
 * Returns whether a folder contains the page of hills.
 *
 * @param {FileList} files
 */
function hasPage(files) {
  return [...files].some((file) => /^[^/]*\/terrain\.html$/.test(file.webkitRelativePath));
}

receiveData();
translatePage();
foldPanel();
chooseTheme();
fitToPaper();
followKeys();
start(window.PIXELMAP);
