//! The texts of the pages in other languages: one JSON file per language, from the text in English
//! to its translation. All of them become one script, because a page that is opened from disk may
//! load scripts but read no other files.
//!
//! Each text has a line of its own, in the same order in all files, so that the script is put
//! together without parsing JSON. Otherwise this would take a third of the time of a run in which
//! nothing changed.

/// The path of the script, relative to the page.
pub(super) const PATH: &str = "texts.js";

/// The languages with their files.
const LANGUAGES: [(&str, &str); 9] = [
    ("de", include_str!("texts/de.json")),
    ("es", include_str!("texts/es.json")),
    ("fr", include_str!("texts/fr.json")),
    ("ja", include_str!("texts/ja.json")),
    ("ko", include_str!("texts/ko.json")),
    ("pl", include_str!("texts/pl.json")),
    ("pt", include_str!("texts/pt.json")),
    ("ru", include_str!("texts/ru.json")),
    ("zh", include_str!("texts/zh.json")),
];

/// Returns the texts of a file with their translations, as JSON: a text without its last quote, a
/// translation without its first one.
fn lines(json: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    json.lines()
        .filter_map(|line| line.trim_matches([' ', ',']).split_once("\": \""))
}

/// Returns the script. Each English text occurs once, with its translations in the order of the
/// languages.
pub(super) fn script() -> Vec<u8> {
    let languages = LANGUAGES
        .map(|(language, _)| format!("\"{language}\""))
        .join(",");

    let mut script = format!("var PIXELMAP_TEXTS = {{\"languages\":[{languages}],\"texts\":{{");
    let [first, others @ ..] = &mut LANGUAGES.map(|(_, json)| lines(json));
    let mut separator = "";
    for (text, translation) in first {
        script.extend([separator, text, "\":[\"", translation]);
        for (_, translation) in others.iter_mut().filter_map(Iterator::next) {
            script.extend([",\"", translation]);
        }
        script.push(']');
        separator = ",";
    }

    script += "}};\n";
    script.into_bytes()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::page::{FLAT, OWN, TERRAIN};

    /// Returns the translations of a language.
    fn translations(json: &str) -> BTreeMap<String, String> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn the_script_has_the_texts_of_all_languages() {
        let script = String::from_utf8(script()).unwrap();
        let json = script
            .strip_prefix("var PIXELMAP_TEXTS = ")
            .unwrap()
            .strip_suffix(";\n")
            .unwrap();

        let facts: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(
            facts["languages"],
            serde_json::json!(LANGUAGES.map(|(language, _)| language))
        );

        for (at, (language, json)) in LANGUAGES.iter().enumerate() {
            let texts = facts["texts"].as_object().unwrap();
            let own = texts
                .iter()
                .map(|(text, all)| (text.clone(), all[at].as_str().unwrap().to_owned()));
            assert_eq!(
                own.collect::<BTreeMap<_, _>>(),
                translations(json),
                "{language}"
            );
        }
    }

    /// Returns the places of a text, such as `{count}`.
    fn places(text: &str) -> BTreeSet<&str> {
        text.split('{')
            .skip(1)
            .filter_map(|rest| rest.split_once('}'))
            .map(|(name, _)| name)
            .collect()
    }

    #[test]
    fn every_language_has_every_text_and_place() {
        let [(_, first), ..] = LANGUAGES;
        let texts: Vec<String> = translations(first).into_keys().collect();
        assert!(texts.len() > 120);

        for (language, json) in LANGUAGES {
            let own = translations(json);
            assert!(own.keys().eq(&texts), "{language} has other texts");

            for (text, translation) in own {
                assert_eq!(places(&text), places(&translation), "{language}: {text}");
                assert!(
                    !translation.trim().is_empty() && !translation.contains('<'),
                    "{language}: {text}"
                );
            }
        }
    }

    /// Returns the parts of a text between two marks.
    fn between<'a>(text: &'a str, start: &str, end: char) -> Vec<&'a str> {
        text.split(start)
            .skip(1)
            .filter_map(|rest| rest.split(end).next())
            .collect()
    }

    /// Returns the texts that a page contains.
    fn texts_of(html: &str) -> Vec<&str> {
        let (_, body) = html.split_once("<body>").unwrap();
        let (body, _) = body.split_once("<noscript>").unwrap();
        let mut texts = between(body, ">", '<');
        for attribute in ["aria-label", "placeholder", "title"] {
            texts.extend(between(body, &format!(" {attribute}=\""), '"'));
        }

        texts
            .iter()
            .map(|text| text.trim())
            .filter(|text| !["", "pixelmap"].contains(text))
            .collect()
    }

    #[test]
    fn every_text_of_the_pages_is_translated() {
        let translated = translations(LANGUAGES[0].1);
        let scripts = OWN
            .iter()
            .chain(TERRAIN.own)
            .map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned());
        let scripts: String = scripts
            .chain([include_str!("../serve/live.js").to_owned()])
            .collect();

        let asked = [
            between(&scripts, "translate('", '\''),
            between(&scripts, "{ text: '", '\''),
        ]
        .concat();
        assert!(asked.len() > 80, "{asked:?}");

        for text in asked
            .into_iter()
            .chain(texts_of(FLAT.html))
            .chain(texts_of(TERRAIN.html))
        {
            assert!(translated.contains_key(text), "no translation of: {text}");
        }
    }

    #[test]
    fn layers_and_legends_of_maps_are_translated() {
        let translated = translations(LANGUAGES[0].1);
        let sources = [
            include_str!("../paint/layers/cave.rs"),
            include_str!("../paint/layers/height.rs"),
            include_str!("../paint/layers/inhabited.rs"),
            include_str!("../paint/layers/slime.rs"),
            include_str!("../paint/layers/table.rs"),
            include_str!("../paint/layers/version.rs"),
        ]
        .concat();

        let titles = ["title: \"", "scale(\"", "_pixel(), \"", ".row(\""]
            .map(|start| between(&sources, start, '"'))
            .concat();
        for text in titles
            .into_iter()
            .filter(|name| !["height16", "terrain", "details"].contains(name))
        {
            let spoken = text[..1].to_uppercase() + &text[1..];
            assert!(
                translated.contains_key(text) || translated.contains_key(&spoken),
                "no translation of: {text}"
            );
        }
    }
}
