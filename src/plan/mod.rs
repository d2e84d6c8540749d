//! A request against a world: which regions of which dimensions are drawn, in which order, and at what cost.
//!
//! Knows nothing of what is in a chunk.

mod order;

pub use order::{cost_ns, order};

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use crate::coord::{Area, RegionPos};
use crate::tile::Pyramid;
use crate::world::{Dimension, Kind, Kinds, RegionEntry, World, canonical_id};

/// What of a world is asked for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Dimensions as the user named them; none: all there are.
    pub dimensions: Vec<String>,
    /// The columns to draw; none: all.
    pub area: Option<Area>,
}

/// Why a request cannot be met.
#[derive(Debug)]
pub enum PlanError {
    /// A dimension that the world does not have, and those that it has.
    NoDimension(String, Vec<String>),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDimension(wanted, found) => {
                write!(f, "this world has no dimension {wanted}; it has {}", found.join(", "))
            }
        }
    }
}

impl std::error::Error for PlanError {}

/// What is to be drawn.
#[derive(Debug)]
pub struct Plan {
    /// By dimension, in the world's order.
    pub dimensions: Vec<DimensionPlan>,
}

/// What is to be drawn of one dimension.
#[derive(Debug)]
pub struct DimensionPlan {
    /// The dimension's id.
    pub id: String,
    /// Its folder in the map: the id with `/` for `:`.
    pub path: String,
    /// The folder of its region files.
    pub folder: PathBuf,
    /// The height of the ceiling that its day map looks under, if there is one.
    pub ceiling_y: Option<i32>,
    /// Every region file on the map, by position: neighbours are asked for their borders even where they are not drawn.
    pub files: BTreeMap<RegionPos, RegionEntry>,
    /// The regions to draw, in the order in which they are begun.
    pub regions: Vec<RegionPos>,
    /// The tiles over the regions to draw.
    pub pyramid: Pyramid,
    /// Region files too far out to have a tile.
    pub far: Vec<RegionEntry>,
}

impl DimensionPlan {
    /// What drawing each region is estimated to cost, in nanoseconds, in the order in which they are begun.
    pub fn costs(&self) -> impl Iterator<Item = u64> {
        self.regions.iter().map(|region| cost_ns(self.files.get(region).map_or(0, |entry| entry.bytes)))
    }
}

/// Plans a render on `threads` workers; the kinds of its dimensions say which has a ceiling.
///
/// # Errors
/// A dimension is asked for that the world does not have.
pub fn plan(world: &World, kinds: &Kinds, request: &Request, threads: usize) -> Result<Plan, PlanError> {
    let dimensions = wanted(world, &request.dimensions)?.into_iter();
    let of = |dimension: &Dimension| of(dimension, kinds.of(&dimension.id), request.area, threads);
    Ok(Plan { dimensions: dimensions.map(of).collect() })
}

fn wanted<'a>(world: &'a World, names: &[String]) -> Result<Vec<&'a Dimension>, PlanError> {
    if names.is_empty() || names.iter().any(|name| name == "all") {
        return Ok(world.dimensions.iter().collect());
    }
    for name in names {
        if world.dimension(name).is_none() {
            let found = world.dimensions.iter().map(|dimension| dimension.id.clone()).collect();
            return Err(PlanError::NoDimension(name.clone(), found));
        }
    }
    let asked = |dimension: &&Dimension| names.iter().any(|name| canonical_id(name) == dimension.id);
    Ok(world.dimensions.iter().filter(asked).collect())
}

fn of(dimension: &Dimension, kind: Option<Kind>, area: Option<Area>, threads: usize) -> DimensionPlan {
    let (near, far): (Vec<RegionEntry>, Vec<RegionEntry>) =
        dimension.regions.iter().partition(|entry| entry.region.on_map());
    let taking_part = |entry: &&RegionEntry| area.is_none_or(|area| !area.overlap(entry.region.area()).is_empty());
    let drawn: Vec<RegionEntry> = near.iter().filter(taking_part).copied().collect();
    DimensionPlan {
        id: dimension.id.clone(),
        path: dimension.id.replace(':', "/"),
        folder: dimension.folder.clone(),
        ceiling_y: kind.and_then(Kind::ceiling_y),
        pyramid: Pyramid::over(drawn.iter().map(|entry| entry.region)),
        regions: order(&drawn, threads),
        files: near.into_iter().map(|entry| (entry.region, entry)).collect(),
        // What lies outside the area asked for is not missing from it.
        far: if area.is_none() { far } else { Vec::new() },
    }
}
