//! Writes region files of Xaero's World Map, in the versions that players still have.
//!
//! A zip has one stream: a version, and groups of 4 by 4 chunks. Blocks and biomes are written where
//! they first occur, and are numbers afterwards; in version 0 they are the ids of Minecraft 1.12.

use std::collections::BTreeMap;
use std::io::{Cursor, Write as _};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::biome::{self, Biome};
use super::block::{self, Block};
use super::nbt::Tag;

/// The place of the highest four bits of a height, and the place where older versions had them.
const HIGH: u32 = 25;
const OLD_HIGH: u32 = 24;

/// A region file.
#[derive(Debug, Clone)]
pub struct XaeroFile {
    pub version: (u16, u16),
    /// The chunks by their x and z in the region.
    pub tiles: BTreeMap<(usize, usize), XaeroTile>,
}

/// A chunk: 256 columns, from west to east, and each of these from north to south.
pub type XaeroTile = Vec<Pixel>;

/// A column.
#[derive(Debug, Clone)]
pub struct Pixel {
    pub block: Block,
    pub y: i32,
    /// The height of the highest block.
    pub top: i32,
    /// The blocks above that are seen through, from the top down, each with its opacity.
    pub overlays: Vec<(Block, u8)>,
    pub biome: Biome,
    pub light: u8,
}

impl Pixel {
    /// A column of plains that ends at a block.
    pub fn new(block: Block, y: i32) -> Self {
        Self {
            block,
            y,
            top: y,
            overlays: Vec::new(),
            biome: biome::PLAINS,
            light: 0,
        }
    }

    /// Covers the column with water up to a height.
    pub fn under_water(mut self, water_y: i32) -> Self {
        let opacity = (water_y - self.y).min(15) as u8;
        self.overlays.push((block::WATER, opacity));
        self.top = water_y;
        self
    }
}

impl Default for XaeroFile {
    fn default() -> Self {
        Self {
            version: (6, 8),
            tiles: BTreeMap::new(),
        }
    }
}

/// The stream of a file that is being written.
#[derive(Default)]
struct Stream {
    version: (u16, u16),
    bytes: Vec<u8>,
    blocks: Vec<Block>,
    biomes: Vec<Biome>,
}

impl XaeroFile {
    /// A file with one chunk.
    pub fn of_tile(place: (usize, usize), tile: XaeroTile) -> Self {
        Self {
            tiles: [(place, tile)].into(),
            ..Self::default()
        }
    }

    /// The bytes of the zip.
    pub fn bytes(&self) -> Vec<u8> {
        packed(&self.stream())
    }

    /// The inflated bytes.
    pub fn stream(&self) -> Vec<u8> {
        let mut stream = Stream {
            version: self.version,
            ..Stream::default()
        };
        stream.bytes.push(255);
        stream.bytes.extend(self.version.0.to_be_bytes());
        stream.bytes.extend(self.version.1.to_be_bytes());

        for group in 0..64 {
            let (x, z) = (group / 8, group % 8);
            let places = (0..16).map(|tile| (x * 4 + tile / 4, z * 4 + tile % 4));
            let tiles: Vec<_> = places.map(|place| self.tiles.get(&place)).collect();
            if tiles.iter().any(Option::is_some) {
                stream.bytes.push((x << 4 | z) as u8);
                for tile in tiles {
                    stream.put_tile(tile);
                }
            }
        }

        stream.bytes
    }
}

impl Stream {
    fn int(&mut self, number: u32) {
        self.bytes.extend(number.to_be_bytes());
    }

    fn put_tile(&mut self, tile: Option<&XaeroTile>) {
        let Some(tile) = tile else {
            return self.int(u32::MAX);
        };
        for pixel in tile {
            self.put_pixel(pixel);
        }

        let (_, minor) = self.version;
        if minor >= 4 {
            self.bytes.push(1);
        }
        if minor >= 6 {
            self.int(i32::MAX as u32);
        }
        if minor >= 7 {
            self.bytes.push(32);
        }
    }

    fn put_pixel(&mut self, pixel: &Pixel) {
        let (major, minor) = self.version;
        let is_grass = pixel.block == block::GRASS_BLOCK;
        let new_block = major > 0 && !is_grass && !self.blocks.contains(&pixel.block);
        let new_biome = major >= 4 && !self.biomes.contains(&pixel.biome);
        let has_top = minor >= 4 && pixel.top != pixel.y;
        let high = if minor >= 4 { HIGH } else { OLD_HIGH };

        let y = pixel.y as u32;
        let mut word = (y & 255) << 12 | (y >> 8 & 15) << high | u32::from(pixel.light) << 8;
        let flags = [
            (0, !is_grass),
            (1, !pixel.overlays.is_empty()),
            (20, true),
            (21, new_block),
            (22, new_biome),
            (24, has_top),
        ];
        for (bit, is_set) in flags {
            word |= u32::from(is_set) << bit;
        }
        self.int(word);

        if !is_grass {
            self.put_block(pixel.block);
        }
        if has_top {
            self.bytes.push(pixel.top as u8);
        }
        if !pixel.overlays.is_empty() {
            self.bytes.push(pixel.overlays.len() as u8);
            for &(block, opacity) in &pixel.overlays {
                self.put_overlay(block, opacity);
            }
        }
        self.put_biome(pixel.biome);
    }

    fn put_overlay(&mut self, block: Block, opacity: u8) {
        let (major, minor) = self.version;
        let is_water = block == block::WATER;
        let is_new = major > 0 && !is_water && !self.blocks.contains(&block);

        let mut word = u32::from(!is_water) | u32::from(is_new) << 10;
        if minor >= 8 {
            word |= u32::from(opacity) << 11;
        } else if opacity != 1 {
            word |= 8;
        }
        self.int(word);

        if !is_water {
            self.put_block(block);
        }
        if minor < 8 && opacity != 1 {
            self.int(opacity.into());
        }
    }

    fn put_block(&mut self, block: Block) {
        if self.version.0 == 0 {
            return self.int(block.id | u32::from(block.data) << 12);
        }
        if let Some(number) = self.blocks.iter().position(|known| *known == block) {
            return self.int(number as u32);
        }

        self.blocks.push(block);
        let mut state = Tag::compound([("Name", Tag::string(&block.full_name()))]);
        if !block.properties.is_empty() {
            let mut properties = Tag::compound([]);
            for (name, value) in block.properties {
                properties.set(name, Tag::string(value));
            }
            state.set("Properties", properties);
        }
        self.bytes.extend(state.document());
    }

    fn put_biome(&mut self, biome: Biome) {
        if self.version.0 < 4 {
            return self.bytes.push(biome.id);
        }
        if let Some(number) = self.biomes.iter().position(|known| *known == biome) {
            return self.int(number as u32);
        }

        self.biomes.push(biome);
        self.bytes.extend((biome.name.len() as u16).to_be_bytes());
        self.bytes.extend(biome.name.as_bytes());
    }
}

/// Packs a stream as the mod does.
pub fn packed(stream: &[u8]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("region.xaero", SimpleFileOptions::default())
        .unwrap();
    zip.write_all(stream).unwrap();
    zip.finish().unwrap().into_inner()
}

/// A chunk of columns that depend on their x and z in the chunk.
pub fn tile(pixel: impl Fn(usize, usize) -> Pixel) -> XaeroTile {
    (0..256).map(|at| pixel(at / 16, at % 16)).collect()
}

/// A chunk whose columns all end at one block.
pub fn level(block: Block, y: i32) -> XaeroTile {
    tile(|_, _| Pixel::new(block, y))
}
