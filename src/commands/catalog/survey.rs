//! Reads the worlds of one place for a catalog, and draws their pictures and maps.

use std::path::Path;
use std::slice;

use pixelmap_draw::ask::catalog::{self, ChunkSketch, WorldEntry};
use pixelmap_draw::report::{Outcome, Report};
use pixelmap_draw::schedule::Stop;
use pixelmap_draw::{
    MarkerKind, Mode, Progress, RESERVED_NAMES, Run, Settings, Size, WantedMarkers,
};
use pixelmap_world::internal::{World, WorldPlace, open_files, worlds_in};

use super::files;
use super::line::KnownWorld;
use crate::outcome::{Ending, NOT_NOW};

/// The largest width and height of a picture.
const PICTURE_SIDE: u32 = 512;

/// The parts of a run that all worlds share.
pub(super) struct Surveyor<'a> {
    /// The folder in which worlds were searched.
    pub(super) folder: &'a Path,
    /// The folder of the catalog.
    pub(super) output: &'a Path,
    pub(super) wants_maps: bool,
    /// The number of workers that draw a world.
    pub(super) threads: usize,
    pub(super) stop: &'a Stop,
}

/// The reason why a world was not described.
pub(super) enum Trouble {
    Interrupted,
    /// The same run may succeed later, for example when the disk has room again.
    NotNow(Ending),
    /// The world cannot be read. The others can.
    Unread(String),
}

impl From<Ending> for Trouble {
    fn from(ending: Ending) -> Self {
        if ending.code == NOT_NOW {
            Self::NotNow(ending)
        } else {
            Self::Unread(ending.message)
        }
    }
}

impl Surveyor<'_> {
    /// Reads the worlds of a place. A world that cannot be read has an entry with the reason.
    ///
    /// # Errors
    /// Fails if the run was interrupted, or if it may succeed later.
    pub(super) fn survey(&self, place: &WorldPlace) -> Result<Vec<KnownWorld>, Trouble> {
        if !place.is_archive {
            return Ok(vec![self.survey_world(&place.path)?]);
        }

        // The archive stays open, so that a tar is unpacked once for all of its worlds. If it
        // cannot be opened, the next line has the reason.
        let _files = open_files(&place.path);
        match worlds_in(&place.path).map_err(Ending::from) {
            Ok(worlds) => worlds.iter().map(|path| self.survey_world(path)).collect(),
            Err(ending) => Ok(vec![self.unread(&place.path, ending.into())?]),
        }
    }

    fn survey_world(&self, path: &Path) -> Result<KnownWorld, Trouble> {
        if self.stop.is_requested() {
            return Err(Trouble::Interrupted);
        }
        self.read_world(path)
            .or_else(|trouble| self.unread(path, trouble))
    }

    /// Returns the entry of a world that cannot be read.
    fn unread(&self, path: &Path, trouble: Trouble) -> Result<KnownWorld, Trouble> {
        let Trouble::Unread(reason) = trouble else {
            return Err(trouble);
        };

        let own = files::relative(self.folder, path);
        let name = own.rsplit('/').next().unwrap_or_default().to_owned();
        let entry = WorldEntry {
            path: own,
            name,
            error: Some(reason),
            ..WorldEntry::default()
        };
        Ok(KnownWorld {
            entry,
            sketch: ChunkSketch::default(),
        })
    }

    fn read_world(&self, path: &Path) -> Result<KnownWorld, Trouble> {
        let world = World::open(path, RESERVED_NAMES).map_err(Ending::from)?;
        let described = catalog::describe(&world, &Progress::default());
        let (entry, sketch) = described.map_err(Ending::from)?;

        let own = files::relative(self.folder, path);
        let picture = self.draw_picture(&world, &entry, &own)?;
        let map = if self.wants_maps {
            self.draw_map(&world, &own)?
        } else {
            None
        };

        let entry = WorldEntry {
            path: own,
            bytes: world.bytes(),
            picture,
            map,
            ..entry
        };
        Ok(KnownWorld { entry, sketch })
    }

    /// Draws the picture of a world. Returns its path in the catalog; `None`: it would be
    /// empty.
    fn draw_picture(
        &self,
        world: &World,
        entry: &WorldEntry,
        path: &str,
    ) -> Result<Option<String>, Trouble> {
        let name = files::picture(path);
        let mut settings = self.settings(Mode::Image, &name);
        settings.output.picture.size = Size::Fit(PICTURE_SIDE, PICTURE_SIDE);
        settings
            .request
            .dimensions
            .extend(pictured_dimension(entry));

        // If no chunk is finished, a picture of the others is better than none.
        for unfinished in [false, true] {
            settings.look.unfinished = unfinished;
            let drawn =
                pixelmap_draw::render(world, &settings, None, &Progress::default(), self.stop);
            if is_shown(drawn.map_err(Ending::from)?.report)? {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// Draws the map of a world. Returns the path of its page in the catalog.
    fn draw_map(&self, world: &World, path: &str) -> Result<Option<String>, Trouble> {
        let folder = files::map(path);
        let mut settings = self.settings(Mode::Map, &folder);
        settings.request.markers = WantedMarkers {
            kinds: MarkerKind::usual().collect(),
            ..WantedMarkers::default()
        };

        let run = Run::open(world, slice::from_ref(&settings)).map_err(Ending::from)?;
        let drawn = run.draw(0, &Progress::default(), self.stop);
        let drawn = vec![drawn.map_err(Ending::from)?];
        for report in run.publish(drawn, self.stop) {
            if !is_shown(report)? {
                return Ok(None);
            }
        }
        Ok(Some(format!("{folder}/index.html")))
    }

    fn settings(&self, mode: Mode, name: &str) -> Settings {
        let mut settings = Settings::new(mode, self.output.join(name));
        settings.run.threads = self.threads;
        settings
    }
}

/// Returns the dimension that the picture of a world shows: the overworld if it has a chunk, or else
/// the dimension with the most chunks.
fn pictured_dimension(entry: &WorldEntry) -> Option<String> {
    let dimensions = entry.dimensions.iter();
    let most = dimensions.max_by_key(|dimension| {
        (
            dimension.chunks > 0 && dimension.id == "overworld",
            dimension.chunks,
        )
    });
    most.map(|dimension| dimension.id.clone())
}

/// Returns whether a run that has ended has drawn anything.
fn is_shown(report: Report) -> Result<bool, Trouble> {
    match (report.outcome, report.error) {
        (Outcome::Interrupted, _) => Err(Trouble::Interrupted),
        (Outcome::Failed, Some(failure)) => Err(Ending::from(failure).into()),
        (Outcome::Failed | Outcome::Empty, _) => Ok(false),
        (Outcome::Complete | Outcome::Gaps, _) => Ok(true),
    }
}
