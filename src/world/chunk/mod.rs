//! Reads one chunk of any generation and presents it as a view of blocks and biomes.
//!
//! The structure of each chunk and section decides its generation. level.dat never does and the `DataVersion` hardly
//! ever, because one region can contain chunks of every version. Parsing records positions in the inflated bytes
//! instead of values, and a palette is resolved when its section is first read. Stored height maps are ignored, because
//! editors leave them wrong and old ones miss blocks. This module does not deal with files or colours.
//!
//! Sources: the chunk format page of the Minecraft Wiki and the game's own converters, as of 26.4 (snapshot 6). Each
//! generation has a fixture under `fixtures/`.

#[cfg(test)]
mod bedrock_tests;
mod beds;
mod biomes;
mod blocks;
mod down;
mod dyes;
mod entries;
mod light;
mod mask;
mod meta;
mod numeric;
mod packing;
mod parse;
mod section;
mod slice;
mod spawners;
mod storage;
mod subchunk;
mod values;
mod wide;

pub use mask::Mask;
pub use meta::{Generation, Meta, Status, Warnings};
pub use slice::Slice;
pub use spawners::SpawnerBox;

use std::fmt;
use std::ops::RangeInclusive;

use crate::base::coord::CHUNK_AREA;
use crate::world::bytes::Form;
use crate::world::names::{BiomeEra, BiomeId, BlockId, NameCache, Traits};
use crate::world::nbt::{self, LittleReader, Reader, Span};

use biomes::{ChunkBiomes, SectionBiomes};
use blocks::{Blocks, CELLS, Cells};
use dyes::Dyes;
use entries::SectionPalette;
use light::StoredLight;
use numeric::NumericTable;
use parse::Extras;
use section::{Section, SectionTable};
use slice::KindTable;
use storage::Cursor;
use wide::Wide;

/// The reason why inflated bytes cannot be read as a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    Nbt(nbt::Error),
    /// An array or palette has a length or type that is impossible for its kind.
    Content(&'static str),
}

impl Error {
    /// The blocks have a known name but an unknown type.
    const FORM: Self =
        Self::Content("its blocks are stored in an unknown form: the chunk is damaged, or of a newer version");

    /// Returns the reason in one word, for reports.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Nbt(_) => "nbt",
            Self::Content(_) => "content",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nbt(error) => error.fmt(f),
            Self::Content(what) => write!(f, "{what}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<nbt::Error> for Error {
    fn from(error: nbt::Error) -> Self {
        Self::Nbt(error)
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Block {
    pub id: BlockId,
    /// Stored next to the id, because column scans need both.
    pub traits: Traits,
}

impl Block {
    const AIR: Self = Self { id: BlockId::AIR, traits: Traits::NOTHING };
}

/// The most entries that the palettes of a chunk may have together, which is the number of cells in 16 sections. An
/// entry may take only two bytes, and it takes a hundred times as long as a byte of anything else. Without this limit a
/// file of 20 KB would take hours.
const MAX_LOOKUPS: usize = 16 * CELLS;

/// One worker's buffers for reading chunks, reused from chunk to chunk.
#[derive(Debug, Default)]
pub struct Buffers {
    sections: Vec<Section>,
    /// Indices of the sections that contain blocks, highest first.
    order: Vec<u16>,
    /// Index of the section at each section height -128 to 127, for biomes.
    by_height: Vec<Option<u16>>,
    blocks: Vec<Block>,
    biomes: Vec<BiomeId>,
    /// The last resolved palette, for reuse, because sections of only air follow one another.
    last_palette: Option<(SectionPalette, SectionTable)>,
    /// The kinds of the last section that was read.
    kinds: KindTable,
    /// Packed indices of Bedrock sections.
    packed: Vec<u8>,
    /// Sections cut out of a chunk that has one array for all heights.
    cut: Vec<u8>,
    numeric: NumericTable,
    dyes: Dyes,
    /// The light of the current chunk, or `None` if no layer needs it.
    light: Option<StoredLight>,
}

#[derive(Debug)]
pub struct Chunk<'a> {
    bytes: &'a [u8],
    buffers: &'a mut Buffers,
    name_cache: &'a mut NameCache,
    form: Form,
    biomes: ChunkBiomes,
    meta: Meta,
    extras: Extras,
}

/// The entities of a chunk, or its block entities.
#[derive(Debug)]
pub enum EntityList<'a> {
    /// The reader is positioned at a list.
    List(Reader<'a>),
    /// The reader is positioned at the first of several consecutive compounds, which end with the bytes.
    Roots(LittleReader<'a>),
}

impl<'a> Chunk<'a> {
    /// Parses inflated bytes. `name_cache` provides the ids of names.
    ///
    /// # Errors
    /// Fails if the NBT is damaged, if a value or an array of blocks has an impossible length, or if the palettes are
    /// too long. In these cases no part of the chunk is usable.
    // Never inlined, so that benches/instructions.sh can count it. This costs little, because it is called once per
    // chunk.
    #[inline(never)]
    pub fn parse(
        bytes: &'a [u8],
        form: Form,
        buffers: &'a mut Buffers,
        name_cache: &'a mut NameCache,
    ) -> Result<Self, Error> {
        let (meta, biomes, extras) = match form {
            Form::Nbt => parse::parse(bytes, buffers)?,
            Form::Values => values::parse(bytes, buffers)?,
        };
        if buffers.lookups() > MAX_LOOKUPS {
            return Err(Error::Content("its palettes have more than 65,536 entries"));
        }
        Ok(Self { bytes, buffers, name_cache, form, biomes, meta, extras })
    }

    /// Returns the facts of the chunk. Reading its blocks later may add warnings to them.
    pub fn meta(&self) -> Meta {
        self.meta
    }

    /// Adds a warning about the bytes that the chunk was read from.
    pub fn warn(&mut self, warning: Warnings) {
        self.meta.warnings.add(warning);
    }

    /// Returns a reader at the compound of its structures, or `None` if it stores none.
    pub fn structures(&self) -> Option<Reader<'a>> {
        (!self.extras.structures.is_empty()).then(|| Reader::at_payload(self.bytes, self.extras.structures))
    }

    /// Returns its block entities, or `None` if it stores none.
    pub fn block_entities(&self) -> Option<EntityList<'a>> {
        self.entity_list(self.extras.block_entities)
    }

    /// Returns its entities, or `None` if it stores none. Chunks of Bedrock Edition, and of Java Edition since 1.17,
    /// never do.
    pub fn entities(&self) -> Option<EntityList<'a>> {
        self.entity_list(self.extras.entities)
    }

    fn entity_list(&self, stored: Span) -> Option<EntityList<'a>> {
        (!stored.is_empty()).then(|| match self.form {
            Form::Nbt => EntityList::List(Reader::at_payload(self.bytes, stored)),
            Form::Values => EntityList::Roots(LittleReader::in_compound(stored.slice(self.bytes))),
        })
    }

    /// Returns the boxes in which the mobs of structures appear. Chunks of Java Edition do not store them.
    pub fn spawner_boxes(&self) -> impl Iterator<Item = SpawnerBox> {
        SpawnerBox::read_all(Cursor::new(self.bytes, self.extras.spawners))
    }

    /// Returns the cache that provides the ids of this chunk.
    pub fn name_cache(&mut self) -> &mut NameCache {
        self.name_cache
    }

    /// Returns the number of sections that contain blocks. Section 0 is the highest.
    pub fn sections(&self) -> usize {
        self.buffers.order.len()
    }

    /// Returns the height of a section's lowest slice, in blocks.
    pub fn section_y(&self, section: usize) -> i32 {
        i32::from(self.section(section).y) * 16
    }

    fn section(&self, section: usize) -> &Section {
        &self.buffers.sections[usize::from(self.buffers.order[section])]
    }

    /// Returns the kinds of the cells in slice `y` (0 to 15) of a section. Only the columns in `open` are valid; the
    /// others may have any value.
    pub fn slice(&mut self, section: usize, y: usize, open: Mask) -> Slice {
        let table @ SectionTable { start, len, .. } = self.resolve(section);
        let stored = self.section(section).blocks;
        let Buffers { numeric, cut, packed, blocks, kinds, .. } = &mut *self.buffers;
        let blocks = &blocks[start..start + len];
        match stored.cells(self.bytes, cut, packed, table) {
            Cells::Uniform => Slice::uniform(blocks[0]),
            Cells::Packed { longs, packing } => {
                // The last entry of a table is air, for indices past the palette's end.
                let limit = (len - 1) as u16;
                let (slice, past_end) = if let Some(index) = packing.uniform(longs, y) {
                    (Slice::uniform(blocks[usize::from(index.min(limit))]), index >= limit)
                } else if let Some(bits) = kinds.set(start, &blocks[..len - 1], packing) {
                    kinds.slice(bits, longs, y, open)
                } else {
                    let mut cells = [0; CHUNK_AREA];
                    let past_end = packing.slice(longs, y, limit, &mut cells);
                    (Slice::from_blocks(|column| blocks[usize::from(cells[column])]), past_end)
                };
                if past_end {
                    self.meta.warnings.add(Warnings::PALETTE_INDEX);
                }
                slice
            }
            Cells::Numeric(arrays) => numeric.slice(arrays, y, open, self.name_cache),
            Cells::Wide(cells) => {
                let mut lookup = cells.lookup(&blocks[..len - 1], self.name_cache);
                let (slice, past_end) = cells.slice(y, open, &mut lookup);
                if past_end {
                    self.meta.warnings.add(Warnings::PALETTE_INDEX);
                }
                slice
            }
        }
    }

    /// Visits some cells of slice `y` (0 to 15) of a section, in order.
    #[inline]
    pub fn each(&mut self, section: usize, y: usize, cells: Mask, mut visit: impl FnMut(usize, Block)) {
        let table @ SectionTable { start, len, .. } = self.resolve(section);
        let stored = self.section(section).blocks;
        let Buffers { numeric, cut, packed, blocks, .. } = &mut *self.buffers;
        let blocks = &blocks[start..start + len];
        match stored.cells(self.bytes, cut, packed, table) {
            Cells::Uniform => cells.each(|column| visit(column, blocks[0])),
            Cells::Packed { longs, packing } => {
                let limit = len - 1;
                let mut past_end = false;
                packing.each(longs, y, cells, |column, index| {
                    let index = usize::from(index);
                    past_end |= index >= limit;
                    visit(column, blocks[index.min(limit)]);
                });
                if past_end {
                    self.meta.warnings.add(Warnings::PALETTE_INDEX);
                }
            }
            Cells::Numeric(arrays) => numeric.each(arrays, y, cells, self.name_cache, visit),
            Cells::Wide(stored) => {
                let mut lookup = stored.lookup(&blocks[..len - 1], self.name_cache);
                if stored.each(y, cells, &mut lookup, visit) {
                    self.meta.warnings.add(Warnings::PALETTE_INDEX);
                }
            }
        }
    }

    /// Returns whether `test` accepts all blocks in the palette of a section. Returns false for sections of numeric
    /// ids, because they have no palette.
    pub fn all_blocks(&mut self, section: usize, test: impl Fn(Traits) -> bool) -> bool {
        match self.section(section).blocks {
            Blocks::Numeric { .. } | Blocks::Column { .. } | Blocks::Wide(Wide::Shorts { .. } | Wide::Parts { .. }) => {
                false
            }
            // Includes the air at the end of each table.
            _ => {
                let SectionTable { start, len, .. } = self.resolve(section);
                self.buffers.blocks[start..start + len].iter().all(|block| test(block.traits))
            }
        }
    }

    /// Returns the block in one cell: slice `y` (0 to 15) and column `[z][x]` of a section.
    pub fn cell(&mut self, section: usize, y: usize, column: usize) -> Block {
        let mut cell = Block::AIR;
        self.each(section, y, Mask::only(column), |_, block| cell = block);
        cell
    }

    /// Resolves the palette of a section into a table, unless that was done before.
    fn resolve(&mut self, section: usize) -> SectionTable {
        let index = usize::from(self.buffers.order[section]);
        if let Some(table) = self.buffers.sections[index].table {
            return table;
        }
        let Buffers { blocks, packed, cut, sections, last_palette, dyes, .. } = &mut *self.buffers;
        let start = blocks.len();
        let mut cells = packed.len();
        let mut packing = None;
        match sections[index].blocks {
            Blocks::Palette { names, .. } => match *last_palette {
                Some((last, table)) if names.is_same(last, self.bytes) => {
                    sections[index].table = Some(table);
                    return table;
                }
                _ => {
                    if names.resolve(self.bytes, self.name_cache, blocks) {
                        self.meta.warnings.add(Warnings::NAMELESS);
                    }
                }
            },
            Blocks::Wide(stored) => {
                stored.resolve(self.bytes, self.name_cache, blocks);
                // Every index is past the end of an empty palette, and no cell of its section is looked at.
                if matches!(stored, Wide::Palette { .. }) && blocks.len() == start {
                    self.meta.warnings.add(Warnings::PALETTE_INDEX);
                }
            }
            Blocks::Subchunk(stored) => {
                let y = sections[index].y;
                let expanded = stored.expand(y, self.bytes, dyes, self.name_cache, blocks, packed);
                self.meta.warnings.add(expanded.warnings);
                packing = expanded.packing;
            }
            Blocks::Column { ids, data } => {
                cells = cut.len();
                numeric::cut(ids.slice(self.bytes), data.slice(self.bytes), sections[index].y as usize, cut);
            }
            _ => {}
        }
        // Indices past the end of the palette get this entry.
        blocks.push(Block::AIR);
        let table = SectionTable { start, len: blocks.len() - start, cells, packing };
        sections[index].table = Some(table);
        if let Blocks::Palette { names, .. } = sections[index].blocks {
            *last_palette = Some((names, table));
        }
        table
    }

    /// Returns whether biomes are stored only by cells of 4 by 4 by 4 blocks, not by column.
    pub fn has_biomes_by_cell(&self) -> bool {
        matches!(self.biomes, ChunkBiomes::None | ChunkBiomes::Cells { .. })
    }

    /// Returns the biomes of all columns, with plains where the biome is missing. Returns `None` unless all biomes are
    /// stored by column.
    pub fn biomes_by_column(&mut self) -> Option<[BiomeId; CHUNK_AREA]> {
        if self.buffers.sections.iter().any(|section| section.biomes.is_some()) {
            return None;
        }
        self.biomes.by_column(self.bytes, self.biome_era(), self.name_cache)
    }

    /// Returns the biome at a block, or plains if the chunk does not store it.
    pub fn biome_or_default(&mut self, column: usize, y: i32) -> BiomeId {
        match self.biome(column, y) {
            BiomeId::NONE => BiomeId::PLAINS,
            biome => biome,
        }
    }

    /// Returns the biome of all blocks between two heights, if all of their sections have only this biome.
    pub fn only_biome(&mut self, heights: RangeInclusive<i32>) -> Option<BiomeId> {
        let has_one_biome = |height: i32| {
            let section = usize::try_from(height + 128).ok().and_then(|height| self.buffers.by_height.get(height));
            let biomes = section.and_then(|section| self.buffers.sections[usize::from((*section)?)].biomes);
            biomes.is_some_and(SectionBiomes::is_uniform)
        };
        let sections = heights.start() >> 4..=heights.end() >> 4;
        if !sections.clone().all(has_one_biome) {
            return None;
        }
        let only = self.biome_or_default(0, *heights.start());
        sections.clone().all(|height| self.biome_or_default(0, height * 16) == only).then_some(only)
    }

    /// Returns the biomes of a slice of cells, `[z][x]`, with plains where they are missing. A cell has 4 by 4 by 4
    /// blocks, and `y` counts cells.
    pub fn slice_biomes(&mut self, y: i32) -> [BiomeId; 16] {
        std::array::from_fn(|cell| self.biome_or_default(cell >> 2 << 6 | (cell & 3) << 2, y * 4))
    }

    fn biome_era(&self) -> BiomeEra {
        BiomeEra::new(self.meta.data_version)
    }

    /// Returns the biome at a block: column `[z][x]` of the chunk and height in blocks. Returns [`BiomeId::NONE`] if it
    /// is not stored.
    pub fn biome(&mut self, column: usize, y: i32) -> BiomeId {
        let x = column % 16;
        let z = column / 16;
        let era = self.biome_era();
        let Buffers { sections, biomes, by_height, .. } = &mut *self.buffers;
        let index = usize::try_from((y >> 4) + 128).ok().and_then(|height| *by_height.get(height)?);
        let section = index.map(|index| &mut sections[usize::from(index)]);
        let Some((section, stored)) = section.and_then(|section| section.biomes.map(|stored| (section, stored))) else {
            return self.biomes.biome_at(self.bytes, (x, y, z), era, self.name_cache);
        };
        let (start, len) = *section.biome_table.get_or_insert_with(|| {
            let start = biomes.len();
            stored.resolve(self.bytes, self.name_cache, biomes);
            (start, biomes.len() - start)
        });
        let index = stored.index(self.bytes, x, (y & 15) as usize, z);
        biomes[start..start + len].get(index).copied().unwrap_or(BiomeId::NONE)
    }
}

impl Buffers {
    /// Returns how many names or numbers must be looked up for the blocks of the chunk.
    fn lookups(&self) -> usize {
        let stored = self.sections.iter().map(|section| match section.blocks {
            Blocks::Palette { names, .. } => names.list.len,
            Blocks::Wide(_) => CELLS,
            Blocks::Subchunk(subchunk) => subchunk.entries,
            Blocks::Air | Blocks::Numeric { .. } | Blocks::Column { .. } => 0,
        });
        stored.fold(0, usize::saturating_add)
    }

    fn clear(&mut self) {
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
    fn add(&mut self, section: Section) -> bool {
        let place = &mut self.by_height[(section.y + 128) as usize];
        if let Some(other) = *place {
            self.sections[usize::from(other)] = section;
            return true;
        }
        *place = Some(self.sections.len() as u16);
        self.sections.push(section);
        false
    }

    /// Returns the section at a height, and adds one if it is missing.
    fn section(&mut self, y: i16) -> &mut Section {
        let place = &mut self.by_height[(y + 128) as usize];
        let index = *place.get_or_insert(self.sections.len() as u16);
        if usize::from(index) == self.sections.len() {
            self.sections.push(Section { y, ..Section::default() });
        }
        &mut self.sections[usize::from(index)]
    }

    /// Lists the sections that contain blocks, from the highest down.
    fn sort(&mut self) {
        let heights = self.sections.iter().map(|section| (section.y + 128) as usize);
        let (lowest, highest) = heights.fold((256, 0), |(low, high), y| (y.min(low), y.max(high)));
        let by_height = self.by_height.get(lowest..=highest).unwrap_or_default();
        let indices = by_height.iter().rev().flatten().copied();
        self.order.extend(indices.filter(|&index| !matches!(self.sections[usize::from(index)].blocks, Blocks::Air)));
    }
}
