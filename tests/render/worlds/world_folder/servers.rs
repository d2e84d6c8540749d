//! Tests the folders of servers, whose dimensions may be elsewhere.

use std::fs;
use std::path::Path;

use pixelmap_world::internal::World;

use super::{ids, level_named, open, put_in_the_way, regions, relative, world_of};
use crate::map::{Map, Place, assert_same_files, on, render};
use crate::world::Tag;
use crate::world::level_dat::LevelDat;

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

    // No file marks these folders as dimensions.
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

    // The link sorts before its target, and must not take the name of its target.
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
