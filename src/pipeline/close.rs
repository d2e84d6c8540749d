//! The end of a render: what is no longer part of the map goes, the manifests and `map.json` follow. They come last, so that whatever ends a run before leaves a map that is whole.

use std::collections::BTreeMap;

use super::account::{Drawn, Published, report};
use super::drawing::failure_of;
use super::render::RenderError;
use super::settings::{Limit, Settings};
use super::sheet::{Sheet, Sheets};
use crate::coord::TilePos;
use crate::layer::LOOK;
use crate::plan::Plan;
use crate::publish::{Facts, Journal, LayerFacts, Manifest, MapFile, Output, PublishError, TileRecord, viewer};
use crate::report::{Failure, Report};
use crate::schedule::Stop;
use crate::world::World;

/// A map whose jobs have ended.
pub(super) struct Ended<'a> {
    pub(super) world: &'a World,
    pub(super) plan: &'a Plan,
    pub(super) sheets: &'a Sheets,
    pub(super) settings: &'a Settings,
    pub(super) output: &'a Output,
    pub(super) stop: &'a Stop,
}

fn manifest_path(sheets: &Sheets, sheet: Sheet) -> String {
    format!("{}/{}", sheets.path(sheet), Manifest::FILE)
}

/// Refuses to begin where the plan alone shows that more tiles would go than may.
pub(super) fn check_removals(output: &Output, plan: &Plan, sheets: &Sheets, limit: Limit) -> Result<(), RenderError> {
    let stale = stale(sheets, output, |sheet, tile| plan.dimensions[sheet.dimension].pyramid.contains(tile));
    check_limit(&stale, limit)
}

/// The tiles of one sheet's earlier map: how many there were, and those that go.
type Stale = (usize, Vec<TilePos>);

fn check_limit(stale: &[Stale], limit: Limit) -> Result<(), RenderError> {
    let total = stale.iter().map(|(total, _)| *total as u64).sum();
    let gone = stale.iter().map(|(_, gone)| gone.len() as u64).sum();
    if limit.is_exceeded(gone, total) { Err(RenderError::TooManyRemoved(gone, total, limit)) } else { Ok(()) }
}

/// By sheet, the tiles of the earlier map that do not stay.
fn stale(sheets: &Sheets, output: &Output, stays: impl Fn(Sheet, TilePos) -> bool) -> Vec<Stale> {
    let of = |sheet: Sheet| {
        let (mut total, mut gone) = (0, Vec::new());
        Manifest::each_tile(output, &manifest_path(sheets, sheet), |tile| {
            total += 1;
            if !stays(sheet, tile) {
                gone.push(tile);
            }
        });
        (total, gone)
    };
    sheets.all().map(of).collect()
}

impl Ended<'_> {
    /// Closes the map and its journal, and reports. `records` are the tiles that stand, by sheet.
    pub(super) fn close(
        &self,
        journal: Journal<'_>,
        records: Vec<BTreeMap<TilePos, TileRecord>>,
        mut drawn: Drawn,
    ) -> Report {
        let mut published = Published { empty: records.iter().all(BTreeMap::is_empty), ..Published::default() };
        if drawn.failure.is_none() && drawn.all_done {
            match self.publish(&journal, records, &mut published.removed) {
                Ok(done) => published.closed = done,
                Err(failure) => drawn.failure = Some(failure),
            }
        }
        let is_part = |sheet: usize, tile: TilePos| {
            let dimension = self.sheets.sheet(sheet).dimension;
            self.plan.dimensions[dimension].pyramid.contains(tile)
        };
        if let Err(error) = if published.closed { journal.close(is_part) } else { journal.sync() } {
            // No tile hangs on it: the next run goes on from the journal as it stands.
            drawn.summary.warnings.push(format!("what is known of this map could not be put in order: {error}"));
        }
        report(self.world, self.plan, self.settings, drawn, published)
    }

    /// Removes what is no longer part of the map and counts it, then writes manifests, the viewer and `map.json`. Says
    /// whether all that was done: a run that is stopped while it removes tiles leaves the earlier manifest, which still
    /// names what is to go.
    fn publish(
        &self,
        journal: &Journal<'_>,
        records: Vec<BTreeMap<TilePos, TileRecord>>,
        removed: &mut u64,
    ) -> Result<bool, Failure> {
        let Self { sheets, output, .. } = self;
        let failed = |error: PublishError| failure_of(&error);
        // No manifest names a tile that a power cut can take back.
        journal.sync().map_err(failed)?;
        let stale = stale(sheets, output, |sheet, tile| records[sheets.number(sheet)].contains_key(&tile));
        check_limit(&stale, self.settings.max_removed).map_err(|error| Failure {
            kind: "max_removed",
            message: error.to_string(),
            retryable: false,
        })?;
        // Before the manifest: should the run end in between, the earlier one still names what is to go.
        for (index, (sheet, (_, mut gone))) in sheets.all().zip(stale).enumerate() {
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
                let (name, min_zoom) = (sheets.layer(sheet).name(), dimension.pyramid.min_zoom());
                layers.push(LayerFacts::new(name, sheets.path(sheet), LOOK, min_zoom, &manifest));
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
