//! Compares the pixels of all fixtures with stored digests.
//!
//! The digests cover pixels and not files, so another encoder changes none of them. The pixels of a
//! look never change. So a difference in `golden.tsv` is a defect, unless `CHANGELOG.md` announces
//! a new look of the layer. `BLESS=1 cargo test --test render golden::` replaces the file.
#![allow(
    clippy::disallowed_methods,
    reason = "the file of digests is no output of the program"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::map::{Place, fixture, render};
use crate::world::Files;
use pixelmap_draw::Layer;
use sha2::{Digest, Sha256};

/// Fixtures that the program refuses as a whole.
const REFUSED: [&str; 1] = ["bedrock-encrypted"];

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/render/drawing/golden.tsv")
}

/// The digest of a layer's pixels, of all tiles of its manifest.
fn digest(manifest: &[u8]) -> String {
    let mut digest = Sha256::new();
    for line in std::str::from_utf8(manifest).unwrap().lines() {
        let [zoom, x, y, _, _, pixels] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("no line: {line}")
        };
        digest.update(format!("{zoom} {x} {y} {pixels}\n"));
    }

    let bytes = digest.finalize();
    format!("{:016x}", u64::from_be_bytes(*bytes.first_chunk().unwrap()))
}

/// The digests of the first look, by fixture, dimension and layer.
fn drawn() -> BTreeMap<String, String> {
    let mut lines = BTreeMap::new();

    // Few fixtures have a seed, so `slime.rs` checks the pixels that depend on it.
    let layers = Layer::ALL
        .into_iter()
        .filter(|layer| !layer.needs_seed())
        .flat_map(|layer| ["-l", layer.name()]);

    let options: Vec<&str> = layers
        .chain(["--look", "1", "--contours", "10", "-t", "2"])
        .collect();
    for entry in fs::read_dir(fixture("")).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            continue;
        }

        let (name, place) = (
            path.file_name().unwrap().to_str().unwrap().to_owned(),
            Place::empty(),
        );
        let ran = render(&path, &place.at("map"), &options);

        let is_refused = REFUSED.contains(&name.as_str());
        assert!(
            if is_refused {
                ran.code == 1
            } else {
                matches!(ran.code, 0 | 3)
            },
            "{name}: {}: {}",
            ran.code,
            ran.err
        );

        for (path, bytes) in Files::read_under(&place.at("map")).0 {
            if let Some(layer) = path.strip_suffix("/tiles.tsv") {
                lines.insert(format!("{name}\t{layer}"), digest(&bytes));
            }
        }
    }

    lines
}

#[test]
fn pixels_of_fixtures_never_change() {
    let drawn = drawn();
    if std::env::var_os("BLESS").is_some() {
        let lines: Vec<String> = drawn
            .iter()
            .map(|(layer, digest)| format!("{layer}\t{digest}"))
            .collect();
        fs::write(file(), lines.join("\n") + "\n").unwrap();
        return;
    }

    let held = fs::read_to_string(file()).unwrap();
    let held: BTreeMap<String, String> = held
        .lines()
        .map(|line| line.rsplit_once('\t').unwrap())
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .collect();

    let all: std::collections::BTreeSet<&String> = held.keys().chain(drawn.keys()).collect();
    let differ: Vec<_> = all
        .into_iter()
        .filter(|layer| held.get(*layer) != drawn.get(*layer))
        .collect();

    assert!(
        differ.is_empty(),
        "other pixels than before, of {} of {} layers: {differ:#?}",
        differ.len(),
        drawn.len()
    );
}
