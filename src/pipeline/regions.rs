//! The job of one region: its columns row by row, its pixels, its tile.

use std::path::Path;

use super::chunks::{Found, Reason, count_unknown};
use super::render::{Render, Worker};
use crate::chunk::Warnings;
use crate::coord::{Area, CHUNK_AREA, CHUNK_SIDE, ColumnPos, REGION_CHUNKS, RegionPos, Slot};
use crate::layer::Row;
use crate::palette::Palette;
use crate::plan::cost_ns;
use crate::publish::{PublishError, retryable};
use crate::record::Source;
use crate::region::RegionFile;
use crate::report::{Damage, Stage};
use crate::surface::{REACH, RegionEdges};
use crate::tile::{Canvas, Pixel};

impl Render<'_> {
    /// Draws a region and publishes its tile, unless it is unchanged. A run that is to end leaves it undrawn.
    // Stays a function of its own, so that benches/instructions.sh can count it; called once a region.
    #[inline(never)]
    pub(super) fn draw_region(&self, worker: &mut Worker<'_>, dimension: usize, region: RegionPos) {
        let plan = &self.plan.dimensions[dimension];
        let Some(entry) = plan.files.get(&region) else { return };
        if self.leave_unchanged(worker, dimension, region) {
            return;
        }
        worker.canvas.clear();
        worker.read.clear();
        worker.bad.clear();
        // Held from here on, so that what neighbours ask of this region stays while it is drawn.
        let edges = self.edges.of(dimension, region);
        let before = worker.reader.clock.spent();
        self.fill_frame(worker, dimension, region);
        worker.reader.clock.all_since(before, Stage::Borders);
        let source = match RegionFile::open(&entry.path(&plan.folder), region) {
            Ok(mut file) => {
                if file.short_header() {
                    worker.tally.odd("a region file whose header is cut short");
                }
                if !self.draw_rows(worker, dimension, region, &mut file, &edges) {
                    return self.leave_undone();
                }
                worker.tally.regions_drawn += 1;
                self.source(worker, &file)
            }
            Err(error) if retryable(&error) => {
                self.fail(&PublishError::Io(entry.path(&plan.folder), error));
                return;
            }
            Err(error) => {
                worker.tally.regions_failed += 1;
                let message = format!("the file cannot be opened: {error}");
                self.bad(worker, dimension, region, None, Reason { word: "unreadable", message, io: None });
                worker.bad.extend(Slot::all());
                Source::unsettled()
            }
        };
        let bad = std::mem::take(&mut worker.bad);
        self.keep_pixels(worker, dimension, region, &bad);
        worker.bad = bad;
        if let Some(area) = self.settings.area {
            mask(&mut worker.canvas, region, area);
        }
        match self.publish(worker, dimension, region.tile()) {
            Ok(tile) => self.note_region(worker, dimension, region, source, tile),
            Err(error) => return self.fail(&error),
        }
        let chunks = worker.tally.chunks;
        self.progress.region(cost_ns(entry.bytes), chunks.total(), chunks.bad);
    }

    /// Draws the region row by row; says whether it came to the end.
    fn draw_rows(
        &self,
        worker: &mut Worker<'_>,
        dimension: usize,
        region: RegionPos,
        file: &mut RegionFile,
        edges: &RegionEdges,
    ) -> bool {
        worker.biomes.start(&worker.frame);
        worker.north_ground_y = worker.frame.sides[0].ground_y;
        worker.north_top_y = worker.frame.sides[0].top_y;
        for row in 0..REGION_CHUNKS {
            if !self.read_row(worker, dimension, region, row, file, edges) {
                return false;
            }
            worker.biomes.add(row, &worker.rows[row % 2], &worker.frame);
            if row > 0 {
                draw_row(worker, row - 1);
            }
            worker.reader.clock.ends(Stage::Draw);
        }
        worker.biomes.end(&worker.frame);
        draw_row(worker, REGION_CHUNKS - 1);
        worker.reader.clock.ends(Stage::Draw);
        true
    }

    /// Reads the columns of a row of chunks; says whether it came to the end.
    fn read_row(
        &self,
        worker: &mut Worker<'_>,
        dimension: usize,
        region: RegionPos,
        row: usize,
        file: &mut RegionFile,
        edges: &RegionEdges,
    ) -> bool {
        let sight = self.sight(&self.plan.dimensions[dimension]);
        for slot in (0..REGION_CHUNKS).map(|x| Slot::at(x, row)) {
            if self.is_stopped() {
                return false;
            }
            let columns = &mut worker.rows[row % 2][slot.x()];
            let wanted = self.wanted(region, slot);
            if wanted == Wanted::No {
                columns.clear();
                continue;
            }
            let ahead = if slot.is_on_border() { edges.lock().take(slot).and_then(Result::ok) } else { None };
            let found = if let Some(read) = ahead {
                worker.tally.taken_over += 1;
                let (read, meta) = *read;
                *columns = read;
                worker.read.add(slot, columns.print, file.leads_outside(slot));
                Found::Drawn(meta)
            } else {
                let found = worker.reader.columns(file, slot, sight, columns);
                worker.read.add(slot, columns.print, file.is_external());
                found
            };
            if slot.is_on_border() {
                edges.lock().add(slot, columns);
            }
            if wanted == Wanted::Drawn {
                self.count(worker, dimension, region, slot, found);
            }
        }
        true
    }

    pub(super) fn wanted(&self, region: RegionPos, slot: Slot) -> Wanted {
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
                return self.bad(worker, dimension, region, Some(slot), reason);
            }
            Found::Unfinished(meta) => {
                counts.unfinished += 1;
                meta
            }
            Found::Empty(meta) => {
                counts.empty += 1;
                meta
            }
            Found::Drawn(meta) => {
                counts.drawn += 1;
                let columns = &worker.rows[slot.z() % 2][slot.x()];
                let corner = region.chunk(slot).corner();
                count_unknown(columns, &mut worker.reader.book, &mut worker.tally, corner);
                meta
            }
        };
        if let Some(version) = meta.data_version.filter(|&version| version > Palette::newest_data_version()) {
            worker.tally.newer(version);
        }
        let chunk = region.chunk(slot);
        let mut warnings = meta.warnings;
        if meta.position.is_some_and(|position| position != (i64::from(chunk.x), i64::from(chunk.z))) {
            warnings.add(Warnings::POSITION);
        }
        for (warning, says) in Warnings::ALL {
            if warnings.has(warning) {
                worker.tally.odd(says);
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
        reason: Reason,
    ) {
        let plan = &self.plan.dimensions[dimension];
        if let Some(entry) = plan.files.get(&region)
            && self.fail_if_passing(&entry.path(&plan.folder), &reason)
        {
            return;
        }
        worker.tally.bad(dimension, region, Damage::new(slot, reason.word, reason.message));
    }

    /// Ends the run where the system was to blame for a chunk that could not be read, and may be better later. Says
    /// whether it did.
    pub(super) fn fail_if_passing(&self, path: &Path, reason: &Reason) -> bool {
        let Some((kind, os)) = reason.io else { return false };
        let error = os.map_or_else(|| kind.into(), std::io::Error::from_raw_os_error);
        let passing = retryable(&error);
        if passing {
            self.fail(&PublishError::Io(path.to_owned(), error));
        }
        passing
    }
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

fn draw_row(worker: &mut Worker<'_>, index: usize) {
    let Worker { rows, frame, biomes, north_ground_y, north_top_y, reader, day, canvas, .. } = worker;
    let row = Row { index, chunks: &rows[index % 2], north_ground_y, north_top_y, frame, biomes };
    if !row.is_empty() {
        day.draw(&row, &mut reader.book, canvas.band_mut(index));
    }
    for (chunk, columns) in rows[index % 2].iter().enumerate() {
        let last = CHUNK_AREA - CHUNK_SIDE;
        let along = chunk * CHUNK_SIDE..(chunk + 1) * CHUNK_SIDE;
        north_ground_y[along.clone()].copy_from_slice(&columns.ground_y[last..]);
        north_top_y[along].copy_from_slice(&columns.top_y[last..]);
    }
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
