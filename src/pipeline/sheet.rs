//! Sheets: a map is made of them, one for each layer of each dimension, and each has its own tiles and manifest.

use super::settings::Settings;
use crate::coord::TilePos;
use crate::layer::Layer;
use crate::plan::{DimensionPlan, Plan};
use crate::publish::{Format, Naming, Output, PublishError, in_folder};
use crate::surface::View;
use crate::tile::{Canvas, Encoder, Samples};

/// One layer of one dimension, by their places in the plan and in the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Sheet {
    pub(super) dimension: usize,
    pub(super) layer: usize,
}

/// All sheets of a run.
#[derive(Debug)]
pub(super) struct Sheets {
    layers: Vec<Layer>,
    /// By dimension, its folder in the map.
    paths: Vec<String>,
    /// By dimension, what its layers look from, each once; hollows after the land that they lie below.
    views: Vec<Vec<View>>,
    /// By dimension and layer, the place of the layer's view among them.
    looks: Vec<Vec<usize>>,
    naming: Naming,
    /// Whether nothing is published until all has succeeded.
    staged: bool,
    /// By number, how the tiles are named whose place a sheet's are to take, where that is another way.
    replaced: Vec<Option<Naming>>,
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
        let (naming, staged) = (settings.naming, settings.staged.is_some());
        Self { layers, paths, views, looks, naming, staged, replaced: Vec::new() }
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

    /// A sheet's folder in the output folder.
    pub(super) fn path(&self, sheet: Sheet) -> String {
        format!("{}/{}", self.paths[sheet.dimension], self.layer(sheet).name())
    }

    /// The path of a file in a sheet's folder.
    pub(super) fn path_of(&self, sheet: Sheet, name: &str) -> String {
        in_folder(&self.path(sheet), name)
    }

    /// The name of a tile in its sheet's folder.
    fn name(&self, sheet: Sheet, tile: TilePos) -> String {
        self.naming(sheet).path(tile)
    }

    /// The path of a tile, when it has come to its place.
    pub(super) fn file(&self, sheet: Sheet, tile: TilePos) -> String {
        self.path_of(sheet, &self.name(sheet, tile))
    }

    /// The names in a sheet's folder that some run may have given to a tile, but for those of tiles that stand.
    pub(super) fn earlier_names(&self, sheet: Sheet, tile: TilePos, stands: impl Fn(TilePos) -> bool) -> Vec<String> {
        let naming = self.naming(sheet);
        let other = Naming::all().filter(|&by| !naming.namesake(tile, by).is_some_and(&stands));
        other.map(|by| by.path(tile)).collect()
    }

    /// How a sheet's tiles are named. Numbers are always PNG.
    pub(super) fn naming(&self, sheet: Sheet) -> Naming {
        match self.samples(sheet) {
            Samples::Colours => self.naming,
            Samples::Numbers => Naming { format: Format::Png, ..self.naming },
        }
    }

    /// The file of a sheet's tile.
    pub(super) fn encode<'e>(&self, sheet: Sheet, encoder: &'e mut Encoder, tile: &Canvas) -> &'e [u8] {
        match self.naming(sheet).format {
            Format::Png => self.samples(sheet).encode(encoder, tile),
            Format::Webp => encoder.webp(tile),
        }
    }

    /// Looks which sheets stand in the map under other names. Their tiles wait beside it, where those of an interrupted run
    /// may wait already, and what else waits there goes; but not where nothing is published until all has succeeded: what
    /// other maps have waiting may be about to be published with this one.
    ///
    /// # Errors
    /// It cannot be read what the map says of itself.
    pub(super) fn stage(&mut self, output: &Output) -> Result<(), PublishError> {
        self.find_replaced(output)?;
        if !self.staged {
            let waits = self.all().filter(|&sheet| self.replaced(sheet).is_some());
            output.clear_staged(&waits.map(|sheet| self.folder(sheet)).collect::<Vec<_>>());
        }
        Ok(())
    }

    /// Whether a sheet's new tiles wait beside the map, while those that stay as they are stand in their places.
    pub(super) fn is_staged(&self, sheet: Sheet) -> bool {
        self.staged && self.replaced(sheet).is_none()
    }

    /// Whether nothing is published until all has succeeded.
    pub(super) fn are_staged(&self) -> bool {
        self.staged
    }

    /// Looks which sheets stand in the map under other names.
    ///
    /// # Errors
    /// It cannot be read what the map says of itself.
    pub(super) fn find_replaced(&mut self, output: &Output) -> Result<(), PublishError> {
        let earlier = output.facts()?;
        let named = |sheet: Sheet| earlier.as_ref().and_then(|map| map.naming_in(&self.path(sheet)));
        let replaced = self.all().map(|sheet| named(sheet).filter(|naming| *naming != self.naming(sheet)));
        self.replaced = replaced.collect();
        Ok(())
    }

    /// How the tiles are named whose place a sheet's are to take, where that is another way.
    pub(super) fn replaced(&self, sheet: Sheet) -> Option<Naming> {
        self.replaced.get(self.number(sheet)).copied().flatten()
    }

    /// Where a sheet's tiles are put: in its folder, or beside the map.
    pub(super) fn folder(&self, sheet: Sheet) -> String {
        let path = self.path(sheet);
        if self.replaced(sheet).is_some() { Output::staged(&path, self.naming(sheet)) } else { path }
    }

    /// Where a file of a sheet's folder is put.
    pub(super) fn put_in(&self, sheet: Sheet, name: &str) -> String {
        in_folder(&self.folder(sheet), name)
    }

    /// Where a tile is put.
    pub(super) fn tile_path(&self, sheet: Sheet, tile: TilePos) -> String {
        self.put_in(sheet, &self.name(sheet, tile))
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
