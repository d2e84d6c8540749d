//! Reads one chunk into a lookup of all its blocks and biomes.

use std::collections::BTreeMap;

use fastnbt::Value;

use super::names::{Numbers, full};
use super::sections::{Section, mcregion, section};
use super::tree::{self, Compound, compound, list, text, whole};
use super::{Reason, Top, Within};

/// The statuses of chunks that the game has finished, or almost finished.
const FINISHED: [&str; 12] = [
    "full",
    "fullchunk",
    "postprocessed",
    "mobs_spawned",
    "finalized",
    "heightmaps",
    "spawn",
    "light",
    "lighted",
    "initialize_light",
    "features",
    "decorated",
];

/// The statuses of raw terrain.
const RAW: [&str; 8] = [
    "noise",
    "surface",
    "carvers",
    "liquid_carvers",
    "base",
    "carved",
    "liquid_carved",
    "terrain",
];

/// The newest version whose form is known. A newer chunk without a status is not finished.
const NEWEST: i64 = 5126;

/// Sixteen for each height that fits into a byte. More sections are damage.
const MOST_SECTIONS: usize = 4096;

/// As many as 16 sections have cells.
const MOST_ENTRIES: usize = 65_536;

/// A chunk, unpacked.
#[derive(Debug)]
pub struct Chunk {
    pub data_version: Option<i64>,
    pub status: Option<String>,
    /// The game has not yet added trees and ores (before 1.13).
    is_bare: bool,
    has_retrogen: bool,
    /// The status of the chunk before 26.4 took it over.
    target: Option<String>,
    /// Sections by height.
    sections: BTreeMap<i64, Section>,
    biomes: Biomes,
    /// Whether the light is known, even if it is dark.
    pub is_lit: bool,
}

/// Biomes of the chunk as a whole. Since 1.18 they are stored in the sections.
#[derive(Debug)]
enum Biomes {
    None,
    Columns(Vec<Option<String>>),
    /// Cells of 4x4x4 upwards from a height.
    Cells(Vec<String>, i32),
}

impl Chunk {
    /// Reads a chunk's plain bytes.
    pub fn parse(bytes: &[u8], numbers: &Numbers) -> Result<Self, Reason> {
        let root = tree::read(bytes)?;
        let level = compound(root.get("Level")).unwrap_or(&root);
        let data_version = whole(root.get("DataVersion"));
        let mut sections = BTreeMap::new();
        let named = level.get("sections").or_else(|| level.get("Sections"));

        // If this field exists, the rest of the chunk is gone.
        let is_elsewhere = root.contains_key("Level") && compound(root.get("Level")).is_none();
        if is_elsewhere
            && named.is_none_or(|named| list(Some(named)).is_none())
            && !level.contains_key("Blocks")
        {
            return Err(Reason::Content);
        }

        let stored = list(named);

        let is_terrain = match named {
            Some(Value::List(sections)) => sections
                .iter()
                .all(|section| compound(Some(section)).is_some()),
            // Files for data other than terrain have longs there.
            Some(Value::LongArray(_)) | None => true,
            Some(_) => false,
        };

        if !is_terrain {
            return Err(Reason::Content);
        }
        if stored.is_some_and(|stored| stored.len() > MOST_SECTIONS) {
            return Err(Reason::Content);
        }

        if let Some(stored) = stored {
            for tag in stored.iter().filter_map(|element| compound(Some(element))) {
                // The game takes a missing number as 0. It stores heights as bytes, so no section
                // is at another height.
                if let Ok(y) = i8::try_from(whole(tag.get("Y")).unwrap_or(0)) {
                    sections.insert(i64::from(y), section(tag, data_version, numbers)?);
                }
            }
        } else if let Some(blocks) = level.get("Blocks") {
            let Value::ByteArray(blocks) = blocks else {
                return Err(Reason::Content);
            };
            sections = mcregion(blocks, level.get("Data"), numbers)?;
            light_sections(&mut sections, level.get("BlockLight"));
        }

        if sections
            .values()
            .map(|section: &Section| section.entries)
            .sum::<usize>()
            > MOST_ENTRIES
        {
            return Err(Reason::Content);
        }

        let lowest = sections
            .iter()
            .find(|(_, section)| section.has_blocks())
            .map_or(0, |(y, _)| *y as i32 * 16);

        let has_sky = |tag: &Compound| matches!(tag.get("SkyLight"), Some(Value::ByteArray(sky)) if sky.len() == 2048);
        let is_lit = sections.values().any(|section| section.light.is_some())
            || stored
                .unwrap_or_default()
                .iter()
                .filter_map(|tag| compound(Some(tag)))
                .any(has_sky)
            || whole(level.get("isLightOn")).is_some_and(|number| number != 0)
            || whole(level.get("starlight.light_version")).is_some_and(|number| number != 0);

        let retrogen = compound(level.get("retrogen"));
        Ok(Self {
            is_lit,
            data_version,
            status: stated_status(level, data_version),
            is_bare: whole(level.get("TerrainPopulated")) == Some(0),
            has_retrogen: compound(level.get("below_zero_retrogen")).is_some()
                || retrogen.is_some_and(|it| {
                    whole(it.get("has_below_zero_retrogen")).is_some_and(|has| has != 0)
                }),
            target: retrogen
                .and_then(|it| text(it.get("target_status")))
                .map(str::to_owned),
            sections,
            biomes: whole_biomes(level, lowest, data_version, numbers),
        })
    }

    /// Returns whether a map draws the chunk; raw terrain only if unfinished chunks are asked for.
    pub fn is_drawn(&self, unfinished: bool) -> bool {
        if self.status.is_none() && self.target.is_none() {
            let is_newer = self.data_version.is_some_and(|version| version > NEWEST);
            return unfinished || !self.is_bare && !is_newer;
        }

        let is_far = |status: &String| {
            let status = status.strip_prefix("minecraft:").unwrap_or(status);
            FINISHED.contains(&status) || unfinished && RAW.contains(&status)
        };

        self.has_retrogen && self.status.is_some()
            || [&self.status, &self.target]
                .into_iter()
                .flatten()
                .any(is_far)
    }

    /// The name of the block at a place; x and z within the chunk.
    pub fn block(&self, x: i32, y: i32, z: i32) -> &str {
        let section = self.sections.get(&i64::from(y >> 4));
        section.map_or("minecraft:air", |section| section.block(x, y & 15, z))
    }

    /// The properties of the block at a place.
    pub fn properties(&self, x: i32, y: i32, z: i32) -> &str {
        self.sections
            .get(&i64::from(y >> 4))
            .map_or("", |section| section.properties(x, y & 15, z))
    }

    /// Returns the stored block light of a cell.
    pub fn light(&self, x: i32, y: i32, z: i32) -> u32 {
        self.sections
            .get(&i64::from(y >> 4))
            .map_or(0, |section| section.light(x, y & 15, z))
    }

    /// The heights of the sections that are stored: lowest block, and one above the highest.
    pub fn heights(&self) -> (i32, i32) {
        let mut keys = self.sections.keys().map(|y| *y as i32);
        let Some(lowest) = keys.next() else {
            return (0, 0);
        };
        (lowest * 16, keys.next_back().unwrap_or(lowest) * 16 + 16)
    }

    /// The biome at a place, if one is stored.
    pub fn biome(&self, x: i32, y: i32, z: i32) -> Option<String> {
        let section = self.sections.get(&i64::from(y >> 4));
        if let Some(biomes) = section.and_then(|section| section.biomes.as_ref()) {
            let index = match biomes.len() {
                4096 => (y & 15) << 8 | z << 4 | x,
                _ => (y >> 2 & 3) * 16 + (z >> 2) * 4 + (x >> 2),
            };
            return biomes.get(index as usize)?.clone();
        }

        match &self.biomes {
            Biomes::None => None,
            Biomes::Columns(columns) => columns.get((z * 16 + x) as usize)?.clone(),
            Biomes::Cells(cells, lowest) => {
                let layer = ((y - lowest) >> 2).clamp(0, cells.len() as i32 / 16 - 1);
                cells
                    .get((layer * 16 + (z >> 2) * 4 + (x >> 2)) as usize)
                    .cloned()
            }
        }
    }

    /// The highest block of a column that counts.
    pub fn top(&self, x: i32, z: i32, within: Within) -> Option<Top> {
        let (low, high) = self.heights();
        let (low, high) = (low.max(within.low), high.min(within.high.saturating_add(1)));
        let y = (low..high)
            .rev()
            .find(|y| !is_nothing(self.block(x, *y, z)))?;
        Some(Top {
            y,
            block: self.block(x, y, z).to_owned(),
            biome: self.biome(x, y, z),
        })
    }
}

/// The status under the name that the chunk's version uses (`status` since 26.4), or else under the
/// other one.
fn stated_status(level: &Compound, data_version: Option<i64>) -> Option<String> {
    let names = if data_version.is_some_and(|version| version >= 5119) {
        ["status", "Status"]
    } else {
        ["Status", "status"]
    };
    names
        .iter()
        .find_map(|name| text(level.get(*name)))
        .map(str::to_owned)
}

fn is_nothing(name: &str) -> bool {
    let path = name.strip_prefix("minecraft:").unwrap_or("something");
    matches!(
        path,
        "air" | "cave_air" | "void_air" | "structure_void" | "barrier" | "light"
    )
}

fn whole_biomes(
    level: &Compound,
    lowest: i32,
    data_version: Option<i64>,
    numbers: &Numbers,
) -> Biomes {
    let biome = |id: u32| numbers.biome(id, data_version);

    match level.get("Biomes") {
        Some(Value::ByteArray(ids)) if ids.len() == 256 => {
            let name = |id: &i8| (*id != -1).then(|| biome(u32::from(*id as u8)));
            Biomes::Columns(ids.iter().map(name).collect())
        }
        Some(Value::IntArray(ids)) => {
            let names = ids.iter().map(|id| biome(*id as u32));
            match ids.len() {
                256 => Biomes::Columns(names.map(Some).collect()),
                1024 => Biomes::Cells(names.collect(), 0),
                1536 => Biomes::Cells(names.collect(), -64),
                64.. => Biomes::Cells(names.collect(), lowest),
                _ => Biomes::None,
            }
        }
        _ => Biomes::None,
    }
}

/// The light of a chunk before 1.2: one array, y fastest and x slowest.
fn light_sections(sections: &mut BTreeMap<i64, Section>, light: Option<&Value>) {
    let Some(Value::ByteArray(light)) = light else {
        return;
    };
    if light.len() != 16384 {
        return;
    }

    for (y, section) in sections {
        let at = |cell: usize| {
            let index =
                (*y as usize * 16 + (cell >> 8)) + 128 * ((cell >> 4 & 15) + 16 * (cell & 15));
            light[index / 2] as u8 >> (index % 2 * 4) & 15
        };

        section.light = Some(
            (0..2048)
                .map(|pair| at(pair * 2) | at(pair * 2 + 1) << 4)
                .collect(),
        );
    }
}

/// The properties of a palette entry in any of its forms, such as `axis=x,lit=true`.
pub fn entry_properties(entry: &Value) -> String {
    let children = compound(Some(entry));
    let told = children
        .and_then(|it| compound(it.get("properties")).or_else(|| compound(it.get("Properties"))));
    let pairs = told
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| Some(format!("{key}={}", text(Some(value))?)));
    let mut pairs: Vec<String> = pairs.collect();
    pairs.sort();
    pairs.join(",")
}

/// The name of a palette entry in any of its forms: string, wrapped string, `{id}`, `{Name}`.
/// Anything else is air.
pub fn entry_name(entry: &Value) -> String {
    let children = compound(Some(entry));
    let name = text(Some(entry))
        .or_else(|| children.and_then(|it| text(it.get("id")).or_else(|| text(it.get("Name")))));
    name.map_or_else(|| "minecraft:air".to_owned(), full)
}
