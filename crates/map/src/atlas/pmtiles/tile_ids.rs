//! Numbers the tiles of an archive.

use crate::atlas::naming::Scheme;
use pixelmap_base::coord::{INNER_ZOOM, OUTER_ZOOM, TilePos, along_hilbert, at_hilbert};

/// Returns a tile's id. Ids count the tiles of all outer zoom levels first, and then follow the
/// Hilbert curve of the tile's own level.
pub(crate) fn tile_id(tile: TilePos) -> u64 {
    let (x, y) = Scheme::Xyz.numbers(tile);
    first_id(tile.zoom) + along_hilbert(tile.zoom.into(), x as u32, y as u32)
}

/// Returns the tile with an id, or `None` if its zoom level does not exist in maps.
pub(super) fn tile_at(id: u64) -> Option<TilePos> {
    if id >= first_id(INNER_ZOOM + 1) {
        return None;
    }

    let zoom = (OUTER_ZOOM..=INNER_ZOOM)
        .rev()
        .find(|&zoom| first_id(zoom) <= id)?;
    let (x, y) = at_hilbert(zoom.into(), id - first_id(zoom));
    Scheme::Xyz.tile_at(zoom, i32::try_from(x).ok()?, i32::try_from(y).ok()?)
}

/// Returns the first id of a zoom level.
const fn first_id(zoom: u8) -> u64 {
    ((1 << (2 * zoom as u32)) - 1) / 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_numbered_as_in_the_format() {
        let id = |zoom, x, y| tile_id(TilePos { zoom, x, y });

        // From the example in the specification: zoom level 1 runs from the north-west over the
        // south to the north-east.
        assert_eq!(
            [id(1, -1, -1), id(1, -1, 0), id(1, 0, 0), id(1, 0, -1)],
            [1, 2, 3, 4]
        );

        assert_eq!((id(2, -2, -2), id(2, -1, -2), id(2, 1, -2)), (5, 6, 20));
        assert_eq!(
            id(17, 65_535, -65_536),
            ((1 << 36) - 1) / 3 - 1,
            "the last of its level"
        );
    }

    #[test]
    fn tile_numbers_follow_the_format() {
        let tile = |id| tile_at(id).map(|tile| (tile.zoom, tile.x, tile.y));
        assert_eq!(
            [tile(1), tile(2), tile(3), tile(4)],
            [(1, -1, -1), (1, -1, 0), (1, 0, 0), (1, 0, -1)].map(Some)
        );
        assert_eq!(
            [tile(5), tile(6), tile(20)],
            [(2, -2, -2), (2, -1, -2), (2, 1, -2)].map(Some)
        );

        assert_eq!(
            (tile(0), tile(((1 << 36) - 1) / 3 - 1)),
            (None, Some((17, 65_535, -65_536)))
        );
        assert_eq!(
            (tile(first_id(INNER_ZOOM + 1)), tile(u64::MAX)),
            (None, None)
        );
    }
}
