//! A layer of a map, which is either painted from the blocks of a world or made from existing
//! pictures.

use pixelmap_paint::layers::Layer;
use pixelmap_paint::layers::{InnerTone, Legend};
use pixelmap_tile::{Pixel, Samples};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ShownLayer {
    Painted(Layer),
    /// A layer of existing pictures. `heights` are the lowest and the highest y that they show, or
    /// `None` for all.
    Taken {
        name: String,
        heights: Option<[i32; 2]>,
    },
}

impl ShownLayer {
    /// Returns the layer's name in paths and in `map.json`.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Painted(layer) => layer.name(),
            Self::Taken { name, .. } => name,
        }
    }

    /// Returns the layer if it is painted.
    pub(crate) const fn painted(&self) -> Option<Layer> {
        match self {
            Self::Painted(layer) => Some(*layer),
            Self::Taken { .. } => None,
        }
    }

    /// Returns the lowest and the highest y that the layer shows, or `None` for all.
    pub(crate) const fn heights(&self) -> Option<[i32; 2]> {
        match self {
            Self::Painted(_) => None,
            Self::Taken { heights, .. } => *heights,
        }
    }

    /// Returns whether the layer can show anything of a dimension.
    pub(crate) fn shows_dimension(&self, dimension: &str) -> bool {
        self.painted()
            .is_none_or(|layer| layer.shows_dimension(dimension))
    }

    /// Returns the light in which the layer's inner tiles show textures, or `None` if it has no
    /// inner tiles.
    pub(crate) fn inner_tone(&self) -> Option<InnerTone> {
        self.painted().and_then(Layer::inner_tone)
    }

    /// Returns whether the layer's tiles are files of details instead of pictures.
    pub(crate) fn is_details(&self) -> bool {
        self.painted().is_some_and(Layer::is_details)
    }

    /// Returns whether the layer shows how another layer differs from the published map.
    pub(crate) fn compares_runs(&self) -> bool {
        self.painted().is_some_and(Layer::compares_runs)
    }

    /// Returns whether the layer needs the light that chunks store.
    pub(crate) fn is_lit(&self) -> bool {
        self.painted().is_some_and(Layer::is_lit)
    }

    /// Returns whether the layer is meant to be shown on top of another one.
    pub(crate) fn is_overlay(&self) -> bool {
        self.painted().is_some_and(Layer::is_overlay)
    }

    /// Returns the pixel value for height 0, or `None` if the pixels are not numbers.
    pub(crate) fn number_of_zero(&self) -> Option<i32> {
        self.painted().and_then(Layer::number_of_zero)
    }

    pub(crate) fn samples(&self) -> Samples {
        self.painted().map_or(Samples::Colours, Layer::samples)
    }

    /// Returns the meaning of the layer's colours on a map with these names. Empty if it needs no
    /// legend.
    pub(crate) fn legend<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Vec<Legend> {
        self.painted()
            .map_or_else(Vec::new, |layer| layer.legend(names))
    }

    /// Returns the colour of a name, or `None` if the legend does not depend on names.
    pub(crate) fn colour_of_name(&self, name: &str) -> Option<Pixel> {
        self.painted().and_then(|layer| layer.colour_of_name(name))
    }
}
