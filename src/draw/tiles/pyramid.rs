//! Who waits for whom: quarters of tiles, held in memory until the tiles above them are made. Knows no file and no world.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use crate::base::coord::{CHUNK_SIDE, NATIVE_ZOOM, TILE_SIDE, TilePos};
use crate::base::mutex;
use crate::draw::request::layers::MapLayer;
use crate::draw::tiles::run_state::Unread;
use crate::tile::{Canvas, Quarter, TileSet};

/// The room for quarters in memory, for each worker, in bands of a tile: 8 whole quarters, or more that are not whole.
/// The rest is read back from its tiles.
const WAITING_A_WORKER: usize = 8 * TILE_SIDE / CHUNK_SIDE;

#[derive(Debug)]
pub(crate) struct Pyramid<'a> {
    /// By dimension.
    tile_sets: Vec<&'a TileSet>,
    waiting: Mutex<Waiting>,
    /// In bands.
    capacity: usize,
}

/// Quarters of parents that are not begun.
#[derive(Debug, Default)]
struct Waiting {
    /// By tile and map layer, so those of the outermost zoom level come first.
    quarters: BTreeMap<(TilePos, MapLayer), Quarter>,
    /// The bands of all quarters together.
    bands: usize,
}

impl Waiting {
    fn take(&mut self, map_layer: MapLayer, tile: TilePos) -> Option<Quarter> {
        let quarter = self.quarters.remove(&(tile, map_layer))?;
        self.bands -= quarter.band_count();
        Some(quarter)
    }
}

impl<'a> Pyramid<'a> {
    pub(crate) fn new(tile_sets: Vec<&'a TileSet>, threads: usize) -> Self {
        Self { tile_sets, waiting: Mutex::default(), capacity: threads * WAITING_A_WORKER }
    }

    pub(crate) fn has_parent(&self, map_layer: MapLayer, tile: TilePos) -> bool {
        tile.zoom <= NATIVE_ZOOM && self.tile_sets[map_layer.dimension].contains(tile.parent())
    }

    /// Puts a parent together on a cleared canvas: of each child the quarter in memory, or the one `read_back` finds.
    ///
    /// # Errors
    /// A child is there and cannot be read back: the canvas has a hole.
    pub(crate) fn compose(
        &self,
        canvas: &mut Canvas,
        map_layer: MapLayer,
        tile: TilePos,
        read_back: impl Fn(TilePos) -> Result<Option<Quarter>, Unread>,
    ) -> Result<(), Unread> {
        canvas.clear();
        for place in 0..4 {
            let child = tile.child(place);
            let waiting = self.waiting().take(map_layer, child);
            let quarter = if waiting.is_some() { waiting } else { read_back(child)? };
            if let Some(quarter) = quarter {
                canvas.put(place, &quarter);
            }
        }
        Ok(())
    }

    /// Keeps a quarter. Where all room is taken, those of the outermost zoom level are dropped: their parents are the
    /// last to come.
    pub(crate) fn keep(&self, map_layer: MapLayer, tile: TilePos, quarter: Quarter) {
        // Dropped when the lock is free again.
        let mut dropped = Vec::new();
        let mut waiting = self.waiting();
        while waiting.bands + quarter.band_count() > self.capacity {
            let outermost = waiting.quarters.keys().next().copied().filter(|(other, _)| other.zoom < tile.zoom);
            let Some((outermost, its_layer)) = outermost else { return };
            dropped.extend(waiting.take(its_layer, outermost));
        }
        waiting.bands += quarter.band_count();
        waiting.quarters.insert((tile, map_layer), quarter);
    }

    /// Drops the quarters of the children of a tile that stays as it is.
    pub(crate) fn drop_children(&self, map_layer: MapLayer, tile: TilePos) {
        let mut waiting = self.waiting();
        let dropped: [Option<Quarter>; 4] = std::array::from_fn(|place| waiting.take(map_layer, tile.child(place)));
        drop(waiting);
        drop(dropped);
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        mutex::lock(&self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: MapLayer = MapLayer { dimension: 0, layer: 0 };
    const OTHER: MapLayer = MapLayer { dimension: 0, layer: 1 };

    /// A quarter of a tile on all of whose bands something is.
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
        assert!(take(FIRST, tile(14, 0)).is_none(), "there was no room for it");
        assert!(take(FIRST, tile(15, 1)).is_some() && take(FIRST, tile(17, 0)).is_some());
        assert!(take(FIRST, tile(17, 0)).is_none(), "taken");
        (0..4).for_each(|x| assert!(take(OTHER, tile(16, x)).is_some()));
        assert_eq!(pyramid.waiting().bands, 2 * TILE_SIDE / CHUNK_SIDE);
    }
}
