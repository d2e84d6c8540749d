//! Builds surfaces: walks down each column of a chunk once, and keeps the values that its layers
//! need.
//!
//! A surface is built for a *view*: from the sky, from under a ceiling as in the nether, or from
//! below the land. Finished columns are small (about 3 kB per chunk) and no longer need the chunk,
//! so the borders of a region are kept for its neighbours. This folder deals with blocks and
//! heights only; `layers` chooses the colours.

mod ceiling;
mod closed;
mod columns;
mod edges;
mod highest;
mod hollow;
mod light;
mod scan;
mod view;

pub use ceiling::range_under_ceiling;
pub use closed::ClosedColumns;
pub use columns::{Columns, NO_HEIGHT, Overlay, SavedFacts, TICKS_A_SECOND};
pub use edges::{
    Border, BorderHeights, CachedBorder, CachedChunk, DecodedChunk, EdgeCache, REACH, RegionEdges,
    RegionFrame, SideColumns,
};
pub use highest::{highest, highest_under_ceiling};
pub use hollow::hollows;
pub use light::light;
pub use scan::scan;
pub use view::View;
