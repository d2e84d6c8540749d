//! Tests of chunks that are read while their blocks are listed.

use std::sync::Mutex;

use super::*;
use crate::bedrock::{ChunkExtent, EarlyChunk, EarlyReaders, OpenedDatabase};

/// The early chunks of a database: the extent of each, and its values.
#[derive(Default)]
struct Collected(Mutex<Vec<(ChunkExtent, Values)>>);

impl EarlyReaders for Collected {
    fn reader(&self) -> Box<dyn FnMut(EarlyChunk<'_>) + '_> {
        let mut inflater = Inflater::default();
        Box::new(move |chunk| {
            let extent = chunk.extent();
            let record = chunk.record(&mut inflater);
            let values = values(&record.plain.unwrap(), extent.dimension());
            self.0.lock().unwrap().push((extent, values));
        })
    }
}

/// Lists a database. Returns the positions of the early chunks that count, and the number of others.
/// Checks that the early chunks have the values of the listed ones.
fn early_chunks(written: &TestDatabase, threads: usize) -> (Vec<(i32, i32, i32)>, usize) {
    let collected = Collected::default();
    let opened = OpenedDatabase::open(&Files::Disk, written.world(), &[]).unwrap();
    let database = Database::list(opened, threads, Some(&collected)).unwrap();
    let listed = chunks(&database);

    let (mut counted, mut others) = (Vec::new(), 0);
    for (extent, values) in collected.0.into_inner().unwrap() {
        let ChunkPos { x, z } = extent.chunk();
        let region = extent.chunk().region();
        let region = BedrockRegion::open(database.clone(), extent.dimension(), region);
        if region.extent(extent.chunk().slot()) != Some(extent) {
            others += 1;
            continue;
        }

        let position = (extent.dimension(), x, z);
        assert_eq!(Ok(&values), listed[&position].as_ref(), "{position:?}");
        counted.push(position);
    }

    counted.sort_unstable();
    (counted, others)
}

fn positions(dimension: i32, x: std::ops::Range<i32>) -> Vec<(i32, i32, i32)> {
    x.map(|x| (dimension, x, 0)).collect()
}

#[test]
fn early_chunks_have_the_listed_values() {
    // With the least size a block has one entry, so each chunk is in three blocks.
    for block_size in [1, 300, 1 << 20] {
        let mut written = TestDatabase::new();
        let entries = [row(0, 0..20, 70), row(1, 0..20, 70), row(2, 30..40, 70)].concat();
        written.add_table(5, entries, Compression::Zlib, block_size);

        let expected = [
            positions(0, 0..20),
            positions(1, 0..20),
            positions(2, 30..40),
        ];
        let (counted, others) = early_chunks(&written, 1);
        if block_size == 1 {
            // A thread lists 32 blocks at once, so 3 of 50 chunks are found in two parts.
            assert_eq!((counted.len(), others), (47, 6));
        } else {
            assert_eq!((counted, others), (expected.concat(), 0), "{block_size}");
        }
    }
}

#[test]
fn chunks_with_parts_elsewhere_are_not_early() {
    let mut written = TestDatabase::new();
    written.add_table(5, row(0, 0..8, 40), Compression::Zlib, 1 << 20);
    written.add_table(6, row(0, 2..4, 30), Compression::Zlib, 1 << 20);
    written.put_log(&[vec![entry(key(0, 6, 0, &[SECTION, 0]), 99, "newer")]]);

    let (counted, others) = early_chunks(&written, 2);
    let expected = [positions(0, 0..2), positions(0, 4..6), positions(0, 7..8)].concat();
    assert_eq!((counted, others), (expected, 4));
}

#[test]
fn only_the_games_own_dimensions_are_early() {
    let mut written = TestDatabase::new();
    let entries = [row(0, 0..2, 9), row(3, 0..2, 9)].concat();
    written.add_table(5, entries, Compression::Zlib, 1 << 20);
    assert_eq!(early_chunks(&written, 1), (positions(0, 0..2), 0));
}

#[test]
fn long_chunks_are_left_to_their_regions() {
    let mut written = TestDatabase::new();
    let entries = [row(0, 0..1, 300 << 10), row(0, 1..2, 9)].concat();
    written.add_table(5, entries, Compression::Zlib, 1 << 20);
    assert_eq!(early_chunks(&written, 1), (positions(0, 1..2), 0));
}

#[test]
fn chunks_after_damage_are_whole_or_not_early() {
    let mut written = TestDatabase::new();
    let blocks = written.add_table(5, row(0, 0..9, 40), Compression::Zlib, 150);
    let mut bytes = written.read("000005.ldb");
    bytes[blocks[1].offset + 4] ^= 0xff;
    written.put("000005.ldb", &bytes);

    let (counted, _) = early_chunks(&written, 1);
    assert!((1..9).contains(&counted.len()), "{counted:?}");
}
