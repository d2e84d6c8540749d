//! Tests hostile and odd world folders: nothing leaves the map folder, hides a world or is read
//! without need.

use std::fs;

use super::{ids, level_named, open, put_in_the_way, relative, world_of};
use crate::map::{Map, Place, assert_same_files, render};

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

        // The map has a folder of the same name, but none of its files is in the way.
        files.put("dimensions/a/x/day/17/region/r.0.0.mca", bytes.clone());
        let place = Place::of(&files);
        render(&place.world(), &place.at("map"), options).expect(0, "without");

        let before = Map::at(&place.at("map")).files();
        let of_map = before.keys().filter_map(|path| match path.split_once('/') {
            // A namespace or a dimension has the name.
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

        // Warnings name at most this many at a time.
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

    // Special files of the system give endless bytes to a reader, or let it wait.
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
