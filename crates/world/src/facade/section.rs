//! Sixteen layers of a chunk, in memory.

use super::block::Block;
use pixelmap_base::coord::CHUNK_AREA;

/// Cells per section.
pub(super) const CELLS: usize = 16 * CHUNK_AREA;

/// A section of 16 by 16 by 16 blocks. Cells are in the order `[y][z][x]`.
#[derive(Debug, Clone)]
pub(super) struct Section {
    /// The height of the lowest layer, in blocks.
    pub(super) bottom: i32,
    /// The different blocks. If there is only one, the cells are absent.
    pub(super) palette: Vec<Block>,
    /// Indices into the palette.
    pub(super) cells: Option<Box<[u16; CELLS]>>,
    pub(super) biomes: SectionBiomes,
}

/// The biomes of a section, as indices into the list of the chunk.
#[derive(Debug, Clone)]
pub(super) enum SectionBiomes {
    /// All blocks have the same biome.
    One(u16),
    /// Cells of 4 by 4 by 4 blocks, `[y][z][x]`.
    Cells(Box<[u16; 64]>),
    /// One biome per block.
    Blocks(Box<[u16; CELLS]>),
}

impl Section {
    /// Returns the block at a cell. Indices are 0 to 4095.
    pub(super) fn block(&self, cell: usize) -> Option<&Block> {
        let index = self.cells.as_ref().map_or(0, |cells| cells[cell % CELLS]);
        self.palette.get(usize::from(index))
    }

    /// Returns whether nobody can see any of its blocks.
    pub(super) fn is_unseen(&self) -> bool {
        self.palette.iter().all(Block::is_unseen)
    }
}

impl SectionBiomes {
    /// Returns the index of the biome at x, y and z, each 0 to 15.
    pub(super) fn at(&self, x: usize, y: usize, z: usize) -> u16 {
        match self {
            Self::One(biome) => *biome,
            Self::Cells(cells) => cells[(y / 4 * 16 + z / 4 * 4 + x / 4) % 64],
            Self::Blocks(blocks) => blocks[(y * CHUNK_AREA + z * 16 + x) % CELLS],
        }
    }
}
