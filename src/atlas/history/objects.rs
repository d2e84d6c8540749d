//! The files that a map's past consists of.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::{FileRecord, Moments, OBJECTS, Past, PastPlace, object_path};
use crate::atlas::{HISTORY, MapFile, in_folder};
use crate::base::coord::TilePos;

/// The lists of a map's moments and of their earlier versions, by path.
///
/// # Errors
/// They cannot be listed.
pub fn history_lists(root: &Path) -> io::Result<Vec<String>> {
    Ok(PastPlace::all(root)?.iter().map(PastPlace::path).chain([Moments::path()]).collect())
}

/// The files that are kept for earlier moments, by path.
///
/// # Errors
/// The past cannot be read.
pub fn kept_files(root: &Path, facts: &MapFile) -> io::Result<BTreeMap<String, FileRecord>> {
    let mut files = BTreeMap::new();
    for place in PastPlace::all(root)? {
        if place.is_of_files() {
            let past = Past::<String>::read(root, &place)?;
            files.extend(past.files().map(|(path, record)| (object_path(record.file, path), record)));
        } else if let Some(layer) = facts.with_details().find(|layer| layer.path == place.folder) {
            let past = Past::<TilePos>::read(root, &place)?;
            let naming = layer.naming();
            files.extend(past.files().map(|(tile, record)| (object_path(record.file, &naming.path(*tile)), record)));
        }
    }
    Ok(files)
}

/// Returns whether a path in a map is that of a file that is kept by its hash: it never gets other bytes.
pub fn is_kept_file(path: &str) -> bool {
    path.strip_prefix(&in_folder(HISTORY, OBJECTS)).is_some_and(|rest| rest.starts_with('/'))
}
