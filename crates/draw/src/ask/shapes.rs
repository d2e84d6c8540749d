//! Distances between chunks and the markers of a `GeoJSON` file: points, lines and areas with
//! coordinates `[x, z]` in blocks.

use geojson::{Geometry, GeometryValue, Position};
use serde::Deserialize as _;
use serde_json::Value;
use thiserror::Error;

use pixelmap_base::coord::Area;
use pixelmap_world::internal::canonical_id;

/// A distance, in blocks, that does not count.
const TOUCH: f64 = 1.0 / 256.0;
/// The types of geometries. An object of another type is not a shape.
const TYPES: [&str; 7] = [
    "Point",
    "MultiPoint",
    "LineString",
    "MultiLineString",
    "Polygon",
    "MultiPolygon",
    "GeometryCollection",
];

/// A point, a line or an area, with the dimension that it is in.
#[derive(Debug, Clone)]
pub struct DimensionShape {
    pub dimension: String,
    /// The corners of each line or ring. A point is a line of one corner.
    lines: Vec<Vec<[f64; 2]>>,
    /// Whether the lines are rings around an area.
    is_area: bool,
    /// West, north, east and south.
    bounds: [f64; 4],
}

/// The reason why the shapes of a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ShapeError {
    /// The text is not JSON, or has a number out of range. The text names the place.
    #[error("it is not JSON: {0}")]
    NoJson(String),
    #[error("it has no point, line or area: give a GeoJSON file")]
    NoGeometry,
    /// A coordinate of this feature is not a finite number.
    #[error("features[{0}]: a position is not [x, z] in blocks: mend it or take it out")]
    Coordinates(usize),
}

impl DimensionShape {
    /// Makes the shape of a rectangle of columns in a dimension.
    pub fn rectangle(Area { x0, z0, x1, z1 }: Area, dimension: &str) -> Self {
        let [west, north, east, south] = [x0, z0, x1, z1].map(f64::from);
        let ring = vec![
            [west, north],
            [east, north],
            [east, south],
            [west, south],
            [west, north],
        ];
        Self::new(dimension, vec![ring], true)
    }

    fn new(dimension: &str, lines: Vec<Vec<[f64; 2]>>, is_area: bool) -> Self {
        let mut bounds = [
            f64::INFINITY,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NEG_INFINITY,
        ];

        for [x, z] in lines.iter().flatten() {
            bounds = [
                bounds[0].min(*x),
                bounds[1].min(*z),
                bounds[2].max(*x),
                bounds[3].max(*z),
            ];
        }

        Self {
            dimension: dimension.to_owned(),
            lines,
            is_area,
            bounds,
        }
    }

    /// Reads all shapes of a file. A feature without a dimension is in the dimension of its
    /// collection, or in the overworld.
    ///
    /// # Errors
    /// The text is not `GeoJSON`, or has no shape.
    pub fn read_all(text: &str) -> Result<Vec<Self>, ShapeError> {
        let root: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| ShapeError::NoJson(error.to_string()))?;
        let whole = dimension_of(&root).unwrap_or_else(|| "overworld".to_owned());

        let alone = std::slice::from_ref(&root);
        let features = root["features"].as_array().map_or(alone, Vec::as_slice);
        let mut shapes = Vec::new();
        for (number, feature) in features.iter().enumerate() {
            let own = dimension_of(&feature["properties"]);
            let dimension = own.as_ref().unwrap_or(&whole);

            let geometry = if feature["geometry"].is_object() {
                &feature["geometry"]
            } else {
                feature
            };

            if geometry["type"]
                .as_str()
                .is_some_and(|name| TYPES.contains(&name))
            {
                let added = Geometry::deserialize(geometry)
                    .ok()
                    .and_then(|read| add_geometry(&read.value, dimension, &mut shapes));
                if added.is_none() {
                    return Err(ShapeError::Coordinates(number));
                }
            }
        }

        let is_empty_list = root["features"].as_array().is_some_and(Vec::is_empty);
        if shapes.is_empty() && !is_empty_list {
            Err(ShapeError::NoGeometry)
        } else {
            Ok(shapes)
        }
    }

    /// Returns whether any part of it is at most `distance` blocks from a rectangle of columns.
    pub fn is_near(&self, area: Area, distance: f64) -> bool {
        let [west, north, east, south] = [area.x0, area.z0, area.x1, area.z1].map(f64::from);

        // Areas that only touch have no column in common.
        let rect @ [west, north, east, south] =
            [west + TOUCH, north + TOUCH, east - TOUCH, south - TOUCH];
        let [left, top, right, bottom] = self.bounds;
        let is_out = left > east + distance
            || right < west - distance
            || top > south + distance
            || bottom < north - distance;
        if is_out {
            return false;
        }

        self.is_area && self.contains([west, north])
            || self.lines.iter().any(|line| match line.as_slice() {
                [point] => from_point(rect, *point) <= distance,
                line => line
                    .windows(2)
                    .any(|ends| from_segment(rect, ends[0], ends[1]) <= distance),
            })
    }

    /// Returns whether a point is inside of the area, by the number of edges east of it.
    fn contains(&self, [x, z]: [f64; 2]) -> bool {
        let edges = self.lines.iter().flat_map(|ring| ring.windows(2));
        let crossed = edges.filter(|ends| {
            let ([x0, z0], [x1, z1]) = (ends[0], ends[1]);
            (z0 > z) != (z1 > z) && x < x0 + (z - z0) / (z1 - z0) * (x1 - x0)
        });
        crossed.count() % 2 == 1
    }
}

/// Returns the dimension that an object names, in the form that maps have.
fn dimension_of(object: &Value) -> Option<String> {
    object["dimension"].as_str().map(canonical_id)
}

/// Adds the shapes of a geometry. Returns `None` if a position lacks a number.
fn add_geometry(
    geometry: &GeometryValue,
    dimension: &str,
    shapes: &mut Vec<DimensionShape>,
) -> Option<()> {
    match geometry {
        GeometryValue::Point { coordinates } => shapes.push(point(coordinates, dimension)?),
        GeometryValue::MultiPoint { coordinates } => {
            for position in coordinates {
                shapes.push(point(position, dimension)?);
            }
        }
        GeometryValue::LineString { coordinates } => {
            shapes.push(DimensionShape::new(
                dimension,
                vec![line(coordinates)?],
                false,
            ));
        }
        GeometryValue::MultiLineString { coordinates } => {
            shapes.push(DimensionShape::new(dimension, lines(coordinates)?, false));
        }
        GeometryValue::Polygon { coordinates } => {
            shapes.push(DimensionShape::new(dimension, lines(coordinates)?, true));
        }
        GeometryValue::MultiPolygon { coordinates } => {
            for rings in coordinates {
                shapes.push(DimensionShape::new(dimension, lines(rings)?, true));
            }
        }
        GeometryValue::GeometryCollection { geometries } => {
            for part in geometries {
                add_geometry(&part.value, dimension, shapes)?;
            }
        }
    }

    Some(())
}

fn point(coordinates: &Position, dimension: &str) -> Option<DimensionShape> {
    let middle = middle(position(coordinates)?);
    Some(DimensionShape::new(dimension, vec![vec![middle]], false))
}

fn lines(lines: &[Vec<Position>]) -> Option<Vec<Vec<[f64; 2]>>> {
    lines.iter().map(|positions| line(positions)).collect()
}

fn line(positions: &[Position]) -> Option<Vec<[f64; 2]>> {
    positions.iter().map(position).collect()
}

fn position(position: &Position) -> Option<[f64; 2]> {
    let [x, z, ..] = *position.as_slice() else {
        return None;
    };
    Some([x, z])
}

/// Returns the middle of a block if a point is a whole number, as the page shows it.
fn middle(point: [f64; 2]) -> [f64; 2] {
    point.map(|along| {
        if along.fract() == 0.0 {
            along + 0.5
        } else {
            along
        }
    })
}

/// Returns the distance between a rectangle and a point.
fn from_point([west, north, east, south]: [f64; 4], [x, z]: [f64; 2]) -> f64 {
    let dx = (west - x).max(x - east).max(0.0);
    let dz = (north - z).max(z - south).max(0.0);
    dx.hypot(dz)
}

/// Returns the distance between a rectangle and a segment.
fn from_segment(rect @ [west, north, east, south]: [f64; 4], a: [f64; 2], b: [f64; 2]) -> f64 {
    if crosses(rect, a, b) {
        return 0.0;
    }

    // Without a crossing, the nearest place of one of them is an end or a corner.
    let corners = [[west, north], [east, north], [east, south], [west, south]];
    let from_corners = corners
        .into_iter()
        .map(|corner| point_to_segment(corner, a, b));
    from_corners.fold(from_point(rect, a).min(from_point(rect, b)), f64::min)
}

fn point_to_segment([x, z]: [f64; 2], [ax, az]: [f64; 2], [bx, bz]: [f64; 2]) -> f64 {
    let (dx, dz) = (bx - ax, bz - az);
    let length = dx * dx + dz * dz;
    let along = if length > 0.0 {
        (((x - ax) * dx + (z - az) * dz) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (ax + along * dx - x).hypot(az + along * dz - z)
}

/// Returns whether a segment has a point in a rectangle: clips it at each edge.
fn crosses([west, north, east, south]: [f64; 4], [ax, az]: [f64; 2], [bx, bz]: [f64; 2]) -> bool {
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (start, step, low, high) in [(ax, bx - ax, west, east), (az, bz - az, north, south)] {
        if step == 0.0 {
            if start < low || start > high {
                return false;
            }
            continue;
        }

        let (first, second) = ((low - start) / step, (high - start) / step);
        from = from.max(first.min(second));
        to = to.min(first.max(second));
    }

    from <= to
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHUNK: Area = Area {
        x0: 0,
        z0: 0,
        x1: 16,
        z1: 16,
    };

    fn shape(geometry: &str) -> DimensionShape {
        DimensionShape::read_all(geometry).unwrap().remove(0)
    }

    #[test]
    fn distances_are_measured_from_the_edges_of_chunks() {
        let point = shape(r#"{"type":"Point","coordinates":[19, 20]}"#);
        assert!(
            point.is_near(CHUNK, 5.8) && !point.is_near(CHUNK, 5.6),
            "from the middle of its block"
        );

        let line = shape(r#"{"type":"LineString","coordinates":[[-100, 40], [100, 40]]}"#);
        assert!(line.is_near(CHUNK, 24.1) && !line.is_near(CHUNK, 23.9));

        let crossing = shape(r#"{"type":"LineString","coordinates":[[-100, -99], [100, 101]]}"#);
        assert!(crossing.is_near(CHUNK, 0.0));

        let far = "[[-100,-100],[100,-100],[100,100],[-100,100],[-100,-100]]";
        let around = shape(&format!(r#"{{"type":"Polygon","coordinates":[{far}]}}"#));
        assert!(around.is_near(CHUNK, 0.0));

        let hole = "[[-50,-50],[50,-50],[50,50],[-50,50],[-50,-50]]";
        let ring = shape(&format!(
            r#"{{"type":"Polygon","coordinates":[{far},{hole}]}}"#
        ));
        assert!(!ring.is_near(CHUNK, 33.0) && ring.is_near(CHUNK, 34.1));

        let next = Area {
            x0: 16,
            z0: 16,
            x1: 32,
            z1: 32,
        };
        let chunk = DimensionShape::rectangle(CHUNK, "overworld");
        assert!(chunk.is_near(CHUNK, 0.0) && !chunk.is_near(next, 0.0) && chunk.is_near(next, 1.0));
    }

    #[test]
    fn a_file_without_shapes_is_refused() {
        for (text, error) in [
            ("{}", ShapeError::NoGeometry),
            (
                r#"{"type":"Point","coordinates":["a", 2]}"#,
                ShapeError::Coordinates(0),
            ),
            (
                r#"{"type":"LineString","coordinates":5}"#,
                ShapeError::Coordinates(0),
            ),
        ] {
            assert_eq!(
                DimensionShape::read_all(text).map(|_| ()),
                Err(error),
                "{text}"
            );
        }

        for text in ["", r#"{"type":"Point","coordinates":[1e999, 2]}"#] {
            assert!(matches!(
                DimensionShape::read_all(text),
                Err(ShapeError::NoJson(_))
            ));
        }

        assert!(
            DimensionShape::read_all(r#"{"type":"FeatureCollection","features":[]}"#)
                .unwrap()
                .is_empty()
        );

        let unknown = r#"{"type":"Circle","coordinates":[1,2]}"#;
        assert_eq!(
            DimensionShape::read_all(unknown).map(|_| ()),
            Err(ShapeError::NoGeometry)
        );

        let square = "[[[0,0],[1,0],[1,1],[0,0]]]";
        let parts = format!(
            r#"{{"type":"MultiPolygon","coordinates":[{square},{square}]}},{{"type":"MultiPoint","coordinates":[[1,2,64]]}}"#
        );

        let collection = format!(r#"{{"type":"GeometryCollection","geometries":[{parts}]}}"#);
        let shapes = DimensionShape::read_all(&collection).unwrap();
        assert_eq!(
            shapes.iter().map(|shape| shape.is_area).collect::<Vec<_>>(),
            [true, true, false]
        );

        let nether = r#"{"dimension":"minecraft:the_nether","features":[{"geometry":{"type":"Point","coordinates":[1,2]}}]}"#;
        assert_eq!(
            DimensionShape::read_all(nether).unwrap()[0].dimension,
            "the_nether"
        );
    }
}
