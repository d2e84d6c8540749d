//! Writes `tilejson.json` (TileJSON 3.0.0) next to the tiles of a layer, so that other programs can
//! open the layer. Only layers whose scheme TileJSON supports have this file.
//!
//! Its bounds are in degrees, because readers expect tiles of the earth: the possible world, 2^26
//! blocks wide, covers the square of Web Mercator, with block 0, 0 at longitude and latitude 0.

use serde::Serialize;

use super::degrees::{latitude, longitude};
use super::map_file::{Encoding, LayerFacts};
use super::naming::Scheme;
use pixelmap_base::json;

/// Degrees have seven decimal places. A block is about 54 units of the last place.
const PLACES: f64 = 1e7;

/// The facts of a layer's tiles for programs that read TileJSON.
#[derive(Debug, Serialize)]
struct TileJson<'a> {
    tilejson: &'static str,
    name: &'a str,
    scheme: Scheme,
    tiles: [String; 1],
    minzoom: u8,
    maxzoom: u8,
    /// The encoding of heights. TileJSON does not define it, but its readers use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<Encoding>,
    /// West, south, east and north in degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<[f64; 4]>,
    /// Longitude, latitude, zoom level.
    #[serde(skip_serializing_if = "Option::is_none")]
    center: Option<[f64; 3]>,
}

impl LayerFacts {
    /// The name of the file in a layer's folder.
    pub const TILEJSON: &'static str = "tilejson.json";

    /// Returns the text of `tilejson.json` with this name of the layer, or `None` for scheme
    /// signed, because TileJSON does not support negative numbers.
    pub fn tilejson(&self, name: &str) -> Option<String> {
        if self.scheme == Scheme::Signed {
            return None;
        }

        let bounds = self.bounds.map(|bounds| {
            // Rounds inwards, so that no program mistakes the edge of the last tile for the start
            // of the next one.
            let up = |degrees: f64| (degrees * PLACES).ceil() / PLACES;
            let down = |degrees: f64| (degrees * PLACES).floor() / PLACES;

            [
                up(longitude(bounds.x0)),
                up(latitude(bounds.z1)),
                down(longitude(bounds.x1)),
                down(latitude(bounds.z0)),
            ]
        });

        let center = self.bounds.map(|bounds| {
            let middle = |from: i32, to: i32| i32::midpoint(from, to);
            let near = |degrees: f64| (degrees * PLACES).round() / PLACES;
            let x = near(longitude(middle(bounds.x0, bounds.x1)));
            [
                x,
                near(latitude(middle(bounds.z0, bounds.z1))),
                f64::from(self.min_zoom),
            ]
        });

        let (minzoom, maxzoom) = (self.min_zoom, self.max_zoom);
        let tiles = [self.naming().template()];
        let facts = TileJson {
            tilejson: "3.0.0",
            name,
            scheme: self.scheme,
            tiles,
            minzoom,
            maxzoom,
            encoding: self.encoding,
            bounds,
            center,
        };

        // JSON can represent all these values, because the numbers are finite.
        Some(json::pretty(&facts).unwrap_or_default() + "\n")
    }
}
