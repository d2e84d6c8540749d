//! Holds the quarters of finished tiles in memory until their parents are made. It does not use
//! files or worlds.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use crate::request::layers::MapLayer;
use crate::run_state::Interruption;
use pixelmap_base::coord::{CHUNK_SIDE, NATIVE_ZOOM, TILE_SIDE, TilePos};
use pixelmap_base::mutex;
use pixelmap_tile::{Canvas, Quarter, TileSet};

/// How many bands of quarters the store holds per worker: the bands of 8 full quarters, or of more
/// quarters that are partly empty. Quarters that do not fit are read back from their tiles.
const WAITING_A_WORKER: usize = 8 * TILE_SIDE / CHUNK_SIDE;

#[derive(Debug)]
pub(crate) struct Pyramid<'a> {
    /// Indexed by dimension.
    tile_sets: Vec<&'a TileSet>,
    waiting: Mutex<WaitingQuarters>,
    /// The most bands in memory.
    capacity: usize,
}

/// Quarters whose parents are not made yet.
#[derive(Debug, Default)]
struct WaitingQuarters {
    /// The keys begin with the tile, so that the outermost zoom level comes first.
    quarters: BTreeMap<(TilePos, MapLayer), Quarter>,
    /// The number of bands of all quarters.
    bands: usize,
}

impl WaitingQuarters {
    fn take(&mut self, map_layer: MapLayer, tile: TilePos) -> Option<Quarter> {
        let quarter = self.quarters.remove(&(tile, map_layer))?;
        self.bands -= quarter.band_count();
        Some(quarter)
    }
}

impl<'a> Pyramid<'a> {
    pub(crate) fn new(tile_sets: Vec<&'a TileSet>, threads: usize) -> Self {
        Self {
            tile_sets,
            waiting: Mutex::default(),
            capacity: threads * WAITING_A_WORKER,
        }
    }

    pub(crate) fn has_parent(&self, map_layer: MapLayer, tile: TilePos) -> bool {
        tile.zoom <= NATIVE_ZOOM && self.tile_sets[map_layer.dimension].contains(tile.parent())
    }

    /// Composes a parent on a cleared canvas. Each child's quarter comes from memory, or else from
    /// `read_back`.
    ///
    /// # Errors
    /// Fails if a child exists and cannot be read back. The canvas then has a hole.
    pub(crate) fn compose(
        &self,
        canvas: &mut Canvas,
        map_layer: MapLayer,
        tile: TilePos,
        read_back: impl Fn(TilePos) -> Result<Option<Quarter>, Interruption>,
    ) -> Result<(), Interruption> {
        canvas.clear();

        for index in 0..4 {
            let child = tile.child(index);
            let waiting = self.waiting().take(map_layer, child);
            let quarter = if waiting.is_some() {
                waiting
            } else {
                read_back(child)?
            };

            if let Some(quarter) = quarter {
                canvas.put(index, &quarter);
            }
        }

        Ok(())
    }

    /// Stores a quarter. If the store is full, it drops quarters of the outermost zoom level first,
    /// because their parents are made last.
    pub(crate) fn keep(&self, map_layer: MapLayer, tile: TilePos, quarter: Quarter) {
        // Declared before the lock is taken, so that the quarters are freed after it is released.
        let mut dropped = Vec::new();
        let mut waiting = self.waiting();
        while waiting.bands + quarter.band_count() > self.capacity {
            let outermost = waiting
                .quarters
                .keys()
                .next()
                .copied()
                .filter(|(other, _)| other.zoom < tile.zoom);
            let Some((outermost, its_layer)) = outermost else {
                return;
            };

            dropped.extend(waiting.take(its_layer, outermost));
        }

        waiting.bands += quarter.band_count();
        waiting.quarters.insert((tile, map_layer), quarter);
    }

    /// Drops the quarters of the children of a tile that this run keeps.
    pub(crate) fn drop_children(&self, map_layer: MapLayer, tile: TilePos) {
        let mut waiting = self.waiting();
        let dropped: [Option<Quarter>; 4] =
            std::array::from_fn(|index| waiting.take(map_layer, tile.child(index)));
        drop(waiting);
        drop(dropped);
    }

    fn waiting(&self) -> MutexGuard<'_, WaitingQuarters> {
        mutex::lock(&self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: MapLayer = MapLayer {
        dimension: 0,
        layer: 0,
    };
    const OTHER: MapLayer = MapLayer {
        dimension: 0,
        layer: 1,
    };

    /// Returns a quarter of a tile that has pixels on all of its bands.
    fn full_quarter() -> Quarter {
        let mut canvas = Canvas::default();
        for band in 0..TILE_SIDE / CHUNK_SIDE {
            canvas.band_mut(band);
        }
        Quarter::from_colours(&canvas)
    }

    #[test]
    fn a_full_store_drops_its_outermost_tiles_first() {
        let pyramid = Pyramid::new(Vec::new(), 1);
        let take = |map_layer, tile| pyramid.waiting().take(map_layer, tile);
        let tile = |zoom, x| TilePos { zoom, x, y: 0 };

        for x in 0..4 {
            pyramid.keep(FIRST, tile(15, x), full_quarter());
            pyramid.keep(OTHER, tile(16, x), full_quarter());
        }

        pyramid.keep(FIRST, tile(17, 0), full_quarter());
        pyramid.keep(FIRST, tile(14, 0), full_quarter());
        assert!(take(FIRST, tile(15, 0)).is_none(), "it made room");
        assert!(
            take(FIRST, tile(14, 0)).is_none(),
            "there was no room for it"
        );

        assert!(take(FIRST, tile(15, 1)).is_some() && take(FIRST, tile(17, 0)).is_some());
        assert!(take(FIRST, tile(17, 0)).is_none(), "taken");
        (0..4).for_each(|x| assert!(take(OTHER, tile(16, x)).is_some()));
        assert_eq!(pyramid.waiting().bands, 2 * TILE_SIDE / CHUNK_SIDE);
    }
}
