//! Quarters of tiles, held in memory until their parents are drawn.

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::base::coord::{CHUNK_SIDE, TILE_SIDE, TilePos};
use crate::base::mutex;
use crate::draw::prepare::layers::MapLayer;
use crate::tile::{Canvas, Quarter};

/// The room for quarters in memory, for each worker, in bands of a tile: 8 whole quarters, or more that are not whole.
/// The rest is read back from its tiles.
const WAITING_A_WORKER: usize = 8 * TILE_SIDE / CHUNK_SIDE;

/// Quarters of parents that are not begun.
#[derive(Debug)]
pub(crate) struct Waiting {
    kept: Mutex<Kept>,
    capacity: usize,
}

/// A tile could not be read back, and the run ends for it.
#[derive(Debug)]
pub(crate) struct Unread;

#[derive(Debug, Default)]
struct Kept {
    /// By tile and map layer, so those of the outermost zoom level come first.
    quarters: BTreeMap<(TilePos, MapLayer), Quarter>,
    /// Of all quarters together.
    bands: usize,
}

impl Kept {
    fn take(&mut self, tile: TilePos, map_layer: MapLayer) -> Option<Quarter> {
        let quarter = self.quarters.remove(&(tile, map_layer))?;
        self.bands -= quarter.held();
        Some(quarter)
    }
}

impl Waiting {
    pub(crate) fn new(threads: usize) -> Self {
        Self { kept: Mutex::default(), capacity: threads * WAITING_A_WORKER }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        mutex::lock(&self.kept)
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
            let quarter = self.take(map_layer, child).map_or_else(|| read_back(child), |quarter| Ok(Some(quarter)))?;
            if let Some(quarter) = quarter {
                canvas.put(place, &quarter);
            }
        }
        Ok(())
    }

    /// Keeps a quarter. Where all room is taken, those of the outermost zoom level go: their parents are the last to
    /// come.
    pub(crate) fn keep(&self, map_layer: MapLayer, tile: TilePos, quarter: Quarter) {
        // Dropped when the lock is free again.
        let mut gone = Vec::new();
        let mut kept = self.kept();
        while kept.bands + quarter.held() > self.capacity {
            let outermost = kept.quarters.keys().next().copied();
            let Some((outermost, of)) = outermost.filter(|(other, _)| other.zoom < tile.zoom) else { return };
            gone.extend(kept.take(outermost, of));
        }
        kept.bands += quarter.held();
        kept.quarters.insert((tile, map_layer), quarter);
    }

    pub(crate) fn take(&self, map_layer: MapLayer, tile: TilePos) -> Option<Quarter> {
        self.kept().take(tile, map_layer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::Canvas;

    const FIRST: MapLayer = MapLayer { dimension: 0, layer: 0 };
    const OTHER: MapLayer = MapLayer { dimension: 0, layer: 1 };

    /// A quarter of a tile on all of whose bands something is.
    fn whole() -> Quarter {
        let mut canvas = Canvas::default();
        for band in 0..TILE_SIDE / CHUNK_SIDE {
            canvas.band_mut(band);
        }
        Quarter::of(&canvas)
    }

    #[test]
    fn a_full_store_drops_its_outermost_tiles_first() {
        let waiting = Waiting::new(1);
        let tile = |zoom, x| TilePos { zoom, x, y: 0 };
        for x in 0..4 {
            waiting.keep(FIRST, tile(15, x), whole());
            waiting.keep(OTHER, tile(16, x), whole());
        }
        waiting.keep(FIRST, tile(17, 0), whole());
        waiting.keep(FIRST, tile(14, 0), whole());
        assert!(waiting.take(FIRST, tile(15, 0)).is_none(), "it made room");
        assert!(waiting.take(FIRST, tile(14, 0)).is_none(), "there was no room for it");
        assert!(waiting.take(FIRST, tile(15, 1)).is_some() && waiting.take(FIRST, tile(17, 0)).is_some());
        assert!(waiting.take(FIRST, tile(17, 0)).is_none(), "taken");
        (0..4).for_each(|x| assert!(waiting.take(OTHER, tile(16, x)).is_some()));
        assert_eq!(waiting.kept().bands, 2 * TILE_SIDE / CHUNK_SIDE);
    }
}
