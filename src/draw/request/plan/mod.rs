//! Plans a request against a world: the regions to draw, their order and their cost.
//!
//! The plan is made from the list of region files, without reading any chunk.

mod order;
mod shard;

pub use order::{cost_ns, order};
pub use shard::{Shard, ShardFigures};

use std::collections::BTreeMap;
use std::fmt;

use crate::draw::request::plan::shard::{Division, dimension_regions};

use crate::base::coord::{Area, Ceiling, RegionPos};
use crate::draw::request::ceilings::Ceilings;
use crate::draw::request::hide::HiddenPlaces;
use crate::tile::TileSet;
use crate::world::{Dimension, FileDamage, RegionEntry, RegionStore, UnreadableDimension, World};

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

/// The reason why a request cannot be met.
#[derive(Debug)]
pub enum PlanError {
    /// A dimension that the world does not have, and the dimensions that it has.
    NoDimension(String, Vec<String>),
    /// None of the requested dimensions can be listed; this is the first one.
    Unreadable(UnreadableDimension),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDimension(wanted, found) => {
                write!(
                    f,
                    "this world has no dimension {wanted}; it has {}",
                    found.join(", ")
                )
            }
            Self::Unreadable(unreadable) => unreadable.fmt(f),
        }
    }
}

impl std::error::Error for PlanError {}

/// The regions to draw, and their order.
#[derive(Debug)]
pub struct Plan {
    /// The planned dimensions, in the world's order.
    pub dimensions: Vec<DimensionPlan>,
    /// The regions to draw, of all dimensions, in the order of drawing.
    pub order: Vec<DimensionRegion>,
    /// The areas that must not be shown. Regions that are hidden completely are not in the plan.
    pub hidden: HiddenPlaces,
    /// Requested dimensions that cannot be read and keep their published tiles, in the world's
    /// order.
    pub unreadable: Vec<UnreadableDimension>,
    /// Parts of the world that cannot be read and do not belong to any known region.
    pub damage: Vec<FileDamage>,
    /// A hash of how the regions are divided among shards, if this is the plan of a shard.
    pub division: Option<u64>,
}

/// A region of a dimension. The type has 12 bytes because a large world has many regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DimensionRegion {
    /// The dimension's number in the plan.
    pub dimension: u32,
    /// The region in this dimension.
    pub region: RegionPos,
}

impl Plan {
    /// Returns the estimated cost of each region, in nanoseconds, in the order of drawing.
    pub fn costs(&self) -> impl Iterator<Item = u64> {
        self.order
            .iter()
            .map(move |place| cost_ns(self.entry(place).map_or(0, |entry| entry.bytes)))
    }

    fn entry(&self, place: &DimensionRegion) -> Option<&RegionEntry> {
        self.dimensions
            .get(place.dimension as usize)?
            .files
            .get(&place.region)
    }

    /// Returns the dimensions for a map.
    pub fn map_dimensions(&self) -> Vec<MapDimension<'_>> {
        self.dimensions.iter().map(DimensionPlan::on_map).collect()
    }

    /// Keeps only the tiles that show one of `regions`. Everything that belongs to no region is
    /// left to the first shard.
    fn keep(&mut self, shard: Shard, regions: &[(u32, RegionEntry)]) {
        for (number, dimension) in (0..).zip(&mut self.dimensions) {
            dimension
                .pyramid
                .keep_over(&dimension_regions(regions, number));
        }

        if shard.number() > 1 {
            self.unreadable.clear();
            self.damage.clear();
            for dimension in &mut self.dimensions {
                dimension.far.clear();
                dimension.hidden = 0;
            }
        }
    }

    /// Keeps only the regions' own tiles and this many zoom levels further out.
    pub fn keep_levels(&mut self, outer: usize) {
        for dimension in &mut self.dimensions {
            dimension.pyramid.keep_levels(outer);
        }
    }
}

/// The part of a plan for one dimension.
#[derive(Debug)]
pub struct DimensionPlan {
    pub id: String,
    /// Its folder in the map: the id with `/` instead of `:`.
    pub path: String,
    pub store: RegionStore,
    /// `None` in dimensions without a ceiling. The day map shows the land under the ceiling.
    pub ceiling: Option<Ceiling>,
    /// Every region file on the map, by position. Neighbours need the borders even of regions that
    /// are not drawn.
    pub files: BTreeMap<RegionPos, RegionEntry>,
    /// The tiles over the regions to draw.
    pub pyramid: TileSet,
    /// The region files in the request that are too far out to have a tile.
    pub far: Vec<RegionEntry>,
    /// The number of region files that are left out because they are hidden completely. They are
    /// never opened.
    pub hidden: u64,
}

impl DimensionPlan {
    pub fn on_map(&self) -> MapDimension<'_> {
        MapDimension {
            id: &self.id,
            path: &self.path,
            tiles: &self.pyramid,
        }
    }
}

/// A dimension on a map.
#[derive(Debug, Clone, Copy)]
pub struct MapDimension<'a> {
    pub id: &'a str,
    /// Its folder in the map.
    pub path: &'a str,
    pub tiles: &'a TileSet,
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
    for place in &plan.order {
        if let Some(entry) = plan.entry(place) {
            regions.push((place.dimension, *entry));
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
