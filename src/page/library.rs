//! Libraries that the pages load. They are not part of this repository: `build.rs` has npm fetch the pinned packages,
//! which are then embedded here, deflated; without npm the pages name the same files on a public CDN, with their integrity
//! hashes.

use std::io::Read as _;

use flate2::bufread::ZlibDecoder;

/// A library as npm installed it.
pub(super) struct Library {
    pub(super) script: LoadedFile,
    pub(super) style: LoadedFile,
    /// The text of its BSD licence, which must accompany the files.
    pub(super) licence: LibraryFile,
    /// The address from which a page without the embedded library loads it: the files of the npm package.
    pub(super) cdn: &'static str,
}

/// A file that a page loads.
pub(super) struct LoadedFile {
    pub(super) file: LibraryFile,
    /// The base64 of its SHA-512; a browser refuses anything else from the CDN.
    pub(super) sha512: &'static str,
}

pub(super) struct LibraryFile {
    pub(super) path: &'static str,
    /// In the form of zlib; empty if the build had no npm.
    deflated: &'static [u8],
}

/// A file that `build.rs` left.
macro_rules! fetched {
    ($name:literal) => {
        LibraryFile { path: $name, deflated: include_bytes!(concat!(env!("OUT_DIR"), "/libraries/", $name)) }
    };
}

/// Shows the flat map.
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

/// Shows the hills.
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

/// Returns whether this build holds the libraries, so that the pages need no internet access.
pub fn is_self_contained() -> bool {
    !LEAFLET.script.file.deflated.is_empty()
}

impl LibraryFile {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // What is empty is no form of zlib, and the rest is as the build left it.
        let _ = ZlibDecoder::new(self.deflated).read_to_end(&mut bytes);
        bytes
    }
}

impl Library {
    /// The files next to the page.
    pub(super) fn files(&self) -> [&LibraryFile; 3] {
        [&self.script.file, &self.style.file, &self.licence]
    }

    /// A page that loads it from files next to it or from the CDN, in the places of the comments with its names.
    pub(super) fn load_in(&self, page: &str, is_embedded: bool) -> String {
        let Self { script, style, cdn, .. } = self;
        let address = |LoadedFile { file: LibraryFile { path, .. }, sha512 }: &LoadedFile, attribute: &str| {
            if is_embedded {
                format!(r#"{attribute}="{path}""#)
            } else {
                format!(r#"{attribute}="{cdn}{path}" integrity="sha512-{sha512}" crossorigin="anonymous""#)
            }
        };
        let style_link = format!(r#"<link rel="stylesheet" {}>"#, address(style, "href"));
        let script_link = format!("<script {}></script>", address(script, "src"));
        page.replace(&comment(&style.file), &style_link).replace(&comment(&script.file), &script_link)
    }
}

/// The place where a page loads a file.
pub(super) fn comment(file: &LibraryFile) -> String {
    format!("<!-- {} -->", file.path)
}
