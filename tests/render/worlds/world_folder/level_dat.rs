//! Tests the level.dat of a world: the values that are read from it, and damaged and endless files.

use std::fs;

use pixelmap_world::internal::MAX_MOD_IDS;

use super::{compound, gzip, level, named, open, put_in_the_way, string, world_of};

fn list(tag: u8, count: usize, elements: &[u8]) -> Vec<u8> {
    [&[tag], &(count as u32).to_be_bytes()[..], elements].concat()
}

#[test]
fn the_values_of_level_dat_are_read() {
    let (_around, world) = world_of(&["region"]);

    let pair = |name: &[u8], id: i32| {
        compound(&[
            named("K", 8, &string(name)),
            named("V", 3, &id.to_be_bytes()),
        ])
    };

    let ids =
        |pairs: &[Vec<u8>]| compound(&[named("ids", 9, &list(10, pairs.len(), &pairs.concat()))]);
    let blocks = ids(&[
        pair(b"mod:ore", 500),
        pair(&[b'x'; 257], 501),
        pair(b"mod:minus", -1),
    ]);

    let registries = [
        named("minecraft:blocks", 10, &blocks),
        named("minecraft:biomes", 10, &ids(&[pair(b"b", 7)])),
    ];

    let items = [pair(b"\x01old:ore", 600), pair(b"\x02old:pick", 601)];
    let fml = [
        named("Registries", 10, &compound(&registries)),
        named("ItemData", 9, &list(10, 2, &items.concat())),
        named("Other", 8, &string(b"")),
    ];

    let pos: Vec<u8> = [3_i32, 64, -9, 0]
        .iter()
        .flat_map(|number| number.to_be_bytes())
        .collect();

    let spawn = |count: u8| {
        let pos = [&[0, 0, 0, count], &pos[..usize::from(count) * 4]].concat();
        compound(&[
            named("pos", 11, &pos),
            named("dimension", 8, &string(b"minecraft:the_nether")),
        ])
    };

    // A face beyond the first plane of Unicode, as the game stores it.
    let face = b"a\xed\xa0\xbd\xed\xb8\x80\xc0\x80";

    let data = |name: &[u8], spawn: Vec<u8>| {
        let name = string(name);
        compound(&[
            named(
                "Player",
                10,
                &compound(&[named("LevelName", 8, &string(b"not this"))]),
            ),
            named("LevelName", 8, &name),
            named("DataVersion", 4, &4556_i64.to_be_bytes()),
            named("spawn", 10, &spawn),
        ])
    };

    level(
        &world,
        &[
            named("FML", 10, &compound(&fml)),
            named("Data", 10, &data(face, spawn(3))),
        ],
    );

    let opened = open(&world).unwrap().level;
    assert_eq!(opened.name.unwrap(), "a\u{1f600}\0");
    assert_eq!(opened.data_version, Some(4556));
    assert_eq!(opened.spawn, Some(("the_nether".to_owned(), [3, 64, -9])));

    let blocks: Vec<_> = opened
        .block_ids
        .iter()
        .map(|(id, name)| (*id, &**name))
        .collect();
    assert_eq!(blocks, [(500, "mod:ore"), (600, "old:ore")]);
    assert_eq!(opened.biome_ids[&7], "b");
    level(&world, &[named("Data", 10, &data(b"a\xff", spawn(4)))]);

    let opened = open(&world).unwrap().level;
    assert_eq!(
        (opened.name, opened.spawn),
        (None, None),
        "a name that is no text, and a place of four numbers"
    );

    assert_eq!(
        opened.data_version,
        Some(4556),
        "damaged values cost themselves alone"
    );

    let old = [
        named("SpawnX", 3, &[0, 0, 0, 1]),
        named("SpawnZ", 3, &[0, 0, 0, 2]),
        named("LevelName", 3, &[0; 4]),
    ];
    level(&world, &old);

    let opened = open(&world).unwrap();
    assert_eq!(
        opened.level.spawn,
        Some(("overworld".to_owned(), [1, 64, 2]))
    );
    assert_eq!(opened.name(), "w");
}

#[test]
fn tables_of_mods_without_end_are_cut_off() {
    let (_around, world) = world_of(&["region"]);
    let count = MAX_MOD_IDS + 1000;

    let pair = |id: usize| {
        compound(&[
            named("K", 8, &string(b"\x01mod:x")),
            named("V", 3, &(id as u32).to_be_bytes()),
        ])
    };

    let pairs = list(10, count, &(0..count).flat_map(pair).collect::<Vec<u8>>());
    let fml = compound(&[named("ItemData", 9, &pairs)]);
    let data = compound(&[named("LevelName", 8, &string(b"modded"))]);
    level(&world, &[named("FML", 10, &fml), named("Data", 10, &data)]);

    let opened = open(&world).unwrap();
    assert_eq!(opened.level.block_ids.len(), MAX_MOD_IDS);
    assert_eq!(
        opened.name(),
        "modded",
        "what follows the table is read all the same"
    );
}

#[test]
fn an_endless_level_dat_is_left_out() {
    let (_around, world) = world_of(&["region"]);
    let bomb = named("bomb", 9, &list(10, 17 << 20, &vec![0; 17 << 20]));
    level(
        &world,
        &[
            named(
                "Data",
                10,
                &compound(&[named("LevelName", 8, &string(b"bomb"))]),
            ),
            bomb,
        ],
    );

    let opened = open(&world).unwrap();
    assert_eq!(
        opened.warnings,
        ["level.dat cannot be read and is left out: it inflates to more than 16 MiB"]
    );
    assert_eq!(opened.name(), "w");
}

#[test]
fn a_damaged_level_dat_gives_one_warning() {
    let (_around, world) = world_of(&[
        "region",
        "DIM-1/region",
        "DIM1/region",
        "dimensions/ns/p/region",
    ]);
    fs::write(world.join("level.dat"), b"no gzip").unwrap();
    assert_eq!(open(&world).unwrap().warnings.len(), 1);

    let data = compound(&[named("LevelName", 8, &string(b"backup"))]);
    fs::write(
        world.join("level.dat_old"),
        gzip(&named("", 10, &compound(&[named("Data", 10, &data)]))),
    )
    .unwrap();
    assert_eq!(open(&world).unwrap().name(), "backup");
}

#[cfg(unix)]
#[test]
fn non_file_level_dat_is_reported_as_damaged() {
    for kind in ["nowhere", "round", "device", "pipe", "folder", "file"] {
        let (_around, world) = world_of(&["region"]);
        match kind {
            "folder" => fs::create_dir(world.join("level.dat")).unwrap(),
            _ => put_in_the_way(kind, &world.join("level.dat")),
        }

        let opened = open(&world).unwrap();
        let [warning] = &opened.warnings[..] else {
            panic!("{kind}: {:?}", opened.warnings)
        };

        assert!(
            warning.starts_with("level.dat cannot be read and is left out: "),
            "{kind}: {warning}"
        );
        assert_eq!(opened.name(), "w");
    }
}
