//! Reads one section in each of its layouts, which differ in their tags.

use std::collections::BTreeMap;

use fastnbt::Value;

use super::Reason;
use super::arrays::{aligned, aligned_length, indices, nibble};
use super::chunk::{entry_name, entry_properties};
use super::names::{Numbers, full};
use super::tree::{Compound, compound, list, text};

/// The blocks of a section, with one index per cell.
#[derive(Debug, Default)]
pub struct Section {
    names: Vec<String>,
    /// The properties of each, such as `axis=x,lit=true`.
    properties: Vec<String>,
    /// An empty list means only air.
    cells: Vec<usize>,
    /// The entries of its palette, if it has one.
    pub entries: usize,
    /// 64 cells or 4,096 blocks, if the section stores biomes.
    pub biomes: Option<Vec<Option<String>>>,
    /// The stored light of blocks, if any.
    pub light: Option<Vec<u8>>,
}

impl Section {
    /// The block of a cell. An index without an entry in the palette is air.
    pub fn block(&self, x: i32, y: i32, z: i32) -> &str {
        let index = self.cells.get((y * 256 + z * 16 + x) as usize);
        index
            .and_then(|index| self.names.get(*index))
            .map_or("minecraft:air", String::as_str)
    }

    /// The properties of a cell's block.
    pub fn properties(&self, x: i32, y: i32, z: i32) -> &str {
        let index = self.cells.get((y * 256 + z * 16 + x) as usize);
        index
            .and_then(|index| self.properties.get(*index))
            .map_or("", String::as_str)
    }

    /// The light that blocks give to a cell.
    pub fn light(&self, x: i32, y: i32, z: i32) -> u32 {
        self.light
            .as_ref()
            .map_or(0, |light| nibble(light, (y * 256 + z * 16 + x) as usize))
    }

    /// Returns whether the section stores any blocks, even if they are air.
    pub const fn has_blocks(&self) -> bool {
        !self.cells.is_empty()
    }

    /// Makes blocks from the id and data of each cell.
    fn of_numbers(cells: impl Iterator<Item = (u32, u32)>, numbers: &Numbers) -> Self {
        let mut section = Self::default();
        let mut known = BTreeMap::new();
        for (id, data) in cells {
            let index = *known.entry((id, data)).or_insert_with(|| {
                section.names.push(numbers.block(id, data));
                section.properties.push(numbers.properties(id, data));
                section.names.len() - 1
            });
            section.cells.push(index);
        }

        section
    }
}

/// Reads a section of any generation since 1.2.
pub fn section(
    tag: &Compound,
    data_version: Option<i64>,
    numbers: &Numbers,
) -> Result<Section, Reason> {
    let mut section = match (
        tag.get("block_states"),
        tag.get("Palette"),
        tag.get("BlockStates"),
    ) {
        (Some(Value::Compound(states)), ..) => {
            palette(states.get("palette"), states.get("data"), data_version)?
        }
        (None, entries @ Some(Value::List(_)), states @ Some(_)) => {
            palette(entries, states, data_version)?
        }
        (None, None | Some(Value::List(_) | Value::IntArray(_)), _) => numeric(tag, numbers)?,
        _ => return Err(Reason::Content),
    };

    // An array of another length is not light, but not damage either.
    section.light = bytes(tag, "BlockLight", 2048).unwrap_or_default();

    // Unfinished chunks of 26.4 have the second name.
    if let Some(biomes) = compound(tag.get("biomes").or_else(|| tag.get("noise_biomes"))) {
        section.biomes = section_biomes(biomes);
    }

    Ok(section)
}

fn palette(
    entries: Option<&Value>,
    data: Option<&Value>,
    data_version: Option<i64>,
) -> Result<Section, Reason> {
    let entries = match entries {
        Some(Value::List(entries)) => entries,
        Some(_) => return Err(Reason::Content),
        None => &Vec::new(),
    };

    if !entries
        .iter()
        .all(|entry| matches!(entry, Value::String(_) | Value::Compound(_)))
    {
        return Err(Reason::Content);
    }

    let names: Vec<String> = entries.iter().map(entry_name).collect();
    let properties = entries.iter().map(entry_properties).collect();

    let cells = match data {
        Some(Value::LongArray(longs)) if !longs.is_empty() => {
            indices(longs, names.len(), data_version)?
        }
        // Without indices the whole section consists of its only entry.
        None | Some(Value::LongArray(_)) if names.len() < 2 => vec![0; 4096],
        _ => return Err(Reason::Content),
    };

    Ok(Section {
        entries: names.len(),
        names,
        properties,
        cells,
        ..Section::default()
    })
}

/// Biomes of another length or type do not count.
fn section_biomes(tag: &Compound) -> Option<Vec<Option<String>>> {
    let entries = list(tag.get("palette"))?;
    let names: Vec<_> = entries
        .iter()
        .map(|entry| text(Some(entry)).map(full))
        .collect();

    let bits = (usize::BITS - names.len().saturating_sub(1).leading_zeros()).max(1) as usize;
    let cells = match tag.get("data") {
        Some(Value::LongArray(longs)) if longs.is_empty() => vec![0; 64],
        Some(Value::LongArray(longs)) if longs.len() == aligned_length(64, bits) => {
            aligned(longs, 64, bits)
        }
        // One biome per block, as in 26.4.
        Some(Value::LongArray(longs)) if longs.len() == aligned_length(4096, bits) => {
            aligned(longs, 4096, bits)
        }
        Some(_) => return None,
        None => vec![0; 64],
    };

    Some(
        cells
            .into_iter()
            .map(|cell| names.get(cell).cloned().flatten())
            .collect(),
    )
}

/// A byte array of exactly this length. It may be missing, but another length is a fault.
fn bytes(tag: &Compound, name: &str, length: usize) -> Result<Option<Vec<u8>>, Reason> {
    match tag.get(name) {
        Some(Value::ByteArray(bytes)) if bytes.len() == length => {
            Ok(Some(bytes.iter().map(|byte| *byte as u8).collect()))
        }
        Some(_) => Err(Reason::Content),
        None => Ok(None),
    }
}

fn numeric(tag: &Compound, numbers: &Numbers) -> Result<Section, Reason> {
    let is_by_palette =
        matches!(tag.get("Palette"), Some(Value::IntArray(_))) && tag.contains_key("Blocks");
    if tag.contains_key("Blocks16") && !is_by_palette {
        return wide(tag, numbers);
    }
    let Some(low) = bytes(tag, "Blocks", 4096)? else {
        return Ok(Section::default());
    };

    let data = bytes(tag, "Data", 2048)?;
    let data_of = |cell: usize| data.as_ref().map_or(0, |data| nibble(data, cell));

    if let Some(Value::IntArray(states)) = tag.get("Palette") {
        let number = |cell: usize| {
            let index = (u32::from(low[cell]) << 4 | data_of(cell)) as usize;
            let state = states.get(index).map_or(0, |state| *state as u32);
            (state >> 4, state & 15)
        };
        return Ok(Section::of_numbers((0..4096).map(number), numbers));
    }

    let add = bytes(tag, "Add", 2048)?;

    let third = match bytes(tag, "Add2", 2048)? {
        None => bytes(tag, "BlocksB2Hi", 2048)?,
        found => found,
    };

    let top = bytes(tag, "BlocksB3", 4096)?;
    let id = |cell: usize| {
        u32::from(low[cell])
            | add.as_ref().map_or(0, |add| nibble(add, cell) << 8)
            | third.as_ref().map_or(0, |third| nibble(third, cell) << 12)
            | top.as_ref().map_or(0, |top| u32::from(top[cell]) << 16)
    };

    Ok(Section::of_numbers(
        (0..4096).map(|cell| (id(cell), data_of(cell))),
        numbers,
    ))
}

/// Ids of 16 bits, and data of as many or in nibbles.
fn wide(tag: &Compound, numbers: &Numbers) -> Result<Section, Reason> {
    if matches!(tag.get("Blocks16"), Some(Value::ByteArray(wide)) if wide.is_empty()) {
        return Ok(Section::default());
    }

    let ids = bytes(tag, "Blocks16", 8192)?.unwrap_or_default();

    let both = |bytes: &[u8], cell: usize| {
        u32::from(bytes[cell * 2]) << 8 | u32::from(bytes[cell * 2 + 1])
    };

    if let Some(data) = bytes(tag, "Data16", 8192)? {
        return Ok(Section::of_numbers(
            (0..4096).map(|cell| (both(&ids, cell), both(&data, cell))),
            numbers,
        ));
    }

    let data = bytes(tag, "Data", 2048)?;
    let data_of = |cell: usize| data.as_ref().map_or(0, |data| nibble(data, cell));

    Ok(Section::of_numbers(
        (0..4096).map(|cell| (both(&ids, cell), data_of(cell))),
        numbers,
    ))
}

/// The eight sections of a chunk before 1.2: one array, y fastest and x slowest.
pub fn mcregion(
    blocks: &[i8],
    data: Option<&Value>,
    numbers: &Numbers,
) -> Result<BTreeMap<i64, Section>, Reason> {
    let data = match data {
        Some(Value::ByteArray(data)) if data.len() == 16384 => {
            Some(data.iter().map(|byte| *byte as u8).collect())
        }
        Some(_) => return Err(Reason::Content),
        None => None::<Vec<u8>>,
    };

    if blocks.len() != 32768 {
        return Err(Reason::Content);
    }

    let number = |section: usize, cell: usize| {
        let (x, y, z) = (cell & 15, section * 16 + (cell >> 8), cell >> 4 & 15);
        let index = y + 128 * (z + 16 * x);
        (
            u32::from(blocks[index] as u8),
            data.as_ref().map_or(0, |data| nibble(data, index)),
        )
    };

    let section = |y: usize| Section::of_numbers((0..4096).map(|cell| number(y, cell)), numbers);
    Ok((0..8).map(|y| (y as i64, section(y))).collect())
}
