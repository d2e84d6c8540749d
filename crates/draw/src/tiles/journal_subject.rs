//! The subject of an entry of the journal: the tiles of a map layer, its inner tiles, or the
//! regions or markers of a dimension.

use crate::request::layers::{MapLayer, MapLayers};

#[derive(Debug, Clone, Copy)]
pub(crate) enum JournalSubject {
    Tiles(MapLayer),
    /// The facts of the regions of the dimension with this number in the plan.
    Regions(usize),
    /// The markers of the dimension with this number in the plan.
    Markers(usize),
    /// The tiles of a map layer at higher zoom levels than the native one.
    Inner(MapLayer),
}

impl JournalSubject {
    /// Returns the subjects of a map in the order of its keys: first all map layers, then the
    /// regions of each dimension, their markers, and the inner tiles of all map layers. A map of
    /// existing pictures has only the first ones.
    pub(crate) fn all(map_layers: &MapLayers) -> impl Iterator<Item = Self> {
        let dimensions = 0..map_layers.dimensions();
        map_layers
            .all()
            .map(Self::Tiles)
            .chain(dimensions.clone().map(Self::Regions))
            .chain(dimensions.map(Self::Markers))
            .chain(map_layers.all().map(Self::Inner))
    }

    /// Returns the subject's number in the order of [`Self::all`].
    pub(crate) fn number(self, map_layers: &MapLayers) -> usize {
        let layers = map_layers.all().count();
        let dimensions = map_layers.dimensions();
        match self {
            Self::Tiles(map_layer) => map_layers.number(map_layer),
            Self::Regions(dimension) => layers + dimension,
            Self::Markers(dimension) => layers + dimensions + dimension,
            Self::Inner(map_layer) => layers + 2 * dimensions + map_layers.number(map_layer),
        }
    }

    pub(crate) const fn dimension(self) -> usize {
        match self {
            Self::Tiles(map_layer) | Self::Inner(map_layer) => map_layer.dimension,
            Self::Regions(dimension) | Self::Markers(dimension) => dimension,
        }
    }
}
