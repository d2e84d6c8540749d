//! Tests the removal of tiles: however a run ends, every tile that the map names exists.
#![allow(
    clippy::disallowed_methods,
    reason = "worlds and obstacles of tests are no output of the program"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::incremental::nightly::as_if_killed;
use crate::map::{Map, Place, Ran, assert_same_files, has_ending, land, render};
use crate::publishing::bookkeeping::apply;
use crate::world::{ChunkSpec, Files, Generation, block};

const GENERATION: Generation = Generation::Numeric(1343);

/// A world of this many regions in a row. Five regions have one more outer level than four.
fn put_world(place: &Place, regions: i32) {
    fs::remove_dir_all(place.world()).ok();
    let chunks: Vec<ChunkSpec> = (0..regions).map(chunk_of).collect();
    land::of_chunks(&chunks, GENERATION).write_under(&place.world());
}

fn chunk_of(region: i32) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(region * 32 + 5, 5, GENERATION);
    chunk.layer(60, 64, block::GRASS_BLOCK);
    chunk
}

/// A map of five regions, and a world of four: a run removes the tile of a region and a whole zoom
/// level.
fn shrunk(options: &[&str]) -> (Place, Map) {
    let place = Place::empty();
    put_world(&place, 5);
    let map = place.draw("map", options);
    Files(map.files()).write_under(&place.at("copy"));
    put_world(&place, 4);
    (place, map)
}

/// Draws, and updates a copy of the map with the lists.
fn draw_and_apply(place: &Place, options: &[&str]) -> Ran {
    let [changed, deleted] =
        ["changed", "deleted"].map(|name| place.at(name).to_str().unwrap().to_owned());
    let lists = ["--changed-list", &changed, "--deleted-list", &deleted];
    let ran = draw(place, &[options, &lists].concat(), 0);
    apply(place, "copy", &Map::at(&place.at("map")));
    ran
}

fn draw(place: &Place, options: &[&str], code: i32) -> Ran {
    render(&place.world(), &place.at("map"), options).expect(code, &format!("{options:?}"))
}

fn removed(ran: &Ran) -> u64 {
    ran.report()["tiles"]["removed"].as_u64().unwrap()
}

/// The tiles, and the files next to them.
fn tiles(map: &Map) -> BTreeSet<String> {
    map.files()
        .into_keys()
        .filter(|path| has_ending(path, "png") || has_ending(path, "pgw"))
        .collect()
}

/// A folder with files in it, at the path of a file that the run must write or remove.
fn put_in_the_way(path: &Path) {
    let _ = fs::remove_file(path);
    fs::create_dir_all(path.join("in the way")).unwrap();
}

#[test]
fn nothing_is_removed_without_a_new_map_json() {
    for obstacle in ["map.js", "overworld/day/tiles.tsv"] {
        for options in [&[][..], &["--staged"]] {
            let what = format!("{obstacle} {options:?}");
            let (place, map) = shrunk(&[]);
            let before = tiles(&map);
            let sound = fs::read(map.root.join(obstacle)).unwrap();
            put_in_the_way(&map.root.join(obstacle));

            let ran = draw(&place, options, 1);
            assert!(
                ran.err
                    .contains(&format!("{obstacle} is a folder, but a file belongs there")),
                "{}",
                ran.err
            );

            assert_eq!(tiles(&map), before, "{what}");
            fs::remove_dir_all(map.root.join(obstacle)).unwrap();
            fs::write(map.root.join(obstacle), sound).unwrap();
            let ran = draw_and_apply(&place, options);
            assert_same_files(&what, &place.draw("fresh", &[]).files(), &map.files());
            assert_eq!(removed(&ran), 4, "{what}");
        }
    }
}

#[test]
fn tiles_of_a_killed_first_run_are_removed() {
    for (options, gone) in [(&[][..], 4), (&["--staged"], 4)] {
        let (place, map) = shrunk(options);
        // There are tiles and a journal, but no manifest names the tiles.
        as_if_killed(&map);

        let left = tiles(&map);
        for path in map.files().into_keys().filter(|path| !left.contains(path)) {
            fs::remove_file(map.root.join(path)).unwrap();
        }

        assert_eq!(removed(&draw(&place, options, 0)), gone, "{options:?}");
        assert_same_files(
            "four regions",
            &place.draw("fresh", options).files(),
            &map.files(),
        );
    }
}

#[test]
fn killed_tiles_are_removed_by_later_runs() {
    let (place, map) = shrunk(&["-l", "day", "-l", "night"]);
    as_if_killed(&map);
    fs::remove_file(map.root.join("overworld/night/tiles.tsv")).unwrap();

    for day in [["-l", "day"], ["-l", "day"], ["-l", "height"]] {
        draw(&place, &day, 0);
    }

    assert!(removed(&draw(&place, &["-l", "night"], 0)) > 0);

    let fresh = place.draw("fresh", &["-l", "day", "-l", "night", "-l", "height"]);
    assert_same_files("all layers", &fresh.files(), &map.files());
}

/// A run is killed between the rename of a new outer tile and the record of it.
#[test]
fn an_outer_tile_of_killed_runs_is_removed() {
    for options in [&[][..], &["--hide", "16384,0,16896,512"]] {
        let place = Place::empty();
        put_world(&place, 5);
        let map = place.draw("map", options);
        land::of_chunks(&[chunk_of(32)], GENERATION).write_under(&place.world());
        let tile = map.root.join("overworld/day/16/16/0.png");
        put_in_the_way(&tile);
        draw(&place, &[], 1);
        fs::remove_dir_all(&tile).unwrap();
        fs::copy(map.root.join("overworld/day/17/0/0.png"), &tile).unwrap();

        if options.is_empty() {
            fs::remove_file(place.world().join("region/r.32.0.mca")).unwrap();
        }

        draw(&place, options, 0);
        assert!(!tile.exists(), "{options:?}");
        assert_same_files(
            "five regions",
            &place.draw("fresh", options).files(),
            &map.files(),
        );
    }
}

#[test]
fn staged_tiles_that_become_hidden_are_removed() {
    {
        let options = &["--staged"][..];
        let place = Place::empty();
        put_world(&place, 6);
        let map = place.draw("map", &[]);

        // A gap in the world, so that nothing is published although the tiles have changed.
        fs::write(
            place.world().join("region/r.1.0.mca"),
            [0, 0, 9, 1].repeat(2048),
        )
        .unwrap();

        let next = map.root.join(".pixelmap/next");
        let waits = |options: &[&str], hide: &[&str]| {
            draw(
                &place,
                &[options, hide, &["--palette", "map-item"]].concat(),
                3,
            );

            Files::read_under(&next)
                .0
                .into_keys()
                .filter(|path| has_ending(path, "png"))
                .collect::<BTreeSet<_>>()
        };

        let before = waits(options, &[]);
        let after = waits(options, &["--hide", "2560,0,3072,512"]);
        let gone: Vec<&String> = before.difference(&after).collect();
        assert!(
            gone.len() == 1 && gone[0].contains("/17/"),
            "{options:?}: {gone:?} of {before:?}"
        );
        assert!(after.is_subset(&before) && after.len() > 3, "{after:?}");
    }
}
