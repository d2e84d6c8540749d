//! Writes a world for other benches: copies of a Bedrock world side by side, to measure costs that
//! grow with a world.
//!
//! `cargo bench --bench bedrock_copies -- WORLD FOLDER [COUNT]` writes COUNT copies (10 by default)
//! one after another to the east, with one region between two copies. Copies only chunks, and only
//! the newest version of each key.
//!
//! With `dense` instead of COUNT it fills 3 by 2 regions with squares of 4 by 4 chunks of the
//! overworld, so that each tile is full, as in the middle of a world that people have used for long.
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

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[path = "../tests/missing/mod.rs"]
mod missing;
#[path = "../tests/slow_reader/mod.rs"]
mod slow_reader;
#[path = "../tests/world/mod.rs"]
mod world;

use slow_reader::bedrock::{BedrockWorld, Database as Source};
use world::bedrock::database::Changes;
use world::bedrock::{Compression, Database, level_dat};
use world::files::Files;

/// Sizes of a table and of a block of it, in uncompressed bytes, as the game chooses them.
const TABLE: usize = 16 << 20;
const BLOCK: usize = 160 << 10;
/// Chunks along each side of a region.
const REGION: i32 = 32;
/// The length of the key of a section in the overworld.
const SECTION_KEY: usize = 10;

/// Chunks along each side of the squares that `dense` copies. Within a square the land is natural.
const SQUARE: i32 = 4;
/// Regions along each side of a dense world: from west to east, and from north to south.
const DENSE: [i32; 2] = [3, 2];

fn main() {
    let words: Vec<_> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let [from, folder, rest @ ..] = words.as_slice() else {
        return;
    };

    let source = BedrockWorld::open(Path::new(from)).unwrap().database;
    let changes = match rest.first().map(String::as_str) {
        Some("dense") => dense(&source),
        count => copies(&source, count.map_or(10, |count| count.parse().unwrap())),
    };
    write(changes, Path::new(folder));
}

/// Returns the entries of the chunks of copies side by side.
fn copies(source: &Source, count: i32) -> Changes {
    let keys: Vec<&[u8]> = source.keys().filter(|key| is_of_chunk(key)).collect();
    let columns: BTreeSet<i32> = keys.iter().map(|key| x(key).div_euclid(REGION)).collect();
    let width = (columns.last().unwrap() - columns.first().unwrap() + 2) * REGION;

    let mut changes = Changes::new();
    for copy in 0..count {
        for &key in &keys {
            let shifted = [&(x(key) + copy * width).to_le_bytes(), &key[4..]].concat();
            changes.insert(shifted, source.value(key).map(<[u8]>::to_vec));
        }
    }

    changes
}

/// Returns the entries of a world whose regions are full of the squares of the overworld in which
/// every chunk has blocks. If there are too few squares, they are repeated.
fn dense(source: &Source) -> Changes {
    let mut chunks: BTreeMap<[i32; 2], Vec<&[u8]>> = BTreeMap::new();
    for key in source.keys().filter(|key| is_of_overworld(key)) {
        chunks.entry([x(key), z(key)]).or_default().push(key);
    }
    chunks.retain(|_, keys| keys.iter().any(|key| key.len() == SECTION_KEY));

    let is_whole = |corner: &[i32; 2]| square(*corner).all(|chunk| chunks.contains_key(&chunk));
    let corners: Vec<[i32; 2]> = chunks
        .keys()
        .filter(|chunk| chunk.iter().all(|at| at % SQUARE == 0) && is_whole(chunk))
        .copied()
        .collect();

    let mut changes = Changes::new();
    let [width, height] = DENSE.map(|regions| regions * REGION / SQUARE);
    for (number, &corner) in (0..width * height).zip(corners.iter().cycle()) {
        let to = [number % width * SQUARE, number / width * SQUARE];
        for (from, to) in square(corner).zip(square(to)) {
            for key in &chunks[&from] {
                let moved = [&to[0].to_le_bytes(), &to[1].to_le_bytes(), &key[8..]].concat();
                changes.insert(moved, source.value(key).map(<[u8]>::to_vec));
            }
        }
    }

    changes
}

/// Returns the chunks of the square with this corner.
fn square([x, z]: [i32; 2]) -> impl Iterator<Item = [i32; 2]> {
    (0..SQUARE * SQUARE).map(move |number| [x + number % SQUARE, z + number / SQUARE])
}

/// Returns whether a key belongs to a chunk. The first letters of a text are a position that no chunk
/// has.
fn is_of_chunk(key: &[u8]) -> bool {
    let is_near = |at: i32| at.unsigned_abs() < 1 << 21;
    matches!(key.len(), 9 | 10 | 13 | 14) && is_near(x(key)) && is_near(z(key))
}

/// Returns whether a key belongs to a chunk of the overworld: its keys lack the number of a dimension.
fn is_of_overworld(key: &[u8]) -> bool {
    matches!(key.len(), 9 | SECTION_KEY)
}

/// Writes a world with these entries.
fn write(changes: Changes, folder: &Path) {
    let (mut database, mut files) = (Database::new(4), Files::default());
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
    files.write_under(folder);
}

/// Returns the x of the chunk of a key.
fn x(key: &[u8]) -> i32 {
    i32::from_le_bytes(*key.first_chunk().unwrap())
}

/// Returns the z of the chunk of a key.
fn z(key: &[u8]) -> i32 {
    x(&key[4..])
}
