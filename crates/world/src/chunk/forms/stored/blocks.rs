//! Locates the blocks of one section, in each form in which chunks store them.

use crate::chunk::cells::{CELLS, CUT_BYTES};
use crate::chunk::forms::bedrock::subchunk::Subchunk;
use crate::chunk::forms::java::entries::SectionPalette;
use crate::chunk::forms::java::packing::Packing;
use crate::chunk::forms::java::wide::Wide;
use crate::nbt::Span;

/// The form of a section's blocks. Indices of cells run `[y][z][x]`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum StoredBlocks {
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
    /// One array for the whole height of a chunk before 1.2, `[x][z][y]`. Sections of Bedrock
    /// Edition kept this order.
    Column {
        ids: Span,
        data: Span,
    },
    Wide(Wide<Span>),
    Subchunk(Subchunk),
}

/// The cells of a section in a form that can be read, after its table was made.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cells<'a> {
    /// All cells have the first block of the table.
    Uniform,
    /// Indices into the table.
    Packed { longs: &'a [u8], packing: Packing },
    /// Ids, the higher bits of ids, and data.
    Numeric([&'a [u8]; 3]),
    /// The positions of the arrays, because finding the arrays themselves here would be too much
    /// code for the forms that most worlds use.
    Wide(Wide<Span>),
}

/// A resolved section palette, as a range of the worker's table of blocks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SectionTable {
    pub(crate) start: usize,
    pub(crate) len: usize,
    /// The start of the cells that were cut out of a whole chunk, or of the packed indices.
    pub(crate) cells: usize,
    /// The layout of packed indices, or `None` if all are 0.
    pub(crate) packing: Option<Packing>,
}

impl StoredBlocks {
    /// Returns the cells of a section. Depending on their form, they are in the chunk's `bytes`, in
    /// the buffer of `cut` sections, or in the buffer of `packed` indices.
    #[inline]
    pub(crate) fn cells<'a>(
        self,
        bytes: &'a [u8],
        cut: &'a [u8],
        packed: &'a [u8],
        table: SectionTable,
    ) -> Cells<'a> {
        let (longs, packing) = match self {
            Self::Air => return Cells::Uniform,
            Self::Palette {
                indices, packing, ..
            } => (indices.slice(bytes), packing),
            Self::Numeric { ids, add, data } => {
                return Cells::Numeric([ids, add, data].map(|span| span.slice(bytes)));
            }
            Self::Column { .. } => {
                let (ids, data) = cut[table.cells..table.cells + CUT_BYTES].split_at(CELLS);
                return Cells::Numeric([ids, &[], data]);
            }
            Self::Wide(stored) => return Cells::Wide(stored),
            Self::Subchunk(_) => (&packed[table.cells..], table.packing),
        };

        packing.map_or(Cells::Uniform, |packing| Cells::Packed { longs, packing })
    }
}
