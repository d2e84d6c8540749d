//! The columns of one region file, whatever the mod.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::bytes::StreamDamage;
use crate::explored::chunk_nbt;
use crate::nbt::Reader;
use pixelmap_base::coord::{CHUNK_AREA, REGION_SLOTS, Slot};

/// The most states, and the most biomes, of a file.
const MAX_NAMES: usize = 1 << 16;
/// The most bytes of a state, and of a name of a biome.
const MAX_NAME: usize = 4096;

/// Blocks that are seen as flat plants on sand. All other plants are on grass.
const ON_SAND: [&[u8]; 7] = [
    b"minecraft:dead_bush",
    b"minecraft:kelp",
    b"minecraft:kelp_plant",
    b"minecraft:sea_pickle",
    b"minecraft:seagrass",
    b"minecraft:short_dry_grass",
    b"minecraft:tall_seagrass",
];

/// The block below the end of a column. The mods do not store it, but the map shows it if the block
/// at the end is too thin to be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Below {
    /// The block is air, so the column is empty.
    Nothing,
    Grass,
    Sand,
}

/// A block state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    /// The entry of a palette in NBT: the fields of a compound with its end.
    pub(super) entry: Box<[u8]>,
    pub(super) below: Below,
    pub(super) is_water: bool,
}

impl State {
    /// Makes a state of a name with its namespace.
    pub(super) fn named(name: &str, properties: &[(&str, &str)]) -> Self {
        let mut entry = Vec::new();
        chunk_nbt::put_state(&mut entry, name, properties);
        Self::new(name.as_bytes(), entry.into())
    }

    /// Reads a state from the fields of its compound; `None`: they are damaged or too long.
    pub(super) fn from_nbt(entry: &[u8]) -> Option<Self> {
        let mut reader = Reader::in_compound(entry);
        let mut name: &[u8] = b"";
        while let Some((tag, key)) = reader.entry().ok()? {
            match key {
                b"Name" => name = reader.string(tag).ok()?.unwrap_or(name),
                _ => reader.skip(tag).ok()?,
            }
        }

        (entry.len() <= MAX_NAME).then(|| Self::new(name, entry.into()))
    }

    fn new(name: &[u8], entry: Box<[u8]>) -> Self {
        let below = match name {
            b"minecraft:air" | b"minecraft:cave_air" | b"minecraft:void_air" => Below::Nothing,
            _ if ON_SAND.contains(&name) => Below::Sand,
            _ => Below::Grass,
        };
        Self {
            entry,
            below,
            is_water: name == b"minecraft:water",
        }
    }
}

/// The block that ends a column, and the facts of the column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// A number in the list of states.
    pub(super) state: u32,
    pub(super) y: i16,
    /// A number in the list of biomes; absent: the biome is not known.
    pub(super) biome: Option<u16>,
    /// The light from blocks above the column, 0 to 15.
    pub(super) light: u8,
}

/// Cells above the end of a column that have the same block, which is seen through.
#[derive(Debug, Clone)]
pub(super) struct Overlay {
    /// `[z][x]`.
    pub(super) column: u8,
    pub(super) state: u32,
    pub(super) heights: RangeInclusive<i16>,
}

/// The columns of a chunk, `[z][x]`.
#[derive(Debug)]
pub(super) struct Tile {
    pub(super) columns: Box<[Column; CHUNK_AREA]>,
    /// Sorted by column.
    pub(super) overlays: Vec<Overlay>,
}

impl Tile {
    /// Makes a tile whose columns end at the first state of their file.
    pub(super) fn new() -> Self {
        const FIRST: Column = Column {
            state: 0,
            y: 0,
            biome: None,
            light: 0,
        };
        Self {
            columns: Box::new([FIRST; CHUNK_AREA]),
            overlays: Vec::new(),
        }
    }

    /// Returns the overlays of a column.
    pub(super) fn overlays(&self, column: usize) -> &[Overlay] {
        let start = self
            .overlays
            .partition_point(|overlay| usize::from(overlay.column) < column);
        let rest = &self.overlays[start..];
        let len = rest.partition_point(|overlay| usize::from(overlay.column) == column);
        &rest[..len]
    }
}

/// The columns of one region file. A reader whose mod stores more than a [`Tile`] has puts its own
/// kind of tile in its place.
#[derive(Debug)]
pub(super) struct RegionColumns<T = Tile> {
    /// The version of the game, if the file belongs to only one.
    pub(super) data_version: Option<i32>,
    pub(super) states: Vec<State>,
    /// The names of biomes with their namespaces, in the form of NBT.
    pub(super) biomes: Vec<Box<[u8]>>,
    tiles: Box<[Option<Result<T, StreamDamage>>]>,
}

impl<T> RegionColumns<T> {
    pub(super) fn new(data_version: Option<i32>) -> Self {
        Self {
            data_version,
            states: Vec::new(),
            biomes: Vec::new(),
            tiles: std::iter::repeat_with(|| None).take(REGION_SLOTS).collect(),
        }
    }

    /// Returns the columns of a file that cannot be read.
    pub(super) fn lost(damage: &StreamDamage) -> Self {
        let mut columns = Self::new(None);
        columns.lose_rest(damage);
        columns
    }

    /// Adds a state, and returns its number; `None`: there are too many.
    pub(super) fn add_state(&mut self, state: State) -> Option<u32> {
        let number = self.states.len();
        if number >= MAX_NAMES {
            return None;
        }
        self.states.push(state);
        Some(number as u32)
    }

    /// Adds a biome, and returns its number; `None`: there are too many, or the name is too long.
    pub(super) fn add_biome(&mut self, name: &[u8]) -> Option<u16> {
        let number = u16::try_from(self.biomes.len()).ok()?;
        if name.len() > MAX_NAME {
            return None;
        }
        self.biomes.push(name.into());
        Some(number)
    }

    /// Puts the tile of a chunk, unless the slot has one already.
    pub(super) fn put(&mut self, slot: Slot, tile: Result<T, StreamDamage>) {
        self.tiles[slot.index()].get_or_insert(tile);
    }

    /// Marks the chunks that damage has cost: all that were not read before, because the places of
    /// the next chunks are unknown.
    pub(super) fn lose_rest(&mut self, damage: &StreamDamage) {
        for tile in &mut self.tiles {
            tile.get_or_insert_with(|| Err(damage.clone()));
        }
    }

    /// Returns the tile of a chunk; `None`: the file does not have it.
    pub(super) fn tile(&self, slot: Slot) -> Option<Result<&T, &StreamDamage>> {
        self.tiles[slot.index()].as_ref().map(Result::as_ref)
    }

    /// Turns each tile into another kind of tile.
    pub(super) fn with_tiles<U>(self, convert: impl Fn(T) -> U) -> RegionColumns<U> {
        let tiles = self.tiles.into_iter();
        RegionColumns {
            data_version: self.data_version,
            states: self.states,
            biomes: self.biomes,
            tiles: tiles.map(|tile| Some(tile?.map(&convert))).collect(),
        }
    }
}

/// Numbers of states or biomes by the ids of older versions.
pub(super) type NumberedIds<N> = BTreeMap<u32, N>;
