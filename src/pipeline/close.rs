//! The end of a render: what is no longer part of the map goes, the manifests and `map.json` follow. They come last, so that whatever ends a run before leaves a map that is whole.

use std::collections::BTreeMap;

use super::account::{Drawn, Published, report};
use super::drawing::failure_of;
use super::hiding::Emptied;
use super::removals::{Stale, manifest_path};
use super::settings::Settings;
use super::sheet::Sheets;
use crate::coord::TilePos;
use crate::layer::{LOOK, Layer};
use crate::plan::Plan;
use crate::publish::{
    Facts, Journal, LayerFacts, Manifest, MapFile, Naming, Numbers, Output, PublishError, TileRecord, viewer,
};
use crate::report::{Failure, Report, Tally};
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

impl Ended<'_> {
    /// Closes the map and its journal, and reports. `records` are the tiles that stand, by sheet.
    pub(super) fn close(
        &self,
        journal: Journal<'_>,
        records: Vec<BTreeMap<TilePos, TileRecord>>,
        emptied: &Emptied,
        mut drawn: Drawn,
    ) -> Report {
        let mut published = Published { empty: records.iter().all(BTreeMap::is_empty), ..Published::default() };
        if drawn.failure.is_none() && drawn.all_done {
            match self.publish(&journal, records, emptied, &mut published.removed) {
                Ok(done) => published.closed = done,
                Err(failure) => drawn.failure = Some(failure),
            }
        }
        let is_part = |sheet: usize, tile: TilePos| {
            let dimension = self.sheets.sheet(sheet).dimension;
            self.plan.dimensions[dimension].pyramid.contains(tile)
        };
        drawn.summary.warnings.extend(self.doubts(&drawn.tally, published.closed));
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
        for (sheet, mut gone) in sheets.all().zip(stale.into_tiles()) {
            let (number, naming) = (sheets.number(sheet), sheets.naming(sheet));
            if sheets.replaced(sheet).is_some() {
                // They stand until the new tiles take their place.
                *removed += std::mem::take(&mut gone).len() as u64;
            }
            let gone = gone.into_iter().map(|tile| naming.path(tile));
            for path in gone.chain(left_behind(journal, number, naming, &records[number])) {
                if self.stop.requested() {
                    return Ok(false);
                }
                *removed += u64::from(output.remove(&format!("{}/{path}", sheets.folder(sheet))).map_err(failed)?);
            }
        }
        if self.stop.requested() {
            return Ok(false);
        }
        // What stands under other names gives way at the very end.
        for (sheet, old) in sheets.all().filter_map(|sheet| Some((sheet, sheets.replaced(sheet)?))) {
            let (number, path) = (sheets.number(sheet), sheets.path(sheet));
            for left in left_behind(journal, number, sheets.naming(sheet), &records[number]) {
                output.remove(&format!("{path}/{left}")).map_err(failed)?;
            }
            output.replace(&path, old, &sheets.folder(sheet)).map_err(failed)?;
        }
        self.write_facts(records).map_err(failed)?;
        output.clear_staged(&[]);
        Ok(true)
    }

    /// Writes the viewer, `map.json` and manifests. In this order: a manifest that stands has the numbers of the scheme that
    /// `map.json` names.
    fn write_facts(&self, records: Vec<BTreeMap<TilePos, TileRecord>>) -> Result<(), PublishError> {
        let Self { world, plan, sheets, output, .. } = self;
        let mut map = MapFile::new(world.name());
        let mut tilejsons = Vec::new();
        let manifests: Vec<Manifest> = records.into_iter().map(|tiles| Manifest { tiles }).collect();
        for (index, dimension) in plan.dimensions.iter().enumerate() {
            let mut layers = Vec::new();
            for sheet in sheets.of(index) {
                let (manifest, naming) = (&manifests[sheets.number(sheet)], sheets.naming(sheet));
                let (layer, min_zoom) = (sheets.layer(sheet), dimension.pyramid.min_zoom());
                let numbers = layer.number_of_zero().map(|zero| Numbers { bits: 16, nothing: 0, offset: -zero });
                let facts = LayerFacts::new(layer.name(), sheets.path(sheet), naming, LOOK, min_zoom, manifest);
                let name = format!("{}, {}, {}", world.name(), title(&dimension.id), layer.name());
                tilejsons.push(facts.tilejson(&name));
                layers.push(LayerFacts { numbers, overlay: layer.is_overlay(), ..facts });
            }
            let spawn = world.level.spawn.as_ref().filter(|(id, _)| *id == dimension.id).map(|(_, spawn)| *spawn);
            let (id, path, name) = (dimension.id.clone(), dimension.path.clone(), title(&dimension.id));
            map.dimensions.push(Facts { id, path, name, spawn, layers });
        }
        if let Some(earlier) = MapFile::read(output.root()) {
            map.keep(earlier);
        }
        // Those that this program does not know come last.
        map.settle(|id| Layer::ALL.iter().position(|layer| layer.name() == id).unwrap_or(Layer::ALL.len()));
        for (path, bytes) in viewer::files() {
            output.put(path, &bytes)?;
        }
        output.put(MapFile::SCRIPT, map.script().as_bytes())?;
        output.put(MapFile::FILE, map.json().as_bytes())?;
        for ((sheet, manifest), tilejson) in sheets.all().zip(&manifests).zip(tilejsons) {
            let path = format!("{}/{}", sheets.path(sheet), LayerFacts::TILEJSON);
            match tilejson {
                Some(text) => output.put(&path, text.as_bytes()).map(drop)?,
                None => output.remove(&path).map(drop)?,
            }
            let scheme = sheets.naming(sheet).scheme;
            output.put_written(&manifest_path(sheets, sheet), |out| manifest.write(scheme, out))?;
        }
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
}

/// What runs wrote of the sheet with this number that were killed before they had a manifest, whatever they named its
/// tiles, but for the names of those that stand, which are named as `naming` says.
fn left_behind(
    journal: &Journal<'_>,
    number: usize,
    naming: Naming,
    standing: &BTreeMap<TilePos, TileRecord>,
) -> impl Iterator<Item = String> {
    let left = journal.left_behind(number).into_iter().flat_map(|tile| Naming::all().map(move |by| (tile, by)));
    let stands = move |tile, by: Naming| naming.namesake(tile, by).is_some_and(|tile| standing.contains_key(&tile));
    left.filter(move |&(tile, by)| !stands(tile, by)).map(|(tile, by)| by.path(tile))
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
