//! Two manifests side by side.

use std::collections::BTreeSet;

use crate::atlas::{Manifest, TileRecord};
use crate::base::coord::TilePos;

/// A tile that one of two manifests names, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) tile: TilePos,
    pub(super) a: Option<TileRecord>,
    pub(super) b: Option<TileRecord>,
}

impl Pair {
    /// Returns whether the pixels are the same.
    pub(super) fn same_pixels(&self) -> bool {
        self.a.map(|record| record.pixels) == self.b.map(|record| record.pixels)
    }
}

/// The tiles of two manifests, in order.
pub(super) fn joined(a: &Manifest, b: &Manifest) -> impl Iterator<Item = Pair> {
    let tiles: BTreeSet<TilePos> = a.tiles.keys().chain(b.tiles.keys()).copied().collect();
    let record = |of: &Manifest, tile: TilePos| of.tiles.get(&tile).copied();
    tiles.into_iter().map(move |tile| Pair { tile, a: record(a, tile), b: record(b, tile) })
}
