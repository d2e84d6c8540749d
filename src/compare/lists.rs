//! The files that turn a copy of the first map into one of the second: those to be written, and those to be removed.

use std::collections::BTreeSet;

use super::maps::{Half, LayerPair, pairs};
use super::side::unlike_error;
use super::{CompareRequest, Side, Trouble};
use crate::atlas::{Content, FinishedMap, LayerFacts, MapFile, MapFolder, in_folder, tile_pairs};
use crate::page;

/// Paths relative to a map's folder, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lists {
    /// Files that are new or have other bytes.
    pub changed: Vec<String>,
    /// Files that are no longer there.
    pub deleted: Vec<String>,
}

/// The differences between a copy of the map `a` and the map `b`, in the dimensions and layers asked for, whatever the
/// area. Where `a` is a manifest, the files that belong to no layer are unknown: they count as changed.
///
/// # Errors
/// The two cannot be compared.
pub fn list_differences(a: &Side, b: &Side, request: &CompareRequest) -> Result<Lists, Trouble> {
    let Side::Map(FinishedMap::Folder(map)) = b else { return Err(unlike_error(a, b)) };
    let known = match a {
        Side::Map(FinishedMap::Folder(a)) => Some(a),
        _ => None,
    };
    let mut lists = Lists::default();
    // Pixels do not matter here.
    let request = CompareRequest { tolerance: 0, ignore: Vec::new(), ..request.clone() };
    let page_files = page::paths().chain([MapFile::SCRIPT, MapFile::VERSION]);
    let own = page_files.filter(|_| map.content() == Content::Map).chain([map.content().facts()]);
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

fn list_layer(lists: &mut Lists, layers: &LayerPair<'_>, map: &MapFolder) -> Result<(), Trouble> {
    let (a, b) = layers.manifests()?;
    // The paths in a saved manifest are those of the map it is compared with.
    let Some(after) = layers.shown_layer() else { return Ok(()) };
    let before = layers.a.layer().unwrap_or(after);
    for pair in tile_pairs(&a, &b) {
        let old = map.tile_path(before.facts, pair.tile);
        let new = map.tile_path(after.facts, pair.tile);
        let world_file = map.world_file_path(after.facts, pair.tile);
        let is_same = old == new && pair.a.map(|record| record.file) == pair.b.map(|record| record.file);
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
