//! Reads the chunks of a dimension, region by region.

use std::ops::Range;
use std::slice;

use super::chunk::Chunk;
use super::chunk_error::{ChunkError, Reason};
use super::reader::Reader;
use crate::region::{Region as StoredRegion, RegionEntry, RegionStore};
use pixelmap_base::coord::{CHUNK_SIDE, REGION_SIDE, RegionPos, Slot};

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
    columns: Columns,
    reader: Reader,
    /// The current region, and the next slot in it.
    open: Option<(StoredRegion, usize)>,
}

/// The columns whose chunks are read: x and z in blocks.
#[derive(Debug)]
struct Columns {
    x: Range<i32>,
    z: Range<i32>,
}

impl Columns {
    /// Returns whether a square with this corner and side has some of the columns.
    fn touch(&self, x: i32, z: i32, side: usize) -> bool {
        let overlaps = |wanted: &Range<i32>, start: i32| {
            let start = i64::from(start);
            i64::from(wanted.start) < start + side as i64 && start < i64::from(wanted.end)
        };
        !self.x.is_empty() && !self.z.is_empty() && overlaps(&self.x, x) && overlaps(&self.z, z)
    }

    fn touch_region(&self, region: RegionPos) -> bool {
        let corner = region.corner();
        self.touch(corner.x, corner.z, REGION_SIDE)
    }

    fn touch_chunk(&self, region: RegionPos, slot: Slot) -> bool {
        let corner = region.chunk(slot).corner();
        self.touch(corner.x, corner.z, CHUNK_SIDE)
    }
}

impl<'w> Chunks<'w> {
    pub(super) fn new(
        store: &'w RegionStore,
        entries: &'w [RegionEntry],
        x: Range<i32>,
        z: Range<i32>,
        reader: Reader,
    ) -> Self {
        Self {
            store,
            entries: entries.iter(),
            columns: Columns { x, z },
            reader,
            open: None,
        }
    }

    /// Opens the next region with some of the columns. Returns `None` after the last one.
    fn open_next(&mut self) -> Option<Result<StoredRegion, ChunkError>> {
        let columns = &self.columns;
        let entry = self
            .entries
            .find(|entry| columns.touch_region(entry.region))?;

        Some(self.store.open_filled(*entry).map_err(|error| ChunkError {
            region: entry.region,
            chunk: None,
            reason: Reason::Unopened(error),
        }))
    }
}

impl Iterator for Chunks<'_> {
    type Item = Result<Chunk, ChunkError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some((region, next)) = &mut self.open else {
                match self.open_next()? {
                    Ok(region) => {
                        let position = region.pos();
                        let wanted =
                            Slot::all().filter(|slot| self.columns.touch_chunk(position, *slot));
                        region.will_read(wanted);
                        self.open = Some((region, 0));
                        continue;
                    }
                    Err(error) => return Some(Err(error)),
                }
            };

            let position = region.pos();
            while let Some(slot) = Slot::all().nth(*next) {
                *next += 1;
                if !region.has(slot) || !self.columns.touch_chunk(position, slot) {
                    continue;
                }
                if let Some(chunk) = self.reader.read(region, slot).transpose() {
                    return Some(chunk);
                }
            }

            self.open = None;
        }
    }
}
