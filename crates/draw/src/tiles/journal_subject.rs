//! The subject of an entry of the journal: the tiles of a map layer, its inner tiles, or the
//! markers of a dimension.

use crate::request::layers::{MapLayer, MapLayers};

#[derive(Debug, Clone, Copy)]
pub(crate) enum JournalSubject {
    Tiles(MapLayer),
    /// The markers of the dimension with this number in the plan.
    Markers(usize),
    /// The tiles of a map layer at higher zoom levels than the native one.
    Inner(MapLayer),
}

impl JournalSubject {
    /// Returns the subjects of a map in the order of its keys: first all map layers, then the
    /// markers of each dimension, then the inner tiles of all map layers. A map without layers has
    /// no keys for the last two.
    pub(crate) fn all(map_layers: &MapLayers) -> impl Iterator<Item = Self> {
        let markers = (0..map_layers.dimensions()).map(Self::Markers);
        map_layers
            .all()
            .map(Self::Tiles)
            .chain(markers)
            .chain(map_layers.all().map(Self::Inner))
    }

    pub(crate) const fn dimension(self) -> usize {
        match self {
            Self::Tiles(map_layer) | Self::Inner(map_layer) => map_layer.dimension,
            Self::Markers(dimension) => dimension,
        }
    }
}
