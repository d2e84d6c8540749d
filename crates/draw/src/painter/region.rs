//! Paints a region: reads its columns row by row, and paints each row as soon as the next one is
//! read.

use std::collections::BTreeSet;

use crate::painter::chunk::{DrawnChunk, Reason, SlotContent, count_unknown};
use crate::painter::chunk_source::ChunkSource;
use crate::painter::chunk_use::{ChunkUse, mask};
use crate::painter::gaps::ChunkGap;
use crate::painter::hashes::{RegionHashes, frame_hash};
use crate::painter::shared::{PaintWorker, Painter, PlannedRegion};
use crate::report::{Findings, Stage, StoredStates, Tally};
use crate::run_state::Interruption;
use pixelmap_base::coord::{CHUNK_AREA, REGION_CHUNKS, Slot, YRange};
use pixelmap_base::retry::retryable;
use pixelmap_paint::markers::RegionMarkers;
use pixelmap_paint::palette::Palette;
use pixelmap_paint::surface::NO_HEIGHT;
use pixelmap_world::chunk::Warnings;
use pixelmap_world::internal::{ChunkHash, Region, UNSTABLE};
use pixelmap_world::names::BlockId;

/// A painted region, whose pixels are on the worker's canvases.
#[derive(Debug)]
pub(crate) struct PaintedRegion {
    /// The file it was drawn from. `None` if the file cannot be opened; then this is reported and
    /// the canvases are clear.
    pub(crate) file: Option<Region>,
    pub(crate) hashes: RegionHashes,
    /// The hash of the chunks around it.
    pub(crate) neighbour_hash: ChunkHash,
    /// The chunks that could not be read.
    pub(crate) gaps: Vec<ChunkGap>,
    pub(crate) findings: Findings,
    pub(crate) markers: RegionMarkers,
}

/// A region that is being read.
struct RegionReading<'p> {
    region: &'p PlannedRegion<'p>,
    source: ChunkSource<'p>,
    chunks: ReadChunks,
}

/// The chunks of a region, without their columns.
#[derive(Default)]
struct ReadChunks {
    hashes: RegionHashes,
    /// The slots whose chunks cannot be read.
    bad: Vec<Slot>,
    markers: RegionMarkers,
    /// The states of unknown blocks that the region shows.
    unknown_states: BTreeSet<BlockId>,
}

impl Painter<'_> {
    /// Draws a region onto the worker's canvases in all layers. Pixels outside the requested area
    /// stay clear.
    ///
    /// # Errors
    /// Fails if the run stops before the region is drawn, or if a file of the world cannot be read
    /// now.
    pub(crate) fn paint_region(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
    ) -> Result<PaintedRegion, Interruption> {
        self.start_region(worker, region);
        for (view, edges) in worker.views.iter_mut().zip(self.edges(region)) {
            view.edges = Some(edges);
        }

        let before = worker.reader.clock.stages();
        self.fill_frames(worker, region)?;
        worker.reader.clock.recount_since(before, Stage::Borders);

        let file = match region.open_filled() {
            Ok(file) => file,
            Err(error) if retryable(&error) => {
                return Err(Interruption::reading(
                    &region.path().unwrap_or_default(),
                    &error,
                ));
            }
            Err(error) => {
                worker.tally.job.regions_failed += 1;
                worker.report_bad(region, None, &Reason::Unopened(error));
                let chunks = ReadChunks {
                    bad: Slot::all().collect(),
                    ..ReadChunks::default()
                };
                return Ok(self.finish_region(worker, region, None, chunks));
            }
        };

        file.will_read(region.used_slots());
        for defect in file.defects().into_iter().flatten() {
            worker.tally.job.chunk_findings.warn(defect);
        }

        worker.tally.job.chunks.hidden += region.count_hidden(&file);
        let decoded = if region.is_sequential() {
            Some(self.decode_own(worker, region, &file)?)
        } else {
            None
        };

        let source = ChunkSource {
            run: self.run,
            file,
            filter: self.chunk_filter(region.dimension),
            decoded,
            early: self.early,
        };

        let mut reading = RegionReading {
            region,
            source,
            chunks: ReadChunks::default(),
        };
        self.draw_rows(worker, &mut reading)?;
        worker.tally.job.regions_drawn += 1;

        if let Some(area) = region.area {
            for canvas in &mut worker.canvases {
                mask(canvas, region.pos, area);
            }

            for view in &mut worker.views {
                if let Some(columns) = &mut view.inner {
                    columns.mask(region.pos, area);
                }
            }
        }

        let RegionReading {
            source, mut chunks, ..
        } = reading;
        self.add_companions(worker, region, &mut chunks.markers);

        Ok(self.finish_region(worker, region, Some(source.file), chunks))
    }

    fn finish_region(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        file: Option<Region>,
        chunks: ReadChunks,
    ) -> PaintedRegion {
        let ReadChunks {
            hashes,
            bad,
            markers,
            unknown_states,
        } = chunks;
        add_unknown_states(worker, unknown_states);

        let neighbour_hash = worker
            .views
            .first()
            .map_or(UNSTABLE, |view| frame_hash(&view.scene.frame));
        for view in &mut worker.views {
            view.edges = None;
        }

        let gaps = self.gaps(region.pos, &bad);
        let findings = worker.tally.job.findings();
        worker.tally.job.count_region(region.dimension, &findings);

        PaintedRegion {
            file,
            hashes,
            neighbour_hash,
            gaps,
            findings,
            markers,
        }
    }

    /// Draws the region row by row.
    fn draw_rows(
        &self,
        worker: &mut PaintWorker<'_>,
        reading: &mut RegionReading<'_>,
    ) -> Result<(), Interruption> {
        let dimension = reading.region.dimension;
        for view in &mut worker.views {
            view.scene.start(reading.region.pos);
        }

        for row in 0..REGION_CHUNKS {
            self.read_row(worker, reading, row)?;
            for view in &mut worker.views {
                view.scene.add(row);
            }

            if row > 0 {
                self.paint_row(worker, dimension, row - 1);
            }
            worker.reader.clock.end_stage(Stage::Draw);
        }

        for view in &mut worker.views {
            view.scene.end();
        }

        self.paint_row(worker, dimension, REGION_CHUNKS - 1);
        worker.reader.clock.end_stage(Stage::Draw);

        Ok(())
    }

    /// Paints a row of chunks in all layers.
    pub(super) fn paint_row(&self, worker: &mut PaintWorker<'_>, dimension: usize, index: usize) {
        let PaintWorker {
            views,
            reader,
            painters,
            canvases,
            ..
        } = worker;

        for map_layer in self.map_layers.in_dimension(dimension) {
            let view = &views[self.map_layers.view_number(map_layer)];
            let row = view.scene.row(index);
            if !row.is_empty() && self.map_layers.is_shown(map_layer) {
                painters[map_layer.layer].paint(
                    &row,
                    &mut reader.name_cache,
                    canvases[map_layer.layer].band_mut(index),
                );
            }
        }

        for view in views {
            if view.has_inner_tiles
                && let Some(columns) = &mut view.inner
            {
                columns.add(&view.scene.row(index), &mut reader.name_cache);
            }
            view.scene.keep_last_rows(index);
        }
    }

    /// Reads the columns of a row of chunks.
    fn read_row(
        &self,
        worker: &mut PaintWorker<'_>,
        reading: &mut RegionReading<'_>,
        row: usize,
    ) -> Result<(), Interruption> {
        let RegionReading {
            region,
            source,
            chunks,
        } = reading;

        for slot in (0..REGION_CHUNKS).map(|x| Slot::at(x, row)) {
            let wanted = region.chunk_use(slot);
            if wanted == ChunkUse::No {
                for view in &mut worker.views {
                    view.scene.columns_mut(slot).clear();
                }
                continue;
            }

            let chunk = source.hand_out(&mut worker.reader, slot, &mut worker.views)?;
            worker.tally.job.taken_over += u64::from(chunk.is_from_cache);
            chunks.hashes.add(slot, chunk.hash, chunk.is_external);

            if wanted == ChunkUse::Drawn {
                self.count(worker, region, slot, chunk.content, chunks)?;
            }
        }

        Ok(())
    }

    /// Counts the content of a slot. Fails if the system could not read the chunk now.
    fn count(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        slot: Slot,
        content: SlotContent,
        chunks: &mut ReadChunks,
    ) -> Result<(), Interruption> {
        let Tally {
            chunks: counts,
            chunk_findings,
            unlit,
            ..
        } = &mut worker.tally.job;
        let chunk = region.pos.chunk(slot);

        // Only the first view is counted: the one that the first requested layer needs.
        let columns = worker.views[0].scene.columns_mut(slot);
        let meta = match content {
            SlotContent::Nothing => return Ok(()),
            SlotContent::Bad(reason) => {
                region
                    .path()
                    .map_or(Ok(()), |path| reason.check_lasts(&path))?;
                chunks.bad.push(slot);
                worker.report_bad(region, Some(slot), &reason);
                return Ok(());
            }
            SlotContent::Unvisited(meta) => {
                chunk_findings.count_unvisited(meta.inhabited_ticks.is_some());
                return Ok(());
            }
            SlotContent::Unfinished(meta) => {
                counts.unfinished += 1;
                meta
            }
            SlotContent::Empty(meta) => {
                counts.empty += 1;
                meta
            }
            SlotContent::Drawn(DrawnChunk { meta, markers }) => {
                counts.drawn += 1;
                chunks.markers.add(slot, markers);

                let name_cache = &mut worker.reader.name_cache;
                count_unknown(
                    columns,
                    name_cache,
                    chunk_findings,
                    chunk.corner(),
                    region.dimension,
                    |state| {
                        chunks.unknown_states.insert(state);
                    },
                );

                meta
            }
        };

        if let Some(version) = meta
            .data_version
            .filter(|&version| version > Palette::newest_data_version())
        {
            chunk_findings.count_newer(version);
        }

        // If most of a chunk's columns are empty although the chunk seems to have blocks, its form
        // is probably unknown to this program. With a height limit this means nothing, because the
        // limit leaves blocks out as well.
        let may_hide = meta.warnings.may_hide_blocks() && self.settings.look.range == YRange::ALL;
        let hides_blocks =
            may_hide && columns.top_y.iter().filter(|&&y| y != NO_HEIGHT).count() * 2 < CHUNK_AREA;
        let is_not_understood = hides_blocks || meta.warnings.has(Warnings::NO_STATUS);
        if is_not_understood {
            chunk_findings.not_understood(chunk);
        }

        chunk_findings.unclear +=
            u64::from(is_not_understood || meta.warnings.has(Warnings::STATUS));

        let mut warnings = meta.warnings;
        if !meta.is_at(chunk) {
            warnings.add(Warnings::POSITION);
        }

        *unlit += u64::from(warnings.has(Warnings::NO_LIGHT));

        for (_, text) in Warnings::ALL
            .iter()
            .filter(|(warning, _)| warnings.has(*warning))
        {
            chunk_findings.warn(text);
        }

        Ok(())
    }
}

/// Adds the states of unknown blocks to the findings of the worker's region. This is done once per
/// region, because the chunks of a region mostly show the same states.
fn add_unknown_states(worker: &mut PaintWorker<'_>, states: BTreeSet<BlockId>) {
    let (name_cache, findings) = (
        &mut worker.reader.name_cache,
        &mut worker.tally.job.chunk_findings,
    );
    for state in states {
        findings.unknown_state(
            &name_cache.stored_name(state),
            StoredStates::new(name_cache.unknown_properties(state)),
        );
    }
}
