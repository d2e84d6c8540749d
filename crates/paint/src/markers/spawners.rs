//! Finds structures of Bedrock Edition. It stores only the boxes in which their mobs appear, cut at
//! the edges of chunks.
//!
//! Each box is kept with the markers of its region as a part. When all regions are read, the parts
//! of each structure are joined into one marker.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::markers::kind::MarkerKind;
use crate::markers::marker::{Marker, Properties};
use crate::markers::names::title;
use pixelmap_base::coord::{CHUNK_SIDE, ChunkPos, ColumnPos};
use pixelmap_base::json;
use pixelmap_world::chunk::SpawnerBox;

/// The start of a part's properties. The properties of a finished marker begin with its name
/// instead.
const PART: &str = r#"{"part":"#;

/// The properties of a part of a structure that is not joined yet.
#[derive(Serialize, Deserialize)]
struct StructurePart {
    #[serde(rename = "part")]
    corners: [[i32; 3]; 2],
    #[serde(rename = "type")]
    id: String,
}

/// Returns Java Edition's id for the structure with this number. `None` if the number is unknown.
const fn structure_id(number: u8) -> Option<&'static str> {
    match number {
        1 => Some("minecraft:fortress"),
        2 => Some("minecraft:swamp_hut"),
        3 => Some("minecraft:monument"),
        5 => Some("minecraft:pillager_outpost"),
        _ => None,
    }
}

/// Returns the largest distance, in chunks, between neighbouring parts of a structure. Fortresses
/// have bridges without mobs, so their parts may be apart. Other structures are contiguous, and two
/// structures of a type are further apart.
fn reach(id: &str) -> i32 {
    if id == "minecraft:fortress" { 4 } else { 1 }
}

/// Returns the parts of structures in the chunk at `position`.
pub(crate) fn parts(
    boxes: impl Iterator<Item = SpawnerBox>,
    position: ChunkPos,
) -> impl Iterator<Item = Marker> {
    boxes.filter_map(
        move |SpawnerBox {
                  structure,
                  corners: [mut low, mut high],
              }| {
            let id = structure_id(structure)?.to_owned();

            let corner = position.corner();
            for (axis, first) in [(0, corner.x), (2, corner.z)] {
                low[axis] = low[axis].max(first);
                high[axis] = high[axis].min(first + CHUNK_SIDE as i32 - 1);
            }

            let at = ColumnPos {
                x: low[0].midpoint(high[0]),
                z: low[2].midpoint(high[2]),
            };

            // Writing cannot fail, because JSON can hold all texts and numbers.
            let properties = json::text(&StructurePart {
                corners: [low, high],
                id,
            })
            .unwrap_or_default()
            .into();

            (at.chunk() == position).then_some(Marker {
                kind: MarkerKind::Structures,
                at,
                properties,
            })
        },
    )
}

/// Returns whether a marker is still a part of a structure.
pub fn is_part(marker: &Marker) -> bool {
    marker.properties.starts_with(PART)
}

/// Makes one marker per structure from the parts in a dimension, which may be in any order.
pub fn join_parts<'m>(parts: impl Iterator<Item = &'m Marker>) -> Vec<Marker> {
    let mut markers = Vec::new();

    let mut chunks: BTreeMap<(String, ChunkPos), Vec<[[i32; 3]; 2]>> = BTreeMap::new();
    for marker in parts {
        if let Ok(StructurePart { corners, id }) = serde_json::from_str(&marker.properties) {
            chunks
                .entry((id, marker.at.chunk()))
                .or_default()
                .push(corners);
        }
    }

    while let Some(((id, first), mut boxes)) = chunks.pop_first() {
        let mut near = vec![first];
        let reach = reach(&id);
        while let Some(chunk) = near.pop() {
            for (dx, dz) in (-reach..=reach).flat_map(|dx| (-reach..=reach).map(move |dz| (dx, dz)))
            {
                let neighbour = ChunkPos {
                    x: chunk.x + dx,
                    z: chunk.z + dz,
                };
                if let Some(more) = chunks.remove(&(id.clone(), neighbour)) {
                    boxes.extend(more);
                    near.push(neighbour);
                }
            }
        }

        markers.extend(marker(&id, &boxes));
    }

    markers
}

/// Returns the marker of the structure with these boxes. It is in the middle of all boxes, or at
/// the nearest place that is inside a box, because the places between the boxes may be hidden.
fn marker(id: &str, boxes: &[[[i32; 3]; 2]]) -> Option<Marker> {
    let (x, z) = (middle(boxes, 0)?, middle(boxes, 2)?);
    let within = boxes
        .iter()
        .map(|[low, high]| (x.clamp(low[0], high[0]), z.clamp(low[2], high[2])));

    let (x, z) = within.min_by_key(|&position| (square_distance(position, (x, z)), position))?;
    let properties = Properties {
        name: &title(id),
        id: Some(id),
        y: middle(boxes, 1),
        ..Properties::default()
    };

    Some(Marker::new(
        MarkerKind::Structures,
        ColumnPos { x, z },
        &properties,
    ))
}

/// Returns the middle of all boxes along an axis. `None` without boxes.
fn middle(boxes: &[[[i32; 3]; 2]], axis: usize) -> Option<i32> {
    let low = boxes.iter().map(|[low, _]| low[axis]).min()?;
    let high = boxes.iter().map(|[_, high]| high[axis]).max()?;
    Some(low.midpoint(high))
}

fn square_distance((x, z): (i32, i32), (to_x, to_z): (i32, i32)) -> i64 {
    i64::from(to_x.abs_diff(x)).pow(2) + i64::from(to_z.abs_diff(z)).pow(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(structure: u8, low: [i32; 3], high: [i32; 3]) -> Vec<Marker> {
        let position = ColumnPos {
            x: low[0],
            z: low[2],
        }
        .chunk();

        parts(
            std::iter::once(SpawnerBox {
                structure,
                corners: [low, high],
            }),
            position,
        )
        .collect()
    }

    fn joined(parts: &[Vec<Marker>]) -> Vec<(i32, i32, String)> {
        join_parts(parts.iter().flatten())
            .into_iter()
            .map(|marker| (marker.at.x, marker.at.z, marker.properties.into()))
            .collect()
    }

    #[test]
    fn near_parts_of_a_type_are_one_structure() {
        let outpost = |x, z| part(5, [x, 60, z], [x + 15, 80, z + 15]);
        let parts = [
            outpost(496, 0),
            outpost(512, 0),
            outpost(528, 16),
            outpost(896, 0),
            part(2, [512, 64, 0], [518, 70, 8]),
        ];

        let name = |id: &str, title: &str, y: i32| {
            format!(r#"{{"name":"{title}","type":"minecraft:{id}","y":{y}}}"#)
        };

        let tower = name("pillager_outpost", "Pillager outpost", 70);
        let expected = [
            (519, 15, tower.clone()),
            (903, 7, tower),
            (515, 4, name("swamp_hut", "Swamp hut", 67)),
        ];
        assert_eq!(joined(&parts), expected);

        let mut reversed = parts;
        reversed.reverse();
        assert_eq!(joined(&reversed), expected);
    }

    #[test]
    fn a_marker_is_never_between_the_parts() {
        let fortress = [
            part(1, [0, 48, 0], [3, 60, 3]),
            part(1, [64, 48, 0], [67, 60, 3]),
        ];
        let positions: Vec<_> = joined(&fortress)
            .into_iter()
            .map(|(x, z, _)| (x, z))
            .collect();
        assert_eq!(positions, [(3, 1)]);
    }

    #[test]
    fn unknown_structures_and_foreign_chunks_are_left_out() {
        assert_eq!(part(4, [0; 3], [9; 3]), []);
        let position = ChunkPos { x: 5, z: 5 };
        let foreign = SpawnerBox {
            structure: 1,
            corners: [[0; 3], [9; 3]],
        };
        assert_eq!(parts(std::iter::once(foreign), position).count(), 0);
    }
}
