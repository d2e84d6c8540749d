//! Tests `render --shard` and `merge`: merged parts equal the map of a single run.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds and damage to parts are no output of the program"
)]

mod merged;
mod parts;
mod refusals;

use std::collections::BTreeMap;

use crate::map::{Map, Place, Ran, program, render};
use crate::world::level_dat::LevelDat;
use crate::world::region::NONE;
use crate::world::{ChunkSpec, Files, Generation, Record, RegionSpec, block};

const GENERATION: Generation = Generation::Root(3955);

/// The number of regions from west to east and from north to south, around the origin.
const SIDES: (i32, i32) = (7, 6);

/// The slots in use in each region. Some are at its edges, so that chunks of different regions
/// touch.
const SLOTS: [(i32, i32); 6] = [(0, 0), (31, 0), (0, 31), (31, 31), (15, 15), (16, 15)];

/// The options of all runs: a layer whose legend depends on the land, and a file that each part
/// contains.
const OPTIONS: [&str; 7] = [
    "-l",
    "day",
    "-l",
    "biome",
    "--details",
    "--title",
    "In parts",
];

fn regions() -> impl Iterator<Item = (i32, i32)> {
    (0..SIDES.0 * SIDES.1).map(|at| (at % SIDES.0 - 3, at / SIDES.0 - 2))
}

/// A world with two dimensions. The chunk `bad` cannot be read, and the region `without` is
/// missing.
fn world_with_gaps(bad: Option<(i32, i32)>, without: Option<(i32, i32)>) -> Files {
    let mut files = Files::new();
    files.put(
        "level.dat",
        LevelDat::new("parts", GENERATION.data_version())
            .old_spawn(8, 70, 8)
            .bytes(),
    );

    let nether = [(0, 0), (3, -1)].map(|at| ("DIM-1/region", at));
    let overworld = regions()
        .filter(|at| Some(*at) != without)
        .map(|at| ("region", at));
    for (folder, (region_x, region_z)) in overworld.chain(nether) {
        let mut region = RegionSpec::new(region_x, region_z);
        for (x, z) in SLOTS.map(|(dx, dz)| (region_x * 32 + dx, region_z * 32 + dz)) {
            let mut chunk = ChunkSpec::new(x, z, GENERATION);
            chunk.layer(
                60,
                62 + (x * 7 + z * 3).rem_euclid(5),
                if x % 3 == 0 { block::SAND } else { block::DIRT },
            );

            match bad {
                Some(at) if at == (x, z) => {
                    region.put_record(x, z, Record::new(NONE, b"no chunk".to_vec()));
                }
                _ => region.put(&chunk),
            }
        }

        files.put_region(folder, &region);
    }

    files
}

/// Draws one shard into a folder.
fn shard(place: &Place, out: &str, shard: &str, more: &[&str]) -> Ran {
    render(
        &place.world(),
        &place.at(out),
        &[&OPTIONS, &["--shard", shard][..], more].concat(),
    )
}

/// Draws all shards into one folder.
fn draw_all(place: &Place, out: &str, count: u32, code: i32) {
    let mut codes = Vec::new();
    for number in 1..=count {
        let ran = shard(place, out, &format!("{number}/{count}"), &[]);
        assert!(ran.code == 0 || ran.code == code, "{}", ran.err);
        codes.push(ran.code);
    }
    assert!(codes.contains(&code));
}

fn merge(place: &Place, out: &str, parts: &[&str], more: &[&str]) -> Ran {
    let mut command = program();
    command
        .arg("merge")
        .args(parts.iter().map(|part| place.at(part)))
        .arg("-o")
        .arg(place.at(out));
    Ran::of(command.args(["--report", "-"]).args(more).output().unwrap())
}

/// The files of a map without its state.
fn files(place: &Place, out: &str) -> BTreeMap<String, Vec<u8>> {
    Map::at(&place.at(out)).files()
}

fn refusal(ran: Ran, code: i32) -> String {
    ran.expect(code, "refused").err
}
