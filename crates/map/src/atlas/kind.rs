//! Describes files for web hosts: the content type by the ending, whether gzip makes them shorter,
//! and how long a browser may keep them.

use std::path::Path;

/// `Cache-Control` for a file whose address contains its version.
pub const CACHE_FOREVER: &str = "public, max-age=31536000, immutable";
/// `Cache-Control` for other files: a browser must check each time whether its copy is still
/// current.
pub const CACHE_CHECKED: &str = "no-cache";

/// The properties of a file that a web host needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileKind {
    pub content_type: &'static str,
    /// `true` if gzip makes it shorter.
    pub is_text: bool,
}

const fn text_kind(content_type: &'static str) -> FileKind {
    FileKind {
        content_type,
        is_text: true,
    }
}

const fn binary_kind(content_type: &'static str) -> FileKind {
    FileKind {
        content_type,
        is_text: false,
    }
}

/// The endings of files with their kinds.
const KINDS: &[(&str, FileKind)] = &[
    ("png", binary_kind("image/png")),
    ("webp", binary_kind("image/webp")),
    ("html", text_kind("text/html; charset=utf-8")),
    ("js", text_kind("text/javascript; charset=utf-8")),
    ("css", text_kind("text/css; charset=utf-8")),
    ("json", text_kind("application/json; charset=utf-8")),
    ("geojson", text_kind("application/geo+json; charset=utf-8")),
    ("tsv", text_kind("text/tab-separated-values; charset=utf-8")),
    ("txt", text_kind("text/plain; charset=utf-8")),
    ("pgw", text_kind("text/plain; charset=utf-8")),
    ("svg", text_kind("image/svg+xml; charset=utf-8")),
    ("jpg", binary_kind("image/jpeg")),
    ("jpeg", binary_kind("image/jpeg")),
    ("gif", binary_kind("image/gif")),
    ("ico", binary_kind("image/vnd.microsoft.icon")),
    ("woff2", binary_kind("font/woff2")),
    ("pmtiles", binary_kind("application/vnd.pmtiles")),
];

impl FileKind {
    pub fn from_path(path: &Path) -> Self {
        let ending = path
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default();
        let known = KINDS
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(ending));
        known.map_or(binary_kind("application/octet-stream"), |(_, kind)| *kind)
    }

    /// Returns whether a browser shows the file as a page.
    pub fn is_page(&self) -> bool {
        self.content_type.starts_with("text/html")
    }
}
