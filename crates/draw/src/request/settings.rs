//! The settings of a render: everything that a user can ask for.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use crate::report::{Limit, Thresholds};
use crate::request::look::Look;
use crate::request::plan::Shard;
use crate::schedule::{self, Pin};
use pixelmap_base::coord::NATIVE_ZOOM;
use pixelmap_map::atlas::{Content, Elsewhere, WorldLink};
use pixelmap_map::export::{PictureOptions, Scale, Size};
use pixelmap_map::page::PageTexts;
use pixelmap_map::store::WantedNaming;
use pixelmap_paint::layers::Layer;
use pixelmap_paint::markers::{MarkerSelection, OwnerPaths};

/// The kinds of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Tiles and zoom levels in a folder, with a viewer.
    Map,
    /// One picture of one layer of one dimension.
    Image,
    /// The tiles and zoom levels of one layer of one dimension in one file, a `PMTiles` archive.
    Archive,
    /// One picture per region in a folder, each with the pixels of the region's tile.
    Regions {
        /// Whether the pictures are in folders `<dimension>/<layer>`, so that several dimensions
        /// and layers are possible.
        by_layer: bool,
    },
}

impl Mode {
    /// Returns the content of the output folder if it contains pictures of regions.
    pub(crate) const fn regions(self) -> Option<Content> {
        match self {
            Self::Map | Self::Image | Self::Archive => None,
            Self::Regions { by_layer: false } => Some(Content::Regions),
            Self::Regions { by_layer: true } => Some(Content::RegionsByLayer),
        }
    }
}

/// The settings of a render.
#[derive(Debug, Clone)]
pub struct Settings {
    pub request: MapRequest,
    pub look: Look,
    pub output: OutputRequest,
    pub run: RunSettings,
}

/// The parts of a world that are drawn.
#[derive(Debug, Clone)]
pub struct MapRequest {
    /// The dimensions as the user named them. Empty means all.
    pub dimensions: Vec<String>,
    /// The layers to draw, each once.
    pub layers: Vec<Layer>,
    /// The number of zoom levels with textures. A picture is made from the last of them. They need
    /// `colours.assets`.
    pub zoom_in: u8,
    /// The markers that are read from the world.
    pub markers: MarkerSelection,
    /// The files with the owner's own markers, and the folder of icons.
    pub own: OwnerPaths,
    /// The part of the map that is drawn, or `None` for all of it.
    pub shard: Option<Shard>,
}

impl Default for MapRequest {
    fn default() -> Self {
        Self {
            dimensions: Vec::new(),
            layers: vec![Layer::default()],
            zoom_in: 0,
            markers: MarkerSelection::default(),
            own: OwnerPaths::default(),
            shard: None,
        }
    }
}

/// The output, and everything in it other than tiles.
#[derive(Debug, Clone)]
pub struct OutputRequest {
    pub mode: Mode,
    /// The output folder or file.
    pub path: PathBuf,
    /// The options of the picture, if the output is one.
    pub picture: PictureOptions,
    /// The names of the tiles. An existing map decides the settings that are missing here.
    pub naming: WantedNaming,
    /// The texts that other sites show for a link to the map's page.
    pub page: PageTexts,
    /// The named maps that the page offers as a choice. Empty if this map is the only one.
    pub worlds: Vec<WorldLink>,
    /// The moment that the run adds to a map with history.
    pub moment: MomentSettings,
    /// The published files of a map that are not in the folder `path`, because it is in a bucket.
    pub elsewhere: Option<Elsewhere>,
}

impl OutputRequest {
    /// Returns an output with the defaults of the command line.
    pub fn new(mode: Mode, path: PathBuf) -> Self {
        Self {
            mode,
            path,
            picture: PictureOptions::default(),
            naming: WantedNaming::default(),
            page: PageTexts::default(),
            worlds: Vec::new(),
            moment: MomentSettings::default(),
            elsewhere: None,
        }
    }
}

/// How a run works, and when it publishes. These settings never affect a published tile.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// The number of workers, or 0 for the number of CPUs that this process may use.
    pub threads: usize,
    /// The most jobs that a worker pulls at once.
    pub max_batch: usize,
    /// How workers are bound to CPUs.
    pub pin: Pin,
    /// The most tiles that may be removed.
    pub max_removed: Limit,
    /// The limits that a run must meet before anything is published. `None` publishes each tile
    /// when it is drawn.
    pub staged: Option<Thresholds>,
    /// Whether to draw any number of tiles with textures, because the user confirmed it.
    pub sure: bool,
    /// Whether to draw unchanged regions as well.
    pub force: bool,
    /// How unchanged regions are found.
    pub check: Check,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            threads: 0,
            max_batch: schedule::DEFAULT_MAX_BATCH,
            pin: Pin::Auto,
            max_removed: Limit::Percent(50.0),
            staged: None,
            sure: false,
            force: false,
            check: Check::Quick,
        }
    }
}

impl Settings {
    /// Returns the defaults of the command line: layer `day` of all dimensions, on all CPUs.
    pub fn new(mode: Mode, path: PathBuf) -> Self {
        Self {
            request: MapRequest::default(),
            look: Look::default(),
            output: OutputRequest::new(mode, path),
            run: RunSettings::default(),
        }
    }

    /// Returns the number of outer zoom levels that are drawn, or `None` for all of them.
    pub(crate) const fn outer_levels(&self) -> Option<usize> {
        match (self.output.mode, self.output.picture.size) {
            (Mode::Map | Mode::Archive, _) | (Mode::Image, Size::Width(_) | Size::Fit(..)) => None,
            (Mode::Image, Size::Scale(Scale::Halved(halvings))) => Some(halvings as usize),
            (Mode::Image | Mode::Regions { .. }, _) => Some(0),
        }
    }

    /// Returns the zoom levels that are drawn with textures, if a layer supports textures.
    pub(crate) const fn inner_zooms(&self) -> RangeInclusive<u8> {
        let innermost = NATIVE_ZOOM + self.request.zoom_in;
        match self.output.mode {
            Mode::Image if self.request.zoom_in > 0 => innermost..=innermost,
            Mode::Map | Mode::Image | Mode::Archive | Mode::Regions { .. } => {
                NATIVE_ZOOM + 1..=innermost
            }
        }
    }

    /// Returns the settings for scheduling jobs on `threads` workers.
    pub(crate) fn schedule(&self, threads: usize) -> schedule::ScheduleSettings {
        schedule::ScheduleSettings {
            threads,
            max_batch: self.run.max_batch,
            pin: self.run.pin,
        }
    }

    /// Returns whether some places must not be shown.
    pub(crate) const fn is_hiding(&self) -> bool {
        !self.look.hide.is_empty() || self.look.min_inhabited > 0
    }

    /// Returns whether tiles stay staged until the whole run has succeeded. A map that is only
    /// exported does not need that.
    pub(crate) fn is_staged(&self) -> bool {
        self.run.staged.is_some() && self.output.mode == Mode::Map
    }

    /// Returns whether unchanged regions are drawn as well. A map that is only exported lacks
    /// records of earlier runs.
    pub(crate) fn is_forced(&self) -> bool {
        self.run.force || self.output.mode != Mode::Map
    }
}

/// The moment that a run adds to a map with history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MomentSettings {
    /// Whether to begin the history of a map that has none.
    pub begins: bool,
    /// The time of the world's state, in seconds since 1970, or `None` for the time when it was
    /// last played.
    pub time: Option<i64>,
    pub label: Option<String>,
    /// Whether changes with a time no later than the last moment become part of that moment. This
    /// is set if a game is writing the world, or if only markers are made again.
    pub follows: bool,
}

/// The ways to find unchanged regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Compares stamps and the headers of files, and the content where these are not enough.
    Quick,
    /// Compares the content of every file.
    Content,
}
