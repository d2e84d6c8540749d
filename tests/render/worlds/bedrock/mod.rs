//! Tests Bedrock worlds, in all their stored forms, sound and damaged.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

mod blocks;
mod damage;
mod folder;
mod later_runs;
mod markers;
mod same_map;

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::map::{Map, Place, assert_same_files, render};
use crate::world::Files;
use crate::world::bedrock::database::Changes;
use crate::world::bedrock::{ChunkSpec, Compression, Database};
use crate::world::fixture::bedrock::with_level_dat;

/// Layers that read different parts of a chunk.
const OPTIONS: [&str; 12] = [
    "-d", "all", "-l", "day", "-l", "night", "-l", "cave", "-l", "biome", "-l", "version",
];

fn drawn(world: &Path, out: &Path, more: &[&str]) -> BTreeMap<String, Vec<u8>> {
    render(world, out, &[&OPTIONS, more].concat()).expect(0, &format!("{more:?}"));
    Map::at(out).files()
}

/// The files in a zip.
fn packed(files: &Files) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in &files.0 {
        zip.start_file(&**name, SimpleFileOptions::default())
            .unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn alone(chunk: &ChunkSpec) -> Files {
    let mut database = Database::new(1);
    database.batch(&chunk.changes());
    with_level_dat("Alone", &database)
}

/// The bytes and times of all files and folders.
fn state(folder: &Path) -> BTreeMap<PathBuf, (SystemTime, Vec<u8>)> {
    let mut state = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let modified = path.metadata().unwrap().modified().unwrap();

            let bytes = if path.is_dir() {
                Vec::new()
            } else {
                fs::read(&path).unwrap()
            };

            if path.is_dir() {
                folders.push(path.clone());
            }

            state.insert(path, (modified, bytes));
        }
    }

    state
}

fn database(chunks: &[ChunkSpec]) -> Database {
    let mut changes = Changes::new();
    for chunk in chunks {
        chunk.put_into(&mut changes);
    }
    let mut database = Database::new(4);
    database.table(1, Compression::Deflate, 5000, &changes);
    database
}

/// Replaces the database of the world.
fn replace(place: &Place, database: &Database) {
    fs::remove_dir_all(place.world()).unwrap();
    with_level_dat("Nights", database).write_under(&place.world());
}

/// Returns the numbers of drawn and unchanged regions of a run into folder `map`, whose result must
/// equal a first run.
fn run(place: &Place, database: &Database) -> [u64; 2] {
    replace(place, database);
    let report = render(&place.world(), &place.at("map"), &["--max-removed", "100%"])
        .expect(0, "again")
        .report();

    render(
        &place.world(),
        &place.at("first"),
        &["-f", "--max-removed", "100%"],
    )
    .expect(0, "first");

    assert_same_files(
        "again",
        &Map::at(&place.at("map")).files(),
        &Map::at(&place.at("first")).files(),
    );

    ["drawn", "unchanged"].map(|count| report["regions"][count].as_u64().unwrap())
}
