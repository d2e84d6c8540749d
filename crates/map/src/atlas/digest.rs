//! The digest of a map: a hash of its dimensions, layers, tiles and pixels. File bytes are not
//! hashed, so another encoder produces other files of the same pixels but the same digest.

use std::collections::BTreeMap;
use std::hash::Hasher as _;

use twox_hash::XxHash3_64;

use super::manifest::TileRecord;
use pixelmap_base::coord::TilePos;

/// A digest that layers are still added to.
#[expect(missing_debug_implementations, reason = "the hash within has none")]
pub struct Digest(XxHash3_64);

impl Default for Digest {
    fn default() -> Self {
        Self(XxHash3_64::with_seed(0))
    }
}

impl Digest {
    /// Adds a layer of a dimension. Callers add layers sorted by the ids of dimension and layer,
    /// because the order affects the digest.
    pub fn add(&mut self, dimension: &str, layer: &str, tiles: &BTreeMap<TilePos, TileRecord>) {
        for (TilePos { zoom, x, y }, record) in tiles {
            let line = format!(
                "{dimension}\t{layer}\t{zoom}\t{x}\t{y}\t{:016x}\n",
                record.pixels
            );
            self.0.write(line.as_bytes());
        }
    }

    /// Returns the digest of all added layers, as 16 hex digits.
    pub fn text(&self) -> String {
        format!("{:016x}", self.0.finish())
    }
}
