//! Reads the markers of a dimension that do not come from chunks, such as players and map items.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::request::hide::HiddenPlaces;
use crate::request::plan::MapDimension;
use crate::tiles::map_markers::MapMarkers;
use pixelmap_base::coord::{Area, ColumnPos};
use pixelmap_paint::markers::MarkerKind;
use pixelmap_paint::markers::{
    Marker, MarkerSelection, ShownMap, border, map_frames, world_markers,
};
use pixelmap_world::internal::{MapFrame, World};

/// The markers of a dimension that do not come from chunks, limited to chunks that the map shows,
/// and the world's border.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct WorldMarkers {
    pub(crate) markers: Vec<Marker>,
    /// A feature of `GeoJSON`.
    pub(crate) border: Option<String>,
    /// The pictures that the markers refer to, by name.
    #[serde(default)]
    pub(crate) images: BTreeMap<String, String>,
}

impl WorldMarkers {
    /// Reads the markers of each dimension of a drawn map within `area`, given the markers that
    /// were `made` from its chunks. Returns none if no markers are wanted. Warns of markers that
    /// are left out.
    pub(crate) fn read(
        world: &World,
        wanted: &MarkerSelection,
        area: Option<Area>,
        hidden: &HiddenPlaces,
        dimensions: &[MapDimension<'_>],
        made: &MapMarkers,
        warnings: &mut Vec<String>,
    ) -> Vec<Self> {
        if !wanted.is_any() {
            return Vec::new();
        }

        let players = if wanted.players {
            world.players(warnings)
        } else {
            Vec::new()
        };

        let has_maps = wanted.has(MarkerKind::Maps);
        let maps = if has_maps {
            shown_maps(world, hidden, dimensions, made, warnings)
        } else {
            Vec::new()
        };

        let mut all = Vec::new();
        for (number, dimension) in dimensions.iter().enumerate() {
            let Some(dimension) = world.dimension(dimension.id) else {
                all.push(Self::default());
                continue;
            };

            let mut markers = world_markers(world, dimension, &players, &maps, wanted, warnings);
            markers.retain(|marker| {
                let chunk = marker.at.chunk();
                let region = made.regions.get(&(number, chunk.region()));
                region.is_some_and(|region| region.drawn.has(chunk.slot()))
                    && area.is_none_or(|area| area.contains(marker.at))
            });

            let images = images(&maps, &dimension.id, &markers);
            all.push(Self {
                markers,
                border: border(world, dimension),
                images,
            });
        }

        all
    }
}

/// Returns the map items in frames that do not show any hidden place.
fn shown_maps(
    world: &World,
    hidden: &HiddenPlaces,
    dimensions: &[MapDimension<'_>],
    made: &MapMarkers,
    warnings: &mut Vec<String>,
) -> Vec<ShownMap> {
    let mut frames: BTreeMap<i64, Vec<MapFrame>> = BTreeMap::new();
    for ((dimension, _), region) in &made.regions {
        for frame in map_frames(&region.markers, dimensions[*dimension].id) {
            frames.entry(frame.map).or_default().push(frame);
        }
    }

    let mut maps = Vec::new();
    world.visit_framed_maps(frames, warnings, &mut |item| {
        if !hidden.meets(item.area) {
            maps.push(ShownMap::from(item));
        }
    });
    maps.sort_unstable_by_key(|map| map.id);

    maps
}

/// Returns the pictures of the map items that have a marker, by name.
fn images(maps: &[ShownMap], dimension: &str, markers: &[Marker]) -> BTreeMap<String, String> {
    let shown: BTreeSet<ColumnPos> = markers
        .iter()
        .filter(|marker| marker.kind == MarkerKind::Maps)
        .map(|marker| marker.at)
        .collect();

    let mut images = BTreeMap::new();
    for map in maps {
        let is_shown = map.frames.iter().any(|frame| {
            let [x, _, z] = frame.block;
            frame.dimension == dimension && shown.contains(&ColumnPos { x, z })
        });

        if is_shown {
            images.insert(map.id.to_string(), map.image.clone());
        }
    }

    images
}
