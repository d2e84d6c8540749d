//! The tiles of a map, with the keys of all its map layers.

use std::sync::Arc;

use crate::request::fingerprint::Fingerprint;
use crate::request::layers::MapLayers;
use crate::request::prepare::RunPlan;
use crate::request::settings::Settings;
use crate::tiles::journal_subject::JournalSubject;
use crate::tiles::map_tiles::TilePlan;
use pixelmap_map::atlas::Naming;
use pixelmap_world::internal::World;

/// Returns the tiles of a map that is drawn into an output with this naming.
///
/// The keys are in the order of `JournalSubject::all`. A map without layers has none.
pub(crate) fn tile_plan<'a>(
    world: &World,
    prepared: &'a RunPlan,
    settings: &Settings,
    naming: Naming,
) -> TilePlan<'a> {
    let plan = &prepared.plan;
    let map_layers = MapLayers::new(plan, settings, naming);
    let fingerprint = Fingerprint::new(world, settings, prepared);
    let subjects = JournalSubject::all(&map_layers);
    let keys = subjects.filter_map(|subject| match subject {
        JournalSubject::Tiles(map_layer) => {
            Some(fingerprint.layer_key(&map_layers, map_layer, plan))
        }
        JournalSubject::Regions(dimension) => fingerprint.regions_key(&map_layers, dimension, plan),
        JournalSubject::Markers(_) if settings.request.layers.is_empty() => None,
        JournalSubject::Markers(dimension) => {
            Some(fingerprint.markers_key(&plan.dimensions[dimension]))
        }
        JournalSubject::Inner(map_layer) => {
            Some(fingerprint.inner_key(&map_layers, map_layer, plan))
        }
    });

    TilePlan {
        keys: keys.collect(),
        dimensions: plan.map_dimensions(),
        map_layers: Arc::new(map_layers),
        threads: prepared.threads,
        is_staged: settings.is_staged(),
        is_forced: settings.is_forced(),
    }
}
