//! What a render is asked for.

use std::path::PathBuf;

use crate::coord::{Area, YRange};
use crate::export::Scale;
use crate::layer::{Choices, Layer};
use crate::pipeline::prepare::colours::Colours;
use crate::pipeline::prepare::hide::Hide;
use crate::publish::{AskedNaming, Content, Format};
use crate::report::{Limit, Thresholds};
use crate::schedule::{self, Pin};

/// What is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Tiles and zoom levels in a folder, with a viewer.
    Map,
    /// One picture of one layer of one dimension.
    Image(Image),
    /// The tiles and zoom levels of one layer of one dimension in one file, a `PMTiles` archive.
    Archive,
    /// A picture a region in a folder, each with the pixels of the region's tile.
    Regions {
        /// Whether they lie in folders `<dimension>/<layer>`: there may be several of them.
        by_layer: bool,
    },
}

impl Mode {
    /// What the output folder holds, if it is one of regions.
    pub(super) const fn regions(self) -> Option<Content> {
        match self {
            Self::Map | Self::Image(_) | Self::Archive => None,
            Self::Regions { by_layer: false } => Some(Content::Regions),
            Self::Regions { by_layer: true } => Some(Content::RegionsByLayer),
        }
    }

    /// How many zoom levels beside the native one are drawn, where not all are.
    pub(super) const fn outer_levels(self) -> Option<usize> {
        match self {
            Self::Map | Self::Archive => None,
            Self::Image(Image { scale: Scale::Halved(halvings), .. }) => Some(halvings as usize),
            Self::Image(_) | Self::Regions { .. } => Some(0),
        }
    }
}

/// What a picture is asked to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image {
    /// What the file is.
    pub format: Format,
    /// Pixels a block.
    pub scale: Scale,
    /// Whether it shows all regions, however far from each other, where no area is named.
    pub all: bool,
    /// Whether it is drawn however large it is.
    pub sure: bool,
}

/// What a render is asked for.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What is made.
    pub mode: Mode,
    /// The output folder, or the file.
    pub output: PathBuf,
    /// Dimensions as the user named them; none: all there are.
    pub dimensions: Vec<String>,
    /// The layers to draw, each once.
    pub layers: Vec<Layer>,
    /// How their tiles are named; what is not said a map that is there decides.
    pub naming: AskedNaming,
    /// How they look.
    pub choices: Choices,
    /// The columns to draw; none: all.
    pub area: Option<Area>,
    /// The heights looked at.
    pub range: YRange,
    /// The colours.
    pub colours: Colours,
    /// Whether chunks are drawn that the game has not finished.
    pub unfinished: bool,
    /// What must not be shown.
    pub hide: Vec<Hide>,
    /// How many seconds players must have been in a chunk, all of them added up, for it to be shown.
    pub min_inhabited: u32,
    /// The number of workers; 0: the CPUs this process may use.
    pub threads: usize,
    /// The most jobs a worker pulls at once.
    pub max_batch: usize,
    /// Where workers sit.
    pub pin: Pin,
    /// The most tiles that may be removed.
    pub max_removed: Limit,
    /// What must hold for anything to be published; `None`: each tile is published when it is drawn.
    pub staged: Option<Thresholds>,
    /// Whether to draw what is unchanged too.
    pub force: bool,
    /// How unchanged regions are told.
    pub check: Check,
}

impl Settings {
    /// Everything as the command line has it by default: layer `day` of all dimensions, by all CPUs.
    pub fn new(mode: Mode, output: PathBuf) -> Self {
        Self {
            mode,
            output,
            dimensions: Vec::new(),
            layers: vec![Layer::default()],
            naming: AskedNaming::default(),
            choices: Choices::default(),
            area: None,
            range: YRange::ALL,
            colours: Colours::default(),
            unfinished: false,
            hide: Vec::new(),
            min_inhabited: 0,
            threads: 0,
            max_batch: schedule::DEFAULT_MAX_BATCH,
            pin: Pin::Auto,
            max_removed: Limit::Percent(50.0),
            staged: None,
            force: false,
            check: Check::Quick,
        }
    }

    /// How jobs are handed to so many workers.
    pub(super) fn schedule(&self, threads: usize) -> schedule::Settings {
        schedule::Settings { threads, max_batch: self.max_batch, pin: self.pin }
    }

    /// Returns whether nothing is published until all has succeeded.
    pub(super) const fn is_staged(&self) -> bool {
        self.staged.is_some()
    }
}

/// How unchanged regions are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// By the stamps and the header of a file; by its content where these are not enough.
    Quick,
    /// By the content of every file.
    Content,
}
