//! Parent tiles: made from their children in memory as soon as the last of them is done, by whoever ended it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use twox_hash::XxHash3_64;

use super::drawing::{Drawing, Worker};
use super::map::Map;
use super::sheet::Sheet;
use super::standing::Stands;
use super::unchanged::children_of;
use crate::coord::{CHUNK_SIDE, TILE_SIDE, TilePos};
use crate::publish::{PublishError, Put, TileRecord};
use crate::record::Published;
use crate::report::{Clock, Failure, Stage};
use crate::tile::{Canvas, Quarter};

/// What may wait for parents, a worker, in bands of a tile: 8 whole quarters, or more that are less. The rest is read
/// back from its published tiles.
const WAITING_A_WORKER: usize = 8 * TILE_SIDE / CHUNK_SIDE;

/// Quarters of parents that are not begun.
#[derive(Debug)]
pub(super) struct Waiting {
    kept: Mutex<Kept>,
    capacity: usize,
}

/// A tile could not be read back, and the run ends for it.
#[derive(Debug)]
pub(super) struct Unread;

#[derive(Debug, Default)]
struct Kept {
    /// By tile and sheet, so those of the outermost zoom level come first.
    quarters: BTreeMap<(TilePos, Sheet), Quarter>,
    /// Of all quarters together.
    bands: usize,
}

impl Kept {
    fn take(&mut self, tile: TilePos, sheet: Sheet) -> Option<Quarter> {
        let quarter = self.quarters.remove(&(tile, sheet))?;
        self.bands -= quarter.held();
        Some(quarter)
    }
}

impl Waiting {
    pub(super) fn new(threads: usize) -> Self {
        Self { kept: Mutex::default(), capacity: threads * WAITING_A_WORKER }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a parent together on a cleared canvas: of each child what waits, or what `read_back` finds of it.
    ///
    /// # Errors
    /// A child is there and cannot be read back: the canvas has a hole.
    pub(super) fn compose(
        &self,
        canvas: &mut Canvas,
        sheet: Sheet,
        tile: TilePos,
        read_back: impl Fn(TilePos) -> Result<Option<Quarter>, Unread>,
    ) -> Result<(), Unread> {
        canvas.clear();
        for place in 0..4 {
            let child = tile.child(place);
            let quarter = self.take(sheet, child).map_or_else(|| read_back(child), |quarter| Ok(Some(quarter)))?;
            if let Some(quarter) = quarter {
                canvas.put(place, &quarter);
            }
        }
        Ok(())
    }

    /// Keeps a quarter. Where all room is taken, those of the outermost zoom level go: their parents are the last to come.
    pub(super) fn keep(&self, sheet: Sheet, tile: TilePos, quarter: Quarter) {
        // Dropped when the lock is free again.
        let mut gone = Vec::new();
        let mut kept = self.kept();
        while kept.bands + quarter.held() > self.capacity {
            let outermost = kept.quarters.keys().next().copied();
            let Some((outermost, of)) = outermost.filter(|(other, _)| other.zoom < tile.zoom) else { return };
            gone.extend(kept.take(outermost, of));
        }
        kept.bands += quarter.held();
        kept.quarters.insert((tile, sheet), quarter);
    }

    fn take(&self, sheet: Sheet, tile: TilePos) -> Option<Quarter> {
        self.kept().take(tile, sheet)
    }
}

impl Drawing<'_> {
    /// Keeps the quarter of a tile for its parent, if it has one.
    pub(super) fn keep_quarter(
        &self,
        waiting: &Waiting,
        clock: &mut Clock,
        sheet: Sheet,
        tile: TilePos,
        canvas: &Canvas,
    ) {
        if tile.zoom > self.plan.dimensions[sheet.dimension].pyramid.min_zoom() {
            waiting.keep(sheet, tile, self.sheets.samples(sheet).quarter(canvas));
            clock.ends(Stage::Reduce);
        }
    }

    /// The quarter of a tile that was read back from `path`. Where there is none the run ends.
    pub(super) fn quarter(
        &self,
        sheet: Sheet,
        path: &str,
        read: Result<Vec<u8>, PublishError>,
    ) -> Result<Quarter, Unread> {
        let samples = self.sheets.samples(sheet);
        samples.decode(&self.whole(read)?).map(|canvas| samples.quarter(&canvas)).map_err(|error| {
            self.fail_with("output", format!("{path} was changed while the map was drawn: {error}"));
            Unread
        })
    }

    /// What was read in the output folder. Where it cannot be read the run ends.
    pub(super) fn whole<T>(&self, read: Result<T, PublishError>) -> Result<T, Unread> {
        read.map_err(|error| {
            self.fail(&error);
            Unread
        })
    }
}

impl Map<'_> {
    /// Draws a parent tile of all layers from its children and publishes it, unless they are those it was drawn from.
    pub(super) fn draw_parent(&self, worker: &mut Worker<'_>, dimension: usize, tile: TilePos) {
        for sheet in self.drawing.sheets.of(dimension) {
            // Of its children one may be what the run ends for: then it was not drawn.
            if self.drawing.is_stopped() {
                return self.drawing.leave_undone();
            }
            self.draw_parent_of(worker, sheet, tile);
        }
    }

    fn draw_parent_of(&self, worker: &mut Worker<'_>, sheet: Sheet, tile: TilePos) {
        let pixels: [Option<u64>; 4] = {
            let records = self.records(sheet);
            std::array::from_fn(|place| records.get(&tile.child(place)).map(|record| record.pixels))
        };
        let children = children_of(pixels);
        if self.leave_unchanged_parent(worker, sheet, tile, children) {
            // Of a child that was drawn to the same pixels.
            (0..4).for_each(|place| drop(self.waiting.take(sheet, tile.child(place))));
            return;
        }
        if self.waiting.compose(&mut worker.canvases[0], sheet, tile, |child| self.read_back(sheet, child)).is_err() {
            return;
        }
        worker.reader.clock.ends(Stage::Reduce);
        match self.publish(worker, sheet, 0, tile, |_| self.announce_parent(sheet, tile)) {
            Ok((published, stands)) => self.note_parent(sheet, tile, children, published, stands),
            Err(error) => self.drawing.fail(&error),
        }
    }

    /// A quarter that did not wait in memory, from the tile as it stands for this run.
    fn read_back(&self, sheet: Sheet, tile: TilePos) -> Result<Option<Quarter>, Unread> {
        let Some(record) = self.records(sheet).get(&tile).copied() else { return Ok(None) };
        let path = self.path_now(sheet, tile);
        let read = self.output.read(&path);
        let is_damaged = match &read {
            Ok(file) => XxHash3_64::oneshot(file) != record.file,
            Err(error) => !error.retryable(),
        };
        if is_damaged {
            self.have_drawn_anew(sheet, tile, &path);
            return Err(Unread);
        }
        self.drawing.quarter(sheet, &path, read).map(Some)
    }

    /// Forgets a tile that looks as it was published, and is not: what its disk has made of it must not be seen further out.
    /// The run ends, and the next one draws it.
    fn have_drawn_anew(&self, sheet: Sheet, tile: TilePos, path: &str) {
        self.forget(sheet, tile);
        let message = format!("{path} is damaged: the next run draws it anew, if this map is drawn again");
        self.drawing.fail_as(Failure { kind: "output", message, retryable: true });
    }

    /// Publishes one of the worker's canvases as a tile, unless nothing is on it, and keeps its quarter for the parent. Calls
    /// `announce` before a tile takes the place of another. Says where it stands.
    pub(super) fn publish(
        &self,
        worker: &mut Worker<'_>,
        sheet: Sheet,
        canvas: usize,
        tile: TilePos,
        announce: impl FnOnce(TileRecord) -> Result<(), PublishError>,
    ) -> Result<(Option<Published>, Stands), PublishError> {
        let (canvas, samples) = (&worker.canvases[canvas], self.drawing.sheets.samples(sheet));
        if canvas.is_empty() {
            return Ok((None, Stands::InPlace));
        }
        let file = self.drawing.sheets.encode(sheet, &mut worker.encoder, canvas);
        let record =
            TileRecord { bytes: file.len() as u32, file: XxHash3_64::oneshot(file), pixels: samples.hash(canvas) };
        worker.reader.clock.ends(Stage::Encode);
        let staged = self.drawing.settings.is_staged();
        if !staged {
            announce(record)?;
        }
        let path = self.drawing.sheets.tile_path(sheet, tile);
        let put = self.put(&path, file);
        worker.reader.clock.ends(Stage::Write);
        let put = put?;
        let stands = if staged && put == Put::Written { Stands::Staged } else { Stands::InPlace };
        match put {
            // A staged tile is counted when it takes its place.
            Put::Written => worker.tally.tiles_written += u64::from(!staged),
            Put::Unchanged => worker.tally.tiles_unchanged += 1,
        }
        if stands == Stands::Staged {
            self.staged(sheet).insert(tile);
        }
        self.records(sheet).insert(tile, record);
        self.drawing.keep_quarter(&self.waiting, &mut worker.reader.clock, sheet, tile, canvas);
        let modified = self.modified(&self.path(sheet, tile, stands));
        Ok((Some(Published { record, modified }), stands))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::Canvas;

    const SHEET: Sheet = Sheet { dimension: 0, layer: 0 };
    const OTHER: Sheet = Sheet { dimension: 0, layer: 1 };

    /// A quarter of a tile on all of whose bands something is.
    fn whole() -> Quarter {
        let mut canvas = Canvas::default();
        for band in 0..TILE_SIDE / CHUNK_SIDE {
            canvas.band_mut(band);
        }
        Quarter::of(&canvas)
    }

    #[test]
    fn of_what_does_not_fit_the_outermost_go_and_what_is_as_far_out_is_not_kept() {
        let waiting = Waiting::new(1);
        let tile = |zoom, x| TilePos { zoom, x, y: 0 };
        for x in 0..4 {
            waiting.keep(SHEET, tile(15, x), whole());
            waiting.keep(OTHER, tile(16, x), whole());
        }
        waiting.keep(SHEET, tile(17, 0), whole());
        waiting.keep(SHEET, tile(14, 0), whole());
        assert!(waiting.take(SHEET, tile(15, 0)).is_none(), "it made room");
        assert!(waiting.take(SHEET, tile(14, 0)).is_none(), "there was no room for it");
        assert!(waiting.take(SHEET, tile(15, 1)).is_some() && waiting.take(SHEET, tile(17, 0)).is_some());
        assert!(waiting.take(SHEET, tile(17, 0)).is_none(), "taken");
        (0..4).for_each(|x| assert!(waiting.take(OTHER, tile(16, x)).is_some()));
        assert_eq!(waiting.kept().bands, 2 * TILE_SIDE / CHUNK_SIDE);
    }
}
