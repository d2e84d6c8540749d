//! Runs `pixelmap render --from`: makes a map from the pictures that a map mod saved while players
//! explored. Such a run does not read a world, it only combines pictures.

use std::path::{Path, PathBuf};

use pixelmap_draw::import::ExploredWorld;
use pixelmap_draw::{ImportedMap, Mode, Settings};
use pixelmap_map::store::Output;

use crate::cli::RenderRequest;
use crate::commands::runner::{MadeOutput, Runner};
use crate::commands::side_files::SideFiles;
use crate::commands::signals::Signals;
use crate::commands::world_place::check_folder;
use crate::log::Log;
use crate::outcome::{Ending, USAGE, end_unbegun, join};

/// Makes the map. Returns the exit code; the message about a failure has been written by then.
pub(super) fn run(request: &RenderRequest, log: Log<'_>) -> u8 {
    let args = &request.args;
    let folders: Vec<PathBuf> = args
        .world
        .iter()
        .chain(&args.more_folders)
        .cloned()
        .collect();
    let checked = folders.iter().try_for_each(|folder| check_folder(folder));
    if let Err(ending) = checked.and_then(|()| SideFiles::for_render(request).begin(&folders)) {
        return end_unbegun(log, &ending);
    }

    let signals = Signals::install();
    let runner = Runner::for_render(args, log, &signals);
    let drawn = settings(request)
        .and_then(|settings| import(&runner, &folders, &args.drawn.dimension, &settings));

    drawn.unwrap_or_else(|ending| runner.refuse(&ending))
}

/// Adds a hint to the error about a folder that is not a world, if it is a folder of a map mod.
pub(super) fn with_hint(ending: Ending, folder: &Path) -> Ending {
    if ExploredWorld::read(&[folder.to_owned()], &[], pixelmap_draw::RESERVED_NAMES).is_err() {
        return ending;
    }

    let folder = folder.display();
    Ending::new(
        ending.code,
        format!(
            "{folder} is a folder of JourneyMap: draw it with pixelmap render --from journeymap \
             {folder}"
        ),
    )
}

fn settings(request: &RenderRequest) -> Result<Settings, Ending> {
    let args = &request.args;
    let target = request
        .target
        .as_ref()
        .map_err(|error| Ending::new(USAGE, error))?;

    if target.mode != Mode::Map {
        let message = "--from makes a map in a folder: name one with -o, and make other files from \
                       it with pixelmap export";
        return Err(Ending::new(USAGE, message));
    }

    let markers = args
        .drawn
        .markers
        .imported_selection()
        .map_err(|message| Ending::new(USAGE, message))?;

    let shown = pixelmap_draw::MapRequest {
        markers,
        own: args.drawn.markers.own_paths(),
        ..pixelmap_draw::MapRequest::default()
    };

    target
        .settings(args, shown)
        .map_err(|why| Ending::new(USAGE, why))
}

fn import(
    runner: &Runner<'_>,
    folders: &[PathBuf],
    dimensions: &[String],
    settings: &Settings,
) -> Result<u8, Ending> {
    let explored = ExploredWorld::read(folders, dimensions, pixelmap_draw::RESERVED_NAMES)?;
    runner.log.heading();

    let counters = pixelmap_draw::Progress::default();
    let ImportedMap { reports, output } = runner.show(runner.log, &counters, || {
        pixelmap_draw::import(
            &explored,
            settings,
            |output: &Output| runner.begin_lists(output),
            &counters,
            runner.signals.stop(),
        )
    })?;
    let report = join(reports);

    let path = &settings.output.path;
    runner.log.map(
        &report,
        &format!("open {}", path.join("index.html").display()),
    );
    runner.put_lists(output)?;

    runner.end(MadeOutput {
        path,
        address: None,
        report,
        digest: None,
    })
}
