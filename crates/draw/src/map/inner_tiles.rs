//! Inner tiles: tiles of higher zoom levels than the native one, drawn with textures.
//!
//! They are drawn together with their region. Their records contain a hash of the chunks that they
//! were drawn from, so that a region whose hash is unchanged is not drawn again as long as the
//! files of all its inner tiles exist.

use crate::map::region_jobs::tile_buffers;
use crate::map::region_map::Map;
use crate::painter::gaps::{ChunkGap, fill_gaps, gaps_on};
use crate::painter::shared::{PaintWorker, PlannedRegion};
use crate::report::{Failure, FailureKind, Stage, Tally};
use crate::request::layers::MapLayer;
use crate::run_state::Interruption;
use crate::tiles::record::{ParentRecord, TileFacts, parse_parent};
use crate::tiles::tile_store::TileLocation;
use pixelmap_base::coord::TilePos;
use pixelmap_world::internal::ChunkHash;

/// An inner tile that this run keeps.
#[derive(Debug)]
pub(super) struct LocatedInner {
    map_layer: MapLayer,
    tile: TilePos,
    facts: Option<TileFacts>,
    location: TileLocation,
}

impl Map<'_> {
    /// Returns the inner tiles of a region in all layers.
    fn inner_tiles(&self, region: &PlannedRegion<'_>) -> impl Iterator<Item = (MapLayer, TilePos)> {
        let (map_layers, area, pos) = (
            &self.painter.map_layers,
            self.painter.settings.look.area,
            region.pos,
        );
        let layers = map_layers.in_dimension(region.dimension);
        layers.flat_map(move |map_layer| {
            map_layers
                .inner_tiles(map_layer, pos, area)
                .map(move |tile| (map_layer, tile))
        })
    }

    /// Finds the inner tiles that were drawn from a region with this key. Returns `None` if one of
    /// them must be drawn.
    pub(super) fn find_unchanged_inner(
        &self,
        region: &PlannedRegion<'_>,
        key: ChunkHash,
    ) -> Result<Option<Vec<LocatedInner>>, Interruption> {
        let store = &self.tiles.store;
        let mut all = Vec::new();
        for (map_layer, tile) in self.inner_tiles(region) {
            let Some(recorded) = store.last_record(map_layer, tile, parse_parent)? else {
                return Ok(None);
            };

            let record = recorded.value.filter(|record| record.children == key);
            let Some(ParentRecord { tile: facts, .. }) = record else {
                return Ok(None);
            };
            let Some(location) = store.locate(map_layer, tile, facts, recorded.sure)? else {
                return Ok(None);
            };

            all.push(LocatedInner {
                map_layer,
                tile,
                facts,
                location,
            });
        }

        Ok(Some(all))
    }

    /// Keeps inner tiles in their places.
    pub(super) fn leave_inner(&self, tally: &mut Tally, all: Vec<LocatedInner>) {
        for LocatedInner {
            map_layer,
            tile,
            facts,
            location,
        } in all
        {
            self.tiles.leave(tally, map_layer, tile, facts, location);
        }
    }

    /// Draws the inner tiles of a region that was just drawn from the chunks with this key, and
    /// publishes them.
    pub(super) fn put_inner(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        key: ChunkHash,
        gaps: &[ChunkGap],
    ) -> Result<(), Interruption> {
        let run = self.painter.run;
        for (map_layer, tile) in self.inner_tiles(region) {
            run.check_stop()?;
            self.paint_inner(worker, map_layer, tile, gaps)?;

            let buffers = tile_buffers(worker, map_layer.layer);
            self.tiles.publish_parent(buffers, map_layer, tile, key)?;
        }

        match self
            .painter
            .textures
            .and_then(|textures| textures.failure())
        {
            None => Ok(()),
            Some(error) => Err(Failure {
                kind: FailureKind::World,
                message: error.to_string(),
                retryable: true,
            }
            .into()),
        }
    }

    /// Paints an inner tile on the canvas of its layer.
    fn paint_inner(
        &self,
        worker: &mut PaintWorker<'_>,
        map_layer: MapLayer,
        tile: TilePos,
        gaps: &[ChunkGap],
    ) -> Result<(), Interruption> {
        let map_layers = &self.painter.map_layers;
        let canvas = &mut worker.canvases[map_layer.layer];
        canvas.clear();

        let view = &mut worker.views[map_layers.view_number(map_layer)];
        if let Some(columns) = &mut view.inner
            && let Some(tone) = map_layers.layer(map_layer).inner_tone()
        {
            columns.paint(tile, tone, canvas);
        }

        if gaps_on(tile, gaps).next().is_some() {
            let earlier = self.tiles.store.read_inner(map_layer, tile)?;
            if let Some(earlier) =
                earlier.and_then(|file| map_layers.samples(map_layer).decode(&file).ok())
            {
                fill_gaps(canvas, &earlier, tile, gaps);
            }
        }

        worker.reader.clock.end_stage(Stage::Draw);
        Ok(())
    }
}
