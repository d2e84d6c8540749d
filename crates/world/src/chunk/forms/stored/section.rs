//! Defines a section of a chunk: where its blocks, biomes and light are stored.

use super::biomes::SectionBiomes;
use super::blocks::{SectionTable, StoredBlocks};
use crate::nbt::Span;

/// A section, 16 blocks high.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Section {
    /// Height in sections, -128 to 127.
    pub(crate) y: i16,
    pub(crate) blocks: StoredBlocks,
    pub(crate) biomes: Option<SectionBiomes>,
    /// The block light, if a layer needs it. See [`crate::chunk::forms::stored::light`].
    pub(crate) light: Span,
    /// The resolved palette.
    pub(crate) table: Option<SectionTable>,
    /// Start and length of its biome ids, once resolved.
    pub(crate) biome_table: Option<(usize, usize)>,
}

impl Section {
    pub(crate) fn has_biomes_by_block(&self) -> bool {
        self.biomes.is_some_and(SectionBiomes::is_by_block)
    }
}
