//! What of the last render stays where a chunk cannot be read: its pixels.

use super::render::{Render, Worker};
use crate::coord::{CHUNK_SIDE, RegionPos, Slot, TILE_SIDE};
use crate::record::region_of;
use crate::tile::{Canvas, decode};

impl Render<'_> {
    /// Puts the pixels of the last render with the same options, if there was one, where these chunks should be.
    pub(super) fn keep_pixels(&self, worker: &mut Worker<'_>, dimension: usize, region: RegionPos, bad: &[Slot]) {
        if bad.is_empty() {
            return;
        }
        let Some(last) = self.last_pixels(dimension, region) else { return };
        for slot in bad {
            let columns = slot.x() * CHUNK_SIDE..(slot.x() + 1) * CHUNK_SIDE;
            let band = worker.canvas.band_mut(slot.z());
            for (row, to) in band.chunks_exact_mut(TILE_SIDE).enumerate() {
                let from = &last.pixels()[(slot.z() * CHUNK_SIDE + row) * TILE_SIDE..][..TILE_SIDE];
                to[columns.clone()].copy_from_slice(&from[columns.clone()]);
            }
        }
    }

    fn last_pixels(&self, dimension: usize, region: RegionPos) -> Option<Canvas> {
        let known = self.known.journal.find(dimension, region.tile())?;
        let tile = region_of(&known.says)?.tile?;
        if !self.stands(dimension, region.tile(), Some(tile), known.sure) {
            return None;
        }
        let png = self.output.read(&self.tile_path(dimension, region.tile())).ok()?;
        decode(&png).ok()
    }
}
