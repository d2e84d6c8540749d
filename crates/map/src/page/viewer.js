// @ts-check

/*
 * Starts the flat page: it shows the map that map.js describes, or an archive. If there is nothing
 * to show, it states the reason.
 */

import { translate, translatePage } from './basics/language.js';
import { clean } from './basics/names.js';
import { byId, followKeys, say } from './basics/page.js';
import { chooseTheme, foldPanel } from './basics/panel.js';
import { fitToPaper } from './basics/print.js';
import { offerWorlds } from './flat/choices.js';
import { openNamedArchive } from './flat/open-archive.js';
import { Viewer, drawnDimensions } from './flat/viewer.js';
import { receiveData } from './map/data-scripts.js';
import { understoodFacts } from './map/understood.js';

/**
 * Shows a map, or the reason why there is nothing to show.
 *
 * @param {MapFacts | undefined} written
 */
function start(written) {
  const facts = understoodFacts(written);
  showControls(facts !== null);
  if (!facts) return;

  const name = clean(facts.name, translate('Minecraft world'));
  document.title = name;
  byId('name').textContent = name;
  byId('name').title = name;
  offerWorlds(facts);

  const dimensions = drawnDimensions(facts);
  if (dimensions.length > 0) new Viewer(facts, dimensions).start();
  else showNothingDrawn();
}

/** @param {boolean} areShown */
function showControls(areShown) {
  byId('panel').hidden = !areShown;
  byId('status').hidden = !areShown;
}

/** Shows only the choice of worlds, because others may be drawn. */
function showNothingDrawn() {
  byId('status').hidden = true;
  for (const part of byId('settings').children) {
    if (part.id !== 'worlds') /** @type {HTMLElement} */ (part).hidden = true;
  }
  if (byId('worlds').hidden) {
    byId('settings').hidden = true;
    byId('fold').hidden = true;
  }
  say(translate('Nothing is drawn yet'), translate('This map holds no tiles to look at.'));
}

receiveData();
translatePage();
foldPanel();
chooseTheme();
fitToPaper();
followKeys();
showControls(false);
if (!openNamedArchive(start)) start(window.PIXELMAP);
