//! Tests that a second run draws only changes and gives the same bytes as a first run.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

mod damaged_maps;
mod edits;
mod region_facts;
mod unchanged;
mod unreadable_chunks;

use std::fs::{self, File};
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;
use twox_hash::XxHash3_64;

use crate::map::{Map, Place, assert_same_files, render};
use crate::world::level_dat::LevelDat;
use crate::world::region::NONE;
use crate::world::{Block, ChunkSpec, Files, Generation, Record, RegionSpec, block};

const GENERATION: Generation = Generation::Root(3955);

/// Regions along each side of the world.
const SIDE: i32 = 3;

/// The slots in use in each region: corners, the middle of each side, and the middle of the region.
const SLOTS: [(i32, i32); 9] = [
    (0, 0),
    (31, 0),
    (0, 31),
    (31, 31),
    (15, 0),
    (15, 31),
    (0, 15),
    (31, 15),
    (15, 15),
];

/// Ground that rises from chunk to chunk, stored without compression, so that a block's name can be
/// replaced in place.
fn chunk(x: i32, z: i32, ground: Block) -> Record {
    let mut chunk = ChunkSpec::new(x, z, GENERATION);
    chunk.layer(50, 50, block::STONE);
    chunk.layer(
        60 + (x * 7 + z * 3).rem_euclid(5),
        70 + (x + z).rem_euclid(3),
        ground,
    );
    Record::new(NONE, chunk.nbt().document())
}

/// The regions of a world of dirt. `change` can replace or remove the record of a slot.
fn world_but(change: impl Fn(i32, i32) -> Option<Option<Record>>) -> Files {
    let mut files = Files::new();
    files.put(
        "level.dat",
        LevelDat::new("nightly", GENERATION.data_version()).bytes(),
    );

    for at in 0..SIDE * SIDE {
        let mut region = RegionSpec::new(at % SIDE, at / SIDE);
        for (x, z) in SLOTS.map(|(x, z)| (region.x * 32 + x, region.z * 32 + z)) {
            if let Some(record) = change(x, z).unwrap_or_else(|| Some(chunk(x, z, block::DIRT))) {
                region.put_record(x, z, record);
            }
        }
        files.put_region("region", &region);
    }

    files
}

fn unchanged_world() -> Files {
    world_but(|_, _| None)
}

fn file(place: &Place, x: i32, z: i32) -> PathBuf {
    place.world().join(format!("region/r.{x}.{z}.mca"))
}

/// Replaces dirt with clay in one chunk without changing the length, the header or the time of the
/// file.
fn edit(place: &Place, x: i32, z: i32) {
    let path = file(place, x.div_euclid(32), z.div_euclid(32));
    let bytes = fs::read(&path).unwrap();
    let slot = (x.rem_euclid(32) + z.rem_euclid(32) * 32) as usize;
    let start = u32::from_be_bytes(bytes[slot * 4..][..4].try_into().unwrap()) as usize >> 8;
    assert!(start > 0, "no chunk {x}, {z}");
    let len = u32::from_be_bytes(bytes[start * 4096..][..4].try_into().unwrap()) as usize;
    replace(
        &path,
        start * 4096..start * 4096 + len,
        b"minecraft:dirt",
        b"minecraft:clay",
    );
}

/// Replaces every `from` in a part of a file without changing its length and time.
fn replace(path: &Path, part: Range<usize>, from: &[u8], to: &[u8]) {
    let modified = path.metadata().unwrap().modified().unwrap();
    let bytes = fs::read(path).unwrap();
    let windows = bytes[part.clone()].windows(from.len()).enumerate();
    let places: Vec<usize> = windows
        .filter(|(_, window)| *window == from)
        .map(|(at, _)| part.start + at)
        .collect();
    assert!(!places.is_empty());

    let open = File::options().write(true).open(path).unwrap();
    for at in places {
        open.write_all_at(to, at as u64).unwrap();
    }

    open.set_modified(modified).unwrap();
    assert_eq!(path.metadata().unwrap().modified().unwrap(), modified);
}

fn numbers<const N: usize>(report: &Value, what: &str, names: [&str; N]) -> [u64; N] {
    names.map(|name| report[what][name].as_u64().unwrap())
}

/// The numbers of drawn and of unchanged regions.
fn regions(report: &Value) -> [u64; 2] {
    let [total, drawn, unchanged, failed] =
        numbers(report, "regions", ["total", "drawn", "unchanged", "failed"]);
    assert_eq!(drawn + unchanged + failed, total, "{}", report["regions"]);
    [drawn, unchanged]
}

fn written(report: &Value) -> u64 {
    numbers(report, "tiles", ["written"])[0]
}

/// Turns a journal into the journal of a run that was killed just before its end: no entry is
/// confirmed.
pub(crate) fn as_if_killed(map: &Map) {
    let path = map.root.join(".pixelmap/journal");
    let mut journal = fs::read(&path).unwrap();
    let mut rest = &mut journal[19..];
    while let Some(len) = rest
        .first_chunk()
        .map(|len| u32::from_le_bytes(*len) as usize)
    {
        let (entry, after) = rest.split_at_mut(12 + len);
        entry[12] = 1;
        let check = XxHash3_64::oneshot(&entry[12..]);
        entry[4..12].copy_from_slice(&check.to_le_bytes());
        rest = after;
    }

    fs::write(path, journal).unwrap();
}

/// Draws again. Checks the number of drawn regions, and that the map equals the map of a first run.
fn again(place: &Place, options: &[&str], drawn: u64, what: &str) -> Value {
    let report = render(&place.world(), &place.at("map"), options)
        .expect(0, what)
        .report();
    assert_eq!(regions(&report)[0], drawn, "{what}: regions drawn");
    assert_same_as_fresh(place, options, what);
    report
}

fn assert_same_as_fresh(place: &Place, options: &[&str], what: &str) {
    let fresh = place.at(&format!("fresh {what}").replace('/', "-"));
    render(&place.world(), &fresh, options).expect(0, "fresh");
    assert_same_files(
        what,
        &Map::at(&fresh).files(),
        &Map::at(&place.at("map")).files(),
    );
}

fn times(map: &Map) -> Vec<(String, SystemTime)> {
    let time = |path: String| {
        (
            path.clone(),
            map.root.join(&path).metadata().unwrap().modified().unwrap(),
        )
    };
    map.files().into_keys().map(time).collect()
}

fn chunk_bytes(x: i32, z: i32) -> Vec<u8> {
    let mut chunk = ChunkSpec::new(x, z, GENERATION);
    chunk.layer(60, 64, block::DIRT);
    chunk.nbt().document()
}
