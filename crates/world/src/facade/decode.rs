//! Copies the blocks, biomes and signs of a stored chunk into memory.

use std::sync::Arc;

use super::block::Block;
use super::chunk::Chunk;
use super::section::{CELLS, Section, SectionBiomes};
use super::sign::Sign;
use crate::chunk::{Block as StoredBlock, Chunk as StoredChunk, Mask, Status};
use crate::names::{BiomeId, BlockId, NameCache};
use crate::text::{SignEntity, SignKind, read_signs};
use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE, ChunkPos, ColumnPos};

/// The most signs of a chunk, so that its memory is bounded.
const MAX_SIGNS: usize = 1 << 14;
/// The number of a block that the palette of the current section does not contain.
const UNNUMBERED: u16 = u16::MAX;

/// The blocks that a reader has met, by their ids.
#[derive(Debug, Default)]
pub(super) struct BlockTable {
    blocks: Vec<Option<Block>>,
    /// The indices of blocks in the palette of the current section.
    numbers: Vec<u16>,
}

impl BlockTable {
    /// Returns the index of a block in a palette, and adds the block if it is missing.
    fn number(&mut self, block: StoredBlock, palette: &mut Vec<StoredBlock>) -> u16 {
        let index = block.id.index();
        if index >= self.numbers.len() {
            self.numbers.resize(index + 1, UNNUMBERED);
        }

        let number = &mut self.numbers[index];
        if *number == UNNUMBERED {
            // A section has at most 4096 different blocks.
            *number = palette.len() as u16;
            palette.push(block);
        }

        *number
    }

    /// Ends a section.
    fn finish(&mut self, palette: &[StoredBlock], names: &mut NameCache) -> Vec<Block> {
        for block in palette {
            self.numbers[block.id.index()] = UNNUMBERED;
        }
        self.blocks(palette, names)
    }

    fn blocks(&mut self, palette: &[StoredBlock], names: &mut NameCache) -> Vec<Block> {
        palette
            .iter()
            .map(|block| self.block(*block, names))
            .collect()
    }

    fn block(&mut self, block: StoredBlock, names: &mut NameCache) -> Block {
        let index = block.id.index();
        if index >= self.blocks.len() {
            self.blocks.resize(index + 1, None);
        }

        self.blocks[index]
            .get_or_insert_with(|| Block::stored(block, names))
            .clone()
    }
}

/// The biomes of a chunk in the order in which they were met.
#[derive(Default)]
struct BiomeList(Vec<BiomeId>);

impl BiomeList {
    fn number(&mut self, biome: BiomeId) -> u16 {
        let known = self.0.iter().rposition(|known| *known == biome);
        let number = known.unwrap_or_else(|| {
            self.0.push(biome);
            self.0.len() - 1
        });

        // There are at most 65,536 ids.
        number as u16
    }
}

/// Decodes the chunk at `position`.
pub(super) fn decode(
    stored: &mut StoredChunk<'_>,
    position: ChunkPos,
    table: &mut BlockTable,
) -> Chunk {
    let mut biomes = BiomeList::default();
    let column_biomes = column_biomes(stored, &mut biomes);
    let is_by_column = column_biomes.is_some();

    let sections = (0..stored.sections())
        .map(|index| {
            let (palette, cells) = section_blocks(stored, index, table);
            let bottom = stored.section_y(index);
            let biomes = if is_by_column {
                SectionBiomes::One(0)
            } else {
                section_biomes(stored, bottom, &mut biomes)
            };

            Section {
                bottom,
                palette,
                cells,
                biomes,
            }
        })
        .collect();

    let meta = stored.meta();
    let signs = signs(stored, position);
    let names = stored.name_cache();
    let air = StoredBlock {
        id: BlockId::AIR,
        traits: names.traits(BlockId::AIR),
    };

    Chunk {
        position,
        data_version: meta.data_version,
        is_finished: meta.status == Status::Finished,
        sections,
        column_biomes,
        biome_names: biomes
            .0
            .iter()
            .map(|biome| biome_name(*biome, names))
            .collect(),
        signs,
        air: table.block(air, names),
    }
}

fn biome_name(biome: BiomeId, names: &mut NameCache) -> Option<Arc<str>> {
    (biome != BiomeId::NONE).then(|| names.biome_name(biome))
}

/// Returns the palette of a section, and its cells unless all are alike.
fn section_blocks(
    stored: &mut StoredChunk<'_>,
    index: usize,
    table: &mut BlockTable,
) -> (Vec<Block>, Option<Box<[u16; CELLS]>>) {
    let mut cells = [0; CELLS];
    if let Some(stored_palette) = stored.unpack(index, &mut cells) {
        let palette = stored_palette.to_vec();
        let blocks = table.blocks(&palette, stored.name_cache());
        let cells = (blocks.len() > 1).then(|| Box::new(cells));
        return (blocks, cells);
    }

    let mut palette = Vec::new();
    for y in 0..CHUNK_SIDE {
        stored.each(index, y, Mask::ALL, |column, block| {
            cells[y * CHUNK_AREA + column] = table.number(block, &mut palette);
        });
    }

    let blocks = table.finish(&palette, stored.name_cache());
    let cells = (palette.len() > 1).then(|| Box::new(cells));
    (blocks, cells)
}

/// Returns the biomes of all columns, if they are stored by column.
fn column_biomes(
    stored: &mut StoredChunk<'_>,
    biomes: &mut BiomeList,
) -> Option<Box<[u16; CHUNK_AREA]>> {
    stored.biomes_by_column()?;
    Some(Box::new(std::array::from_fn(|column| {
        biomes.number(stored.biome(column, 0))
    })))
}

/// Returns the biomes of the section whose lowest layer is `bottom`.
fn section_biomes(
    stored: &mut StoredChunk<'_>,
    bottom: i32,
    biomes: &mut BiomeList,
) -> SectionBiomes {
    if let Some(only) = stored.only_biome(bottom..=bottom + 15) {
        // A missing biome counts as plains there, but is missing here.
        let is_stored = stored.biome(0, bottom) == only;
        return SectionBiomes::One(biomes.number(if is_stored { only } else { BiomeId::NONE }));
    }

    if stored.has_biomes_by_cell() {
        return SectionBiomes::Cells(Box::new(std::array::from_fn(|cell| {
            let (x, z) = (cell % 4 * 4, cell / 4 % 4 * 4);
            let y = bottom + (cell / 16 * 4) as i32;
            biomes.number(stored.biome(z * CHUNK_SIDE + x, y))
        })));
    }

    SectionBiomes::Blocks(Box::new(std::array::from_fn(|cell| {
        let y = bottom + (cell / CHUNK_AREA) as i32;
        biomes.number(stored.biome(cell % CHUNK_AREA, y))
    })))
}

/// Returns the signs with text. A damaged block entity ends the list.
fn signs(stored: &StoredChunk<'_>, position: ChunkPos) -> Vec<Sign> {
    let mut signs = Vec::new();
    let Some(entities) = stored.block_entities() else {
        return signs;
    };

    let _ = read_signs(entities, stored.meta().data_version, |entity| {
        if signs.len() < MAX_SIGNS && is_sign_in(&entity, position) {
            let [x, y, z] = entity.at;
            let [front, back] = entity.sides;
            signs.push(Sign {
                x,
                y,
                z,
                front,
                back,
            });
        }
    });

    signs
}

/// Returns whether an entity is a sign with text in the chunk at `position`.
fn is_sign_in(entity: &SignEntity, position: ChunkPos) -> bool {
    let [x, _, z] = entity.at;
    entity.kind == SignKind::Sign
        && ColumnPos { x, z }.chunk() == position
        && entity.sides.iter().any(|side| !side.is_empty())
}
