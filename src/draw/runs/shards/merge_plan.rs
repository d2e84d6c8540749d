//! The plan of one of the maps that a merge makes.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::base::coord::RegionPos;
use crate::draw::request::descriptors;
use crate::draw::request::layers::MapLayers;
use crate::draw::request::plan::{DimensionRegion, MapDimension, order};
use crate::draw::request::prepare::{empty_layers, fewer_workers};
use crate::draw::request::settings::MomentSettings;
use crate::draw::request::shown_layer::ShownLayer;
use crate::draw::runs::shards::error::MergeError;
use crate::draw::runs::shards::file::{DimensionAgreement, MapAgreement, PartAgreement};
use crate::markers::{MarkerKind, MarkerSelection};
use crate::paint::layers::Layer;
use crate::report::Limit;
use crate::schedule;
use crate::tile::TileSet;
use crate::world::RegionEntry;

/// The settings of a merge.
#[derive(Debug, Clone)]
pub struct MergeSettings {
    /// The folder of the map.
    pub output: PathBuf,
    /// The folders that shards were drawn into. Empty means the output itself.
    pub parts: Vec<PathBuf>,
    /// Whether to merge the existing parts if others are missing.
    pub allow_missing: bool,
    /// The most tiles that may be removed.
    pub max_removed: Limit,
    /// The moment that is added to a map with history.
    pub moment: MomentSettings,
    /// The number of workers, or 0 for the number of CPUs that this process may use.
    pub threads: usize,
}

/// One of the maps that go into the folder.
pub(crate) struct MergePlan {
    /// The map's number in the parts.
    pub(crate) number: usize,
    pub(crate) agreement: MapAgreement,
    /// Whether only one layer of one dimension of the map is merged.
    pub(crate) is_single_layer: bool,
    pub(crate) map_layers: Arc<MapLayers>,
    /// Indexed by dimension.
    tile_sets: Vec<TileSet>,
    /// All regions, in the order in which they are merged.
    pub(crate) order: Vec<DimensionRegion>,
    pub(crate) markers: MarkerSelection,
    pub(crate) moment: MomentSettings,
    /// The requested number of workers. `threads` is the number that the limit of open files allows.
    wanted_threads: usize,
    pub(crate) threads: usize,
}

impl MergePlan {
    /// Makes the plan of the map with this number. Its regions are set later.
    pub(crate) fn new(
        parts: &PartAgreement,
        number: usize,
        agreement: MapAgreement,
        settings: &MergeSettings,
    ) -> Result<Self, MergeError> {
        let layers = agreement.layers().ok_or(MergeError::Newer)?;
        let paths = agreement.dimensions.iter().map(|dimension| dimension.path.clone()).collect();
        let empty = |dimension: &DimensionAgreement| TileSet::from_native(dimension.min_zoom, std::iter::empty());
        let kinds = if agreement.has_markers { MarkerKind::choices().collect() } else { Vec::new() };
        let wanted_threads = if settings.threads == 0 { schedule::available_threads() } else { settings.threads };
        Ok(Self {
            number,
            is_single_layer: false,
            map_layers: Arc::new(MapLayers::from_folders(
                layers.into_iter().map(ShownLayer::Painted).collect(),
                paths,
                parts.naming(),
            )),
            tile_sets: agreement.dimensions.iter().map(empty).collect(),
            order: Vec::new(),
            markers: MarkerSelection { kinds, ..MarkerSelection::default() },
            moment: settings.moment.clone(),
            wanted_threads,
            threads: descriptors::allow(wanted_threads),
            agreement,
        })
    }

    /// Sets the regions of each dimension.
    pub(crate) fn set_regions(&mut self, regions: Vec<BTreeSet<RegionPos>>) {
        let mut row = Vec::new();
        for ((number, tiles), regions) in (0..).zip(&mut self.tile_sets).zip(regions) {
            *tiles = TileSet::from_native(tiles.min_zoom(), regions.iter().copied());
            row.extend(regions.into_iter().map(|region| (number, RegionEntry::new(region, 0))));
        }
        self.order = order(row, self.threads);
    }

    pub(crate) fn dimensions(&self) -> Vec<MapDimension<'_>> {
        let dimensions = self.agreement.dimensions.iter().zip(&self.tile_sets);
        dimensions.map(|(dimension, tiles)| MapDimension { id: &dimension.id, path: &dimension.path, tiles }).collect()
    }

    /// Returns the warnings of the merge that do not come from its workers.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let layers: Vec<Layer> = self.map_layers.painted().collect();
        let mut warnings: Vec<String> = empty_layers(&layers, &self.dimensions()).collect();
        warnings.extend(fewer_workers(self.wanted_threads.min(self.order.len()), self.threads));
        warnings
    }
}
