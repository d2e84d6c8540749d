//! A render: from what it is asked for to its report.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use super::account::Drawn;
use super::colours::{Chosen, ColourError};
use super::descriptors;
use super::drawing::{Drawing, failure_of};
use super::exported::{Exported, draw_exported};
use super::finish::{self, DrawnMap};
use super::hiding::{self, Emptied, HideError};
use super::map::{Job, Map, jobs};
use super::progress::Progress;
use super::removals::Removals;
use super::settings::Settings;
use super::sheet::{Sheet, Sheets};
use super::unchanged::{History, keys};
use crate::export::PictureError;
use crate::hide::Hidden;
use crate::layer::{Layer, Slimes};
use crate::palette::Palette;
use crate::plan::{Plan, PlanError, Request, plan};
use crate::publish::{Content, Identity, Output, PublishError};
use crate::report::{Limit, Report};
use crate::schedule::{self, Stop, Summary};
use crate::world::{Kinds, NoSeed, World};

/// Why nothing was drawn.
#[derive(Debug)]
pub enum RenderError {
    /// The colours that were asked for cannot be had.
    Colours(ColourError),
    /// It cannot be told what must not be shown.
    Hide(HideError),
    /// No map was asked for.
    NoMap,
    /// The request does not fit the world.
    Plan(PlanError),
    /// A layer needs the seed.
    Seed(Layer, NoSeed),
    /// The picture that was asked for cannot be made.
    Picture(PictureError),
    /// The output folder, or the picture's file, cannot be used.
    Output(PublishError),
    /// The run would remove too many tiles: how many of how many, and the limit.
    TooManyRemoved(u64, u64, Limit),
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMap => f.write_str("no map is asked for"),
            Self::Colours(error) => error.fmt(f),
            Self::Hide(error) => error.fmt(f),
            Self::Plan(error) => error.fmt(f),
            Self::Picture(error) => error.fmt(f),
            Self::Seed(layer, error) => write!(
                f,
                "layer {} needs the world's seed, and {error}: give the world's own folder, or leave the layer out",
                layer.name()
            ),
            Self::Output(error) => error.fmt(f),
            Self::TooManyRemoved(count, total, limit) => write!(
                f,
                "{count} of the {total} tiles that this map had would be removed, more than {limit}, and nothing was \
                 removed: check that the world is all there, or allow it with --max-removed 100%"
            ),
        }
    }
}

impl std::error::Error for RenderError {}

impl RenderError {
    /// Whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        match self {
            Self::Output(error) => error.retryable(),
            Self::Seed(_, error) => error.retryable(),
            Self::Hide(error) => error.retryable(),
            Self::Colours(error) => error.retryable(),
            Self::NoMap | Self::Plan(_) | Self::Picture(_) | Self::TooManyRemoved(..) => false,
        }
    }
}

/// Draws a map of a world and exports it: to one picture, an archive, or regions.
///
/// What goes wrong while it is drawn is in the report; its outcome says how the run ended.
///
/// # Errors
/// Nothing was drawn: the colours cannot be had, it cannot be told what must not be shown, the request does not fit the
/// world, or the output cannot be used.
pub fn render(world: &World, settings: &Settings, progress: &Progress, stop: &Stop) -> Result<Exported, RenderError> {
    draw_exported(world, settings, progress, stop)
}

/// A run that draws maps into one folder, which it holds.
#[derive(Debug)]
pub struct Run<'a> {
    world: &'a World,
    maps: Vec<(&'a Settings, Prepared)>,
    output: Output,
}

impl<'a> Run<'a> {
    /// Prepares maps of `world` that go into one folder, and takes hold of it.
    ///
    /// # Errors
    /// Nothing is drawn: the colours cannot be had, it cannot be told what must not be shown, a request does not fit the
    /// world, the folder cannot be used, or too many tiles would be removed.
    pub fn open(world: &'a World, maps: &'a [Settings]) -> Result<Self, RenderError> {
        let maps = maps.iter().map(|map| Ok((map, prepare(world, map)?))).collect::<Result<Vec<_>, RenderError>>()?;
        let Some((settings, first)) = maps.first() else { return Err(RenderError::NoMap) };
        let output = Output::open_for(Content::Map, settings.naming, &settings.output, &first.identity, &world.folders);
        let output = output.map_err(RenderError::Output)?;
        for (settings, prepared) in &maps {
            check_removals(&output, prepared, settings)?;
        }
        let is_hidden = |settings: &Settings| !settings.hide.is_empty() || settings.min_inhabited > 0;
        if !maps.iter().all(|(settings, _)| settings.is_staged() && !is_hidden(settings)) {
            // What an interrupted run has staged may be hidden now, or never take its place.
            output.clear_staged().map_err(RenderError::Output)?;
        }
        Ok(Self { world, maps, output })
    }

    /// Draws the map with this number, or as much of it as there is before `stop`.
    ///
    /// # Errors
    /// Nothing is drawn: what earlier runs recorded cannot be read.
    pub fn draw(&self, number: usize, progress: &Progress, stop: &Stop) -> Result<DrawnMap<'_>, RenderError> {
        self.draw_by(number, progress, stop, |map, jobs, how| schedule::run(&map, jobs, how, stop))
    }

    /// The same, with the jobs run by `run`.
    fn draw_by(
        &self,
        number: usize,
        progress: &Progress,
        stop: &Stop,
        run: impl FnOnce(&Map<'_>, schedule::Plan<Job>, &schedule::Settings) -> Summary,
    ) -> Result<DrawnMap<'_>, RenderError> {
        let start = Instant::now();
        let (settings, Prepared { wanted, threads, palette, notes, plan, slimes, .. }) = &self.maps[number];
        let sheets = Sheets::new(plan, settings, self.output.naming());
        let keys = keys(self.world, plan, &sheets, settings, palette, *slimes);
        let history = History::open(&self.output, keys.clone()).map_err(RenderError::Output)?;
        let names = super::names(self.world, palette);
        let drawing = Drawing::new(plan, settings, progress, (sheets, palette.clone(), names, *slimes), stop, *threads);
        let map = Map::new(drawing, &self.output, history, *threads);
        let mut summary = run(&map, jobs(plan), &settings.schedule(*threads));
        summary.warnings.extend(doubts(notes.iter().cloned(), plan, settings, (*wanted, *threads)));
        let (drawing, made, synced) = map.end();
        let (sheets, left) = drawing.end();
        let mut drawn = Drawn::of(plan, left, summary, stop, start);
        if let Err(error) = synced {
            drawn.failure.get_or_insert_with(|| failure_of(&error));
        }
        Ok(DrawnMap { settings, plan, sheets, keys, made, drawn })
    }

    /// Publishes maps that were drawn by one commit, if all of them are whole and as they were asked for, and reports
    /// each.
    pub fn publish(&self, maps: Vec<DrawnMap<'_>>, stop: &Stop) -> Vec<Report> {
        finish::publish(self.world, &self.output, maps, stop)
    }

    /// The folder, which this run holds.
    pub fn output(&self) -> &Output {
        &self.output
    }
}

/// The tiles that go as far as the plan alone shows it.
///
/// # Errors
/// Too many tiles would go, or the manifests cannot be read.
pub(super) fn check_removals(
    output: &Output,
    Prepared { plan, .. }: &Prepared,
    settings: &Settings,
) -> Result<Removals, RenderError> {
    // Facts that cannot be read are found before a tile is drawn.
    output.facts().map_err(RenderError::Output)?;
    let sheets = Sheets::new(plan, settings, output.naming());
    let stays = |sheet: Sheet, tile| plan.dimensions[sheet.dimension].pyramid.contains(tile);
    let removals = Removals::of(output, plan, &sheets, &Emptied::new(), stays).map_err(RenderError::Output)?;
    removals.check(settings.max_removed).map(|()| removals)
}

/// How many workers were wanted, and how many there may be.
fn workers(world: &World, settings: &Settings) -> (usize, usize) {
    let wanted = if settings.threads == 0 { schedule::available_threads() } else { settings.threads };
    // More than there are regions would have nothing to begin with; what is kept for each worker is bounded by this.
    let wanted = wanted.min(world.dimensions.iter().map(|dimension| dimension.regions.len()).sum());
    (wanted, descriptors::allow(wanted))
}

/// A warning where fewer workers were started than were wanted.
fn fewer_workers(wanted: usize, threads: usize) -> Option<String> {
    let says = || format!("{threads} workers instead of {wanted}: more open files are not allowed (ulimit -n)");
    (threads < wanted).then(says)
}

/// Where slimes come, if that is asked for and there is a dimension to show it of.
fn slimes_of(world: &World, plan: &Plan, settings: &Settings) -> Result<Option<Slimes>, RenderError> {
    let mut layers = settings.layers.iter().copied();
    let Some(layer) = layers.find(|&layer| layer.needs_seed() && has_dimension(plan, layer)) else { return Ok(None) };
    let seed = world.seed().map_err(|error| RenderError::Seed(layer, error))?;
    Ok(Some(Slimes::new(seed.number())))
}

fn has_dimension(plan: &Plan, layer: Layer) -> bool {
    plan.dimensions.iter().any(|dimension| layer.is_of(&dimension.id))
}

/// What to say of the layers that show nothing of any dimension that is drawn.
fn without_dimension(plan: &Plan, settings: &Settings) -> impl Iterator<Item = String> {
    let layers = settings.layers.iter().filter(|&&layer| !has_dimension(plan, layer));
    layers.map(|layer| format!("layer {} is of the overworld alone, which is not drawn: it is empty", layer.name()))
}

/// What there is to say of a run beside what its workers met, with the `notes` that were taken before.
pub(super) fn doubts(
    notes: impl IntoIterator<Item = String>,
    plan: &Plan,
    settings: &Settings,
    (wanted, threads): (usize, usize),
) -> impl Iterator<Item = String> {
    // No more workers than regions would have been started.
    let fewer = fewer_workers(wanted.min(plan.order.len()), threads);
    notes.into_iter().chain(without_dimension(plan, settings)).chain(fewer)
}

/// What a run needs before its output is touched.
#[derive(Debug)]
pub(super) struct Prepared {
    /// How many workers were wanted, and how many there may be.
    pub(super) wanted: usize,
    pub(super) threads: usize,
    pub(super) palette: Arc<Palette>,
    pub(super) kinds: Kinds,
    /// What there is to say of where colours come from.
    pub(super) notes: Vec<String>,
    pub(super) plan: Plan,
    pub(super) slimes: Option<Slimes>,
    pub(super) identity: Identity,
}

/// Plans what of `world` is to be drawn; nothing is written.
pub(super) fn prepare(world: &World, settings: &Settings) -> Result<Prepared, RenderError> {
    let (wanted, threads) = workers(world, settings);
    let hidden = hiding::read(&settings.hide).map_err(RenderError::Hide)?;
    let Chosen { palette, kinds, notes } = settings.colours.choose(world).map_err(RenderError::Colours)?;
    let plan = planned(world, settings, &kinds, hidden, threads)?;
    let slimes = slimes_of(world, &plan, settings)?;
    let path = world.folder.canonicalize().unwrap_or_else(|_| world.folder.clone());
    let spawn = world.level.spawn.as_ref().map(|(_, spawn)| *spawn);
    let identity = Identity { name: world.name(), spawn, path };
    let palette = Arc::new(palette);
    Ok(Prepared { wanted, threads, palette, kinds, notes, plan, slimes, identity })
}

/// Plans what is asked for, but for what is `hidden`.
pub(super) fn planned(
    world: &World,
    settings: &Settings,
    kinds: &Kinds,
    hidden: Hidden,
    threads: usize,
) -> Result<Plan, RenderError> {
    let request = Request { dimensions: settings.dimensions.clone(), area: settings.area, hidden };
    let mut plan = plan(world, kinds, request, threads).map_err(RenderError::Plan)?;
    if let Some(levels) = settings.mode.outer_levels() {
        plan.keep_levels(levels);
    }
    Ok(plan)
}

#[cfg(test)]
mod kill_tests;
#[cfg(test)]
mod tests;
