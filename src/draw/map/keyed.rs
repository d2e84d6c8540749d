//! What the entries of the journal are of.

use crate::draw::prepare::layers::{MapLayer, MapLayers};

/// What the entries of a key of the journal are of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Keyed {
    Tiles(MapLayer),
    /// The markers of the dimension with this number in the plan.
    Markers(usize),
}

impl Keyed {
    /// What the keys of a map are of, in their order: first all map layers, then the markers of each dimension, which a
    /// map without layers does not have.
    pub(crate) fn all(map_layers: &MapLayers) -> impl Iterator<Item = Self> {
        map_layers.all().map(Self::Tiles).chain((0..map_layers.dimensions()).map(Self::Markers))
    }

    pub(crate) const fn map_layer(self) -> Option<MapLayer> {
        match self {
            Self::Tiles(map_layer) => Some(map_layer),
            Self::Markers(_) => None,
        }
    }

    pub(crate) const fn dimension(self) -> usize {
        match self {
            Self::Tiles(map_layer) => map_layer.dimension,
            Self::Markers(dimension) => dimension,
        }
    }
}
