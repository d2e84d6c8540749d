//! Assembles the viewer: the page that shows a finished map, its scripts and its styles. The page
//! works from disk and from any static host.
//!
//! The page reads `map.js` next to it and loads the tiles that `map.js` lists. A map with heights
//! has a second page, `terrain.html`, which drapes the map over its hills. The page of an archive
//! (`archive_page`) is the same page with everything in one file. Instead of loading `map.js` it
//! names the archive, and reads the facts from the archive's metadata, key `pixelmap`. Any page
//! shows another archive of its host by `?pmtiles=ADDRESS`.
//!
//! This module neither writes the output folder nor handles tiles.
//!
//! # What the page expects of `map.js`
//!
//! The script is `var PIXELMAP = {...};` with the object of `map.json`: `format` 1, `name`,
//! `tile_size`, `native_zoom`, and `dimensions`, each
//! `{id, path, name, spawn: [x, y, z] or null, layers}`. A layer is `{id, path, scheme, format,
//! min_zoom, max_zoom, bounds: {x0, z0, x1, z1}, focus, version,
//! tiles}`. Its `bounds` are half-open in blocks. `focus` is the part of the bounds that is shown
//! first; if it is absent, all of them are. `version` changes with the tiles. `scheme` is `signed`,
//! `xyz` or `tms`. `format` is the ending of the tiles' names. `tiles` may be absent; if present,
//! it holds for each zoom level the rows `[y, [[first x, last x], ...]]` of the tiles that exist,
//! always numbered as in scheme `signed`, even if the files use another scheme. `lists` holds the
//! numbers of files with the rows of further zoom levels. `encoding` is `terrarium` if the pixels
//! are heights. `details` of a dimension has the form of a layer, but its files contain details
//! instead of pixels (`details.js`).
//!
//! `worlds`, if present, are the named maps `{name, path, this}`: `path` leads from this page's
//! folder to the folder of the other map, and `this` is true for this map alone. `history` is true
//! if the map keeps its earlier moments (`moments.js`). `markers`, both of a dimension and of the
//! whole map, are files of markers. `legend`, if present, holds parts
//! `{title, scale, entries: [[colour, text], ...], outer, more}`, from top to bottom; on a scale, a
//! value between two texts has a colour between their colours. `outer`, if present, holds the
//! colours of the entries on outer zoom levels. A map without `map.js`, dimensions or tiles gets a
//! message instead of a map.

use std::borrow::Cow;

mod library;
mod page_texts;
mod policy;
mod texts;

pub use library::is_self_contained;
pub use page_texts::PageTexts;
pub(crate) use page_texts::escape_html;
#[cfg(feature = "serve")]
pub(crate) use policy::content_policy;
pub use policy::{PageLoads, with_policy};

use crate::base::hash::content_version;
use library::{LEAFLET, Library, MAPLIBRE};

/// A page. Its text has one comment in place of the library's style sheet, and one in place of its
/// script.
#[derive(Clone, Copy)]
struct Page {
    path: &'static str,
    html: &'static str,
    library: &'static Library,
    /// The page's own files next to it, by path.
    own: &'static [(&'static str, &'static [u8])],
}

const FLAT: Page = Page {
    path: "index.html",
    html: include_str!("index.html"),
    library: &LEAFLET,
    own: &OWN,
};

/// The additional page of maps with heights. It also loads some files of the flat page.
const TERRAIN: Page = Page {
    path: "terrain.html",
    html: include_str!("terrain.html"),
    library: &MAPLIBRE,
    own: &[
        ("terrain.js", include_bytes!("terrain.js")),
        ("terrain-style.js", include_bytes!("terrain-style.js")),
        ("terrain-tiles.js", include_bytes!("terrain-tiles.js")),
    ],
};

/// The viewer's own files next to the page, by path.
const OWN: [(&str, &[u8]); 18] = [
    ("address.js", include_bytes!("address.js")),
    ("compare.js", include_bytes!("compare.js")),
    ("details.js", include_bytes!("details.js")),
    ("draw.js", include_bytes!("draw.js")),
    ("language.js", include_bytes!("language.js")),
    ("legend.js", include_bytes!("legend.js")),
    ("marker-data.js", include_bytes!("marker-data.js")),
    ("marker-layer.js", include_bytes!("marker-layer.js")),
    ("marker-panel.js", include_bytes!("marker-panel.js")),
    ("moments.js", include_bytes!("moments.js")),
    ("newer.js", include_bytes!("newer.js")),
    ("panel.js", include_bytes!("panel.js")),
    ("pmtiles.js", include_bytes!("pmtiles.js")),
    ("symbols.js", include_bytes!("symbols.js")),
    ("tiles.js", include_bytes!("tiles.js")),
    ("tools.js", include_bytes!("tools.js")),
    ("viewer.js", include_bytes!("viewer.js")),
    ("viewer.css", include_bytes!("viewer.css")),
];

/// Returns the viewer's files as `(path, bytes)`, with `index.html` first. Paths are relative to
/// the output folder. `script` is the text of the map's `map.js`, which is not among the files
/// because it differs for each map. In the pages the address of each file ends with a hash of the
/// file's bytes, so that browsers do not use an earlier version from their cache. `texts` appear
/// where a link to the page is pasted.
pub fn files(
    script: &str,
    texts: &PageTexts,
    has_terrain: bool,
) -> Vec<(&'static str, Cow<'static, [u8]>)> {
    let mut files = assemble(
        if has_terrain {
            &[FLAT, TERRAIN]
        } else {
            &[FLAT]
        },
        is_self_contained(),
    );

    let version = |loaded: &str| {
        let mut own = files
            .iter()
            .map(|(path, bytes)| (*path, &**bytes))
            .chain([("map.js", script.as_bytes())]);
        let (_, bytes) = own.find(|(path, _)| *path == loaded && !is_page_path(path))?;
        Some(content_version(|out| out.write_all(bytes)))
    };

    let pages = files
        .iter()
        .filter(|(path, _)| is_page_path(path))
        .map(|(path, html)| {
            let html =
                String::from_utf8_lossy(html).replace("<title>pixelmap</title>\n", &texts.head());
            (
                *path,
                Cow::Owned(with_versions(&html, version).into_bytes()),
            )
        });

    let pages: Vec<_> = pages.collect();
    files.retain(|(path, _)| !is_page_path(path));

    [pages, files].concat()
}

/// Adds the version of the loaded file to each address in a page. `version` returns the version, or
/// `None` for an address that gets none.
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

/// Returns the paths of all viewer files that a map may have.
pub fn paths() -> impl Iterator<Item = &'static str> {
    FLAT.paths().chain(terrain_paths())
}

/// Returns the paths of all viewer files that a map of any build may have, whether or not it
/// contains the libraries.
pub(crate) fn paths_of_all_builds() -> impl Iterator<Item = &'static str> {
    [FLAT, TERRAIN]
        .into_iter()
        .flat_map(|page| page.own_paths().chain(page.library_paths()))
}

/// Returns the paths of the viewer files that only a map with heights has.
pub fn terrain_paths() -> impl Iterator<Item = &'static str> {
    TERRAIN.paths()
}

/// Returns whether a path leads to a page. Addresses of pages do not have versions.
pub(crate) fn is_page_path(path: &str) -> bool {
    [FLAT.path, TERRAIN.path].contains(&path)
}

impl Page {
    /// Returns whether the script of all translations is among the files of this page. Both pages
    /// load the same one.
    fn has_texts(self) -> bool {
        self.path == FLAT.path
    }

    fn paths(self) -> impl Iterator<Item = &'static str> {
        self.own_paths()
            .chain(self.library_paths().filter(|_| is_self_contained()))
    }

    fn own_paths(self) -> impl Iterator<Item = &'static str> {
        let own = self.own.iter().map(|(path, _)| *path);
        [self.path]
            .into_iter()
            .chain(own)
            .chain(self.has_texts().then_some(texts::PATH))
    }

    fn library_paths(self) -> impl Iterator<Item = &'static str> {
        self.library.files().into_iter().map(|file| file.path)
    }
}

/// Returns the files of pages. With `is_embedded` the libraries are among them; otherwise the pages
/// load these from the CDN.
fn assemble(pages: &[Page], is_embedded: bool) -> Vec<(&'static str, Cow<'static, [u8]>)> {
    let mut files = Vec::new();
    for &page in pages {
        let Page {
            path,
            html,
            library,
            own,
        } = page;

        let has_texts = page.has_texts();
        let page = with_policy(&library.load_in(html, is_embedded), PageLoads::Maps);
        files.push((path, Cow::Owned(page.into_bytes())));
        files.extend(
            own.iter()
                .map(|(path, bytes)| (*path, Cow::Borrowed(*bytes))),
        );

        if has_texts {
            files.push((texts::PATH, Cow::Owned(texts::script())));
        }

        let embedded = library.files().into_iter().filter(|_| is_embedded);
        files.extend(embedded.map(|file| (file.path, Cow::Owned(file.bytes()))));
    }

    files
}

/// Every page of pixelmap contains this tag, so that a run can recognise its own pages.
pub(crate) const MARK: &str = r#"<meta name="generator" content="pixelmap">"#;

/// Returns whether a file is a page of pixelmap.
pub(crate) fn is_page(bytes: &[u8]) -> bool {
    bytes
        .windows(MARK.len())
        .any(|part| part == MARK.as_bytes())
}

/// Returns the page that shows the archive called `name` next to it. The page is a single file,
/// because the archive is one.
pub fn archive_page(name: &str) -> String {
    // The name may contain "</script>", which would end the page's script early.
    let name = serde_json::Value::from(name)
        .to_string()
        .replace('<', "\\u003c");
    let names = format!("<script>var PIXELMAP_ARCHIVE = {name};</script>");
    let mut html = FLAT
        .library
        .load_in(FLAT.html, is_self_contained())
        .replace(r#"<script src="map.js"></script>"#, &names);

    for (path, bytes) in assemble(&[FLAT], is_self_contained()) {
        let text = String::from_utf8_lossy(&bytes);
        html = html.replace(
            &format!(r#"<link rel="stylesheet" href="{path}">"#),
            &format!("<style>\n{text}</style>"),
        );
        html = html.replace(
            &format!(r#"<script src="{path}"></script>"#),
            &format!("<script>\n{text}</script>"),
        );

        if path.ends_with("LICENSE.txt") {
            html = html.replace("</head>", &format!("<!-- Leaflet:\n{text}-->\n</head>"));
        }
    }

    with_policy(&html, PageLoads::Maps)
}

#[cfg(test)]
mod tests;
