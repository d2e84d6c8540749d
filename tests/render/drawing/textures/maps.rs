//! Tests that textures fit into every kind of map and change nothing else in it.

use std::collections::{BTreeMap, BTreeSet};

use super::{EAST, FENCE, MODERN, NORTH, STAIRS, TURNED_FACE, draw, of_block, place_of, row};
use crate::map::land::{self, Column};
use crate::map::{Map, Rgba, assert_same_files, has_ending, pixels, render, run};
use crate::world::seed::of_place;
use crate::world::{Block, Files, block};

/// Broken ground around the origin.
fn terrain(by: i32) -> Files {
    let blocks = [block::STONE, block::GRASS_BLOCK, NORTH, EAST];
    land::world([-32, -32, 32, 32], (by, by), MODERN, |x, z| {
        let ground = blocks[(of_place(x, z, 5) % 4) as usize];
        let y = 60 + (of_place(x, z, 3) % 5) as i32;
        Some(Column {
            water_y: (y < 62).then_some(62),
            ..Column::of(y, ground)
        })
    })
}

#[test]
fn textures_continue_across_tiles_and_regions() {
    let picture = |by: i32| {
        let (place, pack) = place_of(&terrain(by));
        let map = place.draw("map", &["--assets", &pack, "--zoom-in", "2"]);

        let places = (-32..32).flat_map(|z| (-32..32).map(move |x| (x + by, z + by)));
        let mut tiles = BTreeMap::new();
        let mut all = Vec::new();
        for (x, z) in places {
            let tile = (x * 4).div_euclid(512);
            let row = (z * 4).div_euclid(512);
            let path = map.root.join(format!("overworld/day/19/{tile}/{row}.png"));
            let tile = tiles.entry(path).or_insert_with_key(|path| pixels(path));
            let corner = |at: i32| (at * 4).rem_euclid(512) as usize;
            all.extend(
                (0..4)
                    .flat_map(|dz| (0..4).map(move |dx| (dx, dz)))
                    .map(|(dx, dz)| tile[(corner(z) + dz) * 512 + corner(x) + dx]),
            );
        }

        all
    };

    let across = picture(0);
    assert!(
        across.iter().collect::<BTreeSet<_>>().len() > 50,
        "much is to be seen"
    );
    assert!(
        across == picture(256),
        "inside of one region it looks the same"
    );
}

#[test]
fn textures_do_not_change_other_zoom_levels() {
    let (place, pack) = place_of(&terrain(0));
    let plain = place.draw(
        "plain",
        &[
            "--assets", &pack, "-l", "day", "-l", "night", "-l", "height",
        ],
    );

    let map = draw(&place, &pack, &["-l", "day", "-l", "night", "-l", "height"]);
    let natives = |map: &Map| {
        let mut files = map.files();

        let is_outer = |path: &String| {
            has_ending(path, "png")
                && !["/18/", "/19/", "/20/", "/21/"]
                    .iter()
                    .any(|level| path.contains(level))
        };

        files.retain(|path, _| is_outer(path));
        files
    };

    assert_same_files("natives", &natives(&plain), &natives(&map));
    run(&["verify", map.root.to_str().unwrap()]).expect(0, "verify");
    let same = run(&[
        "diff",
        plain.root.to_str().unwrap(),
        map.root.to_str().unwrap(),
    ]);
    same.expect(0, "levels that only one has are not compared");
}

#[test]
fn textures_do_not_change_facts_and_findings() {
    let strange = Block::named("mod:strange").with(&[("facing", "north")]);
    let (place, pack) = place_of(&row(
        &[
            NORTH,
            EAST,
            strange,
            FENCE,
            TURNED_FACE,
            STAIRS,
            block::STONE,
            block::SAND,
        ],
        MODERN,
    ));

    let drawn = |options: &[&str]| {
        let all = [
            &["--assets", &pack, "-l", "day", "-l", "biome", "--details"],
            options,
        ]
        .concat();
        let mut report = render(&place.world(), &place.at("map"), &all)
            .expect(0, "drawn")
            .report();
        let findings =
            ["unknown_blocks", "chunks", "bad_chunks", "regions"].map(|key| report[key].take());

        let mut files = Map::at(&place.at("map")).files();
        files.retain(|path, _| path.contains("/17/") || path.contains("/16/"));

        (findings, files)
    };

    let plain = drawn(&[]);
    std::fs::remove_dir_all(place.at("map")).unwrap();
    let zoomed = drawn(&["--zoom-in", "1"]);
    assert_eq!(plain.0, zoomed.0);
    assert_same_files("with textures", &plain.1, &zoomed.1);
}

#[test]
fn every_naming_and_kind_of_map_has_textures() {
    let (place, pack) = place_of(&terrain(0));
    let signed = place.draw("signed", &["--assets", &pack, "--zoom-in", "2"]);
    let tile = pixels(&signed.root.join("overworld/day/19/-1/0.png"));
    let path = |name: &str| place.at(name).to_str().unwrap().to_owned();

    let half = 1 << 18;
    for (name, options, row, ending) in [
        ("xyz", &["--scheme", "xyz"][..], half, "png"),
        (
            "tms",
            &["--scheme", "tms", "--format", "webp"],
            half - 1,
            "webp",
        ),
    ] {
        let map = place.draw(
            name,
            &[&["--assets", &pack, "--zoom-in", "2"], options].concat(),
        );
        let there = pixels_of(
            &map.root
                .join(format!("overworld/day/19/{}/{row}.{ending}", half - 1)),
        );
        assert!(there == tile, "{name}");
        run(&["verify", &path(name)]).expect(0, name);
        run(&["diff", &path("signed"), &path(name)]).expect(2, "maps of other schemes");
    }

    let [map, archive] = [path("signed"), path("map.pmtiles")];
    run(&["export", &map, "-o", &archive]).expect(0, "an archive");
    run(&["diff", &map, &archive]).expect(0, "which is the same");

    for (scale, zoom) in [("4", "in the tiles"), ("8", "enlarged from them")] {
        let pictures = ["map", "archive"].map(|from| {
            let out = path(&format!("{from}-{scale}.png"));
            let from = if from == "map" { &map } else { &archive };
            run(&[
                "export",
                from,
                "-o",
                &out,
                "-a",
                "-20,-20,20,21",
                "--scale",
                scale,
            ])
            .expect(0, zoom);

            std::fs::read(out).unwrap()
        });
        assert!(pictures[0] == pictures[1], "{zoom}");
    }
}

/// The pixels of a tile, whatever its format is.
fn pixels_of(path: &std::path::Path) -> Vec<Rgba> {
    let picture = image::open(path).unwrap().to_rgba8();
    picture.pixels().map(|pixel| pixel.0).collect()
}

#[test]
fn scaled_up_pictures_have_textures() {
    let (place, pack) = place_of(&terrain(0));
    let map = draw(&place, &pack, &[]);

    let picture = |name: &str, options: &[&str]| {
        let out = place.at(name);
        render(
            &place.world(),
            &out,
            &[&["-a", "-20,-11,20,21"], options].concat(),
        )
        .expect(0, "a picture");
        pixels_of(&out)
    };

    for (scale, zoom) in [(2, 18), (16, 21)] {
        let name = scale.to_string();
        let shown = picture("a.png", &["--assets", &pack, "--scale", &name]);
        assert_eq!(shown.len() as i32, 40 * scale * 32 * scale);

        for (x, z) in [(-20, -11), (-1, -1), (0, 3), (19, 20)] {
            let at = |pixel: i32| {
                shown[(((z + 11) * scale + pixel / scale) * 40 * scale
                    + (x + 20) * scale
                    + pixel % scale) as usize]
            };

            let block: Vec<Rgba> = (0..scale * scale).map(at).collect();
            assert!(
                block == of_block(&map, "day", zoom, x, z),
                "{scale}: {x} {z}"
            );
        }

        let exported = place.at("exported.png");
        let [from, to] = [&map.root, &exported].map(|path| path.to_str().unwrap());
        run(&[
            "export",
            from,
            "-o",
            to,
            "-a",
            "-20,-11,20,21",
            "--scale",
            &name,
        ])
        .expect(0, "an export");

        assert!(pixels_of(&exported) == shown, "{scale}, exported");

        let threads = picture("b.png", &["--assets", &pack, "--scale", &name, "-t", "7"]);
        assert!(threads == shown, "{scale}, with more threads");
    }

    // The assets give only colours here, so the tile is an enlarged native tile.
    let plain = place.draw("plain", &["--assets", &pack]);

    let flat = place.at("flat.png");
    let [from, to] = [&plain.root, &flat].map(|path| path.to_str().unwrap());
    run(&[
        "export",
        from,
        "-o",
        to,
        "-a",
        "-20,-11,20,21",
        "--scale",
        "4",
    ])
    .expect(0, "an export");

    assert!(
        pixels_of(&flat)[..4].iter().collect::<BTreeSet<_>>().len() == 1,
        "a block has one colour"
    );

    let wide = picture("wide.png", &["--assets", &pack, "--width", "80"]);
    assert!(
        wide[..2].iter().collect::<BTreeSet<_>>().len() == 1,
        "a width has no textures"
    );
}
