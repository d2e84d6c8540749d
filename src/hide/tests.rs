//! Chunks told by naive tests of every chunk against every edge, and what is refused.

use super::*;

/// Numbers that look random and are the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound as u64) as i64
    }
}

/// A ring in quarters of a block.
type Quarters = Vec<(i64, i64)>;

/// The corners lie on borders of blocks, of chunks or anywhere.
fn ring(numbers: &mut Numbers) -> Quarters {
    let step = [1, 4, 32, 64][numbers.below(4) as usize];
    let wide = [64, 600, 5000][numbers.below(3) as usize];
    let corner = (numbers.below(4000) - 2000, numbers.below(4000) - 2000);
    let more = numbers.below(9);
    let mut place = || {
        let along = |from: i64, n: i64| (from + n).div_euclid(step) * step;
        (along(corner.0, numbers.below(wide)), along(corner.1, numbers.below(wide)))
    };
    let mut ring: Quarters = (0..3).map(|_| place()).collect();
    (0..more).for_each(|_| ring.push(place()));
    ring.push(ring[0]);
    ring
}

fn positions(ring: &Quarters) -> Vec<Position> {
    ring.iter().map(|&(x, z)| Position::of_blocks(x as f64 / 4.0, z as f64 / 4.0).unwrap()).collect()
}

fn cross((ax, az): (i64, i64), (bx, bz): (i64, i64), (x, z): (i64, i64)) -> i64 {
    (bx - ax) * (z - az) - (x - ax) * (bz - az)
}

/// Whether an edge passes through the inside of the chunk with this corner: none of its sides, nor the edge itself, parts
/// the two.
fn passes(a: (i64, i64), b: (i64, i64), (x, z): (i64, i64)) -> bool {
    let ((x1, z1), is_beside) = ((x + 64, z + 64), |a: i64, b: i64, low, high| a.max(b) <= low || a.min(b) >= high);
    if is_beside(a.0, b.0, x, x1) || is_beside(a.1, b.1, z, z1) {
        return false;
    }
    let sides = [(x, z), (x1, z), (x, z1), (x1, z1)].map(|corner| cross(a, b, corner));
    a == b || (sides.iter().any(|&side| side > 0) && sides.iter().any(|&side| side < 0))
}

fn winds_around(ring: &Quarters, place: (i64, i64)) -> bool {
    let turns = ring.windows(2).map(|edge| match (edge[0].1 <= place.1, edge[1].1 <= place.1) {
        (true, false) if cross(edge[0], edge[1], place) > 0 => 1,
        (false, true) if cross(edge[0], edge[1], place) < 0 => -1,
        _ => 0,
    });
    turns.sum::<i64>() != 0
}

fn is_hidden(polygon: &[Quarters], corner: (i64, i64)) -> bool {
    let is_passed = |ring: &Quarters| ring.windows(2).any(|edge| passes(edge[0], edge[1], corner));
    let is_around = |ring: &Quarters| winds_around(ring, (corner.0 + 32, corner.1 + 32));
    let in_hole = || polygon[1..].iter().any(|hole| is_around(hole) && !is_passed(hole));
    is_passed(&polygon[0]) || is_around(&polygon[0]) && !in_hole()
}

#[test]
fn the_chunks_of_a_polygon_are_those_that_a_test_of_every_edge_finds() {
    let mut numbers = Numbers(7);
    let (mut compared, mut hidden) = (0, 0);
    for case in 0..400 {
        let polygons: Vec<Vec<Quarters>> =
            (0..=numbers.below(3)).map(|_| (0..=numbers.below(3)).map(|_| ring(&mut numbers)).collect()).collect();
        let made: Result<Vec<Polygon>, _> = polygons
            .iter()
            .map(|rings| {
                let holes: Vec<_> = rings[1..].iter().map(positions).collect();
                Polygon::new(&positions(&rings[0]), &holes)
            })
            .collect();
        // Corners on so few borders may lie on one line.
        let Ok(made) = made else { continue };
        let all = Hidden::new(Vec::new(), made);
        for region in [(-1, -1), (0, 0), (-1, 0), (1, 0)].map(|(x, z)| RegionPos { x, z }) {
            let slots = all.slots(region);
            for slot in Slot::all() {
                let chunk = region.chunk(slot);
                let corner = (i64::from(chunk.x) * 64, i64::from(chunk.z) * 64);
                let expected = polygons.iter().any(|polygon| is_hidden(polygon, corner));
                assert_eq!(slots.has(slot), expected, "case {case}: chunk {chunk} of {polygons:?}");
                hidden += u32::from(expected);
            }
            compared += 1;
        }
    }
    assert!(compared > 1000 && hidden > 30_000, "{compared} regions, {hidden} chunks: this tests little");
}

fn hidden(text: &str) -> Hidden {
    Hidden::new(Vec::new(), polygons(text).unwrap())
}

/// The chunks hidden in the four regions around the origin.
fn chunks(hidden: &Hidden) -> Vec<(i32, i32)> {
    let regions = [(-1, -1), (0, -1), (-1, 0), (0, 0)].map(|(x, z)| RegionPos { x, z });
    let mut chunks: Vec<_> = regions
        .iter()
        .flat_map(|&region| hidden.slots(region).slots().map(move |slot| region.chunk(slot)).collect::<Vec<_>>())
        .map(|chunk| (chunk.x, chunk.z))
        .collect();
    chunks.sort_unstable();
    chunks
}

#[test]
fn a_rectangle_hides_every_chunk_with_a_column_in_it_and_no_other() {
    let rectangle = |x0, z0, x1, z1| chunks(&Hidden::new(vec![Area { x0, z0, x1, z1 }], Vec::new()));
    assert_eq!(rectangle(0, 0, 16, 16), [(0, 0)], "half-open");
    assert_eq!(rectangle(15, 15, 17, 16), [(0, 0), (1, 0)]);
    assert_eq!(rectangle(-1, 0, 1, 1), [(-1, 0), (0, 0)]);
    assert_eq!(rectangle(i32::MIN, i32::MIN, i32::MAX, i32::MAX).len(), 4096);
    assert_eq!(rectangle(-512, -512, 512, 512).len(), 4096);
    assert_eq!(rectangle(512, 0, 900, 512), []);
}

#[test]
fn a_rectangle_and_the_same_as_a_polygon_hide_the_same() {
    for [x0, z0, x1, z1] in [[0, 0, 16, 16], [-33, 7, 5, 8], [-512, -512, 512, 512], [100, -300, 400, -299]] {
        let ring = format!("[[{x0},{z0}],[{x1},{z0}],[{x1},{z1}],[{x0},{z1}],[{x0},{z0}]]");
        let polygon = hidden(&format!(r#"{{"type": "Polygon", "coordinates": [{ring}]}}"#));
        let area = Hidden::new(vec![Area { x0, z0, x1, z1 }], Vec::new());
        assert_eq!(chunks(&polygon), chunks(&area));
    }
}

#[test]
fn what_lies_wholly_in_a_hole_is_not_hidden() {
    let text = r#"{"type": "Polygon", "coordinates": [
        [[0,0],[80,0],[80,80],[0,80],[0,0]],
        [[16,16],[16,48],[47.5,48],[47.5,16],[16,16]]]}"#;
    let all = (0..5).flat_map(|x| (0..5).map(move |z| (x, z)));
    let left: Vec<_> = all.filter(|&at| at != (1, 1) && at != (1, 2)).collect();
    assert_eq!(chunks(&hidden(text)), left);
}

#[test]
fn a_ring_that_crosses_itself_hides_all_that_it_winds_around() {
    let bow = r#"{"type": "Polygon", "coordinates": [[[0,0],[160,160],[160,0],[0,160],[0,0]]]}"#;
    let found = chunks(&hidden(bow));
    assert!(found.contains(&(0, 5)) && found.contains(&(9, 5)) && !found.contains(&(5, 1)) && !found.contains(&(5, 9)));
}

#[test]
fn polygons_are_taken_from_wherever_they_may_stand() {
    let square = |x: i32| format!("[[{x},0],[{},0],[{},5],[{x},5],[{x},0]]", x + 5, x + 5);
    let polygon = |x: i32| format!(r#"{{"coordinates":[{}],"type":"Polygon"}}"#, square(x));
    let multi = format!(r#"{{"type":"MultiPolygon","coordinates":[[{}],[{}]]}}"#, square(0), square(32));
    let feature = format!(r#"{{"type":"Feature","properties":{{"type":"x"}},"geometry":{}}}"#, polygon(64));
    let collection = format!(r#"{{"type":"GeometryCollection","geometries":[{multi},{}]}}"#, polygon(96));
    let all = format!(
        "\u{feff}{{\"type\":\"FeatureCollection\",\"name\":null,\"features\":[{feature},{{\"type\":\"Feature\",\"geometry\":{collection}}}]}}"
    );
    assert_eq!(chunks(&hidden(&all)), [(0, 0), (2, 0), (4, 0), (6, 0)]);
    let heights = r#"{"type":"Polygon","coordinates":[[[0,0,9],[5,0,9,1],[5,5],[0,0]]]}"#;
    assert_eq!(chunks(&hidden(heights)), [(0, 0)]);
}

#[test]
fn what_is_wrong_is_named_with_its_place_and_a_remedy() {
    let square = "[[0,0],[5,0],[5,5],[0,0]]";
    let feature = |geometry: &str| {
        format!(
            "{{\"type\":\"FeatureCollection\",\n\"features\":[\n{{\"type\":\"Feature\",\"geometry\":{geometry}}}]}}"
        )
    };
    let deep = "{\"type\":\"GeometryCollection\",\"geometries\":[".repeat(40) + &"]}".repeat(40);
    for (text, line, place, says) in [
        ("{\n\"type\": ]".to_owned(), 2, "", "no GeoJSON"),
        (String::new(), 1, "", "no GeoJSON"),
        ("7".to_owned(), 1, "", "an object of GeoJSON"),
        (format!("[\"Polygon\", [{square}]]"), 1, "", "no object"),
        ("{\"coordinates\": []}".to_owned(), 1, "", "type"),
        (r#"{"type":"FeatureCollection","features":[]}"#.to_owned(), 1, "", "no polygon"),
        (r#"{"type":"FeatureCollection"}"#.to_owned(), 1, "", "without features"),
        (r#"{"type":"Topology"}"#.to_owned(), 1, "", "Topology"),
        (feature("null"), 3, "features[0]", "without geometry"),
        (feature(r#"{"type":"LineString","coordinates":[[0,0],[1,1]]}"#), 3, "features[0].geometry", "as a Polygon"),
        (feature(r#"{"type":"Polygon"}"#), 3, "features[0].geometry", "without coordinates"),
        (feature(r#"{"type":"Polygon","coordinates":[]}"#), 3, "features[0].geometry.coordinates", "without a ring"),
        (feature(r#"{"type":"Polygon","coordinates":7}"#), 3, "features[0].geometry.coordinates", "list of rings"),
        (
            feature("{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[9,0],\n[9,9],[0,9]]]}"),
            3,
            "features[0].geometry.coordinates[0]",
            "not closed",
        ),
        (
            feature(r#"{"type":"Polygon","coordinates":[[[0,0],[9,0],[0,0]]]}"#),
            3,
            "features[0].geometry.coordinates[0]",
            "four positions",
        ),
        (
            feature(&format!("{{\"type\":\"Polygon\",\"coordinates\":[{square},\n[[0,0],[9,0],[5,0],[0,0]]]}}")),
            4,
            "features[0].geometry.coordinates[1]",
            "encloses nothing",
        ),
        (
            feature(&format!(
                "{{\"type\":\"MultiPolygon\",\"coordinates\":[[{square}],\n[[[0,0],[9,\"0\"],[9,9],[0,0]]]]}}"
            )),
            4,
            "features[0].geometry.coordinates[1][0][1]",
            "[x, z] in blocks",
        ),
        (
            r#"{"type":"Polygon","coordinates":[[[0,0],[9],[9,9],[0,0]]]}"#.to_owned(),
            1,
            "coordinates[0][1]",
            "[x, z] in blocks",
        ),
        (
            r#"{"type":"Polygon","coordinates":[[[0,0],[9,1e999],[9,9],[0,0]]]}"#.to_owned(),
            1,
            "coordinates[0][1]",
            "[x, z] in blocks",
        ),
        (
            r#"{"type":"Polygon","coordinates":[[[0,0],[9,9],[3e9,9],[0,0]]]}"#.to_owned(),
            1,
            "coordinates[0][2]",
            "outside any world",
        ),
        (deep, 1, &"geometries[0].".repeat(17)[..17 * 14 - 1], "too deep"),
    ] {
        let error = polygons(&text).unwrap_err();
        assert_eq!((error.line, error.place.as_str()), (line, place), "{text}: {error}");
        assert!(error.message.contains(says), "{text}: {error}");
    }
}

#[test]
fn more_positions_than_are_allowed_are_refused() {
    let ring = format!("[{}[0,0]]", "[0,0],[9,0],[9,9],[0,9],".repeat(MAX_VERTICES / 8));
    let text = |rings: &str| format!(r#"{{"type":"MultiPolygon","coordinates":[[{rings}]]}}"#);
    assert!(polygons(&text(&ring)).is_ok());
    let error = polygons(&text(&[ring.as_str(), &ring].join(","))).unwrap_err();
    assert_eq!(error.place, "coordinates[0][1]");
    assert!(error.message.contains("1000000"), "{error}");
}

/// A jagged ring of so many corners around so many regions.
fn jagged(corners: usize, regions: f64) -> Hidden {
    let mut ring: Vec<Position> = (0..corners)
        .map(|n| {
            let angle = n as f64 / corners as f64 * std::f64::consts::TAU;
            let radius = regions * 256.0 * (1.0 - 0.05 * (n % 3) as f64);
            Position::of_blocks(angle.cos() * radius, angle.sin() * radius).unwrap()
        })
        .collect();
    ring.push(ring[0]);
    Hidden::new(Vec::new(), vec![Polygon::new(&ring, &[]).unwrap()])
}

/// With every edge tried for every chunk this would take days.
#[test]
fn a_polygon_of_many_corners_is_looked_at_where_a_region_lies_alone() {
    let (corners, side) = (100_000, 64);
    let hidden = jagged(corners, f64::from(side));
    let mut looked_at = 0;
    let (mut full, mut some) = (0, 0);
    for at in 0..side * side {
        let region = RegionPos { x: at % side - side / 2, z: at / side - side / 2 };
        let slots = hidden.slots(region);
        full += u32::from(slots.is_full());
        some += u32::from(!slots.is_empty());
        let north = i64::from(region.z) << 25;
        let polygons = hidden.polygons.over(north, north + (1 << 25));
        looked_at += polygons.map(|polygon| polygon.edges_over(north, north + (1 << 25))).sum::<usize>();
    }
    assert!(full > 2000 && some > full && some < 3400, "{full} of {some}");
    assert!(looked_at < 3 * corners * side as usize, "{looked_at}");
}

#[test]
fn what_was_asked_for_is_kept_for_a_while_and_no_more() {
    let hidden = Hidden::new(vec![Area { x0: 0, z0: 0, x1: 99_999, z1: 16 }], Vec::new());
    let mut recent = Recent::default();
    for x in (0..500).chain(0..500) {
        let region = RegionPos { x: x % 200, z: 0 };
        assert_eq!(recent.slots(&hidden, region), hidden.slots(region));
        assert!(recent.0.len() <= Recent::MOST);
    }
    assert!(Recent::default().slots(&Hidden::default(), RegionPos { x: 0, z: 0 }).is_empty());
}
