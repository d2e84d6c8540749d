//! Makes pictures of outer tiles that are not drawn yet: drawn tiles below them on top of a sketch.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use crate::map::Map;
use crate::painter::shared::PaintWorker;
use crate::runs::live::requests::{Request, Requests};
use crate::runs::live::tile_state::LayerTile;
use pixelmap_base::coord::{CHUNK_SIDE, TILE_SIDE};
use pixelmap_base::mutex;
use pixelmap_base::recent::RecentValues;
use pixelmap_tile::{Canvas, Pixel, Samples};

/// How many sketches are kept, of 1 MiB each: enough for a few screens.
const MAX_REMEMBERED: usize = 48;
/// How many levels below a tile are searched for drawn tiles.
const LEVELS_BELOW: u8 = 5;
/// The most drawn tiles that are read for one picture.
const MAX_READ: usize = 64;

/// The requests for sketches, and the newest sketches.
pub(crate) struct Sketches {
    requests: Requests<LayerTile>,
    made: Mutex<RecentValues<LayerTile, Canvas>>,
}

impl fmt::Debug for Sketches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sketches").finish_non_exhaustive()
    }
}

impl Default for Sketches {
    fn default() -> Self {
        Self {
            requests: Requests::default(),
            made: Mutex::new(RecentValues::new(MAX_REMEMBERED)),
        }
    }
}

impl Sketches {
    pub(crate) fn requests(&self) -> &Requests<LayerTile> {
        &self.requests
    }

    /// Ends the work. The waiting requests do not get a reply.
    pub(crate) fn close(&self) {
        self.requests.close();
        // Free the memory, because the map may be served long after it is drawn.
        mutex::lock(&self.made).clear();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.requests.is_closed()
    }

    /// Answers requests, the newest first, until they are closed. `is_open` returns whether a tile
    /// is not drawn yet.
    pub(crate) fn work(&self, map: &Map<'_>, is_open: impl Fn(LayerTile) -> bool) {
        let mut worker = None;
        while let Some(Request {
            subject: tile,
            reply,
            ..
        }) = self.requests.next(0)
        {
            // A panic only loses this sketch and the worker's buffers. The job that draws the
            // region reports it.
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

    /// Returns the file of a tile's picture: the drawn tiles below it on top of its sketch.
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
        map.painter
            .map_layers
            .encode(tile.map_layer, &mut worker.encoder, picture)
            .to_vec()
    }

    /// Returns the sketch of a tile, from the cache if possible.
    fn sketch<'m>(
        &self,
        map: &'m Map<'_>,
        worker: &mut PaintWorker<'m>,
        tile: LayerTile,
    ) -> Arc<Canvas> {
        let known = mutex::lock(&self.made).get(&tile);
        known.unwrap_or_else(|| {
            let sketch = Arc::new(map.painter.sketch(worker, tile.map_layer, tile.tile));
            mutex::lock(&self.made).put(tile, Arc::clone(&sketch));
            sketch
        })
    }
}

/// Joins the drawn tiles below a tile, down to `levels` levels. `left` is the number of tiles that
/// may still be read. Returns `None` if none of them is drawn and readable.
fn join_drawn(
    map: &Map<'_>,
    tile: LayerTile,
    levels: u8,
    left: &mut usize,
    is_open: &impl Fn(LayerTile) -> bool,
) -> Option<Canvas> {
    let LayerTile { map_layer, .. } = tile;
    if !map.painter.plan.dimensions[map_layer.dimension]
        .pyramid
        .contains(tile.tile)
    {
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
        let child = LayerTile {
            tile: tile.tile.child(quarter),
            ..tile
        };

        if let Some(drawn) = join_drawn(map, child, levels - 1, left, is_open) {
            canvas
                .get_or_insert_with(Canvas::default)
                .put(quarter, &Samples::Colours.quarter(child.tile, &drawn));
        }
    }

    canvas
}

/// Returns the pixels of `upper` on top of the pixels of `lower`.
fn laid_over(lower: &Canvas, upper: &Canvas) -> Canvas {
    let mut canvas = Canvas::default();
    let rows = lower
        .pixels()
        .chunks_exact(TILE_SIDE)
        .zip(upper.pixels().chunks_exact(TILE_SIDE));

    for (z, (lower, upper)) in rows.enumerate() {
        let at = z % CHUNK_SIDE * TILE_SIDE;
        let row = &mut canvas.band_mut(z / CHUNK_SIDE)[at..][..TILE_SIDE];
        for ((to, lower), upper) in row.iter_mut().zip(lower).zip(upper) {
            *to = if *upper == Pixel::CLEAR {
                *lower
            } else {
                *upper
            };
        }
    }

    canvas
}
