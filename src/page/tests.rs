//! Tests the promises that the viewer's files make, for a page with an embedded Leaflet and for a
//! page that loads it from the CDN.

use super::library::{LoadedFile, comment};
use super::{
    FLAT, LEAFLET, Library, MAPLIBRE, OWN, PageTexts, TERRAIN, archive_page, assemble, is_page,
    is_self_contained,
};
use sha2::{Digest, Sha512};

const LIBRARIES: [&Library; 2] = [&LEAFLET, &MAPLIBRE];

/// Returns the flat page, with Leaflet next to it or on the CDN.
fn page(is_embedded: bool) -> String {
    LEAFLET.load_in(FLAT.html, is_embedded)
}

/// Returns the viewer's files for a map with or without hills.
fn files(has_terrain: bool) -> Vec<(&'static str, std::borrow::Cow<'static, [u8]>)> {
    super::files("", &PageTexts::default(), has_terrain)
}

/// The scripts that the page loads, in order, except Leaflet.
const SCRIPTS: [&str; 19] = [
    "map.js",
    "pmtiles.js",
    "texts.js",
    "language.js",
    "panel.js",
    "address.js",
    "tiles.js",
    "details.js",
    "symbols.js",
    "marker-data.js",
    "marker-layer.js",
    "marker-panel.js",
    "legend.js",
    "draw.js",
    "compare.js",
    "moments.js",
    "tools.js",
    "newer.js",
    "viewer.js",
];

/// Returns the text of all the viewer's own scripts.
fn own_scripts() -> String {
    OWN.iter()
        .chain(TERRAIN.own)
        .filter(|(path, _)| *path != "viewer.css")
        .map(|(_, bytes)| String::from_utf8_lossy(bytes))
        .collect()
}

/// Returns every value of `attribute` in the page, in order.
fn values<'a>(html: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    html.split(start.as_str())
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect()
}

/// Returns the files that the page loads by `src` and `href`, except inline data.
fn loaded(html: &str) -> Vec<&str> {
    let mut all = values(html, "src");
    all.extend(values(html, "href"));
    all.retain(|value| !value.starts_with("data:"));
    all
}

/// Returns the text of a file in a list of files.
fn text(files: &[(&str, std::borrow::Cow<'_, [u8]>)], name: &str) -> String {
    let bytes = files
        .iter()
        .find(|(path, _)| *path == name)
        .map(|(_, bytes)| bytes.as_ref());
    String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
}

/// Encodes bytes in base64 in the form of integrity hashes. It is only correct if the padding is
/// two characters or none.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    let mut out = String::new();
    for three in bytes.chunks(3) {
        let word = (0..3).fold(0_u32, |word, i| {
            word << 8 | u32::from(three.get(i).copied().unwrap_or(0))
        });
        for i in 0..4 {
            let digit = char::from(DIGITS[(word >> (18 - 6 * i) & 63) as usize]);
            out.push(if i <= three.len() { digit } else { '=' });
        }
    }

    out
}

#[test]
fn page_with_its_own_leaflet_loads_local_files() {
    let files = assemble(&[FLAT, TERRAIN], true);
    let loaded_by = |page: &str| -> Vec<String> {
        loaded(&text(&files, page))
            .into_iter()
            .map(str::to_owned)
            .collect()
    };

    let wanted = loaded_by("index.html");
    let own: Vec<_> = wanted
        .iter()
        .filter(|name| !name.starts_with("leaflet."))
        .collect();
    assert_eq!(own, [&SCRIPTS[..], &["viewer.css"]].concat());

    // Scripts that need a library must follow it.
    let of_hills = loaded_by("terrain.html");
    assert_eq!(
        [&*wanted[1], &*of_hills[1]],
        ["leaflet.js", "maplibre-gl.js"]
    );

    for name in [wanted, of_hills].concat() {
        let is_library = name.starts_with("leaflet.") || name.starts_with("maplibre-gl.");
        let is_there = |bytes: &[u8]| !bytes.is_empty() || is_library && !is_self_contained();
        let there = name == "map.js"
            || files
                .iter()
                .any(|(path, bytes)| *path == name && is_there(bytes));
        assert!(there, "a page loads {name}, and it is not written");
    }
}

#[test]
fn only_maps_with_heights_have_the_hills_page() {
    let names = |has_terrain| -> Vec<&str> {
        files(has_terrain)
            .into_iter()
            .map(|(path, _)| path)
            .collect()
    };

    let more: Vec<_> = names(true)
        .into_iter()
        .filter(|name| !names(false).contains(name))
        .collect();

    let of_terrain: Vec<_> = super::terrain_paths().collect();
    assert_eq!(more, of_terrain);
    assert!(more.contains(&"terrain.html") && more.contains(&"terrain.js"));
    assert_eq!(
        more.contains(&"maplibre-gl.js") && more.contains(&"maplibre-gl.LICENSE.txt"),
        is_self_contained()
    );

    let written = assemble(&[FLAT, TERRAIN], is_self_contained());
    assert!(super::paths().eq(written.iter().map(|(path, _)| *path)));
}

#[test]
fn pages_without_npm_use_a_cdn() {
    let files = assemble(&[FLAT, TERRAIN], false);
    let names: Vec<_> = files.iter().map(|(path, _)| *path).collect();
    assert_eq!(
        names,
        [
            &["index.html"],
            &OWN.map(|(path, _)| path)[..],
            &[
                "texts.js",
                "terrain.html",
                "terrain.js",
                "terrain-style.js",
                "terrain-tiles.js"
            ]
        ]
        .concat()
    );

    for (
        name,
        Library {
            script, style, cdn, ..
        },
    ) in ["index.html", "terrain.html"].into_iter().zip(LIBRARIES)
    {
        let html = text(&files, name);
        let outside: Vec<_> = loaded(&html)
            .into_iter()
            .filter(|value| value.contains("//"))
            .collect();
        assert_eq!(
            outside,
            [script, style].map(|loaded| format!("{cdn}{}", loaded.file.path))
        );

        let hashes = [style, script].map(|loaded| format!("sha512-{}", loaded.sha512));
        assert_eq!(values(&html, "integrity"), hashes);

        // Without this attribute a browser cannot check a file of another host, and refuses it.
        assert_eq!(values(&html, "crossorigin").len(), 2);
    }
}

#[test]
fn cdn_addresses_name_the_locked_versions() {
    let lock: serde_json::Value = serde_json::from_str(include_str!("package-lock.json")).unwrap();
    for (name, library) in ["leaflet", "maplibre-gl"].into_iter().zip(LIBRARIES) {
        let pin = &lock["packages"][format!("node_modules/{name}")];
        let version = pin["version"].as_str().unwrap();
        assert!(library.cdn.contains(&format!("/{name}@{version}/")));
        assert!(pin["integrity"].as_str().unwrap().starts_with("sha512-"));
        // npm uses the registry that its user has configured. The lock only fixes the contents of
        // the packages.
        assert!(pin.get("resolved").is_none());
    }
}

#[test]
fn embedded_libraries_have_the_cdn_hashes() {
    for Library {
        script,
        style,
        licence,
        cdn,
    } in LIBRARIES
    {
        if !is_self_contained() {
            // In a build without npm nothing is embedded, and the pages load the libraries from the
            // CDN.
            assert!(
                [&script.file, &style.file, licence]
                    .iter()
                    .all(|file| file.bytes().is_empty())
            );

            assert!(
                files(true)
                    .iter()
                    .any(|(_, bytes)| String::from_utf8_lossy(bytes).contains(cdn))
            );
            continue;
        }

        for LoadedFile { file, sha512 } in [script, style] {
            assert_eq!(
                base64(&Sha512::digest(file.bytes())),
                *sha512,
                "{}",
                file.path
            );
        }
    }
}

#[test]
fn embedded_libraries_keep_copyright_and_licences() {
    if !is_self_contained() {
        return;
    }

    let files = files(true);
    assert!(text(&files, "leaflet.js").contains("(c) 2010-2023 Vladimir Agafonkin"));
    assert!(text(&files, "maplibre-gl.js").contains("@license 3-Clause BSD"));

    for name in ["leaflet.LICENSE.txt", "maplibre-gl.LICENSE.txt"] {
        assert!(
            text(&files, name).contains("Redistributions in binary form"),
            "{name}"
        );
    }

    assert!(text(&files, "maplibre-gl.LICENSE.txt").contains("MapLibre contributors"));
}

#[test]
fn the_viewer_needs_no_internet() {
    let files = assemble(&[FLAT, TERRAIN], true);
    for name in ["viewer.css", "leaflet.css", "maplibre-gl.css"] {
        let css = text(&files, name);

        let is_outside = |address: &str| {
            address
                .split(')')
                .next()
                .is_some_and(|address| address.contains("//"))
        };

        let reached = css
            .split("url(")
            .skip(1)
            .filter(|rest| !rest.starts_with("\"data:") && !rest.starts_with("data:"));
        assert_eq!(
            reached.clone().find(|rest| is_outside(rest)),
            None,
            "in {name}"
        );
        assert!(!css.contains("@import"), "in {name}");
    }

    let scripts = own_scripts();
    assert!(!scripts.contains("http:") && !scripts.contains("https:"));
}

#[test]
fn the_pages_fill_each_library_place_once() {
    for (super::Page { html, .. }, library) in [FLAT, TERRAIN].into_iter().zip(LIBRARIES) {
        for LoadedFile { file, .. } in [&library.script, &library.style] {
            assert_eq!(html.matches(&comment(file)).count(), 1);
        }
        for html in [library.load_in(html, true), library.load_in(html, false)] {
            assert!(!html.contains("<!-- leaflet") && !html.contains("<!-- maplibre"));
        }
    }
}

/// Returns the ids of the elements that scripts use.
fn asked_ids(scripts: &str) -> Vec<&str> {
    scripts
        .split("byId('")
        .skip(1)
        .filter_map(|rest| rest.split('\'').next())
        .collect()
}

#[test]
fn the_pages_have_every_element_their_scripts_need() {
    let scripts: String = OWN
        .iter()
        .map(|(_, bytes)| String::from_utf8_lossy(bytes))
        .collect();
    let asked = asked_ids(&scripts);
    assert!(asked.len() > 10);

    for id in asked {
        assert!(
            values(FLAT.html, "id").contains(&id),
            "a script asks for #{id}"
        );
    }

    let script: String = TERRAIN
        .own
        .iter()
        .map(|(_, bytes)| String::from_utf8_lossy(bytes))
        .collect();

    // The functions of the other scripts that these scripts call need these elements.
    let of_others = [
        "message",
        "message-title",
        "message-text",
        "fold",
        "settings",
        "light",
        "updated",
    ];

    for id in asked_ids(&script).into_iter().chain(of_others) {
        assert!(
            values(TERRAIN.html, "id").contains(&id),
            "a script of the hills asks for #{id}"
        );
    }
}

#[test]
fn names_from_the_world_can_never_become_markup() {
    let script = own_scripts();
    for way in [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "bindPopup",
        "bindTooltip",
    ] {
        assert!(!script.contains(way), "a script uses {way}");
    }
}

#[test]
fn the_page_names_files_with_their_hashes() {
    let [one, other] = ["var PIXELMAP = 1;", "var PIXELMAP = 2;"].map(|script| {
        text(
            &super::files(script, &PageTexts::default(), true),
            "index.html",
        )
    });

    let [mine, others] = [&one, &other].map(|page| {
        let mut named = loaded(page);
        named.retain(|name| !name.contains("//"));
        named
    });

    assert!(
        mine.len() >= 4
            && mine
                .iter()
                .all(|name| name.len() == name.find("?v=").unwrap() + 3 + 16),
        "{mine:?}"
    );

    let changed: Vec<_> = mine
        .iter()
        .zip(&others)
        .filter(|(mine, others)| mine != others)
        .collect();
    assert!(
        matches!(&*changed, [(mine, _)] if mine.starts_with("map.js?v=")),
        "{changed:?}"
    );
}

#[test]
fn an_archive_page_is_complete_and_escapes_names() {
    let html = archive_page("</script><script>alert(1)</script>\u{2028}.pmtiles");
    assert!(
        !html.contains("alert(1)</script>")
            && html.contains("PIXELMAP_ARCHIVE = \"\\u003c/script>")
    );

    let beside: Vec<_> = html
        .split("<script")
        .skip(1)
        .filter(|rest| rest.starts_with(" src=\""))
        .collect();
    assert!(
        beside.iter().all(|rest| rest.contains("integrity")),
        "a CDN's Leaflet alone"
    );

    assert_eq!(beside.is_empty(), is_self_contained());
    assert_eq!(
        html.contains("Redistributions in binary form"),
        is_self_contained()
    );

    let hills = text(&files(true), "terrain.html");
    assert!(
        hills.contains("terrain.js?v=")
            && hills.contains("map.js?v=")
            && hills.contains("href=\"index.html\"")
    );

    for (name, bytes) in files(false) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(name == "index.html" || html.contains(&text), "{name}");
        assert!(
            name == "index.html" || !text.contains("</script") && !text.contains("</style"),
            "{name}"
        );
    }

    assert!(is_page(html.as_bytes()) && is_page(page(true).as_bytes()) && !is_page(b"<html>"));
    assert!(!is_page(
        page(true).replace("pixelmap", "another").as_bytes()
    ));
}

#[test]
fn texts_of_the_page_are_escaped() {
    let texts = PageTexts {
        title: Some("<b>\"Our\" & world".to_owned()),
        description: Some("</head><script>".to_owned()),
        url: Some("https://example.org/map/".to_owned()),
    };

    let files = super::files("", &texts, false);
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
    assert!(
        !text(
            &super::files("", &PageTexts::default(), false),
            "index.html"
        )
        .contains("og:")
    );
}
