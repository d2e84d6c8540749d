//! The settings of a render.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use crate::atlas::{Content, WorldLink};
use crate::base::coord::{Area, NATIVE_ZOOM, YRange};
use crate::draw::request::colours::Colours;
use crate::draw::request::hide::Hide;
use crate::draw::request::plan::Shard;
use crate::export::{PictureOptions, Scale, Size};
use crate::markers::MarkerSelection;
use crate::page::PageTexts;
use crate::paint::layers::{Choices, Layer};
use crate::report::{Limit, Thresholds};
use crate::schedule::{self, Pin};
use crate::store::WantedNaming;

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
        /// Puts the pictures into folders `<dimension>/<layer>`: there may be several dimensions and layers.
        by_layer: bool,
    },
}

impl Mode {
    /// Returns the content of the output folder, if it is one of regions.
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
    pub mode: Mode,
    /// The output folder, or the file.
    pub output: PathBuf,
    /// The picture, where it is one.
    pub picture: PictureOptions,
    /// Dimensions as the user named them; none: all there are.
    pub dimensions: Vec<String>,
    /// The layers to draw, each once.
    pub layers: Vec<Layer>,
    /// The names of their tiles. A map that is there decides what is not set here.
    pub naming: WantedNaming,
    /// The user's choices of how the layers look.
    pub choices: Choices,
    /// The columns to draw; none: all.
    pub area: Option<Area>,
    /// The heights looked at.
    pub range: YRange,
    pub colours: Colours,
    /// Draws chunks that the game has not finished.
    pub unfinished: bool,
    /// The places that must not be shown.
    pub hide: Vec<Hide>,
    /// The seconds that players must have been in a chunk, all players added up, for it to be shown.
    pub min_inhabited: u32,
    /// The markers that are taken from the world.
    pub markers: MarkerSelection,
    /// Files of the owner's own markers.
    pub own_markers: Vec<PathBuf>,
    /// The texts that appear where a link to the map's page is pasted.
    pub page: PageTexts,
    /// The named maps of the page's choice; none: the map is alone.
    pub worlds: Vec<WorldLink>,
    /// The number of workers; 0: the CPUs this process may use.
    pub threads: usize,
    /// The most jobs a worker pulls at once.
    pub max_batch: usize,
    /// The CPUs that workers are bound to.
    pub pin: Pin,
    /// The most tiles that may be removed.
    pub max_removed: Limit,
    /// The limits a run must keep for anything to be published; `None`: each tile is published when it is drawn.
    pub staged: Option<Thresholds>,
    /// The part of the map that is drawn; `None`: all of it.
    pub shard: Option<Shard>,
    /// The moment that the run makes of a map with history.
    pub moment: MomentSettings,
    /// The number of zoom levels with textures; of a picture, the one that it is made of. They need `colours.assets`.
    pub zoom_in: u8,
    /// Draws however many tiles with textures there are.
    pub sure: bool,
    /// Draws unchanged regions too.
    pub force: bool,
    /// The way to find unchanged regions.
    pub check: Check,
}

impl Settings {
    /// Everything as the command line has it by default: layer `day` of all dimensions, by all CPUs.
    pub fn new(mode: Mode, output: PathBuf) -> Self {
        Self {
            mode,
            output,
            picture: PictureOptions::default(),
            dimensions: Vec::new(),
            layers: vec![Layer::default()],
            naming: WantedNaming::default(),
            choices: Choices::default(),
            area: None,
            range: YRange::ALL,
            colours: Colours::default(),
            unfinished: false,
            hide: Vec::new(),
            min_inhabited: 0,
            markers: MarkerSelection::default(),
            own_markers: Vec::new(),
            page: PageTexts::default(),
            worlds: Vec::new(),
            threads: 0,
            max_batch: schedule::DEFAULT_MAX_BATCH,
            pin: Pin::Auto,
            max_removed: Limit::Percent(50.0),
            staged: None,
            shard: None,
            moment: MomentSettings::default(),
            zoom_in: 0,
            sure: false,
            force: false,
            check: Check::Quick,
        }
    }

    /// Returns the number of zoom levels drawn beside the native one; `None`: all of them.
    pub(crate) const fn outer_levels(&self) -> Option<usize> {
        match (self.mode, self.picture.size) {
            (Mode::Map | Mode::Archive, _) | (Mode::Image, Size::Width(_) | Size::Fit(..)) => None,
            (Mode::Image, Size::Scale(Scale::Halved(halvings))) => Some(halvings as usize),
            (Mode::Image | Mode::Regions { .. }, _) => Some(0),
        }
    }

    /// Returns the zoom levels that are drawn with textures, where a layer has some.
    pub(crate) const fn inner_zooms(&self) -> RangeInclusive<u8> {
        let innermost = NATIVE_ZOOM + self.zoom_in;
        match self.mode {
            Mode::Image if self.zoom_in > 0 => innermost..=innermost,
            Mode::Map | Mode::Image | Mode::Archive | Mode::Regions { .. } => NATIVE_ZOOM + 1..=innermost,
        }
    }

    /// Returns the settings by which jobs are given to `threads` workers.
    pub(crate) fn schedule(&self, threads: usize) -> schedule::ScheduleSettings {
        schedule::ScheduleSettings { threads, max_batch: self.max_batch, pin: self.pin }
    }

    /// Returns whether something must not be shown.
    pub(crate) const fn is_hiding(&self) -> bool {
        !self.hide.is_empty() || self.min_inhabited > 0
    }

    /// Returns whether the tiles of a map wait until all has succeeded. Those of a map that is only exported need not.
    pub(crate) fn is_staged(&self) -> bool {
        self.staged.is_some() && self.mode == Mode::Map
    }

    /// Returns whether unchanged regions are drawn, too. Of a map that is only exported nothing is recorded.
    pub(crate) fn is_forced(&self) -> bool {
        self.force || self.mode != Mode::Map
    }
}

/// The moment that a run makes of a map with history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MomentSettings {
    /// Begins the history of a map that has none.
    pub begins: bool,
    /// When the world was as it is, in seconds since 1970; `None`: when it was last played.
    pub time: Option<i64>,
    pub label: Option<String>,
    /// Changes at a time that is not later than the last moment belong to that one: a game is writing the world, or only
    /// markers are made again.
    pub follows: bool,
}

/// The ways to find unchanged regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// By the stamps and the header of a file; by its content where these are not enough.
    Quick,
    /// By the content of every file.
    Content,
}
