//! Tests the facts of regions in the journal: they are recorded once for all layers, and a region
//! whose facts are lost or replaced is drawn again.

use std::fs;

use twox_hash::XxHash3_64;

use super::{again, edit, regions, unchanged_world, world_but};
use crate::map::{Map, Place, render};
use crate::world::{Block, ChunkSpec, Generation, Record};

/// The bytes of the first line of a journal.
const LINE: usize = 19;
const THREE_LAYERS: [&str; 6] = ["-l", "day", "-l", "night", "-l", "height"];

/// Returns the entries of a journal, each with its length and checksum.
fn entries(journal: &[u8]) -> Vec<&[u8]> {
    let mut entries = Vec::new();
    let mut rest = &journal[LINE..];
    while let Some(len) = rest.first_chunk() {
        let (entry, after) = rest.split_at(12 + u32::from_le_bytes(*len) as usize);
        entries.push(entry);
        rest = after;
    }

    entries
}

/// Returns whether an entry has the facts of a region.
fn is_facts(entry: &[u8]) -> bool {
    entry[14..22] == XxHash3_64::oneshot(b"overworld/day/regions").to_le_bytes()
}

/// Returns whether an entry has the facts of the region at `x`, `z`.
fn is_facts_of(entry: &[u8], x: i32, z: i32) -> bool {
    is_facts(entry) && entry[30..34] == x.to_le_bytes() && entry[34..38] == z.to_le_bytes()
}

/// Returns the facts of the region at `x`, `z`.
fn facts_of(journal: &[u8], x: i32, z: i32) -> Vec<u8> {
    let entries = entries(journal);
    let found = entries.iter().find(|entry| is_facts_of(entry, x, z));
    found.expect("the region has facts").to_vec()
}

fn journal(map: &Map) -> Vec<u8> {
    fs::read(map.root.join(".pixelmap/journal")).unwrap()
}

fn put_journal(map: &Map, entries: &[&[u8]]) {
    let bytes = [&journal(map)[..LINE], &entries.concat()].concat();
    fs::write(map.root.join(".pixelmap/journal"), bytes).unwrap();
}

#[test]
fn layers_share_the_facts_of_their_region() {
    let mut odd = ChunkSpec::new(15, 15, Generation::Root(3955));
    odd.layer(0, 3, Block::named("mod:purple_ore"));
    let place = Place::of(&world_but(|x, z| {
        ((x, z) == (15, 15)).then(|| Some(Record::zlib(&odd.nbt())))
    }));

    let one = journal(&place.draw("one", &[]));
    let three = journal(&place.draw("three", &THREE_LAYERS));
    for journal in [&one, &three] {
        let facts = entries(journal).into_iter().filter(|entry| is_facts(entry));
        assert_eq!(facts.count(), 9);

        let name = b"mod:purple_ore";
        let named = journal.windows(name.len()).filter(|part| part == name);
        assert_eq!(named.count(), 1);
    }

    // A tile needs its key, its place and its file. The facts of a region need more than that.
    let tiles = 2 * 13;
    let bytes = (three.len() - one.len()) / tiles;
    assert!(bytes < 100, "{bytes} bytes per tile of another layer");
}

#[test]
fn lost_or_replaced_facts_redraw_their_region() {
    let place = Place::of(&unchanged_world());
    let map = place.draw("map", &THREE_LAYERS);
    let whole = journal(&map);
    let others: Vec<_> = entries(&whole)
        .into_iter()
        .filter(|entry| !is_facts_of(entry, 1, 1))
        .collect();

    put_journal(&map, &others);
    again(&place, &THREE_LAYERS, 1, "lost");

    // The facts of another region, as the facts of this one.
    let mut replaced = facts_of(&whole, 0, 0);
    replaced[30..38].copy_from_slice(&[1_i32.to_le_bytes(), 1_i32.to_le_bytes()].concat());
    let check = XxHash3_64::oneshot(&replaced[12..]);
    replaced[4..12].copy_from_slice(&check.to_le_bytes());
    put_journal(&map, &[&others[..], &[&replaced]].concat());
    again(&place, &THREE_LAYERS, 1, "replaced");

    again(&place, &THREE_LAYERS, 0, "drawn again");
}

#[test]
fn facts_of_a_killed_run_keep_no_tile() {
    let place = Place::of(&unchanged_world());
    let map = place.draw("map", &[]);
    let before = journal(&map);
    edit(&place, 47, 47);

    // A run was killed after it recorded the region and before it drew the tile.
    let newer = facts_of(&journal(&place.draw("other", &[])), 1, 1);
    put_journal(&map, &[&entries(&before)[..], &[&newer]].concat());
    again(&place, &[], 1, "after the kill");
}

#[test]
fn fewer_layers_are_not_drawn_again() {
    let place = Place::of(&unchanged_world());
    place.draw("map", &THREE_LAYERS);
    for layers in [
        &["-l", "night", "-l", "height", "-l", "day"][..],
        &["-l", "day"],
        &["-l", "height", "-l", "day"],
        &THREE_LAYERS,
    ] {
        let report = render(&place.world(), &place.at("map"), layers)
            .expect(0, "drawn again")
            .report();
        assert_eq!(regions(&report), [0, 9], "{layers:?}");
    }
}
