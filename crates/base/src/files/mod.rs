//! The files of a world or a pack, on the disk or in a zip.
//!
//! A zip is treated as a folder: the path `backup.zip/world/level.dat` leads into it. Nothing from
//! a zip is written to the disk. This module does not interpret the contents of files.

mod archive;
mod folder_entry;
mod open_file;
mod packed;
mod path_facts;
mod world_files;

pub use archive::Archive;
pub use folder_entry::FolderEntry;
pub use open_file::OpenFile;
pub use path_facts::PathFacts;
pub use world_files::Files;
