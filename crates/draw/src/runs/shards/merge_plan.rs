//! The plan of one of the maps that a merge makes.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::report::Limit;
use crate::request::descriptors;
use crate::request::layers::MapLayers;
use crate::request::plan::{DimensionRegion, MapDimension, order};
use crate::request::prepare::{empty_layers, fewer_workers};
use crate::request::settings::MomentSettings;
use crate::request::shown_layer::ShownLayer;
use crate::runs::shards::error::MergeError;
use crate::runs::shards::file::{MapAgreement, PartAgreement};
use crate::schedule;
use pixelmap_base::coord::RegionPos;
use pixelmap_map::atlas::Elsewhere;
use pixelmap_paint::layers::Layer;
use pixelmap_paint::markers::MarkerKind;
use pixelmap_paint::markers::MarkerSelection;
use pixelmap_tile::TileSet;
use pixelmap_world::internal::RegionEntry;

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
    /// The published files that are not in the folder, because the map is in a bucket.
    pub elsewhere: Option<Elsewhere>,
}

/// One of the maps that go into the folder.
pub(crate) struct MergeMap {
    /// The map's number in the parts.
    pub(crate) number: usize,
    pub(crate) agreement: MapAgreement,
    /// Whether only one layer of one dimension of the map is merged.
    pub(crate) is_single_layer: bool,
    pub(crate) map_layers: Arc<MapLayers>,
}

impl MergeMap {
    pub(crate) fn new(
        parts: &PartAgreement,
        number: usize,
        agreement: MapAgreement,
        is_single_layer: bool,
    ) -> Result<Self, MergeError> {
        let layers = agreement.layers().ok_or(MergeError::Newer)?;
        let paths = agreement
            .dimensions
            .iter()
            .map(|dimension| dimension.path.clone())
            .collect();

        let layers = layers.into_iter().map(ShownLayer::Painted).collect();
        let map_layers = Arc::new(MapLayers::from_folders(layers, paths, parts.naming()));
        Ok(Self {
            number,
            agreement,
            is_single_layer,
            map_layers,
        })
    }
}

/// The plan of a map that a merge makes.
pub(crate) struct MergePlan<'a> {
    pub(crate) map: &'a MergeMap,
    pub(crate) settings: &'a MergeSettings,
    /// Indexed by dimension.
    tile_sets: Vec<TileSet>,
    /// All regions, in the order in which they are merged.
    pub(crate) order: Vec<DimensionRegion>,
    pub(crate) markers: MarkerSelection,
    /// The requested number of workers. `threads` is the number that the limit of open files
    /// allows.
    wanted_threads: usize,
    pub(crate) threads: usize,
}

impl<'a> MergePlan<'a> {
    /// Makes the plan of a map with these regions, one set per dimension.
    pub(crate) fn new(
        map: &'a MergeMap,
        regions: &[BTreeSet<RegionPos>],
        settings: &'a MergeSettings,
    ) -> Self {
        let agreement = &map.agreement;
        let kinds = if agreement.has_markers {
            MarkerKind::choices().collect()
        } else {
            Vec::new()
        };

        let wanted_threads = if settings.threads == 0 {
            schedule::available_threads()
        } else {
            settings.threads
        };

        let threads = descriptors::allow(wanted_threads);
        let dimensions = agreement.dimensions.iter().zip(regions);

        let tile_sets = dimensions.map(|(dimension, regions)| {
            TileSet::from_native(dimension.min_zoom, regions.iter().copied())
        });

        let row = (0..).zip(regions).flat_map(|(number, regions)| {
            regions
                .iter()
                .map(move |&region| (number, RegionEntry::new(region, 0)))
        });

        Self {
            map,
            settings,
            tile_sets: tile_sets.collect(),
            order: order(row.collect(), threads),
            markers: MarkerSelection {
                kinds,
                ..MarkerSelection::default()
            },
            wanted_threads,
            threads,
        }
    }

    pub(crate) fn dimensions(&self) -> Vec<MapDimension<'_>> {
        let dimensions = self.map.agreement.dimensions.iter().zip(&self.tile_sets);
        dimensions
            .map(|(dimension, tiles)| MapDimension {
                id: &dimension.id,
                path: &dimension.path,
                tiles,
            })
            .collect()
    }

    /// Returns the warnings of the merge that do not come from its workers.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let layers: Vec<Layer> = self.map.map_layers.painted().collect();
        let mut warnings: Vec<String> = empty_layers(&layers, &self.dimensions()).collect();
        warnings.extend(fewer_workers(
            self.wanted_threads.min(self.order.len()),
            self.threads,
        ));
        warnings
    }
}
