//! Tests that a place which is hidden later disappears from the history of a map. The files of the
//! history then equal the files of a world that never had the place.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds and copies of maps are no output of the program"
)]

use std::collections::BTreeMap;
use std::fs;

use crate::map::{Map, Place, Ran, assert_same_files, render, run};
use crate::world::level_dat::LevelDat;
use crate::world::{Biome, Block, ChunkSpec, Files, Generation, RegionSpec, biome, block};

/// Two chunks among others, and a region far away.
const HIDE: [&str; 4] = ["--hide", "64,64,96,80", "--hide", "-6144,0,-5632,512"];
const LAYERS: [&str; 8] = ["-l", "day", "-l", "biome", "-l", "height", "-l", "terrain"];

fn is_secret(x: i32, z: i32) -> bool {
    z == 4 && (x == 4 || x == 5) || x < -300
}

/// Writes a world in its state of one night. Each night one open chunk changes, and in most nights
/// a secret one.
fn write_world(place: &Place, night: i32, has_secrets: bool) {
    let mut files = Files::new();
    files.put("level.dat", LevelDat::new("history", Some(3955)).bytes());
    let mut regions: BTreeMap<(i32, i32), RegionSpec> = BTreeMap::new();

    let near = (0..10).flat_map(|z| (0..10).map(move |x| (x, z)));
    let far = [(40, 0), (0, 40), (40, 40), (70, 0), (-384, 0), (-380, 5)];
    for (x, z) in near.chain(far) {
        if is_secret(x, z) && !has_secrets {
            continue;
        }

        let mut chunk = ChunkSpec::new(x, z, Generation::Root(3955));
        let (top, ground): (i32, Block) = match (is_secret(x, z), (x, z)) {
            (true, _) if night > 0 => (90 + night, block::STONE),
            (true, _) => (90, block::STONE),
            (false, (9, 9)) if night >= 2 => (64, block::STONE),
            _ => (64, block::GRASS_BLOCK),
        };
        chunk.layer(60, top, ground);

        let shown: Biome = match is_secret(x, z) {
            true => biome::BADLANDS,
            false if (x, z) == (0, 9) && night < 2 => biome::TAIGA,
            false => biome::PLAINS,
        };
        for column in 0..256 {
            chunk.set_biome(column % 16, column / 16, shown);
        }

        let region = (x.div_euclid(32), z.div_euclid(32));
        let spec = regions
            .entry(region)
            .or_insert_with(|| RegionSpec::new(region.0, region.1));
        spec.put(&chunk);
    }

    for region in regions.values() {
        files.put_region("region", region);
    }
    let _ = fs::remove_dir_all(place.world());
    files.write_under(&place.world());
}

fn draw(place: &Place, name: &str, night: i32, more: &[&str]) -> Ran {
    let time = format!("2026-05-{:02}", night + 1);
    let options = ["--details", "-q", "--max-removed", "100%", "--time", &time];
    let options = [&options[..], &LAYERS, more].concat();
    render(&place.world(), &place.at(name), &options)
}

/// Draws three nights of a world, and a fourth night that equals the third.
fn remember(name: &str, has_secrets: bool, hide: &[&str]) -> (Place, Map) {
    let place = Place::empty();
    for night in 0..3 {
        write_world(&place, night, has_secrets);
        draw(&place, name, night, &["--history"]).expect(0, "a night");
    }
    draw(&place, name, 3, hide).expect(0, "the last night");
    let map = Map::at(&place.at(name));
    (place, map)
}

#[test]
fn places_hidden_later_leave_no_trace() {
    let (_keep, open) = remember("map", false, &[]);
    let (place, secret) = remember("map", true, &HIDE);

    assert_same_files("the published files", &open.files(), &secret.files());

    for moment in ["2026-05-01", "-1", "-0"] {
        let map = format!("{}@{moment}", secret.root.display());
        run(&["verify", "-q", &map]).expect(0, "an earlier moment");
    }

    // A further run has nothing to do, even if the state was lost.
    let before = secret.files();
    draw(&place, "map", 3, &HIDE).expect(0, "again");
    assert_same_files("a second run", &before, &secret.files());
    fs::remove_dir_all(secret.root.join(".pixelmap")).unwrap();
    draw(&place, "map", 3, &HIDE).expect(0, "without state");
    assert_same_files("a run without state", &before, &secret.files());
}

#[test]
fn a_place_shown_in_between_is_hidden_again() {
    let (place, map) = remember("map", true, &HIDE);
    draw(&place, "map", 4, &[]).expect(0, "the place is shown");
    draw(&place, "map", 5, &HIDE).expect(0, "it is hidden again");

    let (_keep, open) = remember("map", false, &[]);
    assert_same_files("the published files", &open.files(), &map.files());
}

#[test]
fn the_form_of_a_place_changes_no_file() {
    let (_exact, exact) = remember("map", true, &HIDE);
    let loose = ["--hide", "70,66,90,79", "--hide", "-6144,0,-5632,512"];
    let (_keep, loose) = remember("map", true, &loose);
    assert_same_files("the published files", &exact.files(), &loose.files());
}
