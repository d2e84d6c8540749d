//! Tests input worlds of every kind and place: whole, damaged, odd, or changing while they are
//! read.

#[cfg(all(unix, feature = "object-store"))]
pub(crate) mod address;
mod alpha;
mod bedrock;
mod broken;
mod ceilings;
mod dimension_types;
mod faults;
mod fixtures;
mod forge;
mod ftb_chunks;
mod newest_form;
#[cfg(unix)]
mod running_server;
mod spawns;
mod tar;
// Not every system has such names.
#[cfg(target_os = "linux")]
mod undecodable_paths;
#[cfg(unix)]
mod world_folder;
mod xaero;
mod xaero_waypoints;
mod zip;
mod zvcr;
