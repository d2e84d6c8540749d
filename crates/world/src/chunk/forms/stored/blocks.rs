//! Locates the blocks of one section, in each form in which chunks store them.

use super::numbers::Numbers;
use crate::chunk::cells::{Block, CELLS, CUT_BYTES};
use crate::chunk::forms::bedrock::subchunk::Subchunk;
use crate::chunk::forms::java::entries::SectionPalette;
use crate::chunk::forms::java::packing::Packing;
use crate::chunk::forms::java::wide::Wide;
use crate::names::NameCache;
use crate::nbt::Span;

/// The palette of a section's blocks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BlockPalette {
    Names(SectionPalette),
    Numbers(Numbers),
}

impl BlockPalette {
    /// Returns whether another palette of the same chunk is stored as the same bytes.
    #[inline]
    pub(crate) fn is_same(self, other: Self, bytes: &[u8]) -> bool {
        match (self, other) {
            (Self::Names(names), Self::Names(others)) => names.is_same(others, bytes),
            (Self::Numbers(numbers), Self::Numbers(others)) => {
                numbers.stored.slice(bytes) == others.stored.slice(bytes)
            }
            _ => false,
        }
    }

    /// Appends the blocks of the entries. An entry without a name becomes air. Returns whether there
    /// was one.
    #[inline]
    pub(crate) fn resolve(
        self,
        bytes: &[u8],
        name_cache: &mut NameCache,
        blocks: &mut Vec<Block>,
    ) -> bool {
        match self {
            Self::Names(names) => names.resolve(bytes, name_cache, blocks),
            Self::Numbers(numbers) => {
                for number in numbers.each(bytes) {
                    let id = name_cache.network_block(numbers.names, number);
                    let traits = name_cache.traits(id);
                    blocks.push(Block { id, traits });
                }
                false
            }
        }
    }
}

/// The form of a section's blocks. Indices of cells run `[y][z][x]`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum StoredBlocks {
    #[default]
    Air,
    /// A palette with packed indices. Without a packing, the first entry fills the section.
    Palette {
        palette: BlockPalette,
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
