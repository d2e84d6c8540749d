//! The finished columns of a chunk, which no longer need the chunk.

use pixelmap_base::coord::CHUNK_AREA;
use pixelmap_world::names::{BiomeId, BlockId};

/// The height that a column has if it contains no block.
pub const NO_HEIGHT: i16 = i16::MIN;

/// The number of the game's ticks per second. The game counts in ticks how long players are in a
/// chunk.
pub const TICKS_A_SECOND: u64 = 20;

/// A transparent block, or one that is flat on the block below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlay {
    /// `[z][x]`.
    pub column: u8,
    /// The overlay's position in its column, counted from 0 at the top.
    pub order: u8,
    pub id: BlockId,
}

/// Facts that the game saved with a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SavedFacts {
    /// The data version of the game. Versions before 15w32a stored none.
    pub data_version: Option<i32>,
    /// How long players were near, summed over all players, in ticks of a twentieth of a second.
    pub inhabited_ticks: u64,
    /// When the chunk was found changed, in seconds since 1970. Only zvcr stores such times.
    pub found_changed: Option<i64>,
}

/// The finished columns of a chunk in one view. Every array is `[z][x]`.
#[derive(Debug, Clone)]
pub struct Columns {
    /// The block at which the column ends: the ground, or the floor of its water. [`BlockId::AIR`]
    /// in a column without one.
    pub ground: [BlockId; CHUNK_AREA],
    /// The height of `ground` in blocks, or [`NO_HEIGHT`] if the column contains no block.
    pub ground_y: [i16; CHUNK_AREA],
    /// The height of the ground or of the water's surface, for relief, or [`NO_HEIGHT`] if the
    /// column contains no block.
    pub top_y: [i16; CHUNK_AREA],
    /// The number of wet blocks from the water's surface down to the floor. 0 means no water, and
    /// 255 means 255 or more.
    pub depth: [u8; CHUNK_AREA],
    /// The biome at `top_y`, or [`BiomeId::NONE`] if the column contains no block.
    pub biome: [BiomeId; CHUNK_AREA],
    /// The light from blocks that falls on ground or water, 0 to 15. It is 0 everywhere until
    /// `light.rs` has written it.
    pub light: [u8; CHUNK_AREA],
    /// Overlays over ground or water, by column and then from the top down.
    pub overlays: Vec<Overlay>,
    /// Whether any block of these columns is missing in the colour tables.
    pub unknown: bool,
    /// The facts that the game saved with the chunk. `None` if the chunk is missing or not drawn.
    pub saved: Option<SavedFacts>,
    /// A hash of the bytes that the chunk was read from. A chunk with the same hash is unchanged.
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
    /// Returns whether nothing but a hash was written since the columns were made or cleared. This
    /// works because every walk sets [`Columns::saved`] before anything else.
    pub fn is_clear(&self) -> bool {
        self.saved.is_none()
    }

    /// Empties all columns, but keeps the buffer for overlays.
    pub fn clear(&mut self) {
        // This is the common case in sparse worlds, because most of their slots contain no chunk.
        if self.is_clear() {
            #[cfg(test)]
            assert!(self.is_empty(), "something was written without being saved");
            self.hash = 0;
            return;
        }

        let mut overlays = std::mem::take(&mut self.overlays);
        overlays.clear();
        *self = Self {
            overlays,
            ..Self::default()
        };
    }

    /// Empties the columns whose land nobody has seen, although a cave below it is known.
    pub fn hide_unexplored(&mut self) {
        for column in 0..CHUNK_AREA {
            if self.ground[column] == BlockId::UNEXPLORED {
                self.ground[column] = BlockId::AIR;
                self.ground_y[column] = NO_HEIGHT;
                self.top_y[column] = NO_HEIGHT;
                self.biome[column] = BiomeId::NONE;
                self.light[column] = 0;
            }
        }
    }

    /// Returns whether no column holds a block.
    pub fn is_empty(&self) -> bool {
        // We avoid an early return, so that the compiler can use vectors: most columns of sparse
        // worlds are empty.
        self.top_y.iter().fold(0, |any, &y| any | (y ^ NO_HEIGHT)) == 0
    }
}
