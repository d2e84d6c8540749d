//! The viewer's files: the page that shows a finished map, from disk or from any static host.
//!
//! The page reads `map.js` next to it and loads the tiles that it lists. Leaflet is not part of this repository:
//! `build.rs` has npm fetch the pinned package, which is then embedded here; without npm the page names the same files
//! on a public CDN, with their integrity hashes. The page of an archive (`archive_page`) is the same page with
//! everything in one file: it names the archive in place of `map.js`, and reads the facts from the archive's metadata,
//! key `pixelmap`. Any page shows another archive of its host by `?pmtiles=ADDRESS`.
//!
//! Knows nothing of the output folder in which it will be, and nothing of tiles.
//!
//! # What the page expects of `map.js`
//! `var PIXELMAP = {...};` with the object of `map.json`: `format` 1, `name`, `tile_size`, `native_zoom`, and
//! `dimensions`, each `{id, path, name, spawn: [x, y, z] or null, layers}`. A layer is `{id, path, scheme, format,
//! min_zoom, max_zoom, bounds: {x0, z0, x1, z1}, focus, version, tiles}`: bounds are half-open in blocks; `focus` is
//! the part of the bounds that is shown first, absent: all; `version` changes with the tiles; `scheme` is `signed`,
//! `xyz` or `tms`; `format` is the ending of its tiles. `tiles` may be absent; else it holds, by zoom level, the rows
//! `[y, [[first x, last x], ...]]` of the tiles that exist, numbered as in scheme `signed` whatever the scheme of the
//! files; `lists` holds the numbers of files with the rows of other zoom levels. `details` of a dimension has the form
//! of a layer, with files of another kind (`details.js`).
//!
//! `worlds`, if present, are the named maps `{name, path, this}`: `path` leads from this page's folder to the other's,
//! and `this` is true of this map alone. `history` is true if the map remembers its moments (`moments.js`). `markers` of a dimension and of the whole are files of markers. `legend`, if
//! present, holds parts `{title, scale, entries: [[colour, text], ...], more}`, from the top down; on a scale, a value
//! between two texts has a colour between theirs. A map without `map.js`, without dimensions or without tiles gets a
//! message instead of a map.

use std::borrow::Cow;

mod page_texts;

pub use page_texts::PageTexts;
pub(crate) use page_texts::escape_html;

use crate::base::hash::content_version;

/// The page, with one comment each for Leaflet's style sheet and script.
const PAGE: &str = include_str!("index.html");
/// Where [`PAGE`] loads Leaflet's style sheet.
const STYLE_PLACE: &str = "<!-- leaflet.css -->";
/// Where [`PAGE`] loads Leaflet's script.
const SCRIPT_PLACE: &str = "<!-- leaflet.js -->";

/// The viewer's own files next to the page, by their paths.
const OWN: [(&str, &[u8]); 13] = [
    ("compare.js", include_bytes!("compare.js")),
    ("details.js", include_bytes!("details.js")),
    ("marker-data.js", include_bytes!("marker-data.js")),
    ("marker-layer.js", include_bytes!("marker-layer.js")),
    ("marker-panel.js", include_bytes!("marker-panel.js")),
    ("moments.js", include_bytes!("moments.js")),
    ("panel.js", include_bytes!("panel.js")),
    ("pmtiles.js", include_bytes!("pmtiles.js")),
    ("symbols.js", include_bytes!("symbols.js")),
    ("tiles.js", include_bytes!("tiles.js")),
    ("tools.js", include_bytes!("tools.js")),
    ("viewer.js", include_bytes!("viewer.js")),
    ("viewer.css", include_bytes!("viewer.css")),
];

/// The address from which a page without an embedded Leaflet loads it: the files of the npm package, as Leaflet
/// documents it.
const CDN: &str = "https://unpkg.com/leaflet@1.9.4/dist/";
/// Integrity of `leaflet.js` 1.9.4: base64 of its SHA-512; a browser refuses anything else.
const SCRIPT_SHA512: &str = "BwHfrr4c9kmRkLw6iXFdzcdWV/PGkVgiIyIWLLlTSXzWQzxuSg4DiQUCpauz/EWjgk5TYQqX/kvn9pG1NpYfqg==";
/// Integrity of `leaflet.css` 1.9.4: base64 of its SHA-512.
const STYLE_SHA512: &str = "Zcn6bjR/8RZbLEpLIeOwNtzREBAJnUKESxces60Mpoj+2okopSAcSUIUOseddDm0cxnGQzxIR7vJgsLZbdLE3w==";

/// Leaflet as npm installed it; each file is empty if the build had no npm.
struct Leaflet {
    script: &'static [u8],
    style: &'static [u8],
    /// The text of its BSD licence, which must accompany the files.
    licence: &'static [u8],
}

static LEAFLET: Leaflet = Leaflet {
    script: include_bytes!(concat!(env!("OUT_DIR"), "/leaflet/leaflet.js")),
    style: include_bytes!(concat!(env!("OUT_DIR"), "/leaflet/leaflet.css")),
    licence: include_bytes!(concat!(env!("OUT_DIR"), "/leaflet/leaflet.LICENSE.txt")),
};

/// Returns whether this build holds Leaflet, so that the page needs no internet access.
pub fn is_self_contained() -> bool {
    !LEAFLET.script.is_empty()
}

/// The viewer's files as `(path, bytes)`, the path relative to the output folder, `index.html` first, for a map whose
/// `map.js` is `script`. The page names each file with a hash of its bytes, so that no browser takes an earlier one
/// from its cache.
///
/// Does not include `map.js`, which is made for each map. `texts` appear where a link to the page is pasted.
pub fn files(script: &str, texts: &PageTexts) -> Vec<(&'static str, Cow<'static, [u8]>)> {
    let mut files = assemble(is_self_contained().then_some(&LEAFLET));
    let page = page(is_self_contained()).replace("<title>pixelmap</title>\n", &texts.head());
    let page = with_versions(&page, |path| {
        let mut loaded = files.iter().map(|(path, bytes)| (*path, &**bytes)).chain([("map.js", script.as_bytes())]);
        let (_, bytes) = loaded.find(|(own, _)| *own == path)?;
        Some(content_version(|out| out.write_all(bytes)))
    });
    // The page is the first of them.
    files[0].1 = Cow::Owned(page.into_bytes());
    files
}

/// Adds to each address in a page the version of the file that it loads; `version` returns it, `None` for an address of
/// something else.
fn with_versions(page: &str, version: impl Fn(&str) -> Option<String>) -> String {
    let mut text = String::with_capacity(page.len() + 1024);
    for part in page.split_inclusive('"') {
        let is_address = text.ends_with("src=\"") || text.ends_with("href=\"");
        let address = part.strip_suffix('"').filter(|_| is_address);
        match address.and_then(|address| Some((address, version(address)?))) {
            Some((address, version)) => text += &format!("{address}?v={version}\""),
            None => text += part,
        }
    }
    text
}

pub fn paths() -> impl Iterator<Item = &'static str> {
    assemble(is_self_contained().then_some(&LEAFLET)).into_iter().map(|(path, _)| path)
}

/// The files for a page with its own Leaflet, or for one that loads it from the CDN.
fn assemble(leaflet: Option<&'static Leaflet>) -> Vec<(&'static str, Cow<'static, [u8]>)> {
    let mut files = vec![("index.html", Cow::Owned(page(leaflet.is_some()).into_bytes()))];
    files.extend(OWN.map(|(path, bytes)| (path, Cow::Borrowed(bytes))));
    if let Some(leaflet) = leaflet {
        files.push(("leaflet.js", Cow::Borrowed(leaflet.script)));
        files.push(("leaflet.css", Cow::Borrowed(leaflet.style)));
        files.push(("leaflet.LICENSE.txt", Cow::Borrowed(leaflet.licence)));
    }
    files
}

/// `index.html`, which loads Leaflet from files next to it or from the CDN.
fn page(embedded: bool) -> String {
    let (style, script) = if embedded {
        (r#"<link rel="stylesheet" href="leaflet.css">"#.to_owned(), r#"<script src="leaflet.js"></script>"#.to_owned())
    } else {
        let style = format!(r#"href="{CDN}leaflet.css" integrity="sha512-{STYLE_SHA512}""#);
        let script = format!(r#"src="{CDN}leaflet.js" integrity="sha512-{SCRIPT_SHA512}""#);
        (
            format!(r#"<link rel="stylesheet" {style} crossorigin="anonymous">"#),
            format!(r#"<script {script} crossorigin="anonymous"></script>"#),
        )
    };
    PAGE.replace(STYLE_PLACE, &style).replace(SCRIPT_PLACE, &script)
}

/// Every page of pixelmap contains this.
pub(crate) const MARK: &str = r#"<meta name="generator" content="pixelmap">"#;

/// Returns whether a file is a page of pixelmap.
pub(crate) fn is_page(bytes: &[u8]) -> bool {
    bytes.windows(MARK.len()).any(|part| part == MARK.as_bytes())
}

/// The page that shows the archive called `name` next to it: all in one file, since the archive is one.
pub fn archive_page(name: &str) -> String {
    // A page's script must not end early at a name that holds "</script>".
    let name = serde_json::Value::from(name).to_string().replace('<', "\\u003c");
    let names = format!("<script>var PIXELMAP_ARCHIVE = {name};</script>");
    let mut html = page(is_self_contained()).replace(r#"<script src="map.js"></script>"#, &names);
    for (path, bytes) in assemble(is_self_contained().then_some(&LEAFLET)) {
        let text = String::from_utf8_lossy(&bytes);
        html = html.replace(&format!(r#"<link rel="stylesheet" href="{path}">"#), &format!("<style>\n{text}</style>"));
        html = html.replace(&format!(r#"<script src="{path}"></script>"#), &format!("<script>\n{text}</script>"));
        if path.ends_with("LICENSE.txt") {
            html = html.replace("</head>", &format!("<!-- Leaflet:\n{text}-->\n</head>"));
        }
    }
    html
}

#[cfg(test)]
mod tests;
