//! Reads one chunk of any form into a lookup of all its blocks and biomes.

use std::collections::BTreeMap;

use super::database::Database;
use super::files::Bytes;
use super::{OVERWORLD, Place, tables};
use crate::slow_reader::{Reason, Top, Within};

/// The tags of values that affect a map. In keys with tag 47, a height follows the tag.
const TAGS: [u8; 10] = [43, 44, 45, 46, 47, 48, 49, 54, 57, 118];

/// The chunk and the tag of a key, if the key belongs to a chunk.
pub fn place(key: &[u8]) -> Option<(Place, u8)> {
    let mut bytes = Bytes(key);
    let (x, z) = (bytes.u32()? as i32, bytes.u32()? as i32);

    let dimension = if key.len() >= 13 {
        bytes.u32()? as i32
    } else {
        OVERWORLD
    };

    let tag = bytes.byte()?;
    let is_whole = bytes.0.len() == usize::from(tag == 47);

    // A key may be text that is as long as the key of a chunk. Such a key makes no dimension.
    let is_dimension = key.len() < 13 || (1..0x1_0000).contains(&dimension);

    // The hash of a chunk's facts matters only in the dimensions of add-ons.
    let is_tag = TAGS.contains(&tag) || tag == 63 && dimension > 2;

    (is_whole && is_dimension && is_tag).then_some(((dimension, x, z), tag))
}

/// The beginning of all keys of a chunk.
pub struct Keys(pub Vec<u8>);

impl Keys {
    pub fn new((dimension, x, z): Place) -> Self {
        let mut key = [x.to_le_bytes(), z.to_le_bytes()].concat();
        if dimension != OVERWORLD {
            key.extend(dimension.to_le_bytes());
        }
        Self(key)
    }

    pub fn key(&self, tag: u8) -> Vec<u8> {
        [&self.0[..], &[tag]].concat()
    }
}

/// The contents of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Nothing is stored.
    Nothing,
    /// The name in an entry of a palette.
    Named(String),
    Number(u8, u8),
}

impl Content {
    /// The name, or the number as text.
    pub fn name(&self) -> String {
        match self {
            Self::Nothing => "minecraft:air".to_owned(),
            Self::Named(name) => name.clone(),
            Self::Number(id, data) => format!("numeric:{id}:{data}"),
        }
    }

    fn is_nothing(&self) -> bool {
        let path = match self {
            Self::Nothing | Self::Number(0 | 217, _) => return true,
            Self::Number(..) => return false,
            Self::Named(name) => name.strip_prefix("minecraft:").unwrap_or("something"),
        };
        matches!(path, "air" | "barrier" | "structure_void" | "light_block")
            || path
                .strip_prefix("light_block_")
                .is_some_and(|level| level.parse::<u8>().is_ok())
    }
}

/// The blocks of a subchunk: palette, and an index for each cell in the order x, z, y.
#[derive(Debug)]
struct Section {
    palette: Vec<Content>,
    cells: Vec<usize>,
}

/// A chunk, unpacked.
#[derive(Debug)]
pub struct BedrockChunk {
    pub version: u8,
    pub is_finished: bool,
    /// Subchunks by height. If there are several storages, the first one counts, with water from
    /// the second one in place of air.
    sections: BTreeMap<i32, Section>,
    biomes: Biomes,
}

#[derive(Debug)]
enum Biomes {
    None,
    /// `z * 16 + x`.
    Columns(Vec<u8>),
    /// Upwards from a section; each has 4,096 in the order x, z, y, or none.
    Sections(i32, Vec<Vec<Option<u32>>>),
}

impl BedrockChunk {
    /// Reads the values of a chunk. Returns `None` if it has no version.
    pub fn read(database: &Database, place: Place) -> Option<Result<Self, Reason>> {
        let keys = Keys::new(place);
        let value = |tag| database.value(&keys.key(tag));
        value(44).or_else(|| value(118))?;
        Some(Self::parse(place.0, database, &keys).ok_or(Reason::Content))
    }

    fn parse(dimension: i32, database: &Database, keys: &Keys) -> Option<Self> {
        let value = |tag| database.value(&keys.key(tag));
        let byte = |tag| value(tag).and_then(|value| value.first().copied());

        // Without the byte, the chunk counts as the oldest version.
        let version = byte(44).or_else(|| byte(118)).unwrap_or_default();
        let shift = if byte(44).is_some_and(|version| (24..=26).contains(&version)) {
            4
        } else {
            0
        };

        let mut sections = BTreeMap::new();
        for y in i8::MIN..=i8::MAX {
            let height = i32::from(y) - shift;
            if let Some(bytes) = database.value(&[keys.key(47), vec![y as u8]].concat())
                && height >= -128
            {
                sections.insert(height, subchunk(bytes)?);
            }
        }

        let legacy = value(48);
        if sections.is_empty()
            && let Some(legacy) = legacy
        {
            sections = legacy_terrain(legacy)?;
        }

        let cells = |bytes: &[u8]| {
            let sections = biome_sections(bytes.get(512..)?);
            let hash = value(63).and_then(|hash| Some(u64::from_le_bytes(hash.try_into().ok()?)));
            let stored = hash.and_then(|hash| tables::lowest_section(database, hash));
            let lowest = match dimension {
                OVERWORLD => -4,
                1 | 2 => 0,
                _ => stored.unwrap_or(if sections.len() < 24 { 0 } else { -4 }),
            };
            Some(Biomes::Sections(lowest, sections))
        };

        // Biomes that cannot be read affect nothing else.
        let biomes = value(43)
            .and_then(cells)
            .or_else(|| Some(Biomes::Columns(value(45)?.get(512..768)?.to_vec())))
            .or_else(|| Some(Biomes::Columns(first_of_four(value(46)?.get(512..1536)?))))
            .or_else(|| Some(Biomes::Columns(first_of_four(legacy?.get(82_176..83_200)?))))
            .unwrap_or(Biomes::None);

        let is_unfinished = matches!(value(54), Some([0 | 1] | [0 | 1, 0, 0, 0, ..]));
        Some(Self {
            version,
            is_finished: !is_unfinished,
            sections,
            biomes,
        })
    }

    /// The block of a place; x and z within the chunk.
    pub fn block(&self, x: i32, y: i32, z: i32) -> &Content {
        let found = self.sections.get(&(y >> 4)).and_then(|section| {
            let index = section.cells[(x << 8 | z << 4 | y & 15) as usize];
            section.palette.get(index)
        });
        found.unwrap_or(&Content::Nothing)
    }

    /// The id of the biome at a place, if one is stored.
    pub fn biome(&self, x: i32, y: i32, z: i32) -> Option<u32> {
        match &self.biomes {
            Biomes::None => None,
            Biomes::Columns(columns) => Some(u32::from(columns[(z * 16 + x) as usize])),
            Biomes::Sections(lowest, sections) => {
                let cells = sections.get(usize::try_from((y >> 4) - lowest).ok()?)?;
                *cells.get((x << 8 | z << 4 | y & 15) as usize)?
            }
        }
    }

    /// The highest block of a column that counts; the biome as its id.
    pub fn top(&self, x: i32, z: i32, within: Within) -> Option<Top> {
        let low = (self.sections.keys().next()? * 16).max(within.low);
        let high = (self.sections.keys().next_back()? * 16 + 16).min(within.high.saturating_add(1));
        let y = (low..high)
            .rev()
            .find(|y| !self.block(x, *y, z).is_nothing())?;
        let biome = self.biome(x, y, z).map(|id| id.to_string());
        Some(Top {
            y,
            block: self.block(x, y, z).name(),
            biome,
        })
    }
}

/// Reads the first storage of a subchunk; a subchunk without one is all air. Water in the second
/// storage counts if the first has air.
fn subchunk(bytes: &[u8]) -> Option<Section> {
    let mut bytes = Bytes(bytes);
    match bytes.byte()? {
        0 | 2..=7 => {
            let (ids, data) = (bytes.take(4096)?, bytes.take(2048)?);
            Some(numbered(ids, data, |cell| cell))
        }
        1 => storage(&mut bytes),
        form @ (8 | 9) => {
            let count = bytes.byte()?;

            if form == 9 {
                bytes.byte()?;
            }

            if count == 0 {
                return Some(Section {
                    palette: Vec::new(),
                    cells: vec![0; 4096],
                });
            }

            let (mut section, is_whole) = counted_storage(&mut bytes)?;
            if count > 1
                && is_whole
                && let Some(second) = storage(&mut bytes)
            {
                section.add_water(&second);
            }

            Some(section)
        }
        _ => None,
    }
}

/// A section of numbers; `place` is where a cell's number is.
fn numbered(ids: &[u8], data: &[u8], place: impl Fn(usize) -> usize) -> Section {
    let nibble = |at: usize| data[at / 2] >> (at % 2 * 4) & 15;
    let content = |cell| Content::Number(ids[place(cell)], nibble(place(cell)));
    Section {
        palette: (0..4096).map(content).collect(),
        cells: (0..4096).collect(),
    }
}

/// 4,096 indices; all are 0 if an index has 0 bits.
fn indices(bits: usize, bytes: &mut Bytes<'_>) -> Option<Vec<usize>> {
    if bits == 0 {
        return Some(vec![0; 4096]);
    }
    if ![1, 2, 3, 4, 5, 6, 8, 16].contains(&bits) {
        return None;
    }

    let each = 32 / bits;
    let words: Option<Vec<u32>> = (0..4096_usize.div_ceil(each))
        .map(|_| bytes.u32())
        .collect();
    let words = words?;
    Some(
        (0..4096)
            .map(|cell| (words[cell / each] >> (cell % each * bits)) as usize % (1 << bits))
            .collect(),
    )
}

impl Section {
    /// Takes the water of another storage into the cells that are air.
    fn add_water(&mut self, other: &Section) {
        let first = self.palette.len();
        self.palette.extend(other.palette.iter().cloned());

        for (cell, second) in self.cells.iter_mut().zip(&other.cells) {
            let is_air = *cell < first && self.palette[*cell].name() == "minecraft:air";
            let water = other.palette.get(*second).map(Content::name);
            if is_air
                && matches!(
                    water.as_deref(),
                    Some("minecraft:water" | "minecraft:flowing_water")
                )
            {
                *cell = first + second;
            } else if *cell >= first {
                *cell = usize::MAX;
            }
        }
    }
}

/// Reads indices and the palette of names after them. Entries after an unreadable one are missing,
/// which means air.
fn storage(bytes: &mut Bytes<'_>) -> Option<Section> {
    counted_storage(bytes).map(|(section, _)| section)
}

/// A storage, and whether it contains as many names as it declares.
fn counted_storage(bytes: &mut Bytes<'_>) -> Option<(Section, bool)> {
    let head = bytes.byte()?;
    if head & 1 == 1 {
        return None;
    }

    let bits = usize::from(head >> 1);
    let cells = indices(bits, bytes)?;

    if bits == 0 && bytes.0.starts_with(&[1, 0, 0, 0]) {
        bytes.take(4)?;
    }

    let count = if bits > 0 { bytes.u32()? } else { 1 };
    if !(1..=4096).contains(&count) {
        return None;
    }

    let palette: Vec<Content> = (0..count).map_while(|_| entry(bytes)).collect();
    let is_whole = palette.len() == count as usize;

    Some((Section { palette, cells }, is_whole))
}

/// Reads an entry of a palette, an NBT document. Only its name counts.
fn entry(bytes: &mut Bytes<'_>) -> Option<Content> {
    if bytes.byte()? != 10 {
        return None;
    }

    name(bytes)?;

    let mut found = None;
    loop {
        match bytes.byte()? {
            0 => break,
            8 if name(bytes)? == b"name" => {
                found = Some(String::from_utf8_lossy(name(bytes)?).into_owned());
            }
            8 => drop(name(bytes)?),
            kind => {
                name(bytes)?;
                skip(kind, bytes)?;
            }
        }
    }

    let found = found.unwrap_or_else(|| "minecraft:air".to_owned());
    Some(Content::Named(if found.contains(':') {
        found
    } else {
        format!("minecraft:{found}")
    }))
}

fn name<'a>(bytes: &mut Bytes<'a>) -> Option<&'a [u8]> {
    let length = bytes.u16()?;
    bytes.take(usize::from(length))
}

fn skip(kind: u8, bytes: &mut Bytes<'_>) -> Option<()> {
    match kind {
        1 => drop(bytes.take(1)?),
        2 => drop(bytes.take(2)?),
        3 | 5 => drop(bytes.take(4)?),
        4 | 6 => drop(bytes.take(8)?),
        8 => drop(name(bytes)?),
        7 | 11 | 12 => {
            let count = bytes.u32()? as usize;
            bytes.take(count.checked_mul([1, 4, 8][usize::from(kind.saturating_sub(10))])?)?;
        }
        9 => {
            let kind = bytes.byte()?;
            let count = bytes.u32()?;
            (0..count).try_for_each(|_| skip(kind, bytes))?;
        }
        10 => loop {
            let kind = bytes.byte()?;
            if kind == 0 {
                break;
            }
            name(bytes)?;
            skip(kind, bytes)?;
        },
        _ => return None,
    }

    Some(())
}

/// Reads the biomes of sections from the bottom up, until the end or the first unreadable section.
fn biome_sections(bytes: &[u8]) -> Vec<Vec<Option<u32>>> {
    let mut bytes = Bytes(bytes);
    let mut sections: Vec<Vec<Option<u32>>> = Vec::new();
    while let Some(section) = biome_section(&mut bytes, sections.last()) {
        sections.push(section);
    }
    sections
}

fn biome_section(
    bytes: &mut Bytes<'_>,
    below: Option<&Vec<Option<u32>>>,
) -> Option<Vec<Option<u32>>> {
    let head = bytes.byte()?;
    if head == 255 {
        return Some(below.cloned().unwrap_or_default());
    }

    let bits = usize::from(head >> 1);
    let cells = indices(bits, bytes)?;

    let count = if bits == 0 { 1 } else { bytes.u32()? };
    let palette: Option<Vec<u32>> = (0..count).map(|_| bytes.u32()).collect();
    let palette = palette.filter(|palette| (1..=4096).contains(&palette.len()))?;
    Some(
        cells
            .iter()
            .map(|cell| palette.get(*cell).copied())
            .collect(),
    )
}

fn first_of_four(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().step_by(4).copied().collect()
}

/// The sections of a chunk before 1.0: blocks in the order x, z, y, with 128 heights.
fn legacy_terrain(bytes: &[u8]) -> Option<BTreeMap<i32, Section>> {
    if bytes.len() < 49_152 {
        return None;
    }
    let (ids, rest) = bytes.split_at(32_768);
    let section = |y: usize| numbered(ids, rest, |cell| cell >> 4 << 7 | y << 4 | cell & 15);
    Some((0..8).map(|y| (y as i32, section(y))).collect())
}
