//! `pixelmap serve WORLD`: a world, drawn while it is looked at.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

use pixelmap::draw::report::{Outcome, Report};
use pixelmap::draw::{Live, Mode, Progress, Run, Settings};
use pixelmap::schedule::Stop;
use pixelmap::serve::{Changes, LiveMap, Server, Site};
use pixelmap::world::World;

use super::{address_line, open_browser, unserved};
use crate::cli::{self, LogFormat, ServeArgs};
use crate::commands;
use crate::commands::drawn;
use crate::commands::signals::Signals;
use crate::log::{Log, complain};
use crate::outcome::{Ending, FAILED, OK};
use crate::progress;

/// What draws a world for a server.
struct Drawer<'a> {
    args: &'a ServeArgs,
    settings: &'a [Settings],
    map: &'a Arc<LiveMap>,
    /// The server ends.
    stop: &'a Stop,
    now: Arc<Mutex<Drawing>>,
}

/// One drawing of the world, for those who end it.
#[derive(Default, Clone)]
struct Drawing {
    stop: Stop,
    live: Option<Arc<Live>>,
}

/// Serves a world until a signal comes, and draws it meanwhile. Returns the exit code.
pub(super) fn run(args: &ServeArgs, world: &World, server: Server, signals: &Signals) -> Result<u8, Ending> {
    let scratch = if args.world.output.is_none() { Some(scratch()?) } else { None };
    let output = args.world.output.as_deref().or_else(|| scratch.as_ref().map(tempfile::TempDir::path));
    let output = output.unwrap_or_else(|| Path::new("map")).to_owned();
    let settings = [drawn(&args.world.drawn, &args.world.workers, Mode::Map, output)?];
    let folder = Run::open(world, &settings)?;
    let map = Arc::new(LiveMap::default());
    // From the beginning: what changes while the map is drawn is drawn again.
    let regions: Vec<PathBuf> = world.dimensions.iter().map(|dimension| dimension.folder.clone()).collect();
    let changes = Changes::of(&regions).ok();
    let drawer = Drawer { args, settings: &settings, map: &map, stop: signals.stop(), now: Arc::default() };
    let drawing = drawer.begin(&folder);
    let site = Site::live(folder.output().root(), args.base_path.clone(), Arc::clone(&map))?;
    address_line(&server, args);
    open_browser(&server, args);
    let end = drawer.end(&server, changes.as_ref());
    signals.on_stop(end.clone())?;
    std::thread::scope(|scope| {
        let (drawer, drawing, end) = (&drawer, &drawing, &end);
        let draw = move || {
            let drawn = drawer.draw_all(folder, drawing, changes.as_ref());
            if drawn.is_err() {
                end();
            }
            drawn
        };
        let drawing = Builder::new().name("drawing".to_owned()).spawn_scoped(scope, draw);
        let drawing = drawing.map_err(|error| Ending::no_thread(&error))?;
        let served = server.run(site);
        end();
        let drawn = drawing.join().unwrap_or_else(|_| Err(ended_early()));
        drawn.and(served.map(|()| OK).map_err(|error| unserved(&error)))
    })
}

impl Drawer<'_> {
    /// Ends all drawing and the server, from any thread.
    fn end(&self, server: &Server, changes: Option<&Changes>) -> impl Fn() + Clone + Send + Sync + use<> {
        let (stop, map, now) = (self.stop.clone(), Arc::clone(self.map), Arc::clone(&self.now));
        let (server, changes) = (server.stopper(), changes.map(Changes::stopper));
        move || {
            stop.request();
            lock(&now).end();
            // Requests that wait for a tile would hold the server.
            map.end();
            if let Some(stop) = &changes {
                stop();
            }
            server();
        }
    }

    /// Begins a drawing for those who look.
    fn begin(&self, folder: &Run<'_>) -> Drawing {
        let teller = Arc::clone(self.map);
        let live = Arc::new(folder.live(0, self.args.world.on_demand, move |ended| teller.ended(ended)));
        self.map.begin(Arc::clone(&live), folder.regions(), &self.settings[0].page);
        self.note(Drawing { live: Some(live), stop: Stop::new() })
    }

    /// Notes a drawing for those who end it. Its stop is its own, as a failure may request it.
    fn note(&self, drawing: Drawing) -> Drawing {
        *lock(&self.now) = drawing.clone();
        // The server may have ended a moment ago.
        if self.stop.requested() {
            drawing.end();
        }
        drawing
    }

    /// Draws the world, and what the game saves, until the server ends.
    ///
    /// # Errors
    /// The first drawing has failed. What fails later is told, and tried again after the next change.
    fn draw_all(&self, folder: Run<'_>, drawing: &Drawing, changes: Option<&Changes>) -> Result<(), Ending> {
        let mut has_changed = self.draw_until_changed(folder, drawing, changes)?;
        while has_changed {
            has_changed = self.draw_again(changes).unwrap_or_else(|Ending { message, .. }| {
                complain(&message);
                is_changed(changes)
            });
        }
        Ok(())
    }

    /// Draws what the game saved: on demand when it is looked at. Returns as [`is_changed`].
    fn draw_again(&self, changes: Option<&Changes>) -> Result<bool, Ending> {
        let world = commands::open(&self.args.out)?;
        let folder = Run::open(&world, self.settings)?;
        let is_live = self.args.world.on_demand && !self.map.is_published();
        let drawing = if is_live { self.begin(&folder) } else { self.note(Drawing::default()) };
        self.draw_until_changed(folder, &drawing, changes)
    }

    /// Draws, and waits until the game has saved something. Returns as [`is_changed`].
    fn draw_until_changed(
        &self,
        folder: Run<'_>,
        drawing: &Drawing,
        changes: Option<&Changes>,
    ) -> Result<bool, Ending> {
        let (Some(changes), true) = (changes, self.args.world.on_demand && drawing.live.is_some()) else {
            let is_published = self.draw(&folder, drawing)?;
            drop(folder);
            return Ok(is_published && is_changed(changes));
        };
        // It comes to no end by itself, and a changed world needs another one.
        std::thread::scope(|scope| {
            let stop = changes.stopper();
            let drawer = scope.spawn(move || self.draw(&folder, drawing).inspect_err(|_| stop()));
            let has_changed = changes.wait();
            drawing.end();
            drawer.join().unwrap_or_else(|_| Err(ended_early()))?;
            Ok(has_changed)
        })
    }

    /// Draws the map and publishes it. Returns whether it was; else the drawing was stopped before.
    fn draw(&self, folder: &Run<'_>, Drawing { live, stop }: &Drawing) -> Result<bool, Ending> {
        let (log, counters) = (Log::new(LogFormat::Text).quiet(self.args.quiet), Progress::default());
        let drawn = match live {
            Some(live) => {
                // On demand nobody knows how much there is to be drawn.
                let is_hidden = self.args.quiet || self.args.world.on_demand;
                let shown = if is_hidden { cli::Progress::Never } else { cli::Progress::Auto };
                progress::show(shown, log, &counters, || folder.draw_live(0, live, &counters, stop))
            }
            None => folder.draw(0, &counters, stop),
        };
        for report in folder.publish(vec![drawn?], stop) {
            match report {
                Report { outcome: Outcome::Interrupted, .. } => return Ok(false),
                Report { outcome: Outcome::Failed, error: Some(failure), .. } => {
                    return Err(failure.into());
                }
                report => log.map(&report, &format!("open {}", folder.output().root().join("index.html").display())),
            }
        }
        self.map.publish();
        Ok(true)
    }
}

impl Drawing {
    fn end(&self) {
        self.stop.request();
        if let Some(live) = &self.live {
            live.end();
        }
    }
}

/// Waits until the game has saved something. Returns false if the server ends before.
fn is_changed(changes: Option<&Changes>) -> bool {
    changes.is_some_and(Changes::wait)
}

fn lock(now: &Mutex<Drawing>) -> MutexGuard<'_, Drawing> {
    now.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder for a map that nobody wants to keep.
fn scratch() -> Result<tempfile::TempDir, Ending> {
    let made = tempfile::Builder::new().prefix("pixelmap-").tempdir();
    made.map_err(|error| Ending::not_written(&std::env::temp_dir(), &error))
}

fn ended_early() -> Ending {
    Ending::new(FAILED, "the drawing has ended early")
}
