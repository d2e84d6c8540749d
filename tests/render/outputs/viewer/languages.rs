//! The viewer in the languages of its visitors: from a host, from disk and for an archive.

use serde_json::json;

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

/// Goes to an address, and returns the language of the page and the text of a button.
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
            let left = page.eval(
                "(() => \
                 { const { languages, texts } = PIXELMAP_TEXTS; const at = languages.indexOf(document.documentElement.lang); const own = new Set(Object.values(texts).map((all) => all[at])); const seen = []; const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); while (walker.nextNode()) if (walker.currentNode.parentNode.tagName !== 'SCRIPT') seen.push(walker.currentNode.data.trim()); ['aria-label', 'placeholder', 'title'].forEach((name) => document.querySelectorAll(`[${name}]`).forEach((of) => seen.push(of.getAttribute(name)))); return seen.filter((text) => Object.prototype.hasOwnProperty.call(texts, text) && !own.has(text)).join('; '); })()",
            );
            assert_eq!(left, json!(""), "{language}, {layer}");
        }
    }

    assert_eq!(page.errors, [""; 0]);
}
