//! The job of one region: its columns row by row, its pixels, its tile.

use std::collections::HashMap;

use super::chunks::{Found, Reason, count_unknown};
use super::render::{Render, Worker};
use crate::chunk::{Meta, Warnings};
use crate::coord::{Area, CHUNK_AREA, CHUNK_SIDE, ColumnPos, REGION_CHUNKS, REGION_SIDE, RegionPos, Slot, TILE_SIDE};
use crate::layer::Row;
use crate::palette::Palette;
use crate::plan::cost_ns;
use crate::publish::{PublishError, retryable};
use crate::region::RegionFile;
use crate::report::{BadChunk, Stage};
use crate::surface::{Border, Columns, REACH, Side};
use crate::tile::Pixel;
use crate::world::RegionEntry;

/// The border chunks of a region that its neighbours read before its turn.
type Ahead = HashMap<Slot, Option<Box<(Columns, Meta)>>>;

impl Render<'_> {
    /// Draws a region and publishes its tile.
    pub(super) fn draw_region(&self, worker: &mut Worker<'_>, dimension: usize, region: RegionPos) {
        let plan = &self.plan.dimensions[dimension];
        let Some(entry) = plan.files.get(&region) else { return };
        worker.pixels.fill(Pixel::CLEAR);
        let before = worker.reader.clock.spent();
        self.fill_frame(worker, dimension, region);
        worker.reader.clock.all_since(before, Stage::Borders);
        match RegionFile::open(&entry.path(&plan.folder), region) {
            Ok(mut file) => {
                if file.short_header() {
                    worker.tally.odd("a region file whose header is cut short");
                }
                self.draw_rows(worker, dimension, region, &mut file);
                drop(file);
                worker.tally.regions_drawn += 1;
            }
            Err(error) if retryable(&error) => {
                self.fail(&PublishError::Io(entry.path(&plan.folder), error));
                return;
            }
            Err(error) => {
                worker.tally.regions_failed += 1;
                let message = format!("the file cannot be opened: {error}");
                self.bad(worker, dimension, region, None, Reason { word: "unreadable", message, io: None });
            }
        }
        if let Some(area) = self.settings.area {
            mask(&mut worker.pixels, region, area);
        }
        self.publish(worker, dimension, region.tile());
        self.progress.region(cost_ns(entry.bytes));
    }

    fn draw_rows(&self, worker: &mut Worker<'_>, dimension: usize, region: RegionPos, file: &mut RegionFile) {
        let mut ahead = self.edges.with(dimension, region, |kept| std::mem::take(&mut kept.ahead));
        let mut sides: Box<[Side; 4]> = Box::default();
        worker.biomes.start(&worker.frame);
        worker.north_ground_y = worker.frame.sides[0].ground_y;
        worker.north_top_y = worker.frame.sides[0].top_y;
        for row in 0..REGION_CHUNKS {
            self.read_row(worker, dimension, region, row, file, &mut ahead);
            let columns = &worker.rows[row % 2];
            worker.biomes.add(row, columns, &worker.frame);
            take_sides(&mut sides, row, columns);
            if row > 0 {
                draw_row(worker, row - 1);
            }
            worker.reader.clock.ends(Stage::Draw);
        }
        worker.biomes.end(&worker.frame);
        draw_row(worker, REGION_CHUNKS - 1);
        worker.reader.clock.ends(Stage::Draw);
        // Where only a part of the region was read, its sides are not whole.
        if self.settings.area.is_none_or(|area| area.covers(region.area())) {
            self.edges.with(dimension, region, |kept| {
                kept.sides = Some(sides);
                kept.ahead.clear();
            });
        }
    }

    fn read_row(
        &self,
        worker: &mut Worker<'_>,
        dimension: usize,
        region: RegionPos,
        row: usize,
        file: &mut RegionFile,
        ahead: &mut Ahead,
    ) {
        let sight = self.sight(&self.plan.dimensions[dimension]);
        let before = worker.tally.chunks;
        for x in 0..REGION_CHUNKS {
            let slot = Slot::at(x, row);
            let columns = &mut worker.rows[row % 2][x];
            let wanted = self.wanted(region, slot);
            let found = match (wanted, ahead.remove(&slot)) {
                (Wanted::No, _) => {
                    columns.clear();
                    continue;
                }
                (_, Some(Some(read))) => {
                    worker.tally.taken_over += 1;
                    let (read, meta) = *read;
                    *columns = read;
                    Found::Drawn(meta)
                }
                _ => worker.reader.columns(file, slot, sight, columns),
            };
            if wanted == Wanted::Drawn {
                self.count(worker, dimension, region, slot, found);
            }
        }
        let after = worker.tally.chunks;
        self.progress.chunks(after.total() - before.total(), after.bad - before.bad);
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
            Found::Bad(reason) => return self.bad(worker, dimension, region, Some(slot), reason),
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
        Reason { word, message, io }: Reason,
    ) {
        let plan = &self.plan.dimensions[dimension];
        if let (Some((kind, os)), Some(entry)) = (io, plan.files.get(&region)) {
            let error = os.map_or_else(|| kind.into(), std::io::Error::from_raw_os_error);
            if retryable(&error) {
                self.fail(&PublishError::Io(entry.path(&plan.folder), error));
                return;
            }
        }
        let name = plan.files.get(&region).map_or_else(|| region.to_string(), RegionEntry::file_name);
        let chunk = slot.map(|slot| region.chunk(slot)).map(|chunk| [chunk.x, chunk.z]);
        let bad = BadChunk { dimension: plan.id.clone(), region: name, chunk, reason: word, message };
        worker.tally.bad(dimension, bad);
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
    let Worker { rows, frame, biomes, north_ground_y, north_top_y, reader, day, pixels, .. } = worker;
    let row = Row { index, chunks: &rows[index % 2], north_ground_y, north_top_y, frame, biomes };
    let rows_of_pixels = index * CHUNK_SIDE * TILE_SIDE..(index + 1) * CHUNK_SIDE * TILE_SIDE;
    day.draw(&row, &mut reader.book, &mut pixels[rows_of_pixels]);
    for (chunk, columns) in rows[index % 2].iter().enumerate() {
        let last = CHUNK_AREA - CHUNK_SIDE;
        let along = chunk * CHUNK_SIDE..(chunk + 1) * CHUNK_SIDE;
        north_ground_y[along.clone()].copy_from_slice(&columns.ground_y[last..]);
        north_top_y[along].copy_from_slice(&columns.top_y[last..]);
    }
}

fn take_sides(sides: &mut [Side; 4], row: usize, chunks: &[Columns; REGION_CHUNKS]) {
    for (border, side) in Border::ALL.into_iter().zip(sides) {
        for slot in border.slots().filter(|slot| slot.z() == row) {
            side.take(border, slot, &chunks[slot.x()]);
        }
    }
}

/// Clears the pixels of columns outside `area`.
fn mask(pixels: &mut [Pixel], region: RegionPos, area: Area) {
    let whole = region.area();
    if area.covers(whole) {
        return;
    }
    let inside = area.overlap(whole);
    for (z, row) in pixels.chunks_exact_mut(REGION_SIDE).enumerate() {
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
