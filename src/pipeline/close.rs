//! The end of a render: new tiles stand in their places, the manifests and `map.json` follow, and what is no longer part of
//! the map goes last. So whatever ends a run leaves a map that is whole, and that names no tile which is gone.

use std::collections::BTreeMap;

use super::account::{Drawn, Published, report};
use super::drawing::failure_of;
use super::legend::legend_of;
use super::map::{Aside, Journals, Made};
use super::removals::{Stale, manifest_path};
use super::settings::{Settings, Staged};
use super::sheet::{Sheet, Sheets};
use crate::coord::TilePos;
use crate::layer::{LOOK, Layer};
use crate::plan::{DimensionPlan, Plan};
use crate::publish::{
    Facts, Journal, LayerFacts, Manifest, MapFile, Numbers, Output, PublishError, TileRecord, in_folder, viewer,
};
use crate::report::{Failure, FileLists, Report, ShownNames, Tally};
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
    /// Closes the map and its journals, and reports.
    pub(super) fn close(&self, journals: Journals<'_>, made: Made, mut drawn: Drawn) -> Report {
        let Journals { journal, mut staged } = journals;
        if drawn.all_done {
            self.clear_unwanted(&made);
        }
        let empty = made.records.iter().all(BTreeMap::is_empty);
        let mut published = Published { empty, ..Published::default() };
        if drawn.failure.is_none() && drawn.all_done {
            match self.publish(&journal, &mut staged, made, &mut published) {
                Ok(done) => published.closed = done,
                Err(failure) => drawn.failure = Some(failure),
            }
        }
        match published.placed {
            Some(tiles) => drawn.tally.tiles_written += tiles,
            None if self.sheets.are_staged() => drawn.tally.tiles_written = 0,
            None => {}
        }
        // What waits may take its place with the next run.
        let failed = drawn.failure.is_some();
        if let (Some(Err(error)), false) = (staged.map(|staged| staged.sync()), failed) {
            drawn.summary.warnings.push(format!("what was drawn may have to be drawn again: {error}"));
        }
        let is_part = |sheet: usize, tile: TilePos| {
            let dimension = self.sheets.sheet(sheet).dimension;
            self.plan.dimensions[dimension].pyramid.contains(tile)
        };
        drawn.summary.warnings.extend(self.doubts(&drawn.tally, published.closed));
        let is_published = published.closed && !self.waits();
        let closed = if is_published { journal.close(is_part) } else { journal.sync() };
        if let (Err(error), false) = (closed, failed) {
            // No tile hangs on it: the next run goes on from the journal as it stands.
            drawn.summary.warnings.push(format!("what is known of this map could not be put in order: {error}"));
        }
        match self.lists() {
            Ok(files) => published.files = files,
            // Whoever asked for lists is not to believe that nothing has changed.
            Err(error) => drop(drawn.failure.get_or_insert_with(|| failure_of(&error))),
        }
        report(self.world, self.plan, self.settings, drawn, published)
    }

    /// What is to be told of files.
    fn lists(&self) -> Result<FileLists, PublishError> {
        let untold = self.output.untold();
        if !self.settings.list_files {
            return Ok(FileLists { untold: untold.unwrap_or_default(), ..FileLists::default() });
        }
        let untold = untold?;
        let (changed, deleted) = self.output.changes(&untold)?;
        Ok(FileLists { changed, deleted, untold })
    }

    /// Puts in its place what waits, writes manifests, the viewer and `map.json`, removes what is no longer part of the map,
    /// and counts it in `published`. Says whether all that was done: a run that is stopped before there are manifests writes
    /// none, and one that is stopped while it removes tiles leaves what tells the next one which are still to go. Once what
    /// waits has begun to take its place, `staged` is gone and nothing stops the rest.
    fn publish(
        &self,
        journal: &Journal<'_>,
        staged: &mut Option<Journal<'_>>,
        made: Made,
        published: &mut Published,
    ) -> Result<bool, Failure> {
        let Self { plan, sheets, output, .. } = self;
        let Made { records, aside, shown, emptied } = made;
        let failed = |error: PublishError| failure_of(&error);
        // No manifest names a tile that a power cut can take back.
        journal.sync().map_err(failed)?;
        let stays = |sheet, tile| records[sheets.number(sheet)].contains_key(&tile);
        let stale = Stale::of(output, plan, sheets, &emptied, stays).map_err(failed)?;
        stale.check(self.settings.max_removed).map_err(|error| Failure {
            kind: "max_removed",
            message: error.to_string(),
            retryable: false,
        })?;
        if sheets.are_staged() {
            if self.stop.requested() {
                return Ok(false);
            }
            if self.waits() {
                return Ok(true);
            }
            keep_call(output, sheets, self.settings).map_err(failed)?;
        }
        if let Some(staged) = staged.take() {
            published.placed = Some(self.take_places(journal, staged, &aside).map_err(failed)?);
        }
        if self.is_stopped() {
            return Ok(false);
        }
        for (sheet, gone) in sheets.all().zip(stale.counts()) {
            let standing = &records[sheets.number(sheet)];
            self.note_since_manifest(sheet, standing).map_err(failed)?;
            published.removed += self.give_way(sheet, standing, gone > 0).map_err(failed)?;
        }
        output.sync_notes().map_err(failed)?;
        let manifests: Vec<Manifest> = records.into_iter().map(|tiles| Manifest { tiles }).collect();
        self.write_facts(&manifests, &shown).map_err(failed)?;
        if self.settings.staged != Some(Staged::Published { is_last: false }) {
            output.clear_staged(&[]);
        }
        self.remove_gone(journal, &manifests, published).map_err(failed)
    }

    /// Removes what waits beside the map and is no part of what this run has drawn: that may be hidden now, and who knows
    /// when what waits is published.
    fn clear_unwanted(&self, made: &Made) {
        let Self { sheets, output, .. } = self;
        for sheet in sheets.all() {
            let (number, naming) = (sheets.number(sheet), sheets.naming(sheet));
            let tiles: Vec<TilePos> = match sheets.replaced(sheet) {
                Some(_) => made.records[number].keys().copied().collect(),
                None if sheets.is_staged(sheet) => made.aside[number].keys().copied().collect(),
                None => continue,
            };
            let wanted = tiles.into_iter().map(|tile| Output::staged(&sheets.file(sheet, tile), naming));
            output.clear_staged_but(&sheets.path(sheet), naming, wanted);
        }
    }

    /// Whether it is to wait for other maps.
    fn waits(&self) -> bool {
        self.settings.staged == Some(Staged::Waits)
    }

    /// Puts the tiles that wait in their places, and says how many did.
    fn take_places(&self, journal: &Journal<'_>, staged: Journal<'_>, aside: &[Aside]) -> Result<u64, PublishError> {
        let sheets = self.sheets;
        let tiles = sheets.all().zip(aside).flat_map(|(sheet, aside)| aside.iter().map(move |tile| (sheet, tile)));
        let files = tiles.map(|(sheet, (&tile, _))| {
            let path = sheets.file(sheet, tile);
            (Output::staged(&path, sheets.naming(sheet)), path)
        });
        journal.publish(self.output, staged, files)?;
        Ok(aside.iter().flat_map(Aside::values).filter(|&&itself| itself).count() as u64)
    }

    /// Whether the user wants the run to end, and it can: what has begun to appear all at once goes on to.
    fn is_stopped(&self) -> bool {
        self.stop.requested() && !self.sheets.are_staged()
    }

    /// Keeps the earlier manifest of a sheet where tiles of it are to go, and moves to their places those that come under
    /// other names. Returns how many are gone by that.
    fn give_way(
        &self,
        sheet: Sheet,
        standing: &BTreeMap<TilePos, TileRecord>,
        some_go: bool,
    ) -> Result<u64, PublishError> {
        let (folder, naming) = (self.sheets.path(sheet), self.sheets.naming(sheet));
        match self.sheets.replaced(sheet) {
            Some(old) => self.output.replace(&folder, old, naming, standing),
            None if some_go => self.output.keep_earlier(&folder, naming).map(|()| 0),
            None => Ok(0),
        }
    }

    /// Removes what none of the manifests names that were just written: tiles that are no longer part of the map or whose
    /// place others took under other names, what runs left of such that were killed, and folders in which nothing is left.
    /// Says whether that came to its end.
    fn remove_gone(
        &self,
        journal: &Journal<'_>,
        manifests: &[Manifest],
        published: &mut Published,
    ) -> Result<bool, PublishError> {
        let Self { sheets, output, .. } = self;
        for (sheet, Manifest { tiles }) in sheets.all().zip(manifests) {
            let (folder, naming) = (sheets.path(sheet), sheets.naming(sheet));
            if !output.remove_replaced(&folder, naming, tiles, &mut published.removed, || self.is_stopped())? {
                return Ok(false);
            }
            for tile in journal.left_behind(sheets.number(sheet))? {
                if self.is_stopped() {
                    return Ok(false);
                }
                published.removed += u64::from(self.remove_left_behind(sheet, tile, tiles)?);
            }
            let column = |tile: TilePos| TilePos { y: i32::MIN, ..tile }..=TilePos { y: i32::MAX, ..tile };
            let stands = |tile| tiles.range(column(tile)).next().is_some();
            output.remove_empty_columns(&folder, naming.scheme, stands);
        }
        output.remove_empty_replaced();
        Ok(true)
    }

    /// Removes what runs wrote of a tile that were killed before they had a manifest, under names that none of those has
    /// that stand. Says whether the folder has a tile less.
    fn remove_left_behind(
        &self,
        sheet: Sheet,
        tile: TilePos,
        standing: &BTreeMap<TilePos, TileRecord>,
    ) -> Result<bool, PublishError> {
        let mut was_there = false;
        for name in self.sheets.earlier_names(sheet, tile, |tile| standing.contains_key(&tile)) {
            was_there |= self.output.remove(&self.sheets.path_of(sheet, &name))?;
        }
        Ok(was_there && !standing.contains_key(&tile))
    }

    /// Notes the tiles that the earlier manifest does not name as they are now, if that is to be told. What runs wrote that
    /// were killed is noted already, but not where the state folder was deleted since, or power was cut at that moment.
    fn note_since_manifest(&self, sheet: Sheet, now: &BTreeMap<TilePos, TileRecord>) -> Result<(), PublishError> {
        let Self { sheets, output, .. } = self;
        // What takes the place of others is noted when it does.
        if !self.settings.list_files || sheets.replaced(sheet).is_some() {
            return Ok(());
        }
        let earlier = output.manifest(&manifest_path(sheets, sheet), sheets.naming(sheet).scheme)?;
        // What cannot be read of it is noted without need.
        let earlier: BTreeMap<TilePos, TileRecord> = earlier.into_iter().flatten().map_while(Result::ok).collect();
        let is_named = |tile, record: &TileRecord| earlier.get(tile).is_some_and(|named| named.file == record.file);
        let mut changed = now.iter().filter(|(tile, record)| !is_named(tile, record));
        changed.try_for_each(|(&tile, _)| output.note(&sheets.file(sheet, tile)))
    }

    /// Writes the viewer, `map.json` and manifests. In this order: a manifest that stands has the numbers of the scheme that
    /// `map.json` names, so one of another scheme goes before.
    fn write_facts(&self, manifests: &[Manifest], shown: &[ShownNames]) -> Result<(), PublishError> {
        let Self { world, plan, sheets, output, .. } = self;
        let mut map = MapFile::new(world.name());
        let mut tilejsons = Vec::new();
        for (index, dimension) in plan.dimensions.iter().enumerate() {
            let mut layers = Vec::new();
            for sheet in sheets.of(index) {
                let number = sheets.number(sheet);
                let facts = layer_facts(plan, sheets, sheet, &manifests[number], &shown[number]);
                let name = format!("{}, {}, {}", world.name(), title(&dimension.id), facts.id);
                tilejsons.push(facts.tilejson(&name));
                layers.push(facts);
            }
            map.dimensions.push(dimension_facts(world, dimension, layers));
        }
        if let Some(earlier) = output.facts()? {
            map.keep(earlier);
        }
        // Those that this program does not know come last.
        map.settle(|id| Layer::ALL.iter().position(|layer| layer.name() == id).unwrap_or(Layer::ALL.len()));
        for (path, bytes) in viewer::files() {
            output.put(path, &bytes)?;
        }
        output.put(MapFile::SCRIPT, map.script().as_bytes())?;
        for sheet in sheets.all().filter(|&sheet| sheets.replaced(sheet).is_some()) {
            output.remove(&manifest_path(sheets, sheet))?;
        }
        output.put(MapFile::FILE, map.json().as_bytes())?;
        for ((sheet, manifest), tilejson) in sheets.all().zip(manifests).zip(tilejsons) {
            let path = sheets.path_of(sheet, LayerFacts::TILEJSON);
            match tilejson {
                Some(text) => drop(output.put(&path, text.as_bytes())?),
                None => drop(output.remove(&path)?),
            }
            let (path, scheme) = (manifest_path(sheets, sheet), sheets.naming(sheet).scheme);
            output.put_written(&path, |out| manifest.write(scheme, out))?;
        }
        Ok(())
    }

    /// What is not as it should be where this run drew nothing: what must not be shown may be seen there all the same, and
    /// what an interrupted run has left stays so.
    fn doubts(&self, tally: &Tally, closed: bool) -> Vec<String> {
        let Settings { hide, min_inhabited, .. } = self.settings;
        let mut doubts: Vec<String> = hides_nothing(self.plan, self.settings, tally, closed).into_iter().collect();
        let drawn: Vec<String> = self.sheets.all().map(|sheet| self.sheets.path(sheet)).collect();
        let earlier = self.output.facts().ok().flatten().into_iter().flat_map(|map| map.dimensions);
        let layers = earlier.flat_map(|dimension| dimension.layers).map(|layer| layer.path);
        let others: Vec<String> = layers.filter(|path| !drawn.contains(path)).collect();
        let has_none = |path: &&String| matches!(self.output.standing(&in_folder(path, Manifest::FILE)), Ok(None));
        doubts.extend(others.iter().filter(has_none).map(|path| {
            format!("{path} has no manifest, as a run leaves it that is killed while its tiles change: draw it again")
        }));
        let hides = !hide.is_empty() || *min_inhabited > 0;
        if hides && !others.is_empty() {
            doubts.push(format!(
                "what is hidden may still be seen where this run drew nothing: draw {} with the same options",
                others.join(", ")
            ));
        }
        doubts
    }
}

/// Keeps how a map is drawn, for whoever wants to draw the same again.
pub(super) fn keep_call(output: &Output, sheets: &Sheets, settings: &Settings) -> Result<(), PublishError> {
    let layers = sheets.all().map(|sheet| sheets.path(sheet)).collect();
    output.keep_call(layers, settings.call.as_deref())
}

/// What to say where what must not be shown is nowhere.
pub(super) fn hides_nothing(plan: &Plan, settings: &Settings, tally: &Tally, closed: bool) -> Option<String> {
    let regions = plan.dimensions.iter().any(|dimension| dimension.hidden > 0);
    let nothing = closed && !settings.hide.is_empty() && !regions && tally.chunks.hidden == 0;
    nothing.then(|| "--hide hides nothing of what is drawn: give blocks, first x and then z".to_owned())
}

/// What a map says of a sheet with the tiles of `manifest`; the names of what is on them are `shown`.
pub(super) fn layer_facts(
    plan: &Plan,
    sheets: &Sheets,
    sheet: Sheet,
    manifest: &Manifest,
    shown: &ShownNames,
) -> LayerFacts {
    let (layer, min_zoom) = (sheets.layer(sheet), plan.dimensions[sheet.dimension].pyramid.min_zoom());
    let numbers = layer.number_of_zero().map(|zero| Numbers { bits: 16, nothing: 0, offset: -zero });
    let facts = LayerFacts::new(layer.name(), sheets.path(sheet), sheets.naming(sheet), LOOK, min_zoom, manifest);
    LayerFacts { numbers, legend: legend_of(layer, shown), overlay: layer.is_overlay(), ..facts }
}

/// What a map says of a dimension with these layers.
pub(super) fn dimension_facts(world: &World, dimension: &DimensionPlan, layers: Vec<LayerFacts>) -> Facts {
    let spawn = world.level.spawn.as_ref().filter(|(id, _)| *id == dimension.id).map(|(_, spawn)| *spawn);
    let (id, path, name) = (dimension.id.clone(), dimension.path.clone(), title(&dimension.id));
    Facts { id, path, name, spawn, layers }
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
