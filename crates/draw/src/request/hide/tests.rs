//! Tests which chunks polygons hide, and which files are refused.

use super::polygon::Polygon;
use crate::request::hide::geojson::{MAX_CORNERS, polygons};
use crate::request::hide::polygon::Corner;
use crate::request::hide::*;
use pixelmap_base::coord::{Area, RegionPos, SlotSet};

fn hidden(text: &str) -> HiddenPlaces {
    HiddenPlaces::new(Vec::new(), polygons(text).unwrap())
}

/// Returns a polygon with these rings, each given without its repeated last position.
fn polygon(rings: &[&[(i32, i32)]]) -> String {
    let closed = |ring: &&[(i32, i32)]| -> Vec<[i32; 2]> {
        ring.iter()
            .chain(&ring[..1])
            .map(|&(x, z)| [x, z])
            .collect()
    };
    let rings: Vec<_> = rings.iter().map(closed).collect();
    serde_json::json!({"type": "Polygon", "coordinates": rings}).to_string()
}

/// Returns the hidden chunks in the four regions around the origin.
fn chunks(hidden: &HiddenPlaces) -> Vec<(i32, i32)> {
    let regions = [(-1, -1), (0, -1), (-1, 0), (0, 0)].map(|(x, z)| RegionPos { x, z });

    let of = |region: RegionPos| {
        hidden
            .slots(region)
            .slots()
            .map(move |slot| region.chunk(slot))
            .collect::<Vec<_>>()
    };

    let mut chunks: Vec<_> = regions
        .into_iter()
        .flat_map(of)
        .map(|chunk| (chunk.x, chunk.z))
        .collect();
    chunks.sort_unstable();

    chunks
}

#[test]
fn a_rectangle_hides_every_chunk_it_touches() {
    let rectangle = |x0, z0, x1, z1| {
        chunks(&HiddenPlaces::new(
            vec![Area { x0, z0, x1, z1 }],
            Vec::new(),
        ))
    };

    assert_eq!(rectangle(0, 0, 16, 16), [(0, 0)], "half-open");
    assert_eq!(rectangle(15, 15, 17, 16), [(0, 0), (1, 0)]);
    assert_eq!(rectangle(-1, 0, 1, 1), [(-1, 0), (0, 0)]);
    assert_eq!(
        rectangle(i32::MIN, i32::MIN, i32::MAX, i32::MAX).len(),
        4096
    );
    assert_eq!(rectangle(-512, -512, 512, 512).len(), 4096);
    assert_eq!(rectangle(512, 0, 900, 512), []);
}

#[test]
fn a_rectangle_hides_as_much_as_a_polygon() {
    for [x0, z0, x1, z1] in [
        [0, 0, 16, 16],
        [-33, 7, 5, 8],
        [-512, -512, 512, 512],
        [100, -300, 400, -299],
    ] {
        let area = HiddenPlaces::new(vec![Area { x0, z0, x1, z1 }], Vec::new());
        let ring = polygon(&[&[(x0, z0), (x1, z0), (x1, z1), (x0, z1)]]);
        assert_eq!(chunks(&hidden(&ring)), chunks(&area), "{ring}");
    }
}

/// Compares with the separating axis theorem: two convex shapes overlap unless a side of one of
/// them separates them.
#[test]
fn a_triangle_hides_every_chunk_that_it_enters() {
    let mut seed = 7_u64;
    let mut below = |bound: i32| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as i32 % bound
    };

    let mut total = 0;
    for case in 0..300 {
        let (wide, step) = ([30, 200, 2000][case % 3], [1, 4, 16][case / 3 % 3]);
        let corner = (below(900) - 450, below(900) - 450);
        let mut place = |from: i32| (from - wide / 2 + below(wide)).div_euclid(step) * step;

        let triangle: [(i32, i32); 3] = std::array::from_fn(|_| (place(corner.0), place(corner.1)));
        let directions = [0, 1, 2]
            .map(|n| (triangle[n], triangle[(n + 1) % 3]))
            .map(|(a, b)| (b.1 - a.1, a.0 - b.0));

        let is_entered = |x: i32, z: i32| {
            let chunk =
                [(0, 0), (16, 0), (0, 16), (16, 16)].map(|(dx, dz)| (x * 16 + dx, z * 16 + dz));
            directions.iter().chain(&[(1, 0), (0, 1)]).all(|(dx, dz)| {
                let along = |(x, z): (i32, i32)| x * dx + z * dz;
                let (a, b) = (triangle.map(along), chunk.map(along));

                let ends = |all: &[i32]| {
                    (
                        all.iter().copied().min().unwrap(),
                        all.iter().copied().max().unwrap(),
                    )
                };

                let ((a0, a1), (b0, b1)) = (ends(&a), ends(&b));

                // A side without length has no direction, so it cannot separate anything.
                (a0 < b1 && b0 < a1) || (*dx, *dz) == (0, 0)
            })
        };

        let is_flat = directions[0].0 * directions[1].1 == directions[0].1 * directions[1].0;
        if is_flat {
            continue;
        }

        let all = (-32..32).flat_map(|x| (-32..32).map(move |z| (x, z)));
        let expected: Vec<_> = all.filter(|&(x, z)| is_entered(x, z)).collect();
        assert_eq!(
            chunks(&hidden(&polygon(&[&triangle]))),
            expected,
            "{triangle:?}"
        );
        total += expected.len();
    }

    assert!(total > 30_000, "{total} chunks: this tests little");
}

#[test]
fn chunks_inside_a_hole_are_not_hidden() {
    let outer = [(0, 0), (80, 0), (80, 80), (0, 80)];
    let left = |hole: [(i32, i32); 4]| {
        let found = chunks(&hidden(&polygon(&[&outer, &hole])));
        let all = (0..5).flat_map(|x| (0..5).map(move |z| (x, z)));
        all.filter(|at| !found.contains(at)).collect::<Vec<_>>()
    };
    assert_eq!(
        left([(16, 16), (16, 48), (47, 48), (47, 16)]),
        [(1, 1), (1, 2)]
    );
    assert_eq!(left([(17, 16), (17, 48), (31, 48), (31, 16)]), []);
}

#[test]
fn a_ring_hides_all_that_it_winds_around() {
    let bow = chunks(&hidden(&polygon(&[&[
        (0, 0),
        (160, 160),
        (160, 0),
        (0, 160),
    ]])));

    assert!(
        bow.contains(&(0, 5))
            && bow.contains(&(9, 5))
            && !bow.contains(&(5, 1))
            && !bow.contains(&(5, 9))
    );

    let square = [(0, 0), (160, 0), (160, 160), (0, 160)];
    assert_eq!(
        chunks(&hidden(&polygon(&[&[square, square].concat()]))).len(),
        100,
        "twice around"
    );
}

#[test]
fn polygons_are_found_in_every_geojson_form() {
    let square = |x: i32| format!("[[{x},0],[{},0],[{},5],[{x},5],[{x},0]]", x + 5, x + 5);
    let polygon = |x: i32| format!(r#"{{"coordinates":[{}],"type":"Polygon"}}"#, square(x));
    let multi = format!(
        r#"{{"type":"MultiPolygon","coordinates":[[{}],[{}]]}}"#,
        square(0),
        square(32)
    );

    let feature = format!(
        r#"{{"type":"Feature","properties":{{"type":"x"}},"geometry":{}}}"#,
        polygon(64)
    );

    let collection = format!(
        r#"{{"type":"GeometryCollection","geometries":[{multi},{}]}}"#,
        polygon(96)
    );
    let all = format!(
        "\u{feff}{{\"type\":\"FeatureCollection\",\"name\":null,\"features\":[{feature},{{\"type\":\"Feature\",\"geometry\":{collection}}}]}}"
    );
    assert_eq!(chunks(&hidden(&all)), [(0, 0), (2, 0), (4, 0), (6, 0)]);
    assert_eq!(chunks(&hidden(&feature)), [(4, 0)]);

    let heights = r#"{"type":"Polygon","coordinates":[[[0,0,9],[5,0,9,1],[5,5],[0,0]]]}"#;
    assert_eq!(chunks(&hidden(heights)), [(0, 0)]);
}

#[test]
fn bad_hiding_files_are_refused_with_a_remedy() {
    let square = "[[0,0],[5,0],[5,5],[0,0]]";

    let collection = |more: &str| {
        format!(
            "{{\"type\":\"FeatureCollection\",\n\"features\":[\n{{\"type\":\"Feature\"{more}}}]}}"
        )
    };

    let feature = |geometry: &str| collection(&format!(",\"geometry\":{geometry}"));

    let of = |kind: &str, coordinates: &str| {
        feature(&format!(
            r#"{{"type":"{kind}","coordinates":{coordinates}}}"#
        ))
    };

    let deep = "{\"type\":\"GeometryCollection\",\"geometries\":[".repeat(100_000);
    for (text, path, says) in [
        (
            "{\n\"type\": ]".to_owned(),
            "",
            "line 2 column 9; give polygons",
        ),
        (String::new(), "", "not GeoJSON"),
        ("7".to_owned(), "", "not GeoJSON"),
        (format!("[\"Polygon\", [{square}]]"), "", "not GeoJSON"),
        (deep, "", "recursion limit"),
        ("[".repeat(100_000), "", "not GeoJSON"),
        (
            "{\"coordinates\": []}".to_owned(),
            "",
            "missing field `type`",
        ),
        (
            r#"{"type":"FeatureCollection","features":[]}"#.to_owned(),
            "",
            "no polygon",
        ),
        (r#"{"type":"FeatureCollection"}"#.to_owned(), "", "features"),
        (r#"{"type":"Topology"}"#.to_owned(), "", "Topology"),
        (collection(""), "features[0]", "without geometry"),
        (feature("null"), "features[0]", "without geometry"),
        (
            of("LineString", "[[0,0],[1,1]]"),
            "features[0].geometry",
            "as a Polygon",
        ),
        (of("Point", "[0,0]"), "features[0].geometry", "as a Polygon"),
        (feature(r#"{"type":"Polygon"}"#), "", "line 3"),
        (of("Polygon", "7"), "", "line 3"),
        (of("Polygon", &format!("[[{square}]]")), "", "line 3"),
        (
            of("Polygon", "[]"),
            "features[0].geometry.coordinates",
            "without a ring",
        ),
        (
            of("Polygon", "[[[0,0],[9,0],[9,9],[0,9]]]"),
            "features[0].geometry.coordinates[0]",
            "not closed",
        ),
        (
            of("Polygon", "[[[0,0],[9,0],[0,0]]]"),
            "features[0].geometry.coordinates[0]",
            "four positions",
        ),
        (
            of("Polygon", "[[[0,0],[9,\"0\"],[9,9],[0,0]]]"),
            "",
            "line 3",
        ),
        (
            of("Polygon", "[[[0,0],[9,1e999],[9,9],[0,0]]]"),
            "",
            "line 3",
        ),
        (
            of("Polygon", "[[[0,0],[9,null],[9,9],[0,0]]]"),
            "",
            "line 3",
        ),
        (
            of("Polygon", "[[[0,0],[9],[9,9],[0,0]]]"),
            "features[0].geometry.coordinates[0][1]",
            "give [x, z] in blocks",
        ),
        (
            of(
                "MultiPolygon",
                &format!("[[{square}],[{square},[[0,0],[9,9],[3e9,9],[0,0]]]]"),
            ),
            "features[0].geometry.coordinates[1][1][2]",
            "outside any world: give [x, z] in blocks",
        ),
        (
            format!(
                r#"{{"type":"GeometryCollection","geometries":[{},{{"type":"MultiPoint","coordinates":[]}}]}}"#,
                polygon(&[&[(0, 0), (5, 0), (5, 5)]])
            ),
            "geometries[1]",
            "as a Polygon",
        ),
    ] {
        let error = polygons(&text).unwrap_err();
        let start = &text[..text.len().min(200)];
        assert_eq!(error.path, path, "{start}: {error}");
        assert!(error.message.contains(says), "{start}: {error}");
    }
}

#[test]
fn too_many_corners_are_refused() {
    let ring = format!(
        "[{}[0,0]]",
        "[0,0],[9,0],[9,9],[0,9],".repeat(MAX_CORNERS / 8)
    );
    let text = |rings: &str| format!(r#"{{"type":"MultiPolygon","coordinates":[[{rings}]]}}"#);
    assert!(polygons(&text(&ring)).is_ok());
    let error = polygons(&text(&[ring.as_str(), &ring].join(","))).unwrap_err();
    assert_eq!(error.path, "coordinates[0][1]");
    assert!(error.message.contains("1000000"), "{error}");
}

/// Returns a jagged ring that is `blocks` wide.
fn jagged(corners: usize, (x, z): (f64, f64), blocks: f64) -> Polygon {
    let mut ring: Vec<Corner> = (0..corners)
        .map(|n| {
            let angle = n as f64 / corners as f64 * std::f64::consts::TAU;
            let radius = blocks / 2.0 * (1.0 - 0.05 * (n % 3) as f64);
            Corner::from_blocks(x + angle.cos() * radius, z + angle.sin() * radius).unwrap()
        })
        .collect();
    ring.push(ring[0]);
    Polygon::new(&ring, &[])
}

#[test]
fn a_polygon_with_many_corners_hides_its_inside() {
    let side = 64;
    let regions = || {
        (0..side * side).map(|at| RegionPos {
            x: at % side - side / 2,
            z: at / side - side / 2,
        })
    };

    let place = |n: i32| f64::from(n) * 320.0 - 16_000.0;

    let one = vec![jagged(20_000, (0.0, 0.0), f64::from(side) * 512.0)];
    let many = (0..10_000)
        .map(|n| jagged(100, (place(n % 100), place(n / 100)), 300.0))
        .collect();
    for (what, polygons, full, some) in [
        ("one", one, 2000..3217, 3000..3400),
        ("many", many, 0..1, 3900..4097),
    ] {
        let hidden = HiddenPlaces::new(Vec::new(), polygons);
        let found: Vec<SlotSet> = regions().map(|region| hidden.slots(region)).collect();
        let count = |is: fn(&SlotSet) -> bool| found.iter().filter(|slots| is(slots)).count();
        let (all, any) = (count(SlotSet::is_full), count(|slots| !slots.is_empty()));
        assert!(
            full.contains(&all) && some.contains(&any),
            "{what}: {all} of {any}"
        );
    }
}
