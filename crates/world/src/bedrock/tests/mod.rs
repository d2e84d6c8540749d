//! Tests of the database: undamaged and damaged ones, and databases that change while they are
//! read.

mod changing;
mod damaged;
mod early;
mod known_tables;
#[path = "../../../../../tests/missing/mod.rs"]
mod missing;
mod test_database;
mod whole;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::{BedrockRegion, Database, OpenError};
use crate::bytes::{Defect, Fault, Form, Inflater, NO_RECORD, UNKNOWN_LOWEST};
use pixelmap_base::coord::{ChunkPos, RegionPos, Slot};
use pixelmap_base::files::Files;
use test_database::{Compression, Entry, TestDatabase};

const VERSION: u8 = 44;
const SECTION: u8 = 47;

/// Returns the key of a chunk value.
fn key(dimension: i32, x: i32, z: i32, tag: &[u8]) -> Vec<u8> {
    let dimension = if dimension == 0 {
        Vec::new()
    } else {
        dimension.to_le_bytes().to_vec()
    };
    [&x.to_le_bytes()[..], &z.to_le_bytes(), &dimension, tag].concat()
}

/// Returns an entry that stores `value`, or deletes its key if there is none.
fn entry<'a>(key: Vec<u8>, sequence: u64, value: impl Into<Option<&'a str>>) -> Entry {
    Entry {
        key,
        sequence,
        value: value.into().map(|value| value.as_bytes().to_vec()),
    }
}

/// Returns the entries of a row of chunks: a version, and two sections of `bytes` bytes each.
fn row(dimension: i32, x: std::ops::Range<i32>, bytes: usize) -> Vec<Entry> {
    let value = |tag: &[u8], x: i32| {
        if tag == [VERSION] {
            vec![40]
        } else {
            vec![x as u8; bytes]
        }
    };

    let tags = [&[VERSION][..], &[SECTION, 0], &[SECTION, 0xff]];
    let keys = x.flat_map(|x| tags.map(|tag| (key(dimension, x, 0, tag), Some(value(tag, x)))));
    keys.zip(1..)
        .map(|((key, value), sequence)| Entry {
            key,
            sequence,
            value,
        })
        .collect()
}

fn open(folder: &Path) -> Result<Arc<Database>, OpenError> {
    Database::open(&Files::Disk, folder, &[], 0)
}

/// The values of a chunk by tag and section.
type Values = BTreeMap<(u8, i8), Vec<u8>>;

/// Reads all chunks, by dimension and position. Gives the fault of each chunk that cannot be read.
fn chunks(database: &Arc<Database>) -> BTreeMap<(i32, i32, i32), Result<Values, Fault>> {
    let mut chunks = BTreeMap::new();
    let mut inflater = Inflater::default();
    for (dimension, own) in database.dimensions() {
        for summary in own.regions() {
            let mut region = BedrockRegion::open(database.clone(), *dimension, summary.region);
            let before = chunks.len();

            for slot in Slot::all() {
                let ChunkPos { x, z } = summary.region.chunk(slot);
                let hash = region.hash(slot, &mut inflater).hash;
                let Some(record) = region.read(slot, &mut inflater) else {
                    assert!(!region.has(slot) && hash == NO_RECORD);
                    continue;
                };

                assert_eq!((record.stored.hash, record.form), (hash, Form::Values));
                chunks.insert(
                    (*dimension, x, z),
                    record.plain.map(|plain| values(&plain, *dimension)),
                );
            }

            assert_eq!(chunks.len() - before, summary.chunks as usize);
        }
    }

    chunks
}

fn values(plain: &[u8], dimension: i32) -> Values {
    let lowest = match dimension {
        0 => -4,
        1 | 2 => 0,
        _ => UNKNOWN_LOWEST,
    };
    assert_eq!(plain[0] as i8, lowest);

    let (mut rest, mut values) = (&plain[1..], Values::new());
    while let Some((&[tag, section, a, b, c, d], behind)) = rest.split_first_chunk() {
        let (value, behind) = behind.split_at(u32::from_le_bytes([a, b, c, d]) as usize);
        values.insert((tag, section as i8), value.to_vec());
        rest = behind;
    }

    assert!(rest.is_empty());
    values
}
