//! The plan of a map: its dimensions, and the order in which their regions are drawn.

use super::dimension_region::DimensionRegion;
use super::dimensions::{DimensionPlan, MapDimension};
use super::order::cost_ns;
use super::shard::Shard;
use crate::request::hide::HiddenPlaces;
use crate::request::plan::shard::dimension_regions;
use pixelmap_world::internal::{FileDamage, RegionEntry, UnreadableDimension};

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

impl Plan {
    /// Returns the estimated cost of each region, in nanoseconds, in the order of drawing.
    pub fn costs(&self) -> impl Iterator<Item = u64> {
        self.order
            .iter()
            .map(move |planned| cost_ns(self.entry(planned).map_or(0, |entry| entry.bytes)))
    }

    pub(super) fn entry(&self, planned: &DimensionRegion) -> Option<&RegionEntry> {
        self.dimensions
            .get(planned.dimension as usize)?
            .files
            .get(&planned.region)
    }

    /// Returns the dimensions for a map.
    pub fn map_dimensions(&self) -> Vec<MapDimension<'_>> {
        self.dimensions.iter().map(DimensionPlan::on_map).collect()
    }

    /// Keeps only the tiles that show one of `regions`. Everything that belongs to no region is
    /// left to the first shard.
    pub(super) fn keep(&mut self, shard: Shard, regions: &[(u32, RegionEntry)]) {
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
