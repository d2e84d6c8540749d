//! A difference with its verdict, and the tiles that differ most.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use pixelmap_map::compare::Difference;

use crate::cli::DiffArgs;

/// The maximum number of pictures in a Markdown summary, and of tiles in other texts.
pub(super) const MAX_CROPS: usize = 12;

/// A difference, and the verdict about it.
pub(super) struct JudgedDifference<'a> {
    pub(super) args: &'a DiffArgs,
    pub(super) difference: Difference,
    pub(super) same: bool,
    pub(super) suite: String,
    /// The unit that is counted in addition to pixels: `tile` or `picture`.
    pub(super) unit: &'static str,
}

/// A tile that differs in one or more layers: its number in the layer to show, and the names of the
/// other layers.
pub(super) struct DifferingTile {
    pub(super) layer: usize,
    pub(super) changed: usize,
    pub(super) also: Vec<String>,
}

impl JudgedDifference<'_> {
    /// Returns whether pixels were compared, rather than only manifests.
    pub(super) fn has_pixels(&self) -> bool {
        self.difference
            .layers
            .iter()
            .all(|layer| layer.pixels_changed.is_some())
    }

    /// Returns the tiles with most differences, the largest first. Each tile is listed once, even if
    /// several layers differ in it.
    pub(super) fn differing_tiles(&self) -> Vec<DifferingTile> {
        let layers = &self.difference.layers;
        let mut by_tile: BTreeMap<_, Vec<(usize, usize)>> = BTreeMap::new();
        for (number, layer) in layers.iter().enumerate() {
            for (changed, tile) in layer.changed.iter().enumerate() {
                by_tile
                    .entry((&layer.dimension, tile.tile))
                    .or_default()
                    .push((number, changed));
            }
        }

        let mut tiles: Vec<Vec<(usize, usize)>> = by_tile.into_values().collect();
        tiles.sort_by_key(|in_layers| Reverse(in_layers.iter().map(|at| self.pixels(*at)).max()));
        tiles.truncate(MAX_CROPS);
        tiles
            .iter()
            .filter_map(|in_layers| self.differing_tile(in_layers))
            .collect()
    }

    /// Chooses the layer to show of the layers that differ in a tile. `in_layers` has their
    /// numbers, each with the number of the tile among the layer's changed tiles.
    fn differing_tile(&self, in_layers: &[(usize, usize)]) -> Option<DifferingTile> {
        let layers = &self.difference.layers;
        let &(layer, changed) = in_layers.iter().max_by_key(|&&(layer, changed)| {
            let is_first = layers[layer].is_shown_first();
            (is_first, self.pixels((layer, changed)), Reverse(layer))
        })?;

        let others = in_layers.iter().filter(|at| at.0 != layer);
        Some(DifferingTile {
            layer,
            changed,
            also: others.filter_map(|at| layers[at.0].layer.clone()).collect(),
        })
    }

    fn pixels(&self, (layer, changed): (usize, usize)) -> Option<u64> {
        self.difference.layers[layer].changed[changed].pixels
    }

    /// Returns the number of tiles that differ, each counted once for all layers.
    pub(super) fn differing_tile_count(&self) -> usize {
        let layers = self.difference.layers.iter();
        let tiles = layers.flat_map(|layer| {
            layer
                .changed
                .iter()
                .map(|changed| (&layer.dimension, changed.tile))
        });
        tiles.collect::<BTreeSet<_>>().len()
    }
}
