//! Parts of a map: what a shard leaves, and how parts become one map.

mod adopt;
mod archive;
mod divide;
mod error;
mod file;
pub(super) mod finish;
mod found;
mod keys;
mod merge;
mod merging;
mod take;

pub use archive::{ArchiveLayer, merge_archive};
pub use divide::{Divided, divide};
pub use error::MergeError;
pub use merge::{Merged, merge};
pub use merging::MergeSettings;

use crate::draw::error::RenderError;
use crate::draw::map::keys_of;
use crate::draw::parts::keys::Keys;
use crate::draw::prepare::Prepared;
use crate::draw::prepare::layers::MapLayers;
use crate::draw::settings::Settings;
use crate::store::Output;
use crate::world::World;

/// Begins the part of these maps. A new part takes over what is recorded of its tiles in the map as it stands.
pub(super) fn begin(world: &World, output: &Output, maps: &[(&Settings, Prepared)]) -> Result<(), RenderError> {
    let naming = output.naming();
    let of_map = |(settings, prepared): &(&Settings, Prepared)| {
        (MapLayers::new(&prepared.plan, settings, naming), keys_of(world, prepared, settings, naming))
    };
    let all: Vec<_> = maps.iter().map(of_map).collect();
    let keys = Keys::of(all.iter().map(|(map_layers, keys)| (map_layers, keys.as_slice())));
    output.begin_part().map_err(RenderError::Output)?;
    let taken = output.take_records(|key, tile| {
        let found = keys.find(key);
        found.is_some_and(|(map, of)| maps[map].1.plan.dimensions[of.dimension()].pyramid.contains(tile))
    });
    taken.map_err(RenderError::Output)
}
