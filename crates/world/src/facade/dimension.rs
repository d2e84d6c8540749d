//! A dimension of an open world.

use std::ops::Range;
use std::sync::Arc;

use super::chunks::Chunks;
use super::error::Error;
use super::reader::Reader;
use super::region::Region;
use crate::names::NumericNames;
use crate::save::{Dimension as StoredDimension, WorldError};
use pixelmap_base::coord::{Area, RegionPos};

/// A dimension of a [`World`](crate::World): the overworld, the nether, the end, or one of a mod, a
/// data pack or an add-on. It is a small handle, cheap to copy.
///
/// ```
/// use pixelmap_world::World;
///
/// let world = World::open("../../fixtures/demo")?;
/// let overworld = world.dimension("overworld").unwrap();
///
/// let [x, z] = overworld.regions().next().unwrap();
/// let region = overworld.region(x, z)?.unwrap();
/// println!("{} chunks in region {x}, {z}", region.chunk_positions().count());
/// # Ok::<(), pixelmap_world::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Dimension<'w> {
    pub(super) stored: &'w StoredDimension,
    pub(super) numeric: &'w Arc<NumericNames>,
}

impl<'w> Dimension<'w> {
    /// Returns its id: `overworld`, `the_nether`, `the_end`, `namespace:path`, or the name of its
    /// folder, such as `DIM7`.
    pub fn id(&self) -> &'w str {
        &self.stored.id
    }

    /// Returns the positions `[x, z]` of its regions, in regions: from north to south, and from
    /// west to east in each row.
    pub fn regions(&self) -> impl Iterator<Item = [i32; 2]> + use<'w> {
        let regions = self.stored.regions.iter();
        regions.map(|entry| [entry.region.x, entry.region.z])
    }

    /// Opens the region at a position in regions. `None` if it is not stored.
    ///
    /// # Errors
    /// Fails if the system cannot read it.
    pub fn region(&self, x: i32, z: i32) -> Result<Option<Region>, Error> {
        let Some(entry) = self.stored.entry(RegionPos { x, z }) else {
            return Ok(None);
        };

        let store = &self.stored.store;
        let stored = store
            .open_filled(entry)
            .map_err(|error| WorldError::Unreadable(store.path(entry), error))?;

        Ok(Some(Region {
            stored,
            reader: self.reader(),
        }))
    }

    /// Reads all chunks.
    pub fn chunks(&self) -> Chunks<'w> {
        self.chunks_in(i32::MIN..i32::MAX, i32::MIN..i32::MAX)
    }

    /// Reads the chunks that contain columns with these x and z, in blocks. A chunk at the edge
    /// also contains columns outside them.
    pub fn chunks_in(&self, x: Range<i32>, z: Range<i32>) -> Chunks<'w> {
        let StoredDimension { store, regions, .. } = self.stored;
        let area = Area {
            x0: x.start,
            z0: z.start,
            x1: x.end,
            z1: z.end,
        };
        Chunks::new(store, regions, area, self.reader())
    }

    fn reader(&self) -> Reader {
        Reader::new(Arc::clone(self.numeric))
    }
}
