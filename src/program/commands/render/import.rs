//! Runs `pixelmap render --from`: makes a map from the pictures that a map mod saved while players explored. Such a
//! run does not read a world, it only combines pictures.

use std::path::{Path, PathBuf};

use pixelmap::draw::{self, ImportedMap, Mode, Settings};
use pixelmap::import::Explored;
use pixelmap::page::PageTexts;
use pixelmap::schedule::Pin;
use pixelmap::store::Output;

use super::draw::wanted_digest;
use super::report_target;
use crate::cli::{MapRequest, RenderArgs};
use crate::commands::drawing_threads;
use crate::commands::side_files::{SideFiles, put_changes};
use crate::commands::signals::Signals;
use crate::log::Log;
use crate::outcome::{Ending, RunResult, USAGE, end_run, end_unbegun, exit_code, join, refuse};
use crate::progress;

/// Makes the map. Returns the exit code; the message about a failure has been written by then.
pub(super) fn run(request: &MapRequest) -> u8 {
    let args = &request.args;
    let log = Log::for_render(args);
    log.take_panics();
    let folders: Vec<PathBuf> = args.world.iter().chain(&args.more_folders).cloned().collect();
    if let Err(ending) = SideFiles::for_render(request).begin(&folders) {
        return end_unbegun(log, &ending);
    }
    let drawn = settings(request).and_then(|settings| import(args, &folders, &settings));
    drawn.unwrap_or_else(|ending| refuse(log, &report_target(args), &ending))
}

/// Adds a hint to the error about a folder that is not a world, if it is a folder of a map mod.
pub(super) fn with_hint(ending: Ending, folder: &Path) -> Ending {
    if Explored::read(&[folder.to_owned()], &[], draw::RESERVED_NAMES).is_err() {
        return ending;
    }
    let folder = folder.display();
    Ending::new(
        ending.code,
        format!("{folder} is a folder of JourneyMap: draw it with pixelmap render --from journeymap {folder}"),
    )
}

fn settings(request: &MapRequest) -> Result<Settings, Ending> {
    let args = &request.args;
    let target = request.target.as_ref().map_err(|error| Ending::new(USAGE, error))?;
    if target.mode != Mode::Map {
        let message = "--from makes a map in a folder: name one with -o, and make other files from it with pixelmap \
                       export";
        return Err(Ending::new(USAGE, message));
    }
    let markers = args.drawn.markers.imported_selection().map_err(|message| Ending::new(USAGE, message))?;
    let mut settings = Settings::new(Mode::Map, target.output.clone());
    settings.request.markers = markers;
    settings.request.own_markers.clone_from(&args.drawn.markers.markers);
    settings.output.naming = args.tiles.naming();
    settings.output.page = PageTexts {
        title: args.picture.title.clone(),
        description: args.page.description.clone(),
        url: args.page.url.clone(),
    };
    settings.output.moment = args.moment.settings();
    settings.run.threads = drawing_threads(&args.workers);
    settings.run.max_batch = args.max_batch;
    settings.run.pin = if args.workers.nice && args.pin == Pin::Auto { Pin::None } else { args.pin };
    settings.run.max_removed = args.max_removed;
    settings.run.staged = args.staged.then(|| args.thresholds());
    settings.run.force = args.force;
    Ok(settings)
}

fn import(args: &RenderArgs, folders: &[PathBuf], settings: &Settings) -> Result<u8, Ending> {
    let log = Log::for_render(args);
    let signals = Signals::take();
    let explored = Explored::read(folders, &args.drawn.dimension, draw::RESERVED_NAMES)?;
    log.heading();
    let counters = draw::Progress::default();
    let wants_lists = args.run_output.files.are_wanted();
    let begin = |output: &Output| if wants_lists { output.begin_listing().map(drop) } else { Ok(()) };
    let make = || draw::import(&explored, settings, begin, &counters, signals.stop());
    let ImportedMap { reports, output } = progress::show(args.run_output.progress, log, &counters, make)?;
    let mut report = join(reports);
    let target = report_target(args);
    report.world.path.clone_from(&target.world);
    log.map(&report, &format!("open {}", settings.output.path.join("index.html").display()));
    if wants_lists {
        put_changes(&args.run_output.files, &[output])?;
    }
    let result = RunResult {
        code: exit_code(&args.thresholds(), &report, signals.code()),
        output: Some(settings.output.path.display().to_string()),
        digest: wanted_digest(args, settings, &report, None),
        violations: args.thresholds().violations(&(&report).into()),
        report,
    };
    end_run(log, &target, &result)
}
