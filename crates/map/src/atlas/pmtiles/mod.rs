//! Defines the form of a map layer in one file: a `PMTiles` archive of version 3
//! (github.com/protomaps/PMTiles, spec/v3/spec.md).
//!
//! The file consists of a header, a root directory, metadata, leaf directories and the bytes of the
//! tiles. Directories and metadata are compressed with gzip. Tiles are not compressed again,
//! because pictures already are. `export` writes archives; `TileArchive` reads them.

mod archive;
mod directory;
mod header;
mod metadata;
mod tile_ids;

pub use archive::TileArchive;
pub(crate) use directory::{Directories, DirectoryEntry, gzip};
pub(crate) use header::{ArchiveHeader, ArchiveSections};
pub(crate) use metadata::Metadata;
pub(crate) use tile_ids::tile_id;
