//! Tests that hidden chunks count as absent: in pixels, records and reports, and in maps that
//! showed them before.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

mod absent;
mod later_runs;
mod options;
mod visits;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use serde_json::Value;

use crate::map::land::{self, Column};
use crate::map::{Place, render};
use crate::world::level_dat::LevelDat;
use crate::world::seed::of_place;
use crate::world::{
    Biome, Block, ChunkSpec, Files, Generation, Record, RegionSpec, Tag, biome, block,
};

/// The regions of the overworld: the four regions around each of the corners (0, 0), (1, 1) and (2,
/// 0). Three of them touch two corners.
const REGIONS: [(i32, i32); 10] = [
    (-1, -1),
    (0, -1),
    (-1, 0),
    (0, 0),
    (1, 0),
    (0, 1),
    (1, 1),
    (1, -1),
    (2, -1),
    (2, 0),
];

/// Chunks around these corners of regions are stored.
const CORNERS: [(i32, i32); 3] = [(0, 0), (32, 32), (64, 0)];

/// Broken ground with ponds, leaves and grass in four biomes, so that shade and tint reach over
/// every border.
fn terrain(x: i32, z: i32) -> Column {
    let of_biome = of_place(x.div_euclid(7), z.div_euclid(6), 9) % 4;
    let biome: Biome =
        [biome::PLAINS, biome::SWAMP, biome::BADLANDS, biome::TAIGA][of_biome as usize];
    let y = 60 + (of_place(x, z, 3) % 9) as i32;
    let is_pond = of_place(x.div_euclid(5), z.div_euclid(5), 4).is_multiple_of(3);
    let ground: Block =
        [block::GRASS_BLOCK, block::STONE, block::OAK_LEAVES][(of_place(x, z, 5) % 3) as usize];
    Column {
        water_y: (is_pond && y < 66).then_some(66),
        biome,
        ..Column::of(y, ground)
    }
}

fn chunk(x: i32, z: i32) -> ChunkSpec {
    let generation = if (x + z) % 3 == 0 {
        Generation::Root(3955)
    } else {
        land::BY_COLUMN
    };

    let mut chunk = ChunkSpec::new(x, z, generation);
    for (dx, dz) in (0..16).flat_map(|dz| (0..16).map(move |dx| (dx, dz))) {
        let column = terrain(x * 16 + dx as i32, z * 16 + dz as i32);
        chunk.set(dx, column.y, dz, column.ground);
        if let Some(water_y) = column.water_y {
            chunk.stack(dx, dz, column.y + 1, water_y, block::WATER);
        }
        chunk.set_biome(dx, dz, column.biome);
    }

    chunk.extra = vec![(
        "InhabitedTime",
        Tag::Long(i64::from((x * 31 + z * 17).rem_euclid(400))),
    )];

    chunk
}

/// The chunks that are stored, each built and packed once for all tests.
static CHUNKS: LazyLock<BTreeMap<(i32, i32), Record>> = LazyLock::new(|| {
    let places = CORNERS
        .iter()
        .flat_map(|&(x, z)| (0..36).map(move |at| (x - 3 + at % 6, z - 3 + at / 6)));
    places
        .map(|(x, z)| ((x, z), Record::zlib(&chunk(x, z).nbt())))
        .collect()
});

/// The content of a chunk's slot, or `None` to keep the content of the complete world.
type Change<'a> = &'a dyn Fn(i32, i32) -> Option<Option<Record>>;

fn put_regions(files: &mut Files, folder: &str, change: Change<'_>) {
    for (region_x, region_z) in REGIONS {
        let mut region = RegionSpec::new(region_x, region_z);
        for (&(x, z), record) in &*CHUNKS {
            if (x >> 5, z >> 5) == (region_x, region_z)
                && let Some(record) = change(x, z).unwrap_or_else(|| Some(record.clone()))
            {
                region.put_record(x, z, record);
            }
        }
        files.put_region(folder, &region);
    }
}

fn world_but(change: Change<'_>) -> Files {
    let mut files = Files::new();
    files.put(
        "level.dat",
        LevelDat::new("hiding", Some(3955))
            .old_spawn(0, 64, 0)
            .bytes(),
    );
    put_regions(&mut files, "region", change);
    files
}

fn unchanged_world() -> Files {
    world_but(&|_, _| None)
}

/// A world that lacks some chunks but no region.
fn without(is_gone: impl Fn(i32, i32) -> bool) -> Files {
    world_but(&|x, z| is_gone(x, z).then_some(None))
}

/// Options for every layer.
fn all_layers() -> Vec<String> {
    let place = Place::of(&Files::new());
    let said = render(&place.world(), &place.at("map"), &["-l", "none-such"])
        .expect(2, "no layer")
        .err;
    let (_, names) = said.split_once("[possible values: ").unwrap();
    let mut names: Vec<&str> = names.split_once(']').unwrap().0.split(", ").collect();
    names.sort_unstable();
    assert!(names.len() >= 6 && names.contains(&"height"), "{names:?}");
    names
        .iter()
        .flat_map(|name| ["-l".to_owned(), (*name).to_owned()])
        .collect()
}

fn with<'a>(all: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    all.iter()
        .map(String::as_str)
        .chain(more.iter().copied())
        .collect()
}

fn file(place: &Place, x: i32, z: i32) -> PathBuf {
    place.world().join(format!("region/r.{x}.{z}.mca"))
}

fn put(place: &Place, files: &Files, (x, z): (i32, i32)) {
    fs::write(
        file(place, x, z),
        &files.0[&format!("region/r.{x}.{z}.mca")],
    )
    .unwrap();
}

fn drawn(report: &Value) -> u64 {
    report["regions"]["drawn"].as_u64().unwrap()
}
