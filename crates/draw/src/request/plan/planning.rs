//! Makes the plan of a request, and divides a plan among shards.

use super::dimensions::DimensionPlan;
use super::drawing_plan::Plan;
use super::error::PlanError;
use super::order::order;
use super::shard::{Shard, ShardFigures};
use crate::request::ceilings::Ceilings;
use crate::request::hide::HiddenPlaces;
use crate::request::plan::shard::Division;
use pixelmap_base::coord::{Area, Ceiling};
use pixelmap_tile::TileSet;
use pixelmap_world::internal::{Dimension, RegionEntry, UnreadableDimension, World};

/// The requested part of a world.
#[derive(Debug, Default)]
pub struct PlanRequest {
    /// The dimensions as the user named them. Empty means all.
    pub dimensions: Vec<String>,
    /// The columns to draw, or `None` for all.
    pub area: Option<Area>,
    /// The areas that must not be shown.
    pub hidden: HiddenPlaces,
    /// The shard to draw, or `None` for everything.
    pub shard: Option<Shard>,
}

/// Plans a render on `threads` workers.
///
/// # Errors
/// Fails if the world lacks a requested dimension, or if all of them are [`UnreadableDimension`].
pub(crate) fn plan(
    world: &World,
    ceilings: &Ceilings,
    request: PlanRequest,
    threads: usize,
) -> Result<Plan, PlanError> {
    let mut dimensions = Vec::new();
    let mut drawn = Vec::new();
    let (readable, others): (Vec<&Dimension>, Vec<&Dimension>) =
        find_dimensions(world, &request.dimensions)?
            .into_iter()
            .partition(|dimension| dimension.unreadable.is_none());

    let unreadable: Vec<UnreadableDimension> = others
        .into_iter()
        .filter_map(UnreadableDimension::from_dimension)
        .collect();
    if let ([], [first, ..]) = (&*readable, &*unreadable) {
        return Err(PlanError::Unreadable(first.clone()));
    }

    for (number, dimension) in (0..).zip(readable) {
        let plan = plan_dimension(dimension, ceilings.get(&dimension.id), &request);
        let regions = plan
            .files
            .values()
            .filter(|entry| plan.pyramid.contains(entry.region.tile()));
        drawn.extend(regions.map(|&entry| (number, entry)));
        dimensions.push(plan);
    }

    let damage = world.damage().to_vec();
    let mut plan = Plan {
        dimensions,
        order: Vec::new(),
        hidden: request.hidden,
        unreadable,
        damage,
        division: None,
    };

    if let Some(shard) = request.shard {
        let division = Division::new(drawn, shard.count());
        plan.division = Some(division.fingerprint());
        drawn = division.regions(shard).to_vec();
        plan.keep(shard, &drawn);
    }

    plan.order = order(drawn, threads);
    Ok(plan)
}

/// Returns the figures of each of the `count` shards that a plan would be divided into. Also
/// returns the number of sides that two regions share, and how many of them are between two shards.
pub fn figures(plan: &Plan, count: u32) -> (Vec<ShardFigures>, (u64, u64)) {
    let mut regions = Vec::new();
    for planned in &plan.order {
        if let Some(entry) = plan.entry(planned) {
            regions.push((planned.dimension, *entry));
        }
    }

    let division = Division::new(regions, count);
    (division.figures(), division.sides())
}

/// Returns the dimensions that a request names, in the order of the world.
///
/// # Errors
/// Fails if the world lacks one of them.
pub(crate) fn find_dimensions<'a>(
    world: &'a World,
    names: &[String],
) -> Result<Vec<&'a Dimension>, PlanError> {
    if names.is_empty() || names.iter().any(|name| name == "all") {
        return Ok(world.dimensions.iter().collect());
    }

    let mut wanted = Vec::new();
    for name in names {
        let Some(dimension) = world.dimension(name) else {
            let ids = world
                .dimensions
                .iter()
                .map(|dimension| dimension.id.clone())
                .collect();
            return Err(PlanError::NoDimension(name.clone(), ids));
        };
        wanted.push(&*dimension.id);
    }

    Ok(world
        .dimensions
        .iter()
        .filter(|dimension| wanted.contains(&&*dimension.id))
        .collect())
}

fn plan_dimension(
    dimension: &Dimension,
    ceiling: Option<Ceiling>,
    &PlanRequest {
        area, ref hidden, ..
    }: &PlanRequest,
) -> DimensionPlan {
    let (hidden, shown): (Vec<RegionEntry>, Vec<RegionEntry>) = dimension
        .regions
        .iter()
        .partition(|entry| !hidden.is_empty() && hidden.slots(entry.region).is_full());
    let (near, far): (Vec<RegionEntry>, Vec<RegionEntry>) = shown
        .into_iter()
        .partition(|entry| entry.region.is_on_map());

    // Regions outside the requested area do not count as missing.
    let taking_part = |entry: &&RegionEntry| area.is_none_or(|area| area.meets(entry.region));

    DimensionPlan {
        id: dimension.id.clone(),
        path: dimension.id.replace(':', "/"),
        store: dimension.store.clone(),
        ceiling,
        pyramid: TileSet::from_regions(near.iter().filter(taking_part).map(|entry| entry.region)),
        files: near
            .into_iter()
            .map(|entry| (entry.region, entry))
            .collect(),
        far: far
            .into_iter()
            .filter(|entry| taking_part(&entry))
            .collect(),
        hidden: hidden.iter().filter(taking_part).count() as u64,
    }
}
