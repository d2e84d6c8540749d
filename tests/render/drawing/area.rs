//! Tests areas: they are exact to the block, and their pixels equal the full render.

use crate::map::{
    CLEAR, Map, NATIVE, Place, Rgba, SIDE, assert_same_files, fixture, land, look, render,
};
use crate::world::Files;

/// Areas of the demo and of the world of two dimensions. Some cut chunks, some cross regions, and
/// one is a whole region.
const AREAS: [[i32; 4]; 7] = [
    [-20, -20, 20, 20],
    [-100, -37, 77, 91],
    [5, 7, 6, 8],
    [0, 0, 512, 512],
    [-512, 3, 513, 4],
    [-16, -16, 16, 16],
    [-1, -600, 1, 600],
];

fn text([x0, z0, x1, z1]: [i32; 4]) -> String {
    format!("{x0},{z0},{x1},{z1}")
}

/// Returns the pixels of a native tile that are inside an area, and clear pixels elsewhere.
fn masked(pixels: &[Rgba], (x, y): (i32, i32), [x0, z0, x1, z1]: [i32; 4]) -> Vec<Rgba> {
    let side = SIDE as i32;
    let inside = |at: usize| {
        let (px, pz) = (x * side + at as i32 % side, y * side + at as i32 / side);
        (x0..x1).contains(&px) && (z0..z1).contains(&pz)
    };
    pixels
        .iter()
        .enumerate()
        .map(|(at, pixel)| if inside(at) { *pixel } else { CLEAR })
        .collect()
}

fn assert_areas(world: &Files) {
    let place = Place::of(world);
    let full = place
        .draw("full", &["-d", "overworld"])
        .pictures("overworld");
    for area in AREAS {
        let name = text(area);
        let part = place
            .draw(&name, &["-d", "overworld", "-a", &name])
            .pictures("overworld");
        let mut tiles = 0;
        for ((_, x, y), pixels) in full.iter().filter(|((zoom, ..), _)| *zoom == NATIVE) {
            let expected = masked(pixels, (*x, *y), area);
            let found = part.get(&(NATIVE, *x, *y));
            if expected.iter().all(|pixel| *pixel == CLEAR) {
                assert!(
                    found.is_none(),
                    "area {name}: tile {x}, {y} is written and shows nothing of it"
                );
                continue;
            }

            tiles += 1;
            assert!(
                found == Some(&expected),
                "area {name}: tile {x}, {y} is not that part of the full map"
            );
        }

        assert!(tiles > 0, "area {name} shows nothing");
        assert_eq!(
            part.keys().filter(|(zoom, ..)| *zoom == NATIVE).count(),
            tiles,
            "area {name}: tiles too many"
        );
        look::assert_pyramid(&format!("area {name}"), &part);
    }
}

#[test]
fn a_demo_area_equals_the_full_render() {
    assert_areas(&Files::read_under(&fixture("demo")));
}

#[test]
fn area_across_many_regions_equals_the_full_render() {
    assert_areas(&land::two_dimensions());
}

#[test]
fn an_area_takes_its_corners_in_any_order() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let area = place.draw("area", &["--area", "-43,-23,37,57"]);
    let ways: [(&str, &[&str]); 4] = [
        ("turned", &["-a", "37,57,-43,-23"]),
        ("crossed", &["-a=37,-23,-43,57"]),
        ("square", &["--center", "-3,17", "--radius", "40"]),
        ("square-with-=", &["--center=-3,17", "--radius=40"]),
    ];
    for (name, options) in ways {
        assert_same_files(name, &area.files(), &place.draw(name, options).files());
    }
}

#[test]
fn an_area_without_chunks_gives_an_empty_map() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    for (name, area) in [
        ("inside-a-region", "490,490,500,500"),
        ("elsewhere", "100000,0,100100,50"),
    ] {
        let out = place.at(name);
        let ran = render(&place.world(), &out, &["-a", area]).expect(0, name);
        assert_eq!(ran.report()["outcome"], "empty", "{name}");
        assert!(Map::at(&out).tiles("overworld").is_empty(), "{name}");
        assert!(out.join("map.json").is_file(), "{name}");
    }
}

#[test]
fn the_requested_area_is_reported() {
    let place = Place::of(&Files::read_under(&fixture("demo")));
    let ran = render(
        &place.world(),
        &place.at("map"),
        &["--center", "-3,17", "--radius", "40"],
    )
    .expect(0, "square");
    assert_eq!(
        ran.report()["options"]["area"],
        serde_json::json!([-43, -23, 37, 57])
    );
    assert!(ran.err.contains("area: -43,-23,37,57"), "{}", ran.err);
}
