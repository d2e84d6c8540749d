//! Writes a world for other benches: copies of a Bedrock world side by side, to measure costs that
//! grow with a world.
//!
//! `cargo bench --bench bedrock_copies -- WORLD FOLDER [COUNT]` writes COUNT copies (10 by default)
//! one after another to the east, with one region between two copies. Copies only chunks, and only
//! the newest version of each key.
#![allow(
    clippy::disallowed_methods,
    reason = "a bench fails if a file is missing"
)]
#![allow(clippy::unwrap_used, reason = "a benchmark may stop")]
#![allow(
    dead_code,
    unused_imports,
    reason = "the writer and the reader of the tests can do more"
)]

use std::collections::BTreeSet;
use std::path::Path;

#[path = "../tests/missing/mod.rs"]
mod missing;
#[path = "../tests/slow_reader/mod.rs"]
mod slow_reader;
#[path = "../tests/world/mod.rs"]
mod world;

use slow_reader::bedrock::BedrockWorld;
use world::bedrock::database::Changes;
use world::bedrock::{Compression, Database, level_dat};
use world::files::Files;

/// Sizes of a table and of a block of it, in uncompressed bytes, as the game chooses them.
const TABLE: usize = 16 << 20;
const BLOCK: usize = 160 << 10;
/// Chunks along each side of a region.
const REGION: i32 = 32;

fn main() {
    let words: Vec<_> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let [from, folder, rest @ ..] = words.as_slice() else {
        return;
    };

    let count: i32 = rest.first().map_or(10, |count| count.parse().unwrap());
    let source = BedrockWorld::open(Path::new(from)).unwrap().database;
    let mut changes = Changes::new();
    let columns: BTreeSet<i32> = source.keys().map(|key| x(key).div_euclid(REGION)).collect();
    let width = (columns.last().unwrap() - columns.first().unwrap() + 2) * REGION;
    let (mut database, mut files) = (Database::new(4), Files::default());

    for copy in 0..count {
        for key in source.keys() {
            let shifted = [&(x(key) + copy * width).to_le_bytes(), &key[4..]].concat();
            changes.insert(shifted, source.value(key).map(<[u8]>::to_vec));
        }
    }

    let (mut table, mut bytes) = (Changes::new(), 0);
    for (key, value) in changes {
        bytes += key.len() + value.as_ref().map_or(0, Vec::len);
        table.insert(key, value);
        if bytes > TABLE {
            database.table(1, Compression::Deflate, BLOCK, &table);
            (table, bytes) = (Changes::new(), 0);
        }
    }

    if !table.is_empty() {
        database.table(1, Compression::Deflate, BLOCK, &table);
    }

    database.put_files(&mut files);
    files.put(
        "level.dat",
        level_dat::bytes("copies", &[1, 26, 12, 2, 0], &[]),
    );
    files.write_under(Path::new(folder));
}

/// Returns the x of the chunk of a key.
fn x(key: &[u8]) -> i32 {
    i32::from_le_bytes(*key.first_chunk().unwrap())
}
