//! Surfaces: each column of a chunk is walked down once, and the values that its layers need are kept.
//!
//! A surface is built for a *view*: from the sky, from under a ceiling as in the nether, or from below the land.
//! Finished columns are small (about 3 kB per chunk) and no longer need the chunk, so the borders of a region are kept
//! for its neighbours. Knows no colours and no files.

mod ceiling;
mod edges;
mod highest;
mod hollow;
mod light;
mod scan;

pub use ceiling::range_under_ceiling;
pub use edges::{
    Border, BorderHeights, CachedBorder, CachedChunk, DecodedChunk, EdgeCache, Frame, REACH, RegionEdges, SideColumns,
};
pub use highest::{highest, highest_under_ceiling};
pub use hollow::hollows;
pub use light::light;
pub use scan::scan;

use crate::base::coord::CHUNK_AREA;
use crate::world::names::{BiomeId, BlockId};

/// The height of a column that holds no block.
pub const NO_HEIGHT: i16 = i16::MIN;

/// The game counts in ticks how long players are in a chunk.
pub const TICKS_A_SECOND: u64 = 20;

/// Where a column's walk down begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum View {
    /// From above everything.
    Sky,
    /// From the first hollow under the ceiling that closes a dimension, in most nethers at height 127. A column without a
    /// hollow is cut open under the ceiling's bedrock.
    UnderCeiling,
    /// From above everything, down to the first block of any kind, as a query answers.
    Highest,
    /// As `Highest`, under the ceiling that closes a dimension.
    HighestUnderCeiling,
    /// From the topmost hollow below the land as it is seen from the sky: see [`hollows`].
    Hollow,
    /// From the topmost hollow below the land as it is seen from under the ceiling.
    HollowUnderCeiling,
}

impl View {
    /// The view at whose ground a view of hollows begins; `None`: it is no view of hollows.
    pub const fn land_view(self) -> Option<Self> {
        match self {
            Self::Hollow => Some(Self::Sky),
            Self::HollowUnderCeiling => Some(Self::UnderCeiling),
            Self::Sky | Self::UnderCeiling | Self::Highest | Self::HighestUnderCeiling => None,
        }
    }

    /// Returns whether blocks above a dimension's ceiling are left out.
    pub const fn is_under_ceiling(self) -> bool {
        matches!(self, Self::UnderCeiling | Self::HighestUnderCeiling | Self::HollowUnderCeiling)
    }

    /// Returns whether it shows blocks as they are stored, and not as colours need them.
    pub const fn shows_stored_blocks(self) -> bool {
        matches!(self, Self::Highest | Self::HighestUnderCeiling)
    }
}

/// A transparent block, or one that lies flat on the block below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlay {
    /// `[z][x]`.
    pub column: u8,
    /// Its place from the top, from 0.
    pub order: u8,
    pub id: BlockId,
}

/// Facts that the game saved with a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Saved {
    /// Absent before 15w32a.
    pub data_version: Option<i32>,
    /// How long players were near, all added up, in ticks of a twentieth of a second.
    pub inhabited_ticks: u64,
}

/// The finished columns of a chunk in one view; every array runs `[z][x]`.
#[derive(Debug, Clone)]
pub struct Columns {
    /// The block at which the column ends: the ground, or the floor of its water. [`BlockId::AIR`]: none.
    pub ground: [BlockId; CHUNK_AREA],
    /// Height of `ground` in blocks; [`NO_HEIGHT`]: the column holds no block.
    pub ground_y: [i16; CHUNK_AREA],
    /// Height of the ground or of the water's surface, for relief. [`NO_HEIGHT`]: the column holds no block.
    pub top_y: [i16; CHUNK_AREA],
    /// Number of wet blocks from the water's surface down to the floor; 0: no water; 255: 255 or more.
    pub depth: [u8; CHUNK_AREA],
    /// The biome at `top_y`; [`BiomeId::NONE`]: the column holds no block.
    pub biome: [BiomeId; CHUNK_AREA],
    /// The light from blocks that falls on ground or water, 0 to 15; 0 everywhere until [`light()`] has written it.
    pub light: [u8; CHUNK_AREA],
    /// Overlays over ground or water, by column and then from the top down.
    pub overlays: Vec<Overlay>,
    /// Whether a block of these columns is in no colour table.
    pub unknown: bool,
    /// `None`: there is no chunk, or it is not drawn.
    pub saved: Option<Saved>,
    /// A hash of the bytes that the chunk was read from: a chunk with the same hash is unchanged.
    pub hash: u64,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            ground: [BlockId::AIR; CHUNK_AREA],
            ground_y: [NO_HEIGHT; CHUNK_AREA],
            top_y: [NO_HEIGHT; CHUNK_AREA],
            depth: [0; CHUNK_AREA],
            biome: [BiomeId::NONE; CHUNK_AREA],
            light: [0; CHUNK_AREA],
            overlays: Vec::new(),
            unknown: false,
            saved: None,
            hash: 0,
        }
    }
}

impl Columns {
    /// Returns whether nothing was written into the columns since they were made or cleared, but a hash: a walk sets
    /// [`Columns::saved`] before anything else.
    pub fn is_clear(&self) -> bool {
        self.saved.is_none()
    }

    /// Empties all columns, and keeps the buffer for overlays.
    pub fn clear(&mut self) {
        // Most slots of sparse worlds hold no chunk.
        if self.is_clear() {
            debug_assert!(self.is_empty(), "something was written without being saved");
            self.hash = 0;
            return;
        }
        let mut overlays = std::mem::take(&mut self.overlays);
        overlays.clear();
        *self = Self { overlays, ..Self::default() };
    }

    /// Returns whether no column holds a block.
    pub fn is_empty(&self) -> bool {
        // Without an early return, so that vectors do it: most columns of sparse worlds are empty.
        self.top_y.iter().fold(0, |any, &y| any | (y ^ NO_HEIGHT)) == 0
    }
}
