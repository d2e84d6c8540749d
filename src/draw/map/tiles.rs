//! A canvas to its tile: encoded, put in its place with its record, counted, and kept as a quarter for its parent.

use twox_hash::XxHash3_64;

use crate::atlas::TileRecord;
use crate::base::coord::TilePos;
use crate::draw::map::state::Map;
use crate::draw::painter::shared::Worker;
use crate::draw::prepare::layers::MapLayer;
use crate::draw::record::Published;
use crate::draw::report::Stage;
use crate::store::{PublishError, Put};

impl Map<'_> {
    /// Publishes one of the worker's canvases as a tile, unless nothing is on it, and keeps its quarter for the parent.
    /// Calls `record` before a tile takes the place of another. Returns whether there is a tile.
    pub(crate) fn publish(
        &self,
        worker: &mut Worker<'_>,
        map_layer: MapLayer,
        canvas: usize,
        tile: TilePos,
        record: impl FnOnce(Option<Published>) -> Result<(), PublishError>,
    ) -> Result<bool, PublishError> {
        let Worker { canvases, painters, reader, encoder, .. } = worker;
        let canvas = &canvases[canvas];
        if canvas.is_empty() {
            return record(None).map(|()| false);
        }
        let details = painters[map_layer.layer].file(canvas, &mut reader.name_cache, encoder);
        let file = match &details {
            Some(file) => file,
            None => self.painter.map_layers.encode(map_layer, encoder, canvas),
        };
        let hash = XxHash3_64::oneshot(file);
        let pixels = if details.is_some() { hash } else { self.painter.map_layers.samples(map_layer).hash(canvas) };
        let facts = TileRecord { bytes: file.len() as u32, file: hash, pixels };
        worker.reader.clock.ends(Stage::Encode);
        let put = self.tiles.put(map_layer, tile, file, facts, |published| record(Some(published)));
        worker.reader.clock.ends(Stage::Write);
        match put? {
            // It is counted when it takes its place.
            Put::Written if self.painter.settings.is_staged() => {}
            Put::Written => worker.tally.tiles_written += 1,
            Put::Unchanged => worker.tally.tiles_unchanged += 1,
        }
        self.keep_quarter(&mut worker.reader.clock, map_layer, tile, canvas);
        Ok(true)
    }
}
