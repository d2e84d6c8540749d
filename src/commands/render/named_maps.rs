//! Draws maps with names one after another, each into the folder of its name, with the same result
//! as a run of its own.
//!
//! At the end it writes the page that leads to the first map, and one pair of lists of the files
//! that changed in all folders.

use std::path::{Path, PathBuf};

use pixelmap_map::store::Output;
use pixelmap_world::internal::World;

use super::one_folder::render;
use super::shared_lists::SharedLists;
use crate::cli::{RenderArgs, RenderRequest};
use crate::commands::draw_place::DrawPlace;
use crate::commands::runner::report_target;
use crate::commands::side_files::{SideFiles, put_changes};
use crate::commands::signals::Signals;
use crate::commands::worlds::{OpenedWorld, open_for};
use crate::log::Log;
use crate::outcome::{Ending, FAILED, GAPS, NOT_NOW, OK, USAGE, document, end_unbegun, print};

/// Exit codes in order of importance. The run ends with the first of these codes that any map has.
const WORST_FIRST: [u8; 6] = [130, 143, FAILED, NOT_NOW, USAGE, GAPS];
/// The message about a map that is not drawn after a signal.
const NOT_BEGUN: &str =
    "not begun, because the run was interrupted: run the same command again to continue";

/// Draws the maps of each name, or makes a dry run. If one map cannot be drawn, the others still
/// are. Returns the exit code; the message about a failure has been written by then.
pub(super) fn run(maps: &[Vec<RenderRequest>], log: Log<'_>) -> u8 {
    let requests: Vec<&RenderRequest> = maps.iter().filter_map(|maps| maps.first()).collect();
    let Some(run) = requests.first().map(|request| &request.args) else {
        return OK;
    };

    let root = run
        .output
        .as_deref()
        .and_then(Path::parent)
        .unwrap_or(Path::new(""));

    let paths: Vec<PathBuf> = requests
        .iter()
        .map(|request| request.args.world.clone().unwrap_or_default())
        .collect();
    let worlds: Vec<Result<OpenedWorld, Ending>> = paths
        .iter()
        .zip(maps.iter().zip(&requests))
        .map(|(path, (maps, request))| {
            // The worlds wait for each other, so none of them may hold decoded chunks.
            let early = |_: &World| None;
            open_for(
                request,
                maps,
                path,
                Log::for_render(&request.args),
                None,
                early,
            )
        })
        .collect();

    let folders: Vec<PathBuf> = worlds
        .iter()
        .zip(paths)
        .flat_map(|(world, path)| {
            world
                .as_ref()
                .map_or_else(|_| vec![path], |opened| opened.world.folders.clone())
        })
        .collect();
    if let Err(ending) = SideFiles::for_worlds(root, &requests).begin(&folders) {
        return end_unbegun(log, &ending);
    }

    let signals = Signals::install();
    let names: Vec<&str> = run.worlds.iter().map(|world| world.name.as_str()).collect();
    match begin(run, root, &names, &folders) {
        Ok(lists) => draw(run, maps.iter().zip(worlds), lists, log, &signals),
        Err(ending) => refuse_all(run, &requests, log, &ending),
    }
}

/// Locks the folder that contains all maps. A dry run only reads it.
fn begin(
    run: &RenderArgs,
    root: &Path,
    names: &[&str],
    folders: &[PathBuf],
) -> Result<SharedLists, Ending> {
    let front = if run.dry_run {
        Output::look_at_worlds(root, names, folders)
    } else {
        Output::open_worlds(root, names, folders)
    }?;

    let begins = run.run_output.files.are_wanted() && !run.dry_run;
    let are_begun = begins && front.begin_listing()?;
    Ok(SharedLists {
        folders: vec![front],
        are_begun,
    })
}

/// Writes the reason why no map can be drawn to the log and to the report of each map. Returns the
/// exit code.
fn refuse_all(run: &RenderArgs, requests: &[&RenderRequest], log: Log<'_>, ending: &Ending) -> u8 {
    if run.json {
        // If standard output cannot be written, the message has to be enough.
        let _ = print(document::refusal(None, ending).as_bytes());
    }

    for request in requests {
        if let Err(other) = report_target(&request.args).write_refusal(ending) {
            return end_unbegun(log, &other);
        }
    }

    end_unbegun(log, ending)
}

/// Draws the maps of each name; after a signal, the remaining maps are not drawn. Then writes the
/// page and the lists.
fn draw<'a>(
    run: &RenderArgs,
    worlds: impl Iterator<Item = (&'a Vec<RenderRequest>, Result<OpenedWorld, Ending>)>,
    mut lists: SharedLists,
    log: Log<'_>,
    signals: &Signals,
) -> u8 {
    let mut codes = Vec::new();
    for (maps, world) in worlds {
        let world = if signals.code() == OK {
            world
        } else {
            Err(Ending::new(signals.code(), NOT_BEGUN))
        };

        let Some(map) = maps.first() else { continue };
        codes.push(render(
            maps,
            world,
            Log::for_render(&map.args),
            signals,
            (&DrawPlace::Output, Some(&mut lists)),
        ));
    }

    if !run.dry_run
        && let Err(ending) = put_front(run, &lists.folders)
    {
        codes.push(end_unbegun(log, &ending));
    }

    WORST_FIRST
        .into_iter()
        .find(|code| codes.contains(code))
        .unwrap_or(OK)
}

/// Writes the page that leads to the first map, and the lists of the files that changed in all
/// `folders`. The first folder contains the others.
fn put_front(run: &RenderArgs, folders: &[Output]) -> Result<(), Ending> {
    let names: Vec<&str> = run.worlds.iter().map(|world| world.name.as_str()).collect();
    if let Some(front) = folders.first() {
        front.put_page_of_worlds(&names)?;
    }

    if run.run_output.files.are_wanted() {
        put_changes(&run.run_output.files, folders)
    } else {
        Ok(())
    }
}
