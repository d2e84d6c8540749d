//! Tests small files that inflate to a lot: memory is bounded, and other chunks are drawn.

use serde_json::{Value, json};

use super::run::{info, query, render};
use crate::map::{Map, Place};
use crate::world::payload::{Block as Lz4, gzip, lz4, zlib};
use crate::world::region::slot;
use crate::world::{Files, Generation, Record, RegionSpec, Tag, fixture::landscape};

const MIB: usize = 1 << 20;
/// The memory that the program may use for any small world.
const MOST_MEMORY: u64 = 1 << 30;

/// A region with a sound chunk at its first position and this record next to it.
fn region(x: i32, record: Record) -> RegionSpec {
    let mut region = RegionSpec::new(x, 0);
    region.put(&landscape(x * 32, 0, Generation::Root(3955)));
    region.put_record(x * 32 + 1, 0, record);
    region
}

fn assert_bounded(what: &str, report: &Value) {
    let peak = report["peak_memory_bytes"].as_u64();
    assert!(
        peak.is_none_or(|peak| peak < MOST_MEMORY),
        "{what}: {peak:?} bytes"
    );
}

#[test]
fn an_overlong_inflated_chunk_is_refused() {
    let plain = vec![0; 64 * MIB + 1];

    let claims = |blocks: usize| {
        let mut stream = lz4(&[1], 1, &[Lz4::Lz4], false);
        stream[13..17].copy_from_slice(&(32_u32 << 20).to_le_bytes());
        stream.repeat(blocks)
    };

    for (name, compression, payload) in [
        ("gzip", 1, gzip(&plain)),
        ("zlib", 2, zlib(&plain)),
        ("LZ4", 4, lz4(&plain, 16 * MIB, &[Lz4::Lz4], true)),
        ("LZ4 that only says so", 4, claims(100_000)),
    ] {
        let place = Place::of(&Files::of_regions([region(
            0,
            Record::new(compression, payload),
        )]));
        let report = render(&place.world(), &place.at("map"), &[])
            .expect(3, name)
            .report();
        assert_eq!(report["bad_chunks"][0]["reason"], "too_large", "{name}");
        assert_eq!(report["chunks"]["drawn"], 1, "{name}");

        assert_bounded(name, &report);
        assert_eq!(
            info(&place.world()).0["dimensions"][0]["damaged"][0]["reason"],
            "too_large",
            "{name}"
        );

        assert_eq!(
            query(&place.world(), &[(17, 0), (0, 0)]).0[0]["missing"],
            "damaged: too_large",
            "{name}"
        );
    }
}

#[test]
fn a_thousand_slots_of_one_bomb_cost_one() {
    let mut region = region(0, Record::new(2, zlib(&vec![0; 64 * MIB + 1])));
    for number in 2..1024 {
        region.put_record(number % 32, number / 32, Record::over(slot(1, 0), 0));
    }

    let place = Place::of(&Files::of_regions([region]));
    let report = render(&place.world(), &place.at("map"), &["-t", "2"])
        .expect(3, "one bomb")
        .report();
    assert_eq!(
        (&report["chunks"]["bad"], &report["chunks"]["drawn"]),
        (&json!(1023), &json!(1))
    );

    assert!(
        report["bad_chunks"]
            .as_array()
            .unwrap()
            .iter()
            .all(|bad| bad["reason"] == "too_large")
    );
    assert_bounded("a thousand slots", &report);
    assert_eq!(Map::at(&place.at("map")).columns().drawn(), 256);
}

#[test]
fn a_region_of_large_chunks_is_bounded() {
    // Sound and large chunks of 40 MiB each, so that 52 chunks exceed 2 GiB. Some have their own
    // records, and the others share the first record. Both kinds count.
    const OWN: i32 = 26;
    const DRAWN: i32 = 52;

    let mut chunk = landscape(1, 1, Generation::Root(3955));
    chunk.extra.push(("padding", Tag::Bytes(vec![0; 40 * MIB])));

    let record = Record::zlib(&chunk.nbt());
    let mut region = RegionSpec::new(0, 0);
    for number in 0..90 {
        let shared = || Record::over(slot(1, 1), 0);
        let record = if number < OWN {
            record.clone()
        } else {
            shared()
        };
        region.put_record(1 + number % 30, 1 + number / 30, record);
    }

    let place = Place::of(&Files::of_regions([region]));
    let report = render(&place.world(), &place.at("map"), &["-t", "2"])
        .expect(3, "large chunks")
        .report();
    assert_eq!(
        (&report["chunks"]["drawn"], &report["chunks"]["bad"]),
        (&json!(DRAWN), &json!(90 - DRAWN))
    );

    assert!(
        report["bad_chunks"]
            .as_array()
            .unwrap()
            .iter()
            .all(|bad| bad["reason"] == "too_large")
    );
    assert_bounded("large chunks", &report);
}

#[test]
fn many_workers_with_a_bomb_each_take_turns() {
    // Twice the bound, if all chunks were in memory at the same time.
    let bomb = zlib(&vec![0; 64 * MIB]);
    let place = Place::of(&Files::of_regions(
        (0..32).map(|x| region(x, Record::new(2, bomb.clone()))),
    ));
    let report = render(&place.world(), &place.at("map"), &["-t", "32"])
        .expect(3, "32 bombs")
        .report();
    assert_eq!(
        (&report["chunks"]["bad"], &report["chunks"]["drawn"]),
        (&json!(32), &json!(32))
    );
    assert_bounded("32 workers", &report);
}

/// A chunk with this many sections, and air above them. Each section has a palette of this many
/// entries, which differ between sections.
fn palettes(sections: i32, entries: usize) -> Vec<u8> {
    let mut root = landscape(1, 0, Generation::Root(3955)).nbt();

    let section = |y: i32| {
        let mut names = vec![Tag::string("air"); 1];
        names.extend((1..entries).map(|_| Tag::string("")));
        names.push(Tag::String(format!("{y}")));

        // Entries of 12 bits, or of 13 to 16.
        let longs = if names.len() <= 4096 { 820 } else { 1024 };
        let states = Tag::compound([
            ("palette", Tag::List(names)),
            ("data", Tag::Longs(vec![0; longs])),
        ]);

        Tag::compound([("Y", Tag::Byte(y as i8)), ("block_states", states)])
    };

    root.set(
        "sections",
        Tag::List((-128..sections - 128).map(section).collect()),
    );
    root.document()
}

#[test]
fn an_oversized_palette_costs_its_chunk() {
    for (sections, entries, regions, code) in [
        (64, 60_000, 3, 3),
        (17, 4095, 2, 3),
        (16, 4095, 64, 0),
        (1, 65_000, 2, 0),
    ] {
        let bomb = zlib(&palettes(sections, entries));
        let place = Place::of(&Files::of_regions(
            (0..regions).map(|x| region(x, Record::new(2, bomb.clone()))),
        ));
        let what = format!("{sections} palettes of {entries} entries and one");
        let report = render(&place.world(), &place.at("map"), &["-t", "64"])
            .expect(code, &what)
            .report();

        let bad = report["bad_chunks"].as_array().unwrap();
        assert_eq!(
            bad.len(),
            if code == 0 { 0 } else { regions as usize },
            "{what}"
        );
        assert!(bad.iter().all(|bad| bad["reason"] == "content"), "{what}");
        assert_bounded(&what, &report);
    }
}

#[test]
fn meaningless_nbt_is_passed_over() {
    for (name, list) in [
        (
            "compounds",
            Tag::Raw(
                9,
                [
                    &[10][..],
                    &(20_000_000_u32).to_be_bytes(),
                    &vec![0; 20_000_000],
                ]
                .concat(),
            ),
        ),
        (
            "strings",
            Tag::Raw(
                9,
                [
                    &[8][..],
                    &(10_000_000_u32).to_be_bytes(),
                    &vec![0; 20_000_000],
                ]
                .concat(),
            ),
        ),
        (
            "lists",
            Tag::Raw(
                9,
                [
                    &[9][..],
                    &(4_000_000_u32).to_be_bytes(),
                    &vec![0; 20_000_000],
                ]
                .concat(),
            ),
        ),
    ] {
        for place in ["junk", "sections"] {
            let mut root = landscape(1, 0, Generation::Root(3955)).nbt();
            root.set(place, list.clone());
            let world = Place::of(&Files::of_regions([region(0, Record::zlib(&root))]));

            // A list of sections with millions of elements other than compounds makes the chunk
            // unreadable.
            let bad = i32::from(place == "sections");
            let report = render(&world.world(), &world.at("map"), &[])
                .expect(bad * 3, name)
                .report();
            assert_bounded(name, &report);
            assert_eq!(report["chunks"]["bad"], bad, "{name} in {place}");
        }
    }
}

/// Names that are all different: `count` of them, of `len` bytes each, as palettes of one chunk.
fn names(first: usize, count: usize, len: usize) -> Vec<u8> {
    let mut root = landscape(1, 0, Generation::Root(3955)).nbt();

    let per_section = 4096;
    let section = |y: usize| {
        let from = first + y * per_section;
        let list =
            (from..from + per_section).map(|number| Tag::String(format!("m:{number:0>len$}")));
        let states = Tag::compound([
            ("palette", Tag::List(list.collect())),
            ("data", Tag::Longs(vec![0; 820])),
        ]);
        Tag::compound([("Y", Tag::Byte(y as i8)), ("block_states", states)])
    };

    root.set(
        "sections",
        Tag::List((0..count / per_section).map(section).collect()),
    );

    root.document()
}

#[test]
fn endless_names_are_kept_up_to_a_bound() {
    let chunk = |x: i32| Record::new(2, zlib(&names(x as usize * 65_536, 65_536, 250)));
    let place = Place::of(&Files::of_regions((0..4).map(|x| region(x, chunk(x)))));
    let report = render(&place.world(), &place.at("map"), &["-t", "3"])
        .expect(0, "names")
        .report();
    assert_bounded("names", &report);
}
