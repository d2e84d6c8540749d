//! An open region.

use super::chunk::Chunk;
use super::chunk_error::ChunkError;
use super::reader::Reader;
use crate::region::Region as StoredRegion;
use pixelmap_base::coord::{ChunkPos, Slot};

/// An open region of 32 by 32 chunks: a region file, the chunk files of that square, or its part of
/// a database. Its chunks can be read in any order and more than once.
///
/// ```
/// use pixelmap_world::World;
///
/// let world = World::open("../../fixtures/demo")?;
/// let mut region = world.dimension("overworld").unwrap().region(-1, 0)?.unwrap();
///
/// let [x, z] = region.chunk_positions().last().unwrap();
/// let chunk = region.chunk(x, z).unwrap().unwrap();
/// assert_eq!([chunk.x(), chunk.z()], [x, z]);
/// assert!(region.chunk(1000, 1000).unwrap().is_none());
/// # Ok::<(), pixelmap_world::Error>(())
/// ```
#[derive(Debug)]
pub struct Region {
    pub(super) stored: StoredRegion,
    pub(super) reader: Reader,
}

impl Region {
    /// Returns its position in regions, east of the origin.
    pub fn x(&self) -> i32 {
        self.stored.pos().x
    }

    /// Returns its position in regions, south of the origin.
    pub fn z(&self) -> i32 {
        self.stored.pos().z
    }

    /// Returns the positions `[x, z]` of the stored chunks, in chunks: row by row from north to
    /// south, and from west to east in each row. Chunks that turn out to be damaged are included.
    pub fn chunk_positions(&self) -> impl Iterator<Item = [i32; 2]> {
        let region = self.stored.pos();
        self.stored.stored().map(move |slot| {
            let ChunkPos { x, z } = region.chunk(slot);
            [x, z]
        })
    }

    /// Reads the chunk at a position in chunks. `None` if it is not stored or belongs to another
    /// region.
    ///
    /// # Errors
    /// Fails if the chunk is damaged or cannot be read. Other chunks can still be read.
    pub fn chunk(&mut self, x: i32, z: i32) -> Result<Option<Chunk>, ChunkError> {
        let position = ChunkPos { x, z };
        if position.region() != self.stored.pos() {
            return Ok(None);
        }

        self.reader.read(&mut self.stored, position.slot())
    }

    /// Reads all stored chunks, in the order of [`Region::chunk_positions`]. A damaged chunk is one
    /// item.
    pub fn chunks(&mut self) -> impl Iterator<Item = Result<Chunk, ChunkError>> {
        let Self { stored, reader } = self;
        stored.will_read(Slot::all());
        Slot::all().filter_map(|slot| reader.read(stored, slot).transpose())
    }
}
