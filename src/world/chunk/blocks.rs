//! Locates the blocks of one section, in each form in which chunks store them.

use super::entries::SectionPalette;
use super::numeric::CUT_BYTES;
use super::packing::Packing;
use super::section::SectionTable;
use super::subchunk::Subchunk;
use super::wide::Wide;
use crate::base::coord::CHUNK_AREA;
use crate::world::nbt::Span;

/// Cells per section.
pub(super) const CELLS: usize = 16 * CHUNK_AREA;
/// Cells per chunk before 1.2, which is 128 blocks high.
pub(super) const COLUMN_CELLS: usize = 128 * CHUNK_AREA;

/// The form of a section's blocks. Indices of cells run `[y][z][x]`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Blocks {
    #[default]
    Air,
    /// A palette of names with packed indices. Without a packing, the first name fills the section.
    Palette {
        names: SectionPalette,
        indices: Span,
        packing: Option<Packing>,
    },
    /// Ids as bytes, data as nibbles, and nibbles with the higher bits of ids beyond 255.
    Numeric {
        ids: Span,
        add: Span,
        data: Span,
    },
    /// One array for the whole height of a chunk before 1.2, `[x][z][y]`. Sections of Bedrock Edition kept this order.
    Column {
        ids: Span,
        data: Span,
    },
    Wide(Wide<Span>),
    Subchunk(Subchunk),
}

/// The cells of a section in a form that can be read, after its table was made.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cells<'a> {
    /// All cells have the first block of the table.
    Uniform,
    /// Indices into the table.
    Packed {
        longs: &'a [u8],
        packing: Packing,
    },
    /// Ids, the higher bits of ids, and data.
    Numeric([&'a [u8]; 3]),
    Wide(Wide<&'a [u8]>),
}

impl Blocks {
    /// Returns the cells of a section. Depending on their form, they are in the chunk's `bytes`, in the buffer of `cut`
    /// sections, or in the buffer of `packed` indices.
    #[inline]
    pub(super) fn cells<'a>(self, bytes: &'a [u8], cut: &'a [u8], packed: &'a [u8], table: SectionTable) -> Cells<'a> {
        let (longs, packing) = match self {
            Self::Air => return Cells::Uniform,
            Self::Palette { indices, packing, .. } => (indices.slice(bytes), packing),
            Self::Numeric { ids, add, data } => return Cells::Numeric([ids, add, data].map(|span| span.slice(bytes))),
            Self::Column { .. } => {
                let (ids, data) = cut[table.cells..table.cells + CUT_BYTES].split_at(CELLS);
                return Cells::Numeric([ids, &[], data]);
            }
            Self::Wide(stored) => return Cells::Wide(stored.slices(bytes)),
            Self::Subchunk(_) => (&packed[table.cells..], table.packing),
        };
        packing.map_or(Cells::Uniform, |packing| Cells::Packed { longs, packing })
    }
}

/// Returns element `index` of an array of nibbles. Even elements are in the low nibbles.
pub(super) fn nibble(nibbles: &[u8], index: usize) -> u8 {
    let byte = nibbles.get(index >> 1).copied().unwrap_or(0);
    byte >> (index % 2 * 4) & 15
}

pub(super) fn byte(bytes: &[u8], index: usize) -> u32 {
    bytes.get(index).map_or(0, |&byte| u32::from(byte))
}
