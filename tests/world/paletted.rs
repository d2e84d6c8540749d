//! Writes the generations that store palettes: 1.13 to 26.4.

use super::biome::Biome;
use super::block::Block;
use super::chunk::{ChunkSpec, Entries, Generation, Heights, Section};
use super::nbt::Tag;
use super::numeric::put_light;
use super::packed::{Packing, bits_for, pack};

/// The NBT of a chunk with palettes.
pub fn write(chunk: &ChunkSpec) -> Tag {
    let version = chunk.generation.data_version().unwrap();
    let is_root = matches!(chunk.generation, Generation::Root(_));
    let mut level = Tag::compound([
        ("xPos", Tag::Int(chunk.x)),
        ("zPos", Tag::Int(chunk.z)),
        ("LastUpdate", Tag::Long(1)),
        ("InhabitedTime", Tag::Long(0)),
    ]);

    if is_root {
        level.set("DataVersion", Tag::Int(version));
        level.set("yPos", Tag::Int(chunk.range.0));
    }

    if let Some(status) = chunk.status.or(usual_status(version)) {
        let name = if chunk.generation.has_biomes_by_block() {
            "status"
        } else {
            "Status"
        };
        level.set(name, Tag::string(status));
    }

    put_heights(chunk, version, &mut level);

    let states_in_section = is_root || matches!(chunk.generation, Generation::LevelStates(_));
    if !states_in_section {
        put_biomes(chunk, version, &mut level);
    }

    let sections = sections(chunk).map(|(y, section)| {
        let mut tag = Tag::compound([("Y", Tag::Byte(y as i8))]);
        if states_in_section {
            put_states(chunk, y, section, &mut tag);
        } else if let Some(section) = section {
            put_level_palette(chunk, section, &mut tag);
        }
        put_light(chunk, y, &mut tag);
        tag
    });

    level.set(
        if is_root { "sections" } else { "Sections" },
        Tag::List(sections.collect()),
    );

    for (name, tag) in &chunk.extra {
        level.set(name, tag.clone());
    }

    if is_root {
        return level;
    }

    Tag::compound([("DataVersion", Tag::Int(version)), ("Level", level)])
}

/// The status of a finished chunk of a version.
const fn usual_status(version: i32) -> Option<&'static str> {
    match version {
        ..1466 => None,
        1466..1911 => Some("postprocessed"),
        1911..3450 => Some("full"),
        _ => Some("minecraft:full"),
    }
}

fn sections(chunk: &ChunkSpec) -> impl Iterator<Item = (i32, Option<&Section>)> {
    let (least, count) = chunk.range;

    let heights: Vec<i32> = if chunk.all_sections {
        // The game adds a section without blocks below and above, for light.
        (least - 1..=least + count).collect()
    } else {
        chunk.sections.keys().copied().collect()
    };

    heights.into_iter().map(|y| (y, chunk.sections.get(&y)))
}

fn put_level_palette(chunk: &ChunkSpec, section: &Section, tag: &mut Tag) {
    let packing = if matches!(chunk.generation, Generation::Spanning(_)) {
        Packing::Spanning
    } else {
        Packing::Aligned
    };
    let (palette, cells) = section.used();
    tag.set("Palette", entries(&palette, chunk.entries));
    let cells = cells.iter().map(|cell| u64::from(*cell));
    tag.set(
        "BlockStates",
        Tag::Longs(pack(cells, bits_for(palette.len(), 4), packing)),
    );
}

fn put_states(chunk: &ChunkSpec, y: i32, section: Option<&Section>, tag: &mut Tag) {
    let (least, count) = chunk.range;
    if !(least..least + count).contains(&y) {
        return;
    }

    let (palette, cells) = section.map_or_else(|| Section::default().used(), Section::used);
    let mut states = Tag::compound([("palette", entries(&palette, chunk.entries))]);
    if palette.len() > 1 {
        let cells = cells.iter().map(|cell| u64::from(*cell));
        states.set(
            "data",
            Tag::Longs(pack(cells, bits_for(palette.len(), 4), Packing::Aligned)),
        );
    }

    tag.set("block_states", states);

    if chunk.biomes.is_some() {
        tag.set("biomes", section_biomes(chunk, y));
    }
}

/// A section's biomes in cells of 4x4x4, or since 26.4 one for each block.
fn section_biomes(chunk: &ChunkSpec, y: i32) -> Tag {
    let is_by_block = chunk.generation.has_biomes_by_block();
    let mut palette: Vec<&'static str> = Vec::new();
    let cells: Vec<u64> = (0..if is_by_block { 4096 } else { 64 })
        .map(|cell| {
            let biome = if is_by_block {
                chunk
                    .biome(
                        (cell & 15) as usize,
                        y * 16 + (cell >> 8),
                        (cell >> 4 & 15) as usize,
                    )
                    .unwrap()
            } else {
                cell_biome(chunk, y * 4 + (cell >> 4), cell)
            };

            let known = palette.iter().position(|name| *name == biome.name);
            known.unwrap_or_else(|| {
                palette.push(biome.name);
                palette.len() - 1
            }) as u64
        })
        .collect();

    let mut tag = Tag::compound([(
        "palette",
        Tag::List(palette.iter().map(|name| Tag::string(name)).collect()),
    )]);

    if palette.len() > 1 {
        let bits = bits_for(palette.len(), 1);
        tag.set(
            "data",
            Tag::Longs(pack(cells.into_iter(), bits, Packing::Aligned)),
        );
    }

    tag
}

fn cell_biome(chunk: &ChunkSpec, y4: i32, cell: i32) -> Biome {
    let (x, z) = ((cell & 3) as usize * 4, (cell >> 2 & 3) as usize * 4);
    chunk.biome(x, y4 * 4, z).unwrap()
}

/// The width of the square that shares a stored biome, in blocks.
pub const fn biome_cell(generation: Generation) -> usize {
    match generation.data_version() {
        Some(2203..5119) => 4,
        _ => 1,
    }
}

fn put_biomes(chunk: &ChunkSpec, version: i32, level: &mut Tag) {
    let Some(columns) = &chunk.biomes else { return };

    let (least, count) = chunk.range;
    let biomes = match version {
        ..1466 => Tag::Bytes(columns.iter().map(|biome| biome.id).collect()),
        1466..2203 => Tag::Ints(columns.iter().map(|biome| i32::from(biome.id)).collect()),
        _ => {
            let layers =
                (least * 4..(least + count) * 4).flat_map(|y4| (0..16).map(move |cell| (y4, cell)));
            Tag::Ints(
                layers
                    .map(|(y4, cell)| i32::from(cell_biome(chunk, y4, cell).id))
                    .collect(),
            )
        }
    };

    level.set("Biomes", biomes);
}

fn put_heights(chunk: &ChunkSpec, version: i32, level: &mut Tag) {
    if chunk.heights == Heights::Absent {
        return;
    }

    let values = chunk.height_values();
    if version < 1466 {
        level.set("HeightMap", Tag::Ints(values));
        return;
    }

    let (least, count) = chunk.range;

    let packing = if version < 2529 {
        Packing::Spanning
    } else {
        Packing::Aligned
    };

    let bits = bits_for(count as usize * 16 + 1, 1);
    let longs = |values: Vec<i32>| {
        let above = values
            .into_iter()
            .map(|height| (height - least * 16) as u64);
        Tag::Longs(pack(above, bits, packing))
    };

    let surface = longs(values);
    let mut maps = Tag::compound([
        ("MOTION_BLOCKING", surface.clone()),
        ("WORLD_SURFACE", surface),
    ]);

    if chunk.heights == Heights::WithFloor {
        maps.set("OCEAN_FLOOR", longs(chunk.floor_values()));
    }

    level.set("Heightmaps", maps);
}

fn entries(palette: &[Block], form: Entries) -> Tag {
    let is_new = |number: usize| {
        form == Entries::Strings || form == Entries::Mixed && number.is_multiple_of(2)
    };
    let entry = |(number, block): (usize, &Block)| {
        if is_new(number) {
            new_entry(block)
        } else {
            old_entry(block)
        }
    };
    Tag::List(palette.iter().enumerate().map(entry).collect())
}

fn old_entry(block: &Block) -> Tag {
    let mut entry = Tag::compound([("Name", Tag::string(block.name))]);
    if !block.properties.is_empty() {
        entry.set("Properties", properties(block));
    }
    entry
}

/// 26.3: the default state is only a name. Here every state without properties is a default state.
fn new_entry(block: &Block) -> Tag {
    if block.properties.is_empty() {
        return Tag::string(block.name);
    }
    Tag::compound([
        ("id", Tag::string(block.name)),
        ("properties", properties(block)),
    ])
}

fn properties(block: &Block) -> Tag {
    let told = block
        .properties
        .iter()
        .map(|(key, value)| ((*key).to_owned(), Tag::string(value)));
    Tag::Compound(told.collect())
}
