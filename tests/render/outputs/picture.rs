//! Tests mode image: one PNG with the pixels of the tiles, of any area and scale, made in strips.

use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::path::Path;

use crate::map::{CLEAR, Map, NATIVE, Place, Ran, Rgba, SIDE, fixture, land, render};
use crate::world::Files;
use serde_json::json;

/// A picture as read by a strict reader.
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<Rgba>,
    pub(crate) texts: BTreeMap<String, String>,
}

impl Picture {
    pub(crate) fn read(path: &Path) -> Self {
        let bytes = fs::read(path).unwrap();
        let mut reader = png::Decoder::new(Cursor::new(&bytes)).read_info().unwrap();
        let (width, height) = (reader.info().width as usize, reader.info().height as usize);
        assert!(!reader.info().interlaced);

        let texts = &reader.info().uncompressed_latin1_text;
        let texts = texts
            .iter()
            .map(|text| (text.keyword.clone(), text.text.clone()))
            .collect();
        let mut samples = vec![0; width * height * 4];
        reader.next_frame(&mut samples).unwrap();
        reader.finish().unwrap();

        let pixels = samples.as_chunks().0.to_vec();
        Self {
            width,
            height,
            pixels,
            texts,
        }
    }

    pub(crate) fn at(&self, x: usize, y: usize) -> Rgba {
        self.pixels[y * self.width + x]
    }
}

fn draw(place: &Place, name: &str, options: &[&str]) -> (Picture, Ran) {
    let path = place.at(name);
    let ran = render(&place.world(), &path, options).expect(0, name);
    (Picture::read(&path), ran)
}

/// The pixel at a position of a zoom level of the map's tiles.
fn of_tiles(tiles: &BTreeMap<(u8, i32, i32), Vec<Rgba>>, zoom: u8, x: i32, y: i32) -> Rgba {
    let side = SIDE as i32;
    let tile = tiles.get(&(zoom, x.div_euclid(side), y.div_euclid(side)));
    tile.map_or(CLEAR, |pixels| {
        pixels[(y.rem_euclid(side) * side + x.rem_euclid(side)) as usize]
    })
}

#[test]
fn a_picture_equals_the_tiles_at_each_scale() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let tiles = place
        .draw("map", &["-d", "overworld"])
        .pictures("overworld");

    let (whole, ran) = draw(&place, "whole.png", &[]);
    let facts = &ran.report()["picture"];
    let area: Vec<i32> = serde_json::from_value(facts["area"].clone()).unwrap();
    assert_eq!(
        (whole.width as i32, whole.height as i32),
        (area[2] - area[0], area[3] - area[1])
    );

    // The picture is trimmed to chunks: there is a drawn chunk at each side.
    let is_drawn = |xs: std::ops::Range<usize>, ys: std::ops::Range<usize>| {
        ys.into_iter()
            .any(|y| xs.clone().any(|x| whole.at(x, y) != CLEAR))
    };

    let (width, height) = (whole.width, whole.height);
    assert!(is_drawn(0..16, 0..height) && is_drawn(width - 16..width, 0..height));
    assert!(is_drawn(0..width, 0..16) && is_drawn(0..width, height - 16..height));
    assert!(
        area.iter().all(|side| side % 16 == 0) && area.iter().any(|side| side % 512 != 0),
        "{area:?}"
    );

    for (zoom, scale, blocks) in [(17, "1", 1), (16, "1/2", 2), (16, "0.5", 2), (15, "1/4", 4)] {
        let (picture, _) = draw(&place, &format!("down-{blocks}.png"), &["--scale", scale]);
        assert_eq!(picture.width, whole.width / blocks as usize);

        for y in 0..picture.height {
            for x in 0..picture.width {
                // The map has only outer zoom levels with more than a few tiles.
                if tiles.keys().any(|(z, ..)| *z == zoom) {
                    let expected = of_tiles(
                        &tiles,
                        zoom,
                        area[0] / blocks + x as i32,
                        area[1] / blocks + y as i32,
                    );
                    assert_eq!(picture.at(x, y), expected, "1/{blocks} at {x} {y}");
                }
            }
        }
    }

    for times in [2, 8] {
        let area = "-40,-24,33,19";
        let native = draw(&place, &format!("one-{times}.png"), &["-a", area]).0;
        let large = draw(
            &place,
            &format!("up-{times}.png"),
            &["-a", area, "--scale", &times.to_string()],
        )
        .0;
        assert_eq!((large.width, large.height), (73 * times, 43 * times));

        for y in 0..large.height {
            for x in 0..large.width {
                assert_eq!(
                    large.at(x, y),
                    native.at(x / times, y / times),
                    "{times} at {x} {y}"
                );
            }
        }
    }
}

#[test]
fn a_picture_area_is_exact_to_the_block() {
    let place = Place::of(&land::two_dimensions());
    let tiles = place
        .draw("map", &["-d", "overworld"])
        .pictures("overworld");
    for [x0, z0, x1, z1] in [
        [-20, -20, 20, 20],
        [-512, 3, 513, 4],
        [-1, -600, 1, 600],
        [400, 400, 700, 700],
    ] {
        let area = format!("{x0},{z0},{x1},{z1}");
        let (picture, _) = draw(&place, &format!("{area}.png"), &["-a", &area]);
        assert_eq!(
            (picture.width as i32, picture.height as i32),
            (x1 - x0, z1 - z0)
        );

        assert_eq!(
            (
                picture.texts["Area"].as_str(),
                picture.texts["Scale"].as_str()
            ),
            (area.as_str(), "1")
        );
        assert_eq!(picture.texts["Dimension"], "overworld");

        for z in z0..z1 {
            for x in x0..x1 {
                let found = picture.at((x - x0) as usize, (z - z0) as usize);
                assert_eq!(found, of_tiles(&tiles, NATIVE, x, z), "{area} at {x} {z}");
            }
        }

        let placed = fs::read_to_string(place.at(&format!("{area}.pgw"))).unwrap();
        let lines: Vec<f64> = placed.lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!(
            lines,
            [
                1.0,
                0.0,
                0.0,
                -1.0,
                f64::from(x0) + 0.5,
                f64::from(-z0) - 0.5
            ]
        );
    }
}

#[test]
fn threads_and_batches_do_not_change_bytes() {
    let place = Place::of_demo(30);

    let mut all = Vec::new();
    for (name, options) in [
        ("one", ["1", "8"]),
        ("two", ["2", "1"]),
        ("seven", ["7", "3"]),
    ] {
        let [threads, batch] = options;
        draw(
            &place,
            &format!("{name}.png"),
            &["--threads", threads, "--max-batch", batch, "--scale", "1/2"],
        );
        all.push(fs::read(place.at(&format!("{name}.png"))).unwrap());
    }

    assert!(all[0] == all[1] && all[0] == all[2]);
}

#[test]
fn stray_regions_are_left_out_unless_requested() {
    let place = Place::of(&land::two_dimensions());
    let region = place.world().join("region");
    let stray = region.join("r.900.0.mca");
    let any = fs::read_dir(&region)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .min()
        .unwrap();
    fs::copy(any, &stray).unwrap();

    let (near, ran) = draw(&place, "near.png", &[]);
    assert!(near.width < 100 * SIDE);
    assert!(
        ran.err.contains("r.900.0") && ran.err.contains("--area all"),
        "{}",
        ran.err
    );

    let (all, _) = draw(&place, "all.png", &["--area", "all", "--scale", "1/8"]);
    assert!(all.width >= 900 * SIDE / 8);
}

#[test]
fn a_width_shows_means_of_the_same_area() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let area = "-100,-60,60,40";
    let whole = draw(&place, "whole.png", &["-a", area]).0;

    let mean = |picture: &Picture| {
        let sum = |sums: [usize; 3], pixel: &Rgba| {
            std::array::from_fn(|at| sums[at] + usize::from(pixel[at]))
        };
        picture
            .pixels
            .iter()
            .fold([0; 3], sum)
            .map(|sum| sum / picture.pixels.len())
    };

    for (option, value, sides) in [
        ("--width", "70", (70, 44)),
        ("--width", "400", (400, 250)),
        ("--fit", "90x20", (32, 20)),
    ] {
        let name = format!("{value}.png");
        let (picture, ran) = draw(&place, &name, &["-a", area, option, value]);
        assert_eq!((picture.width, picture.height), sides, "{option} {value}");
        assert_eq!(
            (&ran.report()["picture"]["width"], &picture.texts["Area"]),
            (&json!(sides.0), &area.to_owned())
        );

        let (ours, native) = (mean(&picture), mean(&whole));
        assert!(
            ours.iter()
                .zip(native)
                .all(|(ours, native)| ours.abs_diff(native) <= 4),
            "{value}: {ours:?} {native:?}"
        );

        draw(&place, "again.png", &["-a", area, option, value, "-t", "5"]);
        assert!(
            fs::read(place.at("again.png")).unwrap() == fs::read(place.at(&name)).unwrap(),
            "{value}: threads"
        );
    }
}

#[test]
fn hatching_shows_only_where_nothing_is_drawn() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let plain = draw(&place, "plain.png", &[]).0;

    let on_white = ["--hatching", "--background", "ffffff"];
    for (options, paper) in [(&on_white[..1], CLEAR), (&on_white, [255; 4])] {
        let hatched = draw(&place, "hatched.png", options).0;
        assert_eq!(hatched.width, plain.width);

        let mut lines = 0_usize;
        let mut undrawn = 0_usize;
        for (pixel, native) in hatched.pixels.iter().zip(&plain.pixels) {
            if *native == CLEAR {
                undrawn += 1;
                lines += usize::from(*pixel != paper);
            } else {
                assert_eq!(pixel, native);
            }
        }
        assert!(undrawn > 1000 && undrawn.abs_diff(lines * 16) < undrawn / 4);
    }
}

#[test]
fn a_poster_has_a_background_and_a_foot() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let plain = draw(&place, "plain.png", &[]).0;

    let options = [
        "--background",
        "102030",
        "--title",
        "Demo",
        "--scale-bar",
        "--grid",
        "128",
    ];

    let poster = draw(&place, "a/new/folder/poster.png", &options).0;
    assert!(poster.width == plain.width && poster.height > plain.height);

    let clear = || {
        poster
            .pixels
            .iter()
            .zip(&plain.pixels)
            .filter(|(_, native)| **native == CLEAR)
    };

    let backed = clear()
        .filter(|(pixel, _)| **pixel == [16, 32, 48, 255])
        .count();
    assert!(
        backed * 10 > clear().count() * 9 && backed < clear().count(),
        "all but lines and letters"
    );
    assert!(poster.pixels.iter().all(|pixel| pixel[3] == 255));

    // The foot has white letters on a dark background.
    let foot = &poster.pixels[plain.pixels.len()..];
    assert!(foot.iter().filter(|pixel| pixel[0] > 200).count() > 50);

    let map = place.draw("map", &["-d", "overworld"]);
    let mut export = crate::map::program();
    export
        .arg("export")
        .arg(&map.root)
        .arg("-o")
        .arg(place.at("exported.png"))
        .args(options);

    Ran::of(export.output().unwrap()).expect(0, "export");
    assert!(
        fs::read(place.at("exported.png")).unwrap()
            == fs::read(place.at("a/new/folder/poster.png")).unwrap()
    );
}

#[test]
fn refused_oversized_pictures_leave_the_previous_file() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let path = place.at("map.png");
    draw(&place, "map.png", &[]);

    let before = fs::read(&path).unwrap();
    let refused =
        render(&place.world(), &path, &["-a", "-40000,-40000,40000,40000"]).expect(2, "large");
    assert!(
        refused.err.contains("80000 by 80000") && refused.err.contains("--yes"),
        "{}",
        refused.err
    );

    let beyond = ["-a", "-2000000000,0,2000000000,16", "--yes"];
    let refused = render(&place.world(), &path, &beyond).expect(2, "beyond");
    assert!(refused.err.contains("4000000000 by 16"), "{}", refused.err);
    assert!(fs::read(&path).unwrap() == before);
}

#[test]
fn an_empty_area_is_a_clear_picture() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let (picture, ran) = draw(&place, "nothing.png", &["-a", "100000,0,100100,50"]);
    assert_eq!(ran.report()["outcome"], "empty");
    assert_eq!((picture.width, picture.height), (100, 50));
    assert!(picture.pixels.iter().all(|pixel| *pixel == CLEAR));
}

#[test]
fn a_picture_with_gaps_ends_with_code_3() {
    let place = Place::of(&Files::read_under(&fixture("zlib-truncated")));
    render(&place.world(), &place.at("map"), &[]).expect(3, "map");
    let tiles = Map::at(&place.at("map")).pictures("overworld");
    let path = place.at("gaps.png");
    let ran = render(&place.world(), &path, &[]).expect(3, "gaps");
    assert_eq!(ran.report()["outcome"], "gaps");

    let picture = Picture::read(&path);
    let area: Vec<i32> = serde_json::from_value(ran.report()["picture"]["area"].clone()).unwrap();
    for y in 0..picture.height as i32 {
        for x in 0..picture.width as i32 {
            let expected = of_tiles(&tiles, NATIVE, area[0] + x, area[1] + y);
            assert_eq!(picture.at(x as usize, y as usize), expected, "at {x} {y}");
        }
    }

    assert_eq!(ran.report()["picture"]["scale"], json!("1"));
}

#[test]
fn hidden_places_are_not_on_pictures() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let hide = ["--hide", "-40,-24,33,19", "-d", "overworld"];

    let tiles = place.draw("map", &hide).pictures("overworld");
    let (picture, ran) = draw(&place, "hidden.png", &hide);
    let area: Vec<i32> = serde_json::from_value(ran.report()["picture"]["area"].clone()).unwrap();
    for y in 0..picture.height as i32 {
        for x in 0..picture.width as i32 {
            let expected = of_tiles(&tiles, NATIVE, area[0] + x, area[1] + y);
            assert_eq!(picture.at(x as usize, y as usize), expected, "at {x} {y}");
        }
    }

    assert_eq!(
        picture.at(-area[0] as usize, -area[1] as usize),
        CLEAR,
        "hidden by whole chunks"
    );
}

#[test]
fn a_picture_has_the_facts_of_the_map() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let (_, ran) = draw(
        &place,
        "facts.png",
        &["-a", "-5,3,20,30", "--scale", "1/8", "--layer", "height"],
    );

    let picture = &ran.report()["picture"];
    assert_eq!(
        picture["area"],
        json!([-8, 0, 24, 32]),
        "sides inside a pixel move outward"
    );

    assert_eq!(
        (&picture["width"], &picture["height"], &picture["scale"]),
        (&json!(4), &json!(4), &json!("1/8"))
    );
    assert_eq!(
        picture["bytes"].as_u64().unwrap(),
        fs::metadata(place.at("facts.png")).unwrap().len()
    );
}

/// Returns the world file of a picture by GDAL's rule. GDAL accepts `.wld` for every format with
/// world files.
fn wld(path: &Path) -> String {
    fs::read_to_string(path.with_extension("wld")).unwrap()
}

#[test]
fn webp_and_png_pictures_have_equal_pixels() {
    let place = Place::of(&Files::read_under(&fixture("demo")));

    // The last picture is transparent outside all regions, and its strips have different heights.
    let cases: [&[&str]; 4] = [
        &[],
        &["--scale", "1/4"],
        &["-a", "-40,-24,33,19", "--scale", "8"],
        &["-a", "-900,-700,300,1300", "-t", "3"],
    ];

    for (number, options) in cases.into_iter().enumerate() {
        let (png, ran) = draw(&place, &format!("{number}.png"), options);
        let path = place.at(&format!("{number}.webp"));
        let report = render(&place.world(), &path, options)
            .expect(0, "webp")
            .report();

        let webp = image::open(&path).unwrap().into_rgba8();
        assert_eq!(
            (webp.width() as usize, webp.height() as usize),
            (png.width, png.height)
        );
        assert!(
            webp.pixels()
                .zip(&png.pixels)
                .all(|(one, other)| one.0 == *other),
            "{options:?}"
        );

        assert_eq!(
            report["picture"]["bytes"],
            fs::metadata(&path).unwrap().len()
        );
        assert_eq!(report["picture"]["area"], ran.report()["picture"]["area"]);
        assert_eq!(
            wld(&path),
            fs::read_to_string(place.at(&format!("{number}.pgw"))).unwrap()
        );
    }

    let bytes = fs::read(place.at("0.webp")).unwrap();
    render(
        &place.world(),
        &place.at("0.webp"),
        &["-t", "1", "--max-batch", "1"],
    )
    .expect(0, "again");

    assert!(
        fs::read(place.at("0.webp")).unwrap() == bytes,
        "the same bytes"
    );
}

#[test]
fn a_webp_has_at_most_16383_pixels() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let path = place.at("map.webp");
    for (area, width) in [("0,0,16384,16", 16_384), ("-9000,0,9000,16", 18_000)] {
        let refused = render(&place.world(), &path, &["-a", area]).expect(2, "wide");
        assert!(
            refused.err.contains(&format!("{width} by 16")) && refused.err.contains(".png"),
            "{}",
            refused.err
        );
        assert!(!path.exists());
    }

    render(&place.world(), &path, &["-a", "0,0,16383,16"]).expect(0, "at the limit");
    assert_eq!(image::open(&path).unwrap().width(), 16_383);
}
