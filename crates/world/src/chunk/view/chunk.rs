//! Parses a chunk of any form, and reads the blocks of its sections.

use super::entity_list::EntityList;
use crate::bytes::Form;
use crate::chunk::cells::{Block, CELLS};
use crate::chunk::error::ChunkError;
use crate::chunk::forms::bedrock::spawners::SpawnerBox;
use crate::chunk::forms::bedrock::storage::Cursor;
use crate::chunk::forms::java::numeric;
use crate::chunk::forms::java::slice::Slice;
use crate::chunk::forms::java::wide::Wide;
use crate::chunk::forms::parse;
use crate::chunk::forms::stored::biomes::ChunkBiomes;
use crate::chunk::forms::stored::blocks::{Cells, SectionTable, StoredBlocks};
use crate::chunk::forms::stored::buffers::ChunkBuffers;
use crate::chunk::forms::stored::extras::Extras;
use crate::chunk::forms::stored::section::Section;
use crate::chunk::mask::Mask;
use crate::chunk::meta::{Meta, Warnings};
use crate::names::{NameCache, Traits};
use crate::nbt::{LittleReader, Reader, Span};
use pixelmap_base::coord::CHUNK_AREA;

/// The most entries that the palettes of a chunk may have together, which is the number of cells in
/// 16 sections. An entry may take only two bytes, and it takes a hundred times as long as a byte of
/// anything else. Without this limit a file of 20 KB would take hours.
const MAX_LOOKUPS: usize = 16 * CELLS;

/// A chunk whose arrays are located. Reading its blocks resolves palettes in the buffers.
#[derive(Debug)]
pub struct Chunk<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) buffers: &'a mut ChunkBuffers,
    pub(super) name_cache: &'a mut NameCache,
    pub(super) form: Form,
    pub(super) biomes: ChunkBiomes,
    pub(super) meta: Meta,
    pub(super) extras: Extras,
}

impl<'a> Chunk<'a> {
    /// Parses inflated bytes. `name_cache` provides the ids of names.
    ///
    /// # Errors
    /// Fails if the NBT is damaged, if a value or an array of blocks has an impossible length, or
    /// if the palettes are too long. In these cases no part of the chunk is usable.
    // Never inlined, so that benches/instructions.sh can count it. This costs little, because it is
    // called once per chunk.
    #[inline(never)]
    pub fn parse(
        bytes: &'a [u8],
        form: Form,
        buffers: &'a mut ChunkBuffers,
        name_cache: &'a mut NameCache,
    ) -> Result<Self, ChunkError> {
        let (meta, biomes, extras) = match form {
            Form::Nbt => parse::java::parse(bytes, buffers)?,
            Form::Values => parse::bedrock::parse(bytes, buffers)?,
            Form::Network => parse::network::parse(bytes, buffers)?,
        };

        if buffers.lookups() > MAX_LOOKUPS {
            return Err(ChunkError::Content(
                "its palettes have more than 65,536 entries",
            ));
        }

        Ok(Self {
            bytes,
            buffers,
            name_cache,
            form,
            biomes,
            meta,
            extras,
        })
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
        (!self.extras.structures.is_empty())
            .then(|| Reader::at_payload(self.bytes, self.extras.structures))
    }

    /// Returns its block entities, or `None` if it stores none.
    pub fn block_entities(&self) -> Option<EntityList<'a>> {
        self.entity_list(self.extras.block_entities)
    }

    /// Returns its entities, or `None` if it stores none. Chunks of Bedrock Edition, and of Java
    /// Edition since 1.17, never do.
    pub fn entities(&self) -> Option<EntityList<'a>> {
        self.entity_list(self.extras.entities)
    }

    fn entity_list(&self, stored: Span) -> Option<EntityList<'a>> {
        (!stored.is_empty()).then(|| match self.form {
            Form::Nbt | Form::Network => EntityList::List(Reader::at_payload(self.bytes, stored)),
            Form::Values => EntityList::Roots(LittleReader::in_compound(stored.slice(self.bytes))),
        })
    }

    /// Returns the boxes in which the mobs of structures appear. Chunks of Java Edition do not
    /// store them.
    pub fn spawner_boxes(&self) -> impl Iterator<Item = SpawnerBox> {
        SpawnerBox::read_all(Cursor::new(self.bytes, self.extras.spawners))
    }

    /// Returns the cache that provides the ids of this chunk.
    pub fn name_cache(&mut self) -> &mut NameCache {
        self.name_cache
    }

    /// Returns the name of the block with a number, as in worlds before 1.13, without its
    /// properties.
    pub fn numeric_name(&self, id: u32, data: u16) -> String {
        self.name_cache.numeric_name(id, data)
    }

    /// Returns the number of sections that contain blocks. Section 0 is the highest.
    pub fn sections(&self) -> usize {
        self.buffers.order.len()
    }

    /// Returns the height of a section's lowest slice, in blocks.
    pub fn section_y(&self, section: usize) -> i32 {
        i32::from(self.section(section).y) * 16
    }

    pub(super) fn section(&self, section: usize) -> &Section {
        &self.buffers.sections[usize::from(self.buffers.order[section])]
    }

    /// Returns the kinds of the cells in slice `y` (0 to 15) of a section. Only the columns in
    /// `open` are valid; the others may have any value.
    pub fn slice(&mut self, section: usize, y: usize, open: Mask) -> Slice {
        let table @ SectionTable { start, len, .. } = self.resolve(section);
        let stored = self.section(section).blocks;

        let ChunkBuffers {
            numeric,
            cut,
            packed,
            blocks,
            kinds,
            ..
        } = &mut *self.buffers;

        let blocks = &blocks[start..start + len];
        match stored.cells(self.bytes, cut, packed, table) {
            Cells::Uniform => Slice::uniform(blocks[0]),
            Cells::Packed { longs, packing } => {
                // The last entry of a table is air, for indices past the palette's end.
                let limit = (len - 1) as u16;
                let (slice, past_end) = if let Some(index) = packing.uniform(longs, y) {
                    (
                        Slice::uniform(blocks[usize::from(index.min(limit))]),
                        index >= limit,
                    )
                } else if let Some(bits) = kinds.set(start, &blocks[..len - 1], packing) {
                    kinds.slice(bits, longs, y, open)
                } else {
                    let mut cells = [0; CHUNK_AREA];
                    let past_end = packing.slice(longs, y, limit, &mut cells);
                    (
                        Slice::from_blocks(|column| blocks[usize::from(cells[column])]),
                        past_end,
                    )
                };

                if past_end {
                    self.meta.warnings.add(Warnings::PALETTE_INDEX);
                }

                slice
            }
            Cells::Numeric(arrays) => numeric.slice(arrays, y, open, self.name_cache),
            Cells::Wide(stored) => {
                let cells = stored.slices(self.bytes);
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
    pub fn each(
        &mut self,
        section: usize,
        y: usize,
        cells: Mask,
        mut visit: impl FnMut(usize, Block),
    ) {
        let table @ SectionTable { start, len, .. } = self.resolve(section);
        let stored = self.section(section).blocks;
        let ChunkBuffers {
            numeric,
            cut,
            packed,
            blocks,
            ..
        } = &mut *self.buffers;

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
                let stored = stored.slices(self.bytes);
                let mut lookup = stored.lookup(&blocks[..len - 1], self.name_cache);
                if stored.each(y, cells, &mut lookup, visit) {
                    self.meta.warnings.add(Warnings::PALETTE_INDEX);
                }
            }
        }
    }

    /// Writes the palette index of each cell of a section, `[y][z][x]`, and returns the palette. Its
    /// last entry is air, for indices past the end of the stored palette. If all cells have the first
    /// block, the palette has only this one, and no index is written. Returns `None` if the section
    /// stores no palette.
    pub fn unpack(&mut self, section: usize, indices: &mut [u16; CELLS]) -> Option<&[Block]> {
        let table @ SectionTable { start, len, .. } = self.resolve(section);
        let stored = self.section(section).blocks;
        let ChunkBuffers {
            cut,
            packed,
            blocks,
            ..
        } = &mut *self.buffers;

        let (longs, packing) = match stored.cells(self.bytes, cut, packed, table) {
            Cells::Uniform => return Some(&blocks[start..=start]),
            Cells::Packed { longs, packing } => (longs, packing),
            Cells::Numeric(_) | Cells::Wide(_) => return None,
        };

        let limit = (len - 1) as u16;
        let mut past_end = false;
        for (y, slice) in indices.as_chunks_mut().0.iter_mut().enumerate() {
            past_end |= packing.slice(longs, y, limit, slice);
        }

        if past_end {
            self.meta.warnings.add(Warnings::PALETTE_INDEX);
        }

        Some(&blocks[start..start + len])
    }

    /// Returns whether `test` accepts all blocks in the palette of a section. Returns false for
    /// sections of numeric ids, because they have no palette.
    pub fn all_blocks(&mut self, section: usize, test: impl Fn(Traits) -> bool) -> bool {
        match self.section(section).blocks {
            StoredBlocks::Numeric { .. }
            | StoredBlocks::Column { .. }
            | StoredBlocks::Wide(Wide::Shorts { .. } | Wide::Parts { .. }) => false,
            // Includes the air at the end of each table.
            _ => {
                let SectionTable { start, len, .. } = self.resolve(section);
                self.buffers.blocks[start..start + len]
                    .iter()
                    .all(|block| test(block.traits))
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
    pub(super) fn resolve(&mut self, section: usize) -> SectionTable {
        let index = usize::from(self.buffers.order[section]);
        if let Some(table) = self.buffers.sections[index].table {
            return table;
        }

        let ChunkBuffers {
            blocks,
            packed,
            cut,
            sections,
            last_palette,
            dyes,
            ..
        } = &mut *self.buffers;

        let start = blocks.len();
        let mut cells = packed.len();
        let mut packing = None;
        match sections[index].blocks {
            StoredBlocks::Palette { palette, .. } => match *last_palette {
                Some((last, table)) if palette.is_same(last, self.bytes) => {
                    sections[index].table = Some(table);
                    return table;
                }
                _ => {
                    if palette.resolve(self.bytes, self.name_cache, blocks) {
                        self.meta.warnings.add(Warnings::NAMELESS);
                    }
                }
            },
            StoredBlocks::Wide(stored) => {
                stored.resolve(self.bytes, self.name_cache, blocks);
                // Every index is past the end of an empty palette, and no cell of its section is
                // looked at.
                if matches!(stored, Wide::Palette { .. }) && blocks.len() == start {
                    self.meta.warnings.add(Warnings::PALETTE_INDEX);
                }
            }
            StoredBlocks::Subchunk(stored) => {
                let y = sections[index].y;
                let expanded = stored.expand(y, self.bytes, dyes, self.name_cache, blocks, packed);
                self.meta.warnings.add(expanded.warnings);
                packing = expanded.packing;
            }
            StoredBlocks::Column { ids, data } => {
                cells = cut.len();
                numeric::cut(
                    ids.slice(self.bytes),
                    data.slice(self.bytes),
                    sections[index].y as usize,
                    cut,
                );
            }
            _ => {}
        }

        // Indices past the end of the palette get this entry.
        blocks.push(Block::AIR);
        let table = SectionTable {
            start,
            len: blocks.len() - start,
            cells,
            packing,
        };
        sections[index].table = Some(table);

        if let StoredBlocks::Palette { palette, .. } = sections[index].blocks {
            *last_palette = Some((palette, table));
        }

        table
    }
}
