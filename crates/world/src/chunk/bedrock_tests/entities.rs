//! Tests facts that are stored as block entities: the dyes of beds and banners, and the positions
//! of beds.

use super::*;

#[test]
fn block_entities_are_read_one_after_another() {
    let entity = |x: u8| [&[10, 0, 0, 3, 1, 0, b'x', x, 0, 0, 0][..], &[0]].concat();
    let bytes = chunk(
        true,
        &[(49, 0, &[entity(3), entity(4)].concat()), (54, 0, &[2])],
    );

    with_chunk(&bytes, |chunk| {
        let Some(EntityList::Roots(mut reader)) = chunk.block_entities() else {
            panic!()
        };

        let mut found = Vec::new();
        while let Ok(Some((tag, _))) = reader.entry() {
            assert!(reader.compound(tag).unwrap());
            while let Some((tag, _)) = reader.entry().unwrap() {
                found.extend(reader.int(tag).unwrap());
            }
        }

        assert_eq!(found, [3, 4]);
    });

    assert!(with_chunk(&chunk(true, &[(54, 0, &[2])]), |chunk| chunk
        .block_entities()
        .is_none()));
}

/// Returns a block entity at a position, with its numbers stored as shorts.
fn entity(id: &str, position: [i16; 3], numbers: &[(&str, i16)]) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat();

    let position = ["x", "y", "z"].into_iter().zip(position);
    let numbers = position.chain(numbers.iter().copied());
    let numbers =
        numbers.flat_map(|(name, number)| [&[2][..], &text(name), &number.to_le_bytes()].concat());
    [
        &[10, 0, 0, 8][..],
        &text("id"),
        &text(id),
        &numbers.collect::<Vec<_>>(),
        &[0],
    ]
    .concat()
}

#[test]
fn beds_and_banners_have_their_dyes() {
    let names = [
        "minecraft:air",
        "minecraft:bed",
        "minecraft:standing_banner",
        "minecraft:wall_banner",
        "mod:1",
    ];
    let names = names.map(str::to_owned);

    // Neighbours in x: one cell per name, and a wet one of each.
    let indices: [u16; CELLS] = std::array::from_fn(|cell| ((cell >> 8) % 5) as u16);
    let second: [u16; CELLS] = std::array::from_fn(|cell| u16::from(cell >> 8 > 5));

    let others = ["minecraft:air", "minecraft:water"].map(str::to_owned);
    let stored = [
        &[8, 2][..],
        &storage(3, &indices, &names),
        &storage(1, &second, &others),
    ]
    .concat();

    let dye = |x: i16, y: i16| match x % 5 {
        1 => entity("Bed", [x - 32, y, 7], &[("color", y & 15)]),
        2 if x > 5 => entity("Banner", [x - 32, y, 7], &[("Type", 1), ("Base", 3)]),
        _ => entity("Banner", [x - 32, y, 7], &[("Base", y & 15)]),
    };

    let in_section: Vec<u8> = (0..10)
        .flat_map(|x| (-48..-32).flat_map(move |y| dye(x, y)))
        .collect();

    // Block entities that do not concern this section.
    let more = [
        entity("Bed", [33, -31, 3], &[("color", 9)]),
        entity("Bed", [33, -33, 3], &[("color", 16)]),
        entity("Bed", [33, -33, 3], &[]),
        entity("Chest", [33, -33, 3], &[("color", 9), ("Base", 9)]),
        entity("Banner", [34, -33, 3], &[("Base", i16::MIN)]),
        vec![3, 0, 0, 1, 2, 3, 4],
    ];

    let entities = [&more.concat()[..], &in_section, &[10, 0, 0, 99]].concat();
    let bytes = chunk(true, &[(47, -3, &stored), (49, 0, &entities)]);
    with_chunk(&bytes, |chunk| {
        let ids = [false, true].map(|is_wet| block_ids(chunk, &names, is_wet));
        let mut labels = std::collections::BTreeSet::new();
        let expected = std::array::from_fn(|cell| {
            let (x, z, y) = (cell >> 8, cell >> 4 & 15, (cell & 15) as u8);
            let is_wet = x > 5;
            let id = match (is_wet, x % 5) {
                (true, 0) => return block_ids(chunk, &others, false)[1],
                (_, index) => ids[usize::from(is_wet)][index],
            };

            let dye = match x % 5 {
                1 => y,
                2 if is_wet => 0,
                _ => 15 - y,
            };

            let has_dye = z == 7 && (1..10).contains(&x) && (1..4).contains(&(x % 5));
            let id = if has_dye {
                chunk.name_cache().bedrock_dyed(id, dye)
            } else {
                id
            };

            let (name, state) = chunk.name_cache().name_at(id.index());
            labels.insert(format!(
                "{name} {state} {}",
                chunk.name_cache().stored_name(id)
            ));

            id
        });

        assert_section(chunk, &expected);
        assert_eq!(chunk.meta().warnings, Warnings::default());

        for label in [
            "minecraft:red_bed waterlogged=false minecraft:bed",
            "minecraft:light_blue_bed waterlogged=true minecraft:bed",
            "minecraft:white_banner waterlogged=false minecraft:standing_banner",
            "minecraft:black_banner waterlogged=false minecraft:standing_banner",
            "minecraft:lime_wall_banner waterlogged=true minecraft:wall_banner",
        ] {
            assert!(labels.contains(label), "{label} is not among {labels:?}");
        }

        // Beds and wall banners in 16 dyes, dry and wet; standing banners in 16 dyes. The wet
        // standing banners are white.
        assert_eq!(labels.len(), 5 * 16 + 1 + 3, "and air, and another block");
    });
}

#[test]
fn the_next_chunk_has_dyes_of_its_own() {
    let stored = [
        &[8, 1][..],
        &storage(0, &[0; CELLS], &["minecraft:bed".to_owned()]),
    ]
    .concat();

    let (mut buffers, mut name_cache) = (ChunkBuffers::default(), name_cache());
    let mut name = |bytes: &[u8]| {
        let mut chunk = Chunk::parse(bytes, Form::Values, &mut buffers, &mut name_cache).unwrap();
        let id = chunk.cell(0, 0, 0).id;
        chunk.name_cache().name_at(id.index()).0
    };

    let blue = chunk(
        true,
        &[
            (47, 0, &stored),
            (49, 0, &entity("Bed", [0, 0, 0], &[("color", 11)])),
        ],
    );

    let names = [
        name(&blue),
        name(&chunk(true, &[(47, 0, &stored)])),
        name(&blue),
    ];

    assert_eq!(
        names,
        [
            "minecraft:blue_bed",
            "minecraft:red_bed",
            "minecraft:blue_bed"
        ]
        .map(Arc::from)
    );
}

/// Returns the palette entry of a bed, with a state that is a byte.
fn bed(state: &str, value: u8) -> Vec<u8> {
    let name = [&entry("minecraft:bed")[..entry("minecraft:bed").len() - 1]].concat();
    let state = [&[1, state.len() as u8, 0][..], state.as_bytes(), &[value]].concat();
    match &state {
        data if data[3] == b'v' => [&name[..], data, &[0]].concat(),
        states => [&name[..], &[10, 6, 0], b"states", states, &[0, 0]].concat(),
    }
}

#[test]
fn a_bed_is_where_its_head_is() {
    let positions = [[-5, 70, 3], [-4, 70, 3], [-3, 70, 3], [-2, 90, 3]];
    let halves = positions
        .map(|position| entity("Bed", position, &[]))
        .concat();
    let entities = [&halves[..], &entity("Banner", positions[1], &[])].concat();
    let beds = |values: &[(u8, i8, &[u8])]| {
        let values = [values, &[(49, 0, &entities[..])]].concat();
        with_chunk(&chunk(true, &values), |chunk| {
            chunk.beds().collect::<Vec<_>>()
        })
    };

    let head = positions[1].map(i32::from);
    for states in [
        [("head_piece_bit", 0), ("head_piece_bit", 1)],
        [("val", 3), ("val", 11)],
    ] {
        let entries = states.map(|(state, value)| [&[10, 0, 0][..], &bed(state, value)].concat());
        let palette = [&entries.concat()[..], &[10, 0, 0], &entry("mod:1")].concat();
        let mut indices = [2; CELLS];
        indices[11 << 8 | 3 << 4 | 6] = 0;
        indices[12 << 8 | 3 << 4 | 6] = 1;

        let stored = [
            &[8, 1, 2 << 1][..],
            &words(2, &indices),
            &[3, 0, 0, 0],
            &palette,
        ]
        .concat();

        assert_eq!(beds(&[(47, 4, &stored)]), [head], "{states:?}");
        assert_eq!(
            beds(&[(47, 4, &stored[..stored.len() - 60])]),
            [[0; 3]; 0],
            "{states:?}"
        );
    }

    for (tag, cells) in [(47, CELLS), (48, COLUMN_CELLS)] {
        let height = cells / 256;
        let (mut ids, mut data) = (vec![1; cells], vec![0xff; cells / 2]);
        for (x, value) in [(11, 0x33), (12, 0xbb)] {
            let cell = (x << 4 | 3) * height + 70 % height;
            ids[cell] = 26;
            data[cell / 2] = value;
        }

        let form = if tag == 47 { &[0][..] } else { &[] };
        assert_eq!(
            beds(&[(tag, 4, &[form, &ids, &data].concat())]),
            [head],
            "tag {tag}"
        );
    }

    assert_eq!(beds(&[]), [[0; 3]; 0]);
}
