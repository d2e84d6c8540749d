//! Tests the option that leaves out chunks in which players spent little time.

use serde_json::json;

use super::{all_layers, chunk, drawn, put, unchanged_world, with, without, world_but};
use crate::map::land::{self};
use crate::map::{Map, Place, assert_same_files, render};
use crate::world::{Record, Tag};

#[test]
fn briefly_visited_chunks_are_left_out() {
    let all = all_layers();
    // 400 ticks are 20 seconds.
    let place = Place::of(&unchanged_world());
    let bare = Place::of(&without(|x, z| (x * 31 + z * 17).rem_euclid(400) < 200));
    let expected = bare.draw("map", &with(&all, &[])).files();
    let gone = 108
        - render(&bare.world(), &bare.at("map"), &[]).report()["chunks"]["drawn"]
            .as_u64()
            .unwrap();

    for threads in ["1", "3"] {
        let options = with(&all, &["--min-inhabited", "10", "-t", threads]);
        let report = render(&place.world(), &place.at(threads), &options)
            .expect(0, threads)
            .report();

        assert_same_files(threads, &expected, &Map::at(&place.at(threads)).files());
        assert_eq!(
            (
                &report["chunks"]["hidden"],
                &report["options"]["min_inhabited"]
            ),
            (&json!(gone), &json!(10))
        );

        let again = render(&place.world(), &place.at(threads), &options)
            .expect(0, threads)
            .report();
        assert_eq!(
            (drawn(&again), &again["chunks"]),
            (0, &{
                let mut chunks = report["chunks"].clone();
                chunks["edge"] = json!(0);
                chunks
            })
        );
    }

    // Another limit redraws everything, and so does removing the limit.
    let map = place.draw("map", &[]);
    let whole = map.files();
    place.draw("map", &["--min-inhabited", "10"]);
    assert_same_files("on a map", &bare.draw("bare", &[]).files(), &map.files());
    place.draw("map", &["--min-inhabited", "0"]);
    assert_same_files("all are shown", &whole, &map.files());

    // A player moves in.
    place.draw("map", &["--min-inhabited", "10"]);
    let mut lived_in = chunk(0, 0);
    lived_in.extra = vec![("InhabitedTime", Tag::Long(200))];
    put(
        &place,
        &world_but(&|x, z| ((x, z) == (0, 0)).then(|| Some(Record::zlib(&lived_in.nbt())))),
        (0, 0),
    );

    let report = render(&place.world(), &map.root, &["--min-inhabited", "10"])
        .expect(0, "moved in")
        .report();
    assert_eq!(
        (drawn(&report), map.columns().drawn_of_chunk(0, 0)),
        (4, 256)
    );
}

#[test]
fn chunks_without_visit_time_count_as_unvisited() {
    let mut silent = chunk(0, 1);
    assert_eq!(silent.generation, land::BY_COLUMN);
    silent.extra.clear();
    let place = Place::of(&world_but(&|x, z| {
        ((x, z) == (0, 1)).then(|| Some(Record::zlib(&silent.nbt())))
    }));
    let ran =
        render(&place.world(), &place.at("map"), &["--min-inhabited", "1"]).expect(0, "silent");

    assert_eq!(Map::at(&place.at("map")).columns().drawn_of_chunk(0, 1), 0);
    assert!(
        ran.err
            .contains("warning: a chunk that --min-inhabited hides does not store"),
        "{}",
        ran.err
    );

    let again =
        render(&place.world(), &place.at("map"), &["--min-inhabited", "1"]).expect(0, "unchanged");
    assert!(again.err.contains("does not store"), "{}", again.err);
}
