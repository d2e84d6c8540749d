//! Reads the inflated bytes of a region file.

use std::io;

use crate::bytes::{Defect, StreamDamage};
use crate::explored::columns::{NumberedIds, RegionColumns, State};
use crate::explored::numeric;
use crate::explored::xaero::bytes::Bytes;
use crate::explored::xaero::overlays::StoredOverlay;
use crate::explored::xaero::stored_tile::{CaveRange, StoredPixel, StoredTile};
use crate::names::BiomeEra;
use pixelmap_base::coord::{CHUNK_AREA, Slot};

/// The newest version that is known.
const NEWEST_MAJOR: u16 = 7;
const NEWEST_MINOR: u16 = 8;
/// The first byte of a file that has a version.
pub(super) const HEAD: u8 = 0xff;
/// The groups along each side of a region, and the chunks along each side of a group.
pub(super) const GROUPS: usize = 8;
pub(super) const GROUP_CHUNKS: usize = 4;
/// The pixel in the place of a chunk that the player has not seen.
pub(super) const NO_CHUNK: i32 = -1;
/// The `DataVersion` of 1.12.2, the last version of the game with numeric blocks.
const LAST_NUMERIC: i32 = 1343;

/// The numbers of states that files do not write.
pub(super) const GRASS: u32 = 0;
pub(super) const WATER: u32 = 1;
pub(super) const FIRST_WRITTEN: u32 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) major: u16,
    pub(super) minor: u16,
    /// Whether pixels and overlays may have colours, as in early versions.
    has_colours: bool,
}

/// Reads a file up to the first damage. Returns its version as well.
///
/// # Errors
/// Fails if the version of the file is not known.
pub(super) fn read(bytes: &[u8]) -> io::Result<(Version, RegionColumns<StoredTile>)> {
    let mut bytes = Bytes::new(bytes);
    let version = Version::read(&mut bytes)?;
    let data_version = version.is_numeric().then_some(LAST_NUMERIC);

    let columns = new_columns(data_version);

    let mut reader = StreamReader {
        version,
        bytes,
        columns,
        numeric_states: NumberedIds::new(),
        numeric_biomes: NumberedIds::new(),
        broken: None,
    };
    if let Err(damage) = reader.read_groups() {
        reader.columns.lose_rest(&damage);
    }

    Ok((version, reader.columns))
}

/// Makes the columns of a file without tiles, with the states that files do not write.
pub(super) fn new_columns(data_version: Option<i32>) -> RegionColumns<StoredTile> {
    let mut columns = RegionColumns::new(data_version);
    columns.add_state(State::named("minecraft:grass_block", &[]));
    columns.add_state(State::named("minecraft:water", &[]));
    columns
}

impl Version {
    fn read(bytes: &mut Bytes<'_>) -> io::Result<Self> {
        let head = bytes.byte().ok();
        let Some((HEAD, version)) = head.zip(bytes.int().ok()) else {
            return Err(refusal(
                "the file has no version: it is not a region of Xaero's World Map, or of a version \
                 before 2018",
            ));
        };

        let (major, minor) = ((version >> 16) as u16, version as u16);
        if major > NEWEST_MAJOR || minor > NEWEST_MINOR {
            return Err(refusal(&format!(
                "its version {major}.{minor} is newer than {NEWEST_MAJOR}.{NEWEST_MINOR}, the \
                 newest that is known: use a newer version of this program"
            )));
        }

        let is_of_1_15 = major == 2
            && minor >= 5
            && bytes
                .byte()
                .map_err(|_| refusal("the file ends in its header: copy it again"))?
                == 1;
        Ok(Self {
            major,
            minor,
            has_colours: minor < 5 || major <= 2 && !is_of_1_15,
        })
    }

    /// Returns whether states are numbers, as before 1.13.
    const fn is_numeric(self) -> bool {
        self.major == 0
    }
}

fn refusal(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

struct StreamReader<'a> {
    version: Version,
    bytes: Bytes<'a>,
    columns: RegionColumns<StoredTile>,
    /// The numbers of states and biomes by their ids in the game.
    numeric_states: NumberedIds<u32>,
    numeric_biomes: NumberedIds<u16>,
    /// The first damage of the current chunk that does not hide the place of the next one.
    broken: Option<StreamDamage>,
}

impl StreamReader<'_> {
    fn read_groups(&mut self) -> Result<(), StreamDamage> {
        while !self.bytes.is_at_end() {
            let group = usize::from(self.bytes.byte()?);
            let (group_x, group_z) = (group >> 4, group & 15);
            if group_x >= GROUPS || group_z >= GROUPS {
                return Err(self.bytes.damage(Defect::Structure));
            }

            for chunk in 0..GROUP_CHUNKS * GROUP_CHUNKS {
                let x = group_x * GROUP_CHUNKS + chunk / GROUP_CHUNKS;
                let z = group_z * GROUP_CHUNKS + chunk % GROUP_CHUNKS;
                self.read_tile(Slot::at(x, z))?;
            }
        }

        Ok(())
    }

    /// Reads the columns of a chunk, if the player has seen it.
    fn read_tile(&mut self, slot: Slot) -> Result<(), StreamDamage> {
        let first = self.bytes.int()?;
        if first == NO_CHUNK {
            return Ok(());
        }

        self.broken = None;
        let mut pixels = Vec::with_capacity(CHUNK_AREA);
        let mut overlays = Vec::new();
        for pixel in 0..CHUNK_AREA {
            let word = if pixel == 0 { first } else { self.bytes.int()? };
            pixels.push(self.read_pixel(word, &mut overlays)?);
        }

        let (rules, cave) = self.read_tile_end()?;
        let tile = StoredTile {
            pixels,
            overlays,
            rules,
            cave,
        };
        self.columns
            .put(slot, self.broken.take().map_or(Ok(tile), Err));
        Ok(())
    }

    /// Reads the facts about a whole chunk: the version of the mod's rules, and the heights of the
    /// cave that it shows.
    fn read_tile_end(&mut self) -> Result<(u8, CaveRange), StreamDamage> {
        let mut cave = CaveRange::SURFACE;
        let rules = if self.version.minor >= 4 {
            self.bytes.byte()?
        } else {
            0
        };
        if self.version.minor >= 6 {
            cave.start = self.bytes.int()?;
        }
        if self.version.minor >= 7 {
            cave.depth = self.bytes.byte()?;
        }
        Ok((rules, cave))
    }

    fn read_pixel(
        &mut self,
        word: i32,
        overlays: &mut Vec<StoredOverlay>,
    ) -> Result<StoredPixel, StreamDamage> {
        let has = |bit: u32| word >> bit & 1 != 0;
        let minor = self.version.minor;

        let state = if has(0) {
            self.read_state(has(21))?
        } else {
            GRASS
        };
        let y = if has(6) {
            i32::from(self.bytes.byte()?)
        } else {
            height(word, if minor >= 4 { 25 } else { 24 })
        };
        let top = if has(24) && minor >= 4 {
            let low = i32::from(self.bytes.byte()?);
            y + (low - y).rem_euclid(256)
        } else {
            y
        };

        let count = if has(1) { self.bytes.byte()? } else { 0 };
        for _ in 0..count {
            overlays.push(self.read_overlay()?);
        }

        // The kinds of colours: none, of the block, of the biome, or its own.
        let colour = if self.version.has_colours {
            word >> 2 & 3
        } else {
            0
        };
        if colour == 3 {
            self.bytes.int()?;
        }
        let biome = if has(20) || matches!(colour, 1 | 2) {
            self.read_biome(has(22), has(23))?
        } else {
            None
        };
        if minor == 2 && has(4) {
            self.bytes.byte()?;
        }

        Ok(StoredPixel {
            state,
            y: y as i16,
            top: top as i16,
            overlays: count,
            biome,
            light: (word >> 8 & 15) as u8,
            is_cave: has(7),
        })
    }

    fn read_overlay(&mut self) -> Result<StoredOverlay, StreamDamage> {
        let word = self.bytes.int()?;
        let has = |bit: u32| word >> bit & 1 != 0;
        let minor = self.version.minor;

        let state = if has(0) {
            self.read_state(has(10))?
        } else {
            WATER
        };
        if minor < 1 && has(1) {
            self.bytes.int()?;
        }
        if has(2) || self.version.has_colours && word >> 8 & 3 == 2 {
            self.bytes.int()?;
        }
        let opacity = if minor >= 8 {
            word >> 11 & 15
        } else if has(3) {
            self.bytes.int()?
        } else {
            1
        };

        Ok(StoredOverlay {
            state,
            is_water: self.columns.states[state as usize].is_water,
            light: (word >> 4 & 15) as u8,
            opacity,
        })
    }

    /// Reads a state: an id of the game, a new state, or the number of an earlier one.
    fn read_state(&mut self, is_new: bool) -> Result<u32, StreamDamage> {
        let damage = self.bytes.damage(Defect::Structure);
        if self.version.is_numeric() {
            let id = self.bytes.int()? as u32;
            return self.numeric_state(id).ok_or(damage);
        }

        if is_new {
            let entry = self.bytes.compound()?;
            let state = State::from_nbt(entry);
            let number = state.and_then(|state| self.columns.add_state(state));
            return number.ok_or(damage);
        }

        let number = u32::try_from(self.bytes.int()?).unwrap_or(u32::MAX);
        let number = number.saturating_add(FIRST_WRITTEN);
        if (number as usize) < self.columns.states.len() {
            return Ok(number);
        }
        self.broken.get_or_insert(damage);
        Ok(GRASS)
    }

    /// Returns the number of a state that is stored as an id with its data; `None`: there are too
    /// many.
    fn numeric_state(&mut self, stored: u32) -> Option<u32> {
        const ID_BITS: u32 = 12;
        if let Some(&number) = self.numeric_states.get(&stored) {
            return Some(number);
        }

        let (id, data) = (stored % (1 << ID_BITS), stored >> ID_BITS);
        let state = numeric::block(id, u16::try_from(data).unwrap_or(u16::MAX));
        let number = self.columns.add_state(state)?;
        self.numeric_states.insert(stored, number);
        Some(number)
    }

    /// Reads a biome: an id of the game, a new name, or the number of an earlier name.
    fn read_biome(&mut self, is_new: bool, is_id: bool) -> Result<Option<u16>, StreamDamage> {
        const LONG: u8 = 255;
        let damage = self.bytes.damage(Defect::Structure);
        if self.version.major < 4 {
            let short = self.bytes.byte()?;
            let id = if short == LONG && self.version.minor >= 3 {
                self.bytes.int()?
            } else {
                short.into()
            };
            return self.numeric_biome(id as u32).map(Some).ok_or(damage);
        }

        if is_new && is_id {
            let name = numeric::biome(self.bytes.int()? as u32, BiomeEra::Since1_13);
            return self
                .columns
                .add_biome(name.as_bytes())
                .map(Some)
                .ok_or(damage);
        }
        if is_new {
            let name = self.bytes.text()?;
            return self.columns.add_biome(name).map(Some).ok_or(damage);
        }

        let number = u16::try_from(self.bytes.int()?).ok();
        let known = number.filter(|&number| usize::from(number) < self.columns.biomes.len());
        if known.is_none() {
            self.broken.get_or_insert(damage);
        }
        Ok(known)
    }

    fn numeric_biome(&mut self, id: u32) -> Option<u16> {
        if let Some(&number) = self.numeric_biomes.get(&id) {
            return Some(number);
        }

        let era = if self.version.is_numeric() {
            BiomeEra::Before1_13
        } else {
            BiomeEra::Since1_13
        };
        let number = self.columns.add_biome(numeric::biome(id, era).as_bytes())?;
        self.numeric_biomes.insert(id, number);
        Some(number)
    }
}

/// Returns the height in a pixel: a signed number of 12 bits. Its highest four bits begin at bit
/// `high`.
const fn height(word: i32, high: u32) -> i32 {
    let bits = word >> 12 & 0xff | (word >> high & 15) << 8;
    bits << 20 >> 20
}
