//! Exports a map into a bucket of an object store: uploads the files of the map's folder one by
//! one.
//!
//! The bucket itself lists its files: its manifests name the tiles, and the *list*
//! (`.pixelmap/files.json`) names all other files. So unchanged files are not uploaded again, no
//! matter which machine runs the export. However an export ends, and whichever answers of the store
//! are lost, every file in the bucket is named there, and no file is mistaken for another. For
//! this, files are *marked* before they change or are removed. A marked file has an entry without a
//! hash in the list. Marked tiles are recorded in a second manifest below `.pixelmap/`, in which a
//! marked tile has no content; as long as this manifest exists, it replaces the first one.
//!
//! An export goes through these stages, in this order:
//!
//! | stage | content of the bucket | what the next export does if this one ends here |
//! |---|---|---|
//! | `New` | another map, an earlier one, or nothing | begins |
//! | `Taken` | `.pixelmap/world.json` names the map's world | begins; an empty place now belongs to this map |
//! | `Marked` | the earlier map; everything that changes or is removed is marked | uploads the marked files |
//! | `Kept` | the same, and the files that earlier moments of the new map show | uploads the marked files |
//! | `Tiles` | the tiles of both maps; changed tiles are new | uploads the tiles that are still marked |
//! | `Manifests` | the new map's tiles and manifests; tiles of the earlier map alone are removed | uploads the
//! other files |
//! | `Page` | the new map, and files that belong to the earlier one only | uploads and removes marked files |
//! | `Listed` | the new map, and a list without marks | finds nothing to do |
//!
//! A file that the store does not take is a *gap*, and the export goes on. It then removes nothing,
//! and it keeps the marks and the earlier page, because browsers would cache the files that a new
//! page refers to.

mod access;
mod drawn_map;
#[cfg(test)]
mod drawn_map_tests;
mod fetch;
mod file_list;
mod files;
mod lease;
mod mark;
mod part_tiles;
mod part_upload;
mod plan;
mod put;
mod stages;
mod store;
mod tiles;
mod upload;

pub use access::BucketAccess;
pub use drawn_map::BucketMap;
pub use stages::put_bucket;
pub use store::{Bucket, BucketError};
pub use upload::BucketCounts;
