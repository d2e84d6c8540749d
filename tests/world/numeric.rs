//! Writes the generations that store numbers: `McRegion`, Anvil up to 1.12.2, and variants made by
//! mods.

use super::chunk::{ChunkSpec, Generation, Heights, Section, cell};
use super::nbt::Tag;
use super::packed::nibbles;

/// The NBT of a numeric chunk.
pub fn write(chunk: &ChunkSpec) -> Tag {
    let mut level = Tag::compound([
        ("xPos", Tag::Int(chunk.x)),
        ("zPos", Tag::Int(chunk.z)),
        ("LastUpdate", Tag::Long(1)),
        ("TerrainPopulated", Tag::Byte(1)),
    ]);

    if chunk.generation == Generation::McRegion {
        put_mcregion(chunk, &mut level);
    } else {
        put_anvil(chunk, &mut level);
    }

    level.set("Entities", Tag::List(Vec::new()));
    level.set("TileEntities", Tag::List(Vec::new()));

    for (name, tag) in &chunk.extra {
        level.set(name, tag.clone());
    }

    let mut root = Tag::compound([("Level", level)]);
    if let Some(version) = chunk.generation.data_version() {
        root.set("DataVersion", Tag::Int(version));
    }

    root
}

/// One array for the whole chunk, y fastest and x slowest.
fn put_mcregion(chunk: &ChunkSpec, level: &mut Tag) {
    let mut blocks = vec![0_u8; 32768];
    let mut data = vec![0_u8; 32768];
    for (index, (id, metadata)) in blocks.iter_mut().zip(&mut data).enumerate() {
        let block = chunk.block(index >> 11, (index & 127) as i32, index >> 7 & 15);
        *id = u8::try_from(block.id).unwrap();
        *metadata = block.data;
    }

    level.set("Blocks", Tag::Bytes(blocks));
    level.set("Data", Tag::Bytes(nibbles(&data)));

    if !chunk.lights.is_empty() {
        let light = |index: usize| {
            let (x, y, z) = (index >> 11, (index & 127) as i32, index >> 7 & 15);
            chunk
                .lights
                .get(&(y >> 4))
                .map_or(0, |section| section[cell(x, y, z)])
        };

        level.set(
            "BlockLight",
            Tag::Bytes(nibbles(&(0..32768).map(light).collect::<Vec<_>>())),
        );
    }

    if chunk.heights != Heights::Absent {
        level.set(
            "HeightMap",
            Tag::Bytes(
                chunk
                    .height_values()
                    .iter()
                    .map(|height| *height as u8)
                    .collect(),
            ),
        );
    }
}

fn put_anvil(chunk: &ChunkSpec, level: &mut Tag) {
    let is_jeid = matches!(chunk.generation, Generation::Jeid(_));

    if chunk.generation == Generation::NumericV {
        level.set("V", Tag::Byte(1));
    }

    let written = chunk
        .sections
        .iter()
        .filter(|(_, section)| section.cells.iter().any(|cell| *cell != 0));

    level.set(
        "Sections",
        Tag::List(
            written
                .map(|(y, section)| write_section(chunk, *y, section))
                .collect(),
        ),
    );

    if let Some(biomes) = &chunk.biomes {
        level.set(
            "Biomes",
            if is_jeid {
                Tag::Ints(biomes.iter().map(|biome| i32::from(biome.id)).collect())
            } else {
                Tag::Bytes(biomes.iter().map(|biome| biome.id).collect())
            },
        );
    }

    if chunk.heights != Heights::Absent {
        level.set("HeightMap", Tag::Ints(chunk.height_values()));
    }
}

fn write_section(chunk: &ChunkSpec, y: i32, section: &Section) -> Tag {
    let mut tag = Tag::compound([("Y", Tag::Byte(y as i8))]);
    let ids: Vec<u32> = (0..4096).map(|cell| section.at(cell).id).collect();
    let data: Vec<u8> = (0..4096).map(|cell| section.at(cell).data).collect();
    let low = || Tag::Bytes(ids.iter().map(|id| *id as u8).collect());

    let nibble = |shift: u32| {
        nibbles(
            &ids.iter()
                .map(|id| (id >> shift & 15) as u8)
                .collect::<Vec<_>>(),
        )
    };

    let most = ids.iter().copied().max().unwrap();
    match chunk.generation {
        Generation::Jeid(_) => put_jeid(section, &mut tag),
        Generation::Neid(wide_data) => {
            assert!(most < 1 << 16, "id {most}");
            tag.set(
                "Blocks16",
                Tag::Bytes(
                    ids.iter()
                        .flat_map(|id| (*id as u16).to_be_bytes())
                        .collect(),
                ),
            );

            if wide_data {
                tag.set(
                    "Data16",
                    Tag::Bytes(
                        data.iter()
                            .flat_map(|data| u16::from(*data).to_be_bytes())
                            .collect(),
                    ),
                );
            } else {
                tag.set("Data", Tag::Bytes(nibbles(&data)));
            }
        }
        _ => {
            tag.set("Blocks", low());

            if most >> 8 > 0 {
                tag.set("Add", Tag::Bytes(nibble(8)));
            }

            match chunk.generation {
                Generation::EndlessIds => {
                    tag.set("BlocksB2Hi", Tag::Bytes(nibble(12)));
                    tag.set(
                        "BlocksB3",
                        Tag::Bytes(ids.iter().map(|id| (id >> 16) as u8).collect()),
                    );
                }
                Generation::NeidLegacy(_) => tag.set("Add2", Tag::Bytes(nibble(12))),
                _ => assert!(most < 1 << 12, "id {most}"),
            }

            tag.set("Data", Tag::Bytes(nibbles(&data)));
        }
    }

    put_light(chunk, y, &mut tag);
    tag
}

/// The light of a section; a chunk that stores any has it in each of its sections.
pub fn put_light(chunk: &ChunkSpec, y: i32, tag: &mut Tag) {
    if !chunk.lights.is_empty() {
        let light = chunk
            .lights
            .get(&y)
            .map_or_else(|| vec![0; 2048], |light| nibbles(light));
        tag.set("BlockLight", Tag::Bytes(light));
        tag.set("SkyLight", Tag::Bytes(vec![0; 2048]));
    }
}

/// The palette index is split over `Blocks` (high) and `Data` (low four bits); the palette holds
/// `id << 4 | data`.
fn put_jeid(section: &Section, tag: &mut Tag) {
    let (palette, cells) = section.used();
    tag.set(
        "Palette",
        Tag::Ints(palette.iter().map(|block| block.state() as i32).collect()),
    );
    tag.set(
        "Blocks",
        Tag::Bytes(cells.iter().map(|cell| (cell >> 4) as u8).collect()),
    );

    tag.set(
        "Data",
        Tag::Bytes(nibbles(
            &cells
                .iter()
                .map(|cell| (cell & 15) as u8)
                .collect::<Vec<_>>(),
        )),
    );
}
