// @ts-check

/*
 * Checks whether a page understands the facts of its map.
 */

import { translate } from '../basics/language.js';
import { say } from '../basics/page.js';

/**
 * Returns the facts. If this page does not understand them, it states the reason and returns null.
 *
 * @param {MapFacts | undefined} facts
 */
export function understoodFacts(facts) {
  if (!facts) {
    say(
      translate('No map here yet'),
      translate(
        'There is no map.js beside this page. It is written when a render finishes: reload then.',
      ),
    );
    return null;
  }

  if (facts.format !== 1) {
    say(
      translate('This page is older than its map'),
      translate(
        'The map was drawn by another version of pixelmap. Reload the page; if that does not help, render again.',
      ),
    );
    return null;
  }
  return facts;
}
