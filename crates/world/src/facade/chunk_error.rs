//! The reason why one chunk cannot be read.

use std::fmt;
use std::io;

use crate::chunk::ChunkFault;
use pixelmap_base::coord::{ChunkPos, RegionPos};
use pixelmap_base::retry::retryable;

/// Damage: the reason why one chunk, or all chunks of one region, cannot be read. Other chunks can
/// still be read.
///
/// ```
/// use pixelmap_world::World;
///
/// let world = World::open("../../fixtures/zlib-garbage")?;
/// let overworld = world.dimension("overworld").unwrap();
/// let damage = overworld.chunks().find_map(Result::err).unwrap();
///
/// assert_eq!(damage.word(), "inflate");
/// assert_eq!(damage.region(), [-1, -1]);
/// assert_eq!(damage.chunk(), Some([-1, -2]));
/// # Ok::<(), pixelmap_world::Error>(())
/// ```
#[derive(Debug)]
pub struct ChunkError {
    pub(super) region: RegionPos,
    /// `None`: the whole region cannot be read.
    pub(super) chunk: Option<ChunkPos>,
    pub(super) reason: Reason,
}

#[derive(Debug)]
pub(super) enum Reason {
    /// The region cannot be opened.
    Unopened(io::Error),
    /// The chunk cannot be read.
    Chunk(ChunkFault),
}

impl ChunkError {
    /// Returns the x and z of the region, in regions.
    pub fn region(&self) -> [i32; 2] {
        [self.region.x, self.region.z]
    }

    /// Returns the x and z of the chunk, in chunks, or `None` if the whole region cannot be read.
    pub fn chunk(&self) -> Option<[i32; 2]> {
        self.chunk.map(|chunk| [chunk.x, chunk.z])
    }

    /// Returns the reason as one word in lower case, such as `inflate`, `nbt` or `unreadable`.
    pub fn word(&self) -> &'static str {
        match &self.reason {
            Reason::Unopened(_) => "unreadable",
            Reason::Chunk(fault) => fault.word(),
        }
    }

    /// Returns whether reading the chunk again may succeed, because the system failed for a moment.
    pub fn is_retryable(&self) -> bool {
        match &self.reason {
            Reason::Unopened(error) => retryable(error),
            Reason::Chunk(fault) => fault.retryable_error().is_some(),
        }
    }
}

impl fmt::Display for ChunkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.chunk {
            Some(chunk) => write!(f, "chunk {chunk} in {}: ", self.region)?,
            None => write!(f, "all chunks in {}: ", self.region)?,
        }

        match &self.reason {
            Reason::Unopened(error) => write!(f, "the region cannot be opened: {error}"),
            Reason::Chunk(fault) => write!(f, "{fault}"),
        }
    }
}

impl std::error::Error for ChunkError {}
