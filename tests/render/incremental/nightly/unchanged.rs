//! Tests runs on an unchanged world: nothing is drawn or written, and all findings are repeated.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use pixelmap_draw::PICTURE_VERSION;
use serde_json::Value;
use twox_hash::XxHash3_64;

use super::{
    again, chunk, chunk_bytes, edit, file, numbers, regions, replace, times, unchanged_world,
    world_but,
};
use crate::incremental::unread::change_on_disk;
use crate::map::{Place, fixture, render};
use crate::world::region::NONE;
use crate::world::{Block, ChunkSpec, Generation, Record, block};

/// Maps that an older program drew are kept unless the program declares that its pictures changed.
#[test]
fn changed_tiles_require_a_new_picture_version() {
    let place = Place::empty();
    render(&fixture("demo"), &place.at("map"), &[]).expect(0, "demo");
    let manifest = fs::read(place.at("map").join("overworld/day/tiles.tsv")).unwrap();
    let pictures = format!(
        "{} {:016x}",
        PICTURE_VERSION,
        XxHash3_64::oneshot(&manifest)
    );
    assert_eq!(
        pictures, "11 23425debab74e7b7",
        "raise PICTURE_VERSION in crates/draw/src/request/fingerprint.rs, and put this here"
    );
}

#[test]
fn an_unchanged_world_writes_nothing() {
    let place = Place::of(&unchanged_world());
    let map = place.draw("map", &[]);
    let before = times(&map);

    for options in [
        &[][..],
        &["--check", "content"],
        &["--check", "quick", "-t", "1"],
        &["-t", "8"],
    ] {
        let report = again(&place, options, 0, &format!("{options:?}"));
        assert_eq!(
            numbers(&report, "tiles", ["written", "unchanged", "removed"]),
            [0, 13, 0]
        );
        assert_eq!(
            numbers(&report, "chunks", ["drawn", "bad"]),
            [81, 0],
            "the map as it stands"
        );
        assert_eq!(report["chunks_per_second"], 0.0, "none was read");
    }

    assert_eq!(times(&map), before);
}

#[test]
fn findings_of_unchanged_regions_are_repeated() {
    let mut newer = ChunkSpec::new(47, 47, Generation::Root(99_999));
    newer.layer(0, 3, Block::named("mod:purple_ore"));

    let place = Place::of(&world_but(|x, z| match (x, z) {
        (47, 15) => Some(Some(Record::new(NONE, b"no chunk".to_vec()))),
        (32, 32) => Some(Some(Record::pointing_at(1, 1))),
        (47, 47) => Some(Some(Record::zlib(&newer.nbt()))),
        // The chunk stores another position, which is odd but not a fault.
        (15, 47) => Some(Some(chunk(16, 47, block::DIRT))),
        _ => None,
    }));

    let draw = |options: &[&str]| {
        render(&place.world(), &place.at("map"), options)
            .expect(3, "gaps")
            .report()
    };

    let said = |report: &Value| {
        let parts = [
            "outcome",
            "chunks",
            "bad_chunks",
            "unknown_blocks",
            "newer",
            "warnings",
        ];
        let mut said = parts.map(|part| report[part].clone());
        said[1]["edge"] = Value::Null;
        said
    };

    let first = draw(&[]);
    assert_eq!(first["bad_chunks"].as_array().unwrap().len(), 2);
    assert!(
        first["newer"].is_object() && first["unknown_blocks"]["mod:purple_ore"].is_object(),
        "{first}"
    );

    assert_eq!(
        first["warnings"].as_array().unwrap().len(),
        1,
        "{}",
        first["warnings"]
    );

    for options in [&[][..], &["--check", "content"]] {
        let second = draw(options);
        assert_eq!(
            (regions(&second), said(&second)),
            ([0, 9], said(&first)),
            "{options:?}"
        );
    }

    edit(&place, 79, 79);
    let third = draw(&[]);
    assert_eq!((regions(&third), said(&third)), ([1, 8], said(&first)));

    let denied = render(
        &place.world(),
        &place.at("map"),
        &["--allow-gaps", "2", "--deny", "newer-version"],
    );
    assert_eq!(denied.code, 3);
    render(&place.world(), &place.at("map"), &["--allow-gaps", "2"])
        .expect(0, "as many gaps as are allowed");
}

/// After some seconds the stamp of a file is trusted. If a change leaves every byte the same, the
/// run only hashes the file.
#[test]
fn a_touched_file_is_hashed_only_once() {
    let external = |x, z| Some(Record::external(NONE, Some(chunk_bytes(x, z))));

    let with_outside = |outside| {
        Place::of(&world_but(|x, z| {
            ((x, z) == outside).then(|| external(x, z))
        }))
    };

    // The chunks are on both sides of a border, so a neighbour reads one of them before its own
    // region is drawn.
    let places = [((63, 47), 2), ((64, 47), 2), ((79, 79), 1)]
        .map(|(at, drawn)| (with_outside(at), at, drawn));
    std::thread::sleep(Duration::from_millis(2100));

    for (place, (x, z), drawn) in &places {
        place.draw("map", &[]);
        again(place, &[], 0, "settled");
        let path = place.world().join(format!("region/c.{x}.{z}.mcc"));
        let len = path.metadata().unwrap().len() as usize;
        replace(&path, 0..len, b"minecraft:dirt", b"minecraft:clay");
        again(
            place,
            &[],
            *drawn,
            &format!("chunk {x}, {z} in a file of its own"),
        );
    }

    let [.., (place, ..)] = places;
    File::options()
        .write(true)
        .open(file(&place, 0, 1))
        .unwrap()
        .set_modified(SystemTime::UNIX_EPOCH)
        .unwrap();

    again(&place, &[], 0, "touched");
    edit(&place, 0, 32);
    again(&place, &[], 2, "edited on its northern and western side");
}

#[test]
fn file_warnings_are_current_though_chunks_are_unchanged() {
    let place = Place::of(&unchanged_world());
    place.draw("map", &[]);

    let path = file(&place, 1, 1);
    let count = &fs::read(&path).unwrap()[3..4].to_vec();
    let warnings = |count: &[u8], drawn: u64| {
        change_on_disk(&path, 3, count);
        again(
            &place,
            &["--check", "content"],
            drawn,
            "chunks as they were",
        )["warnings"]
            .as_array()
            .unwrap()
            .len()
    };

    // The first record claims the sectors of the next one.
    assert_eq!(
        (
            warnings(&[count[0] + 1], 1),
            warnings(&[count[0] + 1], 0),
            warnings(count, 1)
        ),
        (1, 1, 0)
    );
}
