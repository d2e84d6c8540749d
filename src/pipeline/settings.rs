//! What a render is asked for.

use std::path::PathBuf;

use super::colours::Colours;
use super::hiding::Hide;
use crate::coord::{Area, YRange};
use crate::layer::{Choices, Layer};
use crate::plan::Scale;
use crate::publish::{Content, Format, Naming};
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
    /// What an output folder holds then.
    pub const fn content(self) -> Content {
        match self {
            Self::Map | Self::Image(_) | Self::Archive => Content::Map,
            Self::Regions { by_layer: false } => Content::Regions,
            Self::Regions { by_layer: true } => Content::RegionsByLayer,
        }
    }
}

/// How what is drawn is held back until all has succeeded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Staged {
    /// By itself: it is published if it is as it is asked for.
    Alone(Thresholds),
    /// With other maps in the same folder: it is drawn, and waits. Whoever asked for all of them judges them.
    Waits,
    /// It waited with others, and is published now.
    Published {
        /// Whether it is the last of them: what waits then is nobody's.
        is_last: bool,
    },
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
    /// How their tiles are named.
    pub naming: Naming,
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
    /// Whether nothing is to be published until all has succeeded, and how.
    pub staged: Option<Staged>,
    /// Whether to draw what is unchanged too.
    pub force: bool,
    /// How unchanged regions are told.
    pub check: Check,
    /// Whether the report is to name the files of a map that were written and removed.
    pub list_files: bool,
    /// What is to be kept in a map's folder of how it was drawn, for whoever wants to draw the same again.
    pub call: Option<String>,
}

impl Settings {
    /// How jobs are handed to so many workers.
    pub(super) fn schedule(&self, threads: usize) -> schedule::Settings {
        schedule::Settings { threads, max_batch: self.max_batch, pin: self.pin }
    }

    /// What tiles of colours are, or the picture.
    pub fn format(&self) -> Format {
        match self.mode {
            Mode::Image(image) => image.format,
            Mode::Map | Mode::Archive | Mode::Regions { .. } => self.naming.format,
        }
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
