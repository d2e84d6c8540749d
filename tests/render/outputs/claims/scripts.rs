//! Runs the scripts with their examples.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::map::{Map, Place, land};
use crate::missing;
use crate::world::{ChunkSpec, Files, Generation, block};

/// The scripts with the example that each of them reads.
pub(in crate::outputs) const SCRIPTS: [(&str, &str); 11] = [
    ("worldguard", "worldguard/worlds"),
    ("griefprevention", "griefprevention"),
    ("ftb-chunks", "ftb/ftbchunks"),
    ("open-parties", "open-parties"),
    ("towny", "towny/data"),
    ("lands", "lands"),
    ("goml", "goml"),
    ("bentobox", "bentobox"),
    ("factions", "factions/Factions"),
    ("yawp", "yawp/world"),
    ("huskclaims", "huskclaims"),
];
pub(super) const PLAYER: &str = "ada";

pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("contrib/claims")
}

/// The result of a script: its exit code, the features, and its messages.
pub(super) struct Converted {
    pub(super) code: Option<i32>,
    pub(super) features: Vec<Value>,
    pub(super) messages: String,
}

/// Runs a script. Returns `None` if there is no Python, and reports this on the terminal.
pub(super) fn convert(script: &str, path: &Path, options: &[&str]) -> Option<Converted> {
    let mut command = Command::new("python3");
    command
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(folder().join(script))
        .arg(path)
        .args(options);

    let Ok(output) = command.output() else {
        missing::report("python", "contrib/claims: there is no python3");
        return None;
    };

    let messages = String::from_utf8_lossy(&output.stderr).into_owned();

    let json = match options {
        ["-o", file] if *file != "-" => std::fs::read(file).unwrap_or_default(),
        _ => output.stdout,
    };

    let collection: Value =
        serde_json::from_slice(&json).unwrap_or_else(|error| panic!("{error}: {messages}"));
    let features = collection["features"].as_array().unwrap().clone();
    Some(Converted {
        code: output.status.code(),
        features,
        messages,
    })
}

pub(super) fn example(path: &str) -> PathBuf {
    folder().join("examples").join(path)
}

/// The name, the dimension and the first ring of a feature.
pub(super) fn summary(feature: &Value) -> String {
    let geometry = &feature["geometry"];
    let first = if geometry["type"] == "Polygon" {
        &geometry["coordinates"]
    } else {
        &geometry["coordinates"][0]
    };
    format!(
        "{} in {}: {}",
        feature["properties"]["name"], feature["properties"]["dimension"], first[0]
    )
}

pub(super) fn summaries(script: &str) -> Option<BTreeSet<String>> {
    let (_, path) = SCRIPTS.iter().find(|(name, _)| *name == script).unwrap();
    summaries_of(script, &example(path))
}

/// The summaries of the features that a script makes of a path without leaving anything out.
pub(super) fn summaries_of(script: &str, path: &Path) -> Option<BTreeSet<String>> {
    let Converted {
        code,
        features,
        messages,
    } = convert(script, path, &[])?;
    assert_eq!(code, Some(0), "{messages}");
    Some(features.iter().map(summary).collect())
}

/// A copy of the example of a script.
pub(super) fn copy_of_example(place: &Place, script: &str) -> PathBuf {
    let (_, path) = SCRIPTS.iter().find(|(name, _)| *name == script).unwrap();
    let copy = place.at(script);
    Files::read_under(&example(path)).write_under(&copy);
    copy
}

pub(super) fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// A map with the claims of all examples as markers, or `None` if there is no Python.
pub(in crate::outputs) fn map_of_claims() -> Option<(Place, Map)> {
    let mut chunk = ChunkSpec::new(0, 0, Generation::Root(3955));
    chunk.layer(60, 62, block::STONE);

    let place = Place::of(&land::of_chunks(&[chunk], Generation::Root(3955)));
    let mut options = vec!["--marker-kinds".to_owned(), "none".to_owned()];
    for (script, path) in SCRIPTS {
        let file = place.at(&format!("{script}.geojson"));
        convert(script, &example(path), &["-o", file.to_str().unwrap()])?;
        options.extend(["--markers".to_owned(), file.to_str().unwrap().to_owned()]);
    }

    let map = place.draw(
        "map",
        &options.iter().map(String::as_str).collect::<Vec<_>>(),
    );

    Some((place, map))
}
