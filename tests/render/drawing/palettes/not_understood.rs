//! Tests that a future form of storage never gives a silent black map, and that an expectedly empty
//! dimension raises no alarm.

use super::{MODERN, stone};
use crate::map::{Place, land, render};
use crate::world::{ChunkSpec, Files, Generation, Record, RegionSpec, Tag, block};

/// A world whose chunk 3, 2 is changed.
fn world_with_changed_chunk(generation: Generation, change: impl Fn(&mut Tag)) -> Files {
    let mut region = RegionSpec::new(0, 0);
    region.put(&stone(0, 0, generation));
    let mut nbt = stone(3, 2, generation).nbt();
    change(&mut nbt);
    region.put_record(3, 2, Record::zlib(&nbt));
    Files::of_regions([region])
}

fn told(files: &Files, options: &[&str]) -> (serde_json::Value, String) {
    let place = Place::of(files);
    let ran = render(&place.world(), &place.at("map"), options).expect(0, "a map");
    (ran.report()["not_understood"].clone(), ran.err)
}

fn rename(tag: &mut Tag, from: &str, to: &str) {
    let child = tag.child(from).clone();
    tag.remove(from);
    tag.set(to, child);
}

#[test]
fn an_unknown_form_is_reported() {
    let each = |change: fn(&mut Tag)| {
        move |nbt: &mut Tag| nbt.child("sections").elements().iter_mut().for_each(change)
    };

    let entries = |nbt: &mut Tag| {
        for section in nbt.child("sections").elements() {
            for entry in section.child("block_states").child("palette").elements() {
                rename(entry, "Name", "block");
            }
        }
    };

    for (what, files) in [
        (
            "blocks under another name",
            world_with_changed_chunk(
                MODERN,
                each(|section| rename(section, "block_states", "cells")),
            ),
        ),
        (
            "a palette under another name",
            world_with_changed_chunk(
                MODERN,
                each(|section| rename(section.child("block_states"), "palette", "p")),
            ),
        ),
        (
            "sections under another name",
            world_with_changed_chunk(MODERN, |nbt| rename(nbt, "sections", "parts")),
        ),
        (
            "sections in longs",
            world_with_changed_chunk(MODERN, |nbt| nbt.set("sections", Tag::Longs(vec![1; 3]))),
        ),
        (
            "entries without a name",
            world_with_changed_chunk(MODERN, entries),
        ),
    ] {
        let (told_of, err) = told(&files, &[]);
        assert_eq!(
            told_of,
            serde_json::json!({"chunks": 1, "first": [3, 2]}),
            "{what}"
        );

        assert!(
            err.contains(
                "1 chunk not understood, with blocks or a status of an unknown form, first chunk \
                 3,2"
            ),
            "{what}: {err}"
        );

        assert_eq!(
            told(&files, &["--max-y", "100"]).0,
            serde_json::Value::Null,
            "{what}: limits may explain it"
        );
    }
}

#[test]
fn a_newer_chunk_without_a_status_is_unfinished() {
    let without_status =
        |version| world_with_changed_chunk(Generation::Root(version), |nbt| nbt.remove("status"));

    for options in [&[][..], &["--max-y", "100"]] {
        let (told_of, err) = told(&without_status(9000), options);
        assert_eq!(
            told_of,
            serde_json::json!({"chunks": 1, "first": [3, 2]}),
            "{options:?}"
        );
        assert_eq!(err.matches("not understood").count(), 1, "{err}");
        assert!(err.contains("1 unfinished chunk left out"), "{err}");
    }

    let (told_of, err) = told(&without_status(5126), &[]);
    assert_eq!(
        told_of,
        serde_json::Value::Null,
        "tools leave it out, and the form of this version is known"
    );
    assert!(!err.contains("unfinished"), "{err}");
}

#[test]
fn an_expectedly_empty_dimension_raises_no_alarm() {
    let generations = [
        Generation::NumericV,
        Generation::Numeric(1343),
        Generation::Spanning(1631),
        Generation::Aligned(2586),
        Generation::LevelStates(2836),
        MODERN,
    ];

    for generation in generations {
        let mut void = ChunkSpec::new(1, 0, generation);
        void.all_sections = true;
        let mut bare = ChunkSpec::new(2, 0, generation);
        bare.sections.clear();
        let mut island = ChunkSpec::new(3, 0, generation);
        island.set(7, 64, 7, block::STONE);

        let mut lit = stone(4, 0, generation).nbt();
        let (level, sections) = if generation == MODERN {
            (&mut lit, "sections")
        } else {
            (lit.child("Level"), "Sections")
        };

        let light = [
            ("Y", Tag::Byte(9)),
            ("SkyLight", Tag::Bytes(vec![255; 2048])),
            ("BlockLight", Tag::Bytes(vec![0; 2048])),
        ];
        *level.child(sections).elements() = vec![Tag::compound(light)];

        let mut region = RegionSpec::new(0, 0);
        for chunk in [stone(0, 0, generation), void, bare, island] {
            region.put(&chunk);
        }

        region.put_record(4, 0, Record::zlib(&lit));
        let files = Files::of_regions([region]);
        assert_eq!(
            told(&files, &[]).0,
            serde_json::Value::Null,
            "{generation:?}"
        );
    }

    let alone = land::of_chunks(
        &[ChunkSpec::new(0, 0, Generation::McRegion)],
        Generation::McRegion,
    );
    assert_eq!(told(&alone, &[]).0, serde_json::Value::Null);
}
