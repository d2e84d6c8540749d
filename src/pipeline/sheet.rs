//! Sheets: a map is made of them, one for each layer of each dimension, and each has its own tiles and manifest.

use super::settings::{Mode, Settings};
use super::world_file::world_file;
use crate::coord::{RegionPos, TilePos};
use crate::layer::Layer;
use crate::plan::{DimensionPlan, Plan};
use crate::surface::View;
use crate::tile::Samples;

/// One layer of one dimension, by their places in the plan and in the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Sheet {
    pub(super) dimension: usize,
    pub(super) layer: usize,
}

/// All sheets of a run.
#[derive(Debug)]
pub(super) struct Sheets {
    mode: Mode,
    layers: Vec<Layer>,
    /// By dimension, its folder in the map.
    paths: Vec<String>,
    /// By dimension, what its layers look from, each once; hollows after the land that they lie below.
    views: Vec<Vec<View>>,
    /// By dimension and layer, the place of the layer's view among them.
    looks: Vec<Vec<usize>>,
}

impl Sheets {
    pub(super) fn new(plan: &Plan, settings: &Settings) -> Self {
        let layers = settings.layers.clone();
        let (mut views, mut looks) = (Vec::new(), Vec::new());
        for dimension in &plan.dimensions {
            let mut of: Vec<View> = Vec::new();
            let mut place = |view: View| {
                of.iter().position(|&other| other == view).unwrap_or_else(|| {
                    of.push(view);
                    of.len() - 1
                })
            };
            let places = layers.iter().map(|layer| {
                let view = layer.view(dimension.ceiling_y.is_some());
                view.land().map(&mut place);
                place(view)
            });
            looks.push(places.collect());
            views.push(of);
        }
        let paths = plan.dimensions.iter().map(|dimension: &DimensionPlan| dimension.path.clone()).collect();
        Self { mode: settings.mode, layers, paths, views, looks }
    }

    /// The layers, of each dimension the same.
    pub(super) fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// All sheets, in the order of [`Sheets::number`].
    pub(super) fn all(&self) -> impl Iterator<Item = Sheet> {
        (0..self.paths.len()).flat_map(|dimension| self.of(dimension))
    }

    /// The sheets of a dimension.
    pub(super) fn of(&self, dimension: usize) -> impl Iterator<Item = Sheet> + use<> {
        (0..self.layers.len()).map(move |layer| Sheet { dimension, layer })
    }

    /// A sheet's number, from 0 and without gaps.
    pub(super) fn number(&self, sheet: Sheet) -> usize {
        sheet.dimension * self.layers.len() + sheet.layer
    }

    /// The sheet with a number.
    pub(super) fn sheet(&self, number: usize) -> Sheet {
        Sheet { dimension: number / self.layers.len(), layer: number % self.layers.len() }
    }

    pub(super) fn layer(&self, sheet: Sheet) -> Layer {
        self.layers[sheet.layer]
    }

    /// Whether a sheet's layer has anything to show of its dimension.
    pub(super) fn is_shown(&self, sheet: Sheet) -> bool {
        // The paths of the game's own dimensions are their ids.
        self.layer(sheet).is_of(&self.paths[sheet.dimension])
    }

    /// What the pixels of a sheet's tiles are.
    pub(super) fn samples(&self, sheet: Sheet) -> Samples {
        self.layer(sheet).samples()
    }

    /// A sheet's folder in the output folder; empty: the output folder itself.
    pub(super) fn path(&self, sheet: Sheet) -> String {
        match self.mode {
            Mode::Regions { by_layer: false } => String::new(),
            _ => format!("{}/{}", self.paths[sheet.dimension], self.layer(sheet).name()),
        }
    }

    /// The path of a file in a sheet's folder.
    pub(super) fn path_of(&self, sheet: Sheet, name: &str) -> String {
        let folder = self.path(sheet);
        if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
    }

    /// The path of a tile in the output folder.
    pub(super) fn tile_path(&self, sheet: Sheet, tile: TilePos) -> String {
        match self.region(tile) {
            Some(region) => self.path_of(sheet, &format!("{region}.png")),
            None => self.path_of(sheet, &format!("{tile}.png")),
        }
    }

    /// The region that a tile is, where tiles are named by regions.
    fn region(&self, tile: TilePos) -> Option<RegionPos> {
        tile.region().filter(|_| matches!(self.mode, Mode::Regions { .. }))
    }

    /// The world file beside a region's picture: its path and its text.
    pub(super) fn world_file(&self, sheet: Sheet, tile: TilePos) -> Option<(String, String)> {
        let region = self.region(tile)?;
        let corner = region.corner();
        Some((self.path_of(sheet, &format!("{region}.pgw")), world_file(corner.x, corner.z, 1.0)))
    }

    /// The paths of a tile and of what stands beside it.
    pub(super) fn files(&self, sheet: Sheet, tile: TilePos) -> impl Iterator<Item = String> + use<> {
        let beside = self.world_file(sheet, tile).map(|(path, _)| path);
        [self.tile_path(sheet, tile)].into_iter().chain(beside)
    }

    /// What the layers of a dimension look from, each once.
    pub(super) fn views(&self, dimension: usize) -> &[View] {
        &self.views[dimension]
    }

    /// The place of a layer's view among those of its dimension.
    pub(super) fn look(&self, sheet: Sheet) -> usize {
        self.looks[sheet.dimension][sheet.layer]
    }

    /// The most views that a dimension is seen from.
    pub(super) fn most_views(&self) -> usize {
        self.views.iter().map(Vec::len).max().unwrap_or(0)
    }
}
