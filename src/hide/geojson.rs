//! Polygons from GeoJSON (RFC 7946), whose coordinates are blocks here: `[x, z]`.
//!
//! A file is taken apart object by object, so that it costs a few times its length and no tree of all its numbers is
//! made. What would hide less than somebody meant is refused: other geometries, open rings, a file without a polygon.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::polygon::{Polygon, Position};

/// The most corners that the polygons of a file may have.
pub const MAX_VERTICES: usize = 1_000_000;
/// How deep collections may lie in collections.
const MAX_DEPTH: usize = 16;

/// Why a text is not GeoJSON that hides something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeoJsonError {
    /// The line, from 1.
    pub line: usize,
    /// Where in the tree, such as `features[2].geometry.coordinates[0]`; empty: the whole.
    pub place: String,
    /// What is wrong there, and what to do.
    pub message: String,
}

impl fmt::Display for GeoJsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, place, message } = self;
        write!(f, "line {line}: ")?;
        if !place.is_empty() {
            write!(f, "{place}: ")?;
        }
        f.write_str(message)
    }
}

impl std::error::Error for GeoJsonError {}

/// The polygons of a text.
///
/// # Errors
/// It is no JSON, holds something other than polygons, or none; or more of them than [`MAX_VERTICES`] allow.
pub fn polygons(text: &str) -> Result<Vec<Polygon>, GeoJsonError> {
    let mut reader = Reader { text, polygons: Vec::new(), vertices: 0 };
    // Editors put a mark of the encoding there, which is no JSON.
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    reader.object(body, "", 0)?;
    if reader.polygons.is_empty() {
        return Err(reader.error(body, "", "there is no polygon in it, so it would hide nothing"));
    }
    Ok(reader.polygons)
}

/// Any object of GeoJSON, as far as it matters here.
#[derive(Deserialize)]
#[serde(expecting = "an object of GeoJSON")]
struct Object<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow, default)]
    coordinates: Option<&'a RawValue>,
    #[serde(borrow, default)]
    geometry: Option<&'a RawValue>,
    #[serde(borrow, default)]
    geometries: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    features: Option<Vec<&'a RawValue>>,
}

/// A position as it is written: two numbers, and a height or more behind them that nobody asks for.
struct Written(f64, f64);

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = Written;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a position [x, z]")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Written, A::Error> {
                let missing = || serde::de::Error::invalid_length(1, &self);
                let x = numbers.next_element()?.ok_or_else(missing)?;
                let z = numbers.next_element()?.ok_or_else(missing)?;
                while numbers.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Written(x, z))
            }
        }
        from.deserialize_seq(Numbers)
    }
}

struct Reader<'a> {
    text: &'a str,
    polygons: Vec<Polygon>,
    vertices: usize,
}

impl<'a> Reader<'a> {
    /// What is wrong at `part`, which is a piece of the text.
    fn error(&self, part: &str, place: &str, message: impl fmt::Display) -> GeoJsonError {
        let start = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let before = self.text.as_bytes().get(..start).unwrap_or_default();
        let line = before.split(|&byte| byte == b'\n').count();
        GeoJsonError { line, place: place.to_owned(), message: message.to_string() }
    }

    /// What JSON has to say of `part`.
    fn json_error(&self, part: &str, place: &str, error: &serde_json::Error) -> GeoJsonError {
        let mut wrong = self.error(part, place, "");
        wrong.line += error.line().saturating_sub(1);
        let said = error.to_string();
        let what = said.rsplit_once(" at line ").map_or(said.as_str(), |(what, _)| what);
        wrong.message = format!("this is no GeoJSON: {what} (column {})", error.column());
        wrong
    }

    fn object(&mut self, part: &'a str, place: &str, depth: usize) -> Result<(), GeoJsonError> {
        // An object's fields may not come as a list of their values.
        if part.trim_start().starts_with('[') {
            return Err(self.error(part, place, "this is a list and no object of GeoJSON: give a FeatureCollection"));
        }
        let object: Object<'a> = serde_json::from_str(part).map_err(|error| self.json_error(part, place, &error))?;
        let missing =
            |name: &str| format!("a {} without {name} hides nothing: give it some or take it out", object.kind);
        let below = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
        if depth > MAX_DEPTH {
            return Err(self.error(
                part,
                place,
                "collections lie in collections too deep: put what is in them side by side",
            ));
        }
        let (name, members) = match object.kind.as_str() {
            "Polygon" | "MultiPolygon" => {
                let coordinates = object.coordinates.ok_or_else(|| self.error(part, place, missing("coordinates")))?;
                let place = below("coordinates");
                return if object.kind == "Polygon" {
                    self.polygon(coordinates.get(), &place)
                } else {
                    let polygons = self.list(coordinates.get(), &place, "polygons")?;
                    each(&polygons, &place, |polygon, place| self.polygon(polygon.get(), place))
                };
            }
            "Feature" => {
                let geometry = object.geometry.ok_or_else(|| self.error(part, place, missing("geometry")))?;
                return self.object(geometry.get(), &below("geometry"), depth + 1);
            }
            "FeatureCollection" => ("features", object.features.as_ref()),
            "GeometryCollection" => ("geometries", object.geometries.as_ref()),
            "Point" | "MultiPoint" | "LineString" | "MultiLineString" => {
                let message = format!("a {} hides nothing: draw it as a Polygon or take it out", object.kind);
                return Err(self.error(part, place, message));
            }
            other => {
                let other: String = other.chars().take(40).collect();
                let message = format!("type {other:?} is none of GeoJSON: give polygons, or features with polygons");
                return Err(self.error(part, place, message));
            }
        };
        let members = members.ok_or_else(|| self.error(part, place, missing(name)))?;
        each(members, &below(name), |member, place| self.object(member.get(), place, depth + 1))
    }

    fn polygon(&mut self, part: &'a str, place: &str) -> Result<(), GeoJsonError> {
        let written = self.list(part, place, "rings")?;
        let mut rings = Vec::with_capacity(written.len());
        each(&written, place, |ring, place| {
            rings.push(self.ring(ring.get(), place)?);
            Ok(())
        })?;
        let Some((outer, holes)) = rings.split_first() else {
            return Err(self.error(part, place, "a polygon without a ring hides nothing: give it one or take it out"));
        };
        let polygon = Polygon::new(outer, holes)
            .map_err(|(ring, error)| self.error(written[ring].get(), &format!("{place}[{ring}]"), error))?;
        self.polygons.push(polygon);
        Ok(())
    }

    fn ring(&mut self, part: &'a str, place: &str) -> Result<Vec<Position>, GeoJsonError> {
        let written: Vec<Written> = match serde_json::from_str(part) {
            Ok(written) => written,
            Err(error) => return Err(self.wrong_position(part, place, &error)),
        };
        self.vertices += written.len();
        if self.vertices > MAX_VERTICES {
            let message = format!("there are more than {MAX_VERTICES} positions: simplify the polygons");
            return Err(self.error(part, place, message));
        }
        let position = |(number, Written(x, z)): (usize, &Written)| {
            Position::of_blocks(*x, *z).ok_or_else(|| {
                let place = format!("{place}[{number}]");
                self.error(part, &place, format!("[{x}, {z}] lies outside any world: give [x, z] in blocks"))
            })
        };
        written.iter().enumerate().map(position).collect()
    }

    /// Which position of a ring is none.
    fn wrong_position(&self, part: &'a str, place: &str, error: &serde_json::Error) -> GeoJsonError {
        let Ok(positions) = serde_json::from_str::<Vec<&RawValue>>(part) else {
            return self.json_error(part, place, error);
        };
        let wrong = positions.iter().position(|one| serde_json::from_str::<Written>(one.get()).is_err());
        let Some(number) = wrong else { return self.json_error(part, place, error) };
        let message = "this is no position: give [x, z] in blocks, two numbers of a sensible size";
        self.error(positions[number].get(), &format!("{place}[{number}]"), message)
    }

    fn list(&self, part: &'a str, place: &str, what: &str) -> Result<Vec<&'a RawValue>, GeoJsonError> {
        serde_json::from_str(part).map_err(|_| self.error(part, place, format!("this is no list of {what}")))
    }
}

/// Hands each member of a list to `take`, with its place.
fn each<'a>(
    members: &[&'a RawValue],
    place: &str,
    mut take: impl FnMut(&'a RawValue, &str) -> Result<(), GeoJsonError>,
) -> Result<(), GeoJsonError> {
    members.iter().enumerate().try_for_each(|(number, member)| take(member, &format!("{place}[{number}]")))
}
