//! Begins the part of a shard.

use crate::map::tile_plan;
use crate::request::error::RenderError;
use crate::request::prepare::RunPlan;
use crate::request::settings::Settings;
use crate::runs::shards::key_index::KeyIndex;
use pixelmap_map::store::Output;
use pixelmap_world::internal::World;

/// Begins the part of these maps. A new part starts with the records that the existing map has of
/// its tiles.
pub(crate) fn begin(
    world: &World,
    output: &Output,
    maps: &[(&Settings, RunPlan)],
) -> Result<(), RenderError> {
    let mut keys = KeyIndex::default();
    for (settings, prepared) in maps {
        let plan = tile_plan(world, prepared, settings, output.naming());
        keys.add_map(&plan.map_layers, &plan.keys);
    }

    output.begin_part()?;
    let adopted = output.adopt_records(|key, tile| {
        keys.find(key).is_some_and(|(map, subject)| {
            maps[map].1.plan.dimensions[subject.dimension()]
                .pyramid
                .contains(tile)
        })
    });

    adopted.map_err(RenderError::Output)
}
