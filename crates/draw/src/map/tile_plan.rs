//! The tiles of a map, with the keys of all its map layers.

use std::sync::Arc;

use crate::request::fingerprint::Fingerprint;
use crate::request::layers::MapLayers;
use crate::request::prepare::RunPlan;
use crate::request::settings::Settings;
use crate::tiles::map_tiles::TilePlan;
use pixelmap_map::atlas::Naming;
use pixelmap_world::internal::World;

/// Returns the tiles of a map that is drawn into an output with this naming.
///
/// The keys begin with the keys of the map layers, in the order of their numbers. A map with layers
/// also has the keys of each dimension's markers, and then the keys of the inner tiles of its map
/// layers.
pub(crate) fn tile_plan<'a>(
    world: &World,
    prepared: &'a RunPlan,
    settings: &Settings,
    naming: Naming,
) -> TilePlan<'a> {
    let plan = &prepared.plan;
    let map_layers = MapLayers::new(plan, settings, naming);
    let fingerprint = Fingerprint::new(world, settings, prepared);
    let layers = map_layers
        .all()
        .map(|map_layer| fingerprint.layer_key(&map_layers, map_layer, plan));

    let dimensions = if settings.request.layers.is_empty() {
        &[][..]
    } else {
        &plan.dimensions[..]
    };
    let markers = dimensions
        .iter()
        .map(|dimension| fingerprint.markers_key(dimension));

    let inner = map_layers
        .all()
        .map(|map_layer| fingerprint.inner_key(&map_layers, map_layer, plan));
    TilePlan {
        keys: layers.chain(markers).chain(inner).collect(),
        dimensions: plan.map_dimensions(),
        map_layers: Arc::new(map_layers),
        threads: prepared.threads,
        is_staged: settings.is_staged(),
        is_forced: settings.is_forced(),
    }
}
