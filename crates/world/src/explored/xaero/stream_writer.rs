//! Writes a region file in version 6.8, which all versions of the mod since Minecraft 1.18 read.

use std::collections::HashMap;
use std::hash::Hash;
use std::io::{self, Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{DateTime, ZipWriter};

use crate::explored::columns::RegionColumns;
use crate::explored::xaero::info::ENTRY;
use crate::explored::xaero::overlays::{MAX_OPACITY, StoredOverlay};
use crate::explored::xaero::stored_tile::{StoredPixel, StoredTile};
use crate::explored::xaero::stream::{GRASS, GROUP_CHUNKS, GROUPS, HEAD, NO_CHUNK, WATER};
use pixelmap_base::coord::Slot;

/// The version that is written.
const MAJOR: i32 = 6;
const MINOR: i32 = 8;
/// The start of a compound with an empty name, in NBT.
const ROOT: [u8; 3] = [10, 0, 0];

/// Returns the zip of a region. The same columns give the same bytes, because the zip has the
/// first date that zips can have.
///
/// # Errors
/// Fails if the columns inflate to more than a zip can hold.
pub(super) fn to_zip(columns: &RegionColumns<StoredTile>) -> io::Result<Vec<u8>> {
    let options = SimpleFileOptions::default().last_modified_time(DateTime::default());
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file(ENTRY, options)?;
    zip.write_all(&stream(columns))?;
    Ok(zip.finish()?.into_inner())
}

/// Returns the inflated bytes of a region.
fn stream(columns: &RegionColumns<StoredTile>) -> Vec<u8> {
    let mut writer = StreamWriter {
        columns,
        bytes: vec![HEAD],
        states: HashMap::new(),
        biomes: HashMap::new(),
    };

    writer.int(MAJOR << 16 | MINOR);

    for group in 0..GROUPS * GROUPS {
        writer.put_group(group / GROUPS, group % GROUPS);
    }

    writer.bytes
}

struct StreamWriter<'a> {
    columns: &'a RegionColumns<StoredTile>,
    bytes: Vec<u8>,
    /// The written numbers of states and biomes, by their numbers in the columns.
    states: HashMap<u32, i32>,
    biomes: HashMap<u16, i32>,
}

impl StreamWriter<'_> {
    fn int(&mut self, number: i32) {
        self.bytes.extend(number.to_be_bytes());
    }

    /// Writes 4 by 4 chunks, unless all of them are absent.
    fn put_group(&mut self, group_x: usize, group_z: usize) {
        let tiles: Vec<Option<&StoredTile>> = (0..GROUP_CHUNKS * GROUP_CHUNKS)
            .map(|chunk| {
                let x = group_x * GROUP_CHUNKS + chunk / GROUP_CHUNKS;
                let z = group_z * GROUP_CHUNKS + chunk % GROUP_CHUNKS;
                self.columns.tile(Slot::at(x, z))?.ok()
            })
            .collect();
        if tiles.iter().all(Option::is_none) {
            return;
        }

        self.bytes.push((group_x << 4 | group_z) as u8);
        for tile in tiles {
            match tile {
                Some(tile) => self.put_tile(tile),
                None => self.int(NO_CHUNK),
            }
        }
    }

    fn put_tile(&mut self, tile: &StoredTile) {
        let mut next = 0;
        for pixel in &tile.pixels {
            let overlays = &tile.overlays[next..next + usize::from(pixel.overlays)];
            next += overlays.len();
            self.put_pixel(*pixel, overlays);
        }

        self.bytes.push(tile.rules);
        self.int(tile.cave.start);
        self.bytes.push(tile.cave.depth);
    }

    fn put_pixel(&mut self, pixel: StoredPixel, overlays: &[StoredOverlay]) {
        let y = i32::from(pixel.y);
        let is_grass = pixel.state == GRASS;
        let has_top = pixel.top != pixel.y;

        let mut word = (y & 0xff) << 12 | (y >> 8 & 15) << 25 | i32::from(pixel.light & 15) << 8;
        for (bit, is_set) in [
            (0, !is_grass),
            (1, !overlays.is_empty()),
            (7, pixel.is_cave),
            (20, pixel.biome.is_some()),
            (21, !is_grass && !self.states.contains_key(&pixel.state)),
            (
                22,
                pixel
                    .biome
                    .is_some_and(|biome| !self.biomes.contains_key(&biome)),
            ),
            (24, has_top),
        ] {
            word |= i32::from(is_set) << bit;
        }

        self.int(word);

        if !is_grass {
            self.put_state(pixel.state);
        }

        if has_top {
            self.bytes.push(pixel.top as u8);
        }

        if !overlays.is_empty() {
            self.bytes.push(pixel.overlays);
        }

        for overlay in overlays {
            self.put_overlay(*overlay);
        }

        if let Some(biome) = pixel.biome {
            self.put_biome(biome);
        }
    }

    fn put_overlay(&mut self, overlay: StoredOverlay) {
        let is_plain_water = overlay.state == WATER;
        let is_new = !is_plain_water && !self.states.contains_key(&overlay.state);
        let opacity = overlay.opacity.clamp(0, MAX_OPACITY);
        self.int(
            i32::from(!is_plain_water)
                | i32::from(overlay.light & 15) << 4
                | i32::from(is_new) << 10
                | opacity << 11,
        );
        if !is_plain_water {
            self.put_state(overlay.state);
        }
    }

    /// Writes a state: itself where it first occurs, and its number afterwards.
    fn put_state(&mut self, state: u32) {
        if let Some(number) = number(&mut self.states, state) {
            return self.int(number);
        }

        self.bytes.extend(ROOT);
        self.bytes
            .extend(&self.columns.states[state as usize].entry);
    }

    /// Writes a biome: its name where it first occurs, and its number afterwards.
    fn put_biome(&mut self, biome: u16) {
        if let Some(number) = number(&mut self.biomes, biome) {
            return self.int(number);
        }

        let name = &self.columns.biomes[usize::from(biome)];
        self.bytes.extend((name.len() as u16).to_be_bytes());
        self.bytes.extend(name);
    }
}

/// Returns the number of a state or biome. Gives it the next number and returns `None` if it has
/// not been written before.
fn number<N: Hash + Eq>(numbers: &mut HashMap<N, i32>, name: N) -> Option<i32> {
    let next = numbers.len() as i32;
    let known = numbers.get(&name).copied();
    if known.is_none() {
        numbers.insert(name, next);
    }

    known
}
