//! The files of a world or a pack, on the disk, in an archive or in a remote folder.
//!
//! An archive is treated as a folder: the path `backup.zip/world/level.dat` leads into it. Nothing
//! from a zip is written to the disk; a compressed tar is unpacked into a temporary file without a
//! name. A remote folder, such as a place in a bucket, is treated as an archive, and other crates download its
//! files ([`RemoteFiles`]). This module does not interpret the contents of files.

mod archive;
mod bytes_part;
mod downloaded_file;
mod entry_names;
mod folder_entry;
mod open_file;
mod open_tars;
mod packed;
mod path_facts;
mod remote;
mod tar_contents;
mod tar_headers;
mod world_files;
mod zip_contents;

pub use archive::Archive;
pub use downloaded_file::DownloadedFile;
pub use folder_entry::FolderEntry;
pub use open_file::OpenFile;
pub use path_facts::PathFacts;
pub use remote::{RemoteEntry, RemoteFiles, RemoteFolder};
pub use world_files::Files;
