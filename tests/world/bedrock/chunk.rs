//! Writes a chunk of any form: its contents, and the keys and values that store it.

use std::collections::BTreeMap;

use super::block::{self, Block, Entries};
use super::database::Changes;
use super::storage::{self, cell};

/// The forms in which versions of the game store blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// 0.9 to 0.16: one value per chunk, with its light.
    LegacyTerrain,
    /// 1.0 to 1.2: subchunks of numbers. This is the first byte; 2 to 7 mean the same as 0.
    Numbers(u8),
    /// 1.2.13: one storage.
    OneStorage,
    /// 1.2.13 to 1.17.30.
    Storages,
    /// Since then the value also contains the height.
    StoragesWithHeight,
}

/// The form in which biomes are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BiomeForm {
    None,
    /// 256 ids with colours.
    Data2DLegacy,
    /// 256 ids.
    Data2D,
    /// Storages for this many sections upwards from the lowest.
    Data3D(usize),
}

/// The 4,096 blocks of a subchunk.
type Cells = Vec<Block>;

/// A chunk to be written.
#[derive(Debug, Clone)]
pub struct ChunkSpec {
    /// Chunk position in the dimension.
    pub x: i32,
    pub z: i32,
    /// 0 is the overworld, 1 the nether, 2 the end. Add-ons have other numbers.
    pub dimension: i32,
    pub form: Form,
    /// The chunk version. Versions before 21 have tag 118.
    pub version: u8,
    pub entries: Entries,
    /// The minimum number of bits per index. With 0, a palette of one entry is written without
    /// words.
    pub least_bits: usize,
    /// Writes a length even for a palette without words, as a plugin did.
    pub has_stray_length: bool,
    /// Further storages by subchunk: the second one contains the water of waterlogged blocks.
    pub more_storages: Vec<BTreeMap<i32, Cells>>,
    pub biome_form: BiomeForm,
    /// The lowest section with stored biomes in form [`BiomeForm::Data3D`].
    pub lowest: i16,
    /// Ids by column (`z * 16 + x`), from a section upwards. Forms without heights take the first.
    pub biomes: BTreeMap<i32, Vec<u32>>,
    /// The value of tag 54.
    pub finalized: Option<Vec<u8>>,
    /// Values of other tags.
    pub extra: Vec<(u8, Vec<u8>)>,
    pub sections: BTreeMap<i32, Cells>,
    /// Block light by section: 4,096 levels in the order of the cells. Forms since 1.1 do not store
    /// it.
    pub lights: BTreeMap<i32, Vec<u8>>,
}

impl ChunkSpec {
    /// An empty, finished chunk of plains in the form of a chunk version.
    pub fn new(x: i32, z: i32, dimension: i32, version: u8) -> Self {
        let form = match version {
            0..=2 => Form::LegacyTerrain,
            3..=7 => Form::Numbers(0),
            8 => Form::OneStorage,
            9..=31 => Form::Storages,
            _ => Form::StoragesWithHeight,
        };

        let biome_form = match (version, dimension) {
            (0..=2, _) => BiomeForm::None,
            (3..=22, _) => BiomeForm::Data2D,
            (23..=31, _) => BiomeForm::Data3D(32),
            (32..=39, _) => BiomeForm::Data3D(25),
            (_, 1) => BiomeForm::Data3D(8),
            (_, 2) => BiomeForm::Data3D(16),
            _ => BiomeForm::Data3D(24),
        };

        let entries = match version {
            ..15 => Entries::Val,
            15 => Entries::States(None),
            16..40 => Entries::States(Some(17_825_806)),
            _ => Entries::States(Some(18_168_865)),
        };

        let is_deep = matches!(biome_form, BiomeForm::Data3D(_)) && dimension == 0;
        let lowest = if is_deep { -4 } else { 0 };
        Self {
            x,
            z,
            dimension,
            form,
            version,
            entries,
            least_bits: usize::from(version < 22),
            has_stray_length: false,
            more_storages: Vec::new(),
            biome_form,
            lowest,
            biomes: BTreeMap::from([(i32::from(lowest), vec![1; 256])]),
            finalized: Some(2_i32.to_le_bytes().to_vec()),
            extra: Vec::new(),
            sections: BTreeMap::new(),
            lights: BTreeMap::new(),
        }
    }

    /// Sets one block; x and z are 0..16 within the chunk.
    pub fn set(&mut self, x: usize, y: i32, z: usize, block: Block) {
        let is_numeric = matches!(self.form, Form::LegacyTerrain | Form::Numbers(_));
        assert!(
            !is_numeric || block.id != Block::NO_NUMBER,
            "{} has no number",
            block.name
        );
        set_in(&mut self.sections, x, y, z, block);
    }

    /// Sets one block of the second storage.
    pub fn wet(&mut self, x: usize, y: i32, z: usize, block: Block) {
        if self.more_storages.is_empty() {
            self.more_storages.push(BTreeMap::new());
        }
        set_in(&mut self.more_storages[0], x, y, z, block);
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

    /// Gives one column its biome, from a section upwards.
    pub fn set_biome(&mut self, x: usize, z: usize, section: i32, biome: u32) {
        let below = self
            .biomes
            .range(..=section)
            .next_back()
            .map(|(_, biomes)| biomes.clone());
        let biomes = self
            .biomes
            .entry(section)
            .or_insert_with(|| below.unwrap_or_else(|| vec![1; 256]));
        biomes[z * 16 + x] = biome;
    }

    /// The block at a place. It is air if nothing was set, or water if the second storage has water
    /// there.
    pub fn block(&self, x: usize, y: i32, z: usize) -> Block {
        let block = |sections: &BTreeMap<i32, Cells>| Some(sections.get(&(y >> 4))?[cell(x, y, z)]);
        let has_second = matches!(self.form, Form::Storages | Form::StoragesWithHeight);
        let second = if has_second {
            self.more_storages.first().and_then(block)
        } else {
            None
        };

        match block(&self.sections).unwrap_or(block::AIR) {
            block::AIR => second
                .filter(|second| *second == block::WATER)
                .unwrap_or(block::AIR),
            first => first,
        }
    }

    /// The highest block of a column that a query does not pass over.
    pub fn top(&self, x: usize, z: usize) -> Option<(i32, Block)> {
        let low = self.sections.keys().next()? * 16;
        let high = self.sections.keys().next_back()? * 16 + 15;
        let y = (low..=high)
            .rev()
            .find(|y| !self.block(x, *y, z).is_nothing())?;
        Some((y, self.block(x, y, z)))
    }

    /// The id of the biome at a place, if one is stored.
    pub fn biome(&self, x: usize, y: i32, z: usize) -> Option<u32> {
        let biomes = match (self.form, self.biome_form) {
            (_, BiomeForm::Data3D(_)) => self.biomes_from(y >> 4),
            (Form::LegacyTerrain, _) | (_, BiomeForm::Data2D | BiomeForm::Data2DLegacy) => {
                self.biomes.values().next().unwrap()
            }
            (_, BiomeForm::None) => return None,
        };
        Some(biomes[z * 16 + x])
    }

    fn biomes_from(&self, section: i32) -> &Vec<u32> {
        let below = self.biomes.range(..=section).next_back();
        below.or_else(|| self.biomes.iter().next()).unwrap().1
    }

    /// The key of a tag.
    pub fn key(&self, tag: u8) -> Vec<u8> {
        let mut key = [self.x.to_le_bytes(), self.z.to_le_bytes()].concat();
        if self.dimension != 0 {
            key.extend(self.dimension.to_le_bytes());
        }
        key.push(tag);
        key
    }

    /// The key of a subchunk.
    pub fn subchunk_key(&self, section: i32) -> Vec<u8> {
        let shift = if (24..=26).contains(&self.version) {
            4
        } else {
            0
        };
        let mut key = self.key(47);
        key.push((section + shift) as u8);
        key
    }

    /// Adds all values of the chunk.
    pub fn put_into(&self, changes: &mut Changes) {
        let version = self.key(if self.version < 21 { 118 } else { 44 });
        changes.insert(version, Some(vec![self.version]));

        if let Some(finalized) = &self.finalized {
            changes.insert(self.key(54), Some(finalized.clone()));
        }

        for (tag, value) in &self.extra {
            changes.insert(self.key(*tag), Some(value.clone()));
        }

        match self.biome_form {
            BiomeForm::None => {}
            BiomeForm::Data2DLegacy => {
                drop(changes.insert(self.key(46), Some(self.data_2d_legacy())));
            }
            BiomeForm::Data2D => drop(changes.insert(self.key(45), Some(self.data_2d()))),
            BiomeForm::Data3D(sections) => {
                drop(changes.insert(self.key(43), Some(self.data_3d(sections))));
            }
        }

        if self.form == Form::LegacyTerrain {
            changes.insert(self.key(48), Some(self.legacy_terrain()));
            return;
        }

        for section in self.sections.keys() {
            changes.insert(self.subchunk_key(*section), Some(self.subchunk(*section)));
        }
    }

    /// All values of the chunk.
    pub fn changes(&self) -> Changes {
        let mut changes = Changes::new();
        self.put_into(&mut changes);
        changes
    }

    /// The value of a subchunk.
    pub fn subchunk(&self, section: i32) -> Vec<u8> {
        let count = 1 + self.more_storages.len() as u8;
        let mut out = match self.form {
            Form::LegacyTerrain => unreachable!("it has no subchunks"),
            Form::Numbers(first) => return self.subchunk_of_numbers(first, section),
            Form::OneStorage => vec![1],
            Form::Storages => vec![8, count],
            Form::StoragesWithHeight => vec![9, count, section as u8],
        };

        let air = vec![block::AIR; 4096];
        let mut storages = vec![&self.sections[&section]];
        storages.extend(
            self.more_storages
                .iter()
                .map(|storage| storage.get(&section).unwrap_or(&air)),
        );

        for cells in storages {
            let (palette, cells) = storage::palette(cells);
            let has_words = palette.len() > 1 || self.least_bits > 0;
            out.extend(storage::indices(&cells, palette.len(), self.least_bits));

            if has_words || self.has_stray_length {
                out.extend((palette.len() as i32).to_le_bytes());
            }

            for block in palette {
                out.extend(block.entry(self.entries));
            }
        }

        out
    }

    fn subchunk_of_numbers(&self, first: u8, section: i32) -> Vec<u8> {
        let cells = &self.sections[&section];
        let mut out = vec![first];
        out.extend(cells.iter().map(|block| block.id as u8));
        out.extend(nibbles(cells.iter().map(|block| block.data)));

        if self.version < 4 {
            out.extend([0xff; 2048]);
            let dark = vec![0; 4096];
            out.extend(nibbles(
                self.lights.get(&section).unwrap_or(&dark).iter().copied(),
            ));
        }

        out
    }

    fn legacy_terrain(&self) -> Vec<u8> {
        let places = || (0..32_768).map(|at| (at >> 11, (at & 127) as i32, at >> 7 & 15));

        let light = |(x, y, z): (usize, i32, usize)| {
            self.lights
                .get(&(y >> 4))
                .map_or(0, |light| light[cell(x, y, z)])
        };

        let blocks = || places().map(|(x, y, z)| self.block(x, y, z));
        let mut out: Vec<u8> = blocks().map(|block| block.id as u8).collect();
        out.extend(nibbles(blocks().map(|block| block.data)));
        out.extend([0xff; 16_384]);
        out.extend(nibbles(places().map(light)));
        out.extend(self.heights().iter().map(|height| *height as u8));
        out.extend(self.coloured_biomes());

        out
    }

    /// One above the highest block of each column, `z * 16 + x`.
    fn heights(&self) -> Vec<i16> {
        let tops = (0..256).map(|column| self.top(column % 16, column / 16));
        tops.map(|top| top.map_or(0, |(y, _)| y as i16 + 1))
            .collect()
    }

    fn coloured_biomes(&self) -> Vec<u8> {
        let ids = self.biomes.values().next().unwrap();
        ids.iter()
            .flat_map(|id| [*id as u8, 0x8c, 0xbd, 0x57])
            .collect()
    }

    fn data_2d(&self) -> Vec<u8> {
        let mut out: Vec<u8> = self
            .heights()
            .into_iter()
            .flat_map(i16::to_le_bytes)
            .collect();

        out.extend(
            self.biomes
                .values()
                .next()
                .unwrap()
                .iter()
                .map(|id| *id as u8),
        );
        out
    }

    fn data_2d_legacy(&self) -> Vec<u8> {
        let mut out: Vec<u8> = self
            .heights()
            .into_iter()
            .flat_map(i16::to_le_bytes)
            .collect();
        out.extend(self.coloured_biomes());
        out
    }

    fn data_3d(&self, sections: usize) -> Vec<u8> {
        let heights = self
            .heights()
            .into_iter()
            .map(|height| height - self.lowest * 16);

        let mut out: Vec<u8> = heights.flat_map(i16::to_le_bytes).collect();
        let mut below: Option<&Vec<u32>> = None;
        for section in (i32::from(self.lowest)..).take(sections) {
            let biomes = self.biomes_from(section);
            if below == Some(biomes) {
                out.push(255);
                continue;
            }

            below = Some(biomes);
            let values: Vec<u32> = (0..4096)
                .map(|at| biomes[(at >> 4 & 15) * 16 + (at >> 8)])
                .collect();
            let (palette, cells) = storage::palette(&values);
            let indices = storage::indices(&cells, palette.len(), 0);

            // The lowest bit of the head is set in biomes, and clear in blocks.
            out.push(indices[0] | 1);
            out.extend(&indices[1..]);

            if palette.len() > 1 {
                out.extend((palette.len() as i32).to_le_bytes());
            }

            for id in palette {
                out.extend(id.to_le_bytes());
            }
        }

        out
    }
}

fn set_in(sections: &mut BTreeMap<i32, Cells>, x: usize, y: i32, z: usize, block: Block) {
    sections
        .entry(y >> 4)
        .or_insert_with(|| vec![block::AIR; 4096])[cell(x, y, z)] = block;
}

/// Values of four bits, the first of each two low.
fn nibbles(values: impl Iterator<Item = u8>) -> Vec<u8> {
    let values: Vec<u8> = values.collect();
    super::super::packed::nibbles(&values)
}
