//! Provides the pinned libraries of the pages (Leaflet, MapLibre) to the build.
//!
//! A package that cargo published contains the necessary files, because `contrib/libraries` put
//! them there. A checkout does not contain them: then `npm ci` installs the packages of
//! `src/page/package-lock.json` into `OUT_DIR`, and refuses files whose hash differs from the lock.
//! The script deflates the files into `OUT_DIR/libraries/`, and the library of this crate embeds
//! them from there.
//!
//! Without npm or a network, or with `PIXELMAP_NO_NPM=1`, these files are empty: the build
//! continues after one line of warning, and the pages load the same libraries from a public CDN.
//! With `PIXELMAP_RELEASE=1` the build fails instead, because released programs must not need a
//! CDN. The script writes only in `OUT_DIR`, and only npm uses the network.
#![allow(
    clippy::print_stdout,
    reason = "a build script speaks to cargo on standard output"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "a build script is not the sink for tiles; it may write in OUT_DIR"
)]

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// The folder of package.json and its lock, from the root of the package.
const PINS: &str = "src/page";
/// The folder of the files that `contrib/libraries` fetched, and that `PINS` lists.
const CARRIED: &str = "libraries";
/// The files taken from the folder that npm is run in, and their names here.
const WANTED: [(&str, &str); 6] = [
    ("node_modules/leaflet/dist/leaflet.js", "leaflet.js"),
    ("node_modules/leaflet/dist/leaflet.css", "leaflet.css"),
    ("node_modules/leaflet/LICENSE", "leaflet.LICENSE.txt"),
    (
        "node_modules/maplibre-gl/dist/maplibre-gl.js",
        "maplibre-gl.js",
    ),
    (
        "node_modules/maplibre-gl/dist/maplibre-gl.css",
        "maplibre-gl.css",
    ),
    (
        "node_modules/maplibre-gl/LICENSE.txt",
        "maplibre-gl.LICENSE.txt",
    ),
];
/// Long enough for a slow line (the packages have about 10 MB), short enough that a build never
/// seems to hang.
const NPM_TIME: Duration = Duration::from_secs(90);

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={PINS}");
    println!("cargo::rerun-if-env-changed=PIXELMAP_NO_NPM");
    println!("cargo::rerun-if-env-changed=PIXELMAP_RELEASE");

    let out = env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    let embedded = out.join("libraries");
    fs::create_dir_all(&embedded)?;
    // Empty until npm has succeeded, so that files of an earlier run are never embedded.
    for (_, name) in WANTED {
        fs::write(embedded.join(name), b"")?;
    }
    match carried().map_or_else(|| fetch(&out.join("npm")), Ok) {
        Ok(files) => {
            for (name, bytes) in files {
                fs::write(embedded.join(name), packed(&bytes)?)?;
            }
        }
        Err(why) if is_set("PIXELMAP_RELEASE") => {
            return Err(io::Error::other(format!(
                "a release must contain Leaflet and MapLibre: {why}"
            )));
        }
        Err(why) => {
            println!(
                "cargo::warning=the pages will load Leaflet and MapLibre from a public CDN, not \
                 from their own folder: {why}"
            );
        }
    }
    Ok(())
}

/// Deflates a file, so that the program that contains it is smaller. The first four bytes are the
/// length of the file.
fn packed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(
        (bytes.len() as u32).to_le_bytes().to_vec(),
        Compression::best(),
    );
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Returns whether a variable is set, and not to 0.
fn is_set(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| !value.is_empty() && value != OsStr::new("0"))
}

/// Returns the wanted files of the package if it contains all of them, otherwise none.
fn carried() -> Option<Vec<(&'static str, Vec<u8>)>> {
    let folder = Path::new(PINS).join(CARRIED);
    WANTED
        .iter()
        .map(|&(_, name)| Some((name, fs::read(folder.join(name)).ok()?)))
        .collect()
}

/// Runs npm in `folder` and returns the wanted files, all of them or none.
fn fetch(folder: &Path) -> Result<Vec<(&'static str, Vec<u8>)>, String> {
    if is_set("PIXELMAP_NO_NPM") {
        return Err("PIXELMAP_NO_NPM is set".to_owned());
    }

    let log =
        prepare(folder).map_err(|err| format!("its folder for npm could not be made: {err}"))?;

    let status = npm_ci(folder, &log)?;
    if !status.success() {
        return Err(format!("npm ci failed ({status}{})", first_error(&log)));
    }

    let mut files = Vec::with_capacity(WANTED.len());
    for (path, name) in WANTED {
        match fs::read(folder.join(path)) {
            Ok(bytes) if !bytes.is_empty() => files.push((name, bytes)),
            Ok(_) => return Err(format!("npm left {path} empty")),
            Err(err) => return Err(format!("npm left no {path}: {err}")),
        }
    }

    Ok(files)
}

/// Copies the pins into a fresh `folder` and returns the path for npm's messages.
fn prepare(folder: &Path) -> io::Result<PathBuf> {
    match fs::remove_dir_all(folder) {
        Err(err) if err.kind() != ErrorKind::NotFound => return Err(err),
        _ => fs::create_dir_all(folder)?,
    }

    for name in ["package.json", "package-lock.json"] {
        // Read and written, not copied: a read-only checkout must not make a copy that cannot be
        // removed.
        fs::write(folder.join(name), fs::read(Path::new(PINS).join(name))?)?;
    }

    Ok(folder.join("npm.log"))
}

/// `npm ci` without scripts of packages, bounded in time.
fn npm_ci(folder: &Path, log: &Path) -> Result<ExitStatus, String> {
    // On Windows npm is a batch file, which is found only by its full name.
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let messages =
        fs::File::create(log).map_err(|err| format!("npm's log could not be made: {err}"))?;

    let started = Command::new(npm)
        .args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--prefer-offline",
        ])
        // Without a network npm would try for minutes by default.
        .args([
            "--fetch-retries=1",
            "--fetch-retry-mintimeout=1000",
            "--loglevel=error",
        ])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        // A file instead of a pipe, because nobody reads a pipe while npm runs, and a full one
        // would stop it.
        .stderr(messages)
        .spawn();

    match started {
        Ok(child) => wait(child),
        Err(err) if err.kind() == ErrorKind::NotFound => Err("npm is not installed".to_owned()),
        Err(err) => Err(format!("npm could not be started: {err}")),
    }
}

/// Waits for `child` no longer than [`NPM_TIME`].
fn wait(mut child: Child) -> Result<ExitStatus, String> {
    let begun = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if begun.elapsed() < NPM_TIME => thread::sleep(Duration::from_millis(50)),
            Ok(None) => {
                // The build continues without npm even if this fails.
                let _ = child.kill().and_then(|()| child.wait());
                return Err(format!("npm took longer than {} s", NPM_TIME.as_secs()));
            }
            Err(err) => return Err(format!("npm was lost: {err}")),
        }
    }
}

/// npm's first line of complaint, for the one line of warning.
fn first_error(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.lines()
        .find_map(|line| line.strip_prefix("npm error "))
        .map_or(String::new(), |line| format!(", {line}"))
}
