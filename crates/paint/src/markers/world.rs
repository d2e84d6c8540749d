//! Makes the markers whose data is not in chunks: the place where players start, structures and
//! portals that a world stores outside its chunks, players, their waypoints, framed maps, and the
//! world border.

use crate::markers::framed_maps::{ShownMap, framed_map_markers};
use crate::markers::kind::MarkerKind;
use crate::markers::marker::{Marker, Properties};
use crate::markers::names::title;
use crate::markers::poi::portals;
use crate::markers::selection::MarkerSelection;
use crate::markers::structures::structure_marker;
use pixelmap_base::coord::{ChunkPos, ColumnPos};
use pixelmap_base::time::utc;
use pixelmap_world::internal::{Dimension, Player, World, WorldBorder, unformatted};
use pixelmap_world::text;

/// Returns the markers of a dimension whose data is not in its chunks. Warns of markers that are
/// left out. The caller must drop markers at places that the map does not show.
pub fn world_markers(
    world: &World,
    dimension: &Dimension,
    players: &[Player],
    maps: &[ShownMap],
    wanted: &MarkerSelection,
    warnings: &mut Vec<String>,
) -> Vec<Marker> {
    let mut markers = Vec::new();
    if let Some([x, y, z]) = world.spawns.in_dimension(&dimension.id) {
        let properties = Properties {
            name: "Spawn",
            id: Some("spawn"),
            y: Some(y),
            ..Properties::default()
        };

        markers.push(Marker::new(
            MarkerKind::World,
            ColumnPos { x, z },
            &properties,
        ));
    }

    if wanted.has(MarkerKind::Structures) {
        for structure in world.old_structures(dimension, warnings) {
            let (x, z) = structure.chunk;
            markers.extend(structure_marker(
                &structure.id,
                structure.piece.as_deref(),
                None,
                ChunkPos { x, z },
            ));
        }
    }

    if wanted.has(MarkerKind::Portals) {
        markers.extend(portals(
            world.portals(dimension, warnings).into_iter().collect(),
        ));
    }

    if wanted.has(MarkerKind::Waypoints) {
        for waypoint in world.waypoints(dimension, warnings) {
            let name = unformatted(&waypoint.name);
            markers.push(Marker::waypoint(
                &name,
                waypoint.at,
                waypoint.y,
                waypoint.colour,
            ));
        }
    }

    for player in players {
        markers.extend(player_markers(player, &dimension.id));
    }

    markers.extend(framed_map_markers(maps, &dimension.id));
    markers
}

/// Returns the markers of a player in a dimension: the last position and the bed.
fn player_markers(player: &Player, dimension: &str) -> Vec<Marker> {
    let name = player
        .name
        .as_deref()
        .map_or_else(|| "Player".to_owned(), text::plain_text);

    let uuid = player.uuid.as_deref();
    let seen = player.seen.and_then(utc);
    let mut markers = Vec::new();

    let (last_dimension, last) = &player.at;
    if last_dimension == dimension {
        let properties = Properties {
            name: &name,
            id: Some("player"),
            uuid,
            seen: seen.as_deref(),
            ..Properties::default()
        };
        markers.push(player_marker(*last, properties));
    }

    if let Some((bed_dimension, bed)) = &player.bed
        && bed_dimension == dimension
    {
        let properties = Properties {
            name: &format!("{name}: {}", title("bed")),
            id: Some("bed"),
            uuid,
            ..Properties::default()
        };
        markers.push(player_marker(*bed, properties));
    }

    markers
}

fn player_marker([x, y, z]: [i32; 3], properties: Properties<'_>) -> Marker {
    let properties = Properties {
        y: Some(y),
        ..properties
    };
    Marker::new(MarkerKind::Players, ColumnPos { x, z }, &properties)
}

/// Returns the world border of a dimension as a feature. `None` if it has the game's maximum size,
/// because it is not worth showing then.
pub fn border(world: &World, dimension: &Dimension) -> Option<String> {
    let WorldBorder { x, z, side } = world.border(dimension)?;
    let half = side / 2.0;
    let (west, east, north, south) = (x - half, x + half, z - half, z + half);
    let ring = format!(
        "[{west},{north}],[{east},{north}],[{east},{south}],[{west},{south}],[{west},{north}]"
    );
    Some(format!(
        r#"{{"type":"Feature","geometry":{{"type":"Polygon","coordinates":[[{ring}]]}},"properties":{{"name":"World border","type":"border"}}}}"#
    ))
}
