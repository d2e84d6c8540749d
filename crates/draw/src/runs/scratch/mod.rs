//! Makes a picture, an archive or pictures of regions: draws a map into a scratch folder, exports
//! it, and removes the folder.

mod exported_map;
mod rendering;
pub(crate) mod request;
pub(crate) mod scratch_map;
mod target;

pub use exported_map::ExportedMap;
pub(crate) use exported_map::picture_facts;
pub(crate) use rendering::removed_by_plan;
pub use rendering::render;
