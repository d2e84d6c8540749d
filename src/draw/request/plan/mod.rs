//! A request against a world: the regions to draw, their order and their cost.
//!
//! Knows nothing of what is in a chunk.

mod order;
mod shard;

pub use order::{cost_ns, order};
pub use shard::{Shard, ShardFigures};

use std::collections::BTreeMap;
use std::fmt;

use crate::draw::request::plan::shard::{Division, dimension_regions};

use crate::base::coord::{Area, Ceiling, RegionPos};
use crate::draw::request::hide::Hidden;
use crate::tile::TileSet;
use crate::world::{Dimension, FileDamage, Kinds, RegionEntry, RegionStore, Unreadable, World};

/// The part of a world that is asked for.
#[derive(Debug, Default)]
pub struct PlanRequest {
    /// Dimensions as the user named them; none: all there are.
    pub dimensions: Vec<String>,
    /// The columns to draw; none: all.
    pub area: Option<Area>,
    /// The areas that must not be shown.
    pub hidden: Hidden,
    /// The part of all that which is to be drawn; none: all of it.
    pub shard: Option<Shard>,
}

/// A reason why a request cannot be met.
#[derive(Debug)]
pub enum PlanError {
    /// A dimension that the world does not have, and those that it has.
    NoDimension(String, Vec<String>),
    /// The first dimension, where the region files of no requested dimension can be listed.
    Unreadable(Unreadable),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDimension(wanted, found) => {
                write!(f, "this world has no dimension {wanted}; it has {}", found.join(", "))
            }
            Self::Unreadable(unreadable) => unreadable.fmt(f),
        }
    }
}

impl std::error::Error for PlanError {}

/// The regions to draw, and in which order.
#[derive(Debug)]
pub struct Plan {
    /// By dimension, in the world's order.
    pub dimensions: Vec<DimensionPlan>,
    /// The regions to draw, of all dimensions, in the order of drawing.
    pub order: Vec<DimensionRegion>,
    /// The areas that must not be shown. Wholly hidden regions have no part in the plan.
    pub hidden: Hidden,
    /// Requested dimensions that cannot be read and are left as they are, in the world's order.
    pub unreadable: Vec<Unreadable>,
    /// Parts of the world that cannot be read and belong to no region that is known.
    pub damage: Vec<FileDamage>,
    /// A hash of the way in which the regions are divided, if this is the plan of a shard.
    pub division: Option<u64>,
}

/// A region of a dimension: 12 bytes, as a large world has many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DimensionRegion {
    /// The dimension's number in the plan.
    pub dimension: u32,
    /// The region in it.
    pub region: RegionPos,
}

impl Plan {
    /// The estimated cost of each region, in nanoseconds, in the order of drawing.
    pub fn costs(&self) -> impl Iterator<Item = u64> {
        let entry = |place: &DimensionRegion| self.dimensions.get(place.dimension as usize)?.files.get(&place.region);
        self.order.iter().map(move |place| cost_ns(entry(place).map_or(0, |entry| entry.bytes)))
    }

    /// The dimensions as a map shows them.
    pub fn map_dimensions(&self) -> Vec<MapDimension<'_>> {
        self.dimensions.iter().map(DimensionPlan::on_map).collect()
    }

    /// Leaves the tiles that show nothing but `regions`. What belongs to no region is left to the first shard.
    fn keep(&mut self, shard: Shard, regions: &[(u32, RegionEntry)]) {
        for (number, dimension) in (0..).zip(&mut self.dimensions) {
            dimension.pyramid.keep_over(&dimension_regions(regions, number));
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

    /// Leaves the regions' own tiles, and so many zoom levels further out.
    pub fn keep_levels(&mut self, outer: usize) {
        self.dimensions.iter_mut().for_each(|dimension| dimension.pyramid.keep_levels(outer));
    }
}

/// The part of a plan for one dimension.
#[derive(Debug)]
pub struct DimensionPlan {
    pub id: String,
    /// Its folder in the map: the id with `/` for `:`.
    pub path: String,
    pub store: RegionStore,
    /// Absent in dimensions without a ceiling. The day map shows the land under it.
    pub ceiling: Option<Ceiling>,
    /// Every region file on the map, by position: neighbours are asked for their borders even where they are not drawn.
    pub files: BTreeMap<RegionPos, RegionEntry>,
    /// The tiles over the regions to draw.
    pub pyramid: TileSet,
    /// Region files to draw that are too far out to have a tile.
    pub far: Vec<RegionEntry>,
    /// The number of region files left out because they are wholly hidden; they are never opened.
    pub hidden: u64,
}

impl DimensionPlan {
    pub fn on_map(&self) -> MapDimension<'_> {
        MapDimension { id: &self.id, path: &self.path, tiles: &self.pyramid }
    }
}

/// A dimension as a map shows it.
#[derive(Debug, Clone, Copy)]
pub struct MapDimension<'a> {
    pub id: &'a str,
    /// Its folder in the map.
    pub path: &'a str,
    pub tiles: &'a TileSet,
}

/// Plans a render on `threads` workers; the kinds of its dimensions give their ceilings.
///
/// # Errors
/// A requested dimension that the world does not have, or all of them are [`Unreadable`].
pub fn plan(world: &World, kinds: &Kinds, request: PlanRequest, threads: usize) -> Result<Plan, PlanError> {
    let mut dimensions = Vec::new();
    let mut drawn = Vec::new();
    let (readable, others): (Vec<&Dimension>, Vec<&Dimension>) =
        find_dimensions(world, &request.dimensions)?.into_iter().partition(|dimension| dimension.unreadable.is_none());
    let unreadable: Vec<Unreadable> = others.into_iter().filter_map(Unreadable::from_dimension).collect();
    if let ([], [first, ..]) = (&*readable, &*unreadable) {
        return Err(PlanError::Unreadable(first.clone()));
    }
    for (number, dimension) in (0..).zip(readable) {
        let plan = plan_dimension(dimension, kinds.ceiling(&dimension.id), &request);
        let regions = plan.files.values().filter(|entry| plan.pyramid.contains(entry.region.tile()));
        drawn.extend(regions.map(|&entry| (number, entry)));
        dimensions.push(plan);
    }
    let damage = world.damage().to_vec();
    let mut plan = Plan { dimensions, order: Vec::new(), hidden: request.hidden, unreadable, damage, division: None };
    if let Some(shard) = request.shard {
        let division = Division::new(drawn, shard.count());
        plan.division = Some(division.fingerprint());
        drawn = division.regions(shard).to_vec();
        plan.keep(shard, &drawn);
    }
    plan.order = order(drawn, threads);
    Ok(plan)
}

/// The figures of `count` shards among which a plan would be divided, the number of sides that two regions share, and of
/// those between two shards.
pub fn figures(plan: &Plan, count: u32) -> (Vec<ShardFigures>, (u64, u64)) {
    let entry = |place: &DimensionRegion| {
        let entry = plan.dimensions.get(place.dimension as usize)?.files.get(&place.region)?;
        Some((place.dimension, *entry))
    };
    let division = Division::new(plan.order.iter().filter_map(entry).collect(), count);
    (division.figures(), division.sides())
}

fn find_dimensions<'a>(world: &'a World, names: &[String]) -> Result<Vec<&'a Dimension>, PlanError> {
    if names.is_empty() || names.iter().any(|name| name == "all") {
        return Ok(world.dimensions.iter().collect());
    }
    let mut wanted = Vec::new();
    for name in names {
        let Some(dimension) = world.dimension(name) else {
            let ids = world.dimensions.iter().map(|dimension| dimension.id.clone()).collect();
            return Err(PlanError::NoDimension(name.clone(), ids));
        };
        wanted.push(&*dimension.id);
    }
    let is_wanted = |dimension: &&Dimension| wanted.contains(&&*dimension.id);
    Ok(world.dimensions.iter().filter(is_wanted).collect())
}

fn plan_dimension(
    dimension: &Dimension,
    ceiling: Option<Ceiling>,
    &PlanRequest { area, ref hidden, .. }: &PlanRequest,
) -> DimensionPlan {
    let (hidden, shown): (Vec<RegionEntry>, Vec<RegionEntry>) =
        dimension.regions.iter().partition(|entry| !hidden.is_empty() && hidden.slots(entry.region).is_full());
    let (near, far): (Vec<RegionEntry>, Vec<RegionEntry>) =
        shown.into_iter().partition(|entry| entry.region.is_on_map());
    // Regions outside the requested area do not count as missing.
    let taking_part = |entry: &&RegionEntry| area.is_none_or(|area| area.meets(entry.region));
    DimensionPlan {
        id: dimension.id.clone(),
        path: dimension.id.replace(':', "/"),
        store: dimension.store.clone(),
        ceiling,
        pyramid: TileSet::from_regions(near.iter().filter(taking_part).map(|entry| entry.region)),
        files: near.into_iter().map(|entry| (entry.region, entry)).collect(),
        far: far.into_iter().filter(|entry| taking_part(&entry)).collect(),
        hidden: hidden.iter().filter(taking_part).count() as u64,
    }
}
