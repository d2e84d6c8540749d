//! Tests that a map shows hidden chunks as if they were absent, and that they can come back.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::{REGIONS, all_layers, chunk, drawn, file, put_regions, unchanged_world, with, without};
use crate::map::{Map, Place, assert_same_files, render};
use crate::world::RegionSpec;

/// One chunk inside a region, some at a border, some at the corner of four regions, and all stored
/// chunks of one region.
const RECTANGLES: [(&str, [i32; 4]); 5] = [
    ("17,17,18,18", [1, 1, 2, 2]),
    ("-1,-32,31,-17", [-1, -2, 2, -1]),
    ("-16,-16,16,16", [-1, -1, 1, 1]),
    ("500,530,560,500", [31, 31, 35, 34]),
    ("520,520,600,600", [32, 32, 38, 38]),
];

#[test]
fn hidden_chunks_count_as_absent() {
    let (all, place) = (all_layers(), Place::of(&unchanged_world()));
    let whole = place.draw("whole", &with(&all, &[])).files();
    for ((text, [x0, z0, x1, z1]), threads) in
        RECTANGLES.into_iter().zip(["1", "3"].into_iter().cycle())
    {
        let bare = Place::of(&without(|x, z| {
            (x0..x1).contains(&x) && (z0..z1).contains(&z)
        }));
        let expected = bare.draw("map", &with(&all, &[])).files();
        assert!(expected != whole, "{text}: this tests nothing");

        let hidden = place.draw(text, &with(&all, &["--hide", text, "-t", threads]));
        assert_same_files(
            &format!("--hide {text} with {threads} threads"),
            &expected,
            &hidden.files(),
        );

        let area = ["-a", "-20,-30,540,520"];
        let expected = bare.draw("part", &with(&all, &area)).files();
        let part = place.draw(
            &format!("part {text}"),
            &[&with(&all, &area)[..], &["--hide", text]].concat(),
        );
        assert_same_files(
            &format!("a part of the map with --hide {text}"),
            &expected,
            &part.files(),
        );
    }
}

#[test]
fn a_polygon_hides_every_touched_chunk() {
    let mut files = unchanged_world();
    put_regions(&mut files, "DIM-1/region", &|_, _| None);
    let place = Place::of(&files);

    // A triangle around the origin with a hole, and a square.
    let polygons = json!({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [
            [[-40, -40], [40, -40], [-40, 40], [-40, -40]], [[-32, -32], [-32, -16], [-16, -16], [-16, -32], [-32, -32]]]}},
        {"type": "Feature", "properties": {}, "geometry": {"type": "MultiPolygon", "coordinates": [
            [[[512, 512], [528, 512], [528, 528], [512, 528], [512, 512]]]]}},
    ]});
    fs::write(place.at("hidden.geojson"), polygons.to_string()).unwrap();

    let is_gone = |x: i32, z: i32| {
        // The chunk's north-west column is the deepest one in the triangle.
        let in_triangle =
            (-3..3).contains(&x) && (-3..3).contains(&z) && x.max(-3) * 16 + z.max(-3) * 16 < 0;
        (in_triangle && (x, z) != (-2, -2)) || (x, z) == (32, 32)
    };

    let mut bare = without(is_gone);
    put_regions(&mut bare, "DIM-1/region", &|x, z| {
        is_gone(x, z).then_some(None)
    });
    let expected = Place::of(&bare).draw("map", &[]).files();
    let path = place.at("hidden.geojson");
    let hidden = place.draw("map", &["--hide", path.to_str().unwrap()]);
    assert_same_files("a polygon", &expected, &hidden.files());

    // Several options together hide all of their places.
    let more = [
        "--hide",
        path.to_str().unwrap(),
        "--hide",
        "544,512,545,513",
        "--hide",
        "0,0,1,1",
    ];

    let gone = |x: i32, z: i32| is_gone(x, z) || [(34, 32), (0, 0)].contains(&(x, z));
    let expected = Place::of(&without(gone))
        .draw("map", &["-d", "overworld"])
        .files();
    let hidden = place.draw("more", &[&more[..], &["-d", "overworld"]].concat());
    assert_same_files("three", &expected, &hidden.files());
}

#[test]
fn a_wholly_hidden_region_counts_as_missing() {
    let place = Place::of(&unchanged_world());

    let mut bare = unchanged_world();
    for (x, z) in [(1, 1), (0, 1)] {
        bare.0.remove(&format!("region/r.{x}.{z}.mca")).unwrap();
    }

    let expected = Place::of(&bare).draw("map", &[]).files();

    // Nobody opens the region file, so its damage is not reported.
    fs::remove_file(file(&place, 1, 1)).unwrap();
    fs::create_dir(file(&place, 1, 1)).unwrap();
    let ran = render(
        &place.world(),
        &place.at("map"),
        &["--hide", "0,512,1024,1024"],
    )
    .expect(0, "two regions");

    assert_same_files("two regions", &expected, &Map::at(&place.at("map")).files());
    let report = ran.report();
    assert_eq!(
        report["regions"],
        json!({"total": 10, "drawn": 8, "unchanged": 0, "failed": 0, "hidden": 2})
    );
    assert!(ran.err.contains("hidden: 2 whole regions"), "{}", ran.err);
}

#[test]
fn hidden_places_vanish_and_can_come_back() {
    for check in ["quick", "content"] {
        let all = ["-l", "biome", "-l", "day"].map(str::to_owned);
        let place = Place::of(&unchanged_world());
        let whole = place.draw("map", &with(&all, &["--check", check])).files();

        // After this time the program trusts the stamp of a file, so only the hidden places can
        // cause a new drawing.
        if check == "quick" {
            std::thread::sleep(std::time::Duration::from_millis(2100));
            place.draw("map", &with(&all, &["-f"]));
        }

        for (text, touched, back) in [
            ("17,17,18,18", 1, 1),
            ("0,-32,1,-31", 3, 2),
            ("-16,-16,16,16", 4, 4),
            ("0,0,512,512", 7, 8),
        ] {
            let hide = with(&all, &["--hide", text, "--check", check]);
            let report = render(&place.world(), &place.at("map"), &hide)
                .expect(0, text)
                .report();
            let fresh = place.draw(&format!("fresh {text}"), &hide).files();
            let map = Map::at(&place.at("map"));
            assert_same_files(
                &format!("{check}: --hide {text} on a map"),
                &fresh,
                &map.files(),
            );

            for zoom in 15..=17 {
                let part = format!("overworld/day/{zoom}/");
                let mut tiles = whole.iter().filter(|(path, _)| path.starts_with(&part));
                let hidden = map.files();
                assert!(
                    tiles.any(|(path, tile)| hidden.get(path) != Some(tile)),
                    "{text}: zoom {zoom} is drawn anew"
                );
            }

            assert!(
                drawn(&report) <= touched,
                "{check}, {text}: {}",
                report["regions"]
            );

            let again = render(&place.world(), &place.at("map"), &hide)
                .expect(0, text)
                .report();
            assert_eq!(
                (drawn(&again), &again["tiles"]["written"]),
                (0, &json!(0)),
                "{check}, {text}: once more"
            );

            assert_eq!(
                again["chunks"]["hidden"], report["chunks"]["hidden"],
                "{check}, {text}: counted anew"
            );

            let shown = with(&all, &["--check", check]);
            let report = render(&place.world(), &place.at("map"), &shown)
                .expect(0, text)
                .report();
            assert!(
                (1..=back).contains(&drawn(&report)),
                "{check}, {text}: back, {}",
                report["regions"]
            );

            assert_same_files(
                &format!("{check}: {text} is shown again"),
                &whole,
                &map.files(),
            );
        }
    }
}

#[test]
fn only_hiding_may_remove_many_tiles() {
    let place = Place::of(&unchanged_world());
    let map = place.draw("map", &[]);

    // All stored chunks are in these rectangles. Only the first rectangle consists of whole
    // regions.
    let all = ["--hide", "-512,-512,1024,1024", "--hide", "976,-48,1072,48"];
    let wiped: Vec<PathBuf> = REGIONS.iter().map(|&(x, z)| file(&place, x, z)).collect();
    let bytes: Vec<Vec<u8>> = wiped.iter().map(|path| fs::read(path).unwrap()).collect();

    // A world that is not mounted: its files are empty. A place in each of them is hidden.
    for path in &wiped {
        fs::File::create(path).unwrap();
    }

    let somewhere: Vec<String> = REGIONS
        .iter()
        .map(|(x, z)| format!("{},{},{},{}", x * 512, z * 512, x * 512 + 60, z * 512 + 60))
        .collect();
    let hide: Vec<&str> = somewhere.iter().flat_map(|text| ["--hide", text]).collect();
    let before = map.files();
    let ran = render(&place.world(), &map.root, &hide).expect(1, "empty files");
    assert!(ran.err.contains("--max-removed"), "{}", ran.err);
    assert_same_files("nothing was removed", &before, &map.files());

    for (path, bytes) in wiped.iter().zip(bytes) {
        fs::write(path, bytes).unwrap();
    }

    let report = render(&place.world(), &map.root, &all)
        .expect(0, "all hidden")
        .report();
    assert_eq!(
        (&report["outcome"], &report["chunks"]["drawn"]),
        (&json!("empty"), &json!(0))
    );

    assert!(
        map.tiles("overworld").is_empty(),
        "{:?}",
        map.tiles("overworld")
    );

    assert_same_files(
        "as a first run",
        &place.draw("fresh", &all).files(),
        &map.files(),
    );

    // Chunks below the limit are still shown next to the hidden ones.
    place.draw("map", &[]);

    for (x, z) in [(-1, -1), (0, -1), (-1, 0), (0, 0), (2, 0), (2, -1)] {
        fs::remove_file(file(&place, x, z)).unwrap();
    }

    render(&place.world(), &map.root, &["--hide", "0,512,1024,1024"])
        .expect(1, "most of the rest is gone");
}

#[test]
fn hiding_a_far_region_removes_its_zoom_levels() {
    let mut files = without(|x, z| (x >> 5, z >> 5) != (0, 0) && (x >> 5, z >> 5) != (1, 1));
    for (x, z) in REGIONS.iter().filter(|at| ![(0, 0), (1, 1)].contains(at)) {
        files.0.remove(&format!("region/r.{x}.{z}.mca")).unwrap();
    }

    let expected = Place::of(&files).draw("map", &[]).files();
    let far = [
        (900, 900),
        (80, 900),
        (-900, 900),
        (-900, -900),
        (900, -900),
    ];

    for (x, z) in far {
        let mut far = RegionSpec::new(x, z);
        far.put(&chunk(x * 32, z * 32));
        files.put_region("region", &far);
    }

    let place = Place::of(&files);
    let map = place.draw("map", &[]);
    assert!(map.tiles("overworld").keys().any(|(zoom, ..)| *zoom < 12));

    // Hides either the stored chunk of a region or the whole region.
    let hide = far.map(|(x, z)| {
        let side = if x > 0 { 512 } else { 16 };
        format!(
            "{},{},{},{}",
            x * 512,
            z * 512,
            x * 512 + side,
            z * 512 + side
        )
    });

    let whole: Vec<&str> = hide[..2]
        .iter()
        .chain(&hide[4..])
        .flat_map(|text| ["--hide", text])
        .collect();

    let rest = ["--hide", &hide[2], "--hide", &hide[3]];
    let drawn = place.draw("map", &[&whole[..], &rest].concat());

    assert_eq!(
        drawn
            .tiles("overworld")
            .keys()
            .filter(|(zoom, ..)| *zoom == 17)
            .count(),
        2
    );

    for (x, z) in [(-900, 900), (-900, -900)] {
        fs::remove_file(file(&place, x, z)).unwrap();
    }

    place.draw("map", &whole);
    assert_same_files("near regions", &expected, &map.files());
}
