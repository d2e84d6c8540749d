//! Parent tiles: made from their children in memory as soon as the last child is done, by the worker that drew it.

use twox_hash::XxHash3_64;

use crate::base::coord::TilePos;
use crate::draw::map::state::Map;
use crate::draw::map::waiting::Unread;
use crate::draw::painter::shared::Worker;
use crate::draw::prepare::layers::MapLayer;
use crate::draw::record::{ParentRecord, join};
use crate::draw::report::{Clock, Failure, FailureKind, Stage};
use crate::store::PublishError;
use crate::tile::{Canvas, Quarter};
use crate::world::UNSTABLE;

impl Map<'_> {
    /// Keeps the quarter of a tile for its parent, if it has one.
    pub(crate) fn keep_quarter(&self, clock: &mut Clock, map_layer: MapLayer, tile: TilePos, canvas: &Canvas) {
        let has_parent = self.painter.plan.dimensions[map_layer.dimension].pyramid.contains(tile.parent());
        if has_parent && !self.painter.map_layers.is_details(map_layer) {
            self.waiting.keep(map_layer, tile, self.painter.map_layers.samples(map_layer).quarter(canvas));
            clock.ends(Stage::Reduce);
        }
    }

    /// The quarter of a tile that was read back from `path`. Where there is none the run ends.
    pub(crate) fn quarter(
        &self,
        map_layer: MapLayer,
        path: &str,
        read: Result<Vec<u8>, PublishError>,
    ) -> Result<Quarter, Unread> {
        let samples = self.painter.map_layers.samples(map_layer);
        samples.decode(&self.whole(read)?).map(|canvas| samples.quarter(&canvas)).map_err(|error| {
            self.painter.fail_with(FailureKind::Output, format!("{path} was changed while the map was drawn: {error}"));
            Unread
        })
    }

    /// Draws a parent tile of all layers from its children and publishes it, unless they are those it was drawn from.
    pub(crate) fn draw_parent(&self, worker: &mut Worker<'_>, dimension: usize, tile: TilePos) {
        let map_layers = &self.painter.map_layers;
        for map_layer in map_layers.of(dimension).filter(|&map_layer| !map_layers.is_details(map_layer)) {
            // Of its children one may be what the run ends for: then it was not drawn.
            if self.painter.is_stopped() {
                return self.painter.leave_undone();
            }
            self.draw_parent_of(worker, map_layer, tile);
        }
    }

    fn draw_parent_of(&self, worker: &mut Worker<'_>, map_layer: MapLayer, tile: TilePos) {
        let pixels: [Option<u64>; 4] = {
            let made = self.tiles.made(map_layer);
            std::array::from_fn(|place| made.manifest.tiles.get(&tile.child(place)).map(|record| record.pixels))
        };
        let children = children_of(pixels);
        if self.leave_unchanged_parent(worker, map_layer, tile, children) {
            // Of a child that was drawn to the same pixels.
            (0..4).for_each(|place| drop(self.waiting.take(map_layer, tile.child(place))));
            return;
        }
        if self
            .waiting
            .compose(&mut worker.canvases[0], map_layer, tile, |child| self.read_back(map_layer, child))
            .is_err()
        {
            return;
        }
        worker.reader.clock.ends(Stage::Reduce);
        let record = |published| self.tiles.record_parent(map_layer, tile, &ParentRecord { children, tile: published });
        if let Err(error) = self.publish(worker, map_layer, 0, tile, record) {
            self.painter.fail(&error);
        }
    }

    /// Reads back a quarter that is no longer in memory, from the tile as it stands for this run.
    fn read_back(&self, map_layer: MapLayer, tile: TilePos) -> Result<Option<Quarter>, Unread> {
        let Some(record) = self.tiles.made(map_layer).manifest.tiles.get(&tile).copied() else { return Ok(None) };
        let path = self.tiles.path_now(map_layer, tile);
        let read = self.output.read(&path);
        let is_damaged = match &read {
            Ok(file) => XxHash3_64::oneshot(file) != record.file,
            Err(error) => !error.retryable(),
        };
        if is_damaged {
            self.have_drawn_anew(map_layer, tile, &path);
            return Err(Unread);
        }
        self.quarter(map_layer, &path, read).map(Some)
    }

    /// Forgets a tile that looks as it was published, and is not: what its disk has made of it must not be seen further
    /// out. The run ends, and the next one draws it.
    fn have_drawn_anew(&self, map_layer: MapLayer, tile: TilePos, path: &str) {
        if let Err(error) = self.tiles.forget(map_layer, tile) {
            self.painter.fail(&error);
        }
        let message = format!("{path} is damaged: the next run draws it anew, if this map is drawn again");
        self.painter.fail_as(Failure { kind: FailureKind::Output, message, retryable: true });
    }
}

/// The key of an outer tile.
fn children_of(pixels: [Option<u64>; 4]) -> u64 {
    join(&pixels.map(|pixels| pixels.map_or(0, |hash| hash.min(UNSTABLE - 1))))
}
