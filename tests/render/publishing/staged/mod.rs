//! Tests `--staged`: nothing is published until everything has succeeded, and the result equals a
//! plain run.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds and states of a killed run are no output of the program"
)]

mod failure;
#[cfg(target_os = "linux")]
mod killed;
mod success;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::SystemTime;

use serde_json::Value;

use crate::map::{Map, Place, Ran, render};
use crate::world::level_dat::LevelDat;
use crate::world::region::NONE;
use crate::world::{ChunkSpec, Files, Generation, Record, RegionSpec, block};

/// Regions along each side of the world.
const SIDE: i32 = 3;

/// Slots in use in each region.
const SLOTS: [(i32, i32); 6] = [(0, 0), (31, 0), (0, 31), (31, 31), (15, 15), (16, 15)];

/// State of a chunk.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Is {
    Dirt,
    Clay,
    /// A block that no table contains.
    Unknown,
    Newer,
    /// A chunk that cannot be read.
    Bad,
}

fn record(x: i32, z: i32, is: Is) -> Record {
    let generation = Generation::Root(if is == Is::Newer { 9000 } else { 3955 });
    let mut chunk = ChunkSpec::new(x, z, generation);
    chunk.layer(60 + (x * 7 + z * 3).rem_euclid(5), 70, block::DIRT);
    let mut document = chunk.nbt().document();

    let name: &[u8; 14] = match is {
        Is::Clay => b"minecraft:clay",
        Is::Unknown => b"somemods:stone",
        Is::Dirt | Is::Newer => b"minecraft:dirt",
        Is::Bad => return Record::new(NONE, b"no chunk".to_vec()),
    };

    while is != Is::Dirt
        && let Some(at) = document
            .windows(14)
            .position(|part| part == b"minecraft:dirt")
    {
        document[at..at + 14].copy_from_slice(name);
        if is == Is::Newer {
            break;
        }
    }

    Record::new(NONE, document)
}

/// A world of dirt with some other chunks, in which some regions are missing.
#[derive(Debug, Clone, Default)]
struct World {
    but: BTreeMap<(i32, i32), Is>,
    without: BTreeSet<(i32, i32)>,
}

impl World {
    fn but(chunks: &[((i32, i32), Is)]) -> Self {
        Self {
            but: chunks.iter().copied().collect(),
            ..Self::default()
        }
    }

    fn without(mut self, region: (i32, i32)) -> Self {
        self.without.insert(region);
        self
    }

    /// Replaces the world of a place. Unchanged files keep their times.
    fn write(&self, place: &Place) {
        let mut files = Files::new();
        files.put("level.dat", LevelDat::new("staged", Some(3955)).bytes());

        for (x, z) in (0..SIDE * SIDE)
            .map(|at| (at % SIDE, at / SIDE))
            .filter(|at| !self.without.contains(at))
        {
            let mut region = RegionSpec::new(x, z);
            for (x, z) in SLOTS.map(|(dx, dz)| (x * 32 + dx, z * 32 + dz)) {
                region.put_record(
                    x,
                    z,
                    record(x, z, self.but.get(&(x, z)).copied().unwrap_or(Is::Dirt)),
                );
            }

            files.put_region("region", &region);
        }

        for path in Files::read_under(&place.world())
            .0
            .into_keys()
            .filter(|path| !files.0.contains_key(path))
        {
            fs::remove_file(place.world().join(path)).unwrap();
        }

        files.0.retain(|path, bytes| {
            fs::read(place.world().join(path))
                .is_ok_and(|there| there == *bytes)
                .eq(&false)
        });
        files.write_under(&place.world());
    }
}

/// All files of a map without its state, with their times.
fn as_it_is(map: &Map) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
    let time = |path: &str| map.root.join(path).metadata().unwrap().modified().unwrap();
    map.files()
        .into_iter()
        .map(|(path, bytes)| (path.clone(), (bytes, time(&path))))
        .collect()
}

/// Draws with change lists. Returns the messages, the report, and the lists.
fn draw(place: &Place, out: &str, options: &[&str], code: i32) -> (Ran, Value, [String; 2]) {
    let lists = ["changed", "deleted"].map(|name| place.at(name));
    let [changed, deleted] = lists.each_ref().map(|path| path.to_str().unwrap());
    let all = [
        options,
        &["--changed-list", changed, "--deleted-list", deleted],
    ]
    .concat();

    let ran =
        render(&place.world(), &place.at(out), &all).expect(code, &format!("{out}: {options:?}"));
    let report = ran.report();
    (
        ran,
        report,
        lists.map(|path| fs::read_to_string(path).unwrap()),
    )
}

fn is_waiting(map: &Map) -> bool {
    map.root.join(".pixelmap/next").exists()
}
