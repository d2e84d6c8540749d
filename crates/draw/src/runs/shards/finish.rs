//! Ends a shard: compacts its records, and writes the file that marks its part as complete.
//! Manifests, removals and everything else that a map has only once are left to the merge.

use crate::publish::account::PublishedMap;
use crate::publish::drawn::UnpublishedMap;
use crate::publish::finish::{MapTile, end, put_state};
use crate::report::{Failure, Report};
use crate::request::plan::Shard;
use crate::runs::shards::file::PartFile;
use crate::schedule::Stop;
use pixelmap_base::coord::TilePos;
use pixelmap_map::store::{Commit, Output, PublishError};
use pixelmap_world::internal::World;

/// Ends the part of these maps that `shard` has drawn, if it is complete. Returns one report per
/// map.
pub(crate) fn publish(
    world: &World,
    output: &Output,
    maps: Vec<UnpublishedMap<'_>>,
    shard: Shard,
    stop: &Stop,
) -> Vec<Report> {
    end(maps, None, &[], |maps| {
        if stop.is_requested() {
            return Ok(vec![PublishedMap::default(); maps.len()]);
        }

        commit(world, output, maps, shard).map_err(|error| Failure::from(&error))?;

        Ok(vec![
            PublishedMap {
                is_closed: true,
                ..PublishedMap::default()
            };
            maps.len()
        ])
    })
}

fn commit(
    world: &World,
    output: &Output,
    maps: &[UnpublishedMap<'_>],
    shard: Shard,
) -> Result<(), PublishError> {
    let mut commit = Commit::new(output);
    let strays = put_state(output, maps, &mut commit)?;
    let mut file = PartFile::new(world, output.naming(), shard, maps);
    for MapTile {
        map,
        map_layer,
        tile: TilePos { zoom, x, y },
    } in strays
    {
        file.findings[map]
            .strays
            .insert((maps[map].map_layers.number(map_layer), zoom, x, y));
    }

    keep_strays(&mut file, output, maps)?;
    commit.put_part(&file.json())?;

    commit.carry_out()
}

/// Keeps the strays that the part's previous file lists, if their files still exist. The merge
/// ignores the ones that another part owns.
fn keep_strays(
    file: &mut PartFile,
    output: &Output,
    maps: &[UnpublishedMap<'_>],
) -> Result<(), PublishError> {
    let earlier = output
        .part_before()?
        .and_then(|json| PartFile::parse(&json));

    // The numbers of map layers in the previous file are only valid if the map layers are the same.
    let Some(earlier) = earlier.filter(|earlier| {
        earlier
            .agreement
            .map_layers()
            .eq(file.agreement.map_layers())
    }) else {
        return Ok(());
    };

    for ((findings, earlier), map) in file.findings.iter_mut().zip(earlier.findings).zip(maps) {
        for stray @ (number, zoom, x, y) in earlier.strays {
            let tile = TilePos { zoom, x, y };
            let Some(map_layer) = map.map_layers.all().nth(number) else {
                continue;
            };

            let is_own = map.manifest(map_layer).tiles.contains_key(&tile);
            if !is_own
                && output
                    .file_facts(&map.map_layers.tile_path(map_layer, tile))?
                    .is_some()
            {
                findings.strays.insert(stray);
            }
        }
    }

    Ok(())
}
