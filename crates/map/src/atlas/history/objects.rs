//! Lists the files of a map's history, for callers that copy, check or remove them.

use std::collections::BTreeMap;
use std::io;

use super::moment::Moments;
use super::past::{FileRecord, Past, PastPlace};
use super::paths::{HISTORY, OBJECTS, object_path};
use crate::atlas::map_file::MapFile;
use crate::atlas::naming::in_folder;
use pixelmap_base::coord::TilePos;
use pixelmap_base::own_folder::OwnFolder;

/// Returns the paths of the list of moments and of all lists of earlier versions.
///
/// # Errors
/// Fails if the folder of the history cannot be listed.
pub fn history_lists(map: &OwnFolder) -> io::Result<Vec<String>> {
    Ok(PastPlace::all(map)?
        .iter()
        .map(PastPlace::path)
        .chain([Moments::path()])
        .collect())
}

/// Returns the files that are stored for earlier moments, by path.
///
/// # Errors
/// Fails if a list of earlier versions cannot be read or is damaged.
pub fn kept_files(map: &OwnFolder, facts: &MapFile) -> io::Result<BTreeMap<String, FileRecord>> {
    let mut files = BTreeMap::new();
    for place in PastPlace::all(map)? {
        if place.is_of_files() {
            let past = Past::<String>::read(map, &place)?;
            files.extend(
                past.files()
                    .map(|(path, record)| (object_path(record.file, path), record)),
            );
        } else if let Some(layer) = facts
            .with_details()
            .find(|layer| layer.path == place.folder)
        {
            let past = Past::<TilePos>::read(map, &place)?;
            let naming = layer.naming();
            files.extend(
                past.files()
                    .map(|(tile, record)| (object_path(record.file, &naming.path(*tile)), record)),
            );
        }
    }

    Ok(files)
}

/// Returns whether a path in a map belongs to a file that is named by its hash. The bytes of such a
/// file never change.
pub fn is_kept_file(path: &str) -> bool {
    path.strip_prefix(&in_folder(HISTORY, OBJECTS))
        .is_some_and(|rest| rest.starts_with('/'))
}
