//! Tests mode regions: the files are exactly the native tiles of a map, named after their regions.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::map::{
    Map, Place, Ran, Rgba, assert_same_files, fixture, has_ending, land, pixels, program, render,
};
use crate::world::Files;
use serde_json::{Value, json};

const REGIONS: [&str; 2] = ["--mode", "regions"];

fn draw(place: &Place, name: &str, options: &[&str], code: i32) -> Ran {
    render(
        &place.world(),
        &place.at(name),
        &[&REGIONS[..], options].concat(),
    )
    .expect(code, &format!("{options:?}"))
}

/// Returns the files of the folder, without the state of the last run.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    Map::at(folder).files()
}

fn pictures(folder: &Path) -> BTreeMap<String, Vec<Rgba>> {
    let names = files(folder)
        .into_keys()
        .filter(|path| has_ending(path, "png"));
    names
        .map(|name| (name.clone(), pixels(&folder.join(name))))
        .collect()
}

/// The native tiles of a layer, with the names of regions.
fn native(map: &Map, dimension: &str, layer: &str) -> BTreeMap<String, Vec<Rgba>> {
    let tiles = map
        .tiles_of(dimension, layer)
        .into_iter()
        .filter(|((zoom, ..), _)| *zoom == 17);
    tiles
        .map(|((_, x, z), path)| (format!("r.{x}.{z}.png"), pixels(&path)))
        .collect()
}

fn counts(report: &Value) -> [u64; 3] {
    ["written", "unchanged", "removed"].map(|what| report["tiles"][what].as_u64().unwrap())
}

#[test]
fn region_pictures_equal_tiles_with_world_files() {
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &[]);
    let ran = draw(&place, "regions", &[], 0);
    let found = pictures(&place.at("regions"));
    assert!(
        found == native(&map, "overworld", "day"),
        "{:?}",
        found.keys()
    );

    assert_eq!(counts(&ran.report()), [found.len() as u64, 0, 0]);
    assert_eq!(
        ran.report()["world"]["dimensions"],
        json!(["overworld"]),
        "one dimension unless more are named"
    );
    assert!(!ran.err.contains("index.html"), "{}", ran.err);

    let mut others: Vec<String> = files(&place.at("regions")).into_keys().collect();
    others.retain(|name| !has_ending(name, "png"));
    let mut expected: Vec<String> = found
        .keys()
        .map(|name| name.replace(".png", ".pgw"))
        .collect();
    expected.extend(["regions.json".to_owned(), "tiles.tsv".to_owned()]);
    expected.sort();
    assert_eq!(others, expected);

    let placed = |name: &str| fs::read_to_string(place.at("regions").join(name)).unwrap();
    assert_eq!(placed("r.-1.-1.pgw"), "1\n0\n0\n-1\n-511.5\n511.5\n");
    assert_eq!(placed("r.2.1.pgw"), "1\n0\n0\n-1\n1024.5\n-512.5\n");
}

#[test]
fn several_layers_or_dimensions_get_their_own_folders() {
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &["-l", "day", "-l", "height"]);
    draw(
        &place,
        "all",
        &["-l", "day", "-l", "height", "-d", "all"],
        0,
    );

    for dimension in ["overworld", "the_nether"] {
        for layer in ["day", "height"] {
            let found = pictures(&place.at("all").join(dimension).join(layer));
            assert!(
                !found.is_empty() && found == native(&map, dimension, layer),
                "{dimension} {layer}"
            );
        }
    }

    // There is only one dimension, but another world might have more.
    fs::remove_dir_all(place.world().join("DIM-1")).unwrap();
    draw(&place, "one", &["-d", "all"], 0);
    assert!(
        place.at("one").join("overworld/day/r.0.0.png").is_file()
            && !place.at("one").join("r.0.0.png").exists()
    );

    draw(&place, "twice", &["-l", "day", "-l", "day"], 0);
    assert!(
        place.at("twice").join("r.0.0.png").is_file(),
        "a layer named twice is one"
    );
}

#[test]
fn unchanged_regions_keep_files_and_world_files() {
    let place = Place::of(&land::two_dimensions());
    draw(&place, "regions", &[], 0);
    let (folder, before) = (place.at("regions"), files(&place.at("regions")));
    let modified = |name: &str| fs::metadata(folder.join(name)).unwrap().modified().unwrap();
    let times: Vec<_> = before.keys().map(|name| modified(name)).collect();

    let report = draw(&place, "regions", &[], 0).report();
    assert_eq!(
        counts(&report),
        [0, pictures_of_ours(&folder).len() as u64, 0]
    );
    assert_eq!(
        before.keys().map(|name| modified(name)).collect::<Vec<_>>(),
        times
    );

    fs::remove_file(folder.join("r.0.0.pgw")).unwrap();
    fs::remove_file(folder.join("r.1.0.png")).unwrap();
    draw(&place, "regions", &[], 0);
    assert_same_files("mended", &before, &files(&folder));
    draw(&place, "regions", &["--force", "-t", "1"], 0);
    assert_same_files("drawn again", &before, &files(&folder));
}

#[test]
fn pictures_of_removed_regions_are_removed() {
    let place = Place::of(&land::two_dimensions());
    draw(&place, "regions", &[], 0);
    let folder = place.at("regions");
    let mine = [
        "r.70.70.png",
        "r.70.70.pgw",
        "notes.txt",
        "overworld/day/r.0.0.png",
    ];

    Files(
        mine.iter()
            .map(|path| ((*path).to_owned(), b"mine".to_vec()))
            .collect(),
    )
    .write_under(&folder);

    fs::remove_file(place.world().join("region/r.2.1.mca")).unwrap();
    let report = draw(&place, "regions", &[], 0).report();
    assert_eq!(counts(&report)[2], 1);
    assert!(!folder.join("r.2.1.png").exists() && !folder.join("r.2.1.pgw").exists());

    for path in mine {
        assert_eq!(fs::read(folder.join(path)).unwrap(), b"mine", "{path}");
    }

    // Hidden places are also removed, and places outside the area are left out.
    draw(&place, "regions", &["--hide", "0,0,512,512"], 0);
    assert!(!folder.join("r.0.0.png").exists());
    draw(
        &place,
        "regions",
        &["--area", "-512,-512,0,0", "--max-removed", "100%"],
        0,
    );

    let left: Vec<String> = pictures_of_ours(&folder);
    assert_eq!(left, ["r.-1.-1.png"]);

    for path in mine {
        assert_eq!(fs::read(folder.join(path)).unwrap(), b"mine", "{path}");
    }
}

fn pictures_of_ours(folder: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(folder.join("tiles.tsv")).unwrap();
    let name = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        format!("r.{}.{}.png", fields[1], fields[2])
    };
    let names: Vec<String> = manifest.lines().map(name).collect();
    assert!(names.iter().all(|name| folder.join(name).is_file()));
    names
}

#[test]
fn another_layer_or_dimension_replaces_the_former_one() {
    let place = Place::of(&land::two_dimensions());
    draw(&place, "regions", &[], 0);
    let day = files(&place.at("regions"));
    draw(&place, "regions", &["-l", "height"], 0);
    draw(&place, "height", &["-l", "height"], 0);

    assert_same_files(
        "as drawn at once",
        &files(&place.at("height")),
        &files(&place.at("regions")),
    );

    draw(
        &place,
        "regions",
        &["-d", "nether", "--max-removed", "100%"],
        0,
    );

    draw(&place, "nether", &["-d", "nether"], 0);
    assert_same_files(
        "as drawn at once",
        &files(&place.at("nether")),
        &files(&place.at("regions")),
    );
    draw(&place, "regions", &[], 0);
    assert_same_files("and back", &day, &files(&place.at("regions")));
}

#[test]
fn a_folder_never_mixes_maps_and_regions() {
    let place = Place::of(&land::two_dimensions());
    let map = place.draw("map", &[]);
    draw(&place, "flat", &[], 0);
    draw(&place, "folders", &["-d", "all"], 0);

    for without_state in [false, true] {
        for (folder, options) in [
            ("map", &["--mode", "regions"][..]),
            ("map", &["--mode", "regions", "-d", "all"]),
            ("flat", &["--mode", "map"]),
            ("flat", &["--mode", "regions", "-d", "all"]),
            ("folders", &["--mode", "regions"]),
            ("folders", &[]),
        ] {
            let path = place.at(folder);
            let before = files(&path);

            if without_state {
                fs::remove_dir_all(path.join(".pixelmap")).unwrap();
            }

            let ran = render(&place.world(), &path, options)
                .expect(1, &format!("{options:?} into {folder}"));
            assert!(
                ran.err.contains("-o") && ran.err.lines().count() == 1,
                "{}",
                ran.err
            );
            assert_same_files(folder, &before, &files(&path));
        }
    }

    let ran = render(&fixture("demo"), &place.at("flat"), &REGIONS).expect(1, "another world");
    assert!(
        ran.err.contains("land"),
        "the world it shows is named: {}",
        ran.err
    );
    fs::remove_dir_all(map.root).unwrap();
    draw(&place, "flat", &[], 0);
}

#[test]
fn mode_regions_refuses_unfit_options_and_foreign_folders() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    for (name, options, says) in [
        ("all.png", &[][..], "folder"),
        ("regions", &["--scale", "1/2"], "for one picture"),
        ("regions", &["--area", "all"], "leave it out"),
        ("world/regions", &[], "-o"),
    ] {
        let ran = draw(&place, name, options, 2);
        assert!(ran.err.contains(says), "{name} {options:?}: {}", ran.err);
        assert!(!place.at(name).exists(), "{name}");
    }

    Files([("notes.txt".to_owned(), b"mine".to_vec())].into()).write_under(&place.at("mine"));
    draw(&place, "mine", &[], 1);
    assert_eq!(Files::read_under(&place.at("mine")).0.len(), 1);
}

#[test]
fn gaps_give_code_3_in_pictures() {
    let place = Place::of(&Files::read_under(&fixture("zlib-truncated")));
    let ran = draw(&place, "gaps", &[], 3);
    assert_eq!(ran.report()["outcome"], "gaps");
    let ran = draw(&place, "nothing", &["-a", "100000,0,100100,50"], 0);
    assert_eq!(ran.report()["outcome"], "empty");
    assert!(pictures(&place.at("nothing")).is_empty());
}

#[test]
fn the_bytes_are_the_same_whatever_the_threads() {
    let place = Place::of(&land::two_dimensions());
    for (name, threads) in [("one", "1"), ("five", "5")] {
        draw(&place, name, &["-d", "all", "--threads", threads], 0);
    }

    assert_same_files(
        "threads",
        &files(&place.at("one")),
        &files(&place.at("five")),
    );

    let folder: PathBuf = place.at("one");
    let facts: Value =
        serde_json::from_slice(&fs::read(folder.join("regions.json")).unwrap()).unwrap();
    assert_eq!(
        facts["dimensions"][1]["layers"][0]["path"],
        "the_nether/day"
    );
}

fn on_folder(command: &str, folders: &[&Path], options: &[&str]) -> Ran {
    Ran::of(
        program()
            .arg(command)
            .args(folders)
            .args(options)
            .output()
            .unwrap(),
    )
}

fn digest(folder: &Path) -> String {
    on_folder("verify", &[folder], &["--digest"])
        .expect(0, "verify")
        .out
}

#[test]
fn verify_checks_regions_like_maps() {
    let place = Place::of(&land::two_dimensions());
    draw(&place, "flat", &[], 0);
    draw(&place, "deep", &["-d", "overworld", "-d", "nether"], 0);
    draw(&place, "alone", &["--threads", "2", "--max-batch", "1"], 0);

    assert_eq!(digest(&place.at("flat")), digest(&place.at("alone")));
    assert_ne!(
        digest(&place.at("flat")),
        digest(&place.at("deep")),
        "there is a dimension more"
    );

    for (name, folder) in [("flat", ""), ("deep", "overworld/day/")] {
        let at = |file: &str| place.at(name).join(format!("{folder}{file}"));
        let sound = files(&place.at(name));
        fs::write(at("r.0.0.png"), b"damaged").unwrap();
        fs::rename(at("r.2.1.png"), at("r.7.-7.png")).unwrap();
        fs::write(at("r.07.0.png"), b"no region has this name").unwrap();
        let found = on_folder("verify", &[&place.at(name)], &["-q"]).expect(1, name);
        let lines = [
            ("changed", "r.0.0.png"),
            ("missing", "r.2.1.png"),
            ("stray", "r.7.-7.png"),
        ];

        assert_eq!(
            found.out,
            lines
                .map(|(what, file)| format!("{what}\t{folder}{file}\n"))
                .concat(),
            "{name}"
        );
        fs::remove_file(at("r.07.0.png")).unwrap();
        fs::remove_file(at("r.7.-7.png")).unwrap();

        let options: &[&str] = if folder.is_empty() {
            &[]
        } else {
            &["-d", "overworld", "-d", "nether"]
        };

        draw(&place, name, options, 0);
        assert_same_files(name, &sound, &files(&place.at(name)));
    }
}

#[test]
fn diff_and_change_lists_work_on_region_pictures() {
    let place = Place::of(&land::two_dimensions());
    draw(&place, "before", &[], 0);
    place.draw("map", &[]);

    // One region is removed, one is added, and one has fewer chunks.
    let region = place.world().join("region");
    fs::rename(region.join("r.2.1.mca"), region.join("r.4.4.mca")).unwrap();
    draw(&place, "after", &["--max-y", "63"], 0);

    let (a, b) = (place.at("before"), place.at("after"));
    let same =
        on_folder("diff", &[&a, &place.copy("before", "copy")], &["--json"]).expect(0, "the same");
    assert_eq!(
        serde_json::from_str::<Value>(&same.out).unwrap()["same"],
        true
    );

    let lists = ["--changed-list", "--deleted-list"]
        .map(|option| (option, place.at(option.trim_start_matches('-'))));
    let options = lists
        .each_ref()
        .map(|(option, path)| [*option, path.to_str().unwrap()])
        .concat();

    let differs = on_folder("diff", &[&a, &b], &[&options[..], &["--json"]].concat())
        .expect(1, "other regions");
    let tiles = &serde_json::from_str::<Value>(&differs.out).unwrap()["layers"][0]["tiles"];
    assert_eq!(
        (&tiles["added"], &tiles["removed"]),
        (&json!(1), &json!(1)),
        "{tiles}"
    );

    let [changed, deleted] = lists.map(|(_, path)| fs::read_to_string(path).unwrap());
    for path in changed.lines() {
        fs::copy(b.join(path), a.join(path)).unwrap();
    }

    for path in deleted.lines() {
        fs::remove_file(a.join(path)).unwrap();
    }

    assert_same_files("after the lists", &files(&a), &files(&b));
    let unlike = on_folder("diff", &[&place.at("map"), &b], &[]).expect(2, "a map and regions");
    assert!(
        unlike.err.contains("a map and the regions of one layer"),
        "{}",
        unlike.err
    );
}
