//! Computes how maps would be divided among shards, using only the list of region files.

use serde::Serialize;

use crate::request::error::RenderError;
use crate::request::plan::{ShardFigures, figures};
use crate::request::prepare::prepare;
use crate::request::settings::Settings;
use pixelmap_world::internal::World;

/// The division of maps among shards.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ShardDivision {
    /// One entry per shard.
    pub shards: Vec<ShardFigures>,
    /// The time of the longest shard, as a multiple of the mean.
    pub largest_over_mean: f64,
    /// The fraction of shared sides of regions that are between two shards. Both shards read those
    /// borders.
    pub edges_read_twice: f64,
}

/// Divides these maps of a world among `count` shards.
///
/// # Errors
/// Fails for the same reasons as a render that ends before it writes anything.
pub fn divide(world: &World, maps: &[Settings], count: u32) -> Result<ShardDivision, RenderError> {
    let mut divided = ShardDivision {
        shards: vec![ShardFigures::default(); count as usize],
        ..ShardDivision::default()
    };

    let mut sides = 0;
    let mut cut_sides = 0;
    for settings in maps {
        let prepared = prepare(world, settings)?;
        let (shards, (all, cut)) = figures(&prepared.plan, count);
        for (
            sum,
            ShardFigures {
                regions,
                bytes,
                seconds,
            },
        ) in divided.shards.iter_mut().zip(shards)
        {
            sum.regions += regions;
            sum.bytes += bytes;
            sum.seconds += seconds;
        }

        sides += all;
        cut_sides += cut;
    }

    let seconds = divided.shards.iter().map(|shard| shard.seconds);
    let mean = seconds.clone().sum::<f64>() / f64::from(count);
    divided.largest_over_mean = if mean > 0.0 {
        seconds.fold(0.0, f64::max) / mean
    } else {
        1.0
    };
    divided.edges_read_twice = cut_sides as f64 / (sides as f64).max(1.0);

    Ok(divided)
}
