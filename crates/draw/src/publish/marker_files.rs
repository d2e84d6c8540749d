//! Makes the marker files of a map from the markers of its regions and of its world.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::publish::drawn::UnpublishedMap;
use crate::publish::icon_files::put_icons;
use crate::publish::world_markers::WorldMarkers;
use pixelmap_map::atlas::{MapFile, MarkerFile, OwnMarkers};
use pixelmap_map::store::{Commit, Output, PublishError};
use pixelmap_paint::markers::MarkerKind;
use pixelmap_paint::markers::{
    Marker, OwnerFile, collection, is_frame, is_part, join_parts, script,
};

/// Stages the marker files of the drawn maps with their icons, and adds them to `facts`, which must
/// already contain all dimensions. Returns warnings about icons.
pub(crate) fn put_markers(
    output: &Output,
    maps: &[UnpublishedMap<'_>],
    facts: &mut MapFile,
    commit: &mut Commit<'_>,
) -> Result<Vec<String>, PublishError> {
    let mut texts = add_world_markers(maps, facts);
    for OwnerFile { name, text } in maps.iter().flat_map(|map| map.publishing.own_markers) {
        texts.insert(OwnMarkers::path(name), text.clone());
    }

    for (path, text) in &texts {
        commit.put(path, text.as_bytes())?;
    }

    for name in output.own_markers()? {
        if let Entry::Vacant(entry) = texts.entry(OwnMarkers::path(&name)) {
            let text = read_text(output, entry.key())?;
            entry.insert(text);
        }
    }

    let own = texts
        .iter()
        .filter(|(path, _)| path.starts_with(&OwnMarkers::path("")));
    facts.markers = own
        .map(|(path, text)| OwnMarkers::new(path.clone(), text))
        .collect();

    // The script also contains the files of dimensions that were not drawn.
    for path in facts.marker_files() {
        if !texts.contains_key(path) {
            texts.insert(
                path.to_owned(),
                read_text(output, path).unwrap_or_else(|_| "{}".to_owned()),
            );
        }
    }

    if !texts.is_empty() {
        let files = texts
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()));
        commit.put(MapFile::MARKERS_SCRIPT, script(files).as_bytes())?;
    }

    put_icons(maps, &texts, facts, commit)
}

fn read_text(output: &Output, path: &str) -> Result<String, PublishError> {
    let bytes = output.read(path)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Makes one file per dimension and kind of marker, and adds the files to `facts`. Returns their
/// texts by path.
fn add_world_markers(maps: &[UnpublishedMap<'_>], facts: &mut MapFile) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    let no_images = BTreeMap::new();
    for (
        id,
        DimensionMarkers {
            markers,
            border,
            images,
        },
    ) in sorted_markers(maps)
    {
        let Some(dimension) = facts
            .dimensions
            .iter_mut()
            .find(|dimension| dimension.id == id)
        else {
            continue;
        };

        for kind in MarkerKind::ALL {
            // The markers are sorted by kind.
            let before = markers.partition_point(|marker| marker.kind < kind);
            let end = markers.partition_point(|marker| marker.kind <= kind);
            let of_kind = &markers[before..end];
            let border = if kind == MarkerKind::World {
                border
            } else {
                None
            };

            let images = if kind == MarkerKind::Maps {
                &images
            } else {
                &no_images
            };

            let count = of_kind.len() + usize::from(border.is_some());
            if count > 0 {
                let text = collection(&id, kind, of_kind, border, images);
                let file = MarkerFile::new(&dimension.path, kind.name(), count as u64, &text);
                texts.insert(file.file.clone(), text);
                dimension.markers.push(file);
            }
        }
    }

    texts
}

/// The markers of a dimension. Most are borrowed, because there may be hundreds of thousands.
#[derive(Default)]
struct DimensionMarkers<'m> {
    /// Always sorted.
    markers: Vec<Cow<'m, Marker>>,
    border: Option<&'m str>,
    images: BTreeMap<String, String>,
}

/// Returns the sorted markers of each dimension, by its id.
fn sorted_markers<'m>(maps: &'m [UnpublishedMap<'_>]) -> BTreeMap<String, DimensionMarkers<'m>> {
    let mut all: BTreeMap<String, DimensionMarkers<'_>> = BTreeMap::new();
    for map in maps.iter().filter(|map| map.publishing.markers.is_any()) {
        for (number, dimension) in map.dimensions.iter().enumerate() {
            let sum = all.entry(dimension.id.to_owned()).or_default();
            let regions = map
                .made
                .markers
                .regions
                .iter()
                .filter(|((dimension, _), _)| *dimension == number);
            let in_regions = regions.flat_map(|(_, region)| &region.markers);
            let whole = in_regions
                .clone()
                .filter(|marker| !is_frame(marker) && !is_part(marker));
            sum.markers.extend(whole.map(Cow::Borrowed));

            let joined = join_parts(in_regions.filter(|marker| is_part(marker)));
            sum.markers.extend(joined.into_iter().map(Cow::Owned));
            let Some(WorldMarkers {
                markers,
                border,
                images,
            }) = map.world_markers.get(number)
            else {
                continue;
            };

            sum.markers.extend(markers.iter().map(Cow::Borrowed));
            sum.border = sum.border.or(border.as_deref());
            sum.images.extend(images.clone());
        }
    }

    for DimensionMarkers { markers, .. } in all.values_mut() {
        markers.sort_unstable();
        markers.dedup();
    }

    all
}
