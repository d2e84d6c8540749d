//! The map that an export reads: opens it, chooses layers of it, and checks that the output is
//! outside.

use std::path::{Path, PathBuf};

use crate::atlas::{Content, FinishedLayer, FinishedMap};
use crate::export::error::ExportError;
use crate::store::{Identity, PublishError};
use pixelmap_base::disk::is_one_place;
use pixelmap_base::words::{DIMENSION, LAYER, Word};

/// Opens a map for an export.
///
/// # Errors
/// Fails if there is no map at `path`, or if something else is there.
pub fn open_map(path: &Path) -> Result<FinishedMap, ExportError> {
    let map = FinishedMap::open(path)?;
    match map.content() {
        Content::Map => Ok(map),
        other => Err(ExportError::NotAMap(path.to_owned(), other)),
    }
}

/// Returns the world that a map shows. The path is empty for an archive, because an archive does
/// not record it.
///
/// # Errors
/// Fails if the folder records its world, but the record cannot be read.
pub fn world(map: &FinishedMap) -> Result<Identity, PublishError> {
    Ok(match map {
        FinishedMap::Folder(folder) => Identity::read(folder)?,
        FinishedMap::Archive(archive) => {
            let facts = archive.facts();
            let spawn = facts
                .dimensions
                .iter()
                .find_map(|dimension| dimension.spawn);

            Identity {
                name: facts.name.clone(),
                spawn,
                path: PathBuf::new(),
            }
        }
    })
}

/// Returns the layers of a map with these dimensions and layer ids. Without a dimension, this is
/// the overworld or the map's only dimension; without a layer, it is `day` or the dimension's only
/// layer.
///
/// # Errors
/// Fails if the map does not show one of the names. Also fails if no name is given and the map
/// shows several without the usual one.
pub fn layers<'m>(
    map: &'m FinishedMap,
    dimensions: &[String],
    layers: &[String],
) -> Result<Vec<FinishedLayer<'m>>, ExportError> {
    let mut chosen = Vec::new();
    let shown: Vec<&str> = map
        .facts()
        .dimensions
        .iter()
        .map(|dimension| dimension.id.as_str())
        .collect();

    for dimension in choose_names(dimensions, &shown, "overworld", DIMENSION)? {
        let all: Vec<FinishedLayer<'_>> = map
            .layers()
            .filter(|layer| layer.dimension.id == dimension)
            .collect();
        let ids: Vec<&str> = all.iter().map(|layer| layer.facts.id.as_str()).collect();
        let wanted = choose_names(layers, &ids, "day", LAYER)?;
        chosen.extend(
            all.into_iter()
                .filter(|layer| wanted.contains(&&*layer.facts.id)),
        );
    }

    Ok(chosen)
}

/// Returns those `names` that are in `shown`, in the order of `shown`. Without any names, returns
/// the `usual` one or the only one.
fn choose_names<'a>(
    names: &'a [String],
    shown: &[&'a str],
    usual: &'a str,
    option: Word,
) -> Result<Vec<&'a str>, ExportError> {
    if names.iter().any(|name| name == "all") {
        return Ok(shown.to_vec());
    }
    if let Some(wrong) = names.iter().find(|name| !shown.contains(&name.as_str())) {
        return Err(ExportError::NotShown(wrong.clone(), owned_names(shown)));
    }

    match (names, shown) {
        ([], _) if shown.contains(&usual) => Ok(vec![usual]),
        ([], [only]) => Ok(vec![only]),
        ([], _) => Err(ExportError::Several(option, owned_names(shown))),
        _ => Ok(shown
            .iter()
            .copied()
            .filter(|shown| names.iter().any(|name| name == shown))
            .collect()),
    }
}

fn owned_names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Checks that an output is outside the map, and the map outside the output.
///
/// # Errors
/// Fails if one is inside the other.
pub fn check_outside(map: &FinishedMap, output: &Path, is_folder: bool) -> Result<(), ExportError> {
    let is_inside = match map {
        FinishedMap::Folder(folder) => folder.is_in_the_way(output, is_folder),
        FinishedMap::Archive(archive) => is_one_place(archive.path(), output),
    };
    if is_inside {
        Err(ExportError::InMap(output.to_owned()))
    } else {
        Ok(())
    }
}
