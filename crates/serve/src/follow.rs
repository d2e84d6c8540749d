//! Serves a map of a world while the map is drawn, and draws it again each time that the game has
//! saved.
//!
//! `Follow` runs the server on one thread and the drawings on another. `live` keeps the state that
//! both share, `changes` waits until the world's files change, and `draw` does the drawing. A
//! failure of the first drawing ends the server; later failures are only reported, because the next
//! change starts another drawing.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;
use std::thread::{Builder, scope};
use std::time::Duration;

use thiserror::Error;

use super::changes::Changes;
use super::live::{Drawing, LiveMap};
use super::path::BasePath;
use super::players::{self, Pauses, RconAccess, RconNews};
use super::server::Server;
use super::site::Site;
use pixelmap_draw::report::{Failure, Outcome, Report};
use pixelmap_draw::schedule::Stop;
use pixelmap_draw::{
    BlockQueries, InnerTiles, Live, Progress, RESERVED_NAMES, RenderError, Run, Settings,
    open_world,
};
use pixelmap_map::atlas::AtlasError;
use pixelmap_world::internal::{World, WorldError, WorldRequest};

/// Receives the results while a world is followed.
pub trait FollowLog: Sync {
    /// Calls `draw` exactly once, and shows the progress meanwhile.
    fn drawing(&self, progress: &Progress, draw: &mut dyn FnMut());
    /// A map was published in its folder.
    fn report_published(&self, report: Report, folder: &Path);
    /// Reports that a drawing other than the first has failed. The next change starts another one.
    fn report_failed(&self, error: FollowError);
    /// Reports whether the game server can be asked for its players.
    fn report_rcon(&self, news: RconNews);
}

/// The reasons for which serving a world ends.
#[derive(Debug, Error)]
pub enum FollowError {
    /// The world cannot be read.
    #[error(transparent)]
    World(WorldError),
    /// Nothing can be drawn.
    #[error(transparent)]
    Render(RenderError),
    /// The drawing has failed.
    #[error("{}", .0.message)]
    Failed(Failure),
    /// The drawing has panicked in a place where no report records it.
    #[error("the drawing has ended early")]
    Panicked,
    /// The thread that draws cannot be started.
    #[error("no thread can be started: {0}")]
    Thread(io::Error),
    /// The server cannot accept connections.
    #[error("no connections can be taken: {0}")]
    Server(io::Error),
}

/// A world that is drawn for a server.
#[derive(Debug)]
pub struct Follow<'a> {
    follower: Follower<'a>,
    /// The first drawing, which holds the lock of the folder.
    first: Run<'a>,
    first_live: Arc<Live>,
}

/// The state that all drawings of a world share.
#[derive(Debug)]
struct Follower<'a> {
    path: &'a Path,
    settings: &'a Settings,
    /// Only regions in view of a visitor are drawn.
    is_on_demand: bool,
    map: Arc<LiveMap>,
    changes: Changes,
    /// The game server whose players are shown.
    rcon: Option<RconAccess>,
}

impl<'a> Follow<'a> {
    /// Locks the folder of a map and prepares the page, so that visitors can be served before
    /// anything is drawn. `path` is the path of the world, which is opened again after each change.
    /// Every `poll`, the world's folders are checked for changes that the system does not report.
    ///
    /// # Errors
    /// The world cannot be drawn with these settings.
    pub fn open(
        path: &'a Path,
        world: &'a World,
        settings: &'a Settings,
        is_on_demand: bool,
        poll: Option<Duration>,
    ) -> Result<Self, RenderError> {
        let first = Run::open(world, slice::from_ref(settings))?;

        // Watching begins before the drawing, so that regions that change meanwhile are drawn
        // again. A region that has changed since the world was listed also needs another drawing.
        let regions: Vec<PathBuf> = world
            .dimensions
            .iter()
            .map(|dimension| dimension.folder().to_owned())
            .collect();

        let changes = Changes::watch(&regions, poll);
        if !world.is_as_listed() {
            changes.report_change();
        }

        let map = Arc::new(LiveMap::new(
            InnerTiles::new(settings, first.output().naming()),
            BlockQueries::new(settings, first.output().naming()),
        ));

        let follower = Follower {
            path,
            settings,
            is_on_demand,
            map,
            changes,
            rcon: None,
        };

        let first_live = follower.show(&first);
        Ok(Self {
            follower,
            first,
            first_live,
        })
    }

    /// Shows the players of a game server on open pages.
    #[must_use]
    pub fn with_players(mut self, rcon: RconAccess) -> Self {
        self.follower.rcon = Some(rcon);
        self
    }

    /// Returns the map in the form that a server answers from.
    ///
    /// # Errors
    /// The folder does not exist.
    pub fn site(&self, base: BasePath) -> Result<Site, AtlasError> {
        Site::live(
            self.first.output().root(),
            base,
            Arc::clone(&self.follower.map),
        )
    }

    /// Returns a function that ends the drawing, the wait for changes and the server. It may be
    /// called from any thread, even before they begin.
    pub fn stopper(&self, server: &Server) -> impl Fn() + Clone + Send + Sync + use<> {
        let map = Arc::clone(&self.follower.map);
        let stop_waiting = self.follower.changes.stopper();
        let stop_server = server.stopper();
        move || {
            map.end();
            stop_waiting();
            stop_server();
        }
    }

    /// Serves the map and draws it meanwhile, until the stopper is called.
    ///
    /// # Errors
    /// The first drawing has failed, a drawing has panicked, or the server cannot accept
    /// connections.
    pub fn run(self, server: Server, site: Site, log: &dyn FollowLog) -> Result<(), FollowError> {
        let end = self.stopper(&server);
        let Self {
            follower,
            first,
            first_live,
        } = self;

        scope(|scope| {
            let drawing = Builder::new()
                .name("drawing".to_owned())
                .spawn_scoped(scope, || {
                    on_failure(&end, || {
                        follower.draw_all(first, &Drawing::Live(first_live), log)
                    })
                })
                .map_err(FollowError::Thread)?;

            if let Some(inner_tiles) = follower.map.inner_tiles() {
                scope.spawn(|| inner_tiles.work(|| follower.open_world()));
            }

            if let Some(block_queries) = follower.map.block_queries() {
                scope.spawn(|| block_queries.work(|| follower.open_world()));
            }

            if let Some(rcon) = &follower.rcon {
                let map = &follower.map;
                scope.spawn(move || {
                    players::follow(rcon, Pauses::default(), map, &|news| log.report_rcon(news));
                });
            }

            let served = server.run(site);
            end();
            drawing.join().unwrap_or(Err(FollowError::Panicked))?;

            served.map_err(FollowError::Server)
        })
    }
}

impl Follower<'_> {
    /// Shows pages the map of a drawing that begins now.
    fn show(&self, folder: &Run<'_>) -> Arc<Live> {
        let map = Arc::clone(&self.map);
        let live =
            Arc::new(folder.live(0, self.is_on_demand, move |drawn| map.tile_is_drawn(drawn)));
        self.map.set_places(folder.shown_places(0));
        self.map.begin(
            Arc::clone(&live),
            folder.regions(),
            &self.settings.output.page,
        );
        live
    }

    fn open_world(&self) -> Result<World, WorldError> {
        open_world(
            self.path,
            &self.settings.output.path,
            None,
            WorldRequest {
                threads: self.settings.run.threads,
                ..WorldRequest::new(RESERVED_NAMES)
            },
        )
    }

    /// Draws the world, and draws it again after each change, until the end.
    ///
    /// # Errors
    /// The first drawing has failed.
    fn draw_all(
        &self,
        first: Run<'_>,
        drawing: &Drawing,
        log: &dyn FollowLog,
    ) -> Result<(), FollowError> {
        let mut has_changed = self.draw_until_changed(first, drawing, log)?;
        while has_changed {
            has_changed = self.draw_again(log).unwrap_or_else(|error| {
                log.report_failed(error);
                self.changes.wait(None)
            });
        }

        Ok(())
    }

    /// Opens the changed world and draws it. The drawing is on demand only if the map has never
    /// been published. Returns the same as [`draw_until_changed`].
    fn draw_again(&self, log: &dyn FollowLog) -> Result<bool, FollowError> {
        if let Some(inner_tiles) = self.map.inner_tiles() {
            inner_tiles.requests().begin_round();
        }

        if let Some(block_queries) = self.map.block_queries() {
            block_queries.requests().begin_round();
        }

        let world = self.open_world().map_err(FollowError::World)?;
        let folder =
            Run::open(&world, slice::from_ref(self.settings)).map_err(FollowError::Render)?;
        self.map.set_places(folder.shown_places(0));

        let is_live = self.is_on_demand && !self.map.is_published();
        let drawing = if is_live {
            Drawing::Live(self.show(&folder))
        } else {
            Drawing::Plain(Stop::new())
        };

        self.draw_until_changed(folder, &drawing, log)
    }

    /// Draws until the world has changed. Returns the same as [`draw_until_changed`].
    fn draw_until_changed(
        &self,
        folder: Run<'_>,
        drawing: &Drawing,
        log: &dyn FollowLog,
    ) -> Result<bool, FollowError> {
        self.map.set_drawing(drawing.clone());
        // A drawing on demand waits for visitors and never ends by itself, but a changed world
        // needs a new drawing.
        let is_endless = self.is_on_demand && matches!(drawing, Drawing::Live(_));
        let end = is_endless.then_some(|| drawing.end());
        draw_until_changed(&self.changes, end, move || self.draw(&folder, drawing, log))
    }

    /// Draws the map and publishes it. Returns false if the drawing was stopped before it was
    /// published.
    fn draw(
        &self,
        folder: &Run<'_>,
        drawing: &Drawing,
        log: &dyn FollowLog,
    ) -> Result<bool, FollowError> {
        let progress = Progress::default();
        let mut drawn = None;
        match drawing {
            Drawing::Live(live) => {
                log.drawing(&progress, &mut || {
                    drawn = Some(folder.draw_live(0, live, &progress));
                });
            }
            Drawing::Plain(stop) => drawn = Some(folder.draw(0, &progress, stop)),
        }

        let Some(drawn) = drawn else { return Ok(false) };

        for report in folder.publish(vec![drawn.map_err(FollowError::Render)?], drawing.stop()) {
            match report {
                Report {
                    outcome: Outcome::Interrupted,
                    ..
                } => return Ok(false),
                Report {
                    outcome: Outcome::Failed,
                    error: Some(failure),
                    ..
                } => {
                    return Err(FollowError::Failed(failure));
                }
                report => log.report_published(report, folder.output().root()),
            }
        }

        self.map.publish();
        Ok(true)
    }
}

/// Draws, and waits until the world has changed. `end` ends a drawing that never ends by itself.
/// Returns false if the wait or the drawing was stopped.
fn draw_until_changed(
    changes: &Changes,
    end: Option<impl Fn()>,
    draw: impl FnOnce() -> Result<bool, FollowError> + Send,
) -> Result<bool, FollowError> {
    let Some(end) = end else {
        return Ok(on_failure(|| {}, draw)? && changes.wait(None));
    };

    let number = changes.begin_drawing();
    scope(|scope| {
        let drawing = scope.spawn(|| on_failure(|| changes.drawing_has_failed(number), draw));
        let has_changed = changes.wait(Some(number));
        end();
        drawing.join().unwrap_or(Err(FollowError::Panicked))?;
        Ok(has_changed)
    })
}

/// Runs `work`, and calls `then` if it fails or panics.
fn on_failure<T>(
    then: impl Fn(),
    work: impl FnOnce() -> Result<T, FollowError>,
) -> Result<T, FollowError> {
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(FollowError::Panicked));
    if done.is_err() {
        then();
    }
    done
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::access::AccessRules;

    /// Draws until the drawing is ended, and then returns `result`.
    fn draw_endlessly(
        changes: &Changes,
        result: Result<bool, FollowError>,
    ) -> Result<bool, FollowError> {
        let (end, ended) = mpsc::channel();
        draw_until_changed(changes, Some(|| end.send(()).unwrap()), move || {
            ended.recv().unwrap();
            result
        })
    }

    #[test]
    fn a_late_failure_does_not_end_later_drawings() {
        let changes = Changes::for_test(Duration::from_millis(1));
        changes.report_change();
        assert!(matches!(
            draw_endlessly(&changes, Err(FollowError::Panicked)),
            Err(FollowError::Panicked)
        ));

        changes.report_change();
        assert!(
            changes.wait(None),
            "the failure is no reason to wait no longer"
        );

        changes.report_change();
        assert!(
            draw_endlessly(&changes, Ok(false)).unwrap(),
            "it ended by the change"
        );
    }

    #[test]
    fn nobody_waits_for_a_failed_drawing() {
        let changes = Changes::for_test(Duration::from_millis(1));
        let end = Some(|| {});
        let failed = draw_until_changed(&changes, end, || Err(FollowError::Panicked));
        assert!(matches!(failed, Err(FollowError::Panicked)));
        let panicked = draw_until_changed(&changes, end, || std::panic::panic_any("on purpose"));
        assert!(matches!(panicked, Err(FollowError::Panicked)));
        changes.stopper()();
        assert!(
            !draw_endlessly(&changes, Ok(false)).unwrap(),
            "the stop ends it"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_region_saved_before_the_watch_is_redrawn() {
        use std::fs;

        let folder = tempfile::tempdir().unwrap();
        let demo =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/demo/region/r.0.0.mca");
        let path = folder.path().join("world");
        let region = path.join("region/r.0.0.mca");
        fs::create_dir_all(region.parent().unwrap()).unwrap();
        fs::copy(&demo, &region).unwrap();
        let world = World::open(&path, RESERVED_NAMES).unwrap();
        assert!(world.is_as_listed());
        // A new file, because the time of the same file may have a step in which nothing shows.
        fs::rename(&region, folder.path().join("old")).unwrap();
        fs::copy(&demo, &region).unwrap();
        let settings = Settings::new(pixelmap_draw::Mode::Map, folder.path().join("map"));
        let follow = Follow::open(&path, &world, &settings, false, None).unwrap();
        let give_up = follow.follower.changes.stopper();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(20));
            give_up();
        });
        assert!(follow.follower.changes.wait(None), "the change is noticed");
    }

    /// A log that panics when a drawing begins.
    struct PanickingLog;

    impl FollowLog for PanickingLog {
        fn drawing(&self, _: &Progress, _: &mut dyn FnMut()) {
            std::panic::panic_any("on purpose");
        }

        fn report_published(&self, _: Report, _: &Path) {}

        fn report_failed(&self, _: FollowError) {}

        fn report_rcon(&self, _: RconNews) {}
    }

    #[test]
    fn a_panic_of_the_drawing_ends_the_server() {
        let folder = tempfile::tempdir().unwrap();
        let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/demo");
        for is_on_demand in [false, true] {
            let world = World::open(&demo, RESERVED_NAMES).unwrap();
            let output = folder.path().join(is_on_demand.to_string());
            let mut settings = Settings::new(pixelmap_draw::Mode::Map, output);
            settings.run.threads = 1;
            let follow = Follow::open(&demo, &world, &settings, is_on_demand, None).unwrap();
            let server = Server::listen("127.0.0.1:0", AccessRules::default()).unwrap();
            let site = follow.site(BasePath::parse("/").unwrap()).unwrap();
            assert!(matches!(
                follow.run(server, site, &PanickingLog),
                Err(FollowError::Panicked)
            ));
        }
    }
}
