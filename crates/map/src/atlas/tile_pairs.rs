//! Joins two sorted manifests tile by tile in a single pass, for comparing them.

use std::cmp::Ordering;
use std::convert::Infallible;
use std::iter::from_fn;

use super::manifest::{Manifest, TileRecord};
use pixelmap_base::coord::TilePos;

/// A tile that at least one of two manifests names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TilePair {
    pub tile: TilePos,
    /// Its record in the first manifest, if the manifest names it.
    pub a: Option<TileRecord>,
    /// Its record in the second manifest, if the manifest names it.
    pub b: Option<TileRecord>,
}

impl TilePair {
    /// Returns whether both manifests have the tile, with the same pixels.
    pub fn has_same_pixels(&self) -> bool {
        self.a.map(|record| record.pixels) == self.b.map(|record| record.pixels)
    }

    /// Returns whether both manifests have the tile, with the same file.
    pub fn has_same_file(&self) -> bool {
        self.a.map(|record| (record.bytes, record.file))
            == self.b.map(|record| (record.bytes, record.file))
    }
}

/// Returns the tiles of two manifests, in order.
pub fn tile_pairs(a: &Manifest, b: &Manifest) -> impl Iterator<Item = TilePair> {
    let a = a
        .tiles
        .iter()
        .map(|(&tile, &record)| Ok::<_, Infallible>((tile, record)));
    let b = b.tiles.iter().map(|(&tile, &record)| (tile, record));
    join(a, b, |tile| tile).map(|pair| pair.unwrap_or_else(|never| match never {}))
}

/// Returns the tiles of two manifests that are both sorted by `key`.
///
/// # Errors
/// Passes on the errors of the first manifest's reader.
pub(crate) fn join<K: Ord, E>(
    a: impl Iterator<Item = Result<(TilePos, TileRecord), E>>,
    b: impl Iterator<Item = (TilePos, TileRecord)>,
    key: impl Fn(TilePos) -> K,
) -> impl Iterator<Item = Result<TilePair, E>> {
    let mut a = a.peekable();
    let mut b = b.peekable();
    from_fn(move || {
        let order = match (a.peek(), b.peek()) {
            (None, None) => return None,
            (Some(Err(_)), _) | (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(Ok((tile, _))), Some((other, _))) => key(*tile).cmp(&key(*other)),
        };

        let first = if order.is_le() { a.next() } else { None };
        let second = if order.is_ge() { b.next() } else { None };

        let first = match first.transpose() {
            Ok(first) => first,
            Err(error) => return Some(Err(error)),
        };

        let (tile, _) = first.or(second)?;
        Some(Ok(TilePair {
            tile,
            a: first.map(|(_, record)| record),
            b: second.map(|(_, record)| record),
        }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_of_two_manifests_merge_in_order() {
        let record = |n: i32| TileRecord {
            bytes: n as u32,
            file: 0,
            pixels: 0,
        };

        let tile = |x: i32| TilePos { zoom: 17, x, y: 0 };

        let manifest = |all: &[i32]| Manifest {
            tiles: all.iter().map(|&n| (tile(n), record(n))).collect(),
        };

        let pairs: Vec<_> = tile_pairs(&manifest(&[-3, 1, 2, 9]), &manifest(&[-7, -3, 2, 5]))
            .map(|pair| (pair.tile.x, pair.a.is_some(), pair.b.is_some()))
            .collect();

        let expected = [
            (-7, false, true),
            (-3, true, true),
            (1, true, false),
            (2, true, true),
            (5, false, true),
            (9, true, false),
        ];
        assert_eq!(pairs, expected);

        let damaged = [
            Ok((tile(1), record(1))),
            Err("line 2"),
            Ok((tile(3), record(3))),
        ];

        let joined: Vec<_> = join(
            damaged.into_iter(),
            [(tile(0), record(0))].into_iter(),
            |tile| tile,
        )
        .collect();

        assert_eq!(
            joined.iter().map(Result::is_ok).collect::<Vec<_>>(),
            [true, true, false, true]
        );
    }
}
