//! Writes region files of zvcr: the newest state of each chunk, and differences to older states.
//!
//! Tests write the stream without compression, because every program that reads zstd reads that.

use std::collections::BTreeMap;

use super::block::Block;
use super::chunk::ChunkSpec;

/// Cells per section: blocks, and biomes.
const BLOCKS: usize = 4096;
const BIOMES: usize = 64;
/// The id in a difference that leaves a cell unchanged.
const UNCHANGED: u16 = u16::MAX;
/// The number of plains among the biomes of protocol 769.
const PLAINS: u16 = 40;

/// A file of one region of the overworld.
#[derive(Debug, Clone)]
pub struct ZvcrFile {
    pub version: u8,
    pub protocol: u16,
    /// The chunks by their x and z in the region.
    pub chunks: BTreeMap<(usize, usize), ZvcrChunk>,
}

/// A chunk with its states, the newest first.
#[derive(Debug, Clone, Default)]
pub struct ZvcrChunk {
    pub states: Vec<(u64, ChunkSpec)>,
    /// The changes of block entities by time, the newest first. The first ones are all that exist.
    pub block_entities: Vec<(u64, Vec<BlockEntity>)>,
}

/// A block entity that was put or removed.
#[derive(Debug, Clone)]
pub struct BlockEntity {
    /// Its position in the chunk, with y above the lowest block.
    pub at: [u32; 3],
    /// Its type and fields; absent: it was removed.
    pub put: Option<(u32, Vec<u8>)>,
}

impl Default for ZvcrFile {
    fn default() -> Self {
        Self {
            version: 7,
            protocol: 769,
            chunks: BTreeMap::new(),
        }
    }
}

impl ZvcrFile {
    /// Adds a chunk with one state.
    pub fn put(&mut self, time: u64, chunk: &ChunkSpec) -> &mut ZvcrChunk {
        self.put_states([(time, chunk)])
    }

    /// Adds a chunk with several states, the newest first.
    pub fn put_states<'c>(
        &mut self,
        states: impl IntoIterator<Item = (u64, &'c ChunkSpec)>,
    ) -> &mut ZvcrChunk {
        let states: Vec<(u64, ChunkSpec)> = states
            .into_iter()
            .map(|(time, chunk)| (time, chunk.clone()))
            .collect();
        let (_, first) = &states[0];
        let slot = ((first.x & 31) as usize, (first.z & 31) as usize);
        self.chunks.insert(
            slot,
            ZvcrChunk {
                states,
                block_entities: Vec::new(),
            },
        );
        self.chunks.get_mut(&slot).unwrap()
    }

    /// Returns the bytes of the file.
    pub fn bytes(&self) -> Vec<u8> {
        [self.header(), stream(&self.container())].concat()
    }

    /// Returns the bytes of the file, compressed at the level that the official writer uses.
    pub fn packed(&self) -> Vec<u8> {
        const LEVEL: i32 = 8;
        let packed = zstd::bulk::compress(&self.container(), LEVEL).unwrap();
        [self.header(), packed].concat()
    }

    pub fn header(&self) -> Vec<u8> {
        let [low, high] = self.protocol.to_le_bytes();
        [&b"zvcr3d"[..], &[self.version, 0, low, high]].concat()
    }

    /// Returns the inflated bytes.
    pub fn container(&self) -> Vec<u8> {
        let states = StateNumbers::of_protocol(self.protocol);
        let (mut blocks, mut biomes) = (PaletteTable::default(), PaletteTable::default());
        let mut slots = Vec::new();
        for slot in 0..1024 {
            match self.chunks.get(&(slot / 32, slot % 32)) {
                None => slots.push(0),
                Some(chunk) => {
                    slots.push(1);
                    chunk.put(&states, &mut blocks, &mut biomes, &mut slots);
                }
            }
        }

        [blocks.bytes(), biomes.bytes(), slots].concat()
    }
}

impl ZvcrChunk {
    fn put(
        &self,
        numbers: &StateNumbers,
        blocks: &mut PaletteTable,
        biomes: &mut PaletteTable,
        out: &mut Vec<u8>,
    ) {
        for y in -4..20 {
            let states = self.states.iter().filter_map(|(time, chunk)| {
                let section = chunk.sections.get(&y)?;
                let ids = (0..BLOCKS).map(|cell| numbers.id(section.at(cell)));
                Some((*time, ids.collect()))
            });
            put_chain(&states.collect::<Vec<_>>(), blocks, out);
        }

        for y in -4..20 {
            let known = self
                .states
                .iter()
                .filter(|(_, chunk)| chunk.sections.contains_key(&y));
            let states = known.map(|(time, _)| (*time, vec![PLAINS; BIOMES]));
            put_chain(&states.collect::<Vec<_>>(), biomes, out);
        }

        // One visit, of an unknown kind.
        out.extend(1_u64.to_le_bytes());
        out.push(0);
        out.extend(self.states[0].0.to_le_bytes());

        out.extend((self.block_entities.len() as u64).to_le_bytes());
        for (time, changes) in &self.block_entities {
            out.extend(time.to_le_bytes());
            out.extend((changes.len() as u64).to_le_bytes());
            for BlockEntity { at: [x, y, z], put } in changes {
                out.extend((y << 16 | z << 8 | x).to_le_bytes());
                out.push(put.is_some().into());
                if let Some((number, fields)) = put {
                    out.extend(number.to_le_bytes());
                    out.extend((fields.len() as u64).to_le_bytes());
                    out.extend(fields);
                }
            }
        }
    }
}

/// Writes the states of a section, the newest whole and the others as differences.
fn put_chain(states: &[(u64, Vec<u16>)], table: &mut PaletteTable, out: &mut Vec<u8>) {
    let mut written: Vec<(u64, Vec<u16>)> = Vec::new();
    for (index, (time, ids)) in states.iter().enumerate() {
        let stored = match index.checked_sub(1).map(|newer| &states[newer].1) {
            None => ids.clone(),
            Some(newer) if newer == ids => continue,
            Some(newer) => {
                let cells = newer.iter().zip(ids);
                cells
                    .map(|(newer, older)| if newer == older { UNCHANGED } else { *older })
                    .collect()
            }
        };
        written.push((*time, stored));
    }

    out.extend((written.len() as u64).to_le_bytes());
    for (time, ids) in written {
        out.extend(time.to_le_bytes());
        put_cells(&ids, table, out);
    }
}

fn put_cells(ids: &[u16], table: &mut PaletteTable, out: &mut Vec<u8>) {
    let mut palette: Vec<u16> = Vec::new();
    let mut indices = Vec::with_capacity(ids.len());
    for id in ids {
        let known = palette.iter().position(|other| other == id);
        indices.push(known.unwrap_or_else(|| {
            palette.push(*id);
            palette.len() - 1
        }));
    }

    if let [only] = palette[..] {
        out.push(0);
        return out.extend(only.to_le_bytes());
    }

    let packed: Vec<u8> = match palette.len() {
        ..=16 => indices
            .chunks(2)
            .map(|pair| (pair[0] | pair[1] << 4) as u8)
            .collect(),
        17..=256 => indices.iter().map(|&index| index as u8).collect(),
        _ => ids.iter().flat_map(|id| id.to_le_bytes()).collect(),
    };
    let number = if palette.len() > 256 {
        u32::MAX
    } else {
        table.number(palette)
    };

    out.push(1);
    out.extend((packed.len() as u64 / 8).to_le_bytes());
    out.extend(packed);
    out.extend(number.to_le_bytes());
}

/// The palettes of a file.
#[derive(Debug, Default)]
struct PaletteTable(Vec<Vec<u16>>);

impl PaletteTable {
    fn number(&mut self, palette: Vec<u16>) -> u32 {
        let known = self.0.iter().position(|other| *other == palette);
        let index = known.unwrap_or_else(|| {
            self.0.push(palette);
            self.0.len() - 1
        });
        index as u32
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = (self.0.len() as u32).to_le_bytes().to_vec();
        for palette in &self.0 {
            bytes.extend((palette.len() as u16).to_le_bytes());
            bytes.extend(palette.iter().flat_map(|id| id.to_le_bytes()));
        }
        bytes
    }
}

/// Writes a zstd stream whose blocks are not compressed.
pub fn stream(bytes: &[u8]) -> Vec<u8> {
    const MAX_BLOCK: usize = 128 << 10;
    let mut stream = 0xfd2f_b528_u32.to_le_bytes().to_vec();
    // The length has 8 bytes, and there is one segment, no checksum and no dictionary.
    stream.push(0b1110_0000);
    stream.extend((bytes.len() as u64).to_le_bytes());

    let mut blocks = bytes.chunks(MAX_BLOCK).peekable();
    while let Some(block) = blocks.next() {
        let is_last = blocks.peek().is_none();
        let head = (block.len() as u32) << 3 | u32::from(is_last);
        stream.extend(&head.to_le_bytes()[..3]);
        stream.extend(block);
    }

    stream
}

/// The name of a property, and its values.
type Property = (&'static str, Vec<String>);

/// The first number of each block, and its properties, by its name.
#[derive(Debug)]
struct StateNumbers(BTreeMap<&'static str, (u16, Vec<Property>)>);

impl StateNumbers {
    fn of_protocol(protocol: u16) -> Self {
        let mut next = 0;
        let mut blocks = BTreeMap::new();
        let table = include_str!("../../crates/world/src/names/network_states.tsv");
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            let is_out = match fields.get(1) {
                Some(&"769-") => protocol < 769,
                Some(&"-765") => protocol > 765,
                _ => false,
            };
            if is_out {
                continue;
            }

            let words = fields
                .get(2)
                .map_or("", |words| words)
                .split_terminator(' ');
            let properties: Vec<_> = words.map(property).collect();
            let count: usize = properties.iter().map(|(_, values)| values.len()).product();
            blocks.insert(fields[0], (next, properties));
            next += count as u16;
        }

        Self(blocks)
    }

    /// Returns the number of a state. A property that is not given has its last value, which is
    /// false for most.
    fn id(&self, block: Block) -> u16 {
        let name = block.name.trim_start_matches("minecraft:");
        let Some((first, properties)) = self.0.get(name) else {
            panic!("{name} has no number");
        };

        let mut digits = 0;
        for (key, values) in properties {
            let given = block.properties.iter().find(|(other, _)| other == key);
            let value = given.and_then(|(_, given)| values.iter().position(|value| value == given));
            digits = digits * values.len() + value.unwrap_or(values.len() - 1);
        }
        first + digits as u16
    }
}

fn property(word: &'static str) -> Property {
    let (name, values) = word.split_once('=').unwrap_or((word, "true|false"));
    let values = match values.split_once("..") {
        Some((first, last)) => (first.parse().unwrap()..=last.parse::<u8>().unwrap())
            .map(|number| number.to_string())
            .collect(),
        None => values.split('|').map(str::to_owned).collect(),
    };
    (name, values)
}
