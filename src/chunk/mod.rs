//! One chunk, whatever its generation, as a view of blocks and biomes.
//!
//! The generation is told by structure, chunk by chunk and section by section, never by level.dat and hardly ever by
//! the `DataVersion`: one region can hold chunks of every version side by side. Parsing keeps places in the inflated
//! bytes, not values; palettes are resolved when a section is first looked at. Stored height maps are not read at all:
//! editors leave them wrong, and old ones miss blocks.
//! Knows no files and no colours.
//!
//! Sources: the chunk format page of the Minecraft Wiki and the game's own converters, as of 26.3; each generation has a
//! fixture under `fixtures/`.

mod biomes;
mod blocks;
mod entries;
mod packing;
mod parse;

pub use parse::{Generation, Meta, Status, Warnings};

use std::fmt;

use crate::block::{BiomeId, BlockId, Book, Traits};
use crate::coord::CHUNK_AREA;
use crate::nbt;

use biomes::ChunkBiomes;
use blocks::{Blocks, NumericTable};
use parse::{Section, Table};

/// Why a chunk's inflated bytes are no chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// The NBT is damaged.
    Nbt(nbt::Error),
    /// An array has a length that its kind cannot have.
    Content(&'static str),
}

impl Error {
    /// The reason in one word, as reports name it.
    pub const fn reason(&self) -> &'static str {
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

/// The cells of one layer.
#[derive(Debug)]
pub struct Cells {
    /// `[z][x]`, as indices into a [`Lookup`].
    pub indices: [u16; CHUNK_AREA],
    /// Columns whose cell is not the usual one, in order; as many as [`Layer::Unusual`] says.
    pub places: [u8; CHUNK_AREA],
}

impl Default for Cells {
    fn default() -> Self {
        Self { indices: [0; CHUNK_AREA], places: [0; CHUNK_AREA] }
    }
}

/// What [`Chunk::layer`] has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// All cells are this one; none was written.
    Uniform(u16),
    /// So many cells are not the usual one; these were written, and their places.
    Unusual(usize),
    /// All cells were written.
    Mixed,
}

/// What the cells of a section stand for.
#[derive(Debug, Clone, Copy)]
pub struct Lookup<'a> {
    /// The block of each index.
    pub ids: &'a [BlockId],
    /// The traits of each index, in the same order.
    pub traits: &'a [Traits],
}

/// One worker's buffers for reading chunks, kept from chunk to chunk.
#[derive(Debug, Default)]
pub struct Buffers {
    sections: Vec<Section>,
    /// Sections that hold blocks, highest first.
    order: Vec<u16>,
    /// The section of each section height -128 to 127, for biomes.
    by_height: Vec<Option<u16>>,
    ids: Vec<BlockId>,
    traits: Vec<Traits>,
    biomes: Vec<BiomeId>,
    /// Indices of the rare sections whose ids are wider than 16 bits, 4096 each.
    wide: Vec<u16>,
    numeric: NumericTable,
}

/// A chunk that was parsed.
#[derive(Debug)]
pub struct Chunk<'a> {
    bytes: &'a [u8],
    buffers: &'a mut Buffers,
    book: &'a mut Book,
    biomes: ChunkBiomes,
    meta: Meta,
}

impl<'a> Chunk<'a> {
    /// Parses inflated bytes; names are looked up in `book`.
    ///
    /// # Errors
    /// The NBT is damaged, or an array of blocks has an impossible length. Nothing of the chunk is usable then.
    // Stays a function of its own, so that benches/instructions.sh can count it; called once a chunk.
    #[inline(never)]
    pub fn parse(bytes: &'a [u8], buffers: &'a mut Buffers, book: &'a mut Book) -> Result<Self, Error> {
        let (meta, biomes) = parse::parse(bytes, buffers)?;
        Ok(Self { bytes, buffers, book, biomes, meta })
    }

    /// What the chunk says of itself; warnings may be added while it is looked at.
    pub fn meta(&self) -> Meta {
        self.meta
    }

    /// The names this chunk's ids belong to.
    pub fn book(&mut self) -> &mut Book {
        self.book
    }

    /// The number of sections that hold blocks; they are counted from the highest.
    pub fn sections(&self) -> usize {
        self.buffers.order.len()
    }

    /// The height of a section's lowest layer, in blocks.
    pub fn section_y(&self, section: usize) -> i32 {
        i32::from(self.section(section).y) * 16
    }

    fn section(&self, section: usize) -> &Section {
        &self.buffers.sections[usize::from(self.buffers.order[section])]
    }

    /// Reads layer `y` (0 to 15) of a section, doing no more than its kind asks for; cells that are `usual` may be left
    /// out. Also gives what the cells stand for.
    pub fn layer(&mut self, section: usize, y: usize, usual: Option<u16>, cells: &mut Cells) -> (Layer, Lookup<'_>) {
        let Cells { indices: cells, places } = cells;
        let Table { len, wide, .. } = self.resolve(section);
        let Section { y: height, blocks, .. } = *self.section(section);
        let numeric = &mut self.buffers.numeric;
        let layer = match blocks {
            Blocks::Air | Blocks::Palette { packing: None, .. } => Layer::Uniform(0),
            Blocks::Palette { indices, packing: Some(packing), .. } => {
                // The last entry of a table is air, for indices past the palette's end.
                let limit = (len - 1) as u16;
                let longs = indices.of(self.bytes);
                let (layer, past_end) = if let Some(value) = packing.uniform(longs, y) {
                    (Layer::Uniform(value.min(limit)), value >= limit)
                } else {
                    let (mut count, mut past_end) = (0, false);
                    let visit = |place: usize, cell| {
                        cells[place] = cell;
                        places[count] = place as u8;
                        count += 1;
                        past_end |= cell == limit;
                    };
                    if usual.is_some_and(|usual| packing.unusual(longs, y, usual, limit, visit)) {
                        (Layer::Unusual(count), past_end)
                    } else {
                        packing.layer(longs, y, limit, cells);
                        (Layer::Mixed, cells.contains(&limit))
                    }
                };
                if past_end {
                    self.meta.warnings.add(Warnings::PALETTE_INDEX);
                }
                layer
            }
            Blocks::Numeric { ids, add, data } => {
                let arrays = [ids, add, data].map(|span| span.of(self.bytes));
                numeric.section_layer(arrays, y, self.book, cells).map_or(Layer::Mixed, Layer::Uniform)
            }
            Blocks::Column { ids, data } => {
                let arrays = [ids, data].map(|span| span.of(self.bytes));
                let y = height as usize * 16 + y;
                for (column, cell) in cells.iter_mut().enumerate() {
                    *cell = numeric.column_cell(arrays, y, column, self.book);
                }
                Layer::Mixed
            }
            Blocks::Wide(_) => {
                cells.copy_from_slice(&self.buffers.wide[wide + y * CHUNK_AREA..][..CHUNK_AREA]);
                Layer::Mixed
            }
        };
        (layer, self.lookup(section))
    }

    /// Whether all blocks that a section may hold are such that `test` is true. Says `false` for sections of numeric
    /// ids, whose blocks are not listed.
    pub fn all_blocks(&mut self, section: usize, test: impl Fn(Traits) -> bool) -> bool {
        match self.section(section).blocks {
            Blocks::Numeric { .. } | Blocks::Column { .. } => false,
            _ => self.lookup(section).traits.iter().all(|&traits| test(traits)),
        }
    }

    /// The first index of a section's palette whose block is such that `test` is true; none for numeric ids.
    pub fn usual(&mut self, section: usize, test: impl Fn(Traits) -> bool) -> Option<u16> {
        match self.section(section).blocks {
            Blocks::Palette { packing: Some(_), .. } => {
                // The last entry is no index that is stored.
                let traits = self.lookup(section).traits;
                traits[..traits.len() - 1].iter().position(|&traits| test(traits)).map(|index| index as u16)
            }
            _ => None,
        }
    }

    /// The block of one cell: layer `y` (0 to 15) and column `[z][x]` of a section.
    pub fn cell(&mut self, section: usize, y: usize, column: usize) -> (BlockId, Traits) {
        let Table { len, wide, .. } = self.resolve(section);
        let Section { y: height, blocks, .. } = *self.section(section);
        let index = y * CHUNK_AREA + column;
        let numeric = &mut self.buffers.numeric;
        let cell = match blocks {
            Blocks::Air | Blocks::Palette { packing: None, .. } => 0,
            Blocks::Palette { indices, packing: Some(packing), .. } => {
                let limit = (len - 1) as u16;
                let entry = packing.entry(indices.of(self.bytes), index).min(limit);
                if entry == limit {
                    self.meta.warnings.add(Warnings::PALETTE_INDEX);
                }
                entry
            }
            Blocks::Numeric { ids, add, data } => {
                numeric.section_cell([ids, add, data].map(|span| span.of(self.bytes)), index, self.book)
            }
            Blocks::Column { ids, data } => {
                let arrays = [ids, data].map(|span| span.of(self.bytes));
                numeric.column_cell(arrays, height as usize * 16 + y, column, self.book)
            }
            Blocks::Wide(_) => self.buffers.wide[wide + index],
        };
        let Lookup { ids, traits } = self.lookup(section);
        (ids[usize::from(cell)], traits[usize::from(cell)])
    }

    /// What the cells of a section stand for. For sections of numeric ids this is what was met so far.
    pub fn lookup(&mut self, section: usize) -> Lookup<'_> {
        let Table { start, len, .. } = self.resolve(section);
        match self.section(section).blocks {
            Blocks::Numeric { .. } | Blocks::Column { .. } => self.buffers.numeric.lookup(),
            _ => {
                Lookup { ids: &self.buffers.ids[start..start + len], traits: &self.buffers.traits[start..start + len] }
            }
        }
    }

    /// Makes the table of a section's palette, once.
    fn resolve(&mut self, section: usize) -> Table {
        let index = usize::from(self.buffers.order[section]);
        if let Some(table) = self.buffers.sections[index].table {
            return table;
        }
        let Buffers { ids, traits, wide, sections, .. } = &mut *self.buffers;
        let (start, wide_start) = (ids.len(), wide.len());
        match sections[index].blocks {
            Blocks::Palette { names, .. } => entries::resolve(self.bytes, names, self.book, ids),
            Blocks::Wide(stored) => stored.expand(self.bytes, self.book, ids, wide),
            _ => {}
        }
        ids.push(BlockId::AIR);
        traits.extend(ids[start..].iter().map(|&id| self.book.traits(id)));
        let table = Table { start, len: ids.len() - start, wide: wide_start };
        sections[index].table = Some(table);
        table
    }

    /// Whether biomes are stored by cells of 4 by 4 by 4 blocks, not by columns.
    pub fn has_biomes_by_cell(&self) -> bool {
        matches!(self.biomes, ChunkBiomes::None | ChunkBiomes::Cells { .. })
    }

    /// The biome of a cell, or plains where the chunk stores none.
    pub fn biome_or_default(&mut self, column: usize, y: i32) -> BiomeId {
        match self.biome(column, y) {
            BiomeId::NONE => self.book.biome(b"minecraft:plains"),
            biome => biome,
        }
    }

    /// The biome of a cell: column `[z][x]` of the chunk, height in blocks.
    pub fn biome(&mut self, column: usize, y: i32) -> BiomeId {
        let (x, z) = (column % 16, column / 16);
        let index = usize::try_from((y >> 4) + 128).ok().and_then(|height| self.buffers.by_height.get(height));
        let Some(&Some(index)) = index else { return self.biomes.at(self.bytes, x, y, z, self.book) };
        let Buffers { sections, biomes, .. } = &mut *self.buffers;
        let section = &mut sections[usize::from(index)];
        let Some(stored) = section.biomes else { return self.biomes.at(self.bytes, x, y, z, self.book) };
        let (start, len) = *section.biome_table.get_or_insert_with(|| {
            let start = biomes.len();
            stored.resolve(self.bytes, self.book, biomes);
            (start, biomes.len() - start)
        });
        let index = stored.index(self.bytes, x, (y & 15) as usize, z);
        biomes[start..start + len].get(index).copied().unwrap_or(BiomeId::NONE)
    }
}

impl Buffers {
    fn clear(&mut self) {
        self.sections.clear();
        self.order.clear();
        self.by_height.clear();
        self.by_height.resize(256, None);
        self.ids.clear();
        self.traits.clear();
        self.biomes.clear();
        self.wide.clear();
    }

    /// Adds a section; says whether it took the place of another at the same height.
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

    /// Lists the sections that hold blocks from the highest down.
    fn sort(&mut self) {
        let stored = |index: &u16| !matches!(self.sections[usize::from(*index)].blocks, Blocks::Air);
        self.order.extend(self.by_height.iter().rev().flatten().copied().filter(stored));
    }
}
