//! A region as the mod stores it, made from the chunks of a world or read from a file.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::chunk::{Chunk, Status};
use crate::explored::columns::{RegionColumns, State};
use crate::explored::store::MAX_FILE;
use crate::explored::xaero::block_kinds::BlockKinds;
use crate::explored::xaero::column::SeenColumn;
use crate::explored::xaero::info::read_file;
use crate::explored::xaero::overlays::StoredOverlay;
use crate::explored::xaero::stored_tile::{CaveRange, StoredPixel, StoredTile};
use crate::explored::xaero::stream::{self, GRASS, WATER};
use crate::explored::xaero::{stream_writer, todays_names};
use crate::names::{BiomeId, BlockId, NameCache, Names, NumericNames};
use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE, Slot};
use pixelmap_base::files::Files;

/// The version of the mod's rules that this program follows.
const RULES: u8 = 1;
/// The first version of files whose names are the present ones.
const FIRST_PRESENT: u16 = 6;
/// The first version of the game in which the stone slab has its present name.
const RENAMED_SLAB: i32 = 1802;
/// The name of a block that has only a number.
const NUMBERED: &str = "numeric:";

/// Makes the table of names with which the chunks of a region must be read.
pub fn xaero_names(numeric: Arc<NumericNames>) -> Arc<Names> {
    Arc::new(Names::new(Arc::new(BlockKinds), numeric))
}

/// A region of Xaero's World Map.
#[derive(Debug)]
pub struct XaeroRegion {
    columns: RegionColumns<StoredTile>,
    /// The numbers of states by their entries, and of biomes by their names.
    states: HashMap<Box<[u8]>, u32>,
    biomes: HashMap<Box<[u8]>, u16>,
}

/// The numbers in a region by the ids of one table of names.
#[derive(Debug, Default)]
pub struct XaeroNumbers {
    /// The key is the id, and whether the chunk was saved before the renaming of the stone slab.
    states: HashMap<(BlockId, bool), u32>,
    biomes: HashMap<BiomeId, Option<u16>>,
    /// The number of columns and overlays whose block has only a number.
    pub unnamed: u64,
}

impl Default for XaeroRegion {
    fn default() -> Self {
        let columns = stream::new_columns(None);
        let entry = |number: u32| columns.states[number as usize].entry.clone();
        Self {
            states: [GRASS, WATER].map(|number| (entry(number), number)).into(),
            biomes: HashMap::new(),
            columns,
        }
    }
}

impl XaeroRegion {
    /// Reads a region file.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or if its version is too old to be merged with another.
    pub fn read(path: &Path) -> io::Result<Self> {
        let (version, columns) = stream::read(&read_file(&Files::Disk, path, MAX_FILE)?)?;
        if version.major < FIRST_PRESENT {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!(
                    "its version {}.{} has the names of an old version of the game: open it in the \
                     game once",
                    version.major, version.minor
                ),
            ));
        }

        let mut region = Self::default();
        region.fill(&columns);
        Ok(region)
    }

    /// Puts this region over another one, whose chunks fill the empty slots.
    #[must_use]
    pub fn over(mut self, below: &Self) -> Self {
        self.fill(&below.columns);
        self
    }

    /// Returns the number of chunks.
    pub fn tiles(&self) -> usize {
        let tiles = Slot::all().filter_map(|slot| self.columns.tile(slot));
        tiles.flatten().count()
    }

    /// Returns the bytes of its file.
    ///
    /// # Errors
    /// Fails if the columns inflate to more than a zip can hold.
    pub fn to_zip(&self) -> io::Result<Vec<u8>> {
        stream_writer::to_zip(&self.columns)
    }

    /// Adds a chunk that the game has finished, unless it is empty. It must have been read with
    /// light and with the names of [`xaero_names`]. Properties of Bedrock Edition are left out,
    /// because only its blocks have names in Java Edition.
    pub fn add(
        &mut self,
        slot: Slot,
        chunk: &mut Chunk<'_>,
        numbers: &mut XaeroNumbers,
        is_bedrock: bool,
    ) {
        if chunk.meta().status != Status::Finished {
            return;
        }

        let mut tile = StoredTile {
            pixels: Vec::with_capacity(CHUNK_AREA),
            overlays: Vec::new(),
            rules: RULES,
            cave: CaveRange::SURFACE,
        };

        let mut is_empty = true;
        for index in 0..CHUNK_AREA {
            let column = index % CHUNK_SIDE * CHUNK_SIDE + index / CHUNK_SIDE;
            let seen = SeenColumn::of(chunk, column);
            is_empty &= seen.top().is_none();
            let pixel = self.pixel(&seen, chunk, column, &mut tile, numbers, is_bedrock);
            tile.pixels.push(pixel);
        }

        if !is_empty {
            self.columns.put(slot, Ok(tile));
        }
    }

    /// Turns a column into a pixel, and adds its overlays to the tile.
    fn pixel(
        &mut self,
        seen: &SeenColumn,
        chunk: &mut Chunk<'_>,
        column: usize,
        tile: &mut StoredTile,
        numbers: &mut XaeroNumbers,
        is_bedrock: bool,
    ) -> StoredPixel {
        let version = chunk.meta().data_version;
        let is_old = !is_bedrock && version.is_none_or(|version| version < RENAMED_SLAB);
        for cover in &seen.covers {
            let state = cover.block.map_or(WATER, |id| {
                self.state(id, chunk.name_cache(), numbers, is_old, is_bedrock)
            });
            tile.overlays.push(StoredOverlay {
                state,
                is_water: cover.block.is_none(),
                light: chunk.block_light(column, cover.y + 1),
                opacity: cover.opacity,
            });
        }

        let lowest = chunk.sections().checked_sub(1);
        let bottom = lowest.map_or(0, |section| chunk.section_y(section));
        let (id, y) = seen.end.unwrap_or((BlockId::AIR, bottom));
        let top = seen.top().unwrap_or(y);
        StoredPixel {
            state: self.state(id, chunk.name_cache(), numbers, is_old, is_bedrock),
            y: y as i16,
            top: top as i16,
            overlays: seen.covers.len() as u8,
            biome: self.biome(chunk.biome(column, top), chunk.name_cache(), numbers),
            light: chunk.block_light(column, y + 1),
            is_cave: false,
        }
    }

    /// Returns the number of a block of a chunk.
    fn state(
        &mut self,
        id: BlockId,
        names: &mut NameCache,
        numbers: &mut XaeroNumbers,
        is_old: bool,
        is_bedrock: bool,
    ) -> u32 {
        let (name, _) = names.name_at(id.index());
        numbers.unnamed += u64::from(name.starts_with(NUMBERED));
        if let Some(&number) = numbers.states.get(&(id, is_old)) {
            return number;
        }

        let stored = if is_bedrock {
            Vec::new()
        } else {
            names.unknown_properties(id)
        };

        let mut properties: Vec<(&str, &str)> = Vec::new();
        for (name, value) in &stored {
            properties.push((name, value));
        }

        let name = todays_names::block(&name, is_old);
        if name == "minecraft:grass_block" && properties == [("snowy", "false")] {
            properties.clear();
        }

        let number = self.number(State::named(&name, &properties));
        numbers.states.insert((id, is_old), number);
        number
    }

    fn biome(
        &mut self,
        id: BiomeId,
        names: &mut NameCache,
        numbers: &mut XaeroNumbers,
    ) -> Option<u16> {
        if id == BiomeId::NONE {
            return None;
        }

        *numbers.biomes.entry(id).or_insert_with(|| {
            let name = names.biome_name(id);
            self.biome_number(todays_names::biome(&name).as_bytes())
        })
    }

    /// Fills the empty slots with the chunks of other columns.
    fn fill(&mut self, columns: &RegionColumns<StoredTile>) {
        let mut states = Vec::with_capacity(columns.states.len());
        for state in &columns.states {
            states.push(self.number(state.clone()));
        }

        let mut biomes = Vec::with_capacity(columns.biomes.len());
        for name in &columns.biomes {
            biomes.push(self.biome_number(name));
        }

        for slot in Slot::all() {
            if let Some(Ok(tile)) = columns.tile(slot) {
                self.columns
                    .put(slot, Ok(tile.renumbered(&states, &biomes)));
            }
        }
    }

    /// Returns the number of a state. A region with too many states gets grass in their place.
    fn number(&mut self, state: State) -> u32 {
        if let Some(&number) = self.states.get(&state.entry) {
            return number;
        }

        let entry = state.entry.clone();
        let number = self.columns.add_state(state).unwrap_or(GRASS);
        self.states.insert(entry, number);
        number
    }

    fn biome_number(&mut self, name: &[u8]) -> Option<u16> {
        if let Some(&number) = self.biomes.get(name) {
            return Some(number);
        }

        let number = self.columns.add_biome(name)?;
        self.biomes.insert(name.into(), number);
        Some(number)
    }
}
