//! The end of a shard: its records are compacted, and its part tells that it is whole. Manifests, removals and all else
//! that a map has once are left to the merge.

use crate::base::coord::TilePos;
use crate::draw::account::Published;
use crate::draw::map::drawn::DrawnMap;
use crate::draw::map::finish::{of_journal, publish_by, put_state};
use crate::draw::parts::file::PartFile;
use crate::draw::plan::Shard;
use crate::draw::report::{Failure, Report};
use crate::schedule::Stop;
use crate::store::{Commit, Output, PublishError};
use crate::world::World;

/// Ends the part of these maps that `shard` has drawn, if all of it is drawn, and reports each map.
pub(crate) fn publish(
    world: &World,
    output: &Output,
    maps: Vec<DrawnMap<'_>>,
    shard: Shard,
    stop: &Stop,
) -> Vec<Report> {
    publish_by(world, output, maps, &[], |maps| {
        if stop.requested() {
            return Ok(Vec::new());
        }
        commit(world, output, maps, shard).map_err(|error| Failure::from(&error))?;
        Ok(maps.iter().map(|_| Published { closed: true, ..Published::default() }).collect())
    })
}

fn commit(world: &World, output: &Output, maps: &[DrawnMap<'_>], shard: Shard) -> Result<(), PublishError> {
    let mut commit = Commit::new(output)?;
    let strays = put_state(output, maps, &of_journal(maps), &mut commit)?;
    let mut file = PartFile::of(world, output.naming(), shard, maps);
    for (index, map_layer, TilePos { zoom, x, y }) in strays {
        file.found[index].strays.insert((maps[index].map_layers.number(map_layer), zoom, x, y));
    }
    keep_strays(&mut file, output, maps)?;
    commit.put_part(&file.json())?;
    commit.carry_out()
}

/// Keeps the strays that the part told of when it was drawn last, as far as they still stand. Those that are tiles of
/// another part are none for the merge.
fn keep_strays(file: &mut PartFile, output: &Output, maps: &[DrawnMap<'_>]) -> Result<(), PublishError> {
    let earlier = output.part_before().and_then(|json| PartFile::read(&json));
    // Their numbers are those of the same map layers, whatever else is different.
    let Some(earlier) = earlier.filter(|earlier| earlier.same.map_layers().eq(file.same.map_layers())) else {
        return Ok(());
    };
    for ((found, earlier), map) in file.found.iter_mut().zip(earlier.found).zip(maps) {
        for stray @ (number, zoom, x, y) in earlier.strays {
            let tile = TilePos { zoom, x, y };
            let Some(map_layer) = map.map_layers.all().nth(number) else { continue };
            let is_own = map.manifest(map_layer).tiles.contains_key(&tile);
            if !is_own && output.standing(&map.map_layers.tile_path(map_layer, tile))?.is_some() {
                found.strays.insert(stray);
            }
        }
    }
    Ok(())
}
