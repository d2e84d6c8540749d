//! Tests many files with random damage: a map is drawn of all of them.

use crate::map::{Map, Place, render};
use crate::world::{Files, mutation};

/// Mutated region files in one world.
fn mutated(seeds: std::ops::Range<u64>, damage: impl Fn(u64) -> Vec<u8>) -> Files {
    let mut files = Files::new();
    for (at, seed) in seeds.enumerate() {
        files.put(
            &format!("region/r.{}.{}.mca", at % 10, at / 10),
            damage(seed),
        );
    }
    files
}

fn assert_drawn_whatever_it_holds(what: &str, files: &Files) {
    let place = Place::of(files);
    let ran = render(&place.world(), &place.at("map"), &["-t", "2", "-v"]).expect(3, what);
    let report = ran.report();

    for word in ["panicked", "defect", "overflow"] {
        assert!(!ran.err.contains(word), "{what}: {}", ran.err);
    }

    assert_eq!(report["regions"]["drawn"], files.0.len(), "{what}");
    assert!(
        report["chunks"]["drawn"].as_u64().unwrap() > 2 * files.0.len() as u64,
        "{what}: {}",
        report["chunks"]
    );

    assert!(
        report["bad_chunks"].as_array().unwrap().len() > files.0.len() / 4,
        "{what}"
    );

    let again = Place::empty();
    render(&place.world(), &again.at("map"), &["-t", "1"]).expect(3, what);
    crate::map::assert_same_files(
        what,
        &Map::at(&place.at("map")).files(),
        &Map::at(&again.at("map")).files(),
    );
}

#[test]
fn two_hundred_damaged_files_are_drawn_in_part() {
    assert_drawn_whatever_it_holds(
        "seeds 1000 to 1099",
        &mutated(1000..1100, mutation::damaged_file),
    );
    assert_drawn_whatever_it_holds(
        "seeds 1100 to 1199",
        &mutated(1100..1200, mutation::damaged_file),
    );
}

#[test]
fn regions_of_damaged_chunks_are_drawn_in_part() {
    assert_drawn_whatever_it_holds(
        "damaged chunks",
        &mutated(2000..2100, mutation::damaged_chunks),
    );
}
