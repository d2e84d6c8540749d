//! One chunk, whatever its generation, as a view of blocks and biomes.
//!
//! The generation follows from the structure, chunk by chunk and section by section, never from level.dat and hardly
//! ever from the `DataVersion`: one region can hold chunks of every version side by side. Parsing records positions in
//! the inflated bytes, not values; palettes are resolved when a section is first read. Stored height maps are ignored:
//! editors leave them wrong, and old ones miss blocks. Knows no files and no colours.
//!
//! Sources: the chunk format page of the Minecraft Wiki and the game's own converters, as of 26.4 (snapshot 6); each generation has
//! a fixture under `fixtures/`.

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

/// Why inflated bytes are no chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    Nbt(nbt::Error),
    /// An array or palette has a length or type that is impossible for its kind.
    Content(&'static str),
}

impl Error {
    /// Blocks with a known name but an unknown type.
    const FORM: Self =
        Self::Content("its blocks are stored in an unknown form: the chunk is damaged, or of a newer version");

    /// The reason in one word, as reports name it.
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
    /// Cached here for column scans.
    pub traits: Traits,
}

impl Block {
    const AIR: Self = Self { id: BlockId::AIR, traits: Traits::NOTHING };
}

/// The most entries that the palettes of a chunk may have together: as many as 16 sections have cells. An entry takes
/// two bytes, and a hundred times as long as a byte of anything else: without this limit a file of 20 KB would take
/// hours.
const MAX_LOOKUPS: usize = 16 * CELLS;

/// One worker's buffers for reading chunks, reused from chunk to chunk.
#[derive(Debug, Default)]
pub struct Buffers {
    sections: Vec<Section>,
    /// Indices of the sections that hold blocks, highest first.
    order: Vec<u16>,
    /// Index of the section at each section height -128 to 127, for biomes.
    by_height: Vec<Option<u16>>,
    blocks: Vec<Block>,
    biomes: Vec<BiomeId>,
    /// The palette that was resolved last: sections of nothing but air follow one another.
    last_palette: Option<(SectionPalette, SectionTable)>,
    /// The kinds of the section that was read last.
    kinds: KindTable,
    /// Indices of sections of Bedrock Edition.
    packed: Vec<u8>,
    /// Sections that were cut out of a chunk before 1.2.
    cut: Vec<u8>,
    numeric: NumericTable,
    dyes: Dyes,
    /// The light of the current chunk; `None`: no layer needs it.
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
    /// The reader is at a list of them.
    List(Reader<'a>),
    /// The reader is at the first of compounds that lie one after another up to the end of the bytes.
    Roots(LittleReader<'a>),
}

impl<'a> Chunk<'a> {
    /// Parses inflated bytes; `name_cache` finds the ids of names.
    ///
    /// # Errors
    /// The NBT is damaged, a value or an array of blocks has an impossible length, or palettes are too long. Nothing of
    /// the chunk is usable then.
    // Stays a function of its own, so that benches/instructions.sh can count it; called once per chunk.
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

    /// The chunk's facts; warnings may be added while it is read.
    pub fn meta(&self) -> Meta {
        self.meta
    }

    /// Adds a warning about the bytes that the chunk was read from.
    pub fn warn(&mut self, warning: Warnings) {
        self.meta.warnings.add(warning);
    }

    /// A reader at the compound of its structures; `None`: it stores none.
    pub fn structures(&self) -> Option<Reader<'a>> {
        (!self.extras.structures.is_empty()).then(|| Reader::at_payload(self.bytes, self.extras.structures))
    }

    /// Its block entities; `None`: it stores none.
    pub fn block_entities(&self) -> Option<EntityList<'a>> {
        self.entity_list(self.extras.block_entities)
    }

    /// Its entities; `None`: it stores none, as since 1.17, and in Bedrock Edition.
    pub fn entities(&self) -> Option<EntityList<'a>> {
        self.entity_list(self.extras.entities)
    }

    fn entity_list(&self, stored: Span) -> Option<EntityList<'a>> {
        (!stored.is_empty()).then(|| match self.form {
            Form::Nbt => EntityList::List(Reader::at_payload(self.bytes, stored)),
            Form::Values => EntityList::Roots(LittleReader::in_compound(stored.slice(self.bytes))),
        })
    }

    /// The boxes in which mobs of structures appear; none in Java Edition.
    pub fn spawner_boxes(&self) -> impl Iterator<Item = SpawnerBox> {
        SpawnerBox::read_all(Cursor::new(self.bytes, self.extras.spawners))
    }

    /// The cache that names this chunk's ids.
    pub fn name_cache(&mut self) -> &mut NameCache {
        self.name_cache
    }

    /// Number of sections that hold blocks; section 0 is the highest.
    pub fn sections(&self) -> usize {
        self.buffers.order.len()
    }

    /// The height of a section's lowest slice, in blocks.
    pub fn section_y(&self, section: usize) -> i32 {
        i32::from(self.section(section).y) * 16
    }

    fn section(&self, section: usize) -> &Section {
        &self.buffers.sections[usize::from(self.buffers.order[section])]
    }

    /// The kinds of the cells of slice `y` (0 to 15) of a section, in the columns that are `open`; other columns have
    /// any value.
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

    /// Returns whether `test` holds for all blocks of a section's palette; false for sections of numeric ids, which
    /// have no palette.
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

    /// The block in one cell: slice `y` (0 to 15) and column `[z][x]` of a section.
    pub fn cell(&mut self, section: usize, y: usize, column: usize) -> Block {
        let mut cell = Block::AIR;
        self.each(section, y, Mask::only(column), |_, block| cell = block);
        cell
    }

    /// Makes the table of a section's palette, unless it is made already.
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
        // For indices past the palette's end.
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

    /// The biomes of all columns, plains for those without one; `None`: they are not all stored by column.
    pub fn biomes_by_column(&mut self) -> Option<[BiomeId; CHUNK_AREA]> {
        if self.buffers.sections.iter().any(|section| section.biomes.is_some()) {
            return None;
        }
        self.biomes.by_column(self.bytes, self.biome_era(), self.name_cache)
    }

    /// The biome at a block; plains where the chunk stores none.
    pub fn biome_or_default(&mut self, column: usize, y: i32) -> BiomeId {
        match self.biome(column, y) {
            BiomeId::NONE => BiomeId::PLAINS,
            biome => biome,
        }
    }

    /// The biome of all blocks between two heights, if their sections have one and the same biome.
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

    /// The biomes of a slice of cells of 4 by 4 by 4 blocks, `[z][x]`; `y` in cells. Plains where none is stored.
    pub fn slice_biomes(&mut self, y: i32) -> [BiomeId; 16] {
        std::array::from_fn(|cell| self.biome_or_default(cell >> 2 << 6 | (cell & 3) << 2, y * 4))
    }

    fn biome_era(&self) -> BiomeEra {
        BiomeEra::new(self.meta.data_version)
    }

    /// The biome at a block: column `[z][x]` of the chunk, height in blocks; [`BiomeId::NONE`] where none is stored.
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
    /// The number of names or numbers that must be looked up for the blocks of the chunk.
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

    /// The section at a height; a new one if there is none.
    fn section(&mut self, y: i16) -> &mut Section {
        let place = &mut self.by_height[(y + 128) as usize];
        let index = *place.get_or_insert(self.sections.len() as u16);
        if usize::from(index) == self.sections.len() {
            self.sections.push(Section { y, ..Section::default() });
        }
        &mut self.sections[usize::from(index)]
    }

    /// Lists the sections that hold blocks, from the highest down.
    fn sort(&mut self) {
        let heights = self.sections.iter().map(|section| (section.y + 128) as usize);
        let (lowest, highest) = heights.fold((256, 0), |(low, high), y| (y.min(low), y.max(high)));
        let by_height = self.by_height.get(lowest..=highest).unwrap_or_default();
        let indices = by_height.iter().rev().flatten().copied();
        self.order.extend(indices.filter(|&index| !matches!(self.sections[usize::from(index)].blocks, Blocks::Air)));
    }
}
