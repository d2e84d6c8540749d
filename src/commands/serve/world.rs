//! `pixelmap serve WORLD`: a world, drawn while it is looked at.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use pixelmap::pipeline::{DrawnMap, Live, Mode, Progress, RenderError, Run, Settings};
use pixelmap::report::{Outcome, Report};
use pixelmap::schedule::Stop;
use pixelmap::serve::{Changes, LiveMap, Server, Site};
use pixelmap::world::World;

use super::{address_line, open_browser, unserved};
use crate::cli::{self, LogFormat, ServeArgs};
use crate::commands;
use crate::commands::render::{refusal, unpublished};
use crate::commands::signals::Signals;
use crate::commands::{Ending, FAILED, NOT_NOW, OK, drawn, not_written};
use crate::log::{Log, complain};
use crate::progress;

/// Serves a world until a signal comes, and draws it meanwhile. Returns the exit code.
pub(super) fn run(args: &ServeArgs, world: &World, server: Server, signals: &Signals) -> Result<u8, Ending> {
    let scratch = if args.world.output.is_none() { Some(scratch()?) } else { None };
    let output = args.world.output.as_deref().or_else(|| scratch.as_ref().map(tempfile::TempDir::path));
    let output = output.unwrap_or_else(|| Path::new("map")).to_owned();
    let maps = [drawn(&args.world.drawn, &args.world.workers, Mode::Map, output)?];
    let folder = Run::open(world, &maps).map_err(refused)?;
    let map = Arc::new(LiveMap::default());
    let teller = Arc::clone(&map);
    let live = Arc::new(folder.live(0, args.world.on_demand, move |ended| teller.ended(ended)));
    map.begin(Arc::clone(&live), folder.regions(), &maps[0].page);
    let site = Site::live(folder.output().root(), args.base_path.clone(), Arc::clone(&map)).map_err(unpublished)?;
    address_line(&server, args);
    open_browser(&server, args);
    // From the beginning: what changes while the map is drawn is drawn again.
    let regions: Vec<PathBuf> = world.dimensions.iter().map(|dimension| dimension.folder.clone()).collect();
    let changes = Changes::of(&regions);
    let stop = signals.stop();
    let again = Arc::new(Mutex::new(Stop::new()));
    let end = {
        let (stop, live, map, again) = (stop.clone(), Arc::clone(&live), Arc::clone(&map), Arc::clone(&again));
        let (server, changes) = (server.stopper(), changes.as_ref().ok().map(Changes::stopper));
        move || {
            stop.request();
            // Requests that wait for a tile would hold the server.
            live.end();
            map.end();
            again.lock().unwrap_or_else(PoisonError::into_inner).request();
            if let Some(stop) = &changes {
                stop();
            }
            server();
        }
    };
    signals.on_stop(end.clone())?;
    std::thread::scope(|scope| {
        let (live, map, maps, again, end) = (&live, &map, &maps, &again, &end);
        let draw = move || {
            let drawn = draw(args, &folder, live, map, stop);
            drop(folder);
            match (&drawn, changes) {
                (Ok(true), Ok(changes)) => follow(args, maps, &changes, map, (stop, again)),
                (Ok(_), _) => {}
                (Err(_), _) => end(),
            }
            drawn
        };
        let drawing = Builder::new().name("drawing".to_owned()).spawn_scoped(scope, draw);
        let drawing = drawing.map_err(|error| Ending::new(NOT_NOW, format!("no thread can be started: {error}")))?;
        let served = server.run(site);
        end();
        let drawn = drawing.join().unwrap_or_else(|_| Err(Ending::new(FAILED, "the drawing has ended early")));
        drawn.and(served.map(|()| OK).map_err(|error| unserved(&error)))
    })
}

/// Draws the map and publishes it. Returns whether it was; else the server was stopped before.
fn draw(args: &ServeArgs, folder: &Run<'_>, live: &Live, map: &LiveMap, stop: &Stop) -> Result<bool, Ending> {
    let log = Log::new(LogFormat::Text).quiet(args.quiet);
    let counters = Progress::default();
    // On demand nobody knows how much there is to be drawn.
    let shown = if args.quiet || args.world.on_demand { cli::Progress::Never } else { cli::Progress::Auto };
    let drawn =
        progress::show(shown, log, &counters, || folder.draw_live(0, live, &counters, stop)).map_err(refused)?;
    publish(folder, drawn, log, map, stop)
}

/// Publishes a map. Returns whether it was; else the drawing was stopped before.
fn publish(folder: &Run<'_>, drawn: DrawnMap<'_>, log: Log<'_>, map: &LiveMap, stop: &Stop) -> Result<bool, Ending> {
    for report in folder.publish(vec![drawn], stop) {
        match report {
            Report { outcome: Outcome::Interrupted, .. } => return Ok(false),
            Report { outcome: Outcome::Failed, error: Some(failure), .. } => {
                return Err(Ending(if failure.retryable { NOT_NOW } else { FAILED }, failure.message));
            }
            report => log.map(&report, &format!("open {}", folder.output().root().join("index.html").display())),
        }
    }
    map.publish();
    Ok(true)
}

/// Draws what the game saves, until the stop. What fails is told, and tried again after the next change: the map that
/// stands is served on. So each drawing has a stop of its own, which a failure may request: it is put into `again`.
fn follow(args: &ServeArgs, maps: &[Settings], changes: &Changes, map: &LiveMap, (stop, again): (&Stop, &Mutex<Stop>)) {
    let log = Log::new(LogFormat::Text).quiet(args.quiet);
    while changes.wait() {
        let own = Stop::new();
        *again.lock().unwrap_or_else(PoisonError::into_inner) = own.clone();
        if stop.requested() {
            return;
        }
        if let Err(Ending(_, message)) = draw_again(args, maps, log, map, &own) {
            complain(&message);
        }
    }
}

fn draw_again(args: &ServeArgs, maps: &[Settings], log: Log<'_>, map: &LiveMap, stop: &Stop) -> Result<(), Ending> {
    let world = commands::open(&args.out)?;
    let folder = Run::open(&world, maps).map_err(refused)?;
    let drawn = folder.draw(0, &Progress::default(), stop).map_err(refused)?;
    publish(&folder, drawn, log, map, stop).map(drop)
}

/// A folder for a map that nobody wants to keep.
fn scratch() -> Result<tempfile::TempDir, Ending> {
    let made = tempfile::Builder::new().prefix("pixelmap-").tempdir();
    made.map_err(|error| not_written(&std::env::temp_dir(), &error))
}

fn refused(error: RenderError) -> Ending {
    Ending::new(refusal(&error), error)
}
