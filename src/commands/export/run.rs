//! Checks the output of an export, makes it, and prints the result.

use std::io::{self, Write as _};
use std::time::Duration;

use pixelmap_map::atlas::FinishedMap;
use pixelmap_map::export::{self, ExportError, Pieces, TimelapseKind};
use pixelmap_map::store::check_file;

#[cfg(feature = "object-store")]
use super::bucket;
use super::map_mod;
use super::state::Export;
use super::timelapse;
use crate::cli::{ExportArgs, ExportTarget, path_to_open};
use crate::commands::signals::Signals;
use crate::commands::worker_count::worker_count;
use crate::outcome::{Ending, OK, USAGE};
use crate::progress;
use crate::summary::{escape_name, human_count};

/// Makes the requested output from a map. Returns the exit code.
pub(crate) fn run(args: &ExportArgs) -> Result<u8, Ending> {
    let target = args.target().map_err(|error| Ending::new(USAGE, error))?;
    let map = export::open_map(&args.map)?;
    #[cfg(feature = "object-store")]
    if let ExportTarget::Bucket(address) = &target {
        return bucket::put(args, &map, address);
    }

    check_output(args, &target, &map)?;
    let signals = Signals::install();
    let export = Export {
        args,
        map: &map,
        signals: &signals,
        threads: worker_count(args.threads),
        pieces: Pieces::default(),
    };

    let is_stopped = || export.is_stopped();
    let text = progress::show_pieces(&export.pieces, args.quiet, piece_amount, || match &target {
        ExportTarget::Timelapse(options) => {
            timelapse::make(args, &map, options, &export.workers(&is_stopped))
        }
        ExportTarget::Journeymap(options) => {
            map_mod::fill_journeymap(args, &map, options, &export.workers(&is_stopped))
        }
        ExportTarget::Squaremap => {
            map_mod::make_squaremap(args, &map, &export.workers(&is_stopped))
        }
        ExportTarget::XaeroWaypoints(options) => {
            map_mod::put_xaero_waypoints(args, &map, options).map(Some)
        }
        target => export.newest(target),
    })?;

    let Some(text) = text else {
        return Err(Ending::new(
            signals.code(),
            "interrupted: run the same command again",
        ));
    };

    if !args.quiet {
        let text = format!("{text}{}", next_step(args, &target));
        let _ = io::stderr().write_all(text.as_bytes());
    }

    Ok(OK)
}

/// Returns the line about the next step for the user.
fn next_step(args: &ExportArgs, target: &ExportTarget) -> String {
    let path = path_to_open(target, &args.output).display().to_string();
    let path = escape_name(&path);
    match target {
        ExportTarget::XaeroWaypoints(options) if options.dry_run => String::new(),
        ExportTarget::XaeroWaypoints(_) => format!(
            "close the game, copy the contents of {path} into .minecraft/xaero/minimap, and choose \
             the set pixelmap in the game's list of waypoints\n"
        ),
        _ => format!("open {path}\n"),
    }
}

/// Returns the text about finished pieces.
fn piece_amount(done: u64, all: u64, _: Duration) -> String {
    format!("{} of {}", human_count(done), human_count(all))
}

/// Fails if the output would overwrite the map, or is a folder or a device although it must become
/// a file.
fn check_output(
    args: &ExportArgs,
    target: &ExportTarget,
    map: &FinishedMap,
) -> Result<(), ExportError> {
    let is_folder = match target {
        ExportTarget::Regions { .. }
        | ExportTarget::Journeymap(_)
        | ExportTarget::Squaremap
        | ExportTarget::XaeroWaypoints(_) => true,
        ExportTarget::Timelapse(options) => options.kind == TimelapseKind::Frames,
        _ => false,
    };

    export::check_outside(map, &args.output, is_folder)?;

    if !is_folder {
        check_file(&args.output)?;
        if *target == ExportTarget::Archive {
            export::check_outside(map, &path_to_open(target, &args.output), false)?;
        }
    }

    Ok(())
}
