//! Tests the viewer in the languages of its visitors: from a host, from disk and for an archive.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use super::browser::Page;
use super::host::Host;
use crate::map::{Map, Place, fixture, on};
use crate::world::Files;

fn demo() -> (Place, Map) {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let layers = [
        "day",
        "height",
        "cave",
        "biome",
        "version",
        "inhabited",
        "slime",
        "terrain",
    ];

    let options = layers
        .iter()
        .flat_map(|layer| ["-l", layer])
        .chain(["--details"]);
    let map = place.draw("map", &options.collect::<Vec<_>>());

    (place, map)
}

/// Sets the languages that the browser reports to pages.
fn prefer(page: &mut Page, languages: &str) {
    let agent = page.eval("navigator.userAgent");
    page.call(
        "Emulation.setUserAgentOverride",
        &json!({"userAgent": agent, "acceptLanguage": languages}),
    );
}

/// Opens an address, and returns the language of the page and the text of a button.
fn words(page: &mut Page, address: &str) -> (String, String) {
    page.go("about:blank");
    page.go(address);
    page.wait_for("document.readyState === 'complete' && !document.getElementById('panel').hidden");
    let text =
        |page: &mut Page, expression: &str| page.eval(expression).as_str().unwrap().to_owned();
    (
        text(page, "document.documentElement.lang"),
        text(page, "document.getElementById('whole').textContent"),
    )
}

fn pair(language: &str, text: &str) -> (String, String) {
    (language.to_owned(), text.to_owned())
}

#[test]
fn the_page_has_the_language_of_its_visitor() {
    let Some(mut page) = Page::open() else { return };
    let (place, map) = demo();
    let archive = place.at("world.pmtiles");
    on(
        "export",
        &map.root,
        &["-q", "-l", "day", "-o", archive.to_str().unwrap()],
    )
    .expect(0, "export");

    let [host, archives] = [&map.root, archive.parent().unwrap()].map(Host::of);
    let from_disk = format!("file://{}/index.html", map.root.display());
    assert_eq!(words(&mut page, &host.address), pair("en", "Whole map"));
    prefer(&mut page, "tlh,fr-CA,en");

    for address in [
        host.address.clone(),
        from_disk.clone(),
        format!("{}world.html", archives.address),
    ] {
        assert_eq!(
            words(&mut page, &address),
            pair("fr", "Toute la carte"),
            "{address}"
        );

        assert_eq!(
            words(&mut page, &format!("{address}?lang=ja")),
            pair("ja", "全体を表示"),
            "{address}"
        );

        assert_eq!(
            words(&mut page, &format!("{address}?lang=pt-BR")),
            pair("pt", "Mapa inteiro"),
            "{address}"
        );

        assert_eq!(
            words(&mut page, &format!("{address}?lang=tlh")),
            pair("fr", "Toute la carte"),
            "{address}"
        );
    }

    prefer(&mut page, "en-GB,fr");
    assert_eq!(words(&mut page, &host.address), pair("en", "Whole map"));

    // The page of hills is in the same language.
    assert_eq!(
        words(
            &mut page,
            &format!("{}?lang=de#overworld/day/0/0/0", host.address)
        )
        .0,
        "de"
    );

    let hills = page.eval("document.getElementById('hills').href");
    assert!(
        hills
            .as_str()
            .unwrap()
            .contains("terrain.html?lang=de#overworld/"),
        "{hills}"
    );

    page.go(hills.as_str().unwrap());
    page.wait_for("document.documentElement.lang === 'de'");
    assert_eq!(
        page.eval("document.getElementById('flat').textContent"),
        json!("Flache Karte")
    );
    assert_eq!(page.errors, [""; 0]);
}

/// A function of the page that returns the English texts on it which `texts` translates.
const UNTRANSLATED: &str = "(texts) => {
    const own = new Set(Object.values(texts));
    const seen = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const { data, parentNode } = walker.currentNode;
        if (parentNode.tagName !== 'SCRIPT') seen.push(data.trim());
    }
    for (const name of ['aria-label', 'placeholder', 'title']) {
        for (const element of document.querySelectorAll(`[${name}]`)) {
            seen.push(element.getAttribute(name));
        }
    }
    return seen.filter((text) => Object.hasOwn(texts, text) && !own.has(text)).join('; ');
}";

/// Returns the translations of a language as JSON.
fn texts(language: &str) -> String {
    let path = format!(
        "{}/crates/map/src/page/texts/{language}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    fs::read_to_string(path).unwrap()
}

#[test]
fn no_english_text_is_left_in_another_language() {
    let Some(mut page) = Page::open() else { return };

    let (_place, map) = demo();
    let host = Host::of(&map.root);
    for language in ["de", "es", "fr", "ja", "ko", "pl", "pt", "ru", "zh"] {
        for layer in ["height", "cave", "version", "inhabited"] {
            page.go("about:blank");
            page.go(&format!(
                "{}?lang={language}#overworld/{layer}/0/0/0/pin/only=slime%20chunk",
                host.address
            ));
            page.wait_for("!document.getElementById('place-details').hidden");
            let left = page.eval(&format!("({UNTRANSLATED})({})", texts(language)));
            assert_eq!(left, json!(""), "{language}, {layer}");
        }
    }

    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn layers_and_legends_of_maps_are_translated() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let layers = [
        "day",
        "night",
        "roof",
        "cave",
        "height",
        "version",
        "inhabited",
        "changed",
        "slime",
    ];
    let map = place.draw("map", &layers.map(|layer| ["-l", layer]).concat());
    let translations: BTreeMap<String, String> = serde_json::from_str(&texts("de")).unwrap();
    let facts = map.facts();

    let mut shown = Vec::new();
    for layer in facts["dimensions"][0]["layers"].as_array().unwrap() {
        let id = layer["id"].as_str().unwrap();
        shown.push(id[..1].to_uppercase() + &id[1..]);
        shown.extend(legend_texts(layer));
    }

    assert!(shown.len() > 15, "{shown:?}");
    for text in shown {
        assert!(
            translations.contains_key(&text),
            "no translation of: {text}"
        );
    }
}

/// Returns the titles of a layer's legend, and the texts of its entries other than numbers.
fn legend_texts(layer: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    for part in layer["legend"].as_array().into_iter().flatten() {
        texts.push(part["title"].as_str().unwrap().to_owned());
        for entry in part["entries"].as_array().unwrap() {
            texts.push(entry[1].as_str().unwrap().to_owned());
        }
    }

    texts.retain(|text| !text.contains(|character: char| character.is_ascii_digit()));
    texts
}
