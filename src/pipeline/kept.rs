//! What of the last render stays where a chunk cannot be read: its pixels.

use super::drawing::Worker;
use super::map::Map;
use super::sheet::Sheet;
use crate::coord::{CHUNK_SIDE, RegionPos, TILE_SIDE};
use crate::record::region_of;
use crate::tile::{Canvas, decode};

impl Map<'_> {
    /// Puts the pixels of the last render with the same options, if there was one, where the region's bad
    /// chunks should be.
    pub(super) fn keep_pixels(&self, worker: &mut Worker<'_>, sheet: Sheet, region: RegionPos) {
        if worker.bad.is_empty() {
            return;
        }
        let Some(last) = self.last_pixels(sheet, region) else { return };
        for slot in &worker.bad {
            let columns = slot.x() * CHUNK_SIDE..(slot.x() + 1) * CHUNK_SIDE;
            let band = worker.canvases[sheet.layer].band_mut(slot.z());
            for (row, to) in band.chunks_exact_mut(TILE_SIDE).enumerate() {
                let from = &last.pixels()[(slot.z() * CHUNK_SIDE + row) * TILE_SIDE..][..TILE_SIDE];
                to[columns.clone()].copy_from_slice(&from[columns.clone()]);
            }
        }
    }

    fn last_pixels(&self, sheet: Sheet, region: RegionPos) -> Option<Canvas> {
        let known = self.known.journal.find(self.drawing.sheets.number(sheet), region.tile())?;
        let tile = region_of(&known.says)?.tile?;
        if !self.stands(sheet, region.tile(), Some(tile), known.sure) {
            return None;
        }
        let png = self.output.read(&self.drawing.sheets.tile_path(sheet, region.tile())).ok()?;
        decode(&png).ok()
    }
}
