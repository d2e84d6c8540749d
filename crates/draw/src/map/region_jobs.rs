//! The job of a region: leaves it unchanged, or draws it and publishes its tiles.

use std::sync::OnceLock;
use std::time::SystemTime;

use super::changes::moment_name;
use super::legend::names_on;
use super::region_map::Map;
use crate::map::context::RunContext;
use crate::painter::gaps::{ChunkGap, fill_gaps};
use crate::painter::region::PaintedRegion;
use crate::painter::shared::{PaintWorker, Painter, PlannedRegion};
use crate::report::{Clock, ShownNames};
use crate::request::error::RenderError;
use crate::request::layers::MapLayer;
use crate::run_state::Interruption;
use crate::tiles::map_tiles::{EarlierTile, MapTiles, TileBuffers};
use crate::tiles::record::{NativeRecord, RegionFacts, RegionSource};
use crate::tiles::tile_jobs::{JobWorker, NativeTiles};
use pixelmap_base::coord::RegionPos;

impl<'a> Map<'a> {
    /// Prepares to draw the map of `tiles`. Must be called before any region file is read, because
    /// it notes the start of the run.
    ///
    /// # Errors
    /// Fails if the published map cannot be read.
    pub(crate) fn new(
        context: RunContext<'a, 'a>,
        tiles: &'a MapTiles<'a>,
    ) -> Result<Self, RenderError> {
        let RunContext {
            world,
            settings,
            prepared,
            early,
            output,
            ..
        } = context;

        let since = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        let began = i64::try_from(since.as_nanos()).unwrap_or_default();
        let is_drawing = !settings.request.layers.is_empty();
        Ok(Self {
            painter: Painter::new(
                world,
                prepared,
                settings,
                tiles.run,
                tiles.map_layers.clone(),
                early,
            ),
            tiles,
            output,
            began,
            moment: moment_name(world, &settings.output.moment, began).into(),
            stamps: (0..tiles.store.record_count())
                .map(|_| OnceLock::new())
                .collect(),
            published: if is_drawing { None } else { output.facts()? },
        })
    }

    /// Draws a region and publishes its tiles, unless it is unchanged. A stopping run leaves it
    /// undrawn.
    // This is a separate function so that benches/instructions.sh can count its instructions. It is
    // called once per region.
    #[inline(never)]
    fn draw_region(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
    ) -> Result<(), Interruption> {
        if self.painter.map_layers.layers().is_empty() {
            return self.remake_markers(worker, region);
        }

        match self.leave_unchanged(worker, region)? {
            Some(content) => self.leave_markers(worker, region, content),
            None => self.draw_changed(worker, region),
        }
    }

    fn draw_changed(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
    ) -> Result<(), Interruption> {
        let PaintedRegion {
            file,
            hashes,
            neighbour_hash,
            gaps,
            findings,
            markers,
        } = self.painter.paint_region(worker, region)?;

        let source = file.map_or_else(RegionSource::new_unstable, |file| {
            self.source(&hashes, &file, &region.hidden)
        });
        self.put_markers(worker, region, source.hashes.content, markers, &gaps)?;

        let facts = RegionFacts {
            source,
            neighbour_hash,
            findings,
        };
        self.tiles
            .store
            .record_facts(region.dimension, region.pos, &facts)?;

        let mut marked = Vec::new();
        for map_layer in self.painter.map_layers.in_dimension(region.dimension) {
            let layer = self.painter.map_layers.layer(map_layer);
            if layer.compares_runs() && !region.has_chunk_times() {
                marked.push((
                    map_layer,
                    self.mark_changes(worker, map_layer, region.pos, &gaps)?,
                ));
            }
        }

        let mut is_everywhere = true;
        for map_layer in self.painter.map_layers.in_dimension(region.dimension) {
            let index = marked.iter().position(|(marked, _)| *marked == map_layer);
            let shown = match index.map(|index| marked.swap_remove(index)) {
                Some((_, shown)) => shown,
                None => self.preserve(worker, map_layer, region.pos, &gaps)?,
            };
            self.tiles.store.show(map_layer, &shown);
            is_everywhere &= self.publish(worker, map_layer, region.pos, &facts, shown)?;
        }

        self.put_inner(worker, region, facts.key(), &gaps)?;
        self.note_hidden(worker, region, is_everywhere);
        self.painter.region_done(worker, region);

        Ok(())
    }

    /// Fills the gaps of a drawn region with pixels of earlier runs. Returns the names on its tile.
    fn preserve(
        &self,
        worker: &mut PaintWorker<'_>,
        map_layer: MapLayer,
        region: RegionPos,
        gaps: &[ChunkGap],
    ) -> Result<ShownNames, Interruption> {
        let preserved = if gaps.is_empty() {
            EarlierTile::default()
        } else {
            self.tiles.read_preserved(map_layer, region)?
        };

        let canvas = &mut worker.canvases[map_layer.layer];
        if let Some(pixels) = &preserved.pixels {
            fill_gaps(canvas, pixels, region.tile(), gaps);
        }

        let painted = worker.painters[map_layer.layer].take_names(&mut worker.reader.name_cache);
        Ok(names_on(
            canvas,
            self.painter.map_layers.layer(map_layer),
            &painted,
            &preserved.names,
        ))
    }

    /// Publishes and records the tile of a drawn region in one layer, which shows these names.
    /// Returns whether there is a tile.
    fn publish(
        &self,
        worker: &mut PaintWorker<'_>,
        map_layer: MapLayer,
        region: RegionPos,
        facts: &RegionFacts,
        shown: ShownNames,
    ) -> Result<bool, Interruption> {
        let PaintWorker {
            canvases,
            painters,
            reader,
            encoder,
            tally,
            ..
        } = worker;
        let canvas = &canvases[map_layer.layer];
        let filled = canvas.drawn_bounds();

        let details = if canvas.is_empty() {
            None
        } else {
            painters[map_layer.layer].file(canvas, &mut reader.name_cache, encoder)
        };

        let is_lit = self.painter.map_layers.layer(map_layer).is_lit();
        let unlit = if is_lit { tally.job.unlit } else { 0 };

        let put = self.tiles.publish(
            tile_buffers(worker, map_layer.layer),
            map_layer,
            region.tile(),
            details.as_deref(),
            |tile| {
                let record = NativeRecord {
                    sources: facts.key(),
                    tile,
                    filled,
                    shown,
                    unlit,
                };
                self.tiles.store.record_native(map_layer, region, &record)
            },
        );

        let has_tile = put?;
        if has_tile {
            self.tiles.store.lock_layer(map_layer).fill(region, filled);
        }

        Ok(has_tile)
    }

    /// Remembers a region if it has hidden chunks and lacks a tile in at least one layer.
    pub(super) fn note_hidden(
        &self,
        worker: &PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        is_everywhere: bool,
    ) {
        if worker.tally.job.chunks.hidden > 0 && !is_everywhere {
            self.tiles.store.note_emptied(region.dimension, region.pos);
        }
    }
}

impl<'s> NativeTiles<'s> for Map<'_> {
    type Worker = PaintWorker<'s>;

    fn worker(&'s self) -> PaintWorker<'s> {
        self.painter.worker()
    }

    fn make_region(
        &self,
        worker: &mut PaintWorker<'s>,
        dimension: usize,
        region: RegionPos,
    ) -> Result<(), Interruption> {
        self.draw_region(worker, &self.painter.region(dimension, region))
    }

    fn lose_region(&self, _: &MapTiles<'_>, dimension: usize, region: RegionPos, message: String) {
        self.painter.lose(dimension, region, message);
    }
}

impl JobWorker for PaintWorker<'_> {
    fn clock(&mut self) -> &mut Clock {
        &mut self.reader.clock
    }

    fn end_job(&mut self) {
        self.tally.end_job();
    }

    fn buffers(&mut self) -> TileBuffers<'_> {
        tile_buffers(self, 0)
    }
}

/// Borrows the buffers that a worker needs to make a tile of the canvas with this number.
pub(super) fn tile_buffers<'w>(worker: &'w mut PaintWorker<'_>, canvas: usize) -> TileBuffers<'w> {
    TileBuffers {
        canvas: &mut worker.canvases[canvas],
        encoder: &mut worker.encoder,
        clock: &mut worker.reader.clock,
        tally: &mut worker.tally.job,
    }
}
