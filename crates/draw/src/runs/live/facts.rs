//! The facts of a map before it is drawn, with all tiles that it may have.

use crate::publish::facts::{dimension_facts, layer_facts};
use crate::request::layers::MapLayers;
use crate::request::plan::DimensionPlan;
use crate::request::prepare::RunPlan;
use crate::request::settings::Settings;
use crate::tiles::tile_store::MadeLayer;
use pixelmap_base::coord::NATIVE_ZOOM;
use pixelmap_map::atlas::{DimensionFacts, LayerFacts, Manifest, MapFile, TileRecord};
use pixelmap_world::internal::World;

/// Returns the facts of a map of `world` with all tiles of its plan. Layers have no version,
/// because their tiles may change with each request.
pub(crate) fn facts(
    world: &World,
    settings: &Settings,
    prepared: &RunPlan,
    map_layers: &MapLayers,
) -> MapFile {
    let mut dimensions: Vec<DimensionFacts> = Vec::new();
    for (index, dimension) in prepared.plan.dimensions.iter().enumerate() {
        let made = MadeLayer {
            manifest: manifest_from_plan(dimension),
            ..MadeLayer::default()
        };

        let layers = map_layers
            .in_dimension(index)
            .filter(|&map_layer| !map_layers.is_details(map_layer))
            .map(|map_layer| {
                let facts = layer_facts(dimension.pyramid.min_zoom(), map_layers, map_layer, &made);
                LayerFacts {
                    version: None,
                    ..facts
                }
            });

        dimensions.push(dimension_facts(
            world.spawns.new_players.as_ref(),
            dimension.on_map(),
            layers.collect(),
        ));
    }

    let mut facts = MapFile::new(
        settings
            .output
            .page
            .title
            .clone()
            .unwrap_or_else(|| world.name()),
    );

    facts.page = settings.output.page.clone();
    facts.add(dimensions);

    facts
}

/// Returns a manifest of the planned tiles. The size of a native tile is the size of its region
/// file.
fn manifest_from_plan(dimension: &DimensionPlan) -> Manifest {
    let zooms = dimension.pyramid.min_zoom()..=NATIVE_ZOOM;
    let tiles = zooms
        .flat_map(|zoom| dimension.pyramid.level(zoom))
        .map(|tile| {
            let file = tile
                .region()
                .and_then(|region| dimension.files.get(&region));
            let bytes = file.map_or(0, |file| file.bytes.min(u64::from(u32::MAX)) as u32);
            (
                tile,
                TileRecord {
                    bytes,
                    file: 0,
                    pixels: 0,
                },
            )
        });

    Manifest {
        tiles: tiles.collect(),
    }
}
