//! Parent tiles: made from their children in memory as soon as the last of them is done, by whoever ended it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::render::{Render, Worker};
use crate::coord::{TILE_SIDE, TilePos};
use crate::publish::{Put, TileRecord};
use crate::report::Stage;
use crate::tile::{Pixel, QUARTER_SIDE, Quarter, decode, pixel_hash, reduce};

/// Quarters that wait for their parent, a worker: more are read back from their published tiles.
const WAITING_A_WORKER: usize = 8;

/// Quarters of parents that are not begun.
#[derive(Debug)]
pub(super) struct Waiting {
    quarters: Mutex<HashMap<(usize, TilePos), Quarter>>,
    capacity: usize,
}

impl Waiting {
    pub(super) fn new(threads: usize) -> Self {
        Self { quarters: Mutex::default(), capacity: threads * WAITING_A_WORKER }
    }

    fn quarters(&self) -> std::sync::MutexGuard<'_, HashMap<(usize, TilePos), Quarter>> {
        self.quarters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a quarter. Where all room is taken, one of the outermost zoom level goes: its parent is the last to come.
    fn keep(&self, dimension: usize, tile: TilePos, quarter: Quarter) {
        let mut quarters = self.quarters();
        if quarters.len() >= self.capacity {
            let outermost = quarters.keys().min_by_key(|(_, tile)| tile.zoom).copied();
            let Some(outermost) = outermost.filter(|(_, kept)| kept.zoom < tile.zoom) else { return };
            quarters.remove(&outermost);
        }
        quarters.insert((dimension, tile), quarter);
    }

    fn take(&self, dimension: usize, tile: TilePos) -> Option<Quarter> {
        self.quarters().remove(&(dimension, tile))
    }
}

impl Render<'_> {
    /// Draws a parent tile from its children and publishes it.
    pub(super) fn draw_parent(&self, worker: &mut Worker<'_>, dimension: usize, tile: TilePos) {
        worker.pixels.fill(Pixel::CLEAR);
        for place in 0..4 {
            let child = tile.child(place);
            let quarter = self.waiting.take(dimension, child).or_else(|| self.read_back(dimension, child));
            if let Some(quarter) = quarter {
                let corner = (place >> 1) * QUARTER_SIDE * TILE_SIDE + (place & 1) * QUARTER_SIDE;
                for (y, row) in quarter.chunks_exact(QUARTER_SIDE).enumerate() {
                    worker.pixels[corner + y * TILE_SIDE..][..QUARTER_SIDE].copy_from_slice(row);
                }
            }
        }
        worker.reader.clock.ends(Stage::Reduce);
        self.publish(worker, dimension, tile);
    }

    /// A quarter that did not wait in memory, from the tile that this run has published.
    fn read_back(&self, dimension: usize, tile: TilePos) -> Option<Quarter> {
        if !self.records(dimension).contains_key(&tile) {
            return None;
        }
        let path = self.tile_path(dimension, tile);
        let read = self.output.read(&path);
        match read.map(|png| decode(&png)) {
            Ok(Ok(pixels)) => Some(reduce(&pixels)),
            Ok(Err(error)) => {
                self.fail_with("output", format!("{path} was changed while the map was drawn: {error}"));
                None
            }
            Err(error) => {
                self.fail(&error);
                None
            }
        }
    }

    /// Publishes the worker's pixels as a tile, unless nothing is on it, and keeps its quarter for the parent.
    pub(super) fn publish(&self, worker: &mut Worker<'_>, dimension: usize, tile: TilePos) {
        if worker.pixels.iter().all(|&pixel| pixel == Pixel::CLEAR) {
            return;
        }
        let png = worker.encoder.png(&worker.pixels);
        let record = TileRecord {
            bytes: png.len() as u32,
            file: twox_hash::XxHash3_64::oneshot(png),
            pixels: pixel_hash(&worker.pixels),
        };
        worker.reader.clock.ends(Stage::Encode);
        let put = self.output.put(&self.tile_path(dimension, tile), png);
        worker.reader.clock.ends(Stage::Write);
        match put {
            Ok(Put::Written) => worker.tally.tiles_written += 1,
            Ok(Put::Unchanged) => worker.tally.tiles_unchanged += 1,
            Err(error) => return self.fail(&error),
        }
        self.records(dimension).insert(tile, record);
        if tile.zoom > self.plan.dimensions[dimension].pyramid.min_zoom() {
            self.waiting.keep(dimension, tile, reduce(&worker.pixels));
            worker.reader.clock.ends(Stage::Reduce);
        }
    }
}
