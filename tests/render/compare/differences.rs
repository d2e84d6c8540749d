//! Tests `pixelmap diff`: differences are reported to the block, and sides that cannot be compared
//! are trouble instead.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

use std::fs;
use std::path::{Path, PathBuf};

use crate::map::{Map, Place, Ran, assert_same_files, land, program};
use crate::outputs::naming::path_of;
use crate::world::nbt::Tag;
use crate::world::{ChunkSpec, Files, Generation, biome, block};
use serde_json::{Value, json};

const GENERATION: Generation = Generation::Numeric(1343);
/// A chunk in each of five regions, so that there are tiles further out.
const CHUNKS: [(i32, i32); 5] = [(5, 5), (37, 5), (70, 5), (-20, 5), (5, 40)];
/// The chunk that is edited, and the column in it.
const EDITED: (i32, i32) = (37, 5);
const COLUMN: (usize, usize) = (6, 7);
/// The same in blocks.
pub(super) const X: i32 = 37 * 16 + 6;
pub(super) const Z: i32 = 5 * 16 + 7;

pub(super) fn world(edit: impl Fn(&mut ChunkSpec)) -> Files {
    let chunks = CHUNKS.map(|(x, z)| {
        let mut chunk = ChunkSpec::new(x, z, GENERATION);
        chunk.layer(60, 63, block::DIRT);
        chunk.layer(64, 64, block::GRASS_BLOCK);
        if (x, z) == EDITED {
            edit(&mut chunk);
        }
        chunk
    });
    land::of_chunks(&chunks, GENERATION)
}

pub(super) fn sand(chunk: &mut ChunkSpec) {
    chunk.set(COLUMN.0, 64, COLUMN.1, block::SAND);
}

/// A whole chunk: of fewer columns the blend with those around leaves too little to be seen.
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

/// The world before and after an edit, drawn to `a` and `b`.
pub(super) fn drawn(edit: impl Fn(&mut ChunkSpec), options: &[&str]) -> Place {
    let place = Place::of(&world(|_| {}));
    place.draw("a", options);
    fs::rename(place.world(), place.at("before")).unwrap();
    world(edit).write_under(&place.world());
    place.draw("b", options);
    place
}

pub(super) fn diff(a: &Path, b: &Path, options: &[&str]) -> Ran {
    let mut command = program();
    command.arg("diff").arg(a).arg(b).args(options);
    Ran::of(command.output().unwrap())
}

pub(super) fn ab(place: &Place, options: &[&str]) -> Ran {
    diff(&place.at("a"), &place.at("b"), options)
}

/// The lines of tiles, behind the verdict.
fn tiles(ran: &Ran) -> &str {
    let (verdict, lines) = ran.out.split_once('\n').unwrap();
    assert!(
        verdict.starts_with("differs: ") && !verdict.contains('\t'),
        "{verdict}"
    );
    lines
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

        // The same tiles under other names are not compared.
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
    // If something differs, its share of the drawn pixels requires reading all tiles.
    let ran = ab(&place, &[]).expect(2, "a missing tile");
    assert!(ran.err.contains("17/0/0.png is missing"), "{}", ran.err);
    diff(&place.at("a"), &place.copy("a", "c"), &[]).expect(0, "no tile is opened");
}

#[test]
fn a_map_that_contradicts_its_manifest_is_trouble() {
    type Spoil<'a> = (&'a str, &'a dyn Fn(&Path));

    let spoil: [Spoil<'_>; 4] = [
        ("is missing", &|map| {
            fs::remove_file(map.join("overworld/day/17/1/0.png")).unwrap();
        }),
        ("is not the file that its manifest names", &|map| {
            fs::copy(
                map.join("overworld/day/17/0/0.png"),
                map.join("overworld/day/17/1/0.png"),
            )
            .unwrap();
        }),
        ("line 2 ", &|map| {
            let manifest = map.join("overworld/day/tiles.tsv");
            let text = fs::read_to_string(&manifest)
                .unwrap()
                .replacen('\n', "\nx", 1);
            fs::write(&manifest, text).unwrap();
        }),
        ("not contain a finished map", &|map| {
            fs::remove_file(map.join("map.json")).unwrap();
        }),
    ];

    for (says, spoil) in spoil {
        let place = drawn(sand, &[]);
        spoil(&place.at("b"));
        let ran = ab(&place, &["--json"]).expect(2, says);
        assert!(
            ran.err.contains(says) && ran.out.contains(says),
            "{says}: {}{}",
            ran.out,
            ran.err
        );
        assert_eq!(ran.err.lines().count(), 1);
    }
}

#[test]
fn incomparable_sides_are_trouble_with_a_remedy() {
    let place = drawn(sand, &[]);
    place.draw("both", &["-l", "day", "-l", "height"]);
    place.draw("b.png", &[]);
    fs::write(place.at("notes.txt"), "notes").unwrap();

    for (a, b, options, says) in [
        ("a", "b", &["-d", "nether"][..], "check -d and --layer"),
        (
            "a",
            "b",
            &["-l", "day", "-l", "dya"],
            "neither map shows dya",
        ),
        ("a", "b.png", &[], "two maps, or two pictures"),
        ("b.png", "a", &[], "two maps, or two pictures"),
        ("a", "notes.txt", &[], "a picture (PNG or WebP)"),
        ("a", "nowhere", &[], "nowhere"),
        (
            "a/overworld/day/tiles.tsv",
            "both",
            &[],
            "overworld/day, overworld/height",
        ),
        (
            "a/overworld/day/tiles.tsv",
            "b",
            &["--tolerance", "1"],
            "contains only hashes",
        ),
        (
            "a/overworld/day/tiles.tsv",
            "b",
            &["--image", "x.png"],
            "contains only hashes",
        ),
        (
            "b.png",
            "a/overworld/day/tiles.tsv",
            &[],
            "or a saved tiles.tsv",
        ),
        (
            "b",
            "a/overworld/day/tiles.tsv",
            &["--changed-list", "x"],
            "maps in folders",
        ),
        (
            "both/overworld/day/tiles.tsv",
            "a/overworld/day/tiles.tsv",
            &["-l", "day"],
            "leave out -d and --layer",
        ),
        ("b.png", "b.png", &["-l", "day"], "leave out -d and --layer"),
    ] {
        let ran =
            diff(&place.at(a), &place.at(b), options).expect(2, &format!("{a} {b} {options:?}"));
        assert!(
            ran.err.contains(says) && ran.err.lines().count() == 1,
            "{a} {b}: no {says:?} in {}",
            ran.err
        );
        assert_eq!(ran.out, "");
    }

    diff(&place.at("a"), &place.at("both"), &["-l", "day"]).expect(1, "the layer that both have");
}

#[test]
fn tolerance_limit_and_area_decide_the_verdict() {
    let place = drawn(sand, &[]);
    for (options, code) in [
        (&["--tolerance", "255"][..], 0),
        (&["--tolerance", "1"], 1),
        (&["--max-changed", "1"], 0),
        (&["--max-changed", "0"], 1),
        // One of five chunks of 256 columns.
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
    let place = Place::of(&world(|_| {}));
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

fn png(path: &Path) -> image::RgbaImage {
    image::open(path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .into_rgba8()
}

#[test]
fn diff_pictures_show_the_differing_places() {
    let place = drawn(sand, &[]);
    let at = |name: &str| place.at(name).to_str().unwrap().to_owned();
    let (image, heat, text) = (at("diff.png"), at("heat.png"), at("diff.md"));
    let options = ["--image", &image, "--heatmap", &heat, "--markdown", &text];
    ab(&place, &options).expect(1, "pictures");
    let shown = png(Path::new(&image));

    // 16 columns around one, 8 pixels each, three times with gaps between.
    assert_eq!(shown.dimensions(), (33 * 8 * 3 + 16, 33 * 8 + 20));

    let (before, after, marked) = (
        shown.get_pixel(132, 152),
        shown.get_pixel(264 + 8 + 132, 152),
        shown.get_pixel(544 + 132, 152),
    );
    assert_ne!(before, after);
    assert!(marked[0] >= 128 && marked[1] == 0, "{marked:?}");

    let red = shown
        .pixels()
        .filter(|pixel| pixel[0] >= 128 && pixel[1] == 0 && pixel[3] == 255)
        .count();
    assert_eq!(red, 64, "one pixel, enlarged");
    assert_eq!(png(Path::new(&heat)).into_raw(), [255, 0, 0, 255]);

    let told = fs::read_to_string(&text).unwrap();
    assert!(
        told.contains(&format!(
            "**overworld/day 17/1/0** changed: 1 pixel in {X},{Z}"
        )),
        "{told}"
    );

    assert!(
        told.contains("| overworld/day | 1 | 0.078 % | 1 | 0 | 0 |"),
        "{told}"
    );
    assert!(
        told.contains("![before, after, difference](diff-1.png)"),
        "{told}"
    );
    assert!(png(&place.at("diff-1.png")).width() <= 3 * 256 + 16);

    // If nothing differs, an older picture is removed.
    diff(&place.at("a"), &place.copy("a", "c"), &options).expect(0, "the same");
    assert!(!Path::new(&image).exists() && !Path::new(&heat).exists());
}

#[test]
fn a_picture_of_far_places_is_small() {
    let place = Place::of(&world(|_| {}));
    place.draw("a", &[]);

    for region in ["r.-1.0.mca", "r.2.0.mca"] {
        fs::remove_file(place.world().join("region").join(region)).unwrap();
    }

    place.draw("b", &[]);
    let (image, heat) = (place.at("diff.png"), place.at("heat.png"));
    let options = [
        "--image",
        image.to_str().unwrap(),
        "--heatmap",
        heat.to_str().unwrap(),
    ];
    ab(&place, &options).expect(1, "two regions");

    let shown = png(&image);
    assert!(
        shown.width() <= 3 * 1024 + 16 && shown.width() > 3 * 512,
        "{}",
        shown.width()
    );

    // Below the names.
    let middle = u32::midpoint(shown.height(), 20);
    let red = |x: &u32| shown.get_pixel(*x, middle)[1] == 0 && shown.get_pixel(*x, middle)[0] > 127;
    let places: Vec<u32> = (0..shown.width()).filter(red).collect();
    assert!(places.last().unwrap() - places[0] > 512, "{places:?}");

    let hot = png(&heat).pixels().filter(|pixel| pixel[3] > 0).count();
    assert!(hot >= 2 * 4 * 4, "two chunks: {hot}");
}

#[test]
fn a_junit_report_has_one_case_per_layer() {
    let place = drawn(sand, &["-l", "day", "-l", "height"]);
    let ran = ab(&place, &["--junit", "-", "-q"]).expect(1, "junit");
    assert!(
        ran.out.starts_with("<?xml") && ran.out.ends_with("</testsuites>\n"),
        "{}",
        ran.out
    );

    assert!(
        ran.out.contains("tests=\"2\" failures=\"1\""),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("name=\"overworld/height\"/>")
            && ran.out.contains("<failure message=\"differs: 1 pixel")
    );
}

/// Does to a copy what lists say.
fn apply(copy: &Path, to: &Path, changed: &str, deleted: &str) {
    for path in deleted.lines() {
        fs::remove_file(copy.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    for path in changed.lines() {
        fs::create_dir_all(copy.join(path).parent().unwrap()).unwrap();
        fs::copy(to.join(path), copy.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
}

fn sorted(list: &str) -> bool {
    list.lines().is_sorted()
}

#[test]
fn the_lists_turn_a_into_b() {
    let place = Place::of(&world(|_| {}));
    place.draw("a", &[]);
    fs::remove_dir_all(place.world()).unwrap();
    world(sand).write_under(&place.world());
    fs::remove_file(place.world().join("region/r.2.0.mca")).unwrap();
    place.draw("b", &[]);
    let saved = place.at("saved.tsv");
    fs::copy(place.at("a").join("overworld/day/tiles.tsv"), &saved).unwrap();

    for from in [place.at("a"), saved] {
        let [changed, deleted] = ["--changed-list", "--deleted-list"].map(|list| {
            diff(&from, &place.at("b"), &[list, "-", "-q"])
                .expect(1, list)
                .out
        });
        assert!(sorted(&changed) && sorted(&deleted));
        assert!(
            deleted.contains("overworld/day/17/2/0.png\n") && !changed.contains("17/0/0.png"),
            "{changed}{deleted}"
        );

        let copy = place.at("copy");
        let _ = fs::remove_dir_all(&copy);
        Files(Map::at(&place.at("a")).files()).write_under(&copy);
        apply(&copy, &place.at("b"), &changed, &deleted);
        assert_same_files(
            "copy",
            &Map::at(&place.at("b")).files(),
            &Map::at(&copy).files(),
        );
    }

    let (list, copy) = (place.at("list"), place.copy("b", "same"));
    for option in ["--changed-list", "--deleted-list"] {
        diff(&place.at("b"), &copy, &[option, list.to_str().unwrap()]).expect(0, option);
        assert_eq!(fs::read_to_string(&list).unwrap(), "");
    }
}

#[test]
fn pictures_are_compared_by_their_pixels() {
    let place = Place::of(&world(|_| {}));
    let area = ["-a", "560,64,640,128"];

    let draw = |name: &str, scale: &str| {
        crate::map::render(
            &place.world(),
            &place.at(name),
            &[&area[..], &["--scale", scale]].concat(),
        )
        .expect(0, name);
    };

    let scales = ["1", "1/2", "2"];
    scales
        .iter()
        .enumerate()
        .for_each(|(number, scale)| draw(&format!("a{number}.png"), scale));

    fs::remove_dir_all(place.world()).unwrap();
    world(sand).write_under(&place.world());
    scales
        .iter()
        .enumerate()
        .for_each(|(number, scale)| draw(&format!("b{number}.png"), scale));

    let told = |number: usize| {
        let names = [format!("a{number}.png"), format!("b{number}.png")];
        tiles(&diff(&place.at(&names[0]), &place.at(&names[1]), &["-q"]).expect(1, &names[0]))
            .to_owned()
    };

    assert_eq!(
        told(0),
        format!(
            "overworld\tday\t-\tchanged\t{X},{Z},{},{}\t1\n",
            X + 1,
            Z + 1
        )
    );

    let even = |at: i32| at / 2 * 2;
    let (x, z) = (even(X), even(Z));

    assert_eq!(
        told(1),
        format!(
            "overworld\tday\t-\tchanged\t{x},{z},{},{}\t1\n",
            x + 2,
            z + 2
        )
    );

    assert_eq!(
        told(2),
        format!(
            "overworld\tday\t-\tchanged\t{X},{Z},{},{}\t4\n",
            X + 1,
            Z + 1
        )
    );

    let one = |a: &str, b: &str, options: &[&str], code| {
        diff(&place.at(a), &place.at(b), options).expect(code, a)
    };

    fs::copy(place.at("a0.png"), place.at("c0.png")).unwrap();
    one("a0.png", "c0.png", &[], 0);
    assert!(
        one("a0.png", "a1.png", &[], 2).err.contains("sizes"),
        "sizes"
    );

    one("a0.png", "b0.png", &["-a", "560,64,570,128"], 0);
    one(
        "a0.png",
        "b0.png",
        &["--max-changed", "1%", "--tolerance", "1"],
        0,
    );

    let (image, heat) = (place.at("i.png"), place.at("h.png"));
    one(
        "a0.png",
        "b0.png",
        &[
            "--image",
            image.to_str().unwrap(),
            "--heatmap",
            heat.to_str().unwrap(),
        ],
        1,
    );

    assert_eq!(png(&heat).into_raw(), [255, 0, 0, 255]);
    assert!(png(&image).width() > 3 * 33);
    fs::write(
        place.at("cut.png"),
        &fs::read(place.at("a0.png")).unwrap()[..200],
    )
    .unwrap();
    one("cut.png", "b0.png", &[], 2);
}

#[test]
fn damage_behind_the_last_picture_row_is_trouble() {
    let place = drawn(sand, &[]);
    let picture = place.at("map.png");
    crate::map::render(&place.world(), &picture, &["--area", "560,60,640,140"])
        .expect(0, "a picture");
    let sound = fs::read(&picture).unwrap();
    let other = place.at("damaged.png");
    fs::write(&other, &sound).unwrap();
    diff(&picture, &other, &[]).expect(0, "the same");

    let data = sound.windows(4).position(|four| four == b"IDAT").unwrap() + 4;
    for (what, spoil) in [
        (
            "the end is missing",
            Box::new(|bytes: &mut Vec<u8>| bytes.truncate(bytes.len() - 12)) as Box<dyn Fn(&mut _)>,
        ),
        (
            "a checksum is wrong",
            Box::new(move |bytes: &mut Vec<u8>| *bytes.iter_mut().rev().nth(12).unwrap() ^= 1),
        ),
        (
            "a bit is wrong",
            Box::new(move |bytes: &mut Vec<u8>| bytes[data + 40] ^= 1),
        ),
    ] {
        let mut bytes = sound.clone();
        spoil(&mut bytes);
        fs::write(&other, bytes).unwrap();
        diff(&picture, &other, &[]).expect(2, what);
    }
}

#[test]
fn lists_name_the_files_next_to_tiles() {
    let place = drawn(sand, &["--scheme", "xyz"]);
    let tilejson = "overworld/day/tilejson.json";
    let name = |text: &str| text.replace("\"name\":", "\"other\":");

    let list = place.at("list");
    let listed = || {
        ab(&place, &["--changed-list", list.to_str().unwrap()]);
        fs::read_to_string(&list)
            .unwrap()
            .lines()
            .any(|line| line == tilejson)
    };

    assert!(!listed(), "both say the same");

    let path = place.at("b").join(tilejson);
    fs::write(&path, name(&fs::read_to_string(&path).unwrap())).unwrap();
    assert!(listed());
}

#[test]
fn verify_compares_the_pixels_that_the_digest_covers() {
    let place = drawn(sand, &[]);
    let manifest = place.at("a/overworld/day/tiles.tsv");
    let sound = fs::read_to_string(&manifest).unwrap();
    let last = sound.trim_end().chars().last().unwrap();

    fs::write(
        &manifest,
        format!(
            "{}{}\n",
            &sound[..sound.len() - 2],
            if last == '0' { '1' } else { '0' }
        ),
    )
    .unwrap();

    let out = place.at("a");
    let verify = |options: &[&str], code| {
        Ran::of(
            program()
                .arg("verify")
                .arg(&out)
                .args(options)
                .output()
                .unwrap(),
        )
        .expect(code, &format!("{options:?}"))
    };

    assert_eq!(
        verify(&["-q"], 1).out,
        "manifest\toverworld/day/tiles.tsv\n"
    );
    assert_eq!(verify(&["--digest"], 1).out, "");

    fs::remove_dir_all(place.world()).unwrap();
    world(|_| {}).write_under(&place.world());
    place.draw("a", &[]);
    verify(&["-q"], 0);
    assert!(sound == fs::read_to_string(&manifest).unwrap());
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
