//! Tests the promises that the viewer's files make, and the code of `build.rs` that joins its
//! scripts.

use std::fs;
use std::path::Path;

use twox_hash::XxHash3_64;

use super::viewer::{FLAT, Page, TERRAIN};
use super::{PageTexts, SYMBOLS, archive_page, is_page};

#[path = "bundle.rs"]
mod bundle;
#[path = "minify.rs"]
mod minify;

/// Writes modules into a folder, and returns the script of the first one.
fn bundle_of(modules: &[(&str, &str)]) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in modules {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    bundle::bundle(&folder.path().join(Path::new(modules[0].0)))
}

#[test]
fn the_listed_symbols_match_the_page() {
    let script = include_str!("markers/symbols.js");
    let (_, shapes) = script.split_once("const SYMBOLS = {\n").unwrap();
    let (shapes, _) = shapes.split_once("};").unwrap();
    let names: Vec<&str> = shapes
        .lines()
        .map(|line| line.trim().split(':').next().unwrap())
        .collect();
    assert_eq!(names, SYMBOLS);
}

#[test]
fn modules_follow_the_modules_that_they_import() {
    let script = bundle_of(&[
        (
            "main.js",
            "import { b } from './sub/b.js';\nimport {\n  c as own,\n} from './c.js';\nb(own);\n",
        ),
        (
            "sub/b.js",
            "import { c } from '../c.js';\nexport function b(x) { return c + x; }\n",
        ),
        (
            "c.js",
            "import texts from './texts.json' with { type: 'json' };\nexport const c = texts;\n",
        ),
        ("texts.json", "{\n  \"a\": 1\n}\n"),
    ])
    .unwrap();

    let order: Vec<usize> = ["const c = texts;", "function b(x)", "b(own);"]
        .iter()
        .map(|part| script.find(part).unwrap())
        .collect();
    assert!(order.is_sorted(), "{script}");
    assert!(script.contains("const texts = {\"a\": 1};"), "{script}");
    assert!(script.contains("const { c: own } = "), "{script}");
    assert!(!script.contains("import ") && !script.contains("export "));
    assert_eq!(
        script.matches("const c = texts;").count(),
        1,
        "each module is there once"
    );
}

#[test]
fn modules_that_cannot_be_joined_are_refused() {
    for (modules, reason) in [
        (
            &[
                ("a.js", "import { x } from './b.js';\n"),
                ("b.js", "export const y = 1;\n"),
            ][..],
            "does not export x",
        ),
        (
            &[
                ("a.js", "import { b } from './b.js';\nexport const a = 1;\n"),
                ("b.js", "import { a } from './a.js';\nexport const b = 1;\n"),
            ],
            "imports itself",
        ),
        (
            &[("a.js", "import * as all from './b.js';\n")],
            "import * as all",
        ),
        (&[("a.js", "export let x = 1;\n")], "let x"),
        (
            &[("a.js", "import { x } from './missing.js';\n")],
            "missing.js",
        ),
    ] {
        let error = bundle_of(modules).unwrap_err();
        assert!(error.contains(reason), "{reason}: {error}");
    }
}

#[test]
fn scripts_lose_only_comments_and_indentation() {
    for (script, short) in [
        ("/* a */\n\n  x(); // b\n  y();\n", "x();\ny();\n"),
        (
            "x = '// no'; y = \"/* no */\";\n",
            "x = '// no'; y = \"/* no */\";\n",
        ),
        (
            "x = `  a\n  // ${b ? `}` : '}' /* c */}\n`;\n",
            "x = `  a\n  // ${b ? `}` : '}' }\n`;\n",
        ),
        (
            "x = /[/'\"]+\\//g; y = a / b / c;\n",
            "x = /[/'\"]+\\//g; y = a / b / c;\n",
        ),
        (
            "return /'/.test(x) ? (a) / 2 : 1;\n",
            "return /'/.test(x) ? (a) / 2 : 1;\n",
        ),
        ("x = '\\\\'; // c\n", "x = '\\\\';\n"),
    ] {
        assert_eq!(minify::minify(script), short);
    }
}

/// Returns the viewer's files for a map with hills.
fn all_files() -> Vec<(&'static str, Vec<u8>)> {
    page_files("", &PageTexts::default(), true)
}

/// Returns the viewer's files with their bytes.
fn page_files(facts: &str, texts: &PageTexts, has_terrain: bool) -> Vec<(&'static str, Vec<u8>)> {
    super::files(facts, texts, has_terrain)
        .into_iter()
        .map(|file| (file.path, file.into_bytes()))
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
fn text(files: &[(&str, Vec<u8>)], name: &str) -> String {
    let bytes = files
        .iter()
        .find(|(path, _)| *path == name)
        .map(|(_, bytes)| &**bytes);
    String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
}

/// Returns the page's own part of a script, which follows the library.
fn own_script(page: &Page) -> String {
    let script = page.script.text();
    let (_, own) = script
        .rsplit_once("\n(function () {\n'use strict';\n")
        .unwrap();
    own.to_owned()
}

#[test]
fn each_page_loads_facts_script_and_style() {
    let files = all_files();
    for (page, script, style) in [
        ("index.html", "viewer.js?v=", "viewer.css?v="),
        ("terrain.html", "terrain.js?v=", "terrain.css?v="),
    ] {
        let html = text(&files, page);
        let mut loaded = loaded(&html);
        // Each script is named by its tag and, before that, by a tag that preloads it.
        loaded.sort_unstable();
        loaded.dedup();
        loaded.retain(|name| *name != "index.html");
        assert!(
            loaded.len() == 3
                && loaded.iter().any(|name| name.starts_with("map.js?v="))
                && loaded.iter().any(|name| name.starts_with(script))
                && loaded.iter().any(|name| name.starts_with(style)),
            "{loaded:?}"
        );
        for mark in ["policy", "title", "styles", "licence", "scripts"] {
            assert!(
                !html.contains(&format!("<!-- {mark} -->")),
                "{page}: {mark}"
            );
        }
    }
}

#[test]
fn only_maps_with_heights_have_the_hills_page() {
    let names = |has_terrain| -> Vec<&str> {
        page_files("", &PageTexts::default(), has_terrain)
            .into_iter()
            .map(|(path, _)| path)
            .collect()
    };

    let more: Vec<_> = names(true)
        .into_iter()
        .filter(|name| !names(false).contains(name))
        .collect();

    assert!(super::terrain_paths().eq(more));
    assert!(super::paths().eq(names(true)));
}

#[test]
fn libraries_keep_copyright_and_licences() {
    let files = all_files();
    assert!(text(&files, "viewer.js").contains("(c) 2010-2023 Vladimir Agafonkin"));
    assert!(text(&files, "terrain.js").contains("@license 3-Clause BSD"));

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
    for page in [&FLAT, &TERRAIN] {
        let css = page.style.text();

        for address in css.split("url(").skip(1) {
            let address = address.trim_start_matches('"');
            assert!(
                address.starts_with("data:") || !address.split(')').next().unwrap().contains("//"),
                "{address:.80}"
            );
        }
        assert!(!css.contains("@import"));

        let script = own_script(page);
        assert!(!script.contains("http:") && !script.contains("https:"));
    }
}

#[test]
fn the_pages_have_every_element_their_scripts_need() {
    let asked = |page: &Page| -> Vec<String> {
        let script = own_script(page);
        let ids = script.split("yId('").skip(1);
        ids.filter_map(|rest| rest.split('\'').next())
            .map(str::to_owned)
            .collect()
    };

    let flat = asked(&FLAT);
    assert!(flat.len() > 10);
    for id in flat {
        assert!(
            values(FLAT.template, "id").contains(&&*id),
            "a script asks for #{id}"
        );
    }

    // The modules that both pages share ask for some elements that only the flat page has.
    for id in asked(&TERRAIN) {
        assert!(
            [FLAT.template, TERRAIN.template]
                .iter()
                .any(|template| values(template, "id").contains(&&*id)),
            "a script of the hills asks for #{id}"
        );
    }
}

#[test]
fn names_from_the_world_can_never_become_markup() {
    for page in [&FLAT, &TERRAIN] {
        let script = own_script(page);
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
}

#[test]
fn the_page_names_files_with_their_hashes() {
    let [one, other] = ["var PIXELMAP = 1;", "var PIXELMAP = 2;"].map(|facts| {
        let files = page_files(facts, &PageTexts::default(), false);
        text(&files, "index.html")
    });

    let [mine, others] = [&one, &other].map(|page| loaded(page));
    assert!(
        mine.iter()
            .all(|name| name.len() == name.find("?v=").unwrap() + 3 + 16),
        "{mine:?}"
    );

    for (mine, other) in mine.iter().zip(&others) {
        assert_eq!(mine != other, mine.starts_with("map.js?v="), "{mine}");
    }
}

#[test]
fn an_archive_page_is_complete_and_escapes_names() {
    let html = archive_page("</script><script>alert(1)</script>\u{2028}.pmtiles");
    assert!(
        !html.contains("alert(1)</script>")
            && html.contains("PIXELMAP_ARCHIVE = \"\\u003c/script>")
    );

    assert!(!html.contains("<script src") && !html.contains("rel=\"stylesheet\""));
    assert!(html.contains("Redistributions in binary form"));

    for file in [&FLAT.script, &FLAT.style] {
        let text = file.text();
        assert!(html.contains(&text), "{}", file.path);
        assert!(!text.contains("</script") && !text.contains("</style"));
    }

    assert!(is_page(html.as_bytes()) && !is_page(b"<html>"));
    assert!(!is_page(html.replace("pixelmap", "another").as_bytes()));
}

#[test]
fn files_have_the_hashes_of_their_bytes() {
    for file in super::files("", &PageTexts::default(), true) {
        let (path, hash) = (file.path, file.hash());
        assert_eq!(hash, XxHash3_64::oneshot(&file.into_bytes()), "{path}");
    }
}

#[test]
fn texts_of_the_page_are_escaped() {
    let texts = PageTexts {
        title: Some("<b>\"Our\" & world".to_owned()),
        description: Some("</head><script>".to_owned()),
        url: Some("https://example.org/map/".to_owned()),
    };

    let files = page_files("", &texts, false);
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
    assert!(!text(&page_files("", &PageTexts::default(), false), "index.html").contains("og:"));
}
