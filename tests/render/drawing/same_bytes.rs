//! Tests that the same world and options give the same bytes, with any workers in any order.

use std::collections::BTreeMap;
use std::path::Path;

use crate::map::{Map, Place, assert_same_files, fixture, has_ending, land, render};
use crate::world::{Files, Generation};

fn drawn(world: &Path, place: &Place, name: &str, options: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let out = place.at(name);
    render(world, &out, options).expect(0, &format!("render {options:?}"));
    Map::at(&out).files()
}

/// Threads and batches. The others are compared with the defaults.
const WAYS: [(&str, &str); 10] = [
    ("1", "1"),
    ("1", "1000"),
    ("2", "1"),
    ("2", "1000"),
    ("3", "1"),
    ("3", "1000"),
    ("8", "1"),
    ("8", "1000"),
    ("64", "1"),
    ("64", "1000"),
];

fn assert_same_with_all_ways(world: &Path, place: &Place) {
    let first = drawn(world, place, "default", &[]);
    assert!(first.keys().filter(|path| has_ending(path, "png")).count() >= 4);

    for (threads, batch) in WAYS {
        let again = drawn(
            world,
            place,
            &format!("{threads}-{batch}"),
            &["-t", threads, "--max-batch", batch],
        );

        assert_same_files(
            &format!("{threads} threads, batches of {batch}"),
            &first,
            &again,
        );
    }
}

#[test]
fn threads_and_batches_change_no_demo_byte() {
    assert_same_with_all_ways(&fixture("demo"), &Place::empty());
}

#[test]
fn threads_and_batches_change_no_dimension() {
    let place = Place::of(&land::two_dimensions());
    assert_same_with_all_ways(&place.world(), &place);
}

/// More groups of regions in a row than the cache of borders of one worker can hold, so that
/// dropped borders are read again.
#[test]
fn reread_borders_change_no_byte() {
    let corners: Vec<(i32, i32)> = (-12..12).flat_map(|x| [(x, 0), (x, 7)]).collect();
    let place = Place::of(&land::of_chunks(
        &land::around_corners(&corners),
        Generation::Root(3955),
    ));

    let many = drawn(&place.world(), &place, "32", &["-t", "32"]);
    for threads in ["1", "2", "3"] {
        let few = drawn(
            &place.world(),
            &place,
            threads,
            &["-t", threads, "--max-batch", "1"],
        );
        assert_same_files(&format!("{threads} threads"), &many, &few);
    }
}

#[test]
fn pinning_of_workers_changes_no_byte() {
    let place = Place::empty();
    let first = drawn(&fixture("demo"), &place, "auto", &[]);
    for pin in ["none", "compact", "spread"] {
        assert_same_files(
            pin,
            &first,
            &drawn(&fixture("demo"), &place, pin, &["-t", "2", "--pin", pin]),
        );
    }
}

/// The heaviest region is drawn first, and bytes after the last record count as weight. So each
/// region has its turn to be first.
#[test]
fn the_order_of_drawing_changes_no_byte() {
    let sound = Files::read_under(&fixture("demo"));
    let place = Place::of(&sound);
    let first = drawn(&place.world(), &place, "default", &[]);

    let regions: Vec<String> = sound
        .0
        .keys()
        .filter(|path| has_ending(path, "mca"))
        .cloned()
        .collect();
    assert_eq!(regions.len(), 4);

    for heaviest in &regions {
        let mut heavier = sound.clone();
        for (weight, region) in regions.iter().enumerate() {
            let bytes = heavier.0.get_mut(region).unwrap();
            let sectors = if region == heaviest {
                1000
            } else {
                100 * (weight + 1)
            };
            bytes.resize(bytes.len().next_multiple_of(4096) + sectors * 4096, 0);
        }

        heavier.write_under(&place.world());
        let again = drawn(
            &place.world(),
            &place,
            &heaviest.replace('/', "-"),
            &["-t", "1"],
        );
        assert_same_files(&format!("{heaviest} first"), &first, &again);
    }
}

#[test]
fn moving_world_or_map_changes_no_byte() {
    let (one, other) = (
        Place::of(&land::two_dimensions()),
        Place::of(&land::two_dimensions()),
    );
    let first = drawn(&one.world(), &one, "map", &[]);
    assert_same_files(
        "elsewhere",
        &first,
        &drawn(&other.world(), &other, "another-name", &[]),
    );
}
