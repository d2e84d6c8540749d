//! The files of markers of a map, made from those of its regions and of the world.

use std::collections::BTreeMap;

use crate::atlas::{MapFile, MarkerFile, OwnMarkers};
use crate::draw::publish::drawn::DrawnMap;
use crate::draw::publish::world_markers::WorldMarkers;
use crate::markers::{MarkerKind, OwnerFile, collection, is_frame, join_parts, script};
use crate::store::{Commit, Output, PublishError};

/// Stages the files of markers of what was drawn, and states them in `facts`, which hold all dimensions already.
pub(crate) fn put_markers(
    output: &Output,
    maps: &[DrawnMap<'_>],
    facts: &mut MapFile,
    commit: &mut Commit<'_>,
) -> Result<(), PublishError> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for (id, WorldMarkers { markers, border }) in sorted_markers(maps) {
        let Some(dimension) = facts.dimensions.iter_mut().find(|dimension| dimension.id == id) else { continue };
        for kind in MarkerKind::ALL {
            // They are sorted by kind.
            let before = markers.partition_point(|marker| marker.kind < kind);
            let end = markers.partition_point(|marker| marker.kind <= kind);
            let of_kind = &markers[before..end];
            let border = border.as_deref().filter(|_| kind == MarkerKind::World);
            let count = of_kind.len() + usize::from(border.is_some());
            if count > 0 {
                let text = collection(&id, kind, of_kind, border);
                let file = MarkerFile::new(&dimension.path, kind.name(), count as u64, &text);
                texts.insert(file.file.clone(), text);
                dimension.markers.push(file);
            }
        }
    }
    for OwnerFile { name, text } in maps.iter().flat_map(|map| map.publishing.own_markers) {
        texts.insert(OwnMarkers::path(name), text.clone());
    }
    for (path, text) in &texts {
        commit.put(path, text.as_bytes())?;
    }
    let read = |path: &str| output.read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    for name in output.own_markers()? {
        let path = OwnMarkers::path(&name);
        if !texts.contains_key(&path) {
            texts.insert(path.clone(), read(&path)?);
        }
    }
    let own = texts.iter().filter(|(path, _)| path.starts_with(&OwnMarkers::path("")));
    facts.markers = own.map(|(path, text)| OwnMarkers::new(path.clone(), text)).collect();
    // Of dimensions that were not drawn.
    for path in facts.marker_files() {
        if !texts.contains_key(path) {
            texts.insert(path.to_owned(), read(path).unwrap_or_else(|_| "{}".to_owned()));
        }
    }
    if !texts.is_empty() {
        let files = texts.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        commit.put(MapFile::MARKERS_SCRIPT, script(files).as_bytes())?;
    }
    Ok(())
}

/// The markers of each dimension, by its id, sorted.
fn sorted_markers(maps: &[DrawnMap<'_>]) -> BTreeMap<String, WorldMarkers> {
    let mut all: BTreeMap<String, WorldMarkers> = BTreeMap::new();
    for map in maps.iter().filter(|map| map.publishing.markers.is_any()) {
        for (number, dimension) in map.dimensions.iter().enumerate() {
            let sum = all.entry(dimension.id.to_owned()).or_default();
            let regions = map.made.markers.iter().filter(|((dimension, _), _)| *dimension == number);
            sum.markers.extend(
                regions.flat_map(|(_, region)| region.markers.iter().filter(|marker| !is_frame(marker)).cloned()),
            );
            let Some(WorldMarkers { markers, border }) = map.world_markers.get(number) else { continue };
            sum.markers.extend(markers.iter().cloned());
            sum.border = sum.border.take().or_else(|| border.clone());
        }
    }
    for WorldMarkers { markers, .. } in all.values_mut() {
        join_parts(markers);
        markers.sort_unstable();
        markers.dedup();
    }
    all
}
