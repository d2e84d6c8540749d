//! Decides which chunks a run uses: the chunks of the requested area and the chunks that touch
//! them, except hidden ones.
//!
//! A hidden chunk counts as not stored everywhere: in its own region, in the frames of other
//! regions, and in the hashes that detect changes. So the map looks as if the world did not have
//! the chunk, and a change inside it is not noticed.

use twox_hash::XxHash3_64;

use crate::painter::shared::PlannedRegion;
use pixelmap_base::coord::{Area, CHUNK_SIDE, ChunkPos, ColumnPos, RegionPos, Slot, SlotSet};
use pixelmap_paint::surface::REACH;
use pixelmap_tile::{Canvas, Pixel};
use pixelmap_world::internal::{Region, Stamp};

/// How a run uses a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChunkUse {
    /// Some of its columns are drawn.
    Drawn,
    /// Its columns shade or tint columns that are drawn.
    AsNeighbour,
    /// The chunk is not used.
    No,
}

impl PlannedRegion<'_> {
    /// Counts the hidden chunks that the region's file stores, within the drawn part of the world.
    pub(crate) fn count_hidden(&self, file: &Region) -> u64 {
        self.hidden
            .slots()
            .filter(|&slot| file.has(slot) && self.use_by_area(slot) == ChunkUse::Drawn)
            .count() as u64
    }

    /// Returns how the chunk in a slot is used. Hidden chunks are not used.
    pub(crate) fn chunk_use(&self, slot: Slot) -> ChunkUse {
        if self.hidden.has(slot) {
            ChunkUse::No
        } else {
            self.use_by_area(slot)
        }
    }

    /// Returns the slots whose chunks are used.
    pub(crate) fn used_slots(&self) -> impl Iterator<Item = Slot> {
        Slot::all().filter(|&slot| self.chunk_use(slot) != ChunkUse::No)
    }

    fn use_by_area(&self, slot: Slot) -> ChunkUse {
        let Some(area) = self.area else {
            return ChunkUse::Drawn;
        };

        let chunk = self.pos.chunk(slot);
        if !area.overlap(around(chunk, 0)).is_empty() {
            ChunkUse::Drawn
        } else if area.overlap(around(chunk, REACH as i32)).is_empty() {
            ChunkUse::No
        } else {
            ChunkUse::AsNeighbour
        }
    }
}

/// Returns the columns of a chunk and the columns up to `reach` blocks away from it.
fn around(chunk: ChunkPos, reach: i32) -> Area {
    let ColumnPos { x, z } = chunk.corner();
    let side = CHUNK_SIDE as i32;
    Area {
        x0: x - reach,
        z0: z - reach,
        x1: x + side + reach,
        z1: z + side + reach,
    }
}

/// Returns the stamp of a region whose `hidden` slots are hidden, which shows whether the file is
/// unchanged since it was read. The folder of a map is public, and the hidden slots could be
/// guessed from a hash of them alone. Therefore they are hashed together with the hash of the
/// header, which nobody can compute without the file. If nothing is hidden, the header is left out
/// unless it is needed.
pub(crate) fn stamp_with_hidden(file: &Region, hidden: &SlotSet) -> Stamp {
    let stamp = file.stamp();
    if hidden.is_empty() {
        return stamp.without_needless_header();
    }

    let mut bytes = stamp.header.to_le_bytes().to_vec();
    for row in hidden.rows() {
        bytes.extend(row.to_le_bytes());
    }

    Stamp {
        header: XxHash3_64::oneshot(&bytes),
        ..stamp
    }
}

/// Clears the pixels of columns outside `area`.
pub(crate) fn mask(canvas: &mut Canvas, region: RegionPos, area: Area) {
    let whole = region.area();
    if area.covers(whole) {
        return;
    }

    let inside = area.overlap(whole);
    for (z, row) in canvas.rows_mut() {
        let z = whole.z0 + z as i32;
        if z < inside.z0 || z >= inside.z1 {
            row.fill(Pixel::CLEAR);
            continue;
        }

        let west = (inside.x0 - whole.x0) as usize;
        let east = (inside.x1 - whole.x0) as usize;
        row[..west].fill(Pixel::CLEAR);
        row[east..].fill(Pixel::CLEAR);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::request::hide::HiddenPlaces;
    use pixelmap_base::files::Files;
    use pixelmap_world::internal::{RegionEntry, RegionStore};

    fn file(folder: &Path, saved: u32) -> Region {
        let mut bytes = vec![0; 8192];
        bytes[4096..4100].copy_from_slice(&saved.to_be_bytes());
        let path = folder.join("r.0.0.mca");
        std::io::Write::write_all(&mut std::fs::File::create(&path).unwrap(), &bytes).unwrap();
        RegionStore::in_folder(&Files::Disk, folder)
            .open(RegionEntry::new(RegionPos { x: 0, z: 0 }, 0))
            .unwrap()
    }

    #[test]
    fn the_stamp_follows_hidden_slots_and_file() {
        let folder = tempfile::tempdir().unwrap();

        let area = |x1| {
            HiddenPlaces::new(
                vec![Area {
                    x0: 0,
                    z0: 0,
                    x1,
                    z1: 16,
                }],
                Vec::new(),
            )
            .slots(RegionPos { x: 0, z: 0 })
        };

        let (one, two) = (area(16), area(32));
        assert!(one.has(Slot::at(0, 0)) && !one.has(Slot::at(1, 0)) && two.has(Slot::at(1, 0)));

        let header =
            |saved, hidden: &SlotSet| stamp_with_hidden(&file(folder.path(), saved), hidden).header;

        let plain = file(folder.path(), 1);
        let stamp = plain.stamp().without_needless_header();
        assert_eq!(
            stamp_with_hidden(&plain, &SlotSet::NONE),
            stamp,
            "nothing is hidden"
        );
        assert_eq!(header(1, &one), header(1, &one));

        let different = [
            header(1, &SlotSet::NONE),
            header(1, &one),
            header(1, &two),
            header(2, &one),
            header(2, &two),
        ];

        let distinct: BTreeSet<u64> = different.into_iter().collect();
        assert_eq!(
            distinct.len(),
            different.len(),
            "it changes with what is hidden, and with the header"
        );
    }
}
