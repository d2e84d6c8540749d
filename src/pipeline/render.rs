//! A render: from what it is asked for to its report.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use super::account::Drawn;
use super::close;
use super::colours::{Chosen, ColourError};
use super::descriptors;
use super::drawing::Drawing;
use super::exported::draw_exported;
use super::hiding::{self, Emptied, HideError};
use super::known::Known;
use super::map::{Job, Map, jobs};
use super::progress::Progress;
use super::removals::Stale;
use super::settings::{Mode, Settings};
use super::sheet::{Sheet, Sheets};
use crate::export::PictureError;
use crate::hide::Hidden;
use crate::layer::{Layer, Slimes};
use crate::palette::Palette;
use crate::plan::{Plan, PlanError, Request, plan};
use crate::publish::{Identity, Output, PublishError};
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
    /// The request does not fit the world.
    Plan(PlanError),
    /// A layer needs the seed.
    Seed(NoSeed),
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
            Self::Colours(error) => error.fmt(f),
            Self::Hide(error) => error.fmt(f),
            Self::Plan(error) => error.fmt(f),
            Self::Picture(error) => error.fmt(f),
            Self::Seed(error) => write!(
                f,
                "layer {} needs the world's seed, and {error}: give the world's own folder, or leave the layer out",
                Layer::Slime.name()
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
            Self::Seed(error) => error.retryable(),
            Self::Hide(error) => error.retryable(),
            Self::Colours(error) => error.retryable(),
            Self::Plan(_) | Self::Picture(_) | Self::TooManyRemoved(..) => false,
        }
    }
}

/// Draws a world: a map, an archive, regions, or one picture.
///
/// What goes wrong while it is drawn is in the report; its outcome says how the run ended.
///
/// # Errors
/// Nothing was drawn: the colours cannot be had, it cannot be told what must not be shown, the request does not fit the
/// world, or the output cannot be used.
pub fn render(world: &World, settings: &Settings, progress: &Progress, stop: &Stop) -> Result<Report, RenderError> {
    match settings.mode {
        Mode::Map => render_by(world, settings, progress, stop, |map, jobs, how| schedule::run(&map, jobs, how, stop)),
        Mode::Image(_) | Mode::Archive | Mode::Regions { .. } => draw_exported(world, settings, progress, stop),
    }
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
fn slimes_of(world: &World, plan: &Plan, settings: &Settings) -> Result<Option<Slimes>, NoSeed> {
    let is_shown = settings.layers.contains(&Layer::Slime) && has_dimension(plan, Layer::Slime);
    if is_shown { world.seed().map(|seed| Some(Slimes::new(seed.number()))) } else { Ok(None) }
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
    let slimes = slimes_of(world, &plan, settings).map_err(RenderError::Seed)?;
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

/// Draws a map of `world`, the jobs run by `run`.
fn render_by(
    world: &World,
    settings: &Settings,
    progress: &Progress,
    stop: &Stop,
    run: impl FnOnce(&Map<'_>, schedule::Plan<Job>, &schedule::Settings) -> Summary,
) -> Result<Report, RenderError> {
    let start = Instant::now();
    let Prepared { wanted, threads, palette, notes, plan, slimes, identity, .. } = prepare(world, settings)?;
    let output = Output::open(&settings.output, &identity, &world.folders).map_err(RenderError::Output)?;
    let mut sheets = Sheets::new(&plan, settings);
    sheets.stage(&output).map_err(RenderError::Output)?;
    // Where the plan alone shows that too many tiles would go, nothing is begun.
    let stays = |sheet: Sheet, tile| plan.dimensions[sheet.dimension].pyramid.contains(tile);
    let stale = Stale::of(&output, &plan, &sheets, &Emptied::new(), stays).map_err(RenderError::Output)?;
    stale.check(settings.max_removed)?;
    if settings.staged.is_none() {
        // Before anything is drawn: should the run be killed, what goes on from there does not show what it was to hide.
        close::keep_call(&output, &sheets, settings).map_err(RenderError::Output)?;
    }
    let known = Known::open(&output, world, &plan, &sheets, settings, &palette, slimes);
    let known = known.map_err(RenderError::Output)?;
    let names = super::names(world, &palette);
    let drawing = Drawing::new(&plan, settings, progress, (sheets, palette, names, slimes), stop, threads);
    let map = Map::new(drawing, &output, known, threads);
    let how = settings.schedule(threads);
    let mut summary = run(&map, jobs(&plan), &how);
    summary.warnings.extend(doubts(notes, &plan, settings, (wanted, threads)));
    let (drawing, journals, made) = map.end();
    let (sheets, left) = drawing.end();
    let drawn = Drawn::of(&plan, settings, left, summary, stop, start);
    let ended = close::Ended { world, plan: &plan, sheets: &sheets, settings, output: &output, stop };
    Ok(ended.close(journals, made, drawn))
}

#[cfg(test)]
mod tests;
