//! Tests reading undamaged databases.

use super::*;

fn texts(values: &Values) -> Vec<(u8, i8, &str)> {
    values
        .iter()
        .map(|(&(tag, section), value)| (tag, section, str::from_utf8(value).unwrap()))
        .collect()
}

#[test]
fn the_newest_value_counts_wherever_it_is() {
    let mut written = TestDatabase::new();
    let at = |tag: &[u8]| key(0, 1, -2, tag);
    let old = vec![
        entry(at(&[VERSION]), 1, "first"),
        entry(at(&[SECTION, 0]), 2, "old"),
        entry(at(&[SECTION, 0]), 7, "newer"),
        entry(at(&[SECTION, 1]), 3, "deleted later"),
        entry(at(&[SECTION, 2]), 4, "alone"),
        entry(at(&[SECTION, 0xfc]), 5, "deep"),
        entry(at(&[54]), 6, "state"),
        entry(at(&[50]), 6, "entities, which are not read"),
    ];

    // A block ends after each entry, so the versions of a key are in two blocks.
    written.add_table(5, old, Compression::Deflate, 1);
    let new = vec![
        entry(at(&[SECTION, 0]), 4, "in a newer table"),
        entry(at(&[SECTION, 1]), 9, None),
    ];
    written.add_table(6, new, Compression::Zlib, 4096);

    written.put_log(&[
        vec![entry(at(&[54]), 11, "logged")],
        vec![entry(at(&[VERSION]), 12, "last")],
    ]);

    let database = open(written.world()).unwrap();
    let chunks = chunks(&database);
    let [values] = [&chunks[&(0, 1, -2)]].map(|chunk| chunk.as_ref().unwrap());

    let expected = [
        (44, 0, "last"),
        (47, -4, "deep"),
        (47, 0, "newer"),
        (47, 2, "alone"),
        (54, 0, "logged"),
    ];
    assert_eq!((chunks.len(), texts(values)), (1, expected.to_vec()));
    assert!(database.damage().is_empty());
}

#[test]
fn values_are_in_the_order_of_their_keys() {
    let mut written = TestDatabase::new();
    let entries =
        [0, 4, 0xfc, 0xff].map(|section| entry(key(0, 0, 0, &[SECTION, section]), 10, "s"));
    written.add_table(
        5,
        [entries.to_vec(), row(0, 0..1, 1)].concat(),
        Compression::None,
        4096,
    );

    let database = open(written.world()).unwrap();
    let mut region = BedrockRegion::open(database, 0, RegionPos { x: 0, z: 0 });
    let mut inflater = Inflater::default();
    let plain = region
        .read(Slot::at(0, 0), &mut inflater)
        .unwrap()
        .plain
        .unwrap();

    assert_eq!(
        &plain[..],
        b"\xfc,\0\x01\0\0\0(/\0\x01\0\0\0s/\x04\x01\0\0\0s/\xfc\x01\0\0\0s/\xff\x01\0\0\0s"
    );
}

#[test]
fn a_chunk_is_stored_if_its_version_exists() {
    let mut written = TestDatabase::new();

    let mut entries = row(0, 0..1, 1);
    for x in 1..5 {
        entries.push(entry(key(0, x, 0, &[SECTION, 0]), 20, "blocks"));
    }

    entries.push(entry(key(0, 2, 0, &[118]), 20, "old version"));
    entries.push(entry(key(0, 3, 0, &[VERSION]), 20, "deleted later"));

    // The version is deleted under one key, and stored under the other.
    entries.push(entry(key(0, 4, 0, &[118]), 20, None));
    entries.push(entry(key(0, 4, 0, &[VERSION]), 19, "version"));

    // Text keys that have the length of chunk keys.
    for text in [
        "Overworld",
        "BiomeData",
        "mVillages",
        "scoreboard",
        "~local_player",
        "tickingarea_1",
        "eleven,keys-,",
    ] {
        entries.push(entry(text.into(), 30, "text"));
    }

    written.add_table(5, entries, Compression::Deflate, 64);
    written.put_log(&[vec![entry(key(0, 3, 0, &[VERSION]), 40, None)]]);
    let found = chunks(&open(written.world()).unwrap());
    assert_eq!(
        found.into_keys().collect::<Vec<_>>(),
        [(0, 0, 0), (0, 2, 0), (0, 4, 0)]
    );
}

#[test]
fn every_dimension_and_compression_is_read() {
    for compression in [
        Compression::None,
        Compression::Snappy,
        Compression::Zlib,
        Compression::Deflate,
    ] {
        let mut written = TestDatabase::new();
        let far = 1_875_000;
        let rows = [
            row(0, -40..40, 300),
            row(1, -1..1, 300),
            row(2, 0..1, 9),
            row(1000, far..far + 1, 9),
        ]
        .concat();
        written.add_table(5, rows.clone(), compression, 2000);

        let database = open(written.world()).unwrap();
        let found: Vec<_> = database
            .dimensions()
            .iter()
            .flat_map(|(dimension, own)| {
                own.regions()
                    .map(|region| (*dimension, region.region.x, region.chunks))
            })
            .collect();

        let far = (1000, far >> 5, 1);
        assert_eq!(
            found,
            [
                (0, -2, 8),
                (0, -1, 32),
                (0, 0, 32),
                (0, 1, 8),
                (1, -1, 1),
                (1, 0, 1),
                (2, 0, 1),
                far
            ]
        );

        for ((_, x, _), values) in chunks(&database) {
            let values = values.unwrap();
            assert_eq!(values[&(VERSION, 0)], [40]);
            assert!(values[&(SECTION, -1)].iter().all(|&byte| byte == x as u8));
        }

        let bytes: u64 = database
            .dimensions()
            .iter()
            .flat_map(|(_, own)| own.regions())
            .map(|own| own.bytes)
            .sum();
        let len = written.read("000005.ldb").len() as u64;
        assert!((len / 2..=len).contains(&bytes), "{bytes} of {len}");
    }
}

#[test]
fn stray_records_beyond_the_map_are_ignored() {
    let mut written = TestDatabase::new();
    let far = (1 << 16) * 32;
    let stray = |x: i32, tag: &[u8]| entry(key(0, x, -1 - x, tag), 50, "s");
    let mut entries = row(0, 0..1, 9);

    // A version alone, a version with biomes, and a version of a chunk whose blocks are deleted.
    entries.extend([
        stray(far, &[VERSION]),
        stray(0x0302_0100, &[118]),
        stray(-2 * far, &[VERSION]),
    ]);

    entries.extend([stray(far + 64, &[VERSION]), stray(far + 64, &[45])]);
    entries.extend([
        stray(far + 96, &[VERSION]),
        entry(key(0, far + 96, -97 - far, &[SECTION, 0]), 50, None),
    ]);

    // Chunks with blocks are kept, because they are missing on the map.
    entries.extend([stray(far + 32, &[VERSION]), stray(far + 32, &[SECTION, 0])]);
    written.add_table(5, entries, Compression::Deflate, 4096);

    let database = open(written.world()).unwrap();
    let regions: Vec<i32> = database.dimensions()[0]
        .1
        .regions()
        .map(|own| own.region.x)
        .collect();

    assert_eq!(
        (regions, database.damage()),
        (vec![(far >> 5) + 1, 0], &[][..])
    );
}

#[test]
fn scattered_chunks_are_read_as_from_their_block() {
    let mut written = TestDatabase::new();
    let mut entries = Vec::new();

    // Two chunks per region in each of four dimensions. The keys of two dimensions are sorted
    // between the overworld's tags.
    for (number, region) in (0..500).flat_map(|region| {
        [
            (2 * region as u64 + 1, region),
            (2 * region as u64 + 2, region),
        ]
    }) {
        let x = region * 32 + (number as i32 & 1) * 7;
        for dimension in [0, 2, 0x2f, 0x2f_30 & 0xffff] {
            entries.push(entry(key(dimension, x, 5, &[VERSION]), number, "40"));
            entries.push(entry(
                key(dimension, x, 5, &[SECTION, 0]),
                number,
                &*format!("{dimension} {x}").repeat(40),
            ));
            entries.push(entry(key(dimension, x, 5, &[SECTION, 1]), number, None));
        }
    }

    written.add_table(5, entries.clone(), Compression::Deflate, usize::MAX);
    let scattered = open(written.world()).unwrap();
    written.forget_table();

    // A block ends after one or two chunks.
    written.add_table(6, entries, Compression::Deflate, 500);
    let divided = chunks(&scattered);
    assert_eq!(
        (divided.len(), &divided),
        (4000, &chunks(&open(written.world()).unwrap()))
    );

    assert!(
        divided
            .values()
            .all(|values| values.as_ref().is_ok_and(|values| values.len() == 2))
    );
    assert_eq!(scattered.divided_blocks(), 1);
}

#[test]
fn a_separator_may_be_a_deletion() {
    let mut written = TestDatabase::new();
    let mut entries = row(0, 0..3, 9);

    // A block ends after each entry, and the separator cannot be shorter than the key of a section.
    entries.push(entry(key(0, 1, 0, &[SECTION, 1]), 20, None));
    entries.push(entry(key(0, 1, 0, &[SECTION, 2]), 21, "above"));

    // There is no shorter key behind the last key.
    entries.push(entry(key(0, -1, -1, &[0xff; 2]), 22, None));
    written.add_table(5, entries, Compression::Deflate, 1);
    let database = open(written.world()).unwrap();
    assert_eq!((database.damage(), chunks(&database).len()), (&[][..], 3));
}

#[test]
fn log_blocks_may_end_with_any_padding() {
    const BLOCK: usize = 32 << 10;

    let written = TestDatabase::new();

    let batch = |x: i32, bytes: usize| {
        vec![
            entry(key(0, x, 0, &[VERSION]), 1, "v"),
            entry(key(0, x, 0, &[SECTION, 0]), 2, &*"s".repeat(bytes)),
        ]
    };

    let overhead = {
        written.put_log(&[batch(0, BLOCK / 2)]);
        written.read("000009.log").len() - BLOCK / 2
    };

    for left in 0..=9 {
        written.put_log(&[batch(0, BLOCK - overhead - left), batch(1, 9)]);
        assert!(written.read("000009.log").len() > BLOCK);
        let database = open(written.world()).unwrap();
        assert_eq!(
            (database.damage(), chunks(&database).len()),
            (&[][..], 2),
            "{left} bytes are left"
        );
    }
}

#[test]
fn world_values_are_found_by_their_keys() {
    let mut written = TestDatabase::new();
    let player = |number: u64, value| entry(format!("player_{number:02}").into(), number, value);
    let players = (0..20).map(|number| player(number, "old")).collect();
    written.add_table(5, players, Compression::Deflate, 40);
    written.add_table(6, vec![player(30, "other table")], Compression::Deflate, 40);
    written.put_log(&[vec![
        entry("player_03".into(), 50, "new"),
        entry("player_04".into(), 51, None),
    ]]);

    let database = open(written.world()).unwrap();
    let value = |key: &str| {
        database
            .opened()
            .value(key.as_bytes())
            .unwrap()
            .map(|value| String::from_utf8(value).unwrap())
    };

    assert_eq!(value("player_03").as_deref(), Some("new"));
    assert_eq!(value("player_05").as_deref(), Some("old"));
    assert_eq!(value("player_30").as_deref(), Some("other table"));
    assert_eq!(
        [value("player_04"), value("player_0"), value("portals")],
        [None, None, None]
    );

    let mut keys = Vec::new();
    let crate::bedrock::FoundValues { beyond, damage } =
        database.opened().values(b"player_", |key, _| {
            keys.push(String::from_utf8(key.to_vec()).unwrap());
        });
    assert_eq!((beyond, damage), (0, None));
    assert_eq!((keys.len(), keys.is_sorted()), (20, true));
}

#[test]
fn real_worlds_have_the_chunks_that_others_count() {
    let worlds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/worlds-bedrock");
    if !worlds.exists() {
        return missing::report("shared", "real databases of Bedrock Edition");
    }

    for (name, expected) in [
        ("papyrus-1.11", &[386][..]),
        ("amulet-1.16", &[436]),
        ("amulet-1.17.40", &[216]),
        ("amulet-1.18", &[2737, 70, 13]),
        ("skywars-1.21.3", &[8223, 802, 345]),
        ("feather-1.26.0", &[4390, 656, 140]),
        ("mcpe-torn", &[134]),
    ] {
        let database = open(&worlds.join(name)).unwrap();
        let counts = database
            .dimensions()
            .iter()
            .map(|(_, own)| own.regions().map(|region| region.chunks).sum());
        assert_eq!(counts.collect::<Vec<u32>>(), expected, "{name}");

        let is_read = chunks(&database).into_values().all(|chunk| chunk.is_ok());
        assert!(
            is_read && (database.damage().is_empty() || name == "mcpe-torn"),
            "{name}"
        );
    }
}
