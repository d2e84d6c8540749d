//! Describes an entry of a listed folder.

use std::path::PathBuf;

/// A file or folder in a folder.
#[derive(Debug)]
pub struct FolderEntry {
    /// The name as text; bytes that are not UTF-8 are replaced.
    pub name: String,
    pub path: PathBuf,
    pub is_link: bool,
    /// Also true for a link to a folder.
    pub is_folder: bool,
}
