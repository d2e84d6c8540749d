//! Reads polygons from GeoJSON (RFC 7946). The coordinates are blocks: `[x, z]`.
//!
//! Input that might hide less than the user intends is refused: other geometries, open rings, and a
//! file without a polygon.

use geojson::{Feature, GeoJson, Geometry, GeometryValue, Position};
use thiserror::Error;

use crate::request::hide::polygon::{Corner, Polygon};

/// The most corners that the polygons of a file may have.
pub(crate) const MAX_CORNERS: usize = 1_000_000;

/// The reason why a text is not GeoJSON that hides something.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path}{}{message}", if path.is_empty() { "" } else { ": " })]
pub struct GeoJsonError {
    /// The place in the document, such as `features[2].geometry.coordinates[0]`. Empty if the
    /// message names it, or if the whole document is meant.
    pub path: String,
    /// The fault, and how to fix it.
    pub message: String,
}

impl GeoJsonError {
    fn new(path: &str, message: impl Into<String>) -> Self {
        Self {
            path: path.trim_start_matches('.').to_owned(),
            message: message.into(),
        }
    }
}

/// Returns the polygons of a text.
///
/// # Errors
/// Fails if the text is not GeoJSON, has geometries other than polygons, has no polygon, or has
/// more than [`MAX_CORNERS`].
pub(crate) fn polygons(text: &str) -> Result<Vec<Polygon>, GeoJsonError> {
    // Some editors begin a file with a byte order mark, which JSON does not allow.
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let read = serde_json::from_str(body).map_err(|error| {
        let message = format!(
            "this is not GeoJSON: {error}; give polygons whose coordinates are [x, z] in blocks"
        );
        GeoJsonError::new("", message)
    })?;

    let mut reader = PolygonReader::default();
    match read {
        GeoJson::Geometry(geometry) => reader.geometry(&geometry, "")?,
        GeoJson::Feature(feature) => reader.feature(&feature, "")?,
        GeoJson::FeatureCollection(collection) => {
            for (number, feature) in collection.features.iter().enumerate() {
                reader.feature(feature, &format!("features[{number}]"))?;
            }
        }
    }

    if reader.polygons.is_empty() {
        return Err(GeoJsonError::new(
            "",
            "it has no polygon, so it would hide nothing: add one",
        ));
    }

    Ok(reader.polygons)
}

#[derive(Default)]
struct PolygonReader {
    polygons: Vec<Polygon>,
    corners: usize,
}

impl PolygonReader {
    fn feature(&mut self, feature: &Feature, path: &str) -> Result<(), GeoJsonError> {
        let Some(geometry) = &feature.geometry else {
            let message =
                "a feature without geometry hides nothing: give it a polygon or take it out";
            return Err(GeoJsonError::new(path, message));
        };
        self.geometry(geometry, &format!("{path}.geometry"))
    }

    fn geometry(&mut self, geometry: &Geometry, path: &str) -> Result<(), GeoJsonError> {
        match &geometry.value {
            GeometryValue::Polygon { coordinates } => {
                self.polygon(coordinates, &format!("{path}.coordinates"))
            }
            GeometryValue::MultiPolygon { coordinates } => {
                for (number, rings) in coordinates.iter().enumerate() {
                    self.polygon(rings, &format!("{path}.coordinates[{number}]"))?;
                }
                Ok(())
            }
            GeometryValue::GeometryCollection { geometries } => {
                for (number, one) in geometries.iter().enumerate() {
                    self.geometry(one, &format!("{path}.geometries[{number}]"))?;
                }
                Ok(())
            }
            other => {
                let message = format!(
                    "a {} hides nothing: draw it as a Polygon or take it out",
                    other.type_name()
                );
                Err(GeoJsonError::new(path, message))
            }
        }
    }

    fn polygon(&mut self, rings: &[Vec<Position>], path: &str) -> Result<(), GeoJsonError> {
        let rings = rings
            .iter()
            .enumerate()
            .map(|(number, ring)| self.ring(ring, &format!("{path}[{number}]")));
        let rings: Vec<Vec<Corner>> = rings.collect::<Result<_, _>>()?;
        let Some((outer, holes)) = rings.split_first() else {
            let message = "a polygon without a ring hides nothing: give it one or take it out";
            return Err(GeoJsonError::new(path, message));
        };
        self.polygons.push(Polygon::new(outer, holes));
        Ok(())
    }

    fn ring(&mut self, ring: &[Position], path: &str) -> Result<Vec<Corner>, GeoJsonError> {
        self.corners += ring.len();

        if self.corners > MAX_CORNERS {
            let message =
                format!("there are more than {MAX_CORNERS} corners: simplify the polygons");
            return Err(GeoJsonError::new(path, message));
        }

        if ring.len() < 4 {
            let message = "a ring needs at least four positions, and the last equals the first";
            return Err(GeoJsonError::new(path, message));
        }

        let mut corners = Vec::with_capacity(ring.len());
        for (number, position) in ring.iter().enumerate() {
            let corner = corner(position).map_err(|fault| {
                GeoJsonError::new(
                    &format!("{path}[{number}]"),
                    format!("{fault}: give [x, z] in blocks"),
                )
            })?;
            corners.push(corner);
        }

        if corners.first() != corners.last() {
            let message = "the ring is not closed: give its first position once more as its last";
            return Err(GeoJsonError::new(path, message));
        }

        Ok(corners)
    }
}

/// Returns the corner at a position, or the fault of the position.
fn corner(position: &Position) -> Result<Corner, String> {
    // A position may also have a height.
    let [x, z, ..] = *position.as_slice() else {
        return Err("this is not a position".to_owned());
    };

    Corner::from_blocks(x, z).ok_or_else(|| format!("[{x}, {z}] is outside any world"))
}
