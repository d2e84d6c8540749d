//! Reads the chunks of a dimension, region by region.

use std::slice;
use std::vec;

use super::chunk::Chunk;
use super::chunk_error::{ChunkError, Reason};
use super::reader::Reader;
use crate::region::{Region as StoredRegion, RegionEntry, RegionStore};
use pixelmap_base::coord::{Area, Slot};

/// Reads the chunks of a dimension one by one, from
/// [`Dimension::chunks`](crate::Dimension::chunks) or
/// [`Dimension::chunks_in`](crate::Dimension::chunks_in). One region is open at a time.
///
/// Regions and the chunks in them follow row by row from north to south, and from west to east in
/// each row. A chunk that cannot be read is an item with its damage, and so is a whole region.
///
/// ```
/// use pixelmap_world::{Chunks, World};
///
/// let world = World::open("../../fixtures/demo")?;
/// let chunks: Chunks<'_> = world.dimension("overworld").unwrap().chunks_in(0..40, 0..40);
/// let (good, bad): (Vec<_>, Vec<_>) = chunks.partition(Result::is_ok);
/// println!("{} chunks, {} damaged", good.len(), bad.len());
/// # Ok::<(), pixelmap_world::Error>(())
/// ```
#[derive(Debug)]
pub struct Chunks<'w> {
    store: &'w RegionStore,
    entries: slice::Iter<'w, RegionEntry>,
    area: Area,
    reader: Reader,
    /// The current region, and its chunks that are still to be read.
    open: Option<(StoredRegion, vec::IntoIter<Slot>)>,
}

impl<'w> Chunks<'w> {
    pub(super) fn new(
        store: &'w RegionStore,
        entries: &'w [RegionEntry],
        area: Area,
        reader: Reader,
    ) -> Self {
        Self {
            store,
            entries: entries.iter(),
            area,
            reader,
            open: None,
        }
    }

    /// Opens the next region that the area meets. Returns `None` after the last one.
    fn open_next(&mut self) -> Option<Result<(), ChunkError>> {
        let area = self.area;
        let entry = self.entries.find(|entry| area.meets(entry.region))?;

        let region = match self.store.open_filled(*entry) {
            Ok(region) => region,
            Err(error) => {
                return Some(Err(ChunkError {
                    region: entry.region,
                    chunk: None,
                    reason: Reason::Unopened(error),
                }));
            }
        };

        let mut slots: Vec<Slot> = region.stored().collect();
        slots.retain(|&slot| area.meets_chunk(entry.region.chunk(slot)));
        region.will_read(slots.iter().copied());
        self.open = Some((region, slots.into_iter()));

        Some(Ok(()))
    }
}

impl Iterator for Chunks<'_> {
    type Item = Result<Chunk, ChunkError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((region, slots)) = &mut self.open {
                for slot in slots {
                    if let Some(chunk) = self.reader.read(region, slot).transpose() {
                        return Some(chunk);
                    }
                }
            }

            self.open = None;
            if let Err(error) = self.open_next()? {
                return Some(Err(error));
            }
        }
    }
}
