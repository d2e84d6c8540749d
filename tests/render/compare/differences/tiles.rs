//! Tests the tiles and pixels that `pixelmap diff` compares and lists.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{COLUMN, X, Z, ab, diff, drawn, sand, tiles, world_with_edit};
use crate::map::{Place, Ran};
use crate::outputs::naming::path_of;
use crate::world::nbt::Tag;
use crate::world::{ChunkSpec, biome, block};

/// Changes a whole chunk, because the blend with the surrounding biomes would hide a change of
/// fewer columns.
fn desert(chunk: &mut ChunkSpec) {
    (0..256).for_each(|at| chunk.set_biome(at % 16, at / 16, biome::DESERT));
}

fn pig(chunk: &mut ChunkSpec) {
    let place = [f64::from(X), 65.0, f64::from(Z)].map(Tag::Double).to_vec();
    let pig = Tag::compound([
        ("id", Tag::string("minecraft:pig")),
        ("Pos", Tag::List(place)),
    ]);
    chunk.extra.push(("Entities", Tag::List(vec![pig])));
}

fn said(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err))
}

/// The tile's path in a map.
fn tile(place: &Place, map: &str, tile: &str) -> PathBuf {
    place
        .at(map)
        .join("overworld/day")
        .join(tile)
        .with_extension("png")
}

#[test]
fn one_block_is_one_pixel_in_one_tile() {
    let place = drawn(sand, &[]);
    let expected = format!(
        "overworld\tday\t17/1/0\tchanged\t{X},{Z},{},{}\t1\n",
        X + 1,
        Z + 1
    );
    let ran = ab(&place, &[]).expect(1, "a block");
    assert_eq!(tiles(&ran), expected, "parents are not counted again");

    let verdict = format!(
        "differs: overworld/day 1 pixel (0.078 %) in {X},{Z} {},{}\n",
        X + 1,
        Z + 1
    );
    assert_eq!(
        (&*ran.out, &*ran.err),
        (&*(verdict.clone() + &expected), "")
    );

    for threads in ["1", "7"] {
        assert_eq!(
            tiles(&ab(&place, &["-t", threads, "-q"]).expect(1, threads)),
            expected
        );
    }

    let told = said(&ab(&place, &["--json"]).expect(1, "json"));
    assert_eq!(told["same"], json!(false));

    let layer = &told["layers"][0];
    assert_eq!(
        (&layer["dimension"], &layer["layer"]),
        (&json!("overworld"), &json!("day"))
    );

    assert_eq!(
        layer["tiles"],
        json!({"same": 4, "changed": 1, "added": 0, "removed": 0})
    );
    assert_eq!(
        (&layer["pixels_changed"], &layer["pixels_drawn"]),
        (&json!(1), &json!(5 * 256))
    );

    assert_eq!(
        (&layer["change"], &layer["percent"]),
        (&json!("changed"), &json!(100.0 / 1280.0))
    );

    assert_eq!(
        ab(&place, &["--json"]).err,
        verdict,
        "where standard output is taken"
    );
    assert_eq!(layer["bounds"], json!([X, Z, X + 1, Z + 1]));
    assert_eq!(layer["changed"][0]["tile"], json!([17, 1, 0]));

    let back = diff(&place.at("b"), &place.at("a"), &["-q"]).expect(1, "back");
    assert_eq!((tiles(&back), &*back.err), (&*expected, ""));
}

#[test]
fn diff_names_tiles_like_the_maps() {
    for scheme in ["xyz", "tms"] {
        let place = drawn(sand, &["--scheme", scheme]);
        let name = path_of(scheme, (17, 1, 0));
        assert!(
            tile(&place, "a", &name).is_file() && tile(&place, "b", &name).is_file(),
            "{scheme}: {name}"
        );

        let expected = format!(
            "overworld\tday\t{name}\tchanged\t{X},{Z},{},{}\t1\n",
            X + 1,
            Z + 1
        );
        assert_eq!(tiles(&ab(&place, &["-q"]).expect(1, scheme)), expected);

        let layer = &said(&ab(&place, &["--json"]).expect(1, scheme))["layers"][0];
        assert_eq!(
            layer["tiles"],
            json!({"same": 4, "changed": 1, "added": 0, "removed": 0})
        );
        assert_eq!(layer["bounds"], json!([X, Z, X + 1, Z + 1]));

        let numbers: Vec<i32> = name
            .split('/')
            .map(|number| number.parse().unwrap())
            .collect();
        assert_eq!(layer["changed"][0]["tile"], json!(numbers));

        let manifest = place.at("a/overworld/day/tiles.tsv");
        let manifest = place.copy_file(&manifest, "saved.tsv");
        let saved = diff(&manifest, &place.at("b"), &["-q"]).expect(1, "a saved manifest");
        assert!(
            saved
                .out
                .starts_with("differs: overworld/day 1 tile (20.0 %) in 512,0 1024,512\n"),
            "{}",
            saved.out
        );

        assert_eq!(
            tiles(&saved),
            format!("overworld\tday\t{name}\tchanged\t512,0,1024,512\t-\n")
        );

        let pixels = ab(
            &place,
            &["-q", "--area", &format!("{X},{Z},{},{}", X + 1, Z + 1)],
        )
        .expect(1, "an area");
        assert_eq!(tiles(&pixels), expected);

        // Tiles with equal pixels but other names are not compared.
        place.draw("signed", &[]);

        for (a, b) in [("a", "signed"), ("signed", "b")] {
            let ran = diff(&place.at(a), &place.at(b), &[]).expect(2, "schemes that differ");
            let says = ["the schemes differ", scheme, "signed", "the same options"];
            assert!(
                says.iter().all(|says| ran.err.contains(says)) && ran.err.lines().count() == 1,
                "{}",
                ran.err
            );
            assert_eq!(ran.out, "");
        }
    }
}

#[test]
fn a_biome_change_differs_where_it_tints() {
    let place = drawn(desert, &[]);
    let expected = "overworld\tday\t17/1/0\tchanged\t592,80,608,96\t256\n";
    assert_eq!(tiles(&ab(&place, &["-q"]).expect(1, "a biome")), expected);
}

#[test]
fn moved_mobs_are_not_a_difference() {
    let place = drawn(pig, &[]);
    let ran = ab(&place, &[]).expect(0, "a mob");
    assert_eq!(
        (ran.out.as_str(), ran.err.as_str()),
        ("same: 5 tiles\n", "")
    );
    assert_eq!(
        said(&ab(&place, &["--json"]).expect(0, "json"))["same"],
        json!(true)
    );
}

#[test]
fn tiles_with_equal_hashes_are_not_opened() {
    let place = drawn(sand, &[]);
    for map in ["a", "b"] {
        fs::remove_file(tile(&place, map, "17/0/0")).unwrap();
    }
    // If something differs, its share of the drawn pixels is only known after reading all tiles.
    let ran = ab(&place, &[]).expect(2, "a missing tile");
    assert!(ran.err.contains("17/0/0.png is missing"), "{}", ran.err);
    diff(&place.at("a"), &place.copy("a", "c"), &[]).expect(0, "no tile is opened");
}

#[test]
fn tolerance_limit_and_area_decide_the_verdict() {
    let place = drawn(sand, &[]);
    for (options, code) in [
        (&["--tolerance", "255"][..], 0),
        (&["--tolerance", "1"], 1),
        (&["--max-changed", "1"], 0),
        (&["--max-changed", "0"], 1),
        // One of five chunks with 256 columns each.
        (&["--max-changed", "0.08%"], 0),
        (&["--max-changed", "0.07%"], 1),
        (&["-a", "0,0,512,512"], 0),
        (&["-a", &format!("{X},{Z},{},{}", X + 1, Z + 1)], 1),
        (&["-a", &format!("{},{Z},{},{}", X + 1, X + 9, Z + 9)], 0),
        (&["-d", "0", "-l", "day"], 1),
    ] {
        ab(&place, options).expect(code, &format!("{options:?}"));
    }

    let told = said(&ab(&place, &["--json", "--max-changed", "50%"]).expect(0, "counted"));
    assert_eq!(told["layers"][0]["pixels_drawn"], json!(5 * 256));

    // A layer without any remaining pixel differs in all its earlier pixels.
    let told = said(&ab(&place, &["--json", "-a", "592,80,608,96"]).expect(1, "area"));
    assert_eq!(
        (&told["area"], &told["layers"][0]["tiles"]["same"]),
        (&json!([592, 80, 608, 96]), &json!(0))
    );
}

#[test]
fn diff_lists_tiles_that_only_one_map_has() {
    let place = Place::of(&world_with_edit(|_| {}));
    place.draw("a", &[]);
    fs::remove_file(place.world().join("region/r.1.0.mca")).unwrap();
    place.draw("b", &[]);
    let box_of = format!("{},{},{},{}", 37 * 16, 80, 38 * 16, 96);
    assert_eq!(
        tiles(&ab(&place, &[]).expect(1, "gone")),
        format!("overworld\tday\t17/1/0\tremoved\t{box_of}\t256\n")
    );

    let back = diff(&place.at("b"), &place.at("a"), &[]).expect(1, "come");
    assert_eq!(
        tiles(&back),
        format!("overworld\tday\t17/1/0\tadded\t{box_of}\t256\n")
    );
}

#[test]
fn a_separately_changed_outer_tile_is_reported() {
    let place = drawn(|_| {}, &[]);
    ab(&place, &[]).expect(0, "the same");
    let manifest = place.at("b").join("overworld/day/tiles.tsv");
    let text = fs::read_to_string(&manifest).unwrap();
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();

    let [outer, native] =
        ["16", "17"].map(|zoom| lines.iter().find(|line| line[0] == zoom).unwrap());
    fs::copy(
        tile(&place, "b", &native[..3].join("/")),
        tile(&place, "b", &outer[..3].join("/")),
    )
    .unwrap();

    let forged = [&outer[..3], &native[3..]].concat().join("\t");
    fs::write(&manifest, text.replace(&outer.join("\t"), &forged)).unwrap();

    let ran = ab(&place, &[]).expect(1, "a parent");
    assert!(
        tiles(&ran).starts_with(&format!(
            "overworld\tday\t{}\tchanged\t",
            outer[..3].join("/")
        )),
        "{}",
        ran.out
    );
    assert_eq!(tiles(&ran).lines().count(), 1);
}

#[test]
fn numbers_of_sixteen_bits_are_compared_as_numbers() {
    let place = drawn(
        |chunk| chunk.set(COLUMN.0, 200, COLUMN.1, block::SAND),
        &["-l", "height16"],
    );
    let told = said(&ab(&place, &["--json"]).expect(1, "a height"));
    let changed = &told["layers"][0]["changed"][0];
    assert_eq!(
        (&changed["pixels"], &changed["largest"]),
        (&json!(1), &json!(136))
    );
    ab(&place, &["--tolerance", "136"]).expect(0, "near enough");
    ab(&place, &["--tolerance", "135"]).expect(1, "too far");
}

#[test]
fn diff_accepts_an_empty_layer_manifest() {
    let place = drawn(sand, &[]);
    let saved = place.at("saved.tsv");
    fs::write(&saved, "").unwrap();
    let told = said(&diff(&saved, &place.at("b"), &["--json"]).expect(1, "all is new"));
    assert!(
        told["layers"][0]["tiles"]["added"].as_u64().unwrap() > 0,
        "{told}"
    );
}
