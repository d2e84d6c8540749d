//! Maps with names, drawn one after another: each as a run of its own would draw it, into the folder of its name. Behind
//! them come the page that leads to the first, and the lists of what changed in all of them.

use std::path::{Path, PathBuf};

use pixelmap::draw::RenderError;
use pixelmap::store::Output;
use pixelmap::world::World;

use super::{Asked, Together, not_begun, put_changes, refusal, render, unpublished};
use crate::cli::RenderArgs;
use crate::commands::side_files::SideFiles;
use crate::commands::signals::Signals;
use crate::commands::{Ending, FAILED, GAPS, NOT_NOW, OK, USAGE, document, open, print};
use crate::log::Log;

/// Exit codes: the first of them that a map ends with is that of all.
const WORST_FIRST: [u8; 6] = [130, 143, FAILED, NOT_NOW, USAGE, GAPS];
/// Why a map is not drawn after a signal.
const NOT_BEGUN: &str = "not begun, as the run was interrupted: run the same command again to go on";

/// Draws the maps of each name, or tells what would be drawn. One that cannot be drawn does not keep the others from it.
/// Returns the exit code; the reason has been written by then.
pub(super) fn run(maps: &[Vec<RenderArgs>]) -> u8 {
    let runs: Vec<&RenderArgs> = maps.iter().filter_map(|maps| maps.first()).collect();
    let Some(run) = runs.first() else { return OK };
    let log = Log::of(run).unnamed();
    log.take_panics();
    let root = run.output.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let paths = runs.iter().map(|run| run.world.clone().unwrap_or_default());
    let worlds: Vec<(PathBuf, Result<World, Ending>)> = paths.map(|path| (path.clone(), open(&path))).collect();
    let folders = |(path, world): &(PathBuf, Result<World, Ending>)| match world {
        Ok(world) => world.folders.clone(),
        Err(_) => vec![path.clone()],
    };
    let folders: Vec<PathBuf> = worlds.iter().flat_map(folders).collect();
    if let Err(ending) = SideFiles::of_worlds(root, &runs).begin(&folders) {
        return not_begun(log, &ending);
    }
    let signals = Signals::take();
    match begin(run, root, &folders) {
        Ok(together) => draw(maps, worlds.into_iter().map(|(_, world)| world), together, &signals),
        Err(ending) => refuse(&runs, &ending),
    }
}

/// Takes hold of the folder of all maps, or looks at it before a dry run.
fn begin(run: &RenderArgs, root: &Path, folders: &[PathBuf]) -> Result<Together, Ending> {
    let front = if run.dry_run { Output::look_at_worlds(root, folders) } else { Output::open_worlds(root, folders) };
    let front = front.map_err(RenderError::Output).map_err(|error| Ending::new(refusal(&error), error))?;
    let begins = run.tell.files.are_wanted() && !run.dry_run;
    let are_listed = begins && front.begin_listing().map_err(unpublished)?;
    Ok(Together { folders: vec![front], are_listed })
}

/// Writes the reason why no map can be drawn, also as the reports. Returns the exit code.
fn refuse(runs: &[&RenderArgs], ending: &Ending) -> u8 {
    let Some(run) = runs.first() else { return OK };
    if run.json {
        // Where standard output cannot be written, the message is all there is.
        let _ = print(document::of_trouble(None, ending).as_bytes());
    }
    let log = Log::of(run).unnamed();
    let written = runs.iter().try_for_each(|run| Asked::of(run).write(ending));
    written.map_or_else(|other| not_begun(log, &other), |()| not_begun(log, ending))
}

/// Draws the maps of each name, and after a signal none that follows. Then writes what is told of all of them.
fn draw(
    maps: &[Vec<RenderArgs>],
    worlds: impl Iterator<Item = Result<World, Ending>>,
    mut together: Together,
    signals: &Signals,
) -> u8 {
    let Some(run) = maps.first().and_then(|maps| maps.first()) else { return OK };
    let mut codes = Vec::new();
    for (maps, world) in maps.iter().zip(worlds) {
        let world = if signals.code() == OK { world } else { Err(Ending::new(signals.code(), NOT_BEGUN)) };
        codes.push(render(maps, world, signals, Some(&mut together)));
    }
    if !run.dry_run
        && let Err(ending) = put_front(run, &together.folders)
    {
        codes.push(not_begun(Log::of(run).unnamed(), &ending));
    }
    WORST_FIRST.into_iter().find(|code| codes.contains(code)).unwrap_or(OK)
}

/// Writes the page that leads to the first map, and the lists of what changed in all `folders`, of which the first is the
/// one around the others.
fn put_front(run: &RenderArgs, folders: &[Output]) -> Result<(), Ending> {
    let names: Vec<&str> = run.worlds.iter().map(|world| world.name.as_str()).collect();
    if let Some(front) = folders.first() {
        front.put_page_of_worlds(&names).map_err(unpublished)?;
    }
    if run.tell.files.are_wanted() { put_changes(&run.tell.files, folders) } else { Ok(()) }
}
