//! What of the last render stays where a chunk cannot be read: its pixels.

use super::drawing::Worker;
use super::map::Map;
use super::parents::Unread;
use super::sheet::Sheet;
use crate::coord::{CHUNK_SIDE, REGION_CHUNKS, RegionPos, Slot, TILE_SIDE};
use crate::hide::HiddenSlots;
use crate::record::region_of;
use crate::surface::REACH;
use crate::tile::Canvas;

impl Map<'_> {
    /// Puts the pixels of the last render with the same options, if there was one, where the region's bad
    /// chunks should be. A hidden chunk stays clear, and what lies within its reach: when that was drawn the chunk may
    /// have been seen, and have shaded or tinted it.
    ///
    /// # Errors
    /// They are there and cannot be read: the run ends, and the region stays as it was.
    pub(super) fn keep_pixels(&self, worker: &mut Worker<'_>, sheet: Sheet, region: RegionPos) -> Result<(), Unread> {
        if worker.bad.is_empty() {
            return Ok(());
        }
        let Some(last) = self.last_pixels(sheet, region)? else { return Ok(()) };
        let hidden = self.drawing.hidden_around(worker, region);
        for slot in &worker.bad {
            let near = near(&hidden, *slot);
            let west = slot.x() * CHUNK_SIDE;
            let band = worker.canvases[sheet.layer].band_mut(slot.z());
            for (z, to) in band.chunks_exact_mut(TILE_SIDE).enumerate() {
                let from = &last.pixels()[(slot.z() * CHUNK_SIDE + z) * TILE_SIDE..][..TILE_SIDE];
                for x in (0..CHUNK_SIDE).filter(|&x| !is_reached(&near, x, z)) {
                    to[west + x] = from[west + x];
                }
            }
        }
        Ok(())
    }

    fn last_pixels(&self, sheet: Sheet, region: RegionPos) -> Result<Option<Canvas>, Unread> {
        let tile = region.tile();
        let stands = self.ever_noted(sheet, tile).find_map(|noted| {
            let published = region_of(&noted.known.says)?.tile?;
            self.stands(sheet, tile, Some(published), &noted)
        });
        let Some(stands) = stands else {
            // Perhaps it stands, and the run ends since nobody can tell.
            return if self.drawing.is_stopped() { Err(Unread) } else { Ok(None) };
        };
        let png = self.drawing.whole(self.output.read(&self.path(sheet, tile, stands)))?;
        Ok(self.drawing.sheets.samples(sheet).decode(&png).ok())
    }
}

/// Which of the chunks around one are hidden, and whether it is itself, `[z][x]`; `hidden` are the slots of its region and
/// of those around that.
fn near(hidden: &[HiddenSlots; 9], slot: Slot) -> [[bool; 3]; 3] {
    // Counted from the north-western of the nine regions.
    let place = |along: usize, offset: usize| (along + REGION_CHUNKS + offset - 1) / REGION_CHUNKS;
    let within = |along: usize, offset: usize| (along + REGION_CHUNKS + offset - 1) % REGION_CHUNKS;
    std::array::from_fn(|dz| {
        std::array::from_fn(|dx| {
            let region = &hidden[place(slot.z(), dz) * 3 + place(slot.x(), dx)];
            region.has(Slot::at(within(slot.x(), dx), within(slot.z(), dz)))
        })
    })
}

/// Whether a column of a chunk lies in a hidden one, or within reach of one beside it.
fn is_reached(near: &[[bool; 3]; 3], x: usize, z: usize) -> bool {
    let sides = |along: usize| match along {
        along if along < REACH => 0..=1,
        along if along >= CHUNK_SIDE - REACH => 1..=2,
        _ => 1..=1,
    };
    sides(z).any(|dz| sides(x).any(|dx| near[dz][dx]))
}
