//! Plans the import of one dimension: its layers and regions, before any picture is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use twox_hash::XxHash3_64;

use crate::import::{ExploredDimension, ExploredWorld, Picture, PictureKind, Waypoint};
use crate::publish::world_markers::WorldMarkers;
use crate::request::descriptors;
use crate::request::layers::{MapLayer, MapLayers};
use crate::request::plan::{DimensionRegion, MapDimension, cost_ns, order};
use crate::request::settings::Settings;
use crate::request::shown_layer::ShownLayer;
use crate::schedule;
use pixelmap_base::coord::RegionPos;
use pixelmap_map::store::{LayerKey, Output};
use pixelmap_paint::markers::Marker;
use pixelmap_paint::markers::MarkerKind;
use pixelmap_tile::TileSet;
use pixelmap_world::internal::RegionEntry;

/// Raise this with every change of the program that may change the bytes of a tile of the same
/// pictures.
const IMPORT_VERSION: u32 = 1;

/// A dimension whose pictures become tiles.
#[derive(Debug)]
pub(crate) struct ImportPlan<'a> {
    pub(crate) explored: &'a ExploredWorld,
    dimension: &'a ExploredDimension,
    /// Its folder in the map.
    path: String,
    /// Indexed by the number of the layer.
    kinds: Vec<PictureKind>,
    pub(crate) map_layers: Arc<MapLayers>,
    tiles: TileSet,
    /// The size of the pictures of each region in bytes.
    bytes: BTreeMap<RegionPos, u64>,
    pub(crate) order: Vec<DimensionRegion>,
    pub(crate) threads: usize,
}

impl<'a> ImportPlan<'a> {
    pub(crate) fn new(
        explored: &'a ExploredWorld,
        dimension: &'a ExploredDimension,
        settings: &Settings,
        output: &Output,
    ) -> Self {
        let mut bytes: BTreeMap<RegionPos, u64> = BTreeMap::new();
        for (region, pictures) in dimension.layers.values().flatten() {
            *bytes.entry(*region).or_default() +=
                pictures.iter().map(|picture| picture.len).sum::<u64>();
        }

        let wanted = if settings.run.threads == 0 {
            schedule::available_threads()
        } else {
            settings.run.threads
        };

        let threads = descriptors::allow(wanted.min(bytes.len()));
        let entries = bytes
            .iter()
            .map(|(&region, &bytes)| (0, RegionEntry::new(region, bytes)))
            .collect();

        let path = dimension.id.replace(':', "/");
        let kinds: Vec<PictureKind> = dimension.layers.keys().copied().collect();
        let layers = kinds.iter().map(|kind| ShownLayer::Taken {
            name: kind.layer(),
            heights: kind.heights(),
        });

        Self {
            explored,
            dimension,
            map_layers: Arc::new(MapLayers::from_folders(
                layers.collect(),
                vec![path.clone()],
                output.naming(),
            )),
            path,
            kinds,
            tiles: TileSet::from_regions(bytes.keys().copied()),
            order: order(entries, threads),
            bytes,
            threads,
        }
    }

    pub(crate) fn id(&self) -> &'a str {
        &self.dimension.id
    }

    pub(crate) fn on_map(&self) -> MapDimension<'_> {
        MapDimension {
            id: &self.dimension.id,
            path: &self.path,
            tiles: &self.tiles,
        }
    }

    /// Returns the estimated cost of each region, in nanoseconds, in the order of drawing.
    pub(crate) fn costs(&self) -> impl Iterator<Item = u64> {
        self.order.iter().map(|planned| self.cost(planned.region))
    }

    /// Returns the estimated cost of a region, in nanoseconds.
    pub(crate) fn cost(&self, region: RegionPos) -> u64 {
        cost_ns(self.bytes.get(&region).copied().unwrap_or_default())
    }

    /// Returns the pictures of a region in a layer, the newest first.
    pub(crate) fn pictures(&self, map_layer: MapLayer, region: RegionPos) -> &[Picture] {
        let pictures = self.dimension.layers.get(&self.kinds[map_layer.layer]);
        pictures
            .and_then(|pictures| pictures.get(&region))
            .map_or(&[], Vec::as_slice)
    }

    /// Returns the keys of the layers in the journal.
    pub(crate) fn keys(&self) -> Vec<LayerKey> {
        let options = XxHash3_64::oneshot(format!("import {IMPORT_VERSION}").as_bytes());
        self.map_layers
            .all()
            .map(|map_layer| LayerKey {
                layer: XxHash3_64::oneshot(self.map_layers.path(map_layer).as_bytes()),
                options,
            })
            .collect()
    }

    /// Returns the waypoints of the dimension as markers.
    pub(crate) fn markers(&self, settings: &Settings) -> Vec<WorldMarkers> {
        if !settings.request.markers.has(MarkerKind::Waypoints) {
            return Vec::new();
        }

        let mut markers = Vec::new();
        for Waypoint {
            dimension,
            name,
            at,
            y,
            colour,
            ..
        } in &self.explored.waypoints
        {
            if *dimension == self.dimension.id {
                markers.push(Marker::waypoint(name, *at, Some(*y), *colour));
            }
        }

        vec![WorldMarkers {
            markers,
            border: None,
            images: BTreeMap::new(),
        }]
    }
}
