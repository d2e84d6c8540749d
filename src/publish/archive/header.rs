//! The first 127 bytes of an archive, the numbers of tiles, and the degrees that blocks have in it.
//!
//! Readers of archives know the earth: a square in Web Mercator, which zoom level 0 shows in one tile. Tile (17, x, y) of
//! a map is tile (17, x + 65,536, y + 65,536) of that square, so the origin lies at 0° 0', and the whole possible world,
//! 67,108,864 blocks wide, is the whole earth.

use crate::coord::{Area, TilePos, along_hilbert};

/// Bytes of the header.
pub(super) const HEADER_BYTES: usize = 127;
const MAGIC: &[u8; 7] = b"PMTiles";
const VERSION: u8 = 3;
const GZIP: u8 = 2;
const UNCOMPRESSED: u8 = 1;
const PNG: u8 = 2;
/// Blocks from the origin to the edge of the possible world: 180 degrees.
const HALF_BLOCKS: i64 = 1 << 25;
/// Degrees are written as whole numbers of this part.
const DEGREE_PARTS: i64 = 10_000_000;

/// What the header says; the sections follow each other in this order.
#[derive(Debug)]
pub(super) struct Header {
    /// Bytes of the sections.
    pub(super) root: u64,
    pub(super) metadata: u64,
    pub(super) leaves: u64,
    pub(super) data: u64,
    /// Tiles, entries for them, and how many of them differ.
    pub(super) addressed: u64,
    pub(super) entries: u64,
    pub(super) contents: u64,
    /// The outermost zoom level and the innermost.
    pub(super) zooms: (u8, u8),
    /// What the tiles show; none: nothing.
    pub(super) area: Option<Area>,
}

impl Header {
    pub(super) fn bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend(MAGIC);
        bytes.push(VERSION);
        let mut at = HEADER_BYTES as u64;
        for len in [self.root, self.metadata, self.leaves, self.data] {
            bytes.extend(at.to_le_bytes());
            bytes.extend(len.to_le_bytes());
            at += len;
        }
        for count in [self.addressed, self.entries, self.contents] {
            bytes.extend(count.to_le_bytes());
        }
        // 1: the data is in the order of tile ids.
        bytes.extend([1, GZIP, UNCOMPRESSED, PNG, self.zooms.0, self.zooms.1]);
        let Area { x0, z0, x1, z1 } = self.area.unwrap_or(Area { x0: 0, z0: 0, x1: 0, z1: 0 });
        // South is down, and has the lower latitude.
        let place = |x: i32, z: i32| [longitude(x), latitude(z)].map(i32::to_le_bytes);
        bytes.extend(place(x0, z1).as_flattened());
        bytes.extend(place(x1, z0).as_flattened());
        let middle = |from: i32, to: i32| from + (to - from) / 2;
        bytes.push(self.zooms.0);
        bytes.extend(place(middle(x0, x1), middle(z0, z1)).as_flattened());
        let mut header = [0; HEADER_BYTES];
        header.copy_from_slice(&bytes);
        header
    }
}

/// A tile's number: all zoom levels further out come first, then those along the level's Hilbert curve.
pub(super) fn tile_id(TilePos { zoom, x, y }: TilePos) -> u64 {
    let (bits, half) = (u32::from(zoom), 1 << (zoom - 1));
    let further_out = ((1_u64 << (2 * bits)) - 1) / 3;
    further_out + along_hilbert(bits, (x + half) as u32, (y + half) as u32)
}

fn longitude(x: i32) -> i32 {
    let parts = i64::from(x) * 180 * DEGREE_PARTS;
    ((parts + HALF_BLOCKS / 2).div_euclid(HALF_BLOCKS)) as i32
}

/// The latitude of the north edge of a row of columns. Made of nothing but sums, products, quotients and roots, which are
/// the same on every machine; what a system calls exp or atan is not.
fn latitude(z: i32) -> i32 {
    let along = i64::from(z).unsigned_abs() as f64 / HALF_BLOCKS as f64 * std::f64::consts::PI;
    // gd(y) = 2 atan(tanh(y / 2)), and tanh(y / 2) = (e^y - 1) / (e^y + 1).
    let power = exp(along);
    let degrees = 2.0 * atan((power - 1.0) / (power + 1.0)) * 180.0 / std::f64::consts::PI;
    let parts = (degrees * DEGREE_PARTS as f64).round() as i32;
    if z > 0 { -parts } else { parts }
}

/// e to the power of 0 to 4.
fn exp(x: f64) -> f64 {
    const SQUARED: i32 = 8;
    let x = x / f64::from(1 << SQUARED);
    let (mut sum, mut term) = (1.0, 1.0);
    for n in 1..12 {
        term *= x / f64::from(n);
        sum += term;
    }
    (0..SQUARED).fold(sum, |power, _| power * power)
}

/// The arc tangent of 0 to 1.
fn atan(x: f64) -> f64 {
    const HALVED: i32 = 3;
    let x = (0..HALVED).fold(x, |x, _| x / (1.0 + (1.0 + x * x).sqrt()));
    let (mut sum, mut power) = (0.0, x);
    for n in 0..16 {
        let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
        sum += sign * power / f64::from(2 * n + 1);
        power *= x * x;
    }
    sum * f64::from(1 << HALVED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_numbered_as_the_format_says() {
        let id = |zoom, x, y| tile_id(TilePos { zoom, x, y });
        // Of the format's own example: zoom level 1 from the north-west over the south to the north-east.
        assert_eq!([id(1, -1, -1), id(1, -1, 0), id(1, 0, 0), id(1, 0, -1)], [1, 2, 3, 4]);
        assert_eq!((id(2, -2, -2), id(2, -1, -2), id(2, 1, -2)), (5, 6, 20));
        assert_eq!(id(17, 65_535, -65_536), ((1 << 36) - 1) / 3 - 1, "the last of its level");
    }

    #[test]
    fn degrees_are_those_of_web_mercator() {
        for z in (-33_554_432_i64..=33_554_432).step_by(65_521).chain([-1, 0, 1, 33_554_432]) {
            let along = -(z as f64) / HALF_BLOCKS as f64 * std::f64::consts::PI;
            let expected = along.sinh().atan().to_degrees() * DEGREE_PARTS as f64;
            assert!((f64::from(latitude(z as i32)) - expected).abs() < 0.51, "{z}: {expected}");
        }
        assert_eq!((latitude(0), latitude(-33_554_432), latitude(33_554_432)), (0, 850_511_288, -850_511_288));
        assert_eq!((longitude(0), longitude(-33_554_432), longitude(33_554_432)), (0, -1_800_000_000, 1_800_000_000));
    }
}
