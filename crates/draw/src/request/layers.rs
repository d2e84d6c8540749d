//! The parts of a map: one [`MapLayer`] per layer and dimension, with tiles and a manifest of its
//! own.

use std::ops::RangeInclusive;

use crate::request::plan::{DimensionPlan, DimensionRegion, Plan};
use crate::request::settings::Settings;
use crate::request::shown_layer::ShownLayer;
use pixelmap_base::coord::{Area, NATIVE_ZOOM, RegionPos, TilePos};
use pixelmap_map::atlas::{Format, Naming, in_folder};
use pixelmap_paint::layers::Layer;
use pixelmap_paint::surface::View;
use pixelmap_tile::{Canvas, Encoder, Samples, TileSet};

/// An empty range of zoom levels.
const NO_ZOOMS: RangeInclusive<u8> = RangeInclusive::new(NATIVE_ZOOM + 1, NATIVE_ZOOM);

/// One layer of one dimension, as indexes into the plan's dimensions and the settings' layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct MapLayer {
    pub(crate) dimension: usize,
    pub(crate) layer: usize,
}

/// All map layers of a run.
#[derive(Debug)]
pub(crate) struct MapLayers {
    layers: Vec<ShownLayer>,
    /// The folder of each dimension in the map.
    paths: Vec<String>,
    /// The views that each dimension's layers need, without repetition. Hollows are after the land
    /// that they are below.
    views: Vec<Vec<View>>,
    /// The index of each layer's view in `views`: one list per dimension.
    view_numbers: Vec<Vec<usize>>,
    naming: Naming,
    /// The zoom levels with textures, for layers that support them. May be empty.
    inner_zooms: RangeInclusive<u8>,
}

impl MapLayers {
    /// Returns the map layers of a plan. `naming` is how the output folder names tiles.
    pub(crate) fn new(plan: &Plan, settings: &Settings, naming: Naming) -> Self {
        let mut views = Vec::new();
        let mut view_numbers = Vec::new();
        for dimension in &plan.dimensions {
            let has_ceiling = dimension.ceiling.is_some();
            let (own, numbers) = dimension_views(&settings.request.layers, has_ceiling);
            view_numbers.push(numbers);
            views.push(own);
        }

        let paths = plan
            .dimensions
            .iter()
            .map(|dimension: &DimensionPlan| dimension.path.clone())
            .collect();

        let layers = settings
            .request
            .layers
            .iter()
            .copied()
            .map(ShownLayer::Painted)
            .collect();

        Self {
            layers,
            paths,
            views,
            view_numbers,
            naming,
            inner_zooms: settings.inner_zooms(),
        }
    }

    /// Returns the map layers of a map that is not painted, whose dimensions have these folders.
    pub(crate) fn from_folders(
        layers: Vec<ShownLayer>,
        paths: Vec<String>,
        naming: Naming,
    ) -> Self {
        Self {
            layers,
            paths,
            views: Vec::new(),
            view_numbers: Vec::new(),
            naming,
            inner_zooms: NO_ZOOMS,
        }
    }

    /// Returns the layers, which are the same in each dimension.
    pub(crate) fn layers(&self) -> &[ShownLayer] {
        &self.layers
    }

    /// Returns the layers that are painted from blocks.
    pub(crate) fn painted(&self) -> impl Iterator<Item = Layer> {
        self.layers.iter().filter_map(ShownLayer::painted)
    }

    /// Returns the number of dimensions.
    pub(crate) fn dimensions(&self) -> usize {
        self.paths.len()
    }

    /// Returns all map layers, in the order of [`MapLayers::number`].
    pub(crate) fn all(&self) -> impl Iterator<Item = MapLayer> {
        (0..self.paths.len()).flat_map(|dimension| self.in_dimension(dimension))
    }

    /// Returns the map layers of a dimension.
    pub(crate) fn in_dimension(&self, dimension: usize) -> impl Iterator<Item = MapLayer> + use<> {
        (0..self.layers.len()).map(move |layer| MapLayer { dimension, layer })
    }

    /// Returns a map layer's number, counted from 0 without gaps.
    pub(crate) fn number(&self, map_layer: MapLayer) -> usize {
        map_layer.dimension * self.layers.len() + map_layer.layer
    }

    pub(crate) fn layer(&self, map_layer: MapLayer) -> &ShownLayer {
        &self.layers[map_layer.layer]
    }

    /// Returns whether a map layer can show anything of its dimension.
    pub(crate) fn is_shown(&self, map_layer: MapLayer) -> bool {
        // The folders of the game's own dimensions have the names of their ids.
        self.layer(map_layer)
            .shows_dimension(&self.paths[map_layer.dimension])
    }

    /// Returns whether the tiles of a map layer are details instead of pictures. Details have no
    /// outer tiles.
    pub(crate) fn is_details(&self, map_layer: MapLayer) -> bool {
        self.layer(map_layer).is_details()
    }

    /// Returns the zoom levels beyond the native one at which a map layer has tiles.
    pub(crate) fn inner_zooms(&self, map_layer: MapLayer) -> RangeInclusive<u8> {
        match self.layer(map_layer).inner_tone() {
            Some(_) if self.is_shown(map_layer) => self.inner_zooms.clone(),
            _ => NO_ZOOMS,
        }
    }

    /// Returns the inner tiles of a region, or of the part of it that is in an area.
    pub(crate) fn inner_tiles(
        &self,
        map_layer: MapLayer,
        region: RegionPos,
        area: Option<Area>,
    ) -> impl Iterator<Item = TilePos> + use<> {
        let tiles = self
            .inner_zooms(map_layer)
            .flat_map(move |zoom| region.tile().inner_tiles(zoom));
        tiles.filter(move |tile| area.is_none_or(|area| !area.overlap(tile.area()).is_empty()))
    }

    /// Counts the inner tiles of these regions in all layers.
    pub(crate) fn count_inner(
        &self,
        regions: impl Iterator<Item = DimensionRegion>,
        area: Option<Area>,
    ) -> u64 {
        let mut count = 0;
        for DimensionRegion { dimension, region } in regions {
            for map_layer in self.in_dimension(dimension as usize) {
                count += self.inner_tiles(map_layer, region, area).count() as u64;
            }
        }

        count
    }

    /// Returns whether a tile belongs to a map layer, given the tiles of its dimension.
    pub(crate) fn is_planned(&self, map_layer: MapLayer, tile: TilePos, tiles: &TileSet) -> bool {
        match tile.native().filter(|&native| native != tile) {
            Some(native) => {
                self.inner_zooms(map_layer).contains(&tile.zoom) && tiles.contains(native)
            }
            None => tiles.contains(tile),
        }
    }

    /// Returns whether a tile has a zoom level with textures that the map layer does not have.
    pub(crate) fn is_unasked(&self, map_layer: MapLayer, tile: TilePos) -> bool {
        tile.zoom > NATIVE_ZOOM && !self.inner_zooms(map_layer).contains(&tile.zoom)
    }

    /// Returns one flag per view of a dimension: whether a layer with textures uses it.
    pub(crate) fn inner_views(&self, dimension: usize) -> Vec<bool> {
        let mut views = vec![false; self.views(dimension).len()];
        for map_layer in self
            .in_dimension(dimension)
            .filter(|&layer| !self.inner_zooms(layer).is_empty())
        {
            views[self.view_number(map_layer)] = true;
        }
        views
    }

    /// Returns the kind of pixels of a map layer's tiles.
    pub(crate) fn samples(&self, map_layer: MapLayer) -> Samples {
        self.layer(map_layer).samples()
    }

    /// Returns a dimension's folder in the output folder.
    pub(crate) fn dimension_path(&self, dimension: usize) -> &str {
        &self.paths[dimension]
    }

    /// Returns a map layer's folder in the output folder.
    pub(crate) fn path(&self, map_layer: MapLayer) -> String {
        [
            &self.paths[map_layer.dimension],
            "/",
            self.layer(map_layer).name(),
        ]
        .concat()
    }

    /// Returns the path of a file in a map layer's folder.
    pub(crate) fn file_path(&self, map_layer: MapLayer, name: &str) -> String {
        in_folder(&self.path(map_layer), name)
    }

    /// Returns the naming of a map layer's tiles. Numbers are always PNG.
    pub(crate) fn naming(&self, map_layer: MapLayer) -> Naming {
        match self.samples(map_layer) {
            _ if self.is_details(map_layer) => Naming {
                format: Format::Js,
                ..self.naming
            },
            Samples::Colours | Samples::Heights => self.naming,
            Samples::Numbers => Naming {
                format: Format::Png,
                ..self.naming
            },
        }
    }

    /// Encodes a tile of a map layer as a picture.
    pub(crate) fn encode<'e>(
        &self,
        map_layer: MapLayer,
        encoder: &'e mut Encoder,
        tile: &Canvas,
    ) -> &'e [u8] {
        match self.naming(map_layer).format {
            Format::Webp => self.samples(map_layer).encode_webp(encoder, tile),
            Format::Png | Format::Js => self.samples(map_layer).encode(encoder, tile),
        }
    }

    /// Returns the path of a tile.
    pub(crate) fn tile_path(&self, map_layer: MapLayer, tile: TilePos) -> String {
        self.file_path(map_layer, &self.naming(map_layer).path(tile))
    }

    /// Returns the views that the layers of a dimension need, without repetition.
    pub(crate) fn views(&self, dimension: usize) -> &[View] {
        &self.views[dimension]
    }

    /// Returns the index of a layer's view in the views of its dimension.
    pub(crate) fn view_number(&self, map_layer: MapLayer) -> usize {
        self.view_numbers[map_layer.dimension][map_layer.layer]
    }

    /// Returns the largest number of views that a dimension has.
    pub(crate) fn most_views(&self) -> usize {
        self.views.iter().map(Vec::len).max().unwrap_or(0)
    }
}

/// Returns the views that these layers need in a dimension, and the index of each layer's view.
pub(crate) fn dimension_views(layers: &[Layer], has_ceiling: bool) -> (Vec<View>, Vec<usize>) {
    let mut views = Vec::new();
    let mut numbers = Vec::with_capacity(layers.len());
    for layer in layers {
        let view = layer.view(has_ceiling);
        if let Some(land) = view.land_view() {
            add_view(&mut views, land);
        }
        numbers.push(add_view(&mut views, view));
    }

    (views, numbers)
}

/// Returns the index of a view in the list, and adds the view if it is missing.
fn add_view(views: &mut Vec<View>, view: View) -> usize {
    if let Some(index) = views.iter().position(|&other| other == view) {
        return index;
    }
    views.push(view);
    views.len() - 1
}
