//! The numbers of cells in sections and chunks, single cells of arrays, and the block of a cell.

use crate::names::{BlockId, Traits};
use pixelmap_base::coord::CHUNK_AREA;

/// Cells per section.
pub(crate) const CELLS: usize = 16 * CHUNK_AREA;
/// Cells per chunk before 1.2, which is 128 blocks high.
pub(crate) const COLUMN_CELLS: usize = 128 * CHUNK_AREA;
/// Length of a section that was cut out of a chunk before 1.2: ids, then nibbles of data.
pub(crate) const CUT_BYTES: usize = CELLS + CELLS / 2;

#[derive(Debug, Clone, Copy)]
pub struct Block {
    pub id: BlockId,
    /// Stored next to the id, because column scans need both.
    pub traits: Traits,
}

impl Block {
    pub(crate) const AIR: Self = Self {
        id: BlockId::AIR,
        traits: Traits::NOTHING,
    };
}

/// Returns element `index` of an array of nibbles. Even elements are in the low nibbles.
pub(crate) fn nibble(nibbles: &[u8], index: usize) -> u8 {
    let byte = nibbles.get(index >> 1).copied().unwrap_or(0);
    byte >> (index % 2 * 4) & 15
}

pub(crate) fn byte(bytes: &[u8], index: usize) -> u32 {
    bytes.get(index).map_or(0, |&byte| u32::from(byte))
}
