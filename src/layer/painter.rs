//! Which layers there are, and who paints them. A layer is a file of its own in this room and a line in each of the
//! lists below.

use std::sync::Arc;

use super::biome::Biomes;
use super::cave::Caves;
use super::day::Day;
use super::height::Heights;
use super::night::Night;
use super::paints::Paints;
use super::row::Row;
use super::slime::{self, Slimes};
use super::{height16, inhabited, version};
use crate::block::Book;
use crate::palette::Palette;
use crate::surface::View;
use crate::tile::{Pixel, Samples};

/// A layer of the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    /// The map by daylight; under the ceiling where the dimension has one.
    Day,
    /// The same at night, lit by what shines.
    Night,
    /// The same by day from above everything: the ceiling itself, where there is one.
    Roof,
    /// What lies under the land: the floor of the topmost hollow.
    Cave,
    /// Heights in tints.
    Height,
    /// Heights as numbers, for other programs.
    Height16,
    /// Biomes, each with a colour of its own.
    Biome,
    /// Which version of the game saved each chunk last.
    Version,
    /// How long players were in each chunk.
    Inhabited,
    /// Where slimes come, to be laid over another layer.
    Slime,
}

impl Layer {
    /// All of them, in the order in which a map lists them.
    pub const ALL: [Self; 10] = [
        Self::Day,
        Self::Night,
        Self::Roof,
        Self::Cave,
        Self::Height,
        Self::Height16,
        Self::Biome,
        Self::Version,
        Self::Inhabited,
        Self::Slime,
    ];

    /// The name in commands, in paths and in `map.json`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Night => "night",
            Self::Roof => "roof",
            Self::Cave => "cave",
            Self::Height => "height",
            Self::Height16 => "height16",
            Self::Biome => "biome",
            Self::Version => "version",
            Self::Inhabited => "inhabited",
            Self::Slime => "slime",
        }
    }

    /// What it shows, in a line for people.
    pub const fn shows(self) -> &'static str {
        match self {
            Self::Day => "The land by daylight; under the ceiling where a dimension has one",
            Self::Night => "The same land at night, lit by torches and lava; shows where players live",
            Self::Roof => "The land seen from above everything, a ceiling too",
            Self::Cave => "The topmost hollow under the land, the deeper the bluer; shows where players live",
            Self::Height => "Heights in tints, from the deep to the peaks",
            Self::Height16 => {
                "Heights for other programs: 16-bit grey PNG, the highest block's y + 2048, 0 where nothing stands"
            }
            Self::Biome => "Biomes, each with a colour of its own",
            Self::Version => "Which version of the game saved each chunk last; shows where players live",
            Self::Inhabited => "How long players were in each chunk; shows where players live",
            Self::Slime => {
                "The overworld's slime chunks, to lie over another layer; lets others work out the world's seed"
            }
        }
    }

    /// From where it looks at a dimension.
    pub const fn view(self, has_ceiling: bool) -> View {
        match self {
            Self::Day | Self::Night | Self::Biome if has_ceiling => View::UnderCeiling,
            Self::Cave if has_ceiling => View::HollowUnderCeiling,
            Self::Cave => View::Hollow,
            Self::Height16 => View::Highest,
            _ => View::Sky,
        }
    }

    /// Whether it has to know the light that falls on columns.
    pub const fn is_lit(self) -> bool {
        matches!(self, Self::Night)
    }

    /// Whether it is to be laid over another layer.
    pub const fn is_overlay(self) -> bool {
        matches!(self, Self::Slime)
    }

    /// Whether it has anything to show of a dimension.
    pub fn is_of(self, dimension: &str) -> bool {
        self != Self::Slime || dimension == "overworld"
    }

    /// Where its pixels are heights for programs, the number that stands for height 0.
    pub const fn number_of_zero(self) -> Option<i32> {
        match self {
            Self::Height16 => Some(height16::ZERO),
            _ => None,
        }
    }

    /// What its pixels are.
    pub const fn samples(self) -> Samples {
        if self.number_of_zero().is_some() { Samples::Numbers } else { Samples::Colours }
    }
}

/// What a user chooses of how layers look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Choices {
    /// Blocks between two contour lines of [`Layer::Height`]; 0: no lines.
    pub contours: u16,
}

impl Choices {
    /// Those that a layer's pixels depend on.
    pub fn of(self, layer: Layer) -> Self {
        if layer == Layer::Height { self } else { Self::default() }
    }
}

/// Paints one layer, with what it remembers from chunk to chunk.
#[derive(Debug)]
pub enum Painter {
    /// [`Layer::Day`] and [`Layer::Roof`].
    Day(Box<Day>),
    /// [`Layer::Night`].
    Night(Box<Night>),
    /// [`Layer::Cave`].
    Cave(Box<Caves>),
    /// [`Layer::Height`].
    Height(Heights),
    /// [`Layer::Height16`].
    Height16,
    /// [`Layer::Biome`].
    Biome(Biomes),
    /// [`Layer::Version`].
    Version,
    /// [`Layer::Inhabited`].
    Inhabited,
    /// [`Layer::Slime`]; none: in no dimension that is drawn.
    Slime(Option<Slimes>),
}

impl Painter {
    /// The painter of a layer, with the colours of `palette`.
    pub fn new(layer: Layer, choices: Choices, palette: &Arc<Palette>, slimes: Option<Slimes>) -> Self {
        let day = || Day::new(Paints::new(palette.clone()));
        match layer {
            Layer::Day | Layer::Roof => Self::Day(Box::new(day())),
            Layer::Night => Self::Night(Box::new(Night::new(day()))),
            Layer::Cave => Self::Cave(Box::new(Caves::new(palette))),
            Layer::Height => Self::Height(Heights::new(choices.contours)),
            Layer::Height16 => Self::Height16,
            Layer::Biome => Self::Biome(Biomes::default()),
            Layer::Version => Self::Version,
            Layer::Inhabited => Self::Inhabited,
            Layer::Slime => Self::Slime(slimes),
        }
    }

    /// The names of what was painted since it was last asked, of a layer whose legend hangs on them.
    pub fn take_names(&mut self, book: &mut Book) -> Vec<Arc<str>> {
        if let Self::Biome(biomes) = self { biomes.take_names(book) } else { Vec::new() }
    }

    /// Paints a row of chunks onto `pixels`, 16 rows of a tile. Columns in which nothing stands are left as they are.
    pub fn paint(&mut self, row: &Row<'_>, book: &mut Book, pixels: &mut [Pixel]) {
        match self {
            Self::Day(day) => day.draw(row, book, pixels),
            Self::Night(night) => night.draw(row, book, pixels),
            Self::Cave(caves) => caves.draw(row, book, pixels),
            Self::Height(heights) => heights.draw(row, pixels),
            Self::Height16 => height16::draw(row, pixels),
            Self::Biome(biomes) => biomes.draw(row, book, pixels),
            Self::Version => version::draw(row, pixels),
            Self::Inhabited => inhabited::draw(row, pixels),
            Self::Slime(slimes) => slimes.iter().for_each(|&slimes| slime::draw(slimes, row, pixels)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_is_listed_once_in_order() {
        assert!(Layer::ALL.windows(2).all(|pair| pair[0] < pair[1]));
        let mut names: Vec<_> = Layer::ALL.map(Layer::name).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Layer::ALL.len());
    }

    #[test]
    fn only_what_looks_at_the_land_looks_under_a_ceiling() {
        let under = Layer::ALL.into_iter().filter(|layer| layer.view(true).is_under_ceiling());
        assert_eq!(under.collect::<Vec<_>>(), [Layer::Day, Layer::Night, Layer::Cave, Layer::Biome]);
        let below = Layer::ALL.into_iter().filter(|layer| layer.view(false).land().is_some());
        assert_eq!(below.collect::<Vec<_>>(), [Layer::Cave]);
        assert!(Layer::ALL.into_iter().all(|layer| !layer.view(false).is_under_ceiling()));
    }
}
