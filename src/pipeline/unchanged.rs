//! Is this region unchanged, and is this outer tile? Here that is decided, and here what was drawn is noted for the next
//! run to decide by.
//!
//! A region need not be drawn if its tile stands as it was published and its key is the one that it was drawn with:
//! the options and the program (entries of others are not even read), the hashes of its own chunks, and those of the
//! chunks of its neighbours that touch it. Hashes come from the record where the file still has the stamp that it was
//! read with; else its records are read and hashed, and not decoded. An outer tile's key is its children's pixels.
//! This is part of a region's job: no pass over all regions comes before the first tile.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::SystemTime;

use twox_hash::XxHash3_64;

use super::drawing::Worker;
use super::frame::{NEIGHBOURS, Neighbour, Part};
use super::hiding::stamp_of;
use super::map::Map;
use super::options::Beside;
use super::regions::{ODD, Wanted, odd_of};
use super::settings::{Check, Settings};
use super::sheet::{Sheet, Sheets};
use super::standing::Stands;
use crate::coord::{REGION_CHUNKS, REGION_SLOTS, RegionPos, Slot, TilePos};
use crate::layer::Slimes;
use crate::palette::Palette;
use crate::plan::Plan;
use crate::publish::{Journal, LayerKey, Output, PublishError, Recorded, TileRecord};
use crate::record::{
    ANNOUNCED, Hashes, ParentRecord, Published, RegionRecord, Source, join, parent_bytes, parent_of, region_bytes,
    region_of, source_of,
};
use crate::region::{ChunkHash, NO_RECORD, RegionFile, UNOPENED, UNSTABLE};
use crate::report::ShownNames;
use crate::surface::{Border, Frame};
use crate::world::World;

/// Whether a region file still has the stamp of its record.
const NOT_ASKED: u8 = 0;
const SAME: u8 = 1;
const OTHER: u8 = 2;

/// The records of earlier runs.
#[derive(Debug)]
pub(super) struct History<'a> {
    pub(super) journal: Journal<'a>,
    /// When this run began, in nanoseconds since 1970.
    began: i64,
    /// By number of the record: files are asked once a run, by the worker that comes first.
    stamps: Box<[AtomicU8]>,
}

/// The keys of all sheets of a run, by number.
pub(super) fn keys(
    world: &World,
    plan: &Plan,
    sheets: &Sheets,
    settings: &Settings,
    palette: &Palette,
    slimes: Option<Slimes>,
) -> Vec<LayerKey> {
    let beside = Beside::of(world, settings, palette, slimes);
    let key = |sheet: Sheet| LayerKey {
        layer: XxHash3_64::oneshot(sheets.path(sheet).as_bytes()),
        options: beside.options(sheets, sheet, plan),
    };
    sheets.all().map(key).collect()
}

impl<'a> History<'a> {
    /// Reads the records of these sheets. To be called before any region file is read.
    ///
    /// # Errors
    /// They cannot be read.
    pub(super) fn open(output: &'a Output, keys: Vec<LayerKey>) -> Result<Self, PublishError> {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let journal = Journal::open(output, keys)?;
        let stamps = (0..journal.len()).map(|_| AtomicU8::new(NOT_ASKED)).collect();
        Ok(Self { journal, began: i64::try_from(since.as_nanos()).unwrap_or_default(), stamps })
    }
}

/// A region file as it is now, and what is odd about it.
#[derive(Debug)]
struct Now {
    source: Source,
    odd: [Option<&'static str>; 2],
}

impl Map<'_> {
    /// The record of a region that need not be drawn, and where its tile stands; `now` is its file as it was hashed, once
    /// that was needed.
    fn unchanged(
        &self,
        worker: &mut Worker<'_>,
        sheet: Sheet,
        region: RegionPos,
        now: &mut Option<Now>,
    ) -> Option<(RegionRecord, Stands)> {
        if self.drawing.settings.force {
            return None;
        }
        let recorded = self.recorded(sheet, region.tile())?;
        self.unchanged_since(worker, sheet, region, now, &recorded)
    }

    /// The same, if it is as it was when this was noted of it.
    fn unchanged_since(
        &self,
        worker: &mut Worker<'_>,
        sheet: Sheet,
        region: RegionPos,
        now: &mut Option<Now>,
        recorded: &Recorded,
    ) -> Option<(RegionRecord, Stands)> {
        let (dimension, mut record) = (sheet.dimension, region_of(&recorded.says)?);
        let stands = self.stands(sheet, region.tile(), record.tile, recorded)?;
        let as_read = self.is_as_read(dimension, region, recorded.number, &record.source);
        if !as_read {
            if now.is_none() {
                *now = self.hashed(worker, dimension, region);
            }
            let Now { source, odd } = now.as_ref()?;
            if source.hashes != record.source.hashes {
                return None;
            }
            record.source = source.clone();
            // Of the file itself something else may be said than when it was drawn.
            let chunk_findings = &mut record.findings.chunk_findings;
            chunk_findings.warnings.retain(|what, _| !ODD.contains(&&**what));
            odd.iter().flatten().for_each(|what| chunk_findings.warn(what));
        }
        let around = self.around(worker, sheet, region);
        if record.source.hashes.content == UNSTABLE || around == UNSTABLE || around != record.around {
            return None;
        }
        let mut is_outdated = !as_read;
        if let Some(tile) = record.tile.as_mut().filter(|tile| tile.modified == ANNOUNCED) {
            tile.modified = self.modified(&self.path(sheet, region.tile(), stands));
            is_outdated = true;
        }
        if is_outdated {
            // The stamp is another one: noted, so that the next run need not hash again.
            self.note_region(sheet, region, &record, stands);
        }
        Some((record, stands))
    }

    /// Leaves a region as it is, and counts it, if it is unchanged in all layers; says so.
    pub(super) fn leave_unchanged(&self, worker: &mut Worker<'_>, dimension: usize, region: RegionPos) -> bool {
        let mut now = None;
        let mut records = Vec::with_capacity(self.drawing.sheets.layers().len());
        for sheet in self.drawing.sheets.of(dimension) {
            let Some((record, stands)) = self.unchanged(worker, sheet, region, &mut now) else { return false };
            records.push((sheet, record, stands));
        }
        let is_everywhere = records.iter().all(|(_, record, _)| record.tile.is_some());
        // What there is to say of a region was noted with each of its layers, but for what concerns some alone.
        let unlit = records.iter().map(|(_, record, _)| record.findings.chunk_findings.unlit).max();
        for (number, (sheet, record, stands)) in records.into_iter().enumerate() {
            let RegionRecord { tile, mut findings, shown, .. } = record;
            self.leave(worker, sheet, region.tile(), tile, stands);
            self.show(sheet, &shown);
            if number == 0 {
                findings.chunk_findings.unlit = unlit.unwrap_or_default();
                worker.tally.unchanged(dimension, region, findings);
            }
        }
        let plan = &self.drawing.plan.dimensions[dimension];
        let entry = plan.files.get(&region);
        let hidden = self.drawing.hidden(region);
        if let (Some(entry), false) = (entry, hidden.is_empty())
            && let Ok(file) = RegionFile::open(&entry.path(&plan.folder), region)
        {
            worker.tally.chunks.hidden += self.drawing.count_hidden(&hidden, region, &file);
            self.note_hidden(worker, dimension, region, is_everywhere);
        }
        self.drawing.progress.region(self.drawing.cost(dimension, region), 0, 0);
        true
    }

    /// Leaves an outer tile as it is if it is unchanged; says so.
    pub(super) fn leave_unchanged_parent(
        &self,
        worker: &mut Worker<'_>,
        sheet: Sheet,
        tile: TilePos,
        children: u64,
    ) -> bool {
        if self.drawing.settings.force {
            return false;
        }
        let found = self.recorded(sheet, tile).and_then(|recorded| {
            let record = parent_of(&recorded.says).filter(|record| record.children == children)?;
            Some((record.tile, self.stands(sheet, tile, record.tile, &recorded)?))
        });
        let Some((published, stands)) = found else { return false };
        self.leave(worker, sheet, tile, published, stands);
        true
    }

    fn leave(
        &self,
        worker: &mut Worker<'_>,
        sheet: Sheet,
        tile: TilePos,
        published: Option<Published>,
        stands: Stands,
    ) {
        let Some(Published { record, .. }) = published else { return };
        match stands {
            Stands::InPlace => worker.tally.tiles_unchanged += 1,
            Stands::Staged => drop(self.staged(sheet).insert(tile)),
        }
        self.records(sheet).insert(tile, record);
    }

    /// Whether a region file has not been touched since it was read, by its stamp alone.
    fn is_as_read(&self, dimension: usize, region: RegionPos, number: usize, source: &Source) -> bool {
        let Some(known) = self.history.stamps.get(number).filter(|_| self.drawing.settings.check == Check::Quick)
        else {
            return false;
        };
        match known.load(Ordering::Relaxed) {
            SAME => return true,
            OTHER => return false,
            _ => {}
        }
        let plan = &self.drawing.plan.dimensions[dimension];
        let hidden = self.drawing.hidden(region);
        let file = plan.files.get(&region).map(|entry| RegionFile::open(&entry.path(&plan.folder), region));
        let same = file.and_then(Result::ok).is_some_and(|file| {
            let external = |(slot, stamp): &(Slot, _)| file.external_stamp(*slot) == *stamp;
            let stamps = source.external.iter().filter_map(|(_, stamp)| *stamp).chain([source.stamp]);
            stamp_of(&file, &hidden) == source.stamp
                && source.external.iter().all(external)
                && stamps.into_iter().all(|stamp| stamp.is_stable(source.read))
        });
        known.store(if same { SAME } else { OTHER }, Ordering::Relaxed);
        same
    }

    /// A region file as it is now, by reading and hashing its records.
    fn hashed(&self, worker: &mut Worker<'_>, dimension: usize, region: RegionPos) -> Option<Now> {
        let plan = &self.drawing.plan.dimensions[dimension];
        let entry = plan.files.get(&region)?;
        let mut file = RegionFile::open(&entry.path(&plan.folder), region).ok()?;
        worker.read.clear();
        let hidden = self.drawing.hidden(region);
        for slot in Slot::all().filter(|&slot| self.drawing.wanted(&hidden, region, slot) != Wanted::No) {
            if self.drawing.is_stopped() {
                return None;
            }
            let stored = worker.reader.hash(&mut file, slot);
            worker.read.add(slot, stored.hash, stored.is_external);
        }
        Some(Now { source: self.source(worker, region, &file), odd: odd_of(&file) })
    }

    /// What was read of a region's file.
    pub(super) fn source(&self, worker: &Worker<'_>, region: RegionPos, file: &RegionFile) -> Source {
        let hidden = self.drawing.hidden(region);
        let external = worker.read.external.iter().map(|&slot| (slot, file.external_stamp(slot)));
        Source {
            stamp: stamp_of(file, &hidden),
            read: self.history.began,
            external: external.collect(),
            hashes: Hashes::of(&worker.read.hashes),
        }
    }

    /// What touches a region now.
    fn around(&self, worker: &mut Worker<'_>, sheet: Sheet, region: RegionPos) -> ChunkHash {
        let nothing = join(&[NO_RECORD; REGION_CHUNKS]);
        let (mut sides, mut corners) = ([nothing; 4], [NO_RECORD; 4]);
        for &Neighbour { dx, dz, part } in &NEIGHBOURS {
            let hash = self.touching(worker, sheet, region.offset(dx, dz), part);
            match (part, hash) {
                (_, None) => {}
                (Part::Side(side, _), Some(hash)) => sides[side] = hash,
                (Part::Corner(east, south, _), Some(hash)) => {
                    corners[usize::from(south) << 1 | usize::from(east)] = hash;
                }
            }
        }
        join_around(sides, corners)
    }

    /// What is in a neighbour's part that touches a region; `None`: there is no such neighbour.
    fn touching(&self, worker: &mut Worker<'_>, sheet: Sheet, there: RegionPos, part: Part) -> Option<ChunkHash> {
        let dimension = sheet.dimension;
        let plan = &self.drawing.plan.dimensions[dimension];
        let entry = plan.files.get(&there)?;
        if let Some(recorded) = self.recorded(sheet, there.tile()) {
            let source = source_of(&recorded.says);
            let as_read = |source: &Source| self.is_as_read(dimension, there, recorded.number, source);
            if let Some(Source { hashes: Hashes { sides, corners, .. }, .. }) = source.filter(as_read) {
                return Some(match part {
                    Part::Side(_, border) => sides[border as usize],
                    Part::Corner(east, south, _) => corners[usize::from(!south) << 1 | usize::from(!east)],
                });
            }
        }
        let hidden = self.drawing.hidden(there);
        let mut file = RegionFile::open(&entry.path(&plan.folder), there);
        let mut hash = |slot: Slot| match (&mut file, self.drawing.wanted(&hidden, there, slot)) {
            (_, Wanted::No) => NO_RECORD,
            (Ok(file), _) => worker.reader.hash(file, slot).hash,
            (Err(_), _) => UNOPENED,
        };
        Some(match part {
            Part::Side(_, border) => {
                let mut hashes = [NO_RECORD; REGION_CHUNKS];
                hashes.iter_mut().zip(Border::slots(border)).for_each(|(to, slot)| *to = hash(slot));
                join(&hashes)
            }
            Part::Corner(_, _, slot) => hash(slot),
        })
    }

    /// Notes a region with the tile of one sheet, and where that stands.
    pub(super) fn note_region(&self, sheet: Sheet, region: RegionPos, record: &RegionRecord, stands: Stands) {
        let path = record.tile.map(|_| self.path(sheet, region.tile(), stands));
        self.note(sheet, region.tile(), &self.entry(sheet, record), path.as_deref());
    }

    /// Notes a region whose tile is about to take its place, so that it is known whose it is should the run end right then:
    /// what cannot be read of the region later keeps its pixels.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(super) fn announce_region(
        &self,
        sheet: Sheet,
        region: RegionPos,
        record: &RegionRecord,
        tile: TileRecord,
    ) -> Result<(), PublishError> {
        let tile = Some(Published { record: tile, modified: ANNOUNCED });
        let entry = self.entry(sheet, &RegionRecord { tile, ..record.clone() });
        self.history.journal.add(self.drawing.sheets.number(sheet), region.tile(), &entry, None)
    }

    /// Notes an outer tile that is about to take its place: should the run end right then, and what is below it be gone
    /// before the next one, that finds it. Of its pixels nothing is said: it is drawn from others.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(super) fn announce_parent(&self, sheet: Sheet, tile: TilePos) -> Result<(), PublishError> {
        self.history.journal.add(self.drawing.sheets.number(sheet), tile, &[], None)
    }

    fn entry(&self, sheet: Sheet, record: &RegionRecord) -> Vec<u8> {
        let mut record = Cow::Borrowed(record);
        if record.findings.chunk_findings.unlit > 0 && !self.drawing.sheets.layer(sheet).is_lit() {
            record.to_mut().findings.chunk_findings.unlit = 0;
        }
        region_bytes(&record)
    }

    /// Notes an outer tile that was drawn, and where it stands.
    pub(super) fn note_parent(
        &self,
        sheet: Sheet,
        place: TilePos,
        children: u64,
        tile: Option<Published>,
        stands: Stands,
    ) {
        let path = tile.map(|_| self.path(sheet, place, stands));
        self.note(sheet, place, &parent_bytes(&ParentRecord { children, tile }), path.as_deref());
    }

    /// Notes that nothing is known of a tile, wherever it stands.
    pub(super) fn forget(&self, sheet: Sheet, tile: TilePos) {
        self.note(sheet, tile, &[], None);
    }

    fn note(&self, sheet: Sheet, tile: TilePos, says: &[u8], path: Option<&str>) {
        let number = self.drawing.sheets.number(sheet);
        if let Err(error) = self.history.journal.add(number, tile, says, path) {
            self.drawing.fail(&error);
        }
    }
}

/// The record of a region that was drawn with what is in the worker's frame, but for its tiles.
pub(super) fn record_of(worker: &Worker<'_>, source: Source) -> RegionRecord {
    let around = worker.scenes.first().map_or(UNSTABLE, |scene| around_of(&scene.frame));
    RegionRecord { source, around, tile: None, findings: worker.tally.findings(), shown: ShownNames::default() }
}

/// What touched a region when its frame was filled.
fn around_of(frame: &Frame) -> ChunkHash {
    join_around(std::array::from_fn(|side| join(&frame.sides[side].hashes)), frame.corner_hashes)
}

fn join_around(sides: [ChunkHash; 4], corners: [ChunkHash; 4]) -> ChunkHash {
    let [a, b, c, d] = sides;
    let [e, f, g, h] = corners;
    join(&[a, b, c, d, e, f, g, h])
}

/// The hashes of what a worker has read of a region.
#[derive(Debug)]
pub(super) struct Read {
    hashes: Box<[ChunkHash; REGION_SLOTS]>,
    /// Chunks in files of their own.
    external: Vec<Slot>,
}

impl Default for Read {
    fn default() -> Self {
        Self { hashes: Box::new([NO_RECORD; REGION_SLOTS]), external: Vec::new() }
    }
}

impl Read {
    pub(super) fn clear(&mut self) {
        self.hashes.fill(NO_RECORD);
        self.external.clear();
    }

    pub(super) fn add(&mut self, slot: Slot, hash: ChunkHash, external: bool) {
        self.hashes[slot.index()] = hash;
        if external {
            self.external.push(slot);
        }
    }
}

/// The key of an outer tile.
pub(super) fn children_of(pixels: [Option<u64>; 4]) -> u64 {
    join(&pixels.map(|pixels| pixels.map_or(0, |hash| hash.min(UNSTABLE - 1))))
}
