//! A region: its columns row by row, its pixels.

use std::path::Path;

use crate::base::coord::{CHUNK_AREA, REGION_CHUNKS, Slot, YRange};
use crate::base::retry::retryable;
use crate::draw::painter::chunk::{DrawnChunk, Found, Reason, count_unknown, lies_in};
use crate::draw::painter::gaps::Gap;
use crate::draw::painter::hashes::{RegionHashes, around_of};
use crate::draw::painter::shared::{Painter, PlannedRegion, Worker};
use crate::draw::painter::wanted::{Wanted, mask};
use crate::draw::painter::window::Scene;
use crate::draw::report::{Damage, Findings, Stage};
use crate::paint::markers::RegionMarkers;
use crate::paint::palette::Palette;
use crate::paint::surface::{Columns, NO_HEIGHT, RegionEdges};
use crate::tile::Canvas;
use crate::world::chunk::Warnings;
use crate::world::{ChunkHash, NO_RECORD, Region, UNSTABLE};

/// A region that was painted: its pixels are on the worker's canvases.
#[derive(Debug)]
pub(crate) struct PaintedRegion {
    /// The file that it was drawn from; `None`: it cannot be opened, which is reported, and the canvases are clear.
    pub(crate) file: Option<Region>,
    pub(crate) hashes: RegionHashes,
    /// The hash of the chunks around it.
    pub(crate) around: ChunkHash,
    /// Its chunks that could not be read.
    pub(crate) gaps: Vec<Gap>,
    pub(crate) findings: Findings,
    pub(crate) markers: RegionMarkers,
}

/// A region that is being read.
struct Reading<'p> {
    region: &'p PlannedRegion<'p>,
    file: Region,
    /// Its border, by view. Held while it is drawn, so that what neighbours ask of it stays.
    edges: Vec<RegionEdges<DrawnChunk>>,
    hashes: RegionHashes,
    bad: Vec<Slot>,
    markers: RegionMarkers,
}

impl Painter<'_> {
    /// Draws a region onto the worker's canvases, in all layers; what is outside the area asked for stays clear.
    /// `None`: the run is to end before it is drawn.
    pub(crate) fn paint_region(&self, worker: &mut Worker<'_>, region: &PlannedRegion<'_>) -> Option<PaintedRegion> {
        worker.canvases.iter_mut().for_each(Canvas::clear);
        // What is left of a region that was not drawn to its end.
        worker.painters.iter_mut().for_each(|painter| drop(painter.take_names(&mut worker.reader.name_cache)));
        let edges = self.edges(region);
        let before = worker.reader.clock.spent();
        self.fill_frames(worker, region);
        worker.reader.clock.all_since(before, Stage::Borders);
        let file = match region.open_filled() {
            Ok(file) => file,
            Err(error) if retryable(&error) => {
                self.run.fail_reading(&region.path().unwrap_or_default(), &error);
                return None;
            }
            Err(error) => {
                worker.tally.job.regions_failed += 1;
                self.bad(worker, region, None, &Reason::Unopened(error));
                let bad: Vec<Slot> = Slot::all().collect();
                return Some(self.painted(
                    worker,
                    region,
                    None,
                    RegionHashes::default(),
                    &bad,
                    RegionMarkers::default(),
                ));
            }
        };
        file.will_read(self.wanted_slots(region));
        file.defects().into_iter().flatten().for_each(|defect| worker.tally.job.chunk_findings.warn(defect));
        worker.tally.job.chunks.hidden += self.count_hidden(region, &file);
        let (hashes, markers) = (RegionHashes::default(), RegionMarkers::default());
        let mut reading = Reading { region, file, edges, hashes, bad: Vec::new(), markers };
        if !self.draw_rows(worker, &mut reading) {
            self.run.leave_undone();
            return None;
        }
        worker.tally.job.regions_drawn += 1;
        if let Some(area) = self.settings.area {
            worker.canvases.iter_mut().for_each(|canvas| mask(canvas, region.pos, area));
        }
        let Reading { file, hashes, bad, mut markers, .. } = reading;
        self.add_points(worker, region, &mut markers);
        Some(self.painted(worker, region, Some(file), hashes, &bad, markers))
    }

    fn painted(
        &self,
        worker: &Worker<'_>,
        region: &PlannedRegion<'_>,
        file: Option<Region>,
        hashes: RegionHashes,
        bad: &[Slot],
        markers: RegionMarkers,
    ) -> PaintedRegion {
        let around = worker.scenes.first().map_or(UNSTABLE, |scene| around_of(&scene.frame));
        PaintedRegion {
            file,
            hashes,
            around,
            gaps: self.gaps(region.pos, bad),
            findings: worker.tally.job.findings(),
            markers,
        }
    }

    /// Draws the region row by row; returns whether it came to the end.
    fn draw_rows(&self, worker: &mut Worker<'_>, reading: &mut Reading<'_>) -> bool {
        // Other dimensions may be seen from more views.
        let (views, dimension) = (reading.edges.len(), reading.region.dimension);
        worker.scenes[..views].iter_mut().for_each(|scene| scene.start(reading.region.pos));
        for row in 0..REGION_CHUNKS {
            if !self.read_row(worker, reading, row) {
                return false;
            }
            worker.scenes[..views].iter_mut().for_each(|scene| scene.add(row));
            if row > 0 {
                self.paint_row(worker, dimension, row - 1);
            }
            worker.reader.clock.ends(Stage::Draw);
        }
        worker.scenes[..views].iter_mut().for_each(Scene::end);
        self.paint_row(worker, dimension, REGION_CHUNKS - 1);
        worker.reader.clock.ends(Stage::Draw);
        true
    }

    /// Paints a row of chunks in all layers.
    pub(super) fn paint_row(&self, worker: &mut Worker<'_>, dimension: usize, index: usize) {
        let Worker { scenes, reader, painters, canvases, .. } = worker;
        for map_layer in self.map_layers.of(dimension) {
            let row = scenes[self.map_layers.look(map_layer)].row(index);
            if !row.is_empty() && self.map_layers.is_shown(map_layer) {
                painters[map_layer.layer].paint(
                    &row,
                    &mut reader.name_cache,
                    canvases[map_layer.layer].band_mut(index),
                );
            }
        }
        for scene in &mut scenes[..self.map_layers.views(dimension).len()] {
            scene.painted(index);
        }
    }

    /// Reads the columns of a row of chunks; returns whether it came to the end.
    fn read_row(&self, worker: &mut Worker<'_>, reading: &mut Reading<'_>, row: usize) -> bool {
        let Reading { region, file, edges, hashes, bad, markers: found_markers } = reading;
        let filter = self.chunk_filter(region.dimension);
        for slot in (0..REGION_CHUNKS).map(|x| Slot::at(x, row)) {
            if self.run.is_stopped() {
                return false;
            }
            let wanted = self.wanted(region, slot);
            let mut outs = worker.scenes[..edges.len()].iter_mut().map(|scene| &mut scene.rows[row % 2][slot.x()]);
            if wanted == Wanted::No {
                outs.for_each(Columns::clear);
                continue;
            }
            let ahead = if slot.is_on_border() { take_ahead(edges, slot, file.state()) } else { None };
            let mut found = if let Some(read) = ahead {
                worker.tally.job.taken_over += 1;
                let mut found = Found::Nothing;
                let mut hash = NO_RECORD;
                for (out, read) in outs.zip(read) {
                    let (columns, drawn) = *read;
                    hash = columns.hash;
                    // Its markers are with the first view.
                    if matches!(found, Found::Nothing) {
                        found = Found::Drawn(drawn);
                    }
                    *out = columns;
                }
                hashes.add(slot, hash, file.is_in_own_file(slot));
                found
            } else {
                let (found, stored) = worker.reader.columns(file, slot, filter, &mut outs);
                if self.run.is_stopped() {
                    // Perhaps it was not read because of that.
                    return false;
                }
                hashes.add(slot, stored.hash, stored.is_external);
                found
            };
            if slot.is_on_border() {
                for (edges, scene) in edges.iter().zip(&worker.scenes) {
                    edges.lock().add(slot, &scene.rows[row % 2][slot.x()]);
                }
            }
            if wanted == Wanted::Drawn {
                if matches!(found, Found::Bad(_)) {
                    bad.push(slot);
                }
                if let Found::Drawn(drawn) = &mut found {
                    found_markers.add(slot, &mut drawn.markers);
                }
                self.count(worker, region, slot, found);
            }
        }
        true
    }

    /// Counts what was found in a slot.
    fn count(&self, worker: &mut Worker<'_>, region: &PlannedRegion<'_>, slot: Slot, found: Found) {
        let counts = &mut worker.tally.job.chunks;
        let meta = match found {
            Found::Nothing => return,
            Found::Bad(reason) => {
                return self.bad(worker, region, Some(slot), &reason);
            }
            Found::Unfinished(meta) => {
                counts.unfinished += 1;
                meta
            }
            Found::Unvisited(meta) => return worker.tally.job.chunk_findings.unvisited(meta.inhabited_ticks.is_some()),
            Found::Empty(meta) => {
                counts.empty += 1;
                meta
            }
            Found::Drawn(DrawnChunk { meta, .. }) => {
                counts.drawn += 1;
                // Of several views the first counts, that of the layer that was asked for first.
                let columns = &worker.scenes[0].rows[slot.z() % 2][slot.x()];
                let corner = region.pos.chunk(slot).corner();
                count_unknown(columns, &mut worker.reader.name_cache, &mut worker.tally.job.chunk_findings, corner);
                meta
            }
        };
        if let Some(version) = meta.data_version.filter(|&version| version > Palette::newest_data_version()) {
            worker.tally.job.chunk_findings.newer(version);
        }
        let chunk = region.pos.chunk(slot);
        let mut warnings = meta.warnings;
        // Of a form to come one can tell only that blocks should be there. Limits leave blocks out by themselves.
        let columns = &worker.scenes[0].rows[slot.z() % 2][slot.x()];
        let seen = || columns.top_y.iter().filter(|&&y| y != NO_HEIGHT).count();
        if warnings.may_hide_blocks() && self.settings.range == YRange::ALL && seen() * 2 < CHUNK_AREA {
            worker.tally.job.chunk_findings.not_understood(chunk);
        }
        if !lies_in(meta, chunk) {
            warnings.add(Warnings::POSITION);
        }
        worker.tally.job.chunk_findings.unlit += u64::from(warnings.has(Warnings::NO_LIGHT));
        for (warning, says) in Warnings::ALL {
            if warnings.has(warning) {
                worker.tally.job.chunk_findings.warn(says);
            }
        }
    }

    /// Reports a chunk, or a whole region file, that cannot be read.
    pub(crate) fn bad(&self, worker: &mut Worker<'_>, region: &PlannedRegion<'_>, slot: Option<Slot>, reason: &Reason) {
        if region.path().is_some_and(|path| self.fail_if_passing(&path, reason)) {
            return;
        }
        worker.tally.job.bad(region.dimension, region.pos, Damage::new(slot, reason.word(), reason.to_string()));
    }

    /// Ends the run where the system was to blame for a chunk that could not be read, and may be better later. Says
    /// whether it did.
    pub(crate) fn fail_if_passing(&self, path: &Path, reason: &Reason) -> bool {
        let Some(error) = reason.passing() else { return false };
        self.run.fail_reading(path, &error);
        true
    }
}

/// Takes the columns of a chunk that neighbours have decoded while its file was in this state, for each view; `None`
/// unless they are there for all views.
#[expect(clippy::vec_box, reason = "the boxes are those that were kept")]
fn take_ahead(edges: &[RegionEdges<DrawnChunk>], slot: Slot, state: u64) -> Option<Vec<Box<(Columns, DrawnChunk)>>> {
    edges.iter().map(|edges| edges.lock().take(slot, state).and_then(Result::ok)).collect()
}
