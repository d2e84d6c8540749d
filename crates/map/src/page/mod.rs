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
//! whole map, are files of markers. `icons` holds the owner's icons `{name, version}`, and the page
//! knows where their files are. `legend`, if present, holds parts
//! `{title, scale, entries: [[colour, text], ...], outer, more}`, from top to bottom; on a scale, a
//! value between two texts has a colour between their colours. `outer`, if present, holds the
//! colours of the entries on outer zoom levels. A map without `map.js`, dimensions or tiles gets a
//! message instead of a map.

mod built;
mod document;
mod page_file;
mod page_texts;
mod symbols;
mod viewer;

pub use document::content_policy;
pub use document::{Code, Document, PageLoads};
pub use page_file::PageFile;
pub use page_texts::PageTexts;
pub(crate) use page_texts::escape_html;
pub use symbols::SYMBOLS;
pub(crate) use viewer::{MARK, is_page, is_page_path};
pub use viewer::{archive_page, files, paths, terrain_paths};

#[cfg(test)]
mod tests;
