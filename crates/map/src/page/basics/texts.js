// @ts-check

/*
 * Lists the languages of the pages. Each file translates all texts of the pages from English.
 */

import de from '../texts/de.json' with { type: 'json' };
import es from '../texts/es.json' with { type: 'json' };
import fr from '../texts/fr.json' with { type: 'json' };
import ja from '../texts/ja.json' with { type: 'json' };
import ko from '../texts/ko.json' with { type: 'json' };
import pl from '../texts/pl.json' with { type: 'json' };
import pt from '../texts/pt.json' with { type: 'json' };
import ru from '../texts/ru.json' with { type: 'json' };
import zh from '../texts/zh.json' with { type: 'json' };

/** @type {Record<string, Record<string, string>>} */
export const translations = { de, es, fr, ja, ko, pl, pt, ru, zh };
