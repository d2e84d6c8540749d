//! Tests which folders of a world are dimensions, and their names.

use std::fs;

use pixelmap_world::internal::WorldError;

use super::{ids, level_named, open, regions, relative, world_of};
use crate::map::{Map, Place, render};

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
