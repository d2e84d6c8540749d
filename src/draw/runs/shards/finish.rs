//! The end of a shard: its records are compacted, and the file of its part shows that it is whole. Manifests, removals
//! and all else that a map has once are left to the merge.

use crate::base::coord::TilePos;
use crate::draw::publish::account::PublishedMap;
use crate::draw::publish::drawn::DrawnMap;
use crate::draw::publish::finish::{MapTile, end, put_state};
use crate::draw::request::plan::Shard;
use crate::draw::runs::shards::file::PartFile;
use crate::report::{Failure, Report};
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
    end(maps, None, &[], |maps| {
        if stop.is_requested() {
            return Ok(vec![PublishedMap::default(); maps.len()]);
        }
        commit(world, output, maps, shard).map_err(|error| Failure::from(&error))?;
        Ok(vec![PublishedMap { is_closed: true, ..PublishedMap::default() }; maps.len()])
    })
}

fn commit(world: &World, output: &Output, maps: &[DrawnMap<'_>], shard: Shard) -> Result<(), PublishError> {
    let mut commit = Commit::new(output)?;
    let strays = put_state(output, maps, &mut commit)?;
    let mut file = PartFile::new(world, output.naming(), shard, maps);
    for MapTile { map, map_layer, tile: TilePos { zoom, x, y } } in strays {
        file.findings[map].strays.insert((maps[map].map_layers.number(map_layer), zoom, x, y));
    }
    keep_strays(&mut file, output, maps)?;
    commit.put_part(&file.json())?;
    commit.carry_out()
}

/// Keeps the strays that the part listed when it was drawn last, as far as they are still there. The merge ignores those
/// that another part owns.
fn keep_strays(file: &mut PartFile, output: &Output, maps: &[DrawnMap<'_>]) -> Result<(), PublishError> {
    let earlier = output.part_before().and_then(|json| PartFile::parse(&json));
    // Their numbers are those of the same map layers, whatever else is different.
    let Some(earlier) = earlier.filter(|earlier| earlier.agreement.map_layers().eq(file.agreement.map_layers())) else {
        return Ok(());
    };
    for ((findings, earlier), map) in file.findings.iter_mut().zip(earlier.findings).zip(maps) {
        for stray @ (number, zoom, x, y) in earlier.strays {
            let tile = TilePos { zoom, x, y };
            let Some(map_layer) = map.map_layers.all().nth(number) else { continue };
            let is_own = map.manifest(map_layer).tiles.contains_key(&tile);
            if !is_own && output.file_facts(&map.map_layers.tile_path(map_layer, tile))?.is_some() {
                findings.strays.insert(stray);
            }
        }
    }
    Ok(())
}
