//! Tests `--zoom-in`: zoom levels with textures, from jars that the tests make.
#![allow(
    clippy::disallowed_methods,
    reason = "worlds and packs of tests are no output of the program"
)]

mod blocks;
mod later_runs;
mod maps;

use crate::map::jar::jar;
use crate::map::land::{self, Column};
use crate::map::{Map, Place, Rgba, pixels, render};
use crate::world::{Block, Files, Generation};

const MODERN: Generation = Generation::Root(3955);

const NORTH: Block = furnace(&[("facing", "north"), ("lit", "false")]);

const EAST: Block = furnace(&[("facing", "east"), ("lit", "false")]);

const SOUTH: Block = furnace(&[("facing", "south"), ("lit", "false")]);

const LOCKED: Block = furnace(&[("facing", "west"), ("lit", "false")]);

const TURNED_FACE: Block = furnace(&[("facing", "east"), ("lit", "true")]);

const FENCE: Block = Block::named("minecraft:oak_fence").with(&[
    ("east", "false"),
    ("north", "true"),
    ("west", "false"),
]);

const STAIRS: Block = Block::named("minecraft:oak_stairs");

const fn furnace(state: &'static [(&'static str, &'static str)]) -> Block {
    Block::named("minecraft:furnace").with(state)
}

/// A place with a world of these columns and a jar, and the options that draw the map.
fn place_of(files: &Files) -> (Place, String) {
    let place = Place::of(files);
    jar().write_under(&place.at("pack"));
    let pack = place.at("pack").to_str().unwrap().to_owned();
    (place, pack)
}

/// A chunk of level ground of these blocks, from west to east. Each fills this many columns.
pub(super) fn row(blocks: &[Block], generation: Generation) -> Files {
    let width = 16 / blocks.len() as i32;
    land::world([0, 0, 16, 16], (0, 0), generation, |x, _| {
        Some(Column::of(64, blocks[(x / width) as usize]))
    })
}

/// The pixels of a block on an inner tile of the map's first region, `[z][x]`.
pub(super) fn of_block(map: &Map, layer: &str, zoom: u8, x: i32, z: i32) -> Vec<Rgba> {
    let side = 1 << (zoom - 17);
    let tile = |at: i32| (at * side).div_euclid(512);
    let path = format!("overworld/{layer}/{zoom}/{}/{}.png", tile(x), tile(z));
    let tile = pixels(&map.root.join(&path));
    let corner = |at: i32| (at * side).rem_euclid(512) as usize;
    let rows = (0..side as usize).flat_map(|dz| (0..side as usize).map(move |dx| (dx, dz)));
    rows.map(|(dx, dz)| tile[(corner(z) + dz) * 512 + corner(x) + dx])
        .collect()
}

fn light([r, g, b, _]: Rgba) -> u32 {
    u32::from(r) + u32::from(g) + u32::from(b)
}

/// The quarters of a block from the darkest to the lightest: 0 to 3, north-west, north-east,
/// south-west, south-east.
pub(super) fn order(block: &[Rgba]) -> Vec<usize> {
    let mut quarters = vec![0, 1, 2, 3];
    quarters
        .sort_by_key(|quarter| light(block[quarter / 2 * 8 * 16 + quarter % 2 * 8 + 4 * 16 + 4]));
    quarters
}

fn draw(place: &Place, pack: &str, options: &[&str]) -> Map {
    place.draw(
        "map",
        &[&["--assets", pack, "--zoom-in", "4"], options].concat(),
    )
}

fn written(place: &Place, pack: &str, options: &[&str]) -> [u64; 3] {
    let all = [&["--assets", pack], options].concat();
    let report = render(&place.world(), &place.at("map"), &all)
        .expect(0, "drawn")
        .report();
    ["written", "unchanged", "removed"].map(|count| report["tiles"][count].as_u64().unwrap())
}
