//! The cells of a chunk that is being made, and their form in NBT.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::explored::chunk_nbt::{self, Kind};
use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE};

const CELLS: usize = CHUNK_AREA * CHUNK_SIDE;
/// The number of air among the entries of a chunk.
const AIR: u32 = 0;
/// The biome of columns without one, if other columns of the chunk have one.
const DEFAULT_BIOME: &[u8] = b"minecraft:plains";

/// Blocks and light of a chunk. All cells are dark air at first.
pub(super) struct ChunkCells<'a> {
    /// Each different palette entry, and its number.
    numbers: BTreeMap<&'a [u8], u32>,
    entries: Vec<&'a [u8]>,
    sections: BTreeMap<i8, Section>,
}

struct Section {
    /// `[y][z][x]`.
    blocks: Box<[u32; CELLS]>,
    /// Half a byte per cell, in the same order.
    light: Box<[u8; CELLS / 2]>,
}

impl<'a> ChunkCells<'a> {
    /// `air` is the palette entry of air.
    pub(super) fn new(air: &'a [u8]) -> Self {
        Self {
            numbers: [(air, AIR)].into(),
            entries: vec![air],
            sections: BTreeMap::new(),
        }
    }

    /// Fills cells of a column with a block.
    pub(super) fn fill(&mut self, column: usize, heights: RangeInclusive<i32>, entry: &'a [u8]) {
        let next = self.entries.len() as u32;
        let number = *self.numbers.entry(entry).or_insert(next);
        if number == next {
            self.entries.push(entry);
        }

        for y in heights {
            if let Some((section, cell)) = self.cell(column, y) {
                section.blocks[cell] = number;
            }
        }
    }

    /// Lights a cell of a column.
    pub(super) fn light(&mut self, column: usize, y: i32, light: u8) {
        if let Some((section, cell)) = self.cell(column, y) {
            let shift = cell % 2 * 4;
            let byte = &mut section.light[cell / 2];
            *byte = *byte & !(15 << shift) | (light & 15) << shift;
        }
    }

    /// Returns a cell; `None`: no chunk can have one at this height.
    fn cell(&mut self, column: usize, y: i32) -> Option<(&mut Section, usize)> {
        let section = self.sections.entry(i8::try_from(y >> 4).ok()?);
        let section = section.or_insert_with(|| Section {
            blocks: Box::new([AIR; CELLS]),
            light: Box::new([0; CELLS / 2]),
        });
        Some((section, (y & 15) as usize * CHUNK_AREA + column))
    }

    /// Writes the chunk. `biomes` has the name of the biome of each column, if it is known.
    pub(super) fn write(
        &self,
        data_version: Option<i32>,
        biomes: &[Option<&[u8]>; CHUNK_AREA],
    ) -> Vec<u8> {
        let biomes = biome_cells(biomes);
        let sections: Vec<(i8, Vec<u8>)> = self
            .sections
            .iter()
            .map(|(&y, section)| (y, self.section(section)))
            .collect();

        let mut out = Vec::new();
        let sections = sections
            .iter()
            .map(|(y, section)| (*y, [section.as_slice(), biomes.as_slice()]));
        chunk_nbt::put_chunk(&mut out, data_version, sections);
        out
    }

    /// Writes the blocks and the light of a section.
    fn section(&self, section: &Section) -> Vec<u8> {
        let mut out = Vec::new();
        let (palette, indices) = palette_of(section.blocks.iter().copied());
        chunk_nbt::start_cells(&mut out, Kind::Blocks, palette.len());
        for number in &palette {
            out.extend_from_slice(self.entries[*number as usize]);
        }
        end_cells(&mut out, palette.len(), 4, &indices);
        chunk_nbt::put_block_light(&mut out, &*section.light);
        out
    }
}

/// Writes the biomes of a section, which are the same at all heights. Empty: no biome is known.
fn biome_cells(biomes: &[Option<&[u8]>; CHUNK_AREA]) -> Vec<u8> {
    let mut out = Vec::new();
    if biomes.iter().all(Option::is_none) {
        return out;
    }

    let (palette, indices) = palette_of(biomes.iter().map(|biome| biome.unwrap_or(DEFAULT_BIOME)));
    chunk_nbt::start_cells(&mut out, Kind::Biomes, palette.len());
    for name in &palette {
        chunk_nbt::put_text(&mut out, name);
    }
    end_cells(&mut out, palette.len(), 1, &indices.repeat(CHUNK_SIDE));
    out
}

/// Returns the different values in the order in which they are met, and the index of each value.
fn palette_of<T: Copy + Ord>(values: impl Iterator<Item = T>) -> (Vec<T>, Vec<usize>) {
    let mut palette = Vec::new();
    let mut known = BTreeMap::new();
    let mut last = None;

    let indices = values.map(|value| match last {
        Some((same, index)) if same == value => index,
        _ => {
            let index = *known.entry(value).or_insert_with(|| {
                palette.push(value);
                palette.len() - 1
            });
            last = Some((value, index));
            index
        }
    });
    let indices = indices.collect();

    (palette, indices)
}

/// Writes indices into a palette, with at least `least` bits each, and the end of the cells.
fn end_cells(out: &mut Vec<u8>, palette: usize, least: u32, indices: &[usize]) {
    if palette == 1 {
        return chunk_nbt::end_cells(out, None::<std::iter::Empty<u64>>);
    }

    let bits = palette.next_power_of_two().ilog2().max(least);
    let longs = indices.chunks((u64::BITS / bits) as usize).map(|indices| {
        let places = indices.iter().enumerate();
        places.fold(0, |long, (place, &index)| {
            long | (index as u64) << (place as u32 * bits)
        })
    });
    chunk_nbt::end_cells(out, Some(longs));
}
