//! Tests world folders from other people: odd ones, ones with links in circles, and hostile ones.
#![allow(
    clippy::disallowed_methods,
    reason = "test worlds are no output of the program"
)]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use pixelmap::draw::RESERVED_NAMES;
use pixelmap::world::{MAX_MOD_IDS, World, WorldError};

use crate::map::{Map, Place, assert_same_files, on, render};
use crate::world::Tag;
use crate::world::level_dat::LevelDat;

/// Makes empty region folders, each with one region file of no chunks.
fn regions(root: &Path, folders: &[&str]) {
    for folder in folders {
        fs::create_dir_all(root.join(folder)).unwrap();
        fs::write(root.join(folder).join("r.0.0.mca"), []).unwrap();
    }
}

/// Opens a world as every command does.
fn open(folder: &Path) -> Result<World, WorldError> {
    World::open(folder, RESERVED_NAMES)
}

fn ids(world: &World) -> Vec<&str> {
    world
        .dimensions
        .iter()
        .map(|dimension| &*dimension.id)
        .collect()
}

fn relative(world: &World) -> Vec<String> {
    world
        .dimensions
        .iter()
        .map(|dimension| dimension.relative_folder(&world.folder))
        .collect()
}

/// A world in a folder of its own that lives as long as the test.
fn world_of(folders: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let around = tempfile::tempdir().unwrap();
    let world = around.path().join("w");
    regions(&world, folders);
    (around, world)
}

#[test]
fn files_of_unread_formats_are_warned_of() {
    let (_around, world) = world_of(&["region", "DIM-1/region"]);
    for name in [
        "region/r.0.0.linear",
        "region/r.1.0.linear",
        "DIM-1/region/r.1.0.b_linear",
    ] {
        fs::write(world.join(name), b"x").unwrap();
    }

    fs::create_dir_all(world.join("region3d")).unwrap();
    fs::write(world.join("region3d/0.0.0.3dr"), b"x").unwrap();

    let place = Place::empty();
    let ran = render(&world, &place.at("map"), &[]).expect(0, "drawn as far as it is read");
    let warnings = ran.report()["warnings"].to_string();
    for words in [
        ".linear of some servers: 2 files are not read",
        ".b_linear of some servers: 1 file is",
        "Cubic Chunks: 1 file is",
    ] {
        assert!(
            warnings.contains(words) && ran.err.contains(words),
            "{words}: {warnings}"
        );
    }
}

fn named(name: &str, tag: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![tag];
    bytes.extend((name.len() as u16).to_be_bytes());
    bytes.extend(name.as_bytes());
    bytes.extend(payload);
    bytes
}

fn string(text: &[u8]) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes(), text].concat()
}

fn compound(children: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = children.concat();
    bytes.push(0);
    bytes
}

fn list(tag: u8, count: usize, elements: &[u8]) -> Vec<u8> {
    [&[tag], &(count as u32).to_be_bytes()[..], elements].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A level.dat of these children of the root.
fn level(folder: &Path, children: &[Vec<u8>]) {
    fs::write(
        folder.join("level.dat"),
        gzip(&named("", 10, &compound(children))),
    )
    .unwrap();
}

fn level_named(folder: &Path, name: &str) {
    level(
        folder,
        &[named(
            "Data",
            10,
            &compound(&[named("LevelName", 8, &string(name.as_bytes()))]),
        )],
    );
}

#[cfg(unix)]
#[test]
fn names_in_a_world_never_escape_the_map() {
    let bad = [
        "..:..:evil_out/p",
        "a:b/c",
        "index.html/p",
        "custom/p",
        "markers/p",
        ".pixelmap/p",
        "map.json/p",
    ];

    let bad = bad
        .into_iter()
        .chain(["overworld/p", "DIM7/p", "ns/a\nb", "ns/a b"]);
    for name in bad {
        let (_around, world) = world_of(&[
            "region",
            "dimensions/a/b/c/region",
            &format!("dimensions/{name}/region"),
        ]);

        let world = open(&world).unwrap();
        assert_eq!(ids(&world), ["overworld", "a:b/c"], "{name}");
        assert_eq!(world.warnings.len(), 1, "{name}");
        assert!(
            world.warnings[0].contains(&format!("dimensions/{name} is left out: ")),
            "{:?}",
            world.warnings
        );
    }
}

#[test]
fn dimensions_named_like_map_files_are_left_out() {
    let bytes = crate::worlds::broken::places::one_region().0["region/r.0.0.mca"].clone();
    let by_layer = ["--mode", "regions", "-d", "all", "-l", "day", "-l", "night"];
    for options in [&[][..], &["--scheme", "xyz", "--format", "webp"], &by_layer] {
        let mut files = crate::worlds::broken::places::one_region();
        files.put("dimensions/a/x/region/r.0.0.mca", bytes.clone());

        // The map has a folder of the same name, but none of its files is an obstacle.
        files.put("dimensions/a/x/day/17/region/r.0.0.mca", bytes.clone());
        let place = Place::of(&files);
        render(&place.world(), &place.at("map"), options).expect(0, "without");

        let before = Map::at(&place.at("map")).files();
        let of_map = before.keys().filter_map(|path| match path.split_once('/') {
            // A namespace is called so, or a dimension.
            None => Some(format!("{path}/p")),
            Some(("a", _)) => Some(path.clone()),
            Some(_) => None,
        });
        let of_map: Vec<String> = of_map
            .flat_map(|path| [path.replacen(".pgw", ".PGW", 1), path])
            .collect();
        let folder = |path: &String| place.world().join("dimensions").join(path);

        let put = |path: &String| {
            fs::create_dir_all(folder(path).join("region")).unwrap();
            fs::write(folder(path).join("region/r.0.0.mca"), &bytes).unwrap();
        };

        // No more at a time than are named.
        for some in of_map.chunks(18) {
            some.iter().for_each(put);

            for out in ["map", "anew"] {
                let ran = render(&place.world(), &place.at(out), options)
                    .expect(0, &format!("{options:?}: {some:?}"));
                let warnings = ran.report()["warnings"].to_string();
                for path in some {
                    assert!(
                        warnings.contains(&format!("dimensions/{path} is left out: ")),
                        "{path}: {warnings}"
                    );
                }

                assert!(
                    warnings.contains("give this folder as the world and another output"),
                    "{warnings}"
                );
                assert_same_files(out, &before, &Map::at(&place.at(out)).files());
            }

            for path in some {
                let _ = fs::remove_dir_all(folder(path).join("region"));
            }
        }

        let alone = of_map.iter().find(|path| path.starts_with("a/")).unwrap();
        put(alone);
        let alone = render(
            &place.world().join("dimensions").join(alone),
            &place.at("alone"),
            &[],
        )
        .expect(0, "what was left out, by itself")
        .report();
        assert_eq!(alone["chunks"]["drawn"], 1);
    }
}

#[test]
fn any_world_folder_with_regions_is_a_dimension() {
    let named = ["DIM7", "DIM_MYST2", "RFTOOLS14", "The_Beneath"];
    let mut files = crate::worlds::broken::places::one_region();
    let bytes = files.0["region/r.0.0.mca"].clone();
    for name in named {
        files.put(&format!("{name}/region/r.0.0.mca"), bytes.clone());
    }

    for other in [
        "poi/r.0.0.mca",
        "entities/region/r.0.0.mca",
        "data/r.0.0.mca",
        "old/region/r.00.0.mca",
        "b/region",
    ] {
        files.put(other, bytes.clone());
    }

    let place = Place::of(&files);
    let opened = open(&place.world()).unwrap();
    assert_eq!(ids(&opened), [&["overworld"][..], &named].concat());
    render(&place.world(), &place.at("map"), &["-d", "RFTOOLS14"]).expect(0, "one by its name");
    let map = Map::at(&place.at("map"));
    assert_eq!(map.tiles("RFTOOLS14").len(), 1);
    assert!(!place.at("map/DIM7").exists());

    let all = render(&place.world(), &place.at("map"), &[])
        .expect(0, "all")
        .report();
    assert_eq!(all["world"]["dimensions"].as_array().unwrap().len(), 5);
    assert_eq!(map.tiles("The_Beneath").len(), 1);

    let missing =
        render(&place.world(), &place.at("map"), &["-d", "RFTOOLS1"]).expect(1, "another");
    assert!(
        missing.err.contains("RFTOOLS14, The_Beneath"),
        "{}",
        missing.err
    );
}

#[test]
fn folders_of_mods_may_contain_dimensions() {
    let mut files = crate::worlds::broken::places::one_region();
    let bytes = files.0["region/r.0.0.mca"].clone();
    for inside in [
        "advRocketry/DIM2",
        "DimensionalDoors/pocketDimID12",
        // Other worlds, folders in a dimension, and a folder of the game.
        "backups/monday",
        "copy/DIM-1",
        "RFTOOLS2",
        "RFTOOLS2/DIM3",
        "players/DIM4",
    ] {
        files.put(&format!("{inside}/region/r.0.0.mca"), bytes.clone());
    }

    for other in ["backups/monday", "copy"] {
        files.put(&format!("{other}/level.dat"), Vec::new());
    }

    let place = Place::of(&files);
    level_named(&place.world(), "rockets");
    let named = ["DimensionalDoors:pocketDimID12", "advRocketry:DIM2"];
    let opened = open(&place.world()).unwrap();
    assert_eq!(
        ids(&opened),
        [
            "overworld",
            "DimensionalDoors:pocketDimID12",
            "RFTOOLS2",
            "advRocketry:DIM2"
        ]
    );
    assert_eq!(relative(&opened)[3], "advRocketry/DIM2/region");

    render(&place.world(), &place.at("map"), &[]).expect(0, "all");
    let map = Map::at(&place.at("map"));
    for folder in named.map(|id| id.replace(':', "/")) {
        assert_eq!(map.tiles(&folder).len(), 1, "{folder}");
    }

    for (number, name) in ["advRocketry:DIM2", "advRocketry/DIM2"]
        .into_iter()
        .enumerate()
    {
        let out = place.at(&format!("one{number}"));
        render(&place.world(), &out, &["-d", name]).expect(0, name);
        assert_eq!(Map::at(&out).tiles("advRocketry/DIM2").len(), 1, "{name}");
    }

    let alone = open(&place.world().join("advRocketry/DIM2")).unwrap();
    assert_eq!(ids(&alone), ["advRocketry:DIM2"], "given directly");
}

#[cfg(target_os = "linux")]
#[test]
fn indistinguishable_folders_are_left_out() {
    let (_around, world) = world_of(&["region", "DIM7/region", "RFTOOLS2/region"]);
    let bad = ["Deep Dark", "custom", "dim7", "nether", "rftools2"];
    for name in bad {
        regions(&world, &[&format!("{name}/region")]);
    }

    regions(&world, &["Mod/DIM2/region", "Mod/Deep Dark/region"]);
    for (link, target) in [
        ("again", "RFTOOLS2"),
        ("round", "."),
        ("away", "gone"),
        ("Mod2", "Mod"),
        ("Mod/up", ".."),
        ("Mod/twice", "DIM2"),
    ] {
        std::os::unix::fs::symlink(target, world.join(link)).unwrap();
    }

    let opened = open(&world).unwrap();
    assert_eq!(ids(&opened), ["overworld", "DIM7", "Mod:DIM2", "RFTOOLS2"]);
    let bad = [&bad[..1], &["Mod/Deep Dark"], &bad[1..]].concat();
    assert_eq!(opened.warnings.len(), bad.len(), "{:?}", opened.warnings);

    for (name, warning) in bad.iter().zip(&opened.warnings) {
        assert!(
            warning.contains(&format!("{name} is left out: ")),
            "{warning}"
        );
    }
}

#[test]
fn worlds_of_bedrock_servers_are_recognised() {
    let (seconds, millis) = (1_600_000_000, 1_600_000_000_000);
    let saved = |version: Option<i32>, time: i64| {
        LevelDat::new("w", version).with("LastPlayed", Tag::Long(time))
    };
    let generated = |version: Option<i32>, time: i64| {
        saved(version, time).with("generatorName", Tag::string("default"))
    };
    let of_java = generated(None, millis).with("MapFeatures", Tag::Byte(1));

    for (level, time, is_named, what) in [
        (saved(None, seconds), millis, true, "seconds"),
        (saved(Some(1343), seconds), millis, true, "a world of Java"),
        (generated(None, millis), millis, true, "no features"),
        (of_java, millis, false, "1.1 to 1.8"),
        (saved(None, millis), millis, false, "before 1.1"),
        (generated(Some(169), millis), millis, false, "1.9"),
        (saved(Some(3955), seconds), millis, false, "blocks by name"),
        (saved(None, 5), 5, false, "not a time"),
    ] {
        let (_around, world) = world_of(&["region"]);
        fs::write(world.join("level.dat"), level.bytes()).unwrap();
        let opened = open(&world).unwrap();

        assert_eq!(opened.level.last_played, Some(time), "{what}");
        let warnings = opened.warnings.iter();
        assert_eq!(
            warnings.filter(|text| text.contains("Nukkit")).count(),
            usize::from(is_named),
            "{what}: {:?}",
            opened.warnings
        );
    }
}

#[test]
fn worlds_in_a_folder_are_not_its_dimensions() {
    let (around, world) = world_of(&["region"]);
    regions(around.path(), &["other/region"]);
    level_named(&world, "one of two");
    assert!(matches!(
        open(around.path()),
        Err(WorldError::NoRegions(..))
    ));
}

#[cfg(target_os = "linux")]
#[test]
fn dimensions_with_undecodable_names_are_left_out() {
    use std::os::unix::ffi::OsStrExt as _;
    let (_around, world) = world_of(&["region"]);
    let odd = world
        .join("dimensions/ns")
        .join(std::ffi::OsStr::from_bytes(b"a\xff"))
        .join("region");
    regions(&odd, &[""]);
    let world = open(&world).unwrap();
    assert_eq!(ids(&world), ["overworld"]);
    assert_eq!(world.warnings.len(), 1);
}

#[test]
fn many_dimensions_with_bad_names_give_few_warnings() {
    let bad: Vec<String> = (0..60)
        .map(|n| format!("dimensions/a b/{n}/region"))
        .collect();
    let mut folders: Vec<&str> = bad.iter().map(String::as_str).collect();
    folders.push("region");
    let (_around, world) = world_of(&folders);
    assert_eq!(open(&world).unwrap().warnings.len(), 21);
}

#[cfg(unix)]
#[test]
fn links_in_circles_add_no_dimension() {
    use std::os::unix::fs::symlink;

    let (around, world) = world_of(&["region", "dimensions/ns/a/region", "dimensions/ns/b/region"]);
    regions(around.path(), &["other/region"]);

    for n in 0..6 {
        symlink(
            world.join("dimensions/ns"),
            world.join(format!("dimensions/ns/a/loop{n}")),
        )
        .unwrap();

        symlink(
            world.join("dimensions"),
            world.join(format!("dimensions/ns/b/loop{n}")),
        )
        .unwrap();
    }

    symlink(&world, world.join("dimensions/ns/0")).unwrap();
    symlink(around.path(), world.join("dimensions/ns/1")).unwrap();
    let world = open(&world).unwrap();
    assert_eq!(ids(&world), ["overworld", "ns:a", "ns:b"]);
    assert!(world.warnings.is_empty(), "{:?}", world.warnings);
}

/// Puts something in a folder's place that cannot be listed as one.
#[cfg(unix)]
fn put_in_the_way(kind: &str, place: &Path) {
    use std::os::unix::fs::symlink;

    match kind {
        "nowhere" => symlink("/not/mounted", place).unwrap(),
        "round" => symlink(place.file_name().unwrap(), place).unwrap(),
        "device" => symlink("/dev/null", place).unwrap(),
        "pipe" => assert!(
            std::process::Command::new("mkfifo")
                .arg(place)
                .status()
                .unwrap()
                .success()
        ),
        _ => fs::write(place, "no folder").unwrap(),
    }
}

#[cfg(unix)]
#[test]
fn a_non_folder_dimension_keeps_its_tiles() {
    let (over, nether) = ("overworld", "the_nether");
    let places = [
        ("region", over),
        ("DIM-1", nether),
        ("DIM-1/region", nether),
    ];

    let kinds = ["nowhere", "round", "device", "pipe", "file"];
    for ((path, id), kind) in places
        .into_iter()
        .flat_map(|place| kinds.map(|kind| (place, kind)))
    {
        let what = format!("{path}: {kind}");
        let place = Place::of(&crate::map::land::two_dimensions());
        let before = place.draw("map", &[]).files();
        fs::remove_dir_all(place.world().join(path)).unwrap();
        put_in_the_way(kind, &place.world().join(path));
        let report = render(&place.world(), &place.at("map"), &[])
            .expect(3, &what)
            .report();
        let [bad] = &report["bad_chunks"].as_array().unwrap()[..] else {
            panic!("{what}: {report}")
        };

        let named = ["dimension", "region", "chunk", "reason"].map(|field| bad[field].as_str());
        assert_eq!(
            named,
            [Some(id), Some("region"), None, Some("unreadable")],
            "{what}"
        );

        assert_eq!(
            report["world"]["dimensions"].as_array().unwrap().len(),
            1,
            "{what}"
        );
        assert_eq!(report["tiles"]["removed"], 0, "{what}");
        assert_same_files(&what, &before, &Map::at(&place.at("map")).files());
        render(&place.world(), &place.at("alone"), &["-d", id]).expect(1, &what);

        let told = on("info", &place.world(), &["--json"])
            .expect(3, &what)
            .report();
        let dimensions = told["dimensions"].as_array().unwrap();
        let dimension = dimensions
            .iter()
            .find(|dimension| dimension["id"] == id)
            .unwrap();

        assert_eq!(
            dimension["damaged"][0]["reason"], "unreadable",
            "{what}: {told}"
        );
    }
}

#[cfg(unix)]
#[test]
fn unmounted_dimensions_are_recognised_by_their_places() {
    use std::os::unix::fs::symlink;

    let (around, world) = world_of(&["region", "dimensions/ns/a/region"]);
    let away = Path::new("/not/mounted");
    fs::create_dir_all(world.join("dimensions/minecraft")).unwrap();

    for place in [
        "DIM7",
        "dimensions/minecraft/the_nether",
        "dimensions/ns/b",
        "dimensions/other",
    ] {
        symlink(away, world.join(place)).unwrap();
    }

    symlink(away, around.path().join("w_the_end")).unwrap();

    let unreadable = |world: &World| {
        let others = world
            .dimensions
            .iter()
            .filter(|dimension| dimension.unreadable.is_some());
        others
            .map(|dimension| dimension.id.clone())
            .collect::<Vec<_>>()
    };

    let opened = open(&world).unwrap();
    assert_eq!(
        ids(&opened),
        ["overworld", "the_nether", "the_end", "DIM7", "ns:a"]
    );
    assert_eq!(unreadable(&opened), ["the_nether", "the_end", "DIM7"]);

    let says = opened.dimensions[1].unreadable.as_deref().unwrap();
    assert_eq!(
        says,
        "a broken link: its target does not exist; perhaps a disk is not mounted"
    );

    // Nothing marks these folders as dimensions.
    for (warning, link) in opened
        .warnings
        .iter()
        .zip(["dimensions/other", "dimensions/ns/b"])
    {
        assert!(
            warning.contains(&format!("{link} is a broken link")),
            "{warning}"
        );
    }

    assert_eq!(opened.warnings.len(), 2, "{:?}", opened.warnings);
    assert_eq!(
        unreadable(&open(around.path()).unwrap()),
        ["the_nether", "the_end", "DIM7"]
    );
    fs::remove_dir_all(world.join("dimensions")).unwrap();
    symlink(away, world.join("dimensions")).unwrap();

    let opened = open(&world).unwrap();
    assert_eq!(
        (ids(&opened).len(), opened.warnings.len()),
        (3, 1),
        "{:?}",
        opened.warnings
    );
}

#[cfg(unix)]
#[test]
fn unrelated_files_are_not_dimensions() {
    let (around, world) = world_of(&["region", "DIM-1/data", "dimensions/ns/a/region"]);
    fs::remove_dir_all(world.join("DIM-1/data")).unwrap();
    fs::create_dir(around.path().join("w_the_end")).unwrap();

    let files = [
        "DIM",
        "DIM07",
        "DIM1.zip",
        "DIM-1/notes",
        "region.old",
        "world_nether",
        "dimensions/notes",
    ];

    for name in files.iter().chain(&[
        "dimensions/ns/notes",
        "dimensions/ns/a/notes",
        "../w_nether",
    ]) {
        fs::write(world.join(name), "a file").unwrap();
    }

    for name in ["link", "dimensions/ns/a/link", "DIM-1/link"] {
        std::os::unix::fs::symlink("/not/there", world.join(name)).unwrap();
    }

    for given in [&*world, around.path()] {
        let opened = open(given).unwrap();
        assert!(
            opened
                .dimensions
                .iter()
                .all(|dimension| dimension.unreadable.is_none()),
            "{:?}",
            opened.dimensions
        );

        assert_eq!(
            (ids(&opened), opened.warnings.len()),
            (vec!["overworld", "ns:a"], 0),
            "{:?}",
            opened.warnings
        );
    }
}

#[cfg(unix)]
#[test]
fn a_dimension_kept_elsewhere_is_drawn_once() {
    use std::os::unix::fs::symlink;

    let (around, world) = world_of(&["region", "DIM-1/region", "dimensions/ns/real/region"]);
    regions(around.path(), &["disk/far/region", "disk/far/deep/region"]);
    symlink(
        around.path().join("disk/far"),
        world.join("dimensions/ns/far"),
    )
    .unwrap();

    symlink(
        around.path().join("disk/far"),
        world.join("dimensions/ns/far2"),
    )
    .unwrap();

    // The link sorts before its target, and must not take the target's name.
    symlink(
        world.join("dimensions/ns/real"),
        world.join("dimensions/ns/alias"),
    )
    .unwrap();

    fs::create_dir(world.join("dimensions/minecraft")).unwrap();
    symlink(
        world.join("DIM-1"),
        world.join("dimensions/minecraft/the_nether"),
    )
    .unwrap();

    let world = open(&world).unwrap();
    assert_eq!(
        ids(&world),
        [
            "overworld",
            "the_nether",
            "ns:far",
            "ns:far/deep",
            "ns:real"
        ]
    );

    assert!(
        world.warnings.is_empty(),
        "a nether that is one folder is in one place: {:?}",
        world.warnings
    );
}

#[test]
fn a_folder_called_dimensions_can_hold_a_world() {
    for place in ["dimensions/w1", "dimensions/backups/w1"] {
        let around = tempfile::tempdir().unwrap();
        let world = around.path().join(place);
        regions(
            &world,
            &["region", "DIM-1/region", "dimensions/ns/p/region"],
        );

        level_named(&world, "kept");
        let all = ["overworld", "the_nether", "ns:p"];
        assert_eq!(ids(&open(&world).unwrap()), all, "{place}");
        assert_eq!(
            ids(&open(&world.join("region")).unwrap()),
            ["overworld"],
            "{place}"
        );

        assert_eq!(
            ids(&open(&world.join("DIM-1")).unwrap()),
            ["the_nether"],
            "{place}"
        );

        assert_eq!(
            ids(&open(&world.join("dimensions/ns/p")).unwrap()),
            ["ns:p"],
            "{place}"
        );
        fs::remove_file(world.join("level.dat")).unwrap();
        assert_eq!(
            ids(&open(&world).unwrap()),
            all,
            "{place} without level.dat"
        );
    }
}

#[test]
fn world_called_like_a_dimension_is_a_world() {
    for name in ["DIM1", "poi", "region"] {
        let around = tempfile::tempdir().unwrap();
        let world = around.path().join(name);
        regions(&world, &["region", "DIM-1/region"]);
        level_named(&world, "odd");
        assert_eq!(
            ids(&open(&world).unwrap()),
            ["overworld", "the_nether"],
            "{name}"
        );

        assert_eq!(
            ids(&open(&world.join("region")).unwrap()),
            ["overworld"],
            "{name}"
        );
    }
}

#[test]
fn a_dimension_folder_is_named_by_its_path() {
    let (_around, world) = world_of(&[
        "region",
        "dimensions/ns/a/b/region",
        "dimensions/minecraft/the_end/region",
    ]);

    for inner in ["entities", "poi", "data"] {
        fs::create_dir(world.join("dimensions/ns/a/b").join(inner)).unwrap();
    }

    regions(&world, &["dimensions/ns/a/b/entities"]);

    for (given, id) in [
        ("dimensions/ns/a/b", "ns:a/b"),
        ("dimensions/minecraft/the_end", "the_end"),
    ] {
        assert_eq!(ids(&open(&world.join(given)).unwrap()), [id]);
        assert_eq!(ids(&open(&world.join(given).join("region")).unwrap()), [id]);
    }

    let entities = open(&world.join("dimensions/ns/a/b/entities"));
    assert!(matches!(entities, Err(WorldError::NoRegions(..))));
}

#[test]
fn a_folder_of_unknown_path_is_the_overworld() {
    let (_around, world) = world_of(&[
        "dimensions/custom/w1/region",
        "dimensions/my games/w1/region",
    ]);
    for place in ["custom/w1/region", "my games/w1", "my games/w1/region"] {
        let world = open(&world.join("dimensions").join(place)).unwrap();
        assert_eq!(ids(&world), ["overworld"], "{place}");
        assert_eq!(world.warnings.len(), 1, "{place}");
    }
}

#[test]
fn misplaced_region_files_do_not_hide_the_world() {
    let (_around, world) = world_of(&["", "region", "DIM1/region"]);
    assert_eq!(ids(&open(&world).unwrap()), ["overworld", "the_end"]);
    let (_around, world) = world_of(&["", "DIM1/region"]);
    level_named(&world, "lost");
    assert_eq!(ids(&open(&world).unwrap()), ["the_end"]);
    let (_around, copied) = world_of(&["region", "region/region"]);
    assert_eq!(
        relative(&open(&copied.join("region")).unwrap()),
        ["."],
        "a region folder all the same"
    );
}

#[test]
fn a_server_lists_split_dimensions_by_relative_path() {
    let (around, world) = world_of(&["region"]);
    regions(
        around.path(),
        &["w_nether/DIM-1/region", "w_the_end/region"],
    );

    let opened = open(&world).unwrap();
    assert_eq!(ids(&opened), ["overworld", "the_nether", "the_end"]);
    assert_eq!(
        relative(&opened),
        ["region", "../w_nether/DIM-1/region", "../w_the_end/region"]
    );

    let server = open(around.path()).unwrap();
    assert_eq!(ids(&server), ["overworld", "the_nether", "the_end"]);
    assert_eq!(
        relative(&server),
        ["w/region", "w_nether/DIM-1/region", "w_the_end/region"]
    );
}

#[test]
fn the_26_1_layout_wins_over_split_folders() {
    let (around, world) = world_of(&[
        "dimensions/minecraft/overworld/region",
        "dimensions/minecraft/the_nether/region",
    ]);
    regions(
        around.path(),
        &["w_nether/DIM-1/region", "w_the_end/region"],
    );

    for (given, expected) in [
        (around.path(), "w/dimensions/minecraft/the_nether/region"),
        (&*world, "dimensions/minecraft/the_nether/region"),
    ] {
        let opened = open(given).unwrap();
        assert_eq!(ids(&opened), ["overworld", "the_nether", "the_end"]);
        assert_eq!(relative(&opened)[1], expected);

        assert_eq!(opened.warnings.len(), 1, "{:?}", opened.warnings);
        assert!(opened.warnings[0].contains("w_nether/DIM-1/region is not"));
    }
}

#[test]
fn a_world_lists_its_own_folders() {
    let (around, world) = world_of(&["region", "DIM-1/region"]);
    regions(around.path(), &["w_the_end/DIM1/region"]);
    level_named(&world, "whole");

    let has = |given: &str, wanted: &str| {
        let wanted = around.path().join(wanted).canonicalize().unwrap();
        let folders = open(&world.join(given)).unwrap().folders;
        // A dimension may lack some of its folders.
        folders
            .iter()
            .any(|folder| folder.canonicalize().is_ok_and(|folder| folder == wanted))
    };

    assert!(has("region", "w"), "by its level.dat");
    assert!(has("DIM-1", "w/DIM-1"));
    assert!(has(".", "w_the_end"), "the split folder as a whole");
    fs::remove_file(world.join("level.dat")).unwrap();
    assert!(
        !has("region", "w"),
        "nothing says that the folder around is of the world"
    );
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

    // A face beyond the first plane, as the game stores it.
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

#[cfg(unix)]
#[test]
fn non_file_data_packs_are_reported_as_damaged() {
    let kinds = ["nowhere", "round", "device", "pipe", "file"];

    let types = "datapacks/p/data/mod/dimension_type";
    let deep = format!("{types}/deep.json");
    let packs = ["datapacks", "datapacks/p.zip"]
        .into_iter()
        .flat_map(|path| kinds.map(|kind| (path, kind)));
    for (path, kind) in packs.chain([(deep.as_str(), "file")]) {
        let (around, world) = world_of(&["region"]);
        fs::create_dir_all(world.join(path).parent().unwrap()).unwrap();
        put_in_the_way(kind, &world.join(path));
        let report = render(&world, &around.path().join("map"), &[])
            .expect(0, path)
            .report();
        let [warning] = &report["warnings"].as_array().unwrap()[..] else {
            panic!("{path}, {kind}: {report}")
        };

        let warning = warning.as_str().unwrap();
        let name = path.rsplit('/').next().unwrap();
        assert!(
            warning.contains(name) && warning.contains("left out"),
            "{path}, {kind}: {warning}"
        );
    }

    // A link may or may not lead to a pack. A file that is not a zip is not a pack.
    let (_around, world) = world_of(&["region"]);
    fs::create_dir_all(world.join(types)).unwrap();
    put_in_the_way("nowhere", &world.join("datapacks/away"));
    put_in_the_way("pipe", &world.join("datapacks/notes.txt"));
    put_in_the_way("pipe", &world.join(types).join("notes.txt"));
    put_in_the_way("pipe", &world.join(types).join("shallow.json"));

    let report = render(&world, &world.parent().unwrap().join("map"), &[])
        .expect(0, "a link")
        .report();

    let warnings = report["warnings"].as_array().unwrap();
    assert!(
        warnings.len() == 1
            && warnings[0]
                .as_str()
                .unwrap()
                .contains("away: a broken link"),
        "{report}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn records_marked_empty_are_not_read() {
    let (_around, world) = world_of(&["region"]);

    // Special files of the system give bytes to a reader, or let it wait.
    for name in ["level.dat", "region/r.1.0.mca"] {
        std::os::unix::fs::symlink("/proc/self/status", world.join(name)).unwrap();
    }

    let opened = open(&world).unwrap();
    assert!(
        opened.warnings[0].starts_with("level.dat cannot be read and is left out: "),
        "{:?}",
        opened.warnings
    );

    assert!(
        !opened.warnings[0].contains("invalid gzip header"),
        "{:?}",
        opened.warnings
    );

    let out = world.parent().unwrap().join("map");
    let report = render(&world, &out, &[])
        .expect(0, "nothing but empty files")
        .report();
    assert_eq!(
        (&report["regions"]["failed"], &report["chunks"]["bad"]),
        (&0.into(), &0.into()),
        "{report}"
    );
}
