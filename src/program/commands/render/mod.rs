//! `pixelmap render`.

mod worlds;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use pixelmap::base::json::Named;
use pixelmap::compare::{self, Side};
use pixelmap::draw::report::{Failure, FailureKind, Outcome, Report, Thresholds, Verdict};
use pixelmap::draw::{self, Choices, Exported, Mode, RenderError, Settings, Unknown};
use pixelmap::page::PageTexts;
use pixelmap::schedule::{Pin, Stop};
use pixelmap::store::{ChangeLists, Output, PublishError};
use pixelmap::world::World;

use super::nice::be_nice;
use super::side_files::SideFiles;
use super::signals::Signals;
use super::{
    Ending, FAILED, GAPS, NOT_NOW, OK, USAGE, dimension, document, drawn, not_written, open, print, put_lists,
};
use crate::cli::{Deny, FileListArgs, RenderArgs, config, mode};
use crate::log::Log;
use crate::progress;
use crate::summary;

/// Draws a world, or the worlds that a configuration file names. Returns the exit code; the reason has been written by
/// then.
pub(super) fn run(args: RenderArgs) -> u8 {
    let argv: Vec<OsString> = std::env::args_os().collect();
    let typed = (Log::of(&args).unnamed(), SideFiles::of(&args), Asked::of(&args));
    let maps = match config::renders(args, &argv) {
        Ok(maps) => maps,
        Err(error) => {
            let ending = Ending::new(if error.retryable { NOT_NOW } else { USAGE }, error.message);
            let (log, files, asked) = typed;
            return files.begin(&[]).map_or_else(|other| not_begun(log, &other), |()| refused(log, asked, &ending));
        }
    };
    let Some((first, run)) = maps.first().and_then(|first| Some((first, first.first()?))) else { return OK };
    let log = Log::of(run);
    be_nice(&run.workers, log.unnamed());
    if run.name().is_some() {
        return worlds::run(&maps);
    }
    log.take_panics();
    let path = run.world.clone().unwrap_or_default();
    let world = open(&path);
    let folders = world.as_ref().map_or_else(|_| vec![path], |world| world.folders.clone());
    if let Err(ending) = SideFiles::of(run).begin(&folders) {
        return not_begun(log, &ending);
    }
    render(first, world, &Signals::take(), None)
}

/// Draws the maps of one folder, or tells what would be drawn. Returns the exit code; the reason has been written by
/// then. `together` takes the folder, for lists that are written later.
fn render(maps: &[RenderArgs], world: Result<World, Ending>, signals: &Signals, together: Option<&mut Together>) -> u8 {
    let Some(run) = maps.first() else { return OK };
    let drawn = world.and_then(|world| prepare(maps, world)).and_then(|prepared| {
        if run.dry_run { dry_run(run, &prepared, signals) } else { draw(maps, &prepared, signals, together) }
    });
    drawn.unwrap_or_else(|ending| {
        if run.json {
            // A dry run: where standard output cannot be written, the message is all there is.
            let _ = print(document::of_trouble(run.name(), &ending).as_bytes());
        }
        refused(Log::of(run), Asked::of(run), &ending)
    })
}

/// Folders whose changes come on the same lists, once all of them are drawn. The first lies around the others.
struct Together {
    folders: Vec<Output>,
    /// Lists of them were begun before this run: of a folder that was on none, every file is new.
    are_listed: bool,
}

/// The report that is asked for, and the world.
pub(super) struct Asked {
    pub(super) report: Option<PathBuf>,
    pub(super) world: Option<String>,
}

impl Asked {
    fn of(run: &RenderArgs) -> Self {
        let report = run.tell.report.clone().filter(|_| !run.dry_run);
        Self { report, world: run.world.as_ref().map(|path| path.display().to_string()) }
    }

    /// Writes as the report why nothing was drawn.
    fn write(self, Ending(code, message): &Ending) -> Result<(), Ending> {
        let mut failed = Report::failed(failure(message.clone(), *code));
        failed.world.path = self.world;
        self.report.map_or(Ok(()), |path| write_report(&path, &failed, *code, &Made::default()))
    }
}

/// Writes the reason why nothing was drawn, also as the report: a script that expects a report gets one then, too.
/// Returns the exit code.
pub(super) fn refused(log: Log<'_>, asked: Asked, ending: &Ending) -> u8 {
    asked.write(ending).map_or_else(|other| not_begun(log, &other), |()| not_begun(log, ending))
}

/// Writes the reason why nothing was drawn, and returns the exit code.
pub(super) fn not_begun(log: Log<'_>, ending: &Ending) -> u8 {
    let Ending(code, message) = ending;
    let failure = failure(message.clone(), *code);
    log.error(&failure);
    log.end(&Report::failed(failure), *code, None, None);
    *code
}

/// A world, and what is to be drawn of it.
struct Prepared {
    world: World,
    maps: Vec<Settings>,
}

/// Checks that maps can be drawn, as far as that can be checked without their output.
fn prepare(args: &[RenderArgs], world: World) -> Result<Prepared, Ending> {
    args.iter().try_for_each(|map| check(map, args.len()))?;
    let maps: Vec<Settings> = args.iter().map(|args| settings(args, &world)).collect::<Result<_, _>>()?;
    check_layers_apart(&maps, &world)?;
    Ok(Prepared { world, maps })
}

/// Draws what is asked for, writes the lists and the report, and returns the exit code; `together` as in [`render`].
fn draw(
    args: &[RenderArgs],
    prepared: &Prepared,
    signals: &Signals,
    together: Option<&mut Together>,
) -> Result<u8, Ending> {
    let (Some(run), Some(settings)) = (args.first(), prepared.maps.first()) else { return Ok(OK) };
    let log = Log::of(run);
    log.heading();
    let (mut report, digest) = match settings.mode {
        Mode::Map => (draw_maps(run, prepared, signals.stop(), together)?, None),
        Mode::Regions { .. } | Mode::Archive | Mode::Image => {
            draw_export(run, &prepared.world, settings, signals.stop())?
        }
    };
    let code = code(&run.thresholds(), &report, signals);
    let made = Made::of(run, settings, &report, digest);
    report.world.path = Asked::of(run).world;
    if let Some(path) = &run.tell.report {
        write_report(path, &report, code, &made)?;
    }
    match (&report.error, denied(run, &report)) {
        (Some(failure), _) => log.error(failure),
        (None, Some(message)) => log.error(&Failure { kind: FailureKind::Demands, message, retryable: false }),
        (None, None) => {}
    }
    log.end(&report, code, made.output.as_deref(), made.digest.as_deref());
    Ok(code)
}

/// What a run made.
#[derive(Default)]
pub(super) struct Made {
    pub(super) output: Option<String>,
    /// Of what stands there, where a report or the log in JSON tells it.
    pub(super) digest: Option<String>,
}

impl Made {
    /// What stands in the output of `settings`; `known` is its digest where drawing told it.
    fn of(run: &RenderArgs, settings: &Settings, report: &Report, known: Option<String>) -> Self {
        let is_told = run.tell.report.is_some() || Log::of(run).is_json();
        let is_whole =
            settings.shard.is_none() && matches!(report.outcome, Outcome::Complete | Outcome::Empty | Outcome::Gaps);
        let read = || {
            let side = Side::open(&settings.output).ok()?;
            // As many as drew: so many may have been asked for as no system has.
            compare::digest(&side, report.threads.max(1)).ok()?
        };
        Self {
            output: Some(settings.output.display().to_string()),
            digest: if is_told && is_whole { known.or_else(read) } else { None },
        }
    }
}

/// Draws a picture, an archive or regions; the digest is told where drawing knows it.
fn draw_export(
    run: &RenderArgs,
    world: &World,
    settings: &Settings,
    stop: &Stop,
) -> Result<(Report, Option<String>), Ending> {
    let (log, counters) = (Log::of(run), draw::Progress::default());
    let work = || draw::render(world, settings, &counters, stop);
    let drawn = progress::show(run.tell.progress, log, &counters, work);
    let Exported { report, regions, digest } = drawn.map_err(|error| Ending::new(refusal(&error), error))?;
    log.map(&report, &next(settings));
    if let Some(output) = regions.filter(|_| run.tell.files.are_wanted()) {
        put_changes(&run.tell.files, &[output])?;
    }
    Ok((report, digest))
}

/// Draws maps into one folder, writes the lists of what changed in it, and joins their reports. Without `--staged` each
/// map is published when it is drawn; else all of them together, if they are found good. A part is one of all maps.
fn draw_maps(
    run: &RenderArgs,
    Prepared { world, maps }: &Prepared,
    stop: &Stop,
    together: Option<&mut Together>,
) -> Result<Report, Ending> {
    let refused = |error: RenderError| Ending::new(refusal(&error), error);
    let folder = draw::Run::open(world, maps).map_err(refused)?;
    if run.tell.files.are_wanted() && !together.as_ref().is_some_and(|together| together.are_listed) {
        folder.output().begin_listing().map_err(unpublished)?;
    }
    let (mut reports, mut drawn) = (Vec::new(), Vec::new());
    for (number, settings) in maps.iter().enumerate() {
        let log = Log::of(run).of_map(number + 1, maps.len());
        let counters = draw::Progress::default();
        let map = progress::show(run.tell.progress, log, &counters, || folder.draw(number, &counters, stop));
        let map = map.map_err(refused)?;
        let is_last = number + 1 == maps.len() || !map.is_whole();
        drawn.push(map);
        if is_last || !run.staged && run.shard.is_none() {
            for report in folder.publish(std::mem::take(&mut drawn), stop) {
                let log = Log::of(run).of_map(reports.len() + 1, maps.len());
                log.map(&report, &next(settings));
                reports.push(report);
            }
        }
        if is_last || reports.iter().any(has_ended) {
            break;
        }
    }
    if run.tell.files.are_wanted() {
        match together {
            Some(together) => together.folders.push(folder.into_output()),
            None => put_changes(&run.tell.files, &[folder.into_output()])?,
        }
    }
    Ok(joined(reports))
}

/// Writes the lists of what changed in folders since they were last written, as paths in the first of them.
pub(super) fn put_changes(files: &FileListArgs, folders: &[Output]) -> Result<(), Ending> {
    let lists = ChangeLists::of(folders).map_err(unpublished)?;
    let is_taken = put_lists([(&files.changed_list, &lists.changed), (&files.deleted_list, &lists.deleted)])?;
    // A run that is killed before, or whose reader has gone away, leaves its changes to the lists of the next one.
    if is_taken { folders.iter().try_for_each(Output::mark_listed).map_err(unpublished) } else { Ok(()) }
}

/// The ending of a run whose folder cannot be read or written.
pub(super) fn unpublished(error: PublishError) -> Ending {
    Ending::new(if error.retryable() { NOT_NOW } else { FAILED }, error)
}

/// The message for a published map that does not meet the demands of the options; `None` also for gaps alone, which are
/// named one by one.
fn denied(run: &RenderArgs, report: &Report) -> Option<String> {
    let thresholds = run.thresholds();
    let gaps_alone = Thresholds { allow_gaps: thresholds.allow_gaps, ..Thresholds::default() };
    let is_more = thresholds.judge(report.into()) != gaps_alone.judge(report.into());
    is_more.then(|| thresholds.violations(report.into()))
}

/// Returns whether a map did not come to its end.
fn has_ended(report: &Report) -> bool {
    matches!(report.outcome, Outcome::Failed | Outcome::Interrupted)
}

/// The report of all maps of a run.
pub(super) fn joined(reports: Vec<Report>) -> Report {
    let joined = reports.into_iter().reduce(|mut all, next| {
        all.join(next);
        all
    });
    joined.unwrap_or_else(|| Report::failed(failure("no map is asked for".to_owned(), FAILED)))
}

/// Checks that the options of one map fit each other; `maps` is the number of maps.
fn check(args: &RenderArgs, maps: usize) -> Result<(), Ending> {
    let (mode, ..) = mode::of(args).map_err(|error| Ending::new(USAGE, error))?;
    if args.drawn.unknown == Unknown::Hide && args.deny.contains(&Deny::UnknownBlocks) {
        let message = "--deny unknown-blocks sees nothing of what --unknown hide hides: leave one of them out";
        return Err(Ending::new(USAGE, message));
    }
    let is_apart = args.shard.is_some() || args.shards.is_some();
    if is_apart && (mode != Mode::Map || args.name().is_some()) {
        return Err(Ending::new(USAGE, "shards are drawn of a map: name a folder with -o, and one map in a run"));
    }
    if args.shard.is_some() && (args.staged || args.tell.files.are_wanted()) {
        let message = "--staged and lists of changes are for whole maps: draw shards into a folder that nobody sees, \
                       and ask pixelmap merge for the lists";
        return Err(Ending::new(USAGE, message));
    }
    if maps > 1 && mode != Mode::Map {
        let message = "several maps go into one folder: leave --mode out, and name a folder with -o";
        return Err(Ending::new(USAGE, message));
    }
    Ok(())
}

/// No two maps of a run may draw the same layer of the same dimension: the later one would take the earlier one's
/// place.
fn check_layers_apart(maps: &[Settings], world: &World) -> Result<(), Ending> {
    let mut drawn = BTreeSet::new();
    for settings in maps {
        let everything = settings.dimensions.is_empty() || settings.dimensions.iter().any(|name| name == "all");
        let named = settings.dimensions.iter().filter_map(|name| world.dimension(name));
        let mut ids: BTreeSet<&str> = named.map(|dimension| dimension.id.as_str()).collect();
        if everything {
            ids.extend(world.dimensions.iter().map(|dimension| dimension.id.as_str()));
        }
        for (id, layer) in ids.into_iter().flat_map(|id| settings.layers.iter().map(move |layer| (id, layer.name()))) {
            if !drawn.insert((id, layer)) {
                let message = format!("two maps draw {id}/{layer}: give each a dimension or layer of its own");
                return Err(Ending::new(USAGE, message));
            }
        }
    }
    Ok(())
}

fn settings(args: &RenderArgs, world: &World) -> Result<Settings, Ending> {
    let (mode, output, picture) = mode::of(args).map_err(|error| Ending::new(USAGE, error))?;
    let drawn = drawn(&args.drawn, &args.workers, mode, output)?;
    Ok(Settings {
        picture,
        dimensions: dimensions(args, mode, world)?,
        naming: args.tiles.asked(),
        choices: Choices { contours: args.contours },
        area: args.place.area(),
        page: PageTexts {
            title: args.picture.title.clone(),
            description: args.page.description.clone(),
            url: args.page.url.clone(),
        },
        worlds: args.worlds.clone(),
        max_batch: args.max_batch,
        pin: if args.pin == Pin::Auto { drawn.pin } else { args.pin },
        max_removed: args.max_removed,
        staged: args.staged.then(|| args.thresholds()),
        shard: args.shard,
        force: args.force,
        check: args.check,
        ..drawn
    })
}

/// Writes what a render would do.
fn dry_run(run: &RenderArgs, Prepared { world, maps }: &Prepared, signals: &Signals) -> Result<u8, Ending> {
    if let Some(count) = run.shards {
        let shards = draw::divide(world, maps, count).map_err(|error| Ending::new(refusal(&error), error))?;
        let text = if run.json { document::of(OK, &shards)? } else { summary::shards(&shards) };
        return print(text.as_bytes()).map(|_| OK);
    }
    let dry = draw::dry_run(world, maps, signals.stop()).map_err(|error| Ending::new(refusal(&error), error))?;
    if signals.code() != OK {
        return Ok(signals.code());
    }
    let text =
        if run.json { document::of(OK, Named::new(run.name(), &dry))? } else { summary::dry_run(run.name(), &dry) };
    print(text.as_bytes()).map(|_| OK)
}

/// What a person does with the result.
fn next(Settings { mode, output, shard, .. }: &Settings) -> String {
    let open = match mode {
        Mode::Map => output.join("index.html"),
        Mode::Archive => output.with_extension("html"),
        Mode::Image | Mode::Regions { .. } => output.clone(),
    };
    match shard {
        Some(shard) => format!("shard {shard} is drawn; when all are: pixelmap merge -o {}", output.display()),
        None => format!("open {}", open.display()),
    }
}

/// The dimensions asked for; but for a map one, if none is named.
fn dimensions(args: &RenderArgs, mode: Mode, world: &World) -> Result<Vec<String>, Ending> {
    match (mode, args.drawn.dimension.as_slice()) {
        (Mode::Archive | Mode::Image | Mode::Regions { .. }, []) => Ok(vec![dimension(world, None)?.id.clone()]),
        (_, asked) => Ok(asked.to_vec()),
    }
}

/// The exit code of a render that drew nothing.
pub(super) fn refusal(error: &RenderError) -> u8 {
    match error {
        error if error.retryable() => NOT_NOW,
        RenderError::Output(PublishError::InsideWorld(_))
        | RenderError::Colours(_)
        | RenderError::Hide(_)
        | RenderError::Markers(_)
        | RenderError::Picture(_) => USAGE,
        _ => FAILED,
    }
}

fn failure(message: String, code: u8) -> Failure {
    let kind = if code == USAGE { FailureKind::Usage } else { FailureKind::NotBegun };
    Failure { kind, message, retryable: code == NOT_NOW }
}

pub(super) fn write_report(path: &Path, report: &Report, code: u8, made: &Made) -> Result<(), Ending> {
    let text = document::report(code, made.output.as_deref(), made.digest.as_deref(), report)?;
    if path == Path::new("-") {
        return print(text.as_bytes()).map(drop);
    }
    let file = std::fs::File::create(path).and_then(|mut file| file.write_all(text.as_bytes()));
    file.map_err(|error| not_written(path, &error))
}

/// The exit code of a run with this report.
pub(super) fn code(thresholds: &Thresholds, report: &Report, signals: &Signals) -> u8 {
    let verdict = || match thresholds.judge(report.into()) {
        Verdict::Good => OK,
        Verdict::Gaps => GAPS,
        Verdict::Failed => FAILED,
    };
    match report.outcome {
        Outcome::Interrupted => signals.code(),
        Outcome::Failed if report.error.as_ref().is_some_and(|failure| failure.retryable) => NOT_NOW,
        // The map itself is to blame, as it would be had it been published.
        Outcome::Failed if report.error.as_ref().is_some_and(|failure| failure.kind == FailureKind::HeldBack) => {
            verdict()
        }
        Outcome::Failed => FAILED,
        Outcome::Complete | Outcome::Empty | Outcome::Gaps => verdict(),
    }
}
