//! Tests naming schemes: a map has the scheme with which it was begun, and `verify` finds damage in
//! each scheme.
#![allow(
    clippy::disallowed_methods,
    reason = "what tests write is no output of the program"
)]

use std::collections::BTreeMap;
use std::fs;

use crate::map::{Map, Place, Tile, assert_same_files, has_ending, land, on, render};
use crate::outputs::naming::path_of;
use crate::world::{Files, Generation, block};

const GENERATION: Generation = Generation::Numeric(1343);
/// A chunk in each of six regions on all sides of the origin, so that there are outer tiles.
const CHUNKS: [(i32, i32); 6] = [(5, 5), (37, 5), (70, 5), (-20, 5), (5, -40), (37, 40)];

/// Writes the world in one of two states. In the edited state a region is missing and another
/// region has different ground.
fn put_world(place: &Place, is_edited: bool) {
    fs::remove_dir_all(place.world()).ok();
    land::of_grounds(&CHUNKS, GENERATION, |x, z| match (x, z) {
        (70, 5) if is_edited => None,
        (37, 5) if is_edited => Some(block::SAND),
        _ => Some(block::GRASS_BLOCK),
    })
    .write_under(&place.world());
}

#[test]
fn a_map_keeps_the_names_of_its_tiles() {
    let place = Place::empty();
    put_world(&place, false);

    for is_state_there in [true, false] {
        let map = place.draw(
            &format!("map {is_state_there}"),
            &["--scheme", "xyz", "--format", "webp"],
        );

        if !is_state_there {
            fs::remove_dir_all(map.root.join(".pixelmap")).unwrap();
        }

        let before = map.files();

        for other in [
            &["--scheme", "tms"][..],
            &["--format", "png"],
            &["--scheme", "signed"],
        ] {
            for more in [&[][..], &["--dry-run"], &["--staged"]] {
                let ran = render(&place.world(), &map.root, &[other, more].concat())
                    .expect(1, "another naming");
                assert!(
                    ran.err.contains("--scheme xyz --format webp") && ran.err.contains("-o"),
                    "{}",
                    ran.err
                );
            }
        }

        assert_same_files("refused", &before, &map.files());

        // Without options, a run uses the scheme and format of the map, even for another layer.
        for options in [&[][..], &["--scheme", "xyz"], &["-l", "height16"]] {
            render(&place.world(), &map.root, options).expect(0, &format!("{options:?}"));
        }

        let names =
            |path: &String| path.starts_with("overworld/height16/") && has_ending(path, "png");
        assert!(map.files().keys().any(names), "numbers are PNG in any map");
    }
}

/// Paths of the tiles of layer `day`, relative to the map's folder.
fn paths(map: &Map, scheme: &str, format: &str) -> BTreeMap<Tile, String> {
    let path = |tile: Tile| {
        (
            tile,
            format!("overworld/day/{}.{format}", path_of(scheme, tile)),
        )
    };
    map.tiles("overworld").into_keys().map(path).collect()
}

#[test]
fn damage_is_mended_in_every_naming_scheme() {
    let place = Place::empty();
    put_world(&place, false);

    for (scheme, format) in [
        ("signed", "webp"),
        ("xyz", "png"),
        ("tms", "png"),
        ("tms", "webp"),
    ] {
        let name = format!("{scheme} {format}");
        let map = place.draw(&name, &["--scheme", scheme, "--format", format]);
        let (fresh, paths) = (map.files(), paths(&map, scheme, format));
        assert_eq!(
            paths.len(),
            fresh.keys().filter(|path| has_ending(path, format)).count(),
            "{name}"
        );

        let verify = |options: &[&str]| on("verify", &map.root, options);
        assert_eq!(verify(&[]).expect(0, &name).out, "", "{name}: sound");

        let at = |path: &str| map.root.join(path);
        let (changed, missing) = (&paths[&(17, 1, 0)], &paths[&(17, 0, -2)]);
        let mut bytes = fs::read(at(changed)).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(at(changed), bytes).unwrap();
        fs::remove_file(at(missing)).unwrap();

        // A different position in the same scheme, a name that only the default scheme has, and the
        // other format.
        let sound = &paths[&(17, 0, 0)];
        let elsewhere = format!("overworld/day/{}.{format}", path_of(scheme, (17, 0, 9)));
        let other = if format == "png" { "webp" } else { "png" };
        let strays = [
            elsewhere,
            format!("overworld/day/17/-9/-9.{format}"),
            sound.replace(format, other),
        ];

        for stray in &strays {
            Files([(stray.clone(), fs::read(at(sound)).unwrap())].into()).write_under(&map.root);
        }

        let mut expected: Vec<String> = strays
            .iter()
            .map(|path| format!("stray\t{path}\n"))
            .collect();
        expected.extend([
            format!("changed\t{changed}\n"),
            format!("missing\t{missing}\n"),
        ]);

        expected.sort_by_key(|line| line.split('\t').nth(1).unwrap().to_owned());
        assert_eq!(
            verify(&[]).expect(1, &name).out,
            expected.concat(),
            "{name}"
        );

        for path in strays.iter().chain([changed]) {
            fs::remove_file(at(path)).unwrap();
        }

        let ran = place.draw(&name, &["--scheme", scheme, "--format", format]);
        assert_eq!(ran.root, map.root);
        assert_same_files(&name, &fresh, &map.files());
    }
}

#[cfg(unix)]
#[test]
fn an_unreadable_manifest_ends_the_run_early() {
    let place = Place::empty();
    put_world(&place, false);
    let map = place.draw("map", &["-l", "day", "-l", "night"]);
    put_world(&place, true);

    for file in ["overworld/day/tiles.tsv", "map.json"] {
        let (path, aside) = (map.root.join(file), place.at("aside"));
        fs::rename(&path, &aside).unwrap();
        let before = map.files();

        // A link to itself, which even root cannot open.
        std::os::unix::fs::symlink(&path, &path).unwrap();

        for options in [&[][..], &["--staged"], &["--dry-run"]] {
            let ran = render(&place.world(), &map.root, options)
                .expect(1, &format!("{file} {options:?}"));
            assert!(
                ran.err.contains(file) && ran.err.lines().count() == 1,
                "{}",
                ran.err
            );
        }

        fs::remove_file(&path).unwrap();
        assert_same_files(file, &before, &map.files());
        fs::rename(&aside, &path).unwrap();
    }

    render(&place.world(), &map.root, &["-l", "day", "-l", "night"]).expect(0, "readable");
    assert_same_files(
        "then",
        &place.draw("fresh", &["-l", "day", "-l", "night"]).files(),
        &map.files(),
    );
}
