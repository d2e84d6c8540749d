//! Parts of a map: what a shard leaves, and how parts become one map.

mod adopt;
mod archive;
mod divide;
mod error;
mod file;
pub(super) mod finish;
mod found;
mod merge;
mod merging;
mod take;

pub use archive::{ArchiveLayer, merge_archive};
pub use divide::{Divided, DividedShard, divide};
pub use error::MergeError;
pub use merge::{MergeSettings, Merged, merge};

use crate::pipeline::error::RenderError;
use crate::pipeline::map::state::keys_of;
use crate::pipeline::prepare::Prepared;
use crate::pipeline::settings::Settings;
use crate::publish::Output;
use crate::world::World;

/// Begins the part of these maps. A new part takes over what is recorded of its tiles in the map as it stands.
pub(super) fn begin(world: &World, output: &Output, maps: &[(&Settings, Prepared)]) -> Result<(), RenderError> {
    let keys: Vec<_> =
        maps.iter().map(|(settings, prepared)| keys_of(world, prepared, settings, output.naming())).collect();
    output.begin_part().map_err(RenderError::Output)?;
    let taken = output.take_records(|key, tile| {
        maps.iter().zip(&keys).any(|((settings, prepared), keys)| {
            let dimensions = &prepared.plan.dimensions;
            let number = keys.iter().position(|other| *other == key);
            // The keys of the map layers, dimension by dimension, and then one of each dimension's markers.
            let of_layers = dimensions.len() * settings.layers.len();
            let dimension = number.map(|at| if at < of_layers { at / settings.layers.len() } else { at - of_layers });
            dimension.is_some_and(|at| dimensions[at].pyramid.contains(tile))
        })
    });
    taken.map_err(RenderError::Output)
}
