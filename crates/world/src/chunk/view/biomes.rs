//! Finds the biomes of a chunk, however they are stored.

use std::ops::RangeInclusive;

use super::chunk::Chunk;
use crate::chunk::forms::stored::biomes::{ChunkBiomes, SectionBiomes};
use crate::chunk::forms::stored::buffers::ChunkBuffers;
use crate::names::{BiomeEra, BiomeId};
use pixelmap_base::coord::CHUNK_AREA;

impl Chunk<'_> {
    /// Returns whether biomes are stored only by cells of 4 by 4 by 4 blocks, not by column.
    pub fn has_biomes_by_cell(&self) -> bool {
        matches!(self.biomes, ChunkBiomes::None | ChunkBiomes::Cells { .. })
    }

    /// Returns the biomes of all columns, with plains where the biome is missing. Returns `None`
    /// unless all biomes are stored by column.
    pub fn biomes_by_column(&mut self) -> Option<[BiomeId; CHUNK_AREA]> {
        if self
            .buffers
            .sections
            .iter()
            .any(|section| section.biomes.is_some())
        {
            return None;
        }

        self.biomes
            .by_column(self.bytes, self.biome_era(), self.name_cache)
    }

    /// Returns the biome at a block, or plains if the chunk does not store it.
    pub fn biome_or_default(&mut self, column: usize, y: i32) -> BiomeId {
        match self.biome(column, y) {
            BiomeId::NONE => BiomeId::PLAINS,
            biome => biome,
        }
    }

    /// Returns the biome of all blocks between two heights, if all of their sections have only this
    /// biome.
    pub fn only_biome(&mut self, heights: RangeInclusive<i32>) -> Option<BiomeId> {
        let sections = heights.start() >> 4..=heights.end() >> 4;
        if !sections.clone().all(|height| self.has_one_biome(height)) {
            return None;
        }

        let only = self.biome_or_default(0, *heights.start());
        sections
            .clone()
            .all(|height| self.biome_or_default(0, height * 16) == only)
            .then_some(only)
    }

    /// Returns whether a section is stored at `height`, which counts sections, and has only one
    /// biome.
    fn has_one_biome(&self, height: i32) -> bool {
        let section = usize::try_from(height + 128)
            .ok()
            .and_then(|height| self.buffers.by_height.get(height));
        let biomes =
            section.and_then(|section| self.buffers.sections[usize::from((*section)?)].biomes);
        biomes.is_some_and(SectionBiomes::is_uniform)
    }

    /// Returns the biomes of a slice of cells, `[z][x]`, with plains where they are missing. A cell
    /// has 4 by 4 by 4 blocks, and `y` counts cells.
    pub fn slice_biomes(&mut self, y: i32) -> [BiomeId; 16] {
        std::array::from_fn(|cell| self.biome_or_default(cell >> 2 << 6 | (cell & 3) << 2, y * 4))
    }

    fn biome_era(&self) -> BiomeEra {
        BiomeEra::new(self.meta.data_version)
    }

    /// Returns the biome at a block: column `[z][x]` of the chunk and height in blocks. Returns
    /// [`BiomeId::NONE`] if it is not stored.
    pub fn biome(&mut self, column: usize, y: i32) -> BiomeId {
        let x = column % 16;
        let z = column / 16;
        let era = self.biome_era();
        let ChunkBuffers {
            sections,
            biomes,
            by_height,
            ..
        } = &mut *self.buffers;

        let index = usize::try_from((y >> 4) + 128)
            .ok()
            .and_then(|height| *by_height.get(height)?);

        let section = index.map(|index| &mut sections[usize::from(index)]);
        let Some((section, stored)) =
            section.and_then(|section| section.biomes.map(|stored| (section, stored)))
        else {
            return self
                .biomes
                .biome_at(self.bytes, (x, y, z), era, self.name_cache);
        };

        let (start, len) = *section.biome_table.get_or_insert_with(|| {
            let start = biomes.len();
            stored.resolve(self.bytes, self.name_cache, biomes);
            (start, biomes.len() - start)
        });

        let index = stored.index(self.bytes, x, (y & 15) as usize, z);
        biomes[start..start + len]
            .get(index)
            .copied()
            .unwrap_or(BiomeId::NONE)
    }
}
