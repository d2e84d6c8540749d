//! Tests outputs: the files of a map and its page, archives, pictures, regions, and maps in
//! buckets.

pub(crate) mod archive;
#[cfg(all(unix, feature = "object-store"))]
mod bucket;
mod catalog;
#[cfg(unix)]
mod claims;
mod details;
mod explored;
mod export;
mod folder;
mod geotiff;
mod journeymap;
mod kept;
pub(crate) mod naming;
mod page;
pub(crate) mod picture;
mod regions;
mod schemes;
mod squaremap;
mod tile_lists;
#[cfg(unix)]
mod viewer;
mod xaero_folder;
mod xaero_waypoints;
