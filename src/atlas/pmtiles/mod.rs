//! A map layer in one file: a `PMTiles` archive of version 3 (github.com/protomaps/PMTiles, spec/v3/spec.md).
//!
//! The file is a header, a root directory, metadata, leaf directories and the bytes of the tiles. Directories and
//! metadata are compressed with gzip; tiles are as they are.

mod archive;
mod directory;
mod header;

use serde::{Deserialize, Serialize};

pub use archive::TileArchive;
pub(crate) use directory::{Directories, DirectoryEntry, gzip};
pub(crate) use header::{ArchiveHeader, ArchiveSections};

use super::{MapFile, Scheme};
use crate::base::coord::{INNER_ZOOM, OUTER_ZOOM, TilePos, along_hilbert, hilbert_place};

/// The facts that an archive holds beside its tiles.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Metadata {
    #[serde(default)]
    pub(crate) name: String,
    /// The dimension and the layer.
    #[serde(default)]
    pub(crate) description: String,
    /// `baselayer`, or `overlay` where it is to be laid over another.
    #[serde(default, rename = "type")]
    pub(crate) kind: String,
    /// The facts of a map's folder, for the viewer.
    pub(crate) pixelmap: MapFile,
}

/// A tile's number: all zoom levels further out come first, then those along the level's Hilbert curve.
pub(crate) fn tile_id(tile: TilePos) -> u64 {
    let (x, y) = Scheme::Xyz.numbers(tile);
    first_id(tile.zoom) + along_hilbert(tile.zoom.into(), x as u32, y as u32)
}

/// The tile with a number; `None`: it lies on no zoom level of a map.
fn tile_at(id: u64) -> Option<TilePos> {
    let zoom =
        (OUTER_ZOOM..=INNER_ZOOM).rev().filter(|_| id < first_id(INNER_ZOOM + 1)).find(|&zoom| first_id(zoom) <= id)?;
    let (x, y) = hilbert_place(zoom.into(), id - first_id(zoom));
    Scheme::Xyz.tile_at(zoom, i32::try_from(x).ok()?, i32::try_from(y).ok()?)
}

/// The first number of a zoom level.
const fn first_id(zoom: u8) -> u64 {
    ((1 << (2 * zoom as u32)) - 1) / 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_numbered_as_in_the_format() {
        let id = |zoom, x, y| tile_id(TilePos { zoom, x, y });
        // Of the format's own example: zoom level 1 from the north-west over the south to the north-east.
        assert_eq!([id(1, -1, -1), id(1, -1, 0), id(1, 0, 0), id(1, 0, -1)], [1, 2, 3, 4]);
        assert_eq!((id(2, -2, -2), id(2, -1, -2), id(2, 1, -2)), (5, 6, 20));
        assert_eq!(id(17, 65_535, -65_536), ((1 << 36) - 1) / 3 - 1, "the last of its level");
    }

    #[test]
    fn numbers_of_tiles_are_read_as_in_the_format() {
        let tile = |id| tile_at(id).map(|tile| (tile.zoom, tile.x, tile.y));
        assert_eq!([tile(1), tile(2), tile(3), tile(4)], [(1, -1, -1), (1, -1, 0), (1, 0, 0), (1, 0, -1)].map(Some));
        assert_eq!([tile(5), tile(6), tile(20)], [(2, -2, -2), (2, -1, -2), (2, 1, -2)].map(Some));
        assert_eq!((tile(0), tile(((1 << 36) - 1) / 3 - 1)), (None, Some((17, 65_535, -65_536))));
        assert_eq!((tile(first_id(INNER_ZOOM + 1)), tile(u64::MAX)), (None, None));
    }
}
