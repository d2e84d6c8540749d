//! Tests `pixelmap export`: pixels and files of a drawn map as one picture, an archive or regions.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

use std::fs;

use crate::map::{Map, Place, Ran, assert_same_files, fixture, land, on, render};
use crate::outputs::archive::Archive;
use crate::outputs::picture::Picture;
use crate::world::Files;

/// Exports the map in `map` to `name`.
fn export(place: &Place, map: &str, name: &str, options: &[&str], code: i32) -> Ran {
    let out = place.at(name);
    let all = [&["-o", out.to_str().unwrap()], options].concat();
    on("export", &place.at(map), &all).expect(code, &format!("{name} {options:?}"))
}

fn picture(place: &Place, map: &str, name: &str, options: &[&str]) -> Picture {
    export(place, map, name, options, 0);
    Picture::read(&place.at(name))
}

fn drawn(place: &Place, name: &str, options: &[&str]) -> Picture {
    render(&place.world(), &place.at(name), options).expect(0, &format!("{name} {options:?}"));
    Picture::read(&place.at(name))
}

fn assert_same(what: &str, one: &Picture, other: &Picture) {
    assert_eq!(
        (one.width, one.height),
        (other.width, other.height),
        "{what}"
    );
    assert!(one.pixels == other.pixels, "{what}: the pixels");
}

/// A world with enough regions for outer zoom levels.
fn wide() -> Place {
    Place::of_demo(15)
}

#[test]
fn exported_pictures_equal_the_world_at_each_scale() {
    for place in [wide(), Place::of(&land::two_dimensions())] {
        place.draw("map", &["-d", "overworld"]);
        place.draw(
            "webp",
            &["-d", "overworld", "--format", "webp", "--scheme", "tms"],
        );

        for scale in ["1", "1/2", "1/8", "1/256"] {
            let options = ["--scale", scale];
            let found = picture(&place, "map", "a.png", &options);
            assert_same(scale, &drawn(&place, "b.png", &options), &found);
            assert_same(scale, &picture(&place, "webp", "c.png", &options), &found);
            assert_eq!(found.texts, Picture::read(&place.at("b.png")).texts);
            let [one, other] = ["a.pgw", "b.pgw"].map(|name| fs::read(place.at(name)).unwrap());
            assert!(one == other, "{scale}: the world file");
        }

        for (area, scale) in [
            ("-37,-81,533,19", "1"),
            ("-5,500,23,519", "4"),
            ("100000,0,100100,50", "1"),
        ] {
            let options = ["-a", area, "--scale", scale];
            assert_same(
                area,
                &drawn(&place, "b.png", &options),
                &picture(&place, "map", "a.png", &options),
            );
        }
    }
}

#[test]
fn threads_and_levels_change_no_exported_byte() {
    let place = wide();
    place.draw("map", &[]);

    let bytes = |name: &str, options: &[&str]| {
        export(&place, "map", name, options, 0);
        fs::read(place.at(name)).unwrap()
    };

    for name in ["a.png", "a.webp", "a.pmtiles"] {
        let one = bytes(name, &["-t", "1"]);
        assert!(one == bytes(name, &["-t", "3"]), "{name}");

        if name == "a.png" {
            render(&place.world(), &place.at("b.png"), &[]).expect(0, "render");
            assert!(
                one == fs::read(place.at("b.png")).unwrap(),
                "as render makes it"
            );
        }
    }
}

#[test]
fn exports_equal_the_archives_of_render() {
    let place = Place::of(&land::two_dimensions());
    place.draw("map", &["-l", "day", "-l", "height16"]);
    place.draw("webp", &["--format", "webp"]);

    export(
        &place,
        "map",
        "a.pmtiles",
        &["-d", "nether", "-l", "height16"],
        0,
    );

    render(
        &place.world(),
        &place.at("b.pmtiles"),
        &["-d", "nether", "-l", "height16"],
    )
    .expect(0, "archive");

    assert!(fs::read(place.at("a.pmtiles")).unwrap() == fs::read(place.at("b.pmtiles")).unwrap());
    assert!(
        place.at("a.html").is_file() && !Archive::read(&place.at("a.pmtiles")).tiles().is_empty()
    );

    let by_layer = ["-d", "all", "-l", "day", "-l", "height16"];
    for (map, options) in [
        ("map", &[][..]),
        ("map", &["-d", "the_nether"]),
        ("map", &by_layer),
        ("webp", &["-l", "day"]),
    ] {
        let what = format!("{map} {options:?}");
        export(&place, map, "regions", options, 0);
        render(
            &place.world(),
            &place.at("drawn"),
            &[&["--mode", "regions"], options].concat(),
        )
        .expect(0, &what);

        assert_same_files(
            &what,
            &Map::at(&place.at("drawn")).files(),
            &Map::at(&place.at("regions")).files(),
        );
        on::<&str>("verify", &place.at("regions"), &[]).expect(0, &what);

        for folder in ["regions", "drawn"] {
            fs::remove_dir_all(place.at(folder)).unwrap();
        }
    }
}

#[test]
fn archives_are_exported_like_their_map() {
    let place = wide();
    for (map, options) in [
        ("map", &["-l", "day", "-l", "height16"][..]),
        ("webp", &["--format", "webp"]),
    ] {
        place.draw(map, options);
        export(&place, map, "a.pmtiles", &[], 0);

        for (name, options) in [
            ("picture.png", &[][..]),
            ("small.png", &["--scale", "1/8"]),
            ("part.png", &["-a", "-37,-81,533,19", "--scale", "4"]),
            ("wide.png", &["--width", "301"]),
            ("picture.webp", &["--scale", "1/4"]),
            ("copy.pmtiles", &["-t", "2"]),
        ] {
            let both = [
                (map, format!("map-{name}")),
                ("a.pmtiles", format!("archive-{name}")),
            ]
            .map(|(from, to)| {
                export(&place, from, &to, options, 0);
                fs::read(place.at(&to)).unwrap()
            });
            assert!(both[0] == both[1], "{map} {name}");
        }

        export(&place, map, "regions-of-map", &[], 0);
        export(&place, "a.pmtiles", "regions-of-archive", &[], 0);
        let [one, other] =
            ["regions-of-map", "regions-of-archive"].map(|name| Map::at(&place.at(name)).files());
        assert_same_files(map, &one, &other);
        on::<&str>("verify", &place.at("regions-of-archive"), &[]).expect(0, map);

        for folder in ["regions-of-map", "regions-of-archive"] {
            fs::remove_dir_all(place.at(folder)).unwrap();
        }
    }

    export(&place, "map", "numbers.pmtiles", &["-l", "height16"], 0);
    export(&place, "numbers.pmtiles", "regions", &[], 0);
    export(&place, "map", "regions-of-map", &["-l", "height16"], 0);
    let [one, other] = ["regions-of-map", "regions"].map(|name| Map::at(&place.at(name)).files());
    assert_same_files("height16", &one, &other);
    let ran = export(&place, "numbers.pmtiles", "numbers.png", &[], 2);
    assert!(ran.err.contains("numbers"), "{}", ran.err);
}

#[test]
fn missing_parts_of_archives_are_refused() {
    let place = Place::of(&land::two_dimensions());
    place.draw("map", &["-d", "overworld"]);
    export(&place, "map", "a.pmtiles", &[], 0);
    let sound = fs::read(place.at("a.pmtiles")).unwrap();
    fs::write(place.at("cut.pmtiles"), &sound[..sound.len() - 9]).unwrap();
    fs::write(place.at("start.pmtiles"), &sound[..100]).unwrap();
    fs::write(place.at("notes.pmtiles"), b"no archive").unwrap();

    let cases: [(&str, &str, &[&str], i32, &str); 8] = [
        ("a.pmtiles", "b.png", &["-d", "nether"], 1, "overworld"),
        ("a.pmtiles", "b.png", &["-l", "night"], 1, "day"),
        ("a.pmtiles", "a.pmtiles", &[], 2, "is inside the map"),
        (
            "cut.pmtiles",
            "b.png",
            &[],
            1,
            "shorter than its header requires",
        ),
        (
            "cut.pmtiles",
            "b",
            &[],
            1,
            "shorter than its header requires",
        ),
        (
            "cut.pmtiles",
            "b.pmtiles",
            &[],
            1,
            "shorter than its header requires",
        ),
        ("start.pmtiles", "b.png", &[], 1, "make the archive again"),
        (
            "notes.pmtiles",
            "b.png",
            &[],
            1,
            "not contain a finished map",
        ),
    ];

    for (map, name, options, code, says) in cases {
        let ran = export(&place, map, name, options, code);
        assert!(
            ran.err.contains(says) && ran.err.lines().count() == 1,
            "{map} {name}: {}",
            ran.err
        );
        assert!(
            !place.at("b.png").exists() && !place.at("b.pmtiles").exists(),
            "{map} {name}"
        );
    }

    assert!(fs::read(place.at("a.pmtiles")).unwrap() == sound);

    // An archive without tiles cannot become a picture, but it can become regions and another
    // archive.
    place.draw(
        "empty",
        &["-d", "overworld", "-a", "90000,90000,90016,90016"],
    );

    export(&place, "empty", "empty.pmtiles", &[], 0);
    export(&place, "empty.pmtiles", "again.pmtiles", &[], 0);
    assert!(
        fs::read(place.at("empty.pmtiles")).unwrap()
            == fs::read(place.at("again.pmtiles")).unwrap()
    );
    export(&place, "empty.pmtiles", "nothing", &[], 0);
    let ran = export(&place, "empty.pmtiles", "b.png", &[], 2);
    assert!(ran.err.contains("nothing is drawn there"), "{}", ran.err);
}

#[test]
fn regions_keep_unchanged_and_lose_removed_pictures() {
    let place = Place::of(&land::two_dimensions());
    place.draw("map", &[]);
    export(&place, "map", "regions", &[], 0);

    let folder = place.at("regions");
    let mine = ["r.70.70.png", "notes.txt"];
    Files(
        mine.iter()
            .map(|path| ((*path).to_owned(), b"mine".to_vec()))
            .collect(),
    )
    .write_under(&folder);

    let time = |name: &str| fs::metadata(folder.join(name)).unwrap().modified().unwrap();
    let before = time("r.0.0.png");
    fs::remove_file(place.world().join("region/r.2.1.mca")).unwrap();
    place.draw("map", &["--max-removed", "100%"]);

    let ran = export(&place, "map", "regions", &[], 0);
    assert!(ran.err.contains("1 removed"), "{}", ran.err);
    assert_eq!(time("r.0.0.png"), before);
    assert!(!folder.join("r.2.1.png").exists() && !folder.join("r.2.1.pgw").exists());
    assert!(
        mine.iter()
            .all(|path| fs::read(folder.join(path)).unwrap() == b"mine")
    );
}

#[test]
fn export_keeps_the_old_file_on_damage() {
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &[]);
    let kinds = ["a.png", "a.webp", "a.pmtiles", "regions"];
    for name in kinds {
        export(&place, "map", name, &[], 0);
    }

    let before = |name: &str| match name {
        "regions" => Map::at(&place.at(name))
            .files()
            .remove("tiles.tsv")
            .unwrap(),
        file => fs::read(place.at(file)).unwrap(),
    };

    let tile = map.root.join("overworld/day/17/0/0.png");
    let sound = fs::read(&tile).unwrap();
    for says in ["is not the file", "is missing"] {
        if says == "is missing" {
            fs::remove_file(&tile).unwrap();
        } else {
            fs::write(&tile, [&sound[..sound.len() - 1], b"x"].concat()).unwrap();
        }

        for name in kinds {
            let stood = before(name);
            let ran = export(&place, "map", name, &[], 1);
            assert!(
                ran.err.contains("17/0/0.png") && ran.err.contains(says),
                "{name}: {}",
                ran.err
            );

            assert!(
                ran.err.contains("pixelmap render") && ran.err.lines().count() == 1,
                "{}",
                ran.err
            );
            assert!(before(name) == stood, "{name}");
        }
    }

    render(&place.world(), &map.root, &["--force"]).expect(0, "the remedy");
    export(&place, "map", "a.png", &[], 0);
}

#[test]
fn impossible_exports_are_refused_with_a_line() {
    let place = Place::of(&land::two_dimensions());
    place.draw("map", &["-l", "day", "-l", "height16"]);
    place.draw("night", &["-l", "night", "-l", "height", "-d", "nether"]);
    export(&place, "map", "flat", &[], 0);
    Files([("notes.txt".to_owned(), b"mine".to_vec())].into()).write_under(&place.at("mine"));

    let cases: [(&str, &str, &[&str], i32, &str); 18] = [
        ("map", "a.png", &["-d", "end"], 1, "overworld"),
        ("map", "a.png", &["-l", "night"], 1, "height16"),
        ("night", "a.png", &[], 1, "-l"),
        ("map", "a.png", &["-l", "height16"], 2, "numbers"),
        ("map", "a.png", &["-d", "all"], 2, "one dimension"),
        ("map", "a.png", &["--scale", "3"], 2, "1/256"),
        (
            "map",
            "a.png",
            &["-a", "-40000,-40000,40000,40000"],
            2,
            "--yes",
        ),
        ("map", "a.webp", &["-a", "0,0,16384,16"], 2, ".png"),
        ("map", "a.pmtiles", &["--scale", "1/2"], 2, "--scale"),
        ("map", "regions", &["-a", "0,0,16,16"], 2, "render --area"),
        ("map", "a.jpg", &[], 2, ".png"),
        ("flat", "a.png", &[], 1, "the regions of one layer"),
        ("none", "a.png", &[], 1, "not contain a finished map"),
        ("map", "map", &[], 1, "contains a map"),
        ("map", "night", &[], 1, "-o"),
        ("map", "mine", &[], 1, "not empty"),
        ("map", "flat", &["-d", "all"], 1, "-o"),
        (
            "map",
            "map/overworld/day/17/0/0.png",
            &[],
            2,
            "is inside the map",
        ),
    ];

    for (map, name, options, code, says) in cases {
        let files = || {
            let all = Files::read_under(&place.at("")).0;
            all.into_iter()
                .filter(|(path, _)| !path.ends_with(".pixelmap/lock"))
                .collect()
        };

        let before = files();
        let ran = export(&place, map, name, options, code);
        assert!(
            ran.err.contains(says),
            "{map} {name} {options:?}: {}",
            ran.err
        );
        assert_same_files(name, &before, &files());
    }

    picture(&place, "map", "map/world.png", &[]);
    on::<&str>("verify", &place.at("map"), &[]).expect(0, "a picture beside the map's files");
}

#[test]
fn a_held_export_may_be_free_later() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    place.draw("map", &[]);
    let held = fs::File::create(place.at(".a.png.part")).unwrap();
    held.lock().unwrap();
    let ran = export(&place, "map", "a.png", &[], 75);
    assert!(ran.err.contains("again"), "{}", ran.err);
    drop(held);
    export(&place, "map", "a.png", &[], 0);
    export(&place, "map", "regions", &[], 0);

    let lock = fs::File::options()
        .write(true)
        .open(place.at("regions/.pixelmap/lock"))
        .unwrap();
    lock.lock().unwrap();
    export(&place, "map", "regions", &[], 75);
}

#[test]
fn a_scratch_map_never_survives_its_run() {
    let place = Place::of(&Files::read_under(&fixture("demo")));

    // Files that a killed run left.
    Files(
        [(
            ".a.png.map/overworld/day/17/0/0.png".to_owned(),
            b"left".to_vec(),
        )]
        .into(),
    )
    .write_under(&place.at(""));

    drawn(&place, "a.png", &[]);
    render(&place.world(), &place.at("regions"), &["--mode", "regions"]).expect(0, "regions");
    render(&place.world(), &place.at("a.pmtiles"), &[]).expect(0, "archive");
    fs::remove_file(place.at("a.pgw")).unwrap();
    fs::create_dir_all(place.at("a.pgw/in-the-way")).unwrap();
    render(&place.world(), &place.at("a.png"), &[]).expect(1, "no world file");

    let names = Files::read_under(&place.at("")).0.into_keys();
    let left: Vec<String> = names
        .filter(|name| name.contains(".map/") || name.contains("tmp/map"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
