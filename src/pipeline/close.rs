//! The end of a render: what is no longer part of the map goes, the manifests and `map.json` follow, and the report
//! says how it went. They come last, so that whatever ends a run before leaves a map that is whole.

use std::collections::BTreeMap;
use std::time::Instant;

use super::drawing::failure_of;
use super::hiding::Emptied;
use super::removals::{Stale, manifest_path};
use super::settings::Settings;
use super::sheet::Sheets;
use crate::coord::TilePos;
use crate::layer::LOOK;
use crate::plan::Plan;
use crate::publish::{
    Facts, Journal, LayerFacts, Manifest, MapFile, Numbers, Output, PublishError, TileRecord, viewer,
};
use crate::report::{
    BadChunk, BadPlace, Damage, Failure, Options, Outcome, RegionCounts, Report, Tally, TileCounts, WorkerCounts,
    WorldFacts, peak_memory_bytes,
};
use crate::schedule::{Stop, Summary};
use crate::world::{RegionEntry, World};

/// What the workers left behind.
pub(super) struct Drawn {
    pub(super) records: Vec<BTreeMap<TilePos, TileRecord>>,
    pub(super) emptied: Emptied,
    pub(super) tally: Tally,
    pub(super) failure: Option<Failure>,
    pub(super) summary: Summary,
    /// Whether no job is left to do.
    pub(super) all_done: bool,
    pub(super) start: Instant,
}

/// A render whose jobs have ended.
pub(super) struct Ended<'a> {
    pub(super) world: &'a World,
    pub(super) plan: &'a Plan,
    pub(super) sheets: &'a Sheets,
    pub(super) settings: &'a Settings,
    pub(super) output: &'a Output,
    pub(super) stop: &'a Stop,
}

impl Ended<'_> {
    /// Closes the map and its journal, and reports.
    pub(super) fn close(&self, journal: Journal<'_>, mut drawn: Drawn) -> Report {
        let (mut removed, mut closed) = (0, false);
        let records = std::mem::take(&mut drawn.records);
        let empty = records.iter().all(BTreeMap::is_empty);
        if drawn.failure.is_none() && drawn.all_done {
            match self.publish(&journal, records, &drawn.emptied, &mut removed) {
                Ok(done) => closed = done,
                Err(failure) => drawn.failure = Some(failure),
            }
        }
        let is_part = |sheet: usize, tile: TilePos| {
            let dimension = self.sheets.sheet(sheet).dimension;
            self.plan.dimensions[dimension].pyramid.contains(tile)
        };
        drawn.summary.warnings.extend(self.doubts(&drawn.tally, closed));
        if let Err(error) = if closed { journal.close(is_part) } else { journal.sync() } {
            // No tile hangs on it: the next run goes on from the journal as it stands.
            drawn.summary.warnings.push(format!("what is known of this map could not be put in order: {error}"));
        }
        let bad_chunks = self.bad_chunks(&mut drawn.tally);
        let outcome = match () {
            () if drawn.failure.is_some() => Outcome::Failed,
            () if !closed => Outcome::Interrupted,
            () if !bad_chunks.is_empty() => Outcome::Gaps,
            () if empty => Outcome::Empty,
            () => Outcome::Complete,
        };
        self.report(drawn, outcome, bad_chunks, removed)
    }

    /// Removes what is no longer part of the map and counts it, then writes manifests, the viewer and `map.json`. Says
    /// whether all that was done: a run that is stopped while it removes tiles leaves the earlier manifest, which still
    /// names what is to go.
    fn publish(
        &self,
        journal: &Journal<'_>,
        records: Vec<BTreeMap<TilePos, TileRecord>>,
        emptied: &Emptied,
        removed: &mut u64,
    ) -> Result<bool, Failure> {
        let Self { plan, sheets, output, .. } = self;
        let failed = |error: PublishError| failure_of(&error);
        // No manifest names a tile that a power cut can take back.
        journal.sync().map_err(failed)?;
        let stays = |sheet, tile| records[sheets.number(sheet)].contains_key(&tile);
        let stale = Stale::of(output, plan, sheets, emptied, stays);
        stale.check(self.settings.max_removed).map_err(|error| Failure {
            kind: "max_removed",
            message: error.to_string(),
            retryable: false,
        })?;
        // Before the manifest: should the run end in between, the earlier one still names what is to go.
        for (index, (sheet, mut gone)) in sheets.all().zip(stale.into_tiles()).enumerate() {
            // And what a run wrote that was killed before it had a manifest.
            gone.extend(journal.left_behind(index).into_iter().filter(|tile| !records[index].contains_key(tile)));
            for tile in gone {
                if self.stop.requested() {
                    return Ok(false);
                }
                *removed += u64::from(output.remove(&sheets.tile_path(sheet, tile)).map_err(failed)?);
            }
        }
        if self.stop.requested() {
            return Ok(false);
        }
        self.write_facts(records).map(|()| true).map_err(failed)
    }

    /// Writes manifests, the viewer and `map.json`.
    fn write_facts(&self, records: Vec<BTreeMap<TilePos, TileRecord>>) -> Result<(), PublishError> {
        let Self { world, plan, sheets, output, .. } = self;
        let mut map = MapFile::new(world.name());
        let mut records = records.into_iter();
        for (index, dimension) in plan.dimensions.iter().enumerate() {
            let mut layers = Vec::new();
            for (sheet, tiles) in sheets.of(index).zip(&mut records) {
                let manifest = Manifest { tiles };
                output.put_written(&manifest_path(sheets, sheet), |out| manifest.write(out))?;
                let (layer, min_zoom) = (sheets.layer(sheet), dimension.pyramid.min_zoom());
                let numbers = layer.number_of_zero().map(|zero| Numbers { bits: 16, nothing: 0, offset: -zero });
                let facts = LayerFacts::new(layer.name(), sheets.path(sheet), LOOK, min_zoom, &manifest);
                layers.push(LayerFacts { numbers, overlay: layer.is_overlay(), ..facts });
            }
            let spawn = world.level.spawn.as_ref().filter(|(id, _)| *id == dimension.id).map(|(_, spawn)| *spawn);
            let (id, path, name) = (dimension.id.clone(), dimension.path.clone(), title(&dimension.id));
            map.dimensions.push(Facts { id, path, name, spawn, layers });
        }
        if let Some(earlier) = MapFile::read(output.root()) {
            map.keep(earlier);
        }
        for (path, bytes) in viewer::files() {
            output.put(path, &bytes)?;
        }
        output.put(MapFile::SCRIPT, map.script().as_bytes())?;
        output.put(MapFile::FILE, map.json().as_bytes())?;
        Ok(())
    }

    /// Where what must not be shown may be seen all the same.
    fn doubts(&self, tally: &Tally, closed: bool) -> Vec<String> {
        let Settings { hide, min_inhabited, .. } = self.settings;
        let mut doubts = Vec::new();
        let regions = self.plan.dimensions.iter().any(|dimension| dimension.hidden > 0);
        if closed && !hide.is_empty() && !regions && tally.chunks.hidden == 0 {
            doubts.push("--hide hides nothing of what is drawn: give blocks, first x and then z".to_owned());
        }
        if hide.is_empty() && *min_inhabited == 0 {
            return doubts;
        }
        let drawn: Vec<String> = self.sheets.all().map(|sheet| self.sheets.path(sheet)).collect();
        let earlier = MapFile::read(self.output.root()).into_iter().flat_map(|map| map.dimensions);
        let layers = earlier.flat_map(|dimension| dimension.layers).map(|layer| layer.path);
        let others: Vec<String> = layers.filter(|path| !drawn.contains(path)).collect();
        if !others.is_empty() {
            doubts.push(format!(
                "what is hidden may still be seen where this run drew nothing: draw {} with the same options",
                others.join(", ")
            ));
        }
        doubts
    }

    /// What could not be read, with its names; regions that lie too far out are among it.
    fn bad_chunks(&self, tally: &mut Tally) -> Vec<BadChunk> {
        for (index, dimension) in self.plan.dimensions.iter().enumerate() {
            tally.regions_failed += dimension.far.len() as u64;
            for entry in &dimension.far {
                let message = "the region lies too far out to have a tile and is not drawn".to_owned();
                tally.bad(index, entry.region, Damage::new(None, "unreadable", message));
            }
        }
        let bad = std::mem::take(&mut tally.bad).into_sorted();
        bad.into_iter().map(|place| bad_chunk(self.plan, place)).collect()
    }
}

/// A place that could not be read, with its names.
fn bad_chunk(plan: &Plan, place: BadPlace) -> BadChunk {
    let BadPlace { dimension, region, damage } = place;
    let dimension = &plan.dimensions[dimension as usize];
    let far = || dimension.far.iter().find(|entry| entry.region == region);
    let entry = dimension.files.get(&region).or_else(far);
    BadChunk {
        dimension: dimension.id.clone(),
        region: entry.map_or_else(|| region.to_string(), RegionEntry::file_name),
        chunk: damage.slot().map(|slot| region.chunk(slot)).map(|chunk| [chunk.x, chunk.z]),
        reason: damage.reason,
        message: damage.message,
    }
}

/// What is not listed since there is too much of it.
fn not_listed(gaps: u64, bad: &[BadChunk], tally: &Tally) -> Vec<String> {
    let mut warnings = Vec::new();
    if gaps > bad.len() as u64 {
        warnings.push(format!("of {gaps} places that could not be read only the first {} are listed", bad.len()));
    }
    if tally.remarks.more_unknown {
        let listed = tally.remarks.unknown.len().max(tally.remarks.unknown_biomes.len());
        warnings.push(format!(
            "more than {listed} blocks or biomes are known to no table: the first {listed} of each by name are listed"
        ));
    }
    warnings
}

/// A dimension's name for people.
fn title(id: &str) -> String {
    match id {
        "overworld" => "Overworld".to_owned(),
        "the_nether" => "Nether".to_owned(),
        "the_end" => "End".to_owned(),
        other => other.to_owned(),
    }
}

impl Ended<'_> {
    fn report(&self, drawn: Drawn, outcome: Outcome, bad_chunks: Vec<BadChunk>, removed: u64) -> Report {
        let Self { world, plan, settings, .. } = self;
        let Drawn { tally, failure, summary, start, .. } = drawn;
        let seconds = start.elapsed().as_secs_f64();
        let mut chunks = tally.chunks;
        chunks.edge = chunks.edge.saturating_sub(tally.taken_over);
        chunks.hidden += tally.remarks.unvisited;
        let hidden: u64 = plan.dimensions.iter().map(|dimension| dimension.hidden).sum();
        let left_out = not_listed(chunks.bad + tally.regions_failed, &bad_chunks, &tally);
        let warnings = world.notes.iter().cloned().chain(summary.warnings).chain(left_out);
        let odd = tally.remarks.odd.iter().map(|(what, count)| format!("{count} times {what}"));
        let threads = summary.workers.len();
        let workers = summary.workers.iter().map(|worker| WorkerCounts {
            busy_seconds: worker.busy.as_secs_f64(),
            jobs: worker.jobs as u64,
            pulls: worker.pulls as u64,
            steals: worker.steals as u64,
            waits: worker.waits as u64,
        });
        let full = crate::coord::YRange::ALL;
        Report {
            outcome,
            error: failure,
            options: Options {
                area: settings.area.map(|area| [area.x0, area.z0, area.x1, area.z1]),
                min_y: Some(settings.range.min).filter(|&y| y != full.min),
                max_y: Some(settings.range.max).filter(|&y| y != full.max),
                unfinished: settings.unfinished,
                hide: !settings.hide.is_empty(),
                min_inhabited: Some(settings.min_inhabited).filter(|&seconds| seconds > 0),
                layers: settings.layers.iter().map(|layer| layer.name().to_owned()).collect(),
                look: LOOK,
                palette: settings.colours.palettes.iter().map(|path| path.display().to_string()).collect(),
                unknown: settings.colours.unknown.to_string(),
                assets: settings.colours.assets.iter().map(|path| path.display().to_string()).collect(),
                max_batch: settings.max_batch,
            },
            world: WorldFacts {
                name: world.name(),
                data_version: world.level.data_version,
                dimensions: plan.dimensions.iter().map(|dimension| dimension.id.clone()).collect(),
            },
            regions: RegionCounts {
                total: (plan.order.len() + plan.dimensions.iter().map(|dimension| dimension.far.len()).sum::<usize>())
                    as u64
                    + hidden,
                drawn: tally.regions_drawn,
                unchanged: tally.regions_unchanged,
                failed: tally.regions_failed,
                hidden,
            },
            chunks,
            bad_chunks,
            unknown_blocks: tally.remarks.unknown,
            unknown_biomes: tally.remarks.unknown_biomes,
            not_understood: tally.remarks.not_understood,
            newer: tally.remarks.newer,
            warnings: warnings.chain(odd).collect(),
            tiles: TileCounts { written: tally.tiles_written, unchanged: tally.tiles_unchanged, removed },
            seconds,
            peak_memory_bytes: peak_memory_bytes(),
            threads,
            chunks_per_second: (chunks.total() - tally.repeated + chunks.edge) as f64 / seconds.max(1e-9),
            stages: tally.stages,
            workers: workers.collect(),
        }
    }
}
