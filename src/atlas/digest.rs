//! The digest of what a map shows: a hash of dimensions, layers, tiles and their pixels, and of nothing else. Another
//! encoder makes other files of the same pixels, and the digest stays.

use std::collections::BTreeMap;
use std::hash::Hasher as _;

use twox_hash::XxHash3_64;

use super::TileRecord;
use crate::base::coord::TilePos;

/// A digest that is being made.
#[expect(missing_debug_implementations, reason = "the hash within has none")]
pub struct Digest(XxHash3_64);

impl Default for Digest {
    fn default() -> Self {
        Self(XxHash3_64::with_seed(0))
    }
}

impl Digest {
    /// Adds a layer of a dimension; layers are added in the order of their dimensions' ids and their own.
    pub fn add(&mut self, dimension: &str, layer: &str, tiles: &BTreeMap<TilePos, TileRecord>) {
        for (TilePos { zoom, x, y }, record) in tiles {
            let line = format!("{dimension}\t{layer}\t{zoom}\t{x}\t{y}\t{:016x}\n", record.pixels);
            self.0.write(line.as_bytes());
        }
    }

    /// The digest of what was added, in 16 hex digits.
    pub fn text(&self) -> String {
        format!("{:016x}", self.0.finish())
    }
}
