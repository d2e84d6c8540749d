//! Decides whether a region is unchanged.
//!
//! A region is not drawn if its tiles exist as published, their records name the recorded facts of
//! the region, and these facts are still true. The facts cover the hashes of the region's chunks
//! and of the neighbouring chunks that touch it; options and program are not checked, because the
//! journal does not even read entries with other ones. The hashes are true if the file was listed
//! with the recorded stamp. Otherwise the chunks are read and hashed, but not decoded. All of this
//! is part of the region's job, so that no pass over all regions delays the first tile.

use std::io;
use std::sync::OnceLock;

use crate::map::region_map::Map;
use crate::painter::chunk_use::{ChunkUse, stamp_with_hidden};
use crate::painter::hashes::{RegionHashes, join_around};
use crate::painter::neighbours::{FramePart, NEIGHBOURS, Neighbour};
use crate::painter::shared::{PaintWorker, PlannedRegion};
use crate::request::settings::Check;
use crate::run_state::Interruption;
use crate::tiles::record::{
    Hashes, RegionFacts, RegionSource, parse_facts, parse_native, parse_source,
};
use crate::tiles::tile_store::LocatedNative;
use pixelmap_base::coord::{REGION_CHUNKS, RegionPos, Slot, SlotSet};
use pixelmap_map::store::JournalRecord;
use pixelmap_paint::surface::Border;
use pixelmap_world::internal::{ChunkHash, NO_RECORD, Region, UNOPENED, UNSTABLE, join_hashes};

impl Map<'_> {
    /// Keeps and counts a region that is unchanged in all layers, and returns the hash of its
    /// content. Returns `None` if it must be drawn.
    pub(crate) fn leave_unchanged(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
    ) -> Result<Option<ChunkHash>, Interruption> {
        if self.tiles.is_forced {
            return Ok(None);
        }

        let store = &self.tiles.store;
        let Some(JournalRecord {
            number,
            value: Some(facts),
            ..
        }) = store.last_facts(region.dimension, region.pos, parse_facts)?
        else {
            return Ok(None);
        };

        let key = facts.key();
        if key == UNSTABLE {
            return Ok(None);
        }

        let Some(layers) = self.find_tiles(region, key)? else {
            return Ok(None);
        };
        let Some(inner) = self.find_unchanged_inner(region, key)? else {
            return Ok(None);
        };
        let Some(facts) = self.confirm(worker, region, number, facts)? else {
            return Ok(None);
        };

        let content = facts.source.hashes.content;
        let is_everywhere = layers.iter().all(|located| located.record.tile.is_some());
        let tally = &mut worker.tally.job;
        self.tiles
            .leave_region(tally, region.dimension, region.pos, facts.findings, &layers);
        self.leave_inner(tally, inner);
        self.painter.run.progress.count_unchanged(region.cost());

        if !region.hidden.is_empty()
            && let Some(Ok(file)) = region.open()
        {
            worker.tally.job.chunks.hidden += region.count_hidden(&file);
            self.note_hidden(worker, region, is_everywhere);
        }

        Ok(Some(content))
    }

    /// Finds the tiles of a region in all layers. Returns `None` if one of them does not exist as
    /// recorded, or was not drawn from a region with this key.
    fn find_tiles(
        &self,
        region: &PlannedRegion<'_>,
        key: ChunkHash,
    ) -> Result<Option<Vec<LocatedNative>>, Interruption> {
        let store = &self.tiles.store;
        let tile = region.pos.tile();
        let mut layers = Vec::with_capacity(self.painter.map_layers.layers().len());
        for map_layer in self.painter.map_layers.in_dimension(region.dimension) {
            let Some(JournalRecord {
                sure,
                value: Some(record),
                ..
            }) = store.last_record(map_layer, tile, parse_native)?
            else {
                return Ok(None);
            };
            if record.sources != key {
                return Ok(None);
            }

            let Some(location) = store.locate(map_layer, tile, record.tile, sure)? else {
                return Ok(None);
            };
            layers.push(LocatedNative {
                map_layer,
                record,
                location,
            });
        }

        Ok(Some(layers))
    }

    /// Returns the recorded facts of a region, with the stamp of its file now, if the chunks that
    /// they cover are unchanged. `number` is the number of the record.
    fn confirm(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        number: usize,
        mut facts: RegionFacts,
    ) -> Result<Option<RegionFacts>, Interruption> {
        let is_as_read = self.is_as_read(region, number, &facts.source);
        if !is_as_read {
            match self.hash_records(worker, region) {
                Some(now) if now.hashes == facts.source.hashes => facts.source = now,
                _ => return Ok(None),
            }
        }

        if self.neighbour_hash(worker, region)? != facts.neighbour_hash {
            return Ok(None);
        }

        if !is_as_read {
            // Record the new stamp so that the next run need not hash the file again.
            self.tiles
                .store
                .record_facts(region.dimension, region.pos, &facts)?;
        }

        Ok(Some(facts))
    }

    /// Returns whether a region file is untouched since it was read, judged by its stamp alone.
    fn is_as_read(&self, region: &PlannedRegion<'_>, number: usize, source: &RegionSource) -> bool {
        self.painter.settings.run.check == Check::Quick
            && self
                .stamps
                .get(number)
                .is_some_and(|known| *known.get_or_init(|| has_stamps_of(region, source)))
    }

    /// Returns whether [`Self::is_as_read`] has been true for this record.
    fn is_known_as_read(&self, number: usize) -> bool {
        self.stamps.get(number).and_then(OnceLock::get) == Some(&true)
    }

    /// Reads and hashes the chunk records of a region file. Returns `None` if it cannot be opened
    /// or the run is stopping.
    fn hash_records(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
    ) -> Option<RegionSource> {
        let mut file = region.open()?.ok()?;
        let mut hashes = RegionHashes::default();
        file.will_read(region.used_slots());

        for slot in region.used_slots() {
            if self.painter.run.is_stopped() {
                return None;
            }
            let stored = worker.reader.hash(&mut file, slot);
            hashes.add(slot, stored.hash, stored.is_external);
        }

        Some(self.source(&hashes, &file, &region.hidden))
    }

    /// Returns the source of a region's tile for the record, given the hashes of its chunks.
    pub(super) fn source(
        &self,
        hashes: &RegionHashes,
        file: &Region,
        hidden: &SlotSet,
    ) -> RegionSource {
        let external = hashes
            .external
            .iter()
            .map(|&slot| (slot, file.own_file_stamp(slot)));
        let chunks = Hashes::new(&hashes.hashes);

        // The hash includes the defects of the region, because a record repeats them until they are
        // gone.
        let [first, second] = file.defects().map(|defect| defect.is_some().into());
        let content = join_hashes(&[chunks.content, first, second]);
        RegionSource {
            stamp: stamp_with_hidden(file, hidden),
            read: self.began,
            external: external.collect(),
            hashes: Hashes { content, ..chunks },
        }
    }

    /// Returns the current hash of the neighbouring chunks that touch a region.
    fn neighbour_hash(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
    ) -> Result<ChunkHash, Interruption> {
        let nothing = join_hashes(&[NO_RECORD; REGION_CHUNKS]);
        let mut sides = [nothing; 4];
        let mut corners = [NO_RECORD; 4];
        for &Neighbour { dx, dz, part } in &NEIGHBOURS {
            let neighbour = region.pos.offset(dx, dz);
            let hash = self.touching_hash(worker, region.dimension, neighbour, part)?;
            match (part, hash) {
                (_, None) => {}
                (FramePart::Side(side, _), Some(hash)) => sides[side] = hash,
                (FramePart::Corner(east, south, _), Some(hash)) => {
                    corners[usize::from(south) << 1 | usize::from(east)] = hash;
                }
            }
        }

        Ok(join_around(sides, corners))
    }

    /// Returns the hash of the part of a neighbour that touches a region, or `None` if that
    /// neighbour does not exist.
    fn touching_hash(
        &self,
        worker: &mut PaintWorker<'_>,
        dimension: usize,
        pos: RegionPos,
        part: FramePart,
    ) -> Result<Option<ChunkHash>, Interruption> {
        let recorded = self.tiles.store.last_facts(dimension, pos, parse_source)?;
        let recorded =
            recorded.and_then(|JournalRecord { number, value, .. }| Some((number, value?)));

        if let Some((number, source)) = recorded
            && (self.is_known_as_read(number)
                || self.is_as_read(&self.painter.region(dimension, pos), number, &source))
        {
            return Ok(Some(match part {
                FramePart::Side(_, border) => source.hashes.sides[border as usize],
                FramePart::Corner(east, south, _) => {
                    source.hashes.corners[usize::from(!south) << 1 | usize::from(!east)]
                }
            }));
        }

        let neighbour = self.painter.region(dimension, pos);
        let Some(mut file) = neighbour.open() else {
            return Ok(None);
        };

        Ok(Some(match part {
            FramePart::Side(_, border) => {
                let mut hashes = [NO_RECORD; REGION_CHUNKS];
                for (to, slot) in hashes.iter_mut().zip(Border::slots(border)) {
                    *to = used_hash(worker, &neighbour, &mut file, slot);
                }
                join_hashes(&hashes)
            }
            FramePart::Corner(_, _, slot) => used_hash(worker, &neighbour, &mut file, slot),
        }))
    }
}

/// Returns whether the stamps of a region's files are the recorded ones, and late enough after the
/// last write that a later write must have changed them.
fn has_stamps_of(region: &PlannedRegion<'_>, source: &RegionSource) -> bool {
    if region.hidden.is_empty()
        && source.external.is_empty()
        && let Some(listed) = region.listed_state()
    {
        return listed == source.stamp.state() && source.stamp.is_stable(source.read);
    }

    let Some(Ok(file)) = region.open() else {
        return false;
    };

    stamp_with_hidden(&file, &region.hidden) == source.stamp
        && source.stamp.is_stable(source.read)
        && source.external.iter().all(|(slot, stamp)| {
            file.own_file_stamp(*slot) == *stamp
                && stamp.is_none_or(|stamp| stamp.is_stable(source.read))
        })
}

/// Returns the hash of a chunk of an opened region, or the hash of a missing chunk if this run does
/// not use it.
fn used_hash(
    worker: &mut PaintWorker<'_>,
    region: &PlannedRegion<'_>,
    file: &mut io::Result<Region>,
    slot: Slot,
) -> ChunkHash {
    match (file, region.chunk_use(slot)) {
        (_, ChunkUse::No) => NO_RECORD,
        (Ok(file), _) => worker.reader.hash(file, slot).hash,
        (Err(_), _) => UNOPENED,
    }
}
