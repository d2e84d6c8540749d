//! Decides what kind of run the arguments request.

use pixelmap_draw::import::MapSource;
use pixelmap_world::internal::World;

use super::import;
use super::map_mod;
use super::named_maps;
use super::one_folder::render;
use super::settings::early_settings;
use crate::cli::config::{self, ConfigError};
use crate::cli::{CommandLine, RenderArgs, RenderRequest, typed_column_option};
use crate::commands::draw_place::DrawPlace;
use crate::commands::nice::be_nice;
use crate::commands::runner::report_target;
use crate::commands::side_files::SideFiles;
use crate::commands::signals::Signals;
use crate::commands::worlds::open_for;
use crate::log::Log;
use crate::outcome::{Ending, NOT_NOW, OK, USAGE, end_unbegun, refuse};

/// Draws a world, or the worlds that a configuration file names. Returns the exit code; the message
/// about a failure has been written by then.
pub(crate) fn run(args: RenderArgs, line: &CommandLine) -> u8 {
    let maps = match config::maps(&args, &line.words) {
        Ok(maps) => maps.unwrap_or_else(|| vec![vec![RenderRequest::new(args)]]),
        Err(error) => return refuse_config(&RenderRequest::new(args), error),
    };

    let Some(request) = maps.first().and_then(|first| first.first()) else {
        return OK;
    };

    let log = Log::for_render(&request.args);
    be_nice(&request.args.workers, log.without_name());
    log.install_panic_hook();
    for warning in &line.warnings {
        log.without_name().warning(warning);
    }

    if request.args.target.target.is_some() {
        return map_mod::run(&request.args, line, log);
    }
    if request.args.from == Some(MapSource::Pictures) {
        return match typed_column_option(&line.words) {
            Some(option) => refuse_option(request, &option, log),
            None => import::run(request, log),
        };
    }
    if request.args.name().is_some() {
        return named_maps::run(&maps, log.without_name());
    }

    let signals = Signals::install();
    let opened = DrawPlace::for_render(request, &signals);
    let place = opened.as_ref().unwrap_or(&DrawPlace::Output);
    let maps: Vec<RenderRequest> = maps
        .into_iter()
        .next()
        .into_iter()
        .flatten()
        .map(|request| place.redirect(request))
        .collect();
    draw(&maps, opened, &signals)
}

/// Draws the maps of one world at a place, which may have failed to open.
fn draw(maps: &[RenderRequest], opened: Result<DrawPlace, Ending>, signals: &Signals) -> u8 {
    let Some(request) = maps.first() else {
        return OK;
    };

    let log = Log::for_render(&request.args);
    let path = request.args.world.clone().unwrap_or_default();
    let (place, world) = match opened {
        Ok(place) => {
            let early = |world: &World| early_settings(maps, world);
            let world = open_for(request, maps, &path, log, Some(signals), early);
            (
                place,
                world.map_err(|ending| import::with_hint(ending, &path)),
            )
        }
        Err(ending) => (DrawPlace::Output, Err(ending)),
    };

    let folders = world.as_ref().map_or_else(
        |_| [&[path], request.args.more_folders.as_slice()].concat(),
        |opened| opened.world.folders.clone(),
    );
    if let Err(ending) = SideFiles::for_render(request).begin(&folders) {
        return end_unbegun(log, &ending);
    }

    render(maps, world, log, signals, (&place, None))
}

/// Writes the reason why an option cannot be used with pictures. Returns the exit code.
fn refuse_option(request: &RenderRequest, option: &str, log: Log<'_>) -> u8 {
    let message = format!(
        "--{option} needs blocks, but JourneyMap stores only pictures: leave --{option} out"
    );
    let ending = Ending::new(USAGE, message);
    match SideFiles::for_render(request).begin(&[]) {
        Ok(()) => refuse(log, &report_target(&request.args), &ending),
        Err(other) => end_unbegun(log, &other),
    }
}

/// Writes the reason why a configuration file cannot be used. Returns the exit code.
fn refuse_config(request: &RenderRequest, error: ConfigError) -> u8 {
    let log = Log::for_render(&request.args).without_name();
    let ending = Ending::new(if error.retryable { NOT_NOW } else { USAGE }, error.message);
    match SideFiles::for_render(request).begin(&[]) {
        Ok(()) => refuse(log, &report_target(&request.args), &ending),
        Err(other) => end_unbegun(log, &other),
    }
}
