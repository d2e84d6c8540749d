//! Tests of the promises of the viewer's files, for a page with its own Leaflet and for one that loads it from the CDN.

use super::{
    CDN, LEAFLET, Leaflet, OWN, PageTexts, SCRIPT_PLACE, SCRIPT_SHA512, STYLE_PLACE, STYLE_SHA512, archive_page,
    assemble, is_page, page,
};
use sha2::{Digest, Sha512};

/// Stands for Leaflet where a test must not depend on whether this build had npm.
static STAND_IN: Leaflet = Leaflet { script: b"script", style: b"style", licence: b"licence" };

/// The scripts that the page loads, in order, without Leaflet's.
const SCRIPTS: [&str; 13] = [
    "map.js",
    "pmtiles.js",
    "panel.js",
    "tiles.js",
    "details.js",
    "symbols.js",
    "marker-data.js",
    "marker-layer.js",
    "marker-panel.js",
    "compare.js",
    "moments.js",
    "tools.js",
    "viewer.js",
];

/// The texts of all scripts of the viewer's own.
fn own_scripts() -> String {
    OWN.iter().filter(|(path, _)| *path != "viewer.css").map(|(_, bytes)| String::from_utf8_lossy(bytes)).collect()
}

/// Every value of `attribute` in the page, in order.
fn values<'a>(html: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    html.split(start.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// The files that the page loads by `src` and `href`, without what it carries inline.
fn loaded(html: &str) -> Vec<&str> {
    let mut all = values(html, "src");
    all.extend(values(html, "href"));
    all.retain(|value| !value.starts_with("data:"));
    all
}

/// A file's text, from a list of files.
fn text(files: &[(&str, std::borrow::Cow<'_, [u8]>)], name: &str) -> String {
    let bytes = files.iter().find(|(path, _)| *path == name).map(|(_, bytes)| bytes.as_ref());
    String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
}

/// Base64 as integrity hashes are written, for a number of bytes that needs padding by two or none.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let word = (0..3).fold(0_u32, |word, i| word << 8 | u32::from(three.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let digit = char::from(DIGITS[(word >> (18 - 6 * i) & 63) as usize]);
            out.push(if i <= three.len() { digit } else { '=' });
        }
    }
    out
}

#[test]
fn a_page_with_its_own_leaflet_loads_local_files() {
    let files = assemble(Some(&STAND_IN));
    let html = text(&files, "index.html");
    let wanted = loaded(&html);
    let own: Vec<_> = wanted.iter().copied().filter(|name| !name.starts_with("leaflet.")).collect();
    assert_eq!(own, [&SCRIPTS[..], &["viewer.css"]].concat());
    // Those that need Leaflet stand behind it.
    assert_eq!(wanted[1], "leaflet.js");
    for name in wanted {
        let there = name == "map.js" || files.iter().any(|(path, bytes)| *path == name && !bytes.is_empty());
        assert!(there, "index.html asks for {name}, and it is not written");
    }
}

#[test]
fn the_page_without_npm_names_leaflet_on_a_cdn() {
    let files = assemble(None);
    let names: Vec<_> = files.iter().map(|(path, _)| *path).collect();
    assert_eq!(names, [&["index.html"], &OWN.map(|(path, _)| path)[..]].concat());
    let html = text(&files, "index.html");
    let outside: Vec<_> = loaded(&html).into_iter().filter(|value| value.contains("//")).collect();
    assert_eq!(outside, [format!("{CDN}leaflet.js"), format!("{CDN}leaflet.css")]);
    let hashes = [format!("sha512-{STYLE_SHA512}"), format!("sha512-{SCRIPT_SHA512}")];
    assert_eq!(values(&html, "integrity"), hashes);
    // Without it a browser cannot check a file of another host, and refuses it.
    assert_eq!(values(&html, "crossorigin").len(), 2);
}

#[test]
fn the_cdn_address_names_the_version_that_the_lock_pins() {
    let lock: serde_json::Value = serde_json::from_str(include_str!("package-lock.json")).unwrap();
    let pin = &lock["packages"]["node_modules/leaflet"];
    let version = pin["version"].as_str().unwrap();
    assert!(CDN.contains(&format!("/leaflet@{version}/")));
    assert!(pin["integrity"].as_str().unwrap().starts_with("sha512-"));
    // npm asks whatever registry its user has set up; the lock says only what must come back.
    assert!(pin.get("resolved").is_none());
}

#[test]
fn the_embedded_leaflet_has_the_hash_of_the_cdn() {
    if LEAFLET.script.is_empty() {
        // Built without npm: then nothing at all is embedded, and the page is the one for the CDN.
        assert!(LEAFLET.style.is_empty() && LEAFLET.licence.is_empty());
        assert!(text(&super::files("", &PageTexts::default()), "index.html").contains(CDN));
        return;
    }
    assert_eq!(base64(&Sha512::digest(LEAFLET.script)), SCRIPT_SHA512);
    assert_eq!(base64(&Sha512::digest(LEAFLET.style)), STYLE_SHA512);
}

#[test]
fn an_embedded_leaflet_keeps_its_copyright_and_brings_its_licence() {
    if LEAFLET.script.is_empty() {
        assert!(!super::is_self_contained());
        return;
    }
    let files = super::files("", &PageTexts::default());
    assert!(text(&files, "leaflet.js").contains("(c) 2010-2023 Vladimir Agafonkin"));
    assert!(text(&files, "leaflet.LICENSE.txt").contains("Redistributions in binary form"));
}

#[test]
fn the_viewer_needs_no_internet() {
    let files = assemble(Some(&LEAFLET));
    for name in ["viewer.css", "leaflet.css"] {
        let css = text(&files, name);
        let reached = css.split("url(").skip(1).find(|rest| rest.contains("//") && rest.find("//") < rest.find(')'));
        assert_eq!(reached, None, "in {name}");
        assert!(!css.contains("@import"), "in {name}");
    }
    let scripts = own_scripts();
    assert!(!scripts.contains("http:") && !scripts.contains("https:"));
}

#[test]
fn the_page_fills_each_leaflet_place_once() {
    assert_eq!(super::PAGE.matches(STYLE_PLACE).count(), 1);
    assert_eq!(super::PAGE.matches(SCRIPT_PLACE).count(), 1);
    for html in [page(true), page(false)] {
        assert!(!html.contains("<!-- leaflet"));
    }
}

#[test]
fn the_page_has_every_element_the_script_needs() {
    let files = assemble(None);
    let (html, script) = (text(&files, "index.html"), own_scripts());
    let ids = values(&html, "id");
    let asked: Vec<_> = script.split("byId('").skip(1).filter_map(|rest| rest.split('\'').next()).collect();
    assert!(asked.len() > 10);
    for id in asked {
        assert!(ids.contains(&id), "a script asks for #{id}");
    }
}

#[test]
fn names_from_the_world_can_never_become_markup() {
    let script = own_scripts();
    for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "bindPopup", "bindTooltip"] {
        assert!(!script.contains(way), "a script uses {way}");
    }
}

#[test]
fn the_page_names_its_files_with_hashes_of_their_bytes() {
    let [one, other] = ["var PIXELMAP = 1;", "var PIXELMAP = 2;"]
        .map(|script| text(&super::files(script, &PageTexts::default()), "index.html"));
    let [mine, others] = [&one, &other].map(|page| {
        let mut named = loaded(page);
        named.retain(|name| !name.contains("//"));
        named
    });
    assert!(mine.len() >= 4 && mine.iter().all(|name| name.len() == name.find("?v=").unwrap() + 3 + 16), "{mine:?}");
    let changed: Vec<_> = mine.iter().zip(&others).filter(|(mine, others)| mine != others).collect();
    assert!(matches!(&*changed, [(mine, _)] if mine.starts_with("map.js?v=")), "{changed:?}");
}

#[test]
fn an_archive_page_is_complete_and_escapes_names() {
    let html = archive_page("</script><script>alert(1)</script>\u{2028}.pmtiles");
    assert!(!html.contains("alert(1)</script>") && html.contains("PIXELMAP_ARCHIVE = \"\\u003c/script>"));
    let beside: Vec<_> = html.split("<script").skip(1).filter(|rest| rest.starts_with(" src=\"")).collect();
    assert!(beside.iter().all(|rest| rest.contains("integrity")), "a CDN's Leaflet alone");
    assert_eq!(beside.is_empty(), super::is_self_contained());
    assert_eq!(html.contains("Redistributions in binary form"), super::is_self_contained());
    for (name, bytes) in super::files("", &PageTexts::default()) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(name == "index.html" || html.contains(&text), "{name}");
        assert!(name == "index.html" || !text.contains("</script") && !text.contains("</style"), "{name}");
    }
    assert!(is_page(html.as_bytes()) && is_page(page(true).as_bytes()) && !is_page(b"<html>"));
    assert!(!is_page(page(true).replace("pixelmap", "another").as_bytes()));
}

#[test]
fn texts_of_the_page_are_in_its_head_as_text() {
    let texts = PageTexts {
        title: Some("<b>\"Our\" & world".to_owned()),
        description: Some("</head><script>".to_owned()),
        url: Some("https://example.org/map/".to_owned()),
    };
    let files = super::files("", &texts);
    let page = text(&files, "index.html");
    let shown = "&lt;b&gt;&quot;Our&quot; &amp; world";
    for head in [
        format!("<title>{shown}</title>"),
        format!("<meta property=\"og:title\" content=\"{shown}\">"),
        "<meta name=\"description\" content=\"&lt;/head&gt;&lt;script&gt;\">".to_owned(),
        "<meta property=\"og:image\" content=\"https://example.org/map/preview.png\">".to_owned(),
    ] {
        assert!(page.contains(&head), "{head}");
    }
    assert_eq!(page.matches("</head>").count(), 1);
    assert!(!text(&super::files("", &PageTexts::default()), "index.html").contains("og:"));
}
