//! The buffers in which a worker keeps the parts of the chunk that it reads.

use super::blocks::{BlockPalette, SectionTable, StoredBlocks};
use super::light::StoredLight;
use super::section::Section;
use crate::chunk::cells::{Block, CELLS};
use crate::chunk::forms::bedrock::dyes::Dyes;
use crate::chunk::forms::java::numeric::NumericTable;
use crate::chunk::forms::java::slice::KindTable;
use crate::names::BiomeId;

/// One worker's buffers for reading chunks, reused from chunk to chunk.
#[derive(Debug, Default)]
pub struct ChunkBuffers {
    pub(crate) sections: Vec<Section>,
    /// Indices of the sections that contain blocks, highest first.
    pub(crate) order: Vec<u16>,
    /// Index of the section at each section height -128 to 127, for biomes.
    pub(crate) by_height: Vec<Option<u16>>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) biomes: Vec<BiomeId>,
    /// The last resolved palette, for reuse, because sections of only air follow one another.
    pub(crate) last_palette: Option<(BlockPalette, SectionTable)>,
    /// The kinds of the last section that was read.
    pub(crate) kinds: KindTable,
    /// Packed indices of Bedrock sections.
    pub(crate) packed: Vec<u8>,
    /// Sections cut out of a chunk that has one array for all heights.
    pub(crate) cut: Vec<u8>,
    pub(crate) numeric: NumericTable,
    pub(crate) dyes: Dyes,
    /// The light of the current chunk, or `None` if no layer needs it.
    pub(crate) light: Option<StoredLight>,
}

impl ChunkBuffers {
    /// Makes buffers that also read stored light.
    #[must_use]
    pub fn with_light(self) -> Self {
        Self {
            light: Some(StoredLight::default()),
            ..self
        }
    }

    /// Returns how many names or numbers must be looked up for the blocks of the chunk.
    pub(crate) fn lookups(&self) -> usize {
        let stored = self.sections.iter().map(|section| match section.blocks {
            StoredBlocks::Palette {
                palette: BlockPalette::Names(names),
                ..
            } => names.list.len,
            StoredBlocks::Wide(_) => CELLS,
            StoredBlocks::Subchunk(subchunk) => subchunk.entries,
            // A number takes no longer than its bytes.
            StoredBlocks::Palette {
                palette: BlockPalette::Numbers(_),
                ..
            }
            | StoredBlocks::Air
            | StoredBlocks::Numeric { .. }
            | StoredBlocks::Column { .. } => 0,
        });
        stored.fold(0, usize::saturating_add)
    }

    pub(crate) fn clear(&mut self) {
        self.by_height.resize(256, None);

        for section in self.sections.drain(..) {
            self.by_height[(section.y + 128) as usize] = None;
        }

        self.order.clear();
        self.blocks.clear();
        self.biomes.clear();
        self.packed.clear();
        self.cut.clear();
        self.last_palette = None;
        self.kinds.clear();
    }

    /// Adds a section. Returns whether it replaced another one at the same height.
    pub(crate) fn add(&mut self, section: Section) -> bool {
        let slot = &mut self.by_height[(section.y + 128) as usize];
        if let Some(other) = *slot {
            self.sections[usize::from(other)] = section;
            return true;
        }
        *slot = Some(self.sections.len() as u16);
        self.sections.push(section);
        false
    }

    /// Returns the section at a height, and adds one if it is missing.
    pub(crate) fn section(&mut self, y: i16) -> &mut Section {
        let slot = &mut self.by_height[(y + 128) as usize];
        let index = *slot.get_or_insert(self.sections.len() as u16);
        if usize::from(index) == self.sections.len() {
            self.sections.push(Section {
                y,
                ..Section::default()
            });
        }

        &mut self.sections[usize::from(index)]
    }

    /// Lists the sections that contain blocks, from the highest down.
    pub(crate) fn sort(&mut self) {
        let heights = self
            .sections
            .iter()
            .map(|section| (section.y + 128) as usize);
        let (lowest, highest) = heights.fold((256, 0), |(low, high), y| (y.min(low), y.max(high)));
        let by_height = self.by_height.get(lowest..=highest).unwrap_or_default();
        let indices = by_height.iter().rev().flatten().copied();
        self.order.extend(indices.filter(|&index| {
            !matches!(self.sections[usize::from(index)].blocks, StoredBlocks::Air)
        }));
    }
}
