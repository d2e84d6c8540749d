//! Embeds the libraries that the pages load. They are not part of this repository: `build.rs` lets
//! npm fetch the pinned packages, and their files are embedded here in deflated form. In a build
//! without npm the pages load the same files from a public CDN, and name their integrity hashes so
//! that browsers can check them.

use libdeflater::Decompressor;

/// A library in the form that npm installs.
pub(super) struct Library {
    pub(super) script: LoadedFile,
    pub(super) style: LoadedFile,
    /// The text of the library's BSD licence, which must accompany the files.
    pub(super) licence: LibraryFile,
    /// The address of the npm package's files, from which a page without the embedded library loads
    /// them.
    pub(super) cdn: &'static str,
}

/// A file that a page loads.
pub(super) struct LoadedFile {
    pub(super) file: LibraryFile,
    /// The file's SHA-512 in base64. A browser refuses any other file from the CDN.
    pub(super) sha512: &'static str,
}

pub(super) struct LibraryFile {
    pub(super) path: &'static str,
    /// The length of the file in bytes (little-endian), and the file in zlib form. Empty if the
    /// build had no npm.
    packed: &'static [u8],
}

/// Embeds a file that `build.rs` has written.
macro_rules! fetched {
    ($name:literal) => {
        LibraryFile {
            path: $name,
            packed: include_bytes!(concat!(env!("OUT_DIR"), "/libraries/", $name)),
        }
    };
}

/// The library that shows the flat map.
pub(super) static LEAFLET: Library = Library {
    script: LoadedFile {
        file: fetched!("leaflet.js"),
        sha512: "BwHfrr4c9kmRkLw6iXFdzcdWV/PGkVgiIyIWLLlTSXzWQzxuSg4DiQUCpauz/EWjgk5TYQqX/kvn9pG1NpYfqg==",
    },
    style: LoadedFile {
        file: fetched!("leaflet.css"),
        sha512: "Zcn6bjR/8RZbLEpLIeOwNtzREBAJnUKESxces60Mpoj+2okopSAcSUIUOseddDm0cxnGQzxIR7vJgsLZbdLE3w==",
    },
    licence: fetched!("leaflet.LICENSE.txt"),
    cdn: "https://unpkg.com/leaflet@1.9.4/dist/",
};

/// The library that shows the hills.
pub(super) static MAPLIBRE: Library = Library {
    script: LoadedFile {
        file: fetched!("maplibre-gl.js"),
        sha512: "2CQ15eKGQFXMbdYigOqtulNip19/AwroCJMW00f6BaZlF1QiQyKsubw/TVPKzz0FdqU9V7ryADY6W2NYF2Fg9Q==",
    },
    style: LoadedFile {
        file: fetched!("maplibre-gl.css"),
        sha512: "KIMsMWIdnoG9OwZa+oaIafmbDonqck1UCmq+/zcUi2aaZ97N9QE6TqpTM+n36EO40HGh64hU/375zxtjx7WTyQ==",
    },
    licence: fetched!("maplibre-gl.LICENSE.txt"),
    cdn: "https://unpkg.com/maplibre-gl@5.24.1/dist/",
};

/// Returns whether this build contains the libraries. If it does, the pages work without internet
/// access.
pub fn is_self_contained() -> bool {
    !LEAFLET.script.file.packed.is_empty()
}

impl LibraryFile {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let Some((len, deflated)) = self.packed.split_first_chunk() else {
            return Vec::new();
        };
        let mut bytes = vec![0; u32::from_le_bytes(*len) as usize];
        // This cannot fail, because the build has deflated these bytes.
        let _ = Decompressor::new().zlib_decompress(deflated, &mut bytes);
        bytes
    }
}

impl Library {
    /// Returns the files that are next to the page.
    pub(super) fn files(&self) -> [&LibraryFile; 3] {
        [&self.script.file, &self.style.file, &self.licence]
    }

    /// Returns a page that loads the library from files next to it, or from the CDN. The tags
    /// replace the comments that name the library's files.
    pub(super) fn load_in(&self, page: &str, is_embedded: bool) -> String {
        let Self {
            script, style, cdn, ..
        } = self;

        let address = |LoadedFile {
                           file: LibraryFile { path, .. },
                           sha512,
                       }: &LoadedFile,
                       attribute: &str| {
            if is_embedded {
                format!(r#"{attribute}="{path}""#)
            } else {
                format!(
                    r#"{attribute}="{cdn}{path}" integrity="sha512-{sha512}" crossorigin="anonymous""#
                )
            }
        };

        let style_link = format!(r#"<link rel="stylesheet" {}>"#, address(style, "href"));
        let script_link = format!("<script {}></script>", address(script, "src"));

        page.replace(&comment(&style.file), &style_link)
            .replace(&comment(&script.file), &script_link)
    }
}

/// Returns the comment that marks the place in a page where it loads a file.
pub(super) fn comment(file: &LibraryFile) -> String {
    format!("<!-- {} -->", file.path)
}
