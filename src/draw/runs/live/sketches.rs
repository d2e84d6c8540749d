//! Pictures of outer tiles that are not drawn yet: what is drawn below them, and sketches of the rest.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::base::coord::{CHUNK_SIDE, TILE_SIDE};
use crate::base::mutex;
use crate::draw::map::Map;
use crate::draw::painter::shared::PaintWorker;
use crate::draw::runs::live::LayerTile;
use crate::draw::runs::live::requests::{Request, Requests};
use crate::tile::{Canvas, Pixel, Quarter};

/// Sketches that are remembered, a mebibyte each: those of a few screens.
const MAX_REMEMBERED: usize = 48;
/// The levels below a tile in which drawn tiles are looked for.
const LEVELS_BELOW: u8 = 5;
/// The most drawn tiles that are read for one picture.
const MAX_READ: usize = 64;

/// The requests for sketches, and the sketches made last.
#[derive(Default)]
pub(crate) struct Sketches {
    requests: Requests<LayerTile>,
    made: Mutex<VecDeque<(LayerTile, Arc<Canvas>)>>,
}

impl fmt::Debug for Sketches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sketches").finish_non_exhaustive()
    }
}

impl Sketches {
    pub(crate) fn ask(&self, request: Request<LayerTile>) {
        self.requests.add(request);
    }

    /// Ends the work; what waits gets no reply.
    pub(crate) fn close(&self) {
        self.requests.close();
        // The map may be served for long after it is drawn.
        self.lock_cache().clear();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.requests.is_closed()
    }

    /// Answers requests, the newest first, until they are closed. `is_open` returns whether a tile is not drawn yet.
    pub(crate) fn work(&self, map: &Map<'_>, is_open: impl Fn(LayerTile) -> bool) {
        let mut worker = None;
        while let Some(Request { subject: tile, reply, .. }) = self.requests.next(0) {
            // A panic costs its sketch and the worker's buffers; the region reports it when it is drawn.
            let sketched = catch_unwind(AssertUnwindSafe(|| {
                let worker = worker.get_or_insert_with(|| map.painter.worker());
                self.picture(map, worker, tile, &is_open)
            }));
            match sketched {
                Ok(picture) => reply(picture),
                Err(_) => worker = None,
            }
        }
    }

    /// The file of a picture of a tile: drawn tiles below it, laid over its sketch.
    fn picture<'m>(
        &self,
        map: &'m Map<'_>,
        worker: &mut PaintWorker<'m>,
        tile: LayerTile,
        is_open: &impl Fn(LayerTile) -> bool,
    ) -> Vec<u8> {
        let sketch = self.sketch(map, worker, tile);
        let mut left = MAX_READ;
        let drawn = join_drawn(map, tile, LEVELS_BELOW, &mut left, is_open);
        let picture = drawn.map(|drawn| laid_over(&sketch, &drawn));
        let picture = picture.as_ref().unwrap_or(&sketch);
        map.painter.map_layers.encode(tile.map_layer, &mut worker.encoder, picture).to_vec()
    }

    /// The sketch of a tile: the one made before, if that is not long ago.
    fn sketch<'m>(&self, map: &'m Map<'_>, worker: &mut PaintWorker<'m>, tile: LayerTile) -> Arc<Canvas> {
        let known = self.lock_cache().iter().find(|(made, _)| *made == tile).map(|(_, sketch)| Arc::clone(sketch));
        known.unwrap_or_else(|| {
            let sketch = Arc::new(map.painter.sketch(worker, tile.map_layer, tile.tile));
            let mut made = self.lock_cache();
            if made.len() == MAX_REMEMBERED {
                made.pop_front();
            }
            made.push_back((tile, Arc::clone(&sketch)));
            sketch
        })
    }

    fn lock_cache(&self) -> MutexGuard<'_, VecDeque<(LayerTile, Arc<Canvas>)>> {
        mutex::lock(&self.made)
    }
}

/// Joins the drawn tiles below a tile, down to so many levels; `left` is the number of tiles that may still be read.
/// `None`: nothing of it is drawn, or can be read.
fn join_drawn(
    map: &Map<'_>,
    tile: LayerTile,
    levels: u8,
    left: &mut usize,
    is_open: &impl Fn(LayerTile) -> bool,
) -> Option<Canvas> {
    let LayerTile { map_layer, .. } = tile;
    if !map.painter.plan.dimensions[map_layer.dimension].pyramid.contains(tile.tile) {
        return None;
    }
    if !is_open(tile) {
        *left = left.checked_sub(1)?;
        let file = map.tiles.store.read_now(map_layer, tile.tile).ok()?;
        return map.painter.map_layers.samples(map_layer).decode(&file).ok();
    }
    if levels == 0 || tile.is_native() {
        return None;
    }
    let mut canvas = None;
    for quarter in 0..4 {
        let child = LayerTile { tile: tile.tile.child(quarter), ..tile };
        if let Some(drawn) = join_drawn(map, child, levels - 1, left, is_open) {
            canvas.get_or_insert_with(Canvas::default).put(quarter, &Quarter::from_colours(&drawn));
        }
    }
    canvas
}

/// The pixels of `upper` where there are any, and those of `lower` elsewhere.
fn laid_over(lower: &Canvas, upper: &Canvas) -> Canvas {
    let mut canvas = Canvas::default();
    let rows = lower.pixels().chunks_exact(TILE_SIDE).zip(upper.pixels().chunks_exact(TILE_SIDE));
    for (z, (lower, upper)) in rows.enumerate() {
        let at = z % CHUNK_SIDE * TILE_SIDE;
        let row = &mut canvas.band_mut(z / CHUNK_SIDE)[at..][..TILE_SIDE];
        for ((to, lower), upper) in row.iter_mut().zip(lower).zip(upper) {
            *to = if *upper == Pixel::CLEAR { *lower } else { *upper };
        }
    }
    canvas
}
