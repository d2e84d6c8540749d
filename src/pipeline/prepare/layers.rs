//! Sheets: a map is made of them, one for each layer of each dimension, and each has its own tiles and manifest.

use crate::coord::TilePos;
use crate::layer::Layer;
use crate::pipeline::settings::Settings;
use crate::plan::{DimensionPlan, Plan};
use crate::publish::{Format, Naming, in_folder};
use crate::surface::View;
use crate::tile::{Canvas, Encoder, Samples};

/// One layer of one dimension, by their places in the plan and in the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::pipeline) struct Sheet {
    pub(in crate::pipeline) dimension: usize,
    pub(in crate::pipeline) layer: usize,
}

/// All sheets of a run.
#[derive(Debug)]
pub(in crate::pipeline) struct Sheets {
    layers: Vec<Layer>,
    /// By dimension, its folder in the map.
    paths: Vec<String>,
    /// By dimension, what its layers look from, each once; hollows after the land that they lie below.
    views: Vec<Vec<View>>,
    /// By dimension and layer, the place of the layer's view among them.
    looks: Vec<Vec<usize>>,
    naming: Naming,
}

impl Sheets {
    /// The sheets of a plan, with tiles that are named as the output folder has it.
    pub(in crate::pipeline) fn new(plan: &Plan, settings: &Settings, naming: Naming) -> Self {
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
        Self { layers, paths, views, looks, naming }
    }

    /// The layers, of each dimension the same.
    pub(in crate::pipeline) fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// All sheets, in the order of [`Sheets::number`].
    pub(in crate::pipeline) fn all(&self) -> impl Iterator<Item = Sheet> {
        (0..self.paths.len()).flat_map(|dimension| self.of(dimension))
    }

    /// The sheets of a dimension.
    pub(in crate::pipeline) fn of(&self, dimension: usize) -> impl Iterator<Item = Sheet> + use<> {
        (0..self.layers.len()).map(move |layer| Sheet { dimension, layer })
    }

    /// A sheet's number, from 0 and without gaps.
    pub(in crate::pipeline) fn number(&self, sheet: Sheet) -> usize {
        sheet.dimension * self.layers.len() + sheet.layer
    }

    pub(in crate::pipeline) fn layer(&self, sheet: Sheet) -> Layer {
        self.layers[sheet.layer]
    }

    /// Whether a sheet's layer has anything to show of its dimension.
    pub(in crate::pipeline) fn is_shown(&self, sheet: Sheet) -> bool {
        // The paths of the game's own dimensions are their ids.
        self.layer(sheet).is_of(&self.paths[sheet.dimension])
    }

    /// What the pixels of a sheet's tiles are.
    pub(in crate::pipeline) fn samples(&self, sheet: Sheet) -> Samples {
        self.layer(sheet).samples()
    }

    /// A sheet's folder in the output folder.
    pub(in crate::pipeline) fn path(&self, sheet: Sheet) -> String {
        format!("{}/{}", self.paths[sheet.dimension], self.layer(sheet).name())
    }

    /// The path of a file in a sheet's folder.
    pub(in crate::pipeline) fn path_of(&self, sheet: Sheet, name: &str) -> String {
        in_folder(&self.path(sheet), name)
    }

    /// The name of a tile in its sheet's folder.
    fn name(&self, sheet: Sheet, tile: TilePos) -> String {
        self.naming(sheet).path(tile)
    }

    /// How a sheet's tiles are named. Numbers are always PNG.
    pub(in crate::pipeline) fn naming(&self, sheet: Sheet) -> Naming {
        match self.samples(sheet) {
            Samples::Colours => self.naming,
            Samples::Numbers => Naming { format: Format::Png, ..self.naming },
        }
    }

    /// The file of a sheet's tile.
    pub(in crate::pipeline) fn encode<'e>(&self, sheet: Sheet, encoder: &'e mut Encoder, tile: &Canvas) -> &'e [u8] {
        match self.naming(sheet).format {
            Format::Png => self.samples(sheet).encode(encoder, tile),
            Format::Webp => encoder.webp(tile),
        }
    }

    /// The path of a tile.
    pub(in crate::pipeline) fn tile_path(&self, sheet: Sheet, tile: TilePos) -> String {
        self.path_of(sheet, &self.name(sheet, tile))
    }

    /// What the layers of a dimension look from, each once.
    pub(in crate::pipeline) fn views(&self, dimension: usize) -> &[View] {
        &self.views[dimension]
    }

    /// The place of a layer's view among those of its dimension.
    pub(in crate::pipeline) fn look(&self, sheet: Sheet) -> usize {
        self.looks[sheet.dimension][sheet.layer]
    }

    /// The most views that a dimension is seen from.
    pub(in crate::pipeline) fn most_views(&self) -> usize {
        self.views.iter().map(Vec::len).max().unwrap_or(0)
    }
}
