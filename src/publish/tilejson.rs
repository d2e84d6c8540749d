//! `tilejson.json` beside the tiles of a layer whose scheme other programs know: TileJSON 3.0.0.
//!
//! Its bounds are degrees, as readers expect of tiles: the possible world, 2^26 blocks wide, stands for the square that
//! Web Mercator makes of the earth, with block 0, 0 at longitude and latitude 0.

use std::f64::consts::PI;

use serde::Serialize;

use super::{LayerFacts, Naming, Scheme};
use crate::coord::{REGION_LIMIT, REGION_SIDE};

/// Blocks from the origin to an edge of the possible world.
const HALF: f64 = REGION_LIMIT as f64 * REGION_SIDE as f64;
/// Degrees are written to seven places: a block is some 54 of the last of them.
const PLACES: f64 = 1e7;

/// What a layer's tiles are, for programs that read TileJSON.
#[derive(Debug, Serialize)]
struct TileJson<'a> {
    tilejson: &'static str,
    name: &'a str,
    scheme: Scheme,
    tiles: [String; 1],
    minzoom: u8,
    maxzoom: u8,
    /// West, south, east, north.
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<[f64; 4]>,
    /// Longitude, latitude, zoom level.
    #[serde(skip_serializing_if = "Option::is_none")]
    center: Option<[f64; 3]>,
}

impl LayerFacts {
    /// The file's name in a layer's folder.
    pub const TILEJSON: &'static str = "tilejson.json";

    /// The text of `tilejson.json` under this name; `None`: the format knows no negative numbers.
    pub fn tilejson(&self, name: &str) -> Option<String> {
        if self.scheme == Scheme::Signed {
            return None;
        }
        let naming = Naming { scheme: self.scheme, format: self.format };
        let bounds = self.bounds.map(|bounds| {
            // Inwards, so that nobody takes the edge of the last tile for the first of the next.
            let up = |degrees: f64| (degrees * PLACES).ceil() / PLACES;
            let down = |degrees: f64| (degrees * PLACES).floor() / PLACES;
            [up(longitude(bounds.x0)), up(latitude(bounds.z1)), down(longitude(bounds.x1)), down(latitude(bounds.z0))]
        });
        let center = self.bounds.map(|bounds| {
            let middle = |from: i32, to: i32| i32::midpoint(from, to);
            let near = |degrees: f64| (degrees * PLACES).round() / PLACES;
            let x = near(longitude(middle(bounds.x0, bounds.x1)));
            [x, near(latitude(middle(bounds.z0, bounds.z1))), f64::from(self.min_zoom)]
        });
        let (minzoom, maxzoom) = (self.min_zoom, self.max_zoom);
        let tiles = [naming.template()];
        let facts = TileJson { tilejson: "3.0.0", name, scheme: self.scheme, tiles, minzoom, maxzoom, bounds, center };
        // Numbers of this file are finite, and all else JSON can hold.
        Some(serde_json::to_string_pretty(&facts).unwrap_or_default() + "\n")
    }
}

fn longitude(x: i32) -> f64 {
    f64::from(x) / HALF * 180.0
}

/// The inverse of Mercator's projection. By the four operations and roots alone, which every machine rounds alike.
fn latitude(z: i32) -> f64 {
    let power = exp(-f64::from(z) / HALF * PI);
    2.0 * atan((power - 1.0) / (power + 1.0)) / PI * 180.0
}

fn exp(x: f64) -> f64 {
    // Of an eighth, by its series; then three times squared.
    let x = x / 8.0;
    let (mut sum, mut term) = (1.0, 1.0);
    for n in 1..24 {
        term *= x / f64::from(n);
        sum += term;
    }
    let squared = sum * sum;
    let fourth = squared * squared;
    fourth * fourth
}

fn atan(x: f64) -> f64 {
    // Of a quarter of the angle, by its series.
    let half = |x: f64| x / (1.0 + (1.0 + x * x).sqrt());
    let x = half(half(x));
    let (mut sum, mut power) = (0.0, x);
    for n in 0..24 {
        sum += power / f64::from(2 * n + 1);
        power *= -x * x;
    }
    4.0 * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_web_mercator() {
        let edge = 1 << 25;
        for z in [-edge, -edge / 2, -512, -1, 0, 1, 77_777, 9_000_000, edge - 1, edge] {
            let wanted = (-f64::from(z) / HALF * PI).sinh().atan().to_degrees();
            assert!((latitude(z) - wanted).abs() < 1e-12, "{z}: {} {wanted}", latitude(z));
        }
        // Known from the projection's definition.
        assert!((latitude(-edge) - 85.051_128_779_806_59).abs() < 1e-12);
        assert_eq!((longitude(-edge), longitude(edge / 2), latitude(0).abs()), (-180.0, 90.0, 0.0));
    }
}
