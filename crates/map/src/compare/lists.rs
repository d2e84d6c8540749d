//! Lists the files to write and to remove in order to turn a copy of the first map into the second,
//! for programs that copy maps to other places.

use std::collections::BTreeSet;

use super::maps::{Half, LayerPair, pairs};
use super::request::CompareRequest;
use super::side::{Side, unlike_error};
use super::trouble::Trouble;
use crate::atlas::{Content, FinishedMap, LayerFacts, MapFile, MapFolder, in_folder, tile_pairs};
use crate::page;

/// Sorted paths relative to a map's folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DifferenceLists {
    /// Files that are new or have different bytes.
    pub changed: Vec<String>,
    /// Files that no longer exist.
    pub deleted: Vec<String>,
}

/// Lists the differences between a copy of the map `a` and the map `b` in the requested dimensions
/// and layers; ignores the requested area. If `a` is a manifest, its other files are unknown, so
/// the files of `b` count as changed.
///
/// # Errors
/// Fails if the two cannot be compared.
pub fn list_differences(
    a: &Side,
    b: &Side,
    request: &CompareRequest,
) -> Result<DifferenceLists, Trouble> {
    let Side::Map(FinishedMap::Folder(map)) = b else {
        return Err(unlike_error(a, b));
    };

    let known = match a {
        Side::Map(FinishedMap::Folder(a)) => Some(a),
        _ => None,
    };

    let mut lists = DifferenceLists::default();

    // Only files are compared, so options about pixels must not cause an error.
    let request = CompareRequest {
        tolerance: 0,
        ignore: Vec::new(),
        ..request.clone()
    };

    let page_files = page::paths().chain([MapFile::SCRIPT, MapFile::VERSION]);
    let own = page_files
        .filter(|_| map.content() == Content::Map)
        .chain([map.content().facts()]);
    let mut others: BTreeSet<String> = own.map(str::to_owned).collect();
    for layers in pairs(a, b, &request)? {
        list_layer(&mut lists, &layers, map)?;
        for layer in [layers.a, layers.b].iter().filter_map(Half::layer) {
            others.insert(in_folder(&layer.facts.path, LayerFacts::TILEJSON));
            others.extend(layer.facts.list_paths());
            others.extend(known.map(|_| MapFolder::manifest_path(layer.facts)));
        }
    }

    for path in others {
        let old = known.map(|a| a.read(&path)).transpose()?.flatten();
        let new = map.read(&path)?;
        match (old, new) {
            (Some(old), Some(new)) if old == new => {}
            (_, Some(_)) => lists.changed.push(path),
            (Some(_), None) => lists.deleted.push(path),
            (None, None) => {}
        }
    }

    lists.changed.sort_unstable();
    lists.deleted.sort_unstable();

    Ok(lists)
}

fn list_layer(
    lists: &mut DifferenceLists,
    layers: &LayerPair<'_>,
    map: &MapFolder,
) -> Result<(), Trouble> {
    let (a, b) = layers.manifests()?;

    // A saved manifest does not name its layer, so we assume the paths of the map with which it is
    // compared.
    let Some(after) = layers.shown_layer() else {
        return Ok(());
    };

    let before = layers.a.layer().unwrap_or(after);
    for pair in tile_pairs(&a, &b) {
        let old = map.tile_path(before.facts, pair.tile);
        let new = map.tile_path(after.facts, pair.tile);
        let world_file = map.world_file_path(after.facts, pair.tile);

        let is_same =
            old == new && pair.a.map(|record| record.file) == pair.b.map(|record| record.file);
        if pair.b.is_some() && !is_same {
            lists.changed.push(new.clone());
        }

        if pair.a.is_some() && (pair.b.is_none() || old != new) {
            lists.deleted.push(old);
        }

        match (pair.a, pair.b) {
            (None, Some(_)) => lists.changed.extend(world_file),
            (Some(_), None) => lists.deleted.extend(world_file),
            _ => {}
        }
    }

    if matches!(layers.a, Half::Manifest(_)) && a != b {
        lists.changed.push(MapFolder::manifest_path(after.facts));
    }

    Ok(())
}
