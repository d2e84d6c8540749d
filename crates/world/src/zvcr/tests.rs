//! Tests the reader of containers on bytes that are written here by hand.

use std::ops::Range;

use super::container::{Content, MAX_KEPT, WantedChunks};
use super::header::Header;
use super::stream::{MAX_INFLATED, Stream};
use super::{ChunkPass, PlainChunk, read_container};
use crate::bytes::Defect;
use pixelmap_base::coord::{REGION_CHUNKS, REGION_SLOTS, RegionPos, Slot, SlotSet};

const HEADER: &[u8] = b"zvcr3d\x07\x00\x01\x03";

/// A container with chunks of stone in the first `chunks` slots of the file.
fn container(chunks: usize) -> Vec<u8> {
    // One palette of air and stone, and no palette of biomes.
    let mut bytes = [&[1, 0, 0, 0, 2, 0, 0, 0, 1, 0][..], &[0; 4]].concat();
    for slot in 0..REGION_SLOTS {
        bytes.push((slot < chunks).into());
        if slot >= chunks {
            continue;
        }

        for section in 0..24 {
            // A state of stone, one of cells, and none above.
            let states: u64 = (section < 2).into();
            bytes.extend(states.to_le_bytes());
            match section {
                0 => {
                    bytes.extend(1000_u64.to_le_bytes());
                    bytes.extend([0, 1, 0]);
                }
                1 => {
                    bytes.extend(1000_u64.to_le_bytes());
                    bytes.push(1);
                    bytes.extend(256_u64.to_le_bytes());
                    bytes.extend([0x10; 2048]);
                    bytes.extend(0_u32.to_le_bytes());
                }
                _ => {}
            }
        }
        bytes.extend([0; 24 * 8]);
        bytes.extend([0; 16]);
    }
    bytes
}

fn pass(bytes: &[u8]) -> ChunkPass<'_> {
    let header = Header::parse(HEADER).unwrap();
    ChunkPass::start(Ok(Box::new(bytes)), header, None, RegionPos { x: 0, z: 0 })
}

fn chunks(bytes: &[u8]) -> Vec<(Slot, PlainChunk)> {
    read_container(HEADER, bytes, None).unwrap()
}

#[test]
fn a_cut_container_keeps_its_first_chunks() {
    let whole = container(2);
    assert_eq!(chunks(&whole).len(), 2);

    for len in 0..whole.len() {
        let read = chunks(&whole[..len]);
        let (sound, lost): (Vec<_>, Vec<_>) = read.into_iter().partition(|(_, read)| read.is_ok());
        assert!(sound.len() <= 2 && !lost.is_empty(), "{len}");
        for (_, damage) in lost {
            let damage = damage.unwrap_err();
            assert_eq!(damage.defect, Defect::CutShort, "{len}");
            assert_eq!(damage.at, len as u64);
        }
    }
}

#[test]
fn impossible_numbers_name_their_place() {
    let whole = container(1);
    // The number of palettes, the form of the slot, and the number of states of the first section.
    for (at, byte) in [(3, 0xff), (14, 2), (22, 1)] {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        let read = chunks(&bytes);
        assert_eq!(read.len(), REGION_SLOTS, "{at}");
        let damage = read[0].1.clone().unwrap_err();
        assert_eq!(damage.defect, Defect::Structure);
        assert!(damage.at <= at as u64, "{at}: {damage}");
    }
}

#[test]
fn a_missing_palette_costs_one_chunk() {
    let mut bytes = container(2);
    let palette = 14 + 1 + 19 + 8 + 8 + 1 + 8 + 2048;
    bytes[palette] = 7;
    let read = chunks(&bytes);
    assert_eq!(read.len(), 2);
    assert!(read[0].1.is_err() && read[1].1.is_ok());
}

#[test]
fn chunks_beyond_the_bound_are_not_kept() {
    let bytes = container(REGION_SLOTS);
    let read = |rows: Range<usize>, most_bytes| {
        let wanted = WantedChunks {
            border_only: false,
            rows,
            most_bytes,
        };
        Content::read(pass(&bytes), wanted)
    };

    let all = read(0..REGION_CHUNKS, MAX_KEPT);
    assert!(all.kept.is_in_all_rows());
    let some = read(0..REGION_CHUNKS, all.bytes / 3);
    assert_eq!(some.kept.rows, 0..8);
    assert!(some.bytes <= all.bytes / 3);
    let rest = read(8..REGION_CHUNKS, 1);
    assert_eq!(rest.kept.rows, 8..9);

    for slot in [Slot::at(0, 0), Slot::at(31, 7)] {
        assert!(some.stored.has(slot) && matches!(some.chunk(slot), Some(Ok(_))));
    }
    assert!(some.stored.has(Slot::at(0, 8)) && some.chunk(Slot::at(0, 8)).is_none());
    assert!(matches!(rest.chunk(Slot::at(31, 8)), Some(Ok(_))));
}

#[test]
fn a_pass_ends_after_the_last_wanted_chunk() {
    let whole = container(2);
    let first = whole.len() - (REGION_SLOTS - 2) - 2400;
    let mut wanted = SlotSet::NONE;
    wanted.insert(Slot::at(0, 0));

    let mut pass = pass(&whole[..first]);
    assert_eq!(pass.advance(&wanted), Some(Slot::at(0, 0)));
    assert!(pass.chunk().is_ok(), "the cut is in the second chunk");
    assert_eq!(pass.advance(&wanted), None);
    assert_eq!(pass.advance(&SlotSet::ALL), Some(Slot::at(0, 1)));
    assert!(pass.chunk().is_err());
}

#[test]
fn more_than_one_gibibyte_is_refused() {
    let mut stream = Stream::new(std::io::repeat(0));
    stream.skip(MAX_INFLATED).unwrap();
    let damage = stream.skip(1 << 20).unwrap_err();
    assert_eq!(damage.defect, Defect::TooLarge);
    assert!(damage.at >= MAX_INFLATED);
}
