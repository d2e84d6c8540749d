//! A layer of a map: painted of blocks, or of pictures that are there already.

use crate::paint::layers::{InnerTone, Layer, Legend};
use crate::tile::{Pixel, Samples};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ShownLayer {
    Painted(Layer),
    /// Pictures under a name. `heights`: the lowest and the highest y that they show, if not all.
    Taken {
        name: String,
        heights: Option<[i32; 2]>,
    },
}

impl ShownLayer {
    /// The name in paths and in `map.json`.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Painted(layer) => layer.name(),
            Self::Taken { name, .. } => name,
        }
    }

    /// The layer, if it is painted.
    pub(crate) const fn painted(&self) -> Option<Layer> {
        match self {
            Self::Painted(layer) => Some(*layer),
            Self::Taken { .. } => None,
        }
    }

    /// The lowest and the highest y that it shows; `None`: all.
    pub(crate) const fn heights(&self) -> Option<[i32; 2]> {
        match self {
            Self::Painted(_) => None,
            Self::Taken { heights, .. } => *heights,
        }
    }

    /// Returns whether it can show anything of a dimension.
    pub(crate) fn shows_dimension(&self, dimension: &str) -> bool {
        self.painted().is_none_or(|layer| layer.shows_dimension(dimension))
    }

    /// The light in which its inner tiles show textures; `None`: it has none.
    pub(crate) fn inner_tone(&self) -> Option<InnerTone> {
        self.painted().and_then(Layer::inner_tone)
    }

    /// Returns whether its tiles are no pictures, but files with a form of their own.
    pub(crate) fn is_details(&self) -> bool {
        self.painted().is_some_and(Layer::is_details)
    }

    /// Returns whether it is made to lie over another layer.
    pub(crate) fn is_overlay(&self) -> bool {
        self.painted().is_some_and(Layer::is_overlay)
    }

    /// The number for height 0; `None`: its pixels are no numbers.
    pub(crate) fn number_of_zero(&self) -> Option<i32> {
        self.painted().and_then(Layer::number_of_zero)
    }

    pub(crate) fn samples(&self) -> Samples {
        self.painted().map_or(Samples::Colours, Layer::samples)
    }

    /// The meaning of its colours on a map with these names; empty if they need no legend.
    pub(crate) fn legend<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Vec<Legend> {
        self.painted().map_or_else(Vec::new, |layer| layer.legend(names))
    }

    /// The colour of a name; `None`: the legend does not depend on names.
    pub(crate) fn colour_of_name(&self, name: &str) -> Option<Pixel> {
        self.painted().and_then(|layer| layer.colour_of_name(name))
    }
}
