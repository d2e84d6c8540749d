//! The first 127 bytes of an archive, the numbers of tiles, and the degrees that blocks have in it.
//!
//! Readers of archives know the earth: a square in Web Mercator, which zoom level 0 shows in one tile. Tile (17, x, y)
//! of a map is tile (17, x + 65,536, y + 65,536) of that square, so the origin lies at 0° 0', and the whole possible
//! world, 67,108,864 blocks wide, is the whole earth.

use crate::atlas::degrees::{latitude, longitude};
use crate::atlas::{Format, Scheme};
use crate::base::coord::{Area, TilePos, along_hilbert};

/// Bytes of the header.
pub(super) const HEADER_BYTES: usize = 127;
const MAGIC: &[u8; 7] = b"PMTiles";
const VERSION: u8 = 3;
const GZIP: u8 = 2;
const UNCOMPRESSED: u8 = 1;
/// Degrees are written as whole numbers of this part.
const DEGREE_PARTS: f64 = 1e7;

/// The facts of the header; the sections follow each other in this order.
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
    /// The columns that the tiles show; none: nothing.
    pub(super) area: Option<Area>,
    /// The format of the tiles.
    pub(super) format: Format,
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
        let tile_type = match self.format {
            Format::Png => 2,
            Format::Webp => 4,
            Format::Js => 0,
        };
        bytes.extend([1, GZIP, UNCOMPRESSED, tile_type, self.zooms.0, self.zooms.1]);
        let Area { x0, z0, x1, z1 } = self.area.unwrap_or(Area { x0: 0, z0: 0, x1: 0, z1: 0 });
        // South is down, and has the lower latitude.
        let place = |x: i32, z: i32| [longitude(x), latitude(z)].map(|degrees| parts(degrees).to_le_bytes());
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
pub(super) fn tile_id(tile: TilePos) -> u64 {
    let bits = u32::from(tile.zoom);
    let further_out = ((1_u64 << (2 * bits)) - 1) / 3;
    let (x, y) = Scheme::Xyz.numbers(tile);
    further_out + along_hilbert(bits, x as u32, y as u32)
}

/// Degrees as the header has them.
fn parts(degrees: f64) -> i32 {
    (degrees * DEGREE_PARTS).round() as i32
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
    fn degrees_are_whole_numbers_of_small_parts() {
        let of = |z: i32| parts(latitude(z));
        assert_eq!([0, -33_554_432, 33_554_432].map(of), [0, 850_511_288, -850_511_288]);
        assert_eq!([0, -33_554_432, 33_554_432].map(|x| parts(longitude(x))), [0, -1_800_000_000, 1_800_000_000]);
    }
}
