//! Tests chunks of Bedrock Edition, in every form in which it has stored them.

mod biomes;
mod entities;

use crate::chunk::cells::{CELLS, COLUMN_CELLS};
use std::sync::Arc;

use super::*;
use crate::bytes::Form;
use crate::names::{BiomeId, BlockId, Describe, NameCache, Names, NumericNames, Traits};
use pixelmap_base::coord::CHUNK_AREA;

struct TestNames;

impl Describe for TestNames {
    fn drawn_properties(&self, name: &str) -> Vec<String> {
        if name == "minecraft:air" {
            Vec::new()
        } else {
            vec!["waterlogged".to_owned()]
        }
    }

    fn traits(&self, name: &str, state: &str) -> Traits {
        match name {
            "minecraft:air" => Traits::NOTHING,
            "minecraft:water" | "minecraft:flowing_water" => Traits::WATER,
            _ if state.contains("waterlogged=true") => Traits::WET,
            _ => Traits::GROUND,
        }
    }

    fn knows_biome(&self, _: &str) -> bool {
        true
    }
}

fn name_cache() -> NameCache {
    NameCache::new(Arc::new(Names::new(
        Arc::new(TestNames),
        NumericNames::default(),
    )))
}

/// Returns a chunk of the overworld or the nether with these values, each given as its tag, the
/// height of its key and its bytes.
fn chunk(is_overworld: bool, values: &[(u8, i8, &[u8])]) -> Vec<u8> {
    chunk_from(if is_overworld { -4 } else { 0 }, values)
}

/// Returns a chunk with this lowest section and these values.
fn chunk_from(lowest: i8, values: &[(u8, i8, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![lowest as u8];
    for (tag, y, value) in values {
        bytes.extend([*tag, *y as u8]);
        bytes.extend((value.len() as u32).to_le_bytes());
        bytes.extend(*value);
    }
    bytes
}

/// Returns the payload of a palette's entry.
fn entry(name: &str) -> Vec<u8> {
    [
        &[8, 4, 0][..],
        b"name",
        &(name.len() as u16).to_le_bytes(),
        name.as_bytes(),
        &[0],
    ]
    .concat()
}

fn words(bits: u32, indices: &[u16; CELLS]) -> Vec<u8> {
    let word = |word: &[u16]| {
        word.iter()
            .rev()
            .fold(0, |packed, &index| packed << (bits % 32) | u32::from(index))
    };
    match bits {
        0 => Vec::new(),
        _ => indices
            .chunks(32 / bits as usize)
            .flat_map(|indices| word(indices).to_le_bytes())
            .collect(),
    }
}

/// Returns a storage of blocks. The indices have the order `[x][z][y]`.
fn storage(bits: u8, indices: &[u16; CELLS], names: &[String]) -> Vec<u8> {
    let mut bytes = vec![bits << 1];
    bytes.extend(words(u32::from(bits), indices));

    if bits > 0 {
        bytes.extend((names.len() as u32).to_le_bytes());
    }

    bytes.extend(
        names
            .iter()
            .flat_map(|name| [&[10, 0, 0][..], &entry(name)].concat()),
    );

    bytes
}

/// Returns indices below `len`. Each index occurs at least once.
fn mixed(len: usize) -> [u16; CELLS] {
    std::array::from_fn(|cell| {
        if cell < len {
            cell as u16
        } else {
            (cell * 40_503 / 7 % len) as u16
        }
    })
}

/// Returns `len` names. The first name is air.
fn names(len: usize) -> Vec<String> {
    (0..len)
        .map(|number| {
            if number == 0 {
                "minecraft:air".to_owned()
            } else {
                format!("mod:{number}")
            }
        })
        .collect()
}

fn with_chunk<R>(bytes: &[u8], look: impl FnOnce(&mut Chunk<'_>) -> R) -> R {
    let mut buffers = ChunkBuffers::default().with_light();
    let mut name_cache = name_cache();
    look(&mut Chunk::parse(bytes, Form::Values, &mut buffers, &mut name_cache).unwrap())
}

fn error(bytes: &[u8]) -> ChunkError {
    Chunk::parse(
        bytes,
        Form::Values,
        &mut ChunkBuffers::default(),
        &mut name_cache(),
    )
    .unwrap_err()
}

/// Checks that every way to read the chunk's one section gives `expected`, by cell `[x][z][y]`.
fn assert_section(chunk: &mut Chunk<'_>, expected: &[BlockId; CELLS]) {
    assert_eq!(chunk.sections(), 1);

    let stored = |y: usize, column: usize| expected[(column % 16) << 8 | (column / 16) << 4 | y];

    for y in 0..16 {
        let mut cells = [Block::AIR; CHUNK_AREA];
        chunk.each(0, y, Mask::ALL, |column, block| cells[column] = block);
        assert!(
            (0..CHUNK_AREA).all(|column| cells[column].id == stored(y, column)),
            "slice {y}"
        );
        assert_eq!(
            chunk.slice(0, y, Mask::ALL),
            Slice::from_blocks(|column| cells[column]),
            "slice {y}"
        );
    }

    for column in [0, 1, 16, 100, 255] {
        let mut visited = Vec::new();
        chunk.visit_down(0, column, 15, |y, block| {
            visited.push((y, block.id));
            false
        });
        let column: Vec<_> = (0..16).rev().map(|y| (y, stored(y, column))).collect();
        assert_eq!(visited, column);
    }
}

fn block_ids(chunk: &mut Chunk<'_>, names: &[String], is_wet: bool) -> Vec<BlockId> {
    names
        .iter()
        .map(|name| chunk.name_cache().bedrock_block(&entry(name), is_wet))
        .collect()
}

#[test]
fn indices_of_every_width_and_form_are_read() {
    for (bits, len) in [
        (0, 1),
        (1, 2),
        (2, 4),
        (3, 5),
        (4, 16),
        (5, 17),
        (6, 64),
        (8, 200),
        (16, 256),
        (16, 4096),
    ] {
        let indices = mixed(len);
        let names = names(len);
        let stored = storage(bits, &indices, &names);
        for head in [&[1][..], &[8, 1], &[9, 1, 0xfd]] {
            let bytes = chunk(true, &[(47, -3, &[head, &stored].concat())]);
            with_chunk(&bytes, |chunk| {
                assert_eq!(chunk.section_y(0), -48);
                let ids = block_ids(chunk, &names, false);
                assert_section(chunk, &indices.map(|index| ids[usize::from(index)]));
                assert_eq!(chunk.meta().warnings, Warnings::default(), "{bits} bits");
                assert!(
                    !chunk.all_blocks(0, Traits::is_plain_ground),
                    "air is the first block"
                );
            });
        }
    }
}

#[test]
fn a_single_block_palette_may_have_a_length() {
    let stored = [&[8, 1, 0, 1, 0, 0, 0, 10, 0, 0][..], &entry("mod:1")].concat();
    with_chunk(&chunk(true, &[(47, 0, &stored)]), |chunk| {
        let [id] = block_ids(chunk, &["mod:1".to_owned()], false)[..] else {
            panic!()
        };
        assert_section(chunk, &[id; CELLS]);
    });
}

#[test]
fn second_storage_water_waterlogs_blocks() {
    for (bits, len) in [(0, 1), (4, 9), (4, 16), (6, 40)] {
        let indices = if len == 1 { [0; CELLS] } else { mixed(len) };
        let names: Vec<_> = (0..len).map(|number| format!("mod:{number}")).collect();
        let second: [u16; CELLS] = std::array::from_fn(|cell| (cell / 5 % 3) as u16);
        let others = [
            "minecraft:air",
            "minecraft:flowing_water",
            "minecraft:tallgrass",
        ]
        .map(str::to_owned);

        let stored = [
            &[8, 2][..],
            &storage(bits, &indices, &names),
            &storage(2, &second, &others),
        ]
        .concat();

        with_chunk(&chunk(true, &[(47, 4, &stored)]), |chunk| {
            let ids = [false, true].map(|is_wet| block_ids(chunk, &names, is_wet));
            let expected = std::array::from_fn(|cell| {
                ids[usize::from(second[cell] == 1)][usize::from(indices[cell])]
            });
            assert_section(chunk, &expected);
            assert!(chunk.name_cache().traits(ids[1][0]).has(Traits::WET));
        });

        let none = storage(0, &[0; CELLS], &others[..1]);
        let stored = [
            &[9, 3, 4][..],
            &storage(bits, &indices, &names),
            &none,
            &none,
        ]
        .concat();

        with_chunk(&chunk(true, &[(47, 4, &stored)]), |chunk| {
            let ids = block_ids(chunk, &names, false);
            assert_section(chunk, &indices.map(|index| ids[usize::from(index)]));
        });
    }
}

#[test]
fn water_above_air_counts_as_water() {
    for (bits, len) in [(0, 1), (4, 9), (4, 15), (6, 40), (16, 4096)] {
        let indices = if len == 1 { [0; CELLS] } else { mixed(len) };
        let names = names(len);
        let second: [u16; CELLS] = std::array::from_fn(|cell| (cell / 5 % 4) as u16);
        let others = [
            "minecraft:air",
            "minecraft:flowing_water",
            "minecraft:tallgrass",
            "minecraft:water",
        ];

        let others = others.map(str::to_owned);
        let stored = [
            &[8, 2][..],
            &storage(bits, &indices, &names),
            &storage(2, &second, &others),
        ]
        .concat();

        with_chunk(&chunk(true, &[(47, 4, &stored)]), |chunk| {
            let ids = [false, true].map(|is_wet| block_ids(chunk, &names, is_wet));
            let alone = block_ids(chunk, &others, false);
            let expected = std::array::from_fn(|cell| {
                let (first, second) = (usize::from(indices[cell]), usize::from(second[cell]));
                match (first, second) {
                    (_, 0 | 2) => ids[0][first],
                    (0, _) => alone[second],
                    _ => ids[1][first],
                }
            });

            assert_section(chunk, &expected);
            assert_eq!(chunk.meta().warnings, Warnings::default());
        });
    }
}

#[test]
fn a_section_needs_storages() {
    let bytes = chunk(true, &[(47, 0, &[8, 0]), (47, 1, &[9, 0, 1])]);
    assert_eq!(with_chunk(&bytes, |chunk| chunk.sections()), 0);
}

/// Returns ids, and data with two cells per byte, in the form of old sections and whole chunks.
fn old_arrays(cells: usize) -> [Vec<u8>; 2] {
    let ids = (0..cells)
        .map(|cell| [1, 2, 35][cell * 40_503 / 7 % 3])
        .collect();
    [
        ids,
        (0..cells / 2)
            .map(|pair| ((pair * 31) >> 3) as u8)
            .collect(),
    ]
}

fn nibble(array: &[u8], cell: usize) -> u8 {
    array[cell / 2] >> (cell % 2 * 4) & 15
}

#[test]
fn old_sections_have_ids_and_some_have_light() {
    let [ids, data] = old_arrays(CELLS);
    let sky = [0x11; CELLS / 2];
    let light: Vec<u8> = (0..CELLS / 2).map(|pair| (pair * 7) as u8).collect();
    for form in [0, 2, 3, 4, 5, 6, 7] {
        let dark = [&[form][..], &ids, &data].concat();
        let lit = [&dark[..], &sky, &light].concat();
        for (value, is_lit) in [(dark, false), (lit, true)] {
            with_chunk(&chunk(true, &[(47, 2, &value)]), |chunk| {
                let expected: [BlockId; CELLS] = std::array::from_fn(|cell| {
                    chunk
                        .name_cache()
                        .bedrock_numeric_block(u32::from(ids[cell]), nibble(&data, cell))
                });
                assert_section(chunk, &expected);
                assert_eq!(chunk.meta().generation, Generation::SubchunkIds);
                assert_eq!(chunk.stores_light(), is_lit);

                let expected = if is_lit {
                    nibble(&light, 3 << 8 | 9 << 4 | 5)
                } else {
                    0
                };

                assert_eq!(chunk.block_light(9 * 16 + 3, 32 + 5), expected);
            });
        }
    }
}

#[test]
fn the_oldest_chunks_are_one_array() {
    let [ids, data] = old_arrays(COLUMN_CELLS);
    let sky = [0; COLUMN_CELLS / 2];
    let light: Vec<u8> = (0..COLUMN_CELLS / 2).map(|pair| (pair * 7) as u8).collect();
    let biomes: Vec<u8> = (0..256)
        .flat_map(|column| [(column % 5) as u8, 1, 2, 3])
        .collect();
    let value = [&ids[..], &data, &sky, &light, &[0; 256], &biomes].concat();
    assert_eq!(value.len(), 83_200);

    with_chunk(&chunk(true, &[(48, 0, &value), (118, 0, &[2])]), |chunk| {
        assert_eq!(chunk.sections(), 8);

        for (x, y, z) in [(0, 0, 0), (3, 77, 9), (15, 127, 15), (15, 16, 0)] {
            let cell = x << 11 | z << 7 | y;
            let expected = chunk
                .name_cache()
                .bedrock_numeric_block(u32::from(ids[cell]), nibble(&data, cell));
            assert_eq!(chunk.cell(7 - y / 16, y % 16, z * 16 + x).id, expected);
            assert_eq!(
                chunk.block_light(z * 16 + x, y as i32),
                nibble(&light, cell)
            );

            let biome = chunk.name_cache().bedrock_biome((z * 16 + x) as u32 % 5);
            assert_eq!(chunk.biome(z * 16 + x, y as i32), biome);
        }

        assert_eq!(chunk.meta().generation, Generation::LegacyTerrain);
        assert!(chunk.stores_light());
    });

    let newer = [&[1][..], &storage(0, &[0; CELLS], &names(2)[1..])].concat();
    let both = chunk(true, &[(47, 2, &newer), (48, 0, &value)]);
    assert_eq!(
        with_chunk(&both, |chunk| chunk.sections()),
        1,
        "what was left of the old form does not count"
    );

    let cut = chunk(true, &[(48, 0, &value[..49_152])]);
    with_chunk(&cut, |chunk| {
        assert_eq!((chunk.sections(), chunk.stores_light()), (8, false));
        assert!(chunk.meta().warnings.has(Warnings::BIOMES));
    });
}

#[test]
fn numbers_mean_other_blocks_in_the_other_edition() {
    let mut buffers = ChunkBuffers::default();
    let mut name_cache = name_cache();
    let bedrock = chunk(
        true,
        &[(47, 0, &[&[0][..], &[95; CELLS], &[0; CELLS / 2]].concat())],
    );

    let ids = [
        &[7, 0, 6][..],
        b"Blocks",
        &(CELLS as u32).to_be_bytes(),
        &[95; CELLS],
        &[0],
    ]
    .concat();

    let java = [
        &[10, 0, 0, 9, 0, 8][..],
        b"Sections",
        &[10, 0, 0, 0, 1],
        &ids,
        &[0],
    ]
    .concat();

    let block = [
        name_cache.numeric_block(95, 0),
        name_cache.bedrock_numeric_block(95, 0),
    ];
    assert_ne!(block[0], block[1]);

    for _ in 0..2 {
        for (form, bytes, expected) in [
            (Form::Nbt, &java, block[0]),
            (Form::Values, &bedrock, block[1]),
        ] {
            let mut chunk = Chunk::parse(bytes, form, &mut buffers, &mut name_cache).unwrap();
            assert_eq!(chunk.cell(0, 3, 3).id, expected);
        }
    }
}

#[test]
fn an_experiment_counted_sections_from_the_new_lowest() {
    let stone = [&[8, 1][..], &storage(0, &[0; CELLS], &["mod:1".to_owned()])].concat();
    for (version, y) in [
        (22, 32),
        (23, 32),
        (24, -32),
        (25, -32),
        (26, -32),
        (27, 32),
        (40, 32),
    ] {
        let bytes = chunk(true, &[(44, 0, &[version]), (47, 2, &stone)]);
        assert_eq!(
            with_chunk(&bytes, |chunk| chunk.section_y(0)),
            y,
            "version {version}"
        );
    }

    let bytes = chunk(true, &[(44, 0, &[25]), (47, -126, &stone)]);
    with_chunk(&bytes, |chunk| {
        assert_eq!(chunk.sections(), 0);
        assert!(chunk.meta().warnings.has(Warnings::HEIGHT));
    });
}

#[test]
fn chunk_facts_are_read() {
    let meta = |values: &[(u8, i8, &[u8])]| with_chunk(&chunk(true, values), |chunk| chunk.meta());
    let stone = [&[8, 1][..], &storage(0, &[0; CELLS], &["mod:1".to_owned()])].concat();

    for (state, status) in [
        (&[0, 0, 0, 0][..], Status::Raw),
        (&[1, 0, 0, 0], Status::Raw),
        (&[0], Status::Raw),
        (&[2, 0, 0, 0], Status::Finished),
        (&[2], Status::Finished),
        (&[0, 0, 0, 2], Status::Finished),
        (&[], Status::Finished),
    ] {
        assert_eq!(meta(&[(54, 0, state)]).status, status, "{state:?}");
    }

    let old = meta(&[(47, 0, &stone), (118, 0, &[9])]);
    assert_eq!((old.java_version, old.data_version), (None, None));
    assert_eq!(
        (old.generation, old.status),
        (Generation::SubchunkPalette, Status::Finished)
    );

    assert_eq!(
        meta(&[(44, 0, &[39]), (118, 0, &[9])]).java_version,
        Some(2825),
        "the newer key counts"
    );

    let by_version = [
        (2, Generation::LegacyTerrain),
        (7, Generation::SubchunkIds),
        (8, Generation::SubchunkPalette),
    ];

    for (version, generation) in by_version {
        assert_eq!(
            meta(&[(118, 0, &[version])]).generation,
            generation,
            "an empty chunk"
        );
    }

    assert_eq!((old.position, old.inhabited_ticks), (None, None));
}

#[test]
fn a_version_without_a_byte_costs_nothing() {
    for versions in [
        &[(44, 0, &[][..])][..],
        &[(118, 0, &[])],
        &[(44, 0, &[]), (118, 0, &[7])],
    ] {
        let bytes = chunk(true, versions);
        let mut buffers = ChunkBuffers::default();
        let mut names = name_cache();
        let chunk = Chunk::parse(&bytes, Form::Values, &mut buffers, &mut names).unwrap();
        assert_eq!(chunk.meta().status, Status::Finished);
    }
}

#[test]
fn impossible_values_cost_the_chunk() {
    let whole = storage(4, &mixed(3), &names(3));
    let lengths = 1 + CELLS / 2;
    let with_length = |len: i32| {
        let mut stored = whole.clone();
        stored[lengths..lengths + 4].copy_from_slice(&len.to_le_bytes());
        error(&chunk(true, &[(47, 0, &[&[1][..], &stored].concat())]))
    };

    for len in [0, -1, i32::MIN, i32::MAX, 4097] {
        assert_eq!(
            with_length(len),
            ChunkError::Content("a palette has an impossible length")
        );
    }

    for form in [10, 255] {
        assert_eq!(
            error(&chunk(true, &[(47, 0, &[&[form][..], &whole].concat())])),
            ChunkError::FORM
        );
    }

    for head in [7 << 1, 9 << 1, 32 << 1, 0xff, 4 << 1 | 1] {
        let mut stored = whole.clone();
        stored[0] = head;
        assert_eq!(
            error(&chunk(true, &[(47, 0, &[&[1][..], &stored].concat())])),
            ChunkError::FORM,
            "{head}"
        );
    }

    let short = ChunkError::Content("a value ends too early");
    assert_eq!(error(&[]), short);
    assert_eq!(error(&chunk(true, &[(47, 0, &[])])), short);
    assert_eq!(error(&chunk(true, &[(47, 0, &[0; CELLS])])), short);
    assert_eq!(
        error(&chunk(true, &[(48, 0, &vec![0; COLUMN_CELLS])])),
        short
    );
    assert_eq!(error(&[1, 99, 0, 0xff, 0xff, 0xff, 0xff]), short);

    let many = [&[1][..], &storage(16, &mixed(4096), &names(4096))].concat();
    let values: Vec<(u8, i8, &[u8])> = (0..17).map(|y| (47, y, &many[..])).collect();
    assert!(
        Chunk::parse(
            &chunk(true, &values[..16]),
            Form::Values,
            &mut ChunkBuffers::default(),
            &mut name_cache()
        )
        .is_ok()
    );

    assert_eq!(
        error(&chunk(true, &values)),
        ChunkError::Content("its palettes have more than 65,536 entries")
    );
}

#[test]
fn missing_palette_entries_are_air() {
    let indices = mixed(3);
    let whole = [&[1][..], &storage(4, &indices, &names(3))].concat();
    let mut past_end = whole.clone();

    // The last word: its cells have index 9.
    past_end[CELLS / 2 - 2..CELLS / 2 + 2].copy_from_slice(&[0x99; 4]);

    let cut = whole[..whole.len() - 3].to_vec();
    for (value, warning) in [
        (past_end, Warnings::PALETTE_INDEX),
        (cut, Warnings::NAMELESS),
    ] {
        with_chunk(&chunk(true, &[(47, 0, &value)]), |chunk| {
            let ids = block_ids(chunk, &names(3), false);
            let is_cut = warning == Warnings::NAMELESS;
            let expected = std::array::from_fn(|cell| match indices[cell] {
                2 if is_cut => BlockId::AIR,
                _ if !is_cut && cell >= CELLS - 8 => BlockId::AIR,
                index => ids[usize::from(index)],
            });
            assert_section(chunk, &expected);
            assert!(chunk.meta().warnings.has(warning));
        });
    }
}

#[test]
fn every_cut_is_an_error_or_a_chunk() {
    let second = storage(
        1,
        &mixed(2),
        &["minecraft:air".to_owned(), "minecraft:water".to_owned()],
    );
    let stored = [&[9, 2, 0][..], &storage(3, &mixed(5), &names(5)), &second].concat();
    let biomes = [&[0; 512][..], &[1, 21, 0, 0, 0, 0xff]].concat();

    let [ids, data] = old_arrays(CELLS);
    let old = [&[0][..], &ids, &data].concat();

    let values: [(u8, i8, &[u8]); 5] = [
        (43, 0, &biomes),
        (44, 0, &[40]),
        (47, 0, &stored),
        (47, 1, &old),
        (54, 0, &[2]),
    ];
    let bytes = chunk(true, &values);

    let between: Vec<_> = (0..5)
        .map(|count| chunk(true, &values[..count]).len())
        .collect();
    let mut buffers = ChunkBuffers::default().with_light();
    let mut name_cache = name_cache();
    for len in (0..bytes.len()).filter(|len| len % 7 == 0 || bytes.len() - len < 40) {
        let parsed = Chunk::parse(&bytes[..len], Form::Values, &mut buffers, &mut name_cache);
        assert_eq!(parsed.is_ok(), between.contains(&len), "cut to {len}");
    }

    // A value may also end before its contents do.
    for len in 0..stored.len() {
        let bytes = chunk(true, &[(47, 0, &stored[..len])]);
        let Ok(mut chunk) = Chunk::parse(&bytes, Form::Values, &mut buffers, &mut name_cache)
        else {
            continue;
        };
        if chunk.sections() > 0 {
            chunk.cell(0, 3, 3);
        }
    }
}
