//! Reads a region file: `chunks.dat` lists the chunks that the player has seen, and pictures have
//! the facts of their columns.

use std::io::{self, Cursor};
use std::path::Path;

use crate::explored::columns::{Column, NumberedIds, Overlay, RegionColumns, State, Tile};
use crate::explored::ftb_chunks::names::{NumberedNames, read_list};
use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE, REGION_CHUNKS, REGION_SIDE, Slot};
use pixelmap_base::files::Files;

/// Bytes of a pixel.
const PIXEL: usize = 4;
/// The height of the sea's surface. The mod does not store how deep water is.
const SEA: i16 = 62;
/// The height of a column that is not known, and the first version that has it. Before, it was 0.
const UNKNOWN: i16 = -32_767;
const FIRST_SIGNED: u8 = 3;
/// The first version of the list of chunks in which each chunk has a version.
const FIRST_VERSIONED: u8 = 2;
/// The most bytes of the list of chunks.
const MAX_CHUNKS: u64 = 64 << 10;

/// The numbers of states that every file has.
const AIR: u32 = 0;
const WATER: u32 = 1;

/// The facts of a region's columns, as colours.
struct Pictures {
    /// The height in the first two bytes of a pixel, then the water, the light and the biome.
    data: Vec<u8>,
    blocks: Vec<u8>,
}

/// Reads a region file. Returns the number of bytes of its pictures as well.
pub(super) fn read(files: &Files, path: &Path, limit: u64) -> io::Result<(RegionColumns, u64)> {
    let packed = files.inner(path, limit)?;
    let (version, slots) = chunk_list(&packed.read(&path.join("chunks.dat"), MAX_CHUNKS)?)
        .ok_or_else(|| refusal("chunks.dat is cut short: copy the file again"))?;
    let pictures = Pictures {
        data: picture(&packed, &path.join("data.png"), limit)?,
        blocks: picture(&packed, &path.join("blocks.png"), limit)?,
    };

    let full = files.full_path(path)?;
    let server = full.ancestors().nth(2).unwrap_or(&full);
    let mut reader = RegionReader {
        unknown: if version < FIRST_SIGNED { 0 } else { UNKNOWN },
        pictures,
        block_names: read_list(files, server, "block_map.txt"),
        biome_names: read_list(files, server, "biome_map.txt"),
        states: NumberedIds::new(),
        biomes: NumberedIds::new(),
        columns: RegionColumns::new(None),
    };
    reader.columns.add_state(State::named("minecraft:air", &[]));
    reader
        .columns
        .add_state(State::named("minecraft:water", &[]));

    for slot in slots {
        let tile = reader.tile(slot);
        reader.columns.put(slot, Ok(tile));
    }

    let bytes = reader.pictures.data.len() + reader.pictures.blocks.len();
    Ok((reader.columns, bytes as u64))
}

fn refusal(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Reads the version of a file, and the slots of its chunks; `None`: the list is cut short.
fn chunk_list(bytes: &[u8]) -> Option<(u8, Vec<Slot>)> {
    let (&[_, version, high, low], rest) = bytes.split_first_chunk()?;
    let count = usize::from(u16::from_be_bytes([high, low]));
    let (before, len) = if version < FIRST_VERSIONED {
        (0, 10)
    } else {
        (1, 11)
    };

    let entries = rest.get(..count * len)?.chunks_exact(len);
    let slots = entries.map(|entry| {
        let [x, z] = [before, before + 1].map(|at| usize::from(entry[at]) % REGION_CHUNKS);
        Slot::at(x, z)
    });
    Some((version, slots.collect()))
}

/// Decodes a picture with one pixel per column, of four bytes: red, green, blue and alpha.
fn picture(files: &Files, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let bytes = files.read(path, limit)?;
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::ALPHA);
    let mut reader = decoder.read_info()?;

    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let is_fitting = (width, height) == (REGION_SIDE, REGION_SIDE)
        && reader.output_color_type() == (png::ColorType::Rgba, png::BitDepth::Eight);
    if !is_fitting {
        return Err(refusal(
            "a picture is not of 512 by 512 colours: copy the file again",
        ));
    }

    let mut pixels = vec![0; REGION_SIDE * REGION_SIDE * PIXEL];
    reader.next_frame(&mut pixels)?;
    Ok(pixels)
}

struct RegionReader {
    pictures: Pictures,
    /// The height of columns that are not known.
    unknown: i16,
    block_names: NumberedNames,
    biome_names: NumberedNames,
    /// The numbers of states and biomes by the numbers in the pictures.
    states: NumberedIds<u32>,
    biomes: NumberedIds<u16>,
    columns: RegionColumns,
}

impl RegionReader {
    fn tile(&mut self, slot: Slot) -> Tile {
        let mut tile = Tile::new();
        for column in 0..CHUNK_AREA {
            let x = slot.x() * CHUNK_SIDE + column % CHUNK_SIDE;
            let z = slot.z() * CHUNK_SIDE + column / CHUNK_SIDE;
            let pixel = z * REGION_SIDE + x;
            tile.columns[column] = self.column(pixel, column as u8, &mut tile.overlays);
        }
        tile
    }

    /// Returns a column, and adds its water to `overlays`.
    fn column(&mut self, pixel: usize, column: u8, overlays: &mut Vec<Overlay>) -> Column {
        let at = pixel * PIXEL;
        let [red, green, blue, alpha] = std::array::from_fn(|byte| self.pictures.data[at + byte]);
        let y = i16::from_be_bytes([alpha, red]);
        let facts = u16::from_be_bytes([green, blue]);
        let block = &self.pictures.blocks[at..at + 3];
        let block = u32::from_be_bytes([0, block[0], block[1], block[2]]);

        if y == self.unknown {
            return Column {
                state: AIR,
                y: 0,
                biome: None,
                light: 0,
            };
        }
        if facts >> 15 != 0 {
            let first = y.saturating_add(1);
            overlays.push(Overlay {
                column,
                state: WATER,
                heights: first..=first.max(SEA),
            });
        }

        Column {
            state: self.state(block),
            y,
            biome: self.biome(u32::from(facts & 0x7ff)),
            light: (facts >> 11 & 15) as u8,
        }
    }

    /// Returns the number of the state of a block. A block that the list does not have is unknown.
    fn state(&mut self, block: u32) -> u32 {
        if let Some(&state) = self.states.get(&block) {
            return state;
        }

        let state = match self.block_names.get(&block) {
            Some(name) => State::named(name, &[]),
            None => State::named(&format!("ftbchunks:block_{block:06x}"), &[]),
        };
        let number = self.columns.add_state(state).unwrap_or(AIR);
        self.states.insert(block, number);
        number
    }

    fn biome(&mut self, biome: u32) -> Option<u16> {
        if let Some(&number) = self.biomes.get(&biome) {
            return Some(number);
        }

        let name = self.biome_names.get(&biome)?;
        let number = self.columns.add_biome(name.as_bytes())?;
        self.biomes.insert(biome, number);
        Some(number)
    }
}
