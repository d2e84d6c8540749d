//! Readers of Bedrock Edition.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::{decompress_to_vec, decompress_to_vec_zlib};
use pixelmap_world::World;
use rusty_leveldb::{Compressor, CompressorList, DB, LdbIterator, Options, Status, StatusCode};

use crate::{Failure, Reading};

/// `rusty-leveldb` reads only keys and values, and does not look for chunks in them.
pub(crate) const READINGS: &[Reading] = &[
    Reading {
        name: "pixelmap-world, open chunks",
        read: open,
    },
    Reading {
        name: "rusty-leveldb, keys and values",
        read: leveldb_values,
    },
];

/// Chunks of all dimensions.
fn open(world: &Path) -> Result<u64, Failure> {
    let world = World::open(world)?;
    let mut count = 0;
    for dimension in world.dimensions() {
        for chunk in dimension.chunks() {
            chunk?;
            count += 1;
        }
    }

    Ok(count)
}

/// Keys. The database is a copy, because `rusty-leveldb` writes to each database that it opens.
fn leveldb_values(world: &Path) -> Result<u64, Failure> {
    let copy = tempfile::tempdir()?;
    for file in fs::read_dir(world.join("db"))? {
        let file = file?;
        fs::copy(file.path(), copy.path().join(file.file_name()))?;
    }

    let mut compressors = CompressorList::new();
    compressors.set_with_id(0, rusty_leveldb::compressor::NoneCompressor);
    compressors.set_with_id(2, Deflate { header: true });
    compressors.set_with_id(4, Deflate { header: false });
    let options = Options {
        create_if_missing: false,
        compressor: 4,
        compressor_list: Rc::new(compressors),
        ..Options::default()
    };

    let mut database = DB::open(copy.path(), options)?;
    let mut entries = database.new_iter()?;
    let mut count = 0;
    while entries.next().is_some() {
        count += 1;
    }

    Ok(count)
}

/// Deflate as Bedrock uses it: with the header of zlib (number 2), or without it (number 4).
struct Deflate {
    header: bool,
}

impl Compressor for Deflate {
    fn encode(&self, block: Vec<u8>) -> rusty_leveldb::Result<Vec<u8>> {
        Ok(compress_to_vec(&block, 1))
    }

    fn decode(&self, block: Vec<u8>) -> rusty_leveldb::Result<Vec<u8>> {
        let plain = if self.header {
            decompress_to_vec_zlib(&block)
        } else {
            decompress_to_vec(&block)
        };

        plain.map_err(|error| Status::new(StatusCode::CompressionError, &error.to_string()))
    }
}
