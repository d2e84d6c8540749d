//! Makes the scripts and styles of the pages, which the library embeds.
//!
//! The script of a page is a library (Leaflet for the flat map, MapLibre for the hills) and the
//! modules of `src/page/`, joined into one plain file (`src/page/bundle.rs`), so that a page needs one
//! request for all of them. The style is the one of the library and the page's own. The files are
//! deflated, so that the program is smaller.
//!
//! This script reads `src/page/` and writes in `OUT_DIR`. It works without a
//! network and without other programs.
#![allow(
    clippy::print_stdout,
    reason = "a build script speaks to cargo on standard output"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "a build script is not the sink for tiles; it may write in OUT_DIR"
)]

use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use twox_hash::XxHash3_64;

#[path = "src/page/bundle.rs"]
mod bundle;
#[path = "src/page/minify.rs"]
mod minify;

/// The files of a page and their sources in `src/page/`.
struct Page {
    script: &'static str,
    /// The module that begins the page.
    entry: &'static str,
    style: &'static str,
    /// The name of the library's files in `libraries/`, without their endings.
    library: &'static str,
}

const PAGES: [Page; 2] = [
    Page {
        script: "viewer.js",
        entry: "viewer.js",
        style: "viewer.css",
        library: "leaflet",
    },
    Page {
        script: "terrain.js",
        entry: "terrain.js",
        style: "terrain.css",
        library: "maplibre-gl",
    },
];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/page");

    let sources = Path::new("src/page");
    let out = env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;

    let style = fs::read_to_string(sources.join("viewer.css"))?;
    for page in PAGES {
        let own = bundle::bundle(&sources.join(page.entry)).map_err(io::Error::other)?;

        let library = library_file(sources, page.library, "js")?;
        put(&out, page.script, &format!("{library}\n{own}"))?;

        let library = library_file(sources, page.library, "css")?;
        put(&out, page.style, &format!("{library}\n{style}"))?;

        let licence = library_file(sources, page.library, "LICENSE.txt")?;
        put(&out, &format!("{}.LICENSE.txt", page.library), &licence)?;
    }

    Ok(())
}

/// Returns a file of a library without the line that names a source map, because
/// maps leave the source map out.
fn library_file(sources: &Path, library: &str, ending: &str) -> io::Result<String> {
    let path = sources.join(format!("libraries/{library}.{ending}"));
    let text = fs::read_to_string(&path).map_err(|err| at(&path, &err))?;
    let is_kept = |line: &&str| !line.starts_with("//# sourceMappingURL");
    Ok(text.split_inclusive('\n').filter(is_kept).collect())
}

/// Writes a file in deflated form, behind its length (u32) and its XXH3-64 (u64).
fn put(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    let path = folder.join(name);
    let mut head = (text.len() as u32).to_le_bytes().to_vec();
    head.extend(XxHash3_64::oneshot(text.as_bytes()).to_le_bytes());

    let mut encoder = ZlibEncoder::new(head, Compression::best());
    encoder.write_all(text.as_bytes())?;
    fs::write(&path, encoder.finish()?).map_err(|err| at(&path, &err))
}

fn at(path: &Path, err: &io::Error) -> io::Error {
    io::Error::new(err.kind(), format!("{}: {err}", path.display()))
}
