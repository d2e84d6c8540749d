//! What files are to a web host, by their endings: the content type, and whether they are texts, which are sent
//! compressed. And how long a browser may keep them.

use std::path::Path;

/// `Cache-Control` of what is named with its version: another version has another address.
pub const KEPT: &str = "public, max-age=31536000, immutable";
/// `Cache-Control` of all else: kept, but asked for again.
pub const ASKED: &str = "no-cache";

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// The value of `Content-Type`.
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
    /// The kind of the file at a path.
    pub fn of(path: &Path) -> Self {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let known = KINDS.iter().find(|(of, _)| of.eq_ignore_ascii_case(ending));
        known.map_or(binary("application/octet-stream"), |(_, kind)| *kind)
    }
}
