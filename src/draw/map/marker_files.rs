//! The files of markers of a map, made of what its regions and the world tell.

use std::collections::BTreeMap;

use crate::atlas::{MapFile, MarkerFile, OwnMarkers};
use crate::base::coord::ChunkPos;
use crate::draw::map::drawn::DrawnMap;
use crate::draw::map::of_world::OfWorld;
use crate::draw::plan::DimensionPlan;
use crate::paint::markers::{Kind, Marker, OwnerFile, border, collection, script, world_markers};
use crate::store::{Commit, Output, PublishError};
use crate::world::World;

/// Stages the files of markers of what was drawn, and states them in `facts`, which hold all dimensions already.
pub(crate) fn put_markers(
    output: &Output,
    maps: &[DrawnMap<'_>],
    facts: &mut MapFile,
    commit: &mut Commit<'_>,
) -> Result<(), PublishError> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for (id, OfWorld { markers, border }) in markers_of(maps) {
        let Some(dimension) = facts.dimensions.iter_mut().find(|dimension| dimension.id == id) else { continue };
        for kind in Kind::ALL {
            // They are sorted by kind.
            let before = markers.partition_point(|marker| marker.kind < kind);
            let end = markers.partition_point(|marker| marker.kind <= kind);
            let of_kind = &markers[before..end];
            let border = border.as_deref().filter(|_| kind == Kind::World);
            let count = of_kind.len() + usize::from(border.is_some());
            if count > 0 {
                let text = collection(&id, kind, of_kind, border);
                let file = MarkerFile::new(&dimension.path, kind.name(), count as u64, &text);
                texts.insert(file.file.clone(), text);
                dimension.markers.push(file);
            }
        }
    }
    for OwnerFile { name, text } in maps.iter().flat_map(|map| map.own_markers) {
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
fn markers_of(maps: &[DrawnMap<'_>]) -> BTreeMap<String, OfWorld> {
    let mut found: BTreeMap<String, OfWorld> = BTreeMap::new();
    for map in maps.iter().filter(|map| map.settings.markers.is_any()) {
        for (number, dimension) in map.plan.dimensions.iter().enumerate() {
            let of_dimension = found.entry(dimension.id.clone()).or_default();
            let regions = map.made.markers.iter().filter(|((of, _), _)| *of == number);
            of_dimension.markers.extend(regions.flat_map(|(_, region)| region.markers.iter().cloned()));
            let Some(OfWorld { markers, border }) = map.of_world.get(number) else { continue };
            of_dimension.markers.extend(markers.iter().cloned());
            of_dimension.border = of_dimension.border.take().or_else(|| border.clone());
        }
    }
    for of in found.values_mut() {
        of.markers.sort_unstable();
        of.markers.dedup();
    }
    found
}

impl DrawnMap<'_> {
    /// Reads what the world tells beside its chunks, by dimension.
    pub(crate) fn read_world(&mut self, world: &World) {
        let wanted = &self.settings.markers;
        if !wanted.is_any() {
            return;
        }
        let players = if wanted.players { world.players() } else { Vec::new() };
        let of = |(number, dimension): (usize, &DimensionPlan)| {
            let Some(dimension) = world.dimension(&dimension.id) else { return OfWorld::default() };
            let mut markers = world_markers(world, dimension, &players, wanted);
            markers.retain(|marker| self.shows(number, marker));
            OfWorld { markers, border: border(world, dimension) }
        };
        self.of_world = self.plan.dimensions.iter().enumerate().map(of).collect();
    }

    /// Returns whether the place of a marker is drawn in this dimension of the plan.
    fn shows(&self, dimension: usize, marker: &Marker) -> bool {
        let chunk: ChunkPos = marker.at.chunk();
        let region = self.made.markers.get(&(dimension, chunk.region()));
        region.is_some_and(|region| region.drawn.has(chunk.slot()))
            && self.settings.area.is_none_or(|area| area.contains(marker.at))
    }
}
