//! Facts of a world, outside its chunks, that become markers of a dimension.

use serde::{Deserialize, Serialize};

use crate::base::coord::Area;
use crate::draw::hide::Hidden;
use crate::draw::map::drawn::DrawnMap;
use crate::paint::markers::{Marker, MarkerKind, MarkerSelection, border, world_markers};
use crate::world::{FramedMap, World};

/// The markers of a dimension that come from no chunk, where the map shows something, and the world's border.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct WorldMarkers {
    pub(crate) markers: Vec<Marker>,
    /// A feature of `GeoJSON`.
    pub(crate) border: Option<String>,
}

impl WorldMarkers {
    /// Reads those of each dimension of a map that was drawn, within `area`; none, if no markers are wanted.
    pub(crate) fn read(world: &World, wanted: &MarkerSelection, area: Option<Area>, map: &DrawnMap<'_>) -> Vec<Self> {
        if !wanted.is_any() {
            return Vec::new();
        }
        let players = if wanted.players { world.players() } else { Vec::new() };
        let maps = if wanted.has(MarkerKind::Maps) { shown_maps(world, map.hidden.areas) } else { Vec::new() };
        let mut all = Vec::new();
        for (number, dimension) in map.dimensions.iter().enumerate() {
            let Some(dimension) = world.dimension(dimension.id) else {
                all.push(Self::default());
                continue;
            };
            let mut markers = world_markers(world, dimension, &players, &maps, wanted);
            markers.retain(|marker| {
                let chunk = marker.at.chunk();
                let region = map.made.markers.get(&(number, chunk.region()));
                region.is_some_and(|region| region.drawn.has(chunk.slot()))
                    && area.is_none_or(|area| area.contains(marker.at))
            });
            all.push(Self { markers, border: border(world, dimension) });
        }
        all
    }
}

/// The map items on walls that show nothing of what is hidden.
fn shown_maps(world: &World, hidden: Option<&Hidden>) -> Vec<FramedMap> {
    let mut maps = world.framed_maps();
    maps.retain(|map| hidden.is_none_or(|hidden| !hidden.meets(map.area)));
    maps
}
