//! Finds the pictures of regions and reads the waypoints that a map mod saved while players
//! explored a world. The pictures themselves are not opened here; `draw` turns them into tiles.
//! `export` writes waypoints with `journeymap.rs`.
//!
//! Supports the folders of `JourneyMap`. Their layout was taken from its sources and from folders
//! that players published (TeamJM/journeymap-legacy, `RegionImageHandler` and `Waypoint`;
//! TeamJM/journeymap-tools; `Coccho/gtnh_journeymap`). A picture shows one region with one pixel
//! per block, and is transparent where the player has not been.

mod error;
mod explored_world;
mod folders;
pub(crate) mod journeymap;
mod map_source;
mod picture;
mod read;
mod waypoints;

pub use error::ImportError;
pub use explored_world::{ExploredDimension, ExploredWorld, Pictures};
pub use journeymap::Waypoint;
pub use map_source::MapSource;
pub use picture::{Picture, PictureKind, file_name};
