//! Tests the readers of map mods on bytes that are written here by hand.

use super::columns::{RegionColumns, State, Tile};
use super::xaero::read_stream;
use pixelmap_base::coord::Slot;

/// The head of a file of version 6.8, and its first group.
const START: [u8; 6] = [255, 0, 6, 0, 8, 0];

/// A chunk of sand. The first column writes the name of the block, and the others its number.
fn chunk() -> Vec<u8> {
    let word = |is_new: bool| (1 | 64 << 12 | u32::from(is_new) << 21).to_be_bytes();
    let entry = State::named("minecraft:sand", &[]).entry;
    let mut bytes = [&word(true)[..], &[10, 0, 0], &entry].concat();
    for _ in 1..256 {
        bytes.extend(word(false));
        bytes.extend([0; 4]);
    }
    bytes.extend([1, 127, 255, 255, 255, 32]);
    bytes
}

/// Reads a file, and returns for each chunk whether it is sound.
fn read(bytes: &[u8]) -> Vec<(Slot, bool)> {
    let read = read_stream(bytes).unwrap().into_iter();
    read.map(|(slot, chunk)| (slot, chunk.is_ok())).collect()
}

#[test]
fn a_cut_stream_keeps_its_first_chunks() {
    let absent = [255; 14 * 4];
    let bytes = [&START[..], &chunk(), &chunk(), &absent].concat();
    assert_eq!(
        read(&bytes),
        [(Slot::at(0, 0), true), (Slot::at(0, 1), true)]
    );

    for len in START.len()..bytes.len() {
        let read = read(&bytes[..len]);
        let sound = read.iter().filter(|(_, is_sound)| *is_sound).count();
        assert!(sound <= 2 && read.len() == 1024, "{len}");
    }
}

#[test]
fn the_first_of_two_equal_groups_counts() {
    let absent = [255; 15 * 4];
    let group = [&[0][..], &chunk(), &absent].concat();
    let mut bytes = [&START[..5], &group, &group].concat();
    assert_eq!(read(&bytes), [(Slot::at(0, 0), true)]);

    // A group outside of the region hides the places of all others.
    bytes.push(0x99);
    assert_eq!(read(&bytes).len(), 1024);
}

#[test]
fn names_beyond_the_bounds_are_damage() {
    let mut columns = RegionColumns::<Tile>::new(None);
    let stone = State::named("minecraft:stone", &[]);
    assert!((0..1 << 16).all(|_| columns.add_state(stone.clone()).is_some()));
    assert_eq!(columns.add_state(stone), None);
    assert!((0..1 << 16).all(|_| columns.add_biome(b"minecraft:plains").is_some()));
    assert_eq!(columns.add_biome(b"minecraft:plains"), None);

    let long = State::named(&"n".repeat(5000), &[]);
    assert_eq!(State::from_nbt(&long.entry), None);
}
