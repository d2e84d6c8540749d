//! The differences between two renders.

use serde::Serialize;

use crate::atlas::TilePair;
use pixelmap_base::coord::Area;

/// The layer that is shown first, because people know it best.
const FIRST_SHOWN: &str = "day";

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The differences per layer: first the layers of the second map in its order, then the removed
    /// ones. Pictures have one entry.
    pub layers: Vec<LayerDifference>,
}

/// The differences in one layer of one dimension.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayerDifference {
    /// The dimension, or `None` for a picture without stored facts.
    pub dimension: Option<String>,
    /// The layer, or `None` for a picture without stored facts.
    pub layer: Option<String>,
    /// The change, or `None` if the layer is the same. A layer that only one side has is added or
    /// removed.
    pub change: Option<Change>,
    /// The numbers of native tiles in the area. A picture counts as one tile.
    pub tiles: DifferenceCounts,
    /// The number of native pixels that differ by more than the tolerance, or `None` if a side is a
    /// manifest.
    pub pixels_changed: Option<u64>,
    /// The number of native pixels that are drawn on either side. Only counted if anything differs.
    pub pixels_drawn: Option<u64>,
    /// The changed pixels as a percentage of the drawn ones, if both are known.
    pub percent: Option<f64>,
    /// The smallest rectangle of blocks around all differences.
    pub bounds: Option<[i32; 4]>,
    /// The tiles that differ, in order.
    pub changed: Vec<ChangedImage>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct DifferenceCounts {
    pub same: u64,
    pub changed: u64,
    pub added: u64,
    pub removed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// Both sides have it, with different pixels.
    Changed,
    /// Only the second side has it.
    Added,
    /// Only the first side has it.
    Removed,
}

impl Change {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Added => "added",
            Self::Removed => "removed",
        }
    }
}

/// A tile that differs, or a picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedImage {
    /// The zoom level, x and y in its path, or `None` for a picture. A zoom level other than the
    /// native one means that the tile differs although the native tiles of its area are equal.
    pub tile: Option<[i32; 3]>,
    pub change: Change,
    /// The smallest rectangle of blocks around the pixels that differ, half-open: x0, z0, x1, z1.
    /// Covers all compared pixels of the tile if a side is a manifest.
    pub bounds: [i32; 4],
    /// The number of pixels that differ, or `None` if a side is a manifest.
    pub pixels: Option<u64>,
    /// The largest difference of a channel or number.
    pub largest: Option<u16>,
    /// The same as `bounds`, but in pixels for a picture.
    #[serde(skip)]
    pub(super) rect: Area,
    /// Its records in both manifests.
    #[serde(skip)]
    pub(super) pair: Option<TilePair>,
}

impl Difference {
    /// Returns the number of pixels that differ in all layers. A tile that was compared by manifest
    /// counts as one.
    pub fn pixels(&self) -> u64 {
        self.layers.iter().map(LayerDifference::pixels).sum()
    }

    /// Returns whether only one side has some layer.
    pub fn has_unpaired_layer(&self) -> bool {
        self.layers
            .iter()
            .any(|layer| matches!(layer.change, Some(Change::Added | Change::Removed)))
    }

    /// Returns the number of native tiles in all layers.
    pub fn tiles(&self) -> u64 {
        self.layers.iter().map(LayerDifference::tiles).sum()
    }

    /// Returns the number of pixels drawn on either side, in the layers where they were counted.
    pub fn pixels_drawn(&self) -> u64 {
        self.layers
            .iter()
            .filter_map(|layer| layer.pixels_drawn)
            .sum()
    }

    /// Returns the number of the layer to show first, or `None` if no layer differs. Prefers layers
    /// `day`, and among them (or among all, if no `day` differs) the one with the most changed
    /// pixels.
    pub fn first_to_show(&self) -> Option<usize> {
        let changed =
            (0..self.layers.len()).filter(|&number| !self.layers[number].changed.is_empty());
        changed.max_by_key(|&number| {
            let layer = &self.layers[number];
            (
                layer.is_shown_first(),
                layer.pixels(),
                std::cmp::Reverse(number),
            )
        })
    }
}

impl LayerDifference {
    /// Returns the number of pixels that differ. A tile that was compared by manifest counts as
    /// one.
    pub fn pixels(&self) -> u64 {
        self.changed
            .iter()
            .map(|changed| changed.pixels.unwrap_or(1))
            .sum()
    }

    /// Returns whether it is shown before other layers.
    pub fn is_shown_first(&self) -> bool {
        self.layer.as_deref() == Some(FIRST_SHOWN)
    }

    /// Returns the number of native tiles on either side.
    pub fn tiles(&self) -> u64 {
        let DifferenceCounts {
            same,
            changed,
            added,
            removed,
        } = self.tiles;
        same + changed + added + removed
    }

    /// Returns the native tiles that differ as a percentage of all native tiles.
    pub fn tile_percent(&self) -> f64 {
        percent(self.tiles() - self.tiles.same, self.tiles())
    }

    pub(super) fn share(&self) -> Option<f64> {
        match (self.pixels_changed?, self.pixels_drawn) {
            (0, _) => Some(0.0),
            (changed, drawn) => Some(percent(changed, drawn?)),
        }
    }

    pub(super) fn rect(&self) -> Option<Area> {
        self.changed
            .iter()
            .map(|changed| changed.rect)
            .reduce(Area::union)
    }
}

pub(super) fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

pub(super) fn numbers(area: Area) -> [i32; 4] {
    [area.x0, area.z0, area.x1, area.z1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layer_day_is_shown_before_other_layers() {
        let rect = Area {
            x0: 0,
            z0: 0,
            x1: 9,
            z1: 9,
        };

        let layer = |name: &str, pixels: u64| {
            let (change, bounds) = (Change::Changed, numbers(rect));
            let changed = ChangedImage {
                tile: None,
                change,
                bounds,
                pixels: Some(pixels),
                largest: None,
                rect,
                pair: None,
            };

            LayerDifference {
                dimension: None,
                layer: Some(name.to_owned()),
                change: (pixels > 0).then_some(change),
                tiles: DifferenceCounts::default(),
                pixels_changed: Some(pixels),
                pixels_drawn: None,
                percent: None,
                bounds: Some(bounds),
                changed: if pixels > 0 {
                    vec![changed]
                } else {
                    Vec::new()
                },
            }
        };

        let first = |layers: [(&str, u64); 3]| {
            let layers: Vec<LayerDifference> = layers
                .iter()
                .map(|(name, pixels)| layer(name, *pixels))
                .collect();
            Difference { layers }.first_to_show()
        };

        assert_eq!(first([("height", 9), ("day", 1), ("day", 2)]), Some(2));
        assert_eq!(first([("height", 9), ("day", 0), ("night", 10)]), Some(2));
        assert_eq!(first([("height", 9), ("night", 9), ("cave", 9)]), Some(0));
        assert_eq!(first([("height", 0), ("day", 0), ("night", 0)]), None);
    }
}
