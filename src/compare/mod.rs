//! Differences between two renders, or between a render and its manifest.
//!
//! Manifests first: tiles whose `pixels` are the same number are the same, and are not opened. The pixels of the others
//! are compared tile by tile, so that memory grows with the workers and the manifests, not with the pixels. Counts are
//! those of the native zoom level; a tile further out that differs only because of what is below it is not counted
//! again. A check of a map against its manifests reads every byte of every tile. Knows no worlds: a map is a folder.

mod columns;
mod digest;
mod heat;
mod lists;
mod maps;
mod panels;
mod picture;
mod pixels;
mod side;
mod trouble;
mod verify;

pub use digest::digest;
pub use heat::heatmap;
pub use lists::{Lists, list_differences};
pub use panels::{DifferencePart, LARGE, MEDIUM, Panels, SMALL, is_shown, show_part};
pub use picture::PictureFile;
pub use side::{Side, Sides};
pub use trouble::Trouble;
pub use verify::{Problem, Verification, Wrong, verify};

use serde::Serialize;

use crate::atlas::TilePair;
use crate::base::coord::Area;

/// The layer that people know best.
const FIRST_SHOWN: &str = "day";

/// The renders' parts to compare, and the tolerance.
#[derive(Debug, Clone, Default)]
pub struct CompareRequest {
    /// The dimensions, by their ids; none: all.
    pub dimensions: Vec<String>,
    /// The layers, by their ids; none: all.
    pub layers: Vec<String>,
    /// The columns; none: all. Of a picture without stored facts, its pixels.
    pub area: Option<Area>,
    /// Columns that are not compared. Of a picture without stored facts, its pixels.
    pub ignore: Vec<Area>,
    /// The largest difference of a channel, or of a number, that counts as the same.
    pub tolerance: u16,
    /// Workers, at least 1.
    pub threads: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// By layer, in the order of the second map; of pictures one.
    pub layers: Vec<LayerDifference>,
}

/// The differences in one layer of one dimension.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayerDifference {
    /// The dimension; `None`: a picture without stored facts.
    pub dimension: Option<String>,
    /// The layer; `None`: a picture without stored facts.
    pub layer: Option<String>,
    /// The change; `None`: it is the same. A layer that only one of the two shows is added or removed.
    pub change: Option<Change>,
    /// Native tiles in the area; a picture is one.
    pub tiles: DifferenceCounts,
    /// Native pixels that differ by more than the tolerance; `None`: compared with a manifest alone.
    pub pixels_changed: Option<u64>,
    /// Native pixels that are drawn in either, counted where anything differs.
    pub pixels_drawn: Option<u64>,
    /// The pixels that differ as a percentage of those drawn, where both are known.
    pub percent: Option<f64>,
    /// The smallest rectangle of blocks around all differences.
    pub bounds: Option<[i32; 4]>,
    /// The tiles that differ, in order.
    pub changed: Vec<Changed>,
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
    /// It is in both, with other pixels.
    Changed,
    /// It is in the second alone.
    Added,
    /// It is in the first alone.
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
pub struct Changed {
    /// Its zoom level, x and y in its path; `None`: a picture. Another zoom level than the native one
    /// means that the tile differs although all that is below it is the same.
    pub tile: Option<[i32; 3]>,
    pub change: Change,
    /// The smallest rectangle of blocks around the pixels that differ, half-open: x0, z0, x1, z1. The whole tile where
    /// it was compared with a manifest alone.
    pub bounds: [i32; 4],
    /// The number of pixels that differ; `None`: compared with a manifest alone.
    pub pixels: Option<u64>,
    /// The largest difference of a channel, or of a number.
    pub largest: Option<u16>,
    /// As `bounds`; of a picture in its pixels.
    #[serde(skip)]
    rect: Area,
    /// Its lines in the manifests.
    #[serde(skip)]
    pair: Option<TilePair>,
}

impl Difference {
    /// Native pixels that differ; a tile compared with a manifest alone counts as one.
    pub fn pixels(&self) -> u64 {
        self.layers.iter().map(LayerDifference::pixels).sum()
    }

    /// Returns whether a layer is shown by only one of the two.
    pub fn has_unpaired_layer(&self) -> bool {
        self.layers.iter().any(|layer| matches!(layer.change, Some(Change::Added | Change::Removed)))
    }

    /// Native tiles of all layers.
    pub fn tiles(&self) -> u64 {
        self.layers.iter().map(LayerDifference::tiles).sum()
    }

    /// Pixels drawn in either, as far as they were counted.
    pub fn pixels_drawn(&self) -> u64 {
        self.layers.iter().filter_map(|layer| layer.pixels_drawn).sum()
    }

    /// The layer to show first, by its number: `day` before others, and of these the one in which most pixels differ.
    /// `None`: no pixel differs.
    pub fn first_to_show(&self) -> Option<usize> {
        let changed = (0..self.layers.len()).filter(|&number| !self.layers[number].changed.is_empty());
        changed.max_by_key(|&number| {
            let layer = &self.layers[number];
            (layer.is_shown_first(), layer.pixels(), std::cmp::Reverse(number))
        })
    }
}

impl LayerDifference {
    /// Pixels that differ; a tile compared with a manifest alone counts as one.
    pub fn pixels(&self) -> u64 {
        self.changed.iter().map(|changed| changed.pixels.unwrap_or(1)).sum()
    }

    /// Returns whether it is the layer that is shown before others.
    pub fn is_shown_first(&self) -> bool {
        self.layer.as_deref() == Some(FIRST_SHOWN)
    }

    /// Native tiles on either side.
    pub fn tiles(&self) -> u64 {
        let DifferenceCounts { same, changed, added, removed } = self.tiles;
        same + changed + added + removed
    }

    /// The tiles that differ as a percentage of all; native ones.
    pub fn tile_percent(&self) -> f64 {
        percent(self.tiles() - self.tiles.same, self.tiles())
    }

    fn share(&self) -> Option<f64> {
        match (self.pixels_changed?, self.pixels_drawn) {
            (0, _) => Some(0.0),
            (changed, drawn) => Some(percent(changed, drawn?)),
        }
    }

    fn rect(&self) -> Option<Area> {
        self.changed.iter().map(|changed| changed.rect).reduce(Area::union)
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn numbers(area: Area) -> [i32; 4] {
    [area.x0, area.z0, area.x1, area.z1]
}

/// # Errors
/// They cannot be compared, or one of them is incomplete.
pub fn compare(a: &Side, b: &Side, request: &CompareRequest) -> Result<Difference, Trouble> {
    side::check_two(a, b)?;
    let layers = if let (Side::Picture(a), Side::Picture(b)) = (a, b) {
        vec![picture::differences(a, b, request)?]
    } else {
        let pairs = maps::pairs(a, b, request)?;
        on_threads(request.threads, || compare_maps(&pairs, request))??
    };
    let layers = layers.into_iter().map(|layer| LayerDifference { percent: layer.share(), ..layer });
    Ok(Difference { layers: layers.collect() })
}

fn compare_maps(pairs: &[maps::LayerPair<'_>], request: &CompareRequest) -> Result<Vec<LayerDifference>, Trouble> {
    let layers = pairs.iter().map(|pair| maps::differences(pair, request));
    let mut layers = layers.collect::<Result<Vec<_>, _>>()?;
    // For this every tile is opened: where nothing differs it is not needed.
    if layers.iter().any(|layer| layer.change.is_some()) {
        for (layer, pair) in layers.iter_mut().zip(pairs) {
            layer.pixels_drawn = maps::count_drawn(pair, request)?;
        }
    }
    Ok(layers)
}

/// More threads than these only hinder each other.
const MOST_THREADS: usize = 1024;

/// Runs `work` where rayon has so many threads.
fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, Trouble> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.clamp(1, MOST_THREADS)).build();
    Ok(pool.map_err(|error| Trouble::Threads(error.to_string()))?.install(work))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layer_day_is_shown_before_layers_that_differ_more() {
        let rect = Area { x0: 0, z0: 0, x1: 9, z1: 9 };
        let layer = |name: &str, pixels: u64| {
            let (change, bounds) = (Change::Changed, numbers(rect));
            let changed = Changed { tile: None, change, bounds, pixels: Some(pixels), largest: None, rect, pair: None };
            LayerDifference {
                dimension: None,
                layer: Some(name.to_owned()),
                change: (pixels > 0).then_some(change),
                tiles: DifferenceCounts::default(),
                pixels_changed: Some(pixels),
                pixels_drawn: None,
                percent: None,
                bounds: Some(bounds),
                changed: if pixels > 0 { vec![changed] } else { Vec::new() },
            }
        };
        let first = |layers: [(&str, u64); 3]| {
            let layers: Vec<LayerDifference> = layers.iter().map(|(name, pixels)| layer(name, *pixels)).collect();
            Difference { layers }.first_to_show()
        };
        assert_eq!(first([("height", 9), ("day", 1), ("day", 2)]), Some(2));
        assert_eq!(first([("height", 9), ("day", 0), ("night", 10)]), Some(2));
        assert_eq!(first([("height", 9), ("night", 9), ("cave", 9)]), Some(0));
        assert_eq!(first([("height", 0), ("day", 0), ("night", 0)]), None);
    }
}
