//! What of the last render stays where a chunk cannot be read: its pixels.

use super::render::{Render, Worker};
use crate::coord::{CHUNK_SIDE, RegionPos, Slot, TILE_SIDE};
use crate::record::region_of;
use crate::tile::{Pixels, decode};

impl Render<'_> {
    /// Puts the pixels of the last render with the same options, if there was one, where these chunks should be.
    pub(super) fn keep_pixels(&self, worker: &mut Worker<'_>, dimension: usize, region: RegionPos, bad: &[Slot]) {
        if bad.is_empty() {
            return;
        }
        let Some(last) = self.last_pixels(dimension, region) else { return };
        for slot in bad {
            let corner = slot.z() * CHUNK_SIDE * TILE_SIDE + slot.x() * CHUNK_SIDE;
            for start in (0..CHUNK_SIDE).map(|z| corner + z * TILE_SIDE) {
                let row = start..start + CHUNK_SIDE;
                worker.pixels[row.clone()].copy_from_slice(&last[row]);
            }
        }
    }

    fn last_pixels(&self, dimension: usize, region: RegionPos) -> Option<Pixels> {
        let known = self.known.journal.find(dimension, region.tile())?;
        let tile = region_of(&known.says)?.tile?;
        if !self.stands(dimension, region.tile(), Some(tile), known.sure) {
            return None;
        }
        let png = self.output.read(&self.tile_path(dimension, region.tile())).ok()?;
        decode(&png).ok()
    }
}
