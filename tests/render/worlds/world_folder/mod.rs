//! Tests world folders from other people: odd ones, ones with links in circles, and hostile ones.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

mod dimensions;
mod hostile;
mod level_dat;
mod servers;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use pixelmap_draw::RESERVED_NAMES;
use pixelmap_world::internal::{World, WorldError};

/// Makes empty region folders. Each has one region file without chunks.
fn regions(root: &Path, folders: &[&str]) {
    for folder in folders {
        fs::create_dir_all(root.join(folder)).unwrap();
        fs::write(root.join(folder).join("r.0.0.mca"), []).unwrap();
    }
}

/// Opens a world as every command does.
fn open(folder: &Path) -> Result<World, WorldError> {
    World::open(folder, RESERVED_NAMES)
}

fn ids(world: &World) -> Vec<&str> {
    world
        .dimensions
        .iter()
        .map(|dimension| &*dimension.id)
        .collect()
}

fn relative(world: &World) -> Vec<String> {
    world
        .dimensions
        .iter()
        .map(|dimension| dimension.relative_folder(&world.folder))
        .collect()
}

/// A world in a folder that is removed at the end of the test.
fn world_of(folders: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let around = tempfile::tempdir().unwrap();
    let world = around.path().join("w");
    regions(&world, folders);
    (around, world)
}

fn named(name: &str, tag: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![tag];
    bytes.extend((name.len() as u16).to_be_bytes());
    bytes.extend(name.as_bytes());
    bytes.extend(payload);
    bytes
}

fn string(text: &[u8]) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes(), text].concat()
}

fn compound(children: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = children.concat();
    bytes.push(0);
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Writes a level.dat with these children of the root.
fn level(folder: &Path, children: &[Vec<u8>]) {
    fs::write(
        folder.join("level.dat"),
        gzip(&named("", 10, &compound(children))),
    )
    .unwrap();
}

fn level_named(folder: &Path, name: &str) {
    level(
        folder,
        &[named(
            "Data",
            10,
            &compound(&[named("LevelName", 8, &string(name.as_bytes()))]),
        )],
    );
}

/// Replaces a folder with something that cannot be listed.
#[cfg(unix)]
fn put_in_the_way(kind: &str, place: &Path) {
    use std::os::unix::fs::symlink;

    match kind {
        "nowhere" => symlink("/not/mounted", place).unwrap(),
        "round" => symlink(place.file_name().unwrap(), place).unwrap(),
        "device" => symlink("/dev/null", place).unwrap(),
        "pipe" => assert!(
            std::process::Command::new("mkfifo")
                .arg(place)
                .status()
                .unwrap()
                .success()
        ),
        _ => fs::write(place, "no folder").unwrap(),
    }
}
