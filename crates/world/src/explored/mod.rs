//! Reads the folders in which map mods store the columns of the land that players have explored, so
//! that such a folder is drawn like a world.
//!
//! Each mod has a folder here and a row in [`MapMod`]. The reader of a mod finds its region files
//! and turns one file into `columns`: for each column the block that ends it, the blocks above
//! that are seen through, the biome and the light. This module merges the files of several players
//! and writes each chunk in the form in which the game stores one, so that nothing else needs to
//! know a mod.

mod chunk;
mod chunk_cells;
mod chunk_nbt;
mod columns;
mod found;
mod ftb_chunks;
mod listing;
mod map_mod;
mod numeric;
mod region;
mod store;
#[cfg(test)]
mod tests;
mod waypoint;
mod xaero;

pub(crate) use found::{FoundDimension, FoundFolder};
pub use map_mod::MapMod;
pub use region::ExploredRegion;
pub use store::ExploredStore;
pub(crate) use store::SourceFile;
pub(crate) use waypoint::FileWaypoints;
pub use waypoint::Waypoint;
pub use xaero::{
    PlainTile, XaeroNumbers, XaeroRegion, XaeroWaypoint, dimension_folder, read_stream,
    waypoint_dimension_folder, xaero_names,
};
