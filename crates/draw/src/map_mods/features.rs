//! Reads the markers of a map, both from the world and from the owner, for exports to other
//! programs.

use geojson::{Geometry, GeometryValue, JsonObject, Position};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use pixelmap_map::atlas::MapFolder;
use pixelmap_map::export::ExportError;

/// The colour of markers that do not name one.
pub(crate) const COLOUR: [u8; 3] = [255, 210, 60];
/// The kind of the owner's markers.
const OWN: &str = "places";

/// A marker.
#[derive(Debug, Clone)]
pub(crate) struct Feature {
    /// The kind, by its name in `map.json`.
    pub(crate) kind: String,
    /// The id of its dimension.
    pub(crate) dimension: String,
    geometry: Option<Geometry>,
    properties: JsonObject,
}

/// A position in blocks, `[x, z]`.
pub(crate) type BlockPosition = [i32; 2];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FeatureShape {
    Point(BlockPosition),
    Line(Vec<BlockPosition>),
    /// The outer ring, followed by its holes.
    Area(Vec<Vec<BlockPosition>>),
}

/// A file of markers. Each feature is read by itself, so that a fault costs only its own feature.
#[derive(Deserialize)]
struct Collection<'a> {
    #[serde(default)]
    dimension: Value,
    #[serde(borrow)]
    features: Vec<&'a RawValue>,
}

/// Returns all markers of a map, in the order of its files. A file or a feature that is not valid,
/// for example because the owner edited it by hand, is left out.
///
/// # Errors
/// Fails if a file cannot be read.
pub(crate) fn features(map: &MapFolder) -> Result<Vec<Feature>, ExportError> {
    let dimensions = map.facts().dimensions.iter();

    let kinds = dimensions
        .flat_map(|dimension| &dimension.markers)
        .map(|file| (&*file.kind, &file.file));
    let own = map.facts().markers.iter().map(|own| (OWN, &own.file));
    let mut features = Vec::new();
    for (kind, file) in kinds.chain(own) {
        let bytes = map.read(file)?.unwrap_or_default();
        let Ok(collection) = serde_json::from_slice::<Collection<'_>>(&bytes) else {
            continue;
        };

        for raw in collection.features {
            let Ok(feature) = serde_json::from_str::<geojson::Feature>(raw.get()) else {
                continue;
            };

            let properties = feature.properties.unwrap_or_default();
            let dimension = text(&properties, "dimension")
                .or(collection.dimension.as_str())
                .unwrap_or("overworld")
                .to_owned();

            features.push(Feature {
                kind: kind.to_owned(),
                dimension,
                geometry: feature.geometry,
                properties,
            });
        }
    }

    Ok(features)
}

impl Feature {
    /// Returns whether the marker is one of the owner's places.
    pub(crate) fn is_own(&self) -> bool {
        self.kind == OWN
    }

    /// Returns a property if it is a text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        text(&self.properties, name)
    }

    /// Returns a property if it is a number.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.properties.get(name).and_then(Value::as_f64)
    }

    pub(crate) fn name(&self) -> Option<&str> {
        self.text("name")
            .or_else(|| self.text("type"))
            .filter(|name| !name.trim().is_empty())
    }

    pub(crate) fn y(&self) -> Option<i32> {
        self.number("y").map(|y| y.floor() as i32)
    }

    /// Returns the geometry in blocks, or `None` if its form is unknown or invalid.
    pub(crate) fn shape(&self) -> Option<FeatureShape> {
        match &self.geometry.as_ref()?.value {
            GeometryValue::Point { coordinates } => {
                block_position(coordinates).map(FeatureShape::Point)
            }
            GeometryValue::LineString { coordinates } => line(coordinates).map(FeatureShape::Line),
            GeometryValue::Polygon { coordinates } => coordinates
                .iter()
                .map(|ring| line(ring))
                .collect::<Option<_>>()
                .map(FeatureShape::Area),
            _ => None,
        }
    }
}

fn text<'o>(object: &'o JsonObject, name: &str) -> Option<&'o str> {
    object.get(name).and_then(Value::as_str)
}

fn block_position(position: &Position) -> Option<BlockPosition> {
    let [x, z, ..] = *position.as_slice() else {
        return None;
    };
    Some([x.floor() as i32, z.floor() as i32])
}

fn line(positions: &[Position]) -> Option<Vec<BlockPosition>> {
    positions.iter().map(block_position).collect()
}

/// Parses a colour, `#rgb` or `#rrggbb`.
pub(crate) fn parse_colour(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#').filter(|digits| digits.is_ascii())?;
    let long: String = if digits.len() == 3 {
        digits.chars().flat_map(|c| [c, c]).collect()
    } else {
        digits.to_owned()
    };
    let [_, r, g, b] = (long.len() == 6)
        .then(|| u32::from_str_radix(&long, 16).ok())??
        .to_be_bytes();
    Some([r, g, b])
}
