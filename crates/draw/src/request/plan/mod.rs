//! Plans a request against a world: the regions to draw, their order and their cost.
//!
//! The plan is made from the list of region files, without reading any chunk.

mod dimension_region;
mod dimensions;
mod drawing_plan;
mod error;
mod order;
mod planning;
mod shard;

pub use dimension_region::DimensionRegion;
pub use dimensions::{DimensionPlan, MapDimension};
pub use drawing_plan::Plan;
pub use error::PlanError;
pub(crate) use order::are_drawn_together;
pub use order::{cost_ns, order};
pub use planning::{PlanRequest, figures};
pub(crate) use planning::{find_dimensions, plan};
pub use shard::{Shard, ShardFigures};
