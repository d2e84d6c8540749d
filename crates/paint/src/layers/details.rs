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
use std::io::Read as _;
use std::mem::take;
use std::sync::Arc;

use data_encoding::BASE64;
use flate2::read::ZlibDecoder;
use serde::{Deserialize, Serialize};

use crate::layers::chunk_facts::version::game_version;
use crate::layers::renderer::LayerRenderer;
use crate::layers::row::ChunkRow;
use crate::surface::{NO_HEIGHT, SavedFacts, TICKS_A_SECOND};
use pixelmap_base::coord::{Area, CHUNK_AREA, CHUNK_SIDE, REGION_CHUNKS, Slot, SlotSet, TILE_SIDE};
use pixelmap_base::json;
use pixelmap_tile::{Canvas, Encoder, Pixel};
use pixelmap_world::names::{BiomeId, BlockId, NameCache};

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
/// The number of bytes in all planes.
const ALL_PLANES: usize = 3 * PLANE + 2 * 4 * CHUNKS;
const HEAD: &str = "pixelmapDetails(";
const TAIL: &str = ");\n";

/// Collects the facts about a tile's columns; its canvas holds the number of each column's pair.
#[derive(Debug)]
pub(super) struct Details {
    pairs: Vec<(BlockId, BiomeId)>,
    numbers: HashMap<(BlockId, BiomeId), u32>,
    /// Facts about the tile's chunks, `[z][x]`.
    saved: Box<[SavedFacts]>,
}

impl Default for Details {
    fn default() -> Self {
        Self {
            pairs: Vec::new(),
            numbers: HashMap::new(),
            saved: vec![SavedFacts::default(); CHUNKS].into(),
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

        let mut data = vec![0; ALL_PLANES];
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

        Some(script(&blocks, &biomes, versions, &data, encoder))
    }
}

/// Returns the bytes of a file with these names and planes.
fn script(
    blocks: &NameTable,
    biomes: &NameTable,
    versions: BTreeMap<i32, &str>,
    planes: &[u8],
    encoder: &mut Encoder,
) -> Vec<u8> {
    let file = DetailsFile {
        format: FORMAT,
        blocks: blocks.names(),
        biomes: biomes.names(),
        versions,
        data: BASE64.encode(&encoder.stream(planes)),
    };

    // The conversion cannot fail, because names are text, which JSON can hold.
    let text = json::text(&file).unwrap_or_default();
    format!("{HEAD}{text}{TAIL}").into_bytes()
}

/// A file of details that is read back.
#[derive(Deserialize)]
struct StoredDetails {
    blocks: Vec<String>,
    biomes: Vec<String>,
    versions: BTreeMap<i32, String>,
    data: String,
}

impl StoredDetails {
    /// Reads a file, and inflates its planes. Returns `None` if the file is damaged.
    fn read(file: &[u8]) -> Option<(Self, Vec<u8>)> {
        let text = std::str::from_utf8(file).ok()?;
        let text = text.strip_prefix(HEAD)?.strip_suffix(TAIL)?;
        let stored: Self = serde_json::from_str(text).ok()?;

        let mut planes = vec![0; ALL_PLANES];
        let stream = BASE64.decode(stored.data.as_bytes()).ok()?;
        ZlibDecoder::new(&stream[..]).read_exact(&mut planes).ok()?;

        Some((stored, planes))
    }
}

/// Returns the smallest part of a tile that contains all columns with details, in pixels and whole
/// chunks. Returns `None` if no column has details, or if the file is damaged.
pub fn details_bounds(file: &[u8]) -> Option<Area> {
    let (_, planes) = StoredDetails::read(file)?;
    let mut bounds: Option<Area> = None;
    for (at, number) in planes[..PLANE].chunks_exact(2).enumerate() {
        if number != [0, 0] {
            let corner = |pixel: usize| (pixel / CHUNK_SIDE * CHUNK_SIDE) as i32;
            let (x0, z0) = (corner(at % TILE_SIDE), corner(at / TILE_SIDE));
            let side = CHUNK_SIDE as i32;
            let chunk = Area {
                x0,
                z0,
                x1: x0 + side,
                z1: z0 + side,
            };
            bounds = Some(bounds.map_or(chunk, |bounds| bounds.union(chunk)));
        }
    }

    bounds
}

/// Returns a file of details without the columns of hidden chunks: the file that a world without
/// these chunks has. Returns `None` if no column is left, or if the file is damaged.
pub fn details_without(file: &[u8], hidden: &SlotSet, encoder: &mut Encoder) -> Option<Vec<u8>> {
    let (stored, mut data) = StoredDetails::read(file)?;
    let (planes, chunk_planes) = data.split_at_mut(3 * PLANE);
    let (block_plane, planes) = planes.split_at_mut(PLANE);
    let (biome_plane, height_plane) = planes.split_at_mut(PLANE);
    let [stored_blocks, stored_biomes]: [Vec<Arc<str>>; 2] = [&stored.blocks, &stored.biomes]
        .map(|names| names.iter().map(|name| Arc::from(name.as_str())).collect());
    let mut blocks = NameTable::default();
    let mut biomes = NameTable::default();
    let mut is_empty = true;

    for at in 0..TILE_SIDE * TILE_SIDE {
        let slot = Slot::at(at % TILE_SIDE / CHUNK_SIDE, at / TILE_SIDE / CHUNK_SIDE);
        let bytes = 2 * at..2 * at + 2;
        if hidden.has(slot) {
            height_plane[bytes.clone()].fill(0);
        }
        for (plane, stored, names) in [
            (&mut *block_plane, &stored_blocks, &mut blocks),
            (&mut *biome_plane, &stored_biomes, &mut biomes),
        ] {
            let number = u16::from_le_bytes([plane[bytes.start], plane[bytes.start + 1]]);
            let name: Option<&Arc<str>> = stored.get(usize::from(number).wrapping_sub(1));
            let kept = match name {
                Some(name) if !hidden.has(slot) => names.number(name.clone()),
                _ => 0,
            };
            plane[bytes.clone()].copy_from_slice(&kept.to_le_bytes());
            is_empty &= kept == 0;
        }
    }

    let (version_plane, time_plane) = chunk_planes.split_at_mut(4 * CHUNKS);
    let mut versions = BTreeMap::new();
    for slot in Slot::all() {
        let bytes = 4 * slot.index()..4 * slot.index() + 4;
        if hidden.has(slot) {
            version_plane[bytes.clone()].fill(0);
            time_plane[bytes].fill(0);
        } else if let Ok(number) = version_plane[bytes].try_into() {
            let stored = stored.versions.get_key_value(&i32::from_le_bytes(number));
            versions.extend(stored.map(|(number, name)| (*number, name.as_str())));
        }
    }

    (!is_empty).then(|| script(&blocks, &biomes, versions, &data, encoder))
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
