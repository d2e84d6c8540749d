//! Files on a web host: the content type by the ending, whether gzip makes them shorter, and how long a browser may keep
//! them.

use std::path::Path;

/// `Cache-Control` of a file whose address carries its version.
pub const CACHE_FOREVER: &str = "public, max-age=31536000, immutable";
/// `Cache-Control` of other files: a browser asks whether there is a newer one.
pub const CACHE_CHECKED: &str = "no-cache";

/// A file as a web host describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    pub content_type: &'static str,
    /// Whether gzip makes it shorter.
    pub is_text: bool,
}

const fn text(content_type: &'static str) -> Kind {
    Kind { content_type, is_text: true }
}

const fn binary(content_type: &'static str) -> Kind {
    Kind { content_type, is_text: false }
}

/// Kinds by the endings of their files.
const KINDS: &[(&str, Kind)] = &[
    ("png", binary("image/png")),
    ("webp", binary("image/webp")),
    ("html", text("text/html; charset=utf-8")),
    ("js", text("text/javascript; charset=utf-8")),
    ("css", text("text/css; charset=utf-8")),
    ("json", text("application/json; charset=utf-8")),
    ("geojson", text("application/geo+json; charset=utf-8")),
    ("tsv", text("text/tab-separated-values; charset=utf-8")),
    ("txt", text("text/plain; charset=utf-8")),
    ("pgw", text("text/plain; charset=utf-8")),
    ("svg", text("image/svg+xml; charset=utf-8")),
    ("jpg", binary("image/jpeg")),
    ("jpeg", binary("image/jpeg")),
    ("gif", binary("image/gif")),
    ("ico", binary("image/vnd.microsoft.icon")),
    ("woff2", binary("font/woff2")),
    ("pmtiles", binary("application/vnd.pmtiles")),
];

impl Kind {
    pub fn from_path(path: &Path) -> Self {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let known = KINDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending));
        known.map_or(binary("application/octet-stream"), |(_, kind)| *kind)
    }
}
