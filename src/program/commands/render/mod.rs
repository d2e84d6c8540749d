//! Runs `pixelmap render`: decides between an import, several named maps and the maps of one world,
//! and reports every failure before any drawing as well. The actual work is in the modules below.

mod check;
mod draw;
mod dry_run;
mod import;
mod named_maps;
mod settings;

use std::ffi::OsString;

use pixelmap::world::World;

use self::settings::prepare;
use super::nice::be_nice;
use super::open_for;
use super::runner::{Runner, report_target};
use super::side_files::SideFiles;
use super::signals::Signals;
use crate::cli::config::{self, ConfigError};
use crate::cli::{MapRequest, RenderArgs};
use crate::log::Log;
use crate::outcome::{Ending, NOT_NOW, OK, USAGE, document, end_unbegun, print, refuse};

/// Draws a world, or the worlds that a configuration file names. Returns the exit code; the message
/// about a failure has been written by then.
pub(super) fn run(args: RenderArgs) -> u8 {
    let argv: Vec<OsString> = std::env::args_os().collect();
    let maps = match config::maps(&args, &argv) {
        Ok(maps) => maps.unwrap_or_else(|| vec![vec![MapRequest::new(args)]]),
        Err(error) => return refuse_config(&MapRequest::new(args), error),
    };

    let Some((first, request)) = maps.first().and_then(|first| Some((first, first.first()?)))
    else {
        return OK;
    };

    let log = Log::for_render(&request.args);
    be_nice(&request.args.workers, log.without_name());
    log.install_panic_hook();

    if request.args.from.is_some() {
        return import::run(request, log);
    }
    if request.args.name().is_some() {
        return named_maps::run(&maps, log.without_name());
    }

    let path = request.args.world.clone().unwrap_or_default();
    let world = open_for(request, &path, log).map_err(|ending| import::with_hint(ending, &path));
    let folders = world
        .as_ref()
        .map_or_else(|_| vec![path], |world| world.folders.clone());
    if let Err(ending) = SideFiles::for_render(request).begin(&folders) {
        return end_unbegun(log, &ending);
    }

    render(first, world, log, &Signals::install(), None)
}

/// Writes the reason why a configuration file cannot be used. Returns the exit code.
fn refuse_config(request: &MapRequest, error: ConfigError) -> u8 {
    let log = Log::for_render(&request.args).without_name();
    let ending = Ending::new(if error.retryable { NOT_NOW } else { USAGE }, error.message);
    match SideFiles::for_render(request).begin(&[]) {
        Ok(()) => refuse(log, &report_target(&request.args), &ending),
        Err(other) => end_unbegun(log, &other),
    }
}

/// Draws the maps of one folder, or makes a dry run. Returns the exit code; the message about a
/// failure has been written by then. `lists` receives the folder if the lists are written later for
/// several folders together.
fn render(
    maps: &[MapRequest],
    world: Result<World, Ending>,
    log: Log<'_>,
    signals: &Signals,
    lists: Option<&mut named_maps::SharedLists>,
) -> u8 {
    let Some(run) = maps.first().map(|map| &map.args) else {
        return OK;
    };

    let runner = Runner::for_render(run, log, signals);
    let drawn = world
        .and_then(|world| prepare(maps, world))
        .and_then(|prepared| {
            if run.dry_run {
                dry_run::dry_run(run, &prepared, signals)
            } else {
                draw::draw(&runner, run, &prepared, lists)
            }
        });

    drawn.unwrap_or_else(|ending| {
        if run.json {
            // Only dry runs have `--json`. If standard output cannot be written, the message has to
            // be enough.
            let _ = print(document::refusal(run.name(), &ending).as_bytes());
        }
        runner.refuse(&ending)
    })
}
