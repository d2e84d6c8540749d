//! Tests layer `slime`: the slime chunks, the places where the seed is stored, and that the seed
//! stays secret.

use std::collections::BTreeMap;
use std::path::Path;

use crate::map::{
    CLEAR, Map, NATIVE, Place, Ran, Rgba, SIDE, assert_same_files, land, pixels, render,
};
use crate::world::level_dat::LevelDat;
use crate::world::nbt::Tag;
use crate::world::{ChunkSpec, Files, Generation, block, payload};

const GREEN: Rgba = [40, 232, 40, 120];
const LAYER: [&str; 2] = ["-l", "slime"];
/// The settings of the overworld since 26.1, in the form of the game and in the form of Paper.
const SETTINGS: [&str; 2] = [
    "data/minecraft/world_gen_settings.dat",
    "dimensions/minecraft/overworld/data/minecraft/world_gen_settings.dat",
];

/// The slime chunks among the chunks from -6, -6 to 5, 5, computed by a Java program with
/// `java.util.Random`.
#[rustfmt::skip]
const BY_JAVA: [(i64, &[(i32, i32)]); 3] = [
    (1, &[(-3, -4), (-3, -3), (5, -3), (2, -1), (5, -1), (-3, 0), (-4, 1), (-2, 2), (5, 2), (-6, 3), (0, 3), (-2, 4),
        (3, 4), (5, 5)]),
    (-4_172_144_997_902_289_642, &[(5, -6), (-6, -5), (-2, -5), (-1, -5), (2, -5), (5, -5), (-4, -4), (-3, -4),
        (4, -4), (4, -2), (1, 0), (3, 0), (1, 1), (-5, 2), (-5, 3), (-2, 3), (4, 3)]),
    (i64::MAX, &[(-5, -6), (4, -6), (-4, -5), (-2, -5), (-1, -5), (1, -5), (3, -5), (-4, -3), (0, -3), (2, -3),
        (4, -2), (-6, -1), (-3, -1), (-5, 0), (5, 0), (1, 2), (-1, 3), (4, 5)]),
];
/// The slime chunks far away, where 32-bit products overflow: among the chunks from 1874995,
/// -1874999 to 1875000, -1874994.
#[rustfmt::skip]
const FAR_BY_JAVA: [(i64, &[(i32, i32)]); 3] = [
    (1, &[(1_874_995, -1_874_997), (1_875_000, -1_874_994)]),
    (-4_172_144_997_902_289_642, &[(1_874_998, -1_874_998), (1_874_997, -1_874_998), (1_874_996, -1_874_997)]),
    (i64::MAX, &[(1_874_999, -1_874_996), (1_874_997, -1_874_996), (1_874_995, -1_874_995), (1_874_997, -1_874_994)]),
];

/// Returns whether slimes appear in a chunk, by the formula and by the description of its numbers
/// in Java's documents.
fn is_slime_chunk(seed: i64, x: i32, z: i32) -> bool {
    // The value of a number in 32 bits, and in 64.
    let int = |wide: i128| i128::from(wide as i32);
    let (x, z) = (i128::from(x), i128::from(z));
    let sum = i128::from(seed)
        + int(int(x * x) * 4_987_142)
        + int(x * 5_947_611)
        + int(z * z) * 4_392_871
        + int(z * 389_711);

    let mut state = ((sum ^ 0x3ad8_025f) ^ 0x5_deec_e66d).rem_euclid(1 << 48);
    loop {
        state = (state * 0x5_deec_e66d + 11).rem_euclid(1 << 48);
        let bits = state >> 17;
        if bits - bits % 10 + 9 < 1 << 31 {
            return bits % 10 == 0;
        }
    }
}

#[test]
fn the_test_formula_matches_the_game() {
    for ((seed, near), (_, far)) in BY_JAVA.into_iter().zip(FAR_BY_JAVA) {
        let found = |x0: i32, z0: i32, side: i32| {
            let all = (0..side * side).map(move |at| (x0 + at % side, z0 + at / side));
            all.filter(|&(x, z)| is_slime_chunk(seed, x, z))
                .collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(found(-6, -6, 12), near.iter().copied().collect());
        assert_eq!(
            found(1_874_995, -1_874_999, 6),
            far.iter().copied().collect()
        );
    }
}

fn chunk(x: i32, z: i32) -> ChunkSpec {
    let mut chunk = ChunkSpec::new(x, z, Generation::Root(3955));
    (0..256).for_each(|column| chunk.set(column % 16, 64, column / 16, block::STONE));
    chunk
}

/// Chunks around the origin with a hole in the middle, and some chunks far away.
fn chunks() -> Vec<ChunkSpec> {
    let near = (-20..20)
        .flat_map(|z| (-20..20).map(move |x| (x, z)))
        .filter(|&(x, z)| (x + 3 * z) % 7 != 0);
    let far = (0..36).map(|at| (1_874_995 + at % 6, -1_874_999 + at / 6));
    near.chain(far).map(|(x, z)| chunk(x, z)).collect()
}

fn regions() -> Files {
    let mut files = Files::new();
    land::put_chunks(&mut files, "region", &chunks());
    land::put_chunks(
        &mut files,
        "DIM-1/region",
        &[chunk(0, 0), chunk(5, 5), chunk(-3, -3)],
    );
    files
}

fn level_dat(seed: i64) -> Vec<u8> {
    LevelDat::new("slimes", Some(3955))
        .with("RandomSeed", Tag::Long(seed))
        .bytes()
}

fn settings(seed: i64) -> Vec<u8> {
    let data = Tag::compound([("bonus_chest", Tag::Byte(0)), ("seed", Tag::Long(seed))]);
    payload::gzip(&Tag::compound([("DataVersion", Tag::Int(4903)), ("data", data)]).document())
}

/// A world in two dimensions whose level.dat stores a seed in the form until 1.15.
fn world_of(seed: i64) -> Place {
    let mut files = regions();
    files.put("level.dat", level_dat(seed));
    Place::of(&files)
}

/// The native tiles of a dimension, by the positions of their regions.
fn tiles(map: &Map, dimension: &str) -> BTreeMap<(i32, i32), Vec<Rgba>> {
    let folder = map.root.join(dimension).join(format!("slime/{NATIVE}"));
    let place = |path: &str| {
        let (x, y) = path.trim_end_matches(".png").split_once('/').unwrap();
        (x.parse().unwrap(), y.parse().unwrap())
    };
    Files::read_under(&folder)
        .0
        .into_keys()
        .map(|path| (place(&path), pixels(&folder.join(path))))
        .collect()
}

fn assert_shows(what: &str, map: &Map, seed: i64) {
    let tiles = tiles(map, "overworld");
    let there: std::collections::BTreeSet<_> =
        chunks().iter().map(|chunk| (chunk.x, chunk.z)).collect();
    let mut green = 0;
    for (&(region_x, region_z), tile) in &tiles {
        for (at, &pixel) in tile.iter().enumerate() {
            let (x, z) = (
                region_x * 32 + (at % SIDE / 16) as i32,
                region_z * 32 + (at / SIDE / 16) as i32,
            );

            let expected = if there.contains(&(x, z)) && is_slime_chunk(seed, x, z) {
                GREEN
            } else {
                CLEAR
            };

            assert_eq!(pixel, expected, "{what}: chunk {x}, {z}");
            green += usize::from(pixel == GREEN);
        }
    }

    let expected = there
        .iter()
        .filter(|(x, z)| is_slime_chunk(seed, *x, *z))
        .count();
    assert_eq!(green, expected * 256, "{what}");
}

#[test]
fn layer_slime_is_green_in_slime_chunks_only() {
    for (seed, _) in BY_JAVA {
        let place = world_of(seed);
        let map = place.draw("map", &LAYER);
        assert_shows("slime", &map, seed);
        assert!(tiles(&map, "the_nether").is_empty(), "no slimes come there");
        let layer = &map.facts()["dimensions"][0]["layers"][0];
        assert_eq!(
            (&layer["id"], &layer["overlay"]),
            (&"slime".into(), &true.into())
        );
    }
}

#[test]
fn every_version_of_the_game_yields_its_seed() {
    let worlds = [
        (
            "WorldGenSettings",
            vec![("level.dat", {
                let settings =
                    Tag::compound([("seed", Tag::Long(1)), ("dimensions", Tag::compound([]))]);
                // The builder's own `RandomSeed` belongs to another world, so the value of the
                // newer version counts.
                LevelDat::new("slimes", Some(3955))
                    .with("RandomSeed", Tag::Long(9))
                    .with("WorldGenSettings", settings)
                    .bytes()
            })],
        ),
        (
            "26.1",
            vec![("level.dat", level_dat(9)), (SETTINGS[0], settings(1))],
        ),
        (
            "Paper",
            vec![
                ("level.dat", level_dat(9)),
                (SETTINGS[0], settings(9)),
                (SETTINGS[1], settings(1)),
            ],
        ),
        (
            "a damaged file beside a good one",
            vec![
                ("level.dat", level_dat(1)),
                (SETTINGS[0], b"no gzip".to_vec()),
            ],
        ),
        (
            "the backup",
            vec![
                ("level.dat", b"no gzip".to_vec()),
                ("level.dat_old", level_dat(1)),
            ],
        ),
    ];

    for (what, entries) in worlds {
        let mut files = regions();
        for (path, bytes) in entries {
            files.put(path, bytes);
        }
        assert_shows(what, &Place::of(&files).draw("map", &LAYER), 1);
    }
}

#[test]
fn a_missing_seed_is_refused_with_a_remedy() {
    let without = {
        let data = Tag::compound([
            ("LevelName", Tag::string("slimes")),
            ("DataVersion", Tag::Int(4903)),
        ]);
        payload::gzip(&Tag::compound([("Data", data)]).document())
    };

    let worlds = [
        ("no level.dat", vec![], "no level.dat that can be read"),
        (
            "no seed",
            vec![("level.dat", without.clone())],
            "contains it",
        ),
        (
            "damaged",
            vec![("level.dat", without), (SETTINGS[0], b"no gzip".to_vec())],
            "cannot be read",
        ),
    ];

    for (what, entries, says) in worlds {
        let mut files = regions();
        for (path, bytes) in entries {
            files.put(path, bytes);
        }

        let place = Place::of(&files);
        let ran = render(
            &place.world(),
            &place.at("map"),
            &["-l", "day", "-l", "slime"],
        )
        .expect(1, what);

        assert!(
            ran.err.contains(says) && ran.err.contains("leave the layer out"),
            "{what}: {}",
            ran.err
        );
        assert_eq!(ran.report()["error"]["kind"], "not_begun");
        assert!(!place.at("map").exists(), "{what}");

        // A dimension without slime chunks does not need the seed.
        for out in ["nether", "nether.png"] {
            let ran = render(
                &place.world(),
                &place.at(out),
                &["-d", "nether", "-l", "slime"],
            )
            .expect(0, what);
            let warnings = ran.report()["warnings"].to_string();
            assert!(
                warnings.contains("layer slime is empty: it shows only the overworld"),
                "{what}, {out}: {warnings}"
            );
        }
    }
}

/// Fails if the bytes contain a seed, in any form.
fn assert_not_in(what: &str, bytes: &[u8], seed: i64) {
    let texts = [
        seed.to_string(),
        (seed as u64).to_string(),
        format!("{seed:x}"),
        format!("{seed:X}"),
    ];

    let low = (seed & 0xffff_ffff_ffff).to_string();
    let numbers = [
        seed.to_le_bytes().to_vec(),
        seed.to_be_bytes().to_vec(),
        seed.to_le_bytes()[..6].to_vec(),
    ];

    for way in texts
        .into_iter()
        .chain([low])
        .map(String::into_bytes)
        .chain(numbers)
    {
        assert!(
            !bytes.windows(way.len()).any(|window| window == way),
            "{what} holds the seed as {way:?}"
        );
    }
}

#[test]
fn the_seed_is_never_written_or_printed() {
    let (seed, _) = BY_JAVA[1];
    let place = world_of(seed);
    let options = ["-l", "slime", "-l", "day", "-v", "--progress", "plain"];

    let says = |Ran { out, err, .. }: Ran| out + &err;
    let said = says(render(&place.world(), &place.at("map"), &options).expect(0, "first"))
        + &says(render(&place.world(), &place.at("map"), &options).expect(0, "again"))
        + &says(crate::map::on("info", &place.world(), &["--json"]))
        + &says(crate::map::on(
            "query",
            &place.world(),
            &["0", "0", "--json"],
        ));
    assert_not_in("what was said", said.as_bytes(), seed);

    for (path, bytes) in Files::read_under(&place.at("map")).0 {
        assert_not_in(&path, &bytes, seed);
    }
}

fn set_seed(place: &Place, seed: i64) {
    Files([("level.dat".to_owned(), level_dat(seed))].into()).write_under(&place.world());
}

#[test]
fn a_changed_seed_redraws_the_layer() {
    let place = world_of(1);
    let map = place.draw("map", &LAYER);
    let written = |what: &str| -> (u64, u64) {
        let report = render(&place.world(), &map.root, &LAYER)
            .expect(0, what)
            .report();
        (
            report["regions"]["drawn"].as_u64().unwrap(),
            report["tiles"]["written"].as_u64().unwrap(),
        )
    };

    assert_eq!(written("again"), (0, 0));

    // The highest 16 of the 64 bits of a seed have no effect.
    set_seed(&place, 1 + (77 << 48));
    assert_eq!(written("the same chunks"), (0, 0));
    set_seed(&place, 2);
    assert!(written("another seed").1 > 0);

    assert_shows("another seed", &map, 2);
    assert_same_files(
        "another seed",
        &place.draw("fresh", &LAYER).files(),
        &map.files(),
    );
}

#[test]
fn neither_threads_nor_other_layers_change_a_byte() {
    let place = world_of(1);

    let of_slime = |map: &Map| -> BTreeMap<String, Vec<u8>> {
        map.files()
            .into_iter()
            .filter(|(path, _)| path.contains("/slime/"))
            .collect()
    };

    let alone = of_slime(&place.draw("alone", &["-l", "slime", "-t", "1"]));
    assert!(Path::new(&place.at("alone")).exists() && alone.len() > 4);

    let among = of_slime(&place.draw(
        "among",
        &["-l", "day", "-l", "slime", "-l", "height16", "-t", "3"],
    ));
    assert_same_files("slime", &alone, &among);
}
