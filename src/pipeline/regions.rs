//! A region: its columns row by row, its pixels.

use std::path::Path;

use super::chunks::{Found, Reason, count_unknown, lies_in};
use super::drawing::{Drawing, Worker};
use super::scene::Scene;
use crate::chunk::{Meta, Warnings};
use crate::coord::{Area, CHUNK_AREA, CHUNK_SIDE, ColumnPos, REGION_CHUNKS, RegionPos, Slot, YRange};
use crate::hide::HiddenSlots;
use crate::palette::Palette;
use crate::publish::{PublishError, retryable};
use crate::region::{NO_RECORD, RegionFile};
use crate::report::{Damage, Stage};
use crate::surface::{Columns, NO_HEIGHT, REACH, RegionEdges};
use crate::tile::{Canvas, Pixel};

impl Drawing<'_> {
    /// Draws a region into the worker's canvases, in all layers; what is outside the area asked for stays clear.
    pub(super) fn paint_region(&self, worker: &mut Worker<'_>, dimension: usize, region: RegionPos) -> Painted {
        let plan = &self.plan.dimensions[dimension];
        let Some(entry) = plan.files.get(&region) else { return Painted::Unopened };
        worker.canvases.iter_mut().for_each(Canvas::clear);
        // What is left of a region that was not drawn to its end.
        worker.painters.iter_mut().for_each(|painter| drop(painter.take_names(&mut worker.reader.book)));
        worker.read.clear();
        worker.bad.clear();
        // Held from here on, so that what neighbours ask of this region stays while it is drawn.
        let edges = self.edges(dimension, region);
        let before = worker.reader.clock.spent();
        self.fill_frames(worker, dimension, region);
        worker.reader.clock.all_since(before, Stage::Borders);
        let path = entry.path(&plan.folder);
        let mut file = match RegionFile::open_filled(&path, region) {
            Ok(file) => file,
            Err(error) if retryable(&error) => {
                self.fail(&PublishError::Io(path, error));
                return Painted::Undone;
            }
            Err(error) => {
                worker.tally.regions_failed += 1;
                self.bad(worker, dimension, region, None, &Reason::Unopened(error));
                worker.bad.extend(Slot::all());
                return Painted::Unopened;
            }
        };
        odd_of(&file).into_iter().flatten().for_each(|what| worker.tally.chunk_findings.warn(what));
        let hidden = self.hidden(region);
        worker.tally.chunks.hidden += self.count_hidden(&hidden, region, &file);
        if !self.draw_rows(worker, dimension, region, &mut file, &edges) {
            self.leave_undone();
            return Painted::Undone;
        }
        worker.tally.regions_drawn += 1;
        if let Some(area) = self.settings.area {
            worker.canvases.iter_mut().for_each(|canvas| mask(canvas, region, area));
        }
        Painted::From(Box::new(file))
    }

    /// Draws the region row by row; says whether it came to the end.
    fn draw_rows(
        &self,
        worker: &mut Worker<'_>,
        dimension: usize,
        region: RegionPos,
        file: &mut RegionFile,
        edges: &[RegionEdges],
    ) -> bool {
        // Other dimensions may be seen from more views.
        let views = edges.len();
        worker.scenes[..views].iter_mut().for_each(|scene| scene.start(region));
        for row in 0..REGION_CHUNKS {
            if !self.read_row(worker, dimension, region, row, file, edges) {
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
    fn paint_row(&self, worker: &mut Worker<'_>, dimension: usize, index: usize) {
        let Worker { scenes, reader, painters, canvases, .. } = worker;
        for sheet in self.sheets.of(dimension) {
            let row = scenes[self.sheets.look(sheet)].row(index);
            if !row.is_empty() && self.sheets.is_shown(sheet) {
                painters[sheet.layer].paint(&row, &mut reader.book, canvases[sheet.layer].band_mut(index));
            }
        }
        for scene in &mut scenes[..self.sheets.views(dimension).len()] {
            scene.painted(index);
        }
    }

    /// Reads the columns of a row of chunks; says whether it came to the end.
    fn read_row(
        &self,
        worker: &mut Worker<'_>,
        dimension: usize,
        region: RegionPos,
        row: usize,
        file: &mut RegionFile,
        edges: &[RegionEdges],
    ) -> bool {
        let (filter, hidden) = (self.chunk_filter(dimension), self.hidden(region));
        for slot in (0..REGION_CHUNKS).map(|x| Slot::at(x, row)) {
            if self.is_stopped() {
                return false;
            }
            let wanted = self.wanted(&hidden, region, slot);
            let mut outs = worker.scenes[..edges.len()].iter_mut().map(|scene| &mut scene.rows[row % 2][slot.x()]);
            if wanted == Wanted::No {
                outs.for_each(Columns::clear);
                continue;
            }
            let ahead = if slot.is_on_border() { take_ahead(edges, slot, file.state()) } else { None };
            let found = if let Some(read) = ahead {
                worker.tally.taken_over += 1;
                let mut found = Found::Nothing;
                let mut hash = NO_RECORD;
                for (out, read) in outs.zip(read) {
                    let (columns, meta) = *read;
                    (hash, found) = (columns.hash, Found::Drawn(meta));
                    *out = columns;
                }
                worker.read.add(slot, hash, file.leads_outside(slot));
                found
            } else {
                let (found, stored) = worker.reader.columns(file, slot, filter, &mut outs);
                if self.is_stopped() {
                    // Perhaps it was not read because of that.
                    return false;
                }
                worker.read.add(slot, stored.hash, stored.is_external);
                found
            };
            if slot.is_on_border() {
                for (edges, scene) in edges.iter().zip(&worker.scenes) {
                    edges.lock().add(slot, &scene.rows[row % 2][slot.x()]);
                }
            }
            if wanted == Wanted::Drawn {
                self.count(worker, dimension, region, slot, found);
            }
        }
        true
    }

    /// What the chunk in a slot is needed for. What is `hidden` of its region is needed for nothing.
    pub(super) fn wanted(&self, hidden: &HiddenSlots, region: RegionPos, slot: Slot) -> Wanted {
        if hidden.has(slot) {
            return Wanted::No;
        }
        let Some(area) = self.settings.area else { return Wanted::Drawn };
        let ColumnPos { x, z } = region.chunk(slot).corner();
        let side = CHUNK_SIDE as i32;
        let around = |reach: i32| Area { x0: x - reach, z0: z - reach, x1: x + side + reach, z1: z + side + reach };
        if !area.overlap(around(0)).is_empty() {
            Wanted::Drawn
        } else if area.overlap(around(REACH as i32)).is_empty() {
            Wanted::No
        } else {
            Wanted::AsNeighbour
        }
    }

    /// Counts what was found in a slot.
    fn count(&self, worker: &mut Worker<'_>, dimension: usize, region: RegionPos, slot: Slot, found: Found) {
        let counts = &mut worker.tally.chunks;
        let meta = match found {
            Found::Nothing => return,
            Found::Bad(reason) => {
                worker.bad.push(slot);
                return self.bad(worker, dimension, region, Some(slot), &reason);
            }
            Found::Unfinished(meta) => {
                counts.unfinished += 1;
                meta
            }
            Found::Unvisited(meta) => return worker.tally.chunk_findings.unvisited(meta.inhabited_ticks.is_some()),
            Found::Empty(meta) => {
                counts.empty += 1;
                meta
            }
            Found::Drawn(meta) => {
                counts.drawn += 1;
                // Of several views the first counts, that of the layer that was asked for first.
                let columns = &worker.scenes[0].rows[slot.z() % 2][slot.x()];
                let corner = region.chunk(slot).corner();
                count_unknown(columns, &mut worker.reader.book, &mut worker.tally.chunk_findings, corner);
                meta
            }
        };
        if let Some(version) = meta.data_version.filter(|&version| version > Palette::newest_data_version()) {
            worker.tally.chunk_findings.newer(version);
        }
        let chunk = region.chunk(slot);
        let mut warnings = meta.warnings;
        // Of a form to come nobody knows more than that blocks should be there. Limits leave blocks out by themselves.
        let columns = &worker.scenes[0].rows[slot.z() % 2][slot.x()];
        let seen = || columns.top_y.iter().filter(|&&y| y != NO_HEIGHT).count();
        if warnings.may_hide_blocks() && self.settings.range == YRange::ALL && seen() * 2 < CHUNK_AREA {
            worker.tally.chunk_findings.not_understood(chunk);
        }
        if !lies_in(meta, chunk) {
            warnings.add(Warnings::POSITION);
        }
        worker.tally.chunk_findings.unlit += u64::from(warnings.has(Warnings::NO_LIGHT));
        for (warning, says) in Warnings::ALL {
            if warnings.has(warning) {
                worker.tally.chunk_findings.warn(says);
            }
        }
    }

    /// Reports a chunk, or a whole region file, that cannot be read.
    pub(super) fn bad(
        &self,
        worker: &mut Worker<'_>,
        dimension: usize,
        region: RegionPos,
        slot: Option<Slot>,
        reason: &Reason,
    ) {
        let plan = &self.plan.dimensions[dimension];
        if let Some(entry) = plan.files.get(&region)
            && self.fail_if_passing(&entry.path(&plan.folder), reason)
        {
            return;
        }
        worker.tally.bad(dimension, region, Damage::new(slot, reason.word(), reason.to_string()));
    }

    /// Ends the run where the system was to blame for a chunk that could not be read, and may be better later. Says
    /// whether it did.
    pub(super) fn fail_if_passing(&self, path: &Path, reason: &Reason) -> bool {
        let passing = reason.passing().map(|error| self.fail(&PublishError::Io(path.to_owned(), error)));
        passing.is_some()
    }
}

/// What became of a region that was to be drawn.
#[derive(Debug)]
pub(super) enum Painted {
    /// It is drawn from this file.
    From(Box<RegionFile>),
    /// Its file cannot be opened, which is reported; the canvases are clear.
    Unopened,
    /// The run is to end before it is drawn.
    Undone,
}

/// What a chunk is needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Some of its columns are drawn.
    Drawn,
    /// Its columns shade or tint some that are drawn.
    AsNeighbour,
    /// Nothing.
    No,
}

/// What there may be odd about a region file that costs no chunk anything.
pub(super) const ODD: [&str; 2] =
    ["a region file whose header is cut short", "a region file in which chunks lie over one another"];

/// Which of [`ODD`] a region file is.
pub(super) fn odd_of(file: &RegionFile) -> [Option<&'static str>; 2] {
    let is = [file.short_header(), file.header().overlaps()];
    std::array::from_fn(|at| is[at].then_some(ODD[at]))
}

/// What neighbours have decoded of a chunk while its file was in this state, for each view; none unless it is there for
/// all of them.
#[expect(clippy::vec_box, reason = "the boxes are those that were kept")]
fn take_ahead(edges: &[RegionEdges], slot: Slot, state: u64) -> Option<Vec<Box<(Columns, Meta)>>> {
    edges.iter().map(|edges| edges.lock().take(slot, state).and_then(Result::ok)).collect()
}

/// Clears the pixels of columns outside `area`.
fn mask(canvas: &mut Canvas, region: RegionPos, area: Area) {
    let whole = region.area();
    if area.covers(whole) {
        return;
    }
    let inside = area.overlap(whole);
    for (z, row) in canvas.rows_mut() {
        let z = whole.z0 + z as i32;
        if z < inside.z0 || z >= inside.z1 {
            row.fill(Pixel::CLEAR);
            continue;
        }
        let (west, east) = ((inside.x0 - whole.x0) as usize, (inside.x1 - whole.x0) as usize);
        row[..west].fill(Pixel::CLEAR);
        row[east..].fill(Pixel::CLEAR);
    }
}
