//! Describes one chunk: its position, its contents, and the generation to write it in. It writes
//! nothing itself, because `numeric` and `paletted` do, and other modules handle compression and
//! files.

use std::collections::BTreeMap;

use super::biome::{Biome, PLAINS};
use super::block::{self, Block};
use super::nbt::Tag;
use super::{numeric, paletted};

/// All layouts in which chunks were ever stored. The number is the `DataVersion`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generation {
    /// Beta 1.3 to 1.1: one array for the whole chunk.
    McRegion,
    /// 1.2 to 1.8 as the game wrote it: `V`, no `DataVersion`.
    NumericV,
    /// The same written by other tools, without either.
    NumericBare,
    /// 15w32a to 1.12.2.
    Numeric(i32),
    /// `JustEnoughIDs`: an int array as palette.
    Jeid(i32),
    /// `NotEnoughIDs`: `Blocks16`, with `Data16` (true) or `Data`.
    Neid(bool),
    /// `NotEnoughIDs` of 1.12: `Add2` for bits 12 to 15.
    NeidLegacy(i32),
    /// `EndlessIDs`: `BlocksB2Hi` and `BlocksB3`.
    EndlessIds,
    /// 17w47a to 20w16a: palettes, entries that span longs.
    Spanning(i32),
    /// 20w17a to 1.17.1: palettes, aligned entries.
    Aligned(i32),
    /// 21w37a to 21w42a: `block_states` still under `Level`.
    LevelStates(i32),
    /// 21w43a and later: everything at the root.
    Root(i32),
}

impl Generation {
    /// Every way in which chunks were ever stored, oldest first, in its first and last versions.
    pub const ALL: [Self; 23] = [
        Self::McRegion,
        Self::NumericV,
        Self::NumericBare,
        Self::Numeric(169),
        Self::Numeric(1343),
        Self::Jeid(1343),
        Self::Neid(true),
        Self::Neid(false),
        Self::NeidLegacy(1343),
        Self::EndlessIds,
        Self::Spanning(1451),
        Self::Spanning(1519),
        Self::Spanning(1976),
        Self::Spanning(2225),
        Self::Aligned(2586),
        Self::Aligned(2700),
        Self::Aligned(2730),
        Self::LevelStates(2836),
        Self::Root(2860),
        Self::Root(3465),
        Self::Root(4903),
        Self::Root(5023),
        Self::Root(5126),
    ];

    /// The newest generation of each form: of each variant, of palette entries, and of data.
    pub fn newest_of_each_form() -> impl Iterator<Item = Self> {
        let form = |generation: Self| {
            let kind = std::mem::discriminant(&generation);
            let newer = [
                generation.has_string_entries(),
                generation.has_biomes_by_block(),
            ];
            (kind, newer, generation == Self::Neid(true))
        };

        let all = Self::ALL.into_iter().enumerate();
        let newest = all.filter(move |&(number, one)| {
            Self::ALL[number + 1..]
                .iter()
                .all(|&newer| form(newer) != form(one))
        });
        newest.map(|(_, generation)| generation)
    }

    /// The `DataVersion` that is written, if any.
    pub const fn data_version(self) -> Option<i32> {
        match self {
            Self::McRegion
            | Self::NumericV
            | Self::NumericBare
            | Self::Neid(_)
            | Self::EndlessIds => None,
            Self::Numeric(version)
            | Self::Jeid(version)
            | Self::NeidLegacy(version)
            | Self::Spanning(version)
            | Self::Aligned(version)
            | Self::LevelStates(version)
            | Self::Root(version) => Some(version),
        }
    }

    /// Returns whether palette entries may be strings (26.3 and later).
    pub fn has_string_entries(self) -> bool {
        self.data_version().is_some_and(|version| version >= 5009)
    }

    /// Returns whether there is a biome for each block, and `status` in place of `Status` (26.4).
    pub fn has_biomes_by_block(self) -> bool {
        self.data_version().is_some_and(|version| version >= 5119)
    }

    /// Returns whether biomes have three dimensions (1.15 and later).
    fn has_deep_biomes(self) -> bool {
        self.data_version().is_some_and(|version| version >= 2203)
    }

    /// Returns whether blocks are stored as numbers.
    pub const fn is_numeric(self) -> bool {
        !matches!(
            self,
            Self::Spanning(_) | Self::Aligned(_) | Self::LevelStates(_) | Self::Root(_)
        )
    }
}

/// The form of palette entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entries {
    /// `{Name, Properties}`, up to 26.2.
    Compounds,
    /// 26.3: strings. States with properties are wrapped strings and `{id, properties}` in one
    /// list.
    Strings,
    /// All three forms of 26.3 and before, in turn, in one list.
    Mixed,
}

/// The content of the stored height map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heights {
    /// The true heights.
    Right,
    /// The true heights, and the floor of the sea, which the game also stores.
    WithFloor,
    /// The true heights plus this many blocks, within the height of the world.
    Off(i32),
    /// No height map at all.
    Absent,
}

/// The blocks of one section.
#[derive(Debug, Clone)]
pub struct Section {
    /// The distinct blocks; the first is air.
    pub palette: Vec<Block>,
    /// Indices into the palette, `y*256 + z*16 + x`.
    pub cells: Vec<u16>,
}

impl Default for Section {
    fn default() -> Self {
        Self {
            palette: vec![block::AIR],
            cells: vec![0; 4096],
        }
    }
}

impl Section {
    /// The entries of the palette that occur in the section, in order of their first cell, and the
    /// index of each cell into them.
    pub fn used(&self) -> (Vec<Block>, Vec<u16>) {
        let mut moved = vec![u16::MAX; self.palette.len()];
        let mut palette = Vec::new();
        let mut cells = Vec::with_capacity(4096);
        for &cell in &self.cells {
            let new = &mut moved[cell as usize];
            if *new == u16::MAX {
                *new = palette.len() as u16;
                palette.push(self.palette[cell as usize]);
            }
            cells.push(*new);
        }

        (palette, cells)
    }

    /// The block of a cell.
    pub fn at(&self, cell: usize) -> Block {
        self.palette[self.cells[cell] as usize]
    }
}

/// A chunk to be written.
#[derive(Debug, Clone)]
pub struct ChunkSpec {
    /// Chunk position in the world.
    pub x: i32,
    pub z: i32,
    pub generation: Generation,
    pub entries: Entries,
    /// `None`: the usual status of a finished chunk of the version.
    pub status: Option<&'static str>,
    pub heights: Heights,
    /// Biomes of the columns, `z*16 + x`; `None`: no biomes are stored.
    pub biomes: Option<Vec<Biome>>,
    /// A biome below a height (exclusive, a multiple of 4), where biomes have three dimensions.
    pub deep_biome: Option<(i32, Biome)>,
    /// The lowest section and the count of sections of the dimension.
    pub range: (i32, i32),
    /// Also writes sections without blocks.
    pub all_sections: bool,
    /// Tags that are put at the root, or into `Level` if the generation has it.
    pub extra: Vec<(&'static str, Tag)>,
    pub sections: BTreeMap<i32, Section>,
    /// Block light by section, if any is stored. The indices are the same as for blocks.
    pub lights: BTreeMap<i32, Vec<u8>>,
}

impl ChunkSpec {
    /// An empty finished chunk in plains.
    pub fn new(x: i32, z: i32, generation: Generation) -> Self {
        let range = match generation {
            Generation::Aligned(2694..=2706) | Generation::LevelStates(_) | Generation::Root(_) => {
                (-4, 24)
            }
            Generation::McRegion => (0, 8),
            _ => (0, 16),
        };

        Self {
            x,
            z,
            generation,
            entries: if generation.has_string_entries() {
                Entries::Strings
            } else {
                Entries::Compounds
            },
            status: None,
            heights: Heights::Right,
            biomes: if generation == Generation::McRegion {
                None
            } else {
                Some(vec![PLAINS; 256])
            },
            deep_biome: None,
            range,
            all_sections: false,
            extra: Vec::new(),
            sections: BTreeMap::new(),
            lights: BTreeMap::new(),
        }
    }

    /// Sets one block; x and z are 0..16 within the chunk.
    pub fn set(&mut self, x: usize, y: i32, z: usize, block: Block) {
        assert!(
            !self.generation.is_numeric() || block.id != Block::NO_NUMBER,
            "{} has no number",
            block.name
        );

        let section = self.sections.entry(y >> 4).or_default();
        let index = section
            .palette
            .iter()
            .position(|known| *known == block)
            .unwrap_or_else(|| {
                section.palette.push(block);
                section.palette.len() - 1
            });
        section.cells[cell(x, y, z)] = index as u16;
    }

    /// Sets the blocks from `low` up to and including `high` in a column.
    pub fn stack(&mut self, x: usize, z: usize, low: i32, high: i32, block: Block) {
        for y in low..=high {
            self.set(x, y, z, block);
        }
    }

    /// Sets the blocks from `low` up to and including `high` in every column.
    pub fn layer(&mut self, low: i32, high: i32, block: Block) {
        for column in 0..256 {
            self.stack(column % 16, column / 16, low, high, block);
        }
    }

    /// Sets the light that blocks give to one cell.
    pub fn set_light(&mut self, x: usize, y: i32, z: usize, level: u8) {
        self.sections.entry(y >> 4).or_default();
        self.lights.entry(y >> 4).or_insert_with(|| vec![0; 4096])[cell(x, y, z)] = level;
    }

    /// Gives one column its biome.
    pub fn set_biome(&mut self, x: usize, z: usize, biome: Biome) {
        self.biomes.as_mut().unwrap()[z * 16 + x] = biome;
    }

    /// The block at a place. It is air if nothing was set.
    pub fn block(&self, x: usize, y: i32, z: usize) -> Block {
        self.sections
            .get(&(y >> 4))
            .map_or(block::AIR, |section| section.at(cell(x, y, z)))
    }

    /// The highest block of a column that a query does not pass over.
    pub fn top(&self, x: usize, z: usize) -> Option<(i32, Block)> {
        self.highest(x, z, |block| !block.is_nothing())
    }

    fn highest(&self, x: usize, z: usize, counts: impl Fn(Block) -> bool) -> Option<(i32, Block)> {
        self.sections.iter().rev().find_map(|(section_y, section)| {
            (0..16).rev().find_map(|y| {
                let block = section.at(cell(x, y, z));
                counts(block).then_some((section_y * 16 + y, block))
            })
        })
    }

    /// The biome a query gives at a place, if one is stored.
    pub fn biome(&self, x: usize, y: i32, z: usize) -> Option<Biome> {
        let columns = self.biomes.as_ref()?;
        let size = paletted::biome_cell(self.generation);
        Some(match self.deep_biome {
            Some((below, biome)) if y < below && self.generation.has_deep_biomes() => biome,
            _ => columns[z / size * size * 16 + x / size * size],
        })
    }

    /// The values of the height map without a fault: for each column, the height above its highest
    /// block, or the minimum.
    pub fn height_values(&self) -> Vec<i32> {
        self.heights_where(|block| !block.is_nothing())
    }

    /// The values of the height map of the sea floor.
    pub fn floor_values(&self) -> Vec<i32> {
        let plants = [
            "minecraft:water",
            "minecraft:kelp",
            "minecraft:kelp_plant",
            "minecraft:seagrass",
        ];
        self.heights_where(|block| !block.is_nothing() && !plants.contains(&block.name))
    }

    fn heights_where(&self, counts: impl Fn(Block) -> bool + Copy) -> Vec<i32> {
        let (least, most) = (self.range.0 * 16, (self.range.0 + self.range.1) * 16);
        let off = if let Heights::Off(blocks) = self.heights {
            blocks
        } else {
            0
        };
        let columns = (0..256).map(|column| self.highest(column % 16, column / 16, counts));
        columns
            .map(|top| (top.map_or(least, |(y, _)| y + 1) + off).clamp(least, most))
            .collect()
    }

    /// The chunk's NBT.
    pub fn nbt(&self) -> Tag {
        if self.generation.is_numeric() {
            numeric::write(self)
        } else {
            paletted::write(self)
        }
    }
}

/// The index of a cell in its section.
pub const fn cell(x: usize, y: i32, z: usize) -> usize {
    (y & 15) as usize * 256 + z * 16 + x
}
