//! Decides whether a region is unchanged, and whether an outer tile is, and records what was drawn, by which the next
//! run decides.
//!
//! A region need not be drawn if its tile place as it was published and its key is the one that it was drawn with:
//! the options and the program (entries of others are not even read), the hashes of its own chunks, and those of the
//! chunks of its neighbours that touch it. Hashes come from the record where the file still has the stamp that it was
//! read with; else its records are read and hashed, and not decoded. An outer tile's key is its children's pixels.
//! This is part of a region's job: no pass over all regions comes before the first tile.

use crate::base::coord::{REGION_CHUNKS, RegionPos, Slot, TilePos};
use crate::draw::map::state::Map;
use crate::draw::map::tile_store::TilePlace;
use crate::draw::painter::hashes::{RegionHashes, join_around};
use crate::draw::painter::neighbours::{NEIGHBOURS, Neighbour, Part};
use crate::draw::painter::shared::{PlannedRegion, Worker};
use crate::draw::painter::wanted::{Wanted, stamp_of};
use crate::draw::prepare::layers::MapLayer;
use crate::draw::record::{Hashes, Published, RegionRecord, Source, join, parent_of, region_of, source_of};
use crate::draw::settings::Check;
use crate::paint::surface::Border;
use crate::world::{ChunkHash, NO_RECORD, Region, UNOPENED, UNSTABLE};

impl Map<'_> {
    /// The record of a region that need not be drawn, and where its tile place; `now` is its file as it was hashed,
    /// once that was needed.
    fn unchanged(
        &self,
        worker: &mut Worker<'_>,
        map_layer: MapLayer,
        region: &PlannedRegion<'_>,
        now: &mut Option<Source>,
    ) -> Option<(RegionRecord, TilePlace)> {
        if self.painter.settings.force {
            return None;
        }
        let recorded = &self.readable(self.tiles.last_record(map_layer, region.pos.tile()))?;
        let mut record = region_of(&recorded.says)?;
        let place = self.readable(self.tiles.locate(map_layer, region.pos.tile(), record.tile, recorded))?;
        let as_read = self.is_as_read(region, recorded.number, &record.source);
        if !as_read {
            if now.is_none() {
                *now = self.hashed(worker, region);
            }
            let source = now.as_ref().filter(|source| source.hashes == record.source.hashes)?;
            record.source = source.clone();
        }
        let around = self.around(worker, map_layer, region.pos);
        if record.source.hashes.content == UNSTABLE || around == UNSTABLE || around != record.around {
            return None;
        }
        if !as_read && let Err(error) = self.tiles.record_region(map_layer, region.pos, &record) {
            // The stamp is another one, and recorded so that the next run need not hash again.
            self.painter.fail(&error);
        }
        Some((record, place))
    }

    /// Leaves a region as it is, and counts it, if it is unchanged in all layers; then returns the hash of its content.
    pub(crate) fn leave_unchanged(&self, worker: &mut Worker<'_>, region: &PlannedRegion<'_>) -> Option<ChunkHash> {
        let mut now = None;
        let mut records = Vec::with_capacity(self.painter.map_layers.layers().len());
        for map_layer in self.painter.map_layers.of(region.dimension) {
            let (record, place) = self.unchanged(worker, map_layer, region, &mut now)?;
            records.push((map_layer, record, place));
        }
        let content = records.first()?.1.source.hashes.content;
        let is_everywhere = records.iter().all(|(_, record, _)| record.tile.is_some());
        self.leave_region(worker, region, records);
        if !region.hidden.is_empty()
            && let Some(Ok(file)) = region.open()
        {
            worker.tally.chunks.hidden += self.painter.count_hidden(region, &file);
            self.note_hidden(worker, region, is_everywhere);
        }
        Some(content)
    }

    /// Leaves the tiles of a region where they stand, and counts what was found in it. Of each layer there is a record.
    pub(crate) fn leave_region(
        &self,
        worker: &mut Worker<'_>,
        region: &PlannedRegion<'_>,
        records: Vec<(MapLayer, RegionRecord, TilePlace)>,
    ) {
        // The findings of a region are recorded with each of its layers, but for those of some layers alone.
        let unlit = records.iter().map(|(_, record, _)| record.findings.chunk_findings.unlit).max();
        for (number, (map_layer, record, place)) in records.into_iter().enumerate() {
            let RegionRecord { tile, filled, mut findings, shown, .. } = record;
            self.leave(worker, map_layer, region.pos.tile(), tile, place);
            if tile.is_some() {
                self.tiles.made(map_layer).fill(region.pos, filled);
            }
            self.show(map_layer, &shown);
            if number == 0 {
                findings.chunk_findings.unlit = unlit.unwrap_or_default();
                worker.tally.unchanged(region.dimension, region.pos, findings);
            }
        }
        self.painter.progress.unchanged(region.cost());
    }

    /// Leaves an outer tile as it is if it is unchanged; returns whether it is.
    pub(crate) fn leave_unchanged_parent(
        &self,
        worker: &mut Worker<'_>,
        map_layer: MapLayer,
        tile: TilePos,
        children: u64,
    ) -> bool {
        if self.painter.settings.force {
            return false;
        }
        let found = self.readable(self.tiles.last_record(map_layer, tile)).and_then(|recorded| {
            let record = parent_of(&recorded.says).filter(|record| record.children == children)?;
            Some((record.tile, self.readable(self.tiles.locate(map_layer, tile, record.tile, &recorded))?))
        });
        let Some((published, place)) = found else { return false };
        self.leave(worker, map_layer, tile, published, place);
        true
    }

    fn leave(
        &self,
        worker: &mut Worker<'_>,
        map_layer: MapLayer,
        tile: TilePos,
        published: Option<Published>,
        place: TilePlace,
    ) {
        let Some(Published { record, .. }) = published else { return };
        worker.tally.tiles_unchanged += u64::from(place == TilePlace::Published);
        self.tiles.leave(map_layer, tile, record, place);
    }

    /// Returns whether a region file has not been touched since it was read, by its stamp alone.
    fn is_as_read(&self, region: &PlannedRegion<'_>, number: usize, source: &Source) -> bool {
        let same = || {
            region.open().and_then(Result::ok).is_some_and(|file| {
                let external = |(slot, stamp): &(Slot, _)| file.own_file_stamp(*slot) == *stamp;
                let stamps = source.external.iter().filter_map(|(_, stamp)| *stamp).chain([source.stamp]);
                stamp_of(&file, &region.hidden) == source.stamp
                    && source.external.iter().all(external)
                    && stamps.into_iter().all(|stamp| stamp.is_stable(source.read))
            })
        };
        self.painter.settings.check == Check::Quick
            && self.stamps.get(number).is_some_and(|known| *known.get_or_init(same))
    }

    /// A region file as it is now, by reading and hashing its records.
    fn hashed(&self, worker: &mut Worker<'_>, region: &PlannedRegion<'_>) -> Option<Source> {
        let mut file = region.open()?.ok()?;
        let mut hashes = RegionHashes::default();
        file.will_read(self.painter.wanted_slots(region));
        for slot in self.painter.wanted_slots(region) {
            if self.painter.is_stopped() {
                return None;
            }
            let stored = worker.reader.hash(&mut file, slot);
            hashes.add(slot, stored.hash, stored.is_external);
        }
        Some(self.source(region, &hashes, &file))
    }

    /// The source of a region's tile, as it was read.
    pub(crate) fn source(&self, region: &PlannedRegion<'_>, read: &RegionHashes, file: &Region) -> Source {
        let external = read.external.iter().map(|&slot| (slot, file.own_file_stamp(slot)));
        let mut hashes = Hashes::of(&read.hashes);
        // The defects of the region are part of it: a record repeats them as long as they are there.
        let [first, second] = file.defects().map(|defect| defect.is_some().into());
        hashes.content = join(&[hashes.content, first, second]);
        Source { stamp: stamp_of(file, &region.hidden), read: self.began, external: external.collect(), hashes }
    }

    /// Returns the hash of the chunks that touch a region now.
    fn around(&self, worker: &mut Worker<'_>, map_layer: MapLayer, region: RegionPos) -> ChunkHash {
        let nothing = join(&[NO_RECORD; REGION_CHUNKS]);
        let (mut sides, mut corners) = ([nothing; 4], [NO_RECORD; 4]);
        for &Neighbour { dx, dz, part } in &NEIGHBOURS {
            let hash = self.touching(worker, map_layer, region.offset(dx, dz), part);
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

    /// The hash of a neighbour's part that touches a region; `None`: there is no such neighbour.
    fn touching(
        &self,
        worker: &mut Worker<'_>,
        map_layer: MapLayer,
        there: RegionPos,
        part: Part,
    ) -> Option<ChunkHash> {
        let there = self.painter.region(map_layer.dimension, there);
        there.entry?;
        if let Some(recorded) = self.readable(self.tiles.last_record(map_layer, there.pos.tile())) {
            let source = source_of(&recorded.says);
            let as_read = |source: &Source| self.is_as_read(&there, recorded.number, source);
            if let Some(Source { hashes: Hashes { sides, corners, .. }, .. }) = source.filter(as_read) {
                return Some(match part {
                    Part::Side(_, border) => sides[border as usize],
                    Part::Corner(east, south, _) => corners[usize::from(!south) << 1 | usize::from(!east)],
                });
            }
        }
        let mut file = there.open()?;
        let mut hash = |slot: Slot| match (&mut file, self.painter.wanted(&there, slot)) {
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
}
