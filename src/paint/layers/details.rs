//! Makes the files of details: facts about each column, for pages and programs. There is one file
//! of numbers per native tile. For each column it contains the highest block as a query answers it,
//! the biome and the height; for each chunk the version of the game and how long players were
//! there.
//!
//! A file is a script, because a page that is opened from disk may not read other files. It calls
//! `pixelmapDetails({...});` with the object that `docs/details.md` describes. The numbers are in
//! planes, each `[z][x]` and with the lowest byte first: blocks, biomes and heights have 16 bits,
//! then versions and times have 32 bits. All planes together are one stream of RFC 1950 in base64.

use std::collections::{BTreeMap, HashMap};
use std::mem::take;
use std::sync::Arc;

use data_encoding::BASE64;
use serde::Serialize;

use super::game_version;
use super::renderer::LayerRenderer;
use super::row::ChunkRow;
use crate::base::coord::{CHUNK_AREA, CHUNK_SIDE, REGION_CHUNKS, TILE_SIDE};
use crate::base::json;
use crate::paint::surface::{NO_HEIGHT, SavedFacts, TICKS_A_SECOND};
use crate::tile::{Canvas, Encoder, Pixel};
use crate::world::names::{BiomeId, BlockId, NameCache};

/// The version of the file format. It is raised with every change that old readers cannot read.
const FORMAT: u32 = 1;
/// The low bits of a pixel hold the height, counted from the lowest height that the game's format
/// can store. The bits above hold the number of the pair of block and biome, from 1. There are more
/// such numbers than columns, so every column of a tile can have a pair of its own.
const HEIGHT_BITS: u32 = 12;
const HEIGHTS: u32 = (1 << HEIGHT_BITS) - 1;
const LOWEST: i32 = -2048;
/// The number of bytes in a plane with 16 bits per column.
const PLANE: usize = 2 * TILE_SIDE * TILE_SIDE;
const CHUNKS: usize = REGION_CHUNKS * REGION_CHUNKS;

/// Collects the facts about a tile's columns; its canvas holds the number of each column's pair.
#[derive(Debug)]
pub(super) struct Details {
    pairs: Vec<(BlockId, BiomeId)>,
    numbers: HashMap<(BlockId, BiomeId), u32>,
    /// Facts about the tile's chunks, `[z][x]`.
    saved: Box<[SavedFacts; CHUNKS]>,
}

impl Default for Details {
    fn default() -> Self {
        Self {
            pairs: Vec::new(),
            numbers: HashMap::new(),
            saved: Box::new([SavedFacts::default(); CHUNKS]),
        }
    }
}

#[derive(Serialize)]
struct DetailsFile<'a> {
    format: u32,
    /// The names of blocks. The first one has number 1.
    blocks: Vec<&'a str>,
    /// The names of biomes. The first one has number 1.
    biomes: Vec<&'a str>,
    /// The names of game versions, by the data versions that chunks store.
    versions: BTreeMap<i32, &'a str>,
    data: String,
}

impl LayerRenderer for Details {
    fn paint(&mut self, row: &ChunkRow<'_>, _: &mut NameCache, pixels: &mut [Pixel]) {
        for (chunk, columns) in row
            .chunks
            .iter()
            .enumerate()
            .filter(|(_, columns)| !columns.is_empty())
        {
            self.saved[row.index * REGION_CHUNKS + chunk] = columns.saved.unwrap_or_default();

            let mut last = None;
            let mut number = 0;
            for column in (0..CHUNK_AREA).filter(|&column| columns.top_y[column] != NO_HEIGHT) {
                let pair = (columns.ground[column], columns.biome[column]);
                if last != Some(pair) {
                    last = Some(pair);
                    number = self.number(pair);
                }
                let height = (i32::from(columns.top_y[column]) - LOWEST) as u32 & HEIGHTS;
                let at = column / CHUNK_SIDE * TILE_SIDE + chunk * CHUNK_SIDE + column % CHUNK_SIDE;
                pixels[at] = Pixel::from_bits(number << HEIGHT_BITS | height);
            }
        }
    }

    fn file(
        &mut self,
        canvas: &Canvas,
        name_cache: &mut NameCache,
        encoder: &mut Encoder,
    ) -> Option<Vec<u8>> {
        let Self { pairs, saved, .. } = take(self);
        let mut blocks = NameTable::default();
        let mut biomes = NameTable::default();

        // Indexed by the number of a pair less 1: the numbers of its block and its biome in this
        // file.
        let mut known: Vec<Option<(u16, u16)>> = vec![None; pairs.len()];

        let mut numbers = |pair: usize| {
            *known[pair].get_or_insert_with(|| {
                let (block, biome) = pairs[pair];
                (
                    blocks.number(name_cache.stored_name(block)),
                    biomes.number(name_cache.biome_name_at(biome.index())),
                )
            })
        };

        let mut data = vec![0; 3 * PLANE + 2 * 4 * CHUNKS];
        let (planes, chunk_planes) = data.split_at_mut(3 * PLANE);
        let mut is_drawn = [false; CHUNKS];
        for (at, pixel) in canvas
            .pixels()
            .iter()
            .enumerate()
            .filter(|(_, pixel)| **pixel != Pixel::CLEAR)
        {
            let (block, biome) = numbers((pixel.bits() >> HEIGHT_BITS) as usize - 1);
            let y = (pixel.bits() & HEIGHTS) as i32 + LOWEST;
            for (plane, number) in planes.chunks_exact_mut(PLANE).zip([block, biome, y as u16]) {
                plane[2 * at..][..2].copy_from_slice(&number.to_le_bytes());
            }
            is_drawn[at / TILE_SIDE / CHUNK_SIDE * REGION_CHUNKS + at % TILE_SIDE / CHUNK_SIDE] =
                true;
        }

        let mut versions = BTreeMap::new();
        let (version_plane, time_plane) = chunk_planes.split_at_mut(4 * CHUNKS);
        for (chunk, saved) in saved
            .iter()
            .enumerate()
            .filter(|(chunk, _)| is_drawn[*chunk])
        {
            let version = saved.data_version;
            versions.extend(version.map(|number| (number, game_version(version))));
            version_plane[4 * chunk..][..4].copy_from_slice(&version.unwrap_or(0).to_le_bytes());
            time_plane[4 * chunk..][..4].copy_from_slice(&seconds(*saved).to_le_bytes());
        }

        let data = BASE64.encode(&encoder.stream(&data));
        let file = DetailsFile {
            format: FORMAT,
            blocks: blocks.names(),
            biomes: biomes.names(),
            versions,
            data,
        };

        // The conversion cannot fail, because names are text, which JSON can hold.
        Some(
            format!(
                "pixelmapDetails({});\n",
                json::text(&file).unwrap_or_default()
            )
            .into_bytes(),
        )
    }
}

impl Details {
    /// Returns the number of a pair, from 1.
    fn number(&mut self, pair: (BlockId, BiomeId)) -> u32 {
        *self.numbers.entry(pair).or_insert_with(|| {
            self.pairs.push(pair);
            self.pairs.len() as u32
        })
    }
}

/// Returns how long players were in a chunk, in seconds.
fn seconds(saved: SavedFacts) -> u32 {
    u32::try_from(saved.inhabited_ticks / TICKS_A_SECOND).unwrap_or(u32::MAX)
}

/// The names in a file, in the order in which they are first met.
#[derive(Default)]
struct NameTable {
    names: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u16>,
}

impl NameTable {
    fn names(&self) -> Vec<&str> {
        self.names.iter().map(|name| &**name).collect()
    }

    /// Returns the number of a name, from 1. Returns 0 if the name is empty or all 16-bit numbers
    /// are used.
    fn number(&mut self, name: Arc<str>) -> u16 {
        if name.is_empty() {
            return 0;
        }
        if let Some(&number) = self.numbers.get(&name) {
            return number;
        }
        let Ok(number) = u16::try_from(self.names.len() + 1) else {
            return 0;
        };
        self.names.push(name.clone());
        self.numbers.insert(name, number);
        number
    }
}
