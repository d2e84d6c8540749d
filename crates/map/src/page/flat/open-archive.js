// @ts-check

/*
 * Opens the archive that the page or its address names, or a file that the visitor chooses.
 */

import { translate } from '../basics/language.js';
import { clean } from '../basics/names.js';
import { byId, inputById, say } from '../basics/page.js';
import { decoded, typedAddress } from '../map/address.js';
import { addressSource, fileSource, openArchive } from '../map/archive.js';

/**
 * Opens the archive that is named, and returns whether one is named. `start` gets the facts of its
 * map.
 *
 * @param {(facts: MapFacts) => void} start
 */
export function openNamedArchive(start) {
  const asked = new URLSearchParams(location.search).get('pmtiles');
  const own = typeof PIXELMAP_ARCHIVE === 'string' ? encodeURIComponent(PIXELMAP_ARCHIVE) : null;
  const named = asked ?? own;
  if (named === null) return false;

  acceptFiles(start);
  const address = typedAddress(named);
  if (address) {
    openAddress(address, start);
  } else {
    const text = clean(named, '?pmtiles=');
    askForFile(
      translate('This archive cannot be shown'),
      translate(
        '{text} is not an address: write ?pmtiles= with the address of the archive, or choose the file.',
        { text },
      ),
    );
  }
  return true;
}

/**
 * @param {URL} address
 * @param {(facts: MapFacts) => void} start
 */
function openAddress(address, start) {
  if (location.protocol === 'file:') {
    askForNamedFile(address);
  } else if (address.origin !== location.origin) {
    askForFile(
      translate('This archive cannot be shown'),
      translate('It lies on another host than this page.'),
    );
  } else {
    showArchive(addressSource(address.href), start);
  }
}

/**
 * Asks for the file with the name in an address.
 *
 * @param {URL} address
 */
function askForNamedFile(address) {
  const last = address.pathname.split('/').pop() ?? '';
  const name = clean(decoded(last, last), translate('the archive'));
  askForFile(
    translate('Open the map'),
    translate('Choose {name} or drop it here: a page from disk may not read it by itself.', {
      name,
    }),
  );
}

/**
 * Shows the map of an archive, or the reason why it cannot be shown.
 *
 * @param {import('../map/archive.js').ByteSource} source
 * @param {(facts: MapFacts) => void} start
 */
async function showArchive(source, start) {
  try {
    const archive = await openArchive(source);
    const facts = archive.metadata.pixelmap;
    if (!facts) throw new Error('It is no map of pixelmap.');
    byId('message').hidden = true;
    byId('message-file').hidden = true;
    start({ ...facts, archive });
  } catch (error) {
    askForFile(translate('This archive cannot be shown'), error.message);
  }
}

/**
 * Shows a message with a field for a file. A page from disk may not read a file that nobody has
 * chosen.
 *
 * @param {string} title
 * @param {string} text
 */
function askForFile(title, text) {
  say(title, text);
  byId('message-file').hidden = false;
}

/**
 * Opens files that the visitor chooses or drops, until an archive is shown.
 *
 * @param {(facts: MapFacts) => void} start
 */
function acceptFiles(start) {
  const open = (/** @type {File | undefined} */ file) => {
    if (file) showArchive(fileSource(file), start);
  };
  inputById('file').addEventListener('change', () => open(inputById('file').files?.[0]));
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    if (!byId('message-file').hidden) open(event.dataTransfer?.files[0]);
  });
}
