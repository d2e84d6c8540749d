//! Structures of Bedrock Edition, of which it stores only the boxes in which their mobs appear, cut at the edges of
//! chunks. Each box is kept with its region as a part; the parts of a structure become one marker when all regions are
//! known.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::coord::{CHUNK_SIDE, ChunkPos, ColumnPos};
use crate::base::json;
use crate::markers::names::title;
use crate::markers::{Marker, MarkerKind, Properties};
use crate::world::chunk::SpawnerBox;

/// The start of the properties of a part. Those of a marker begin with its name.
const PART: &str = r#"{"part":"#;

/// The properties of a part of a structure, until it is joined with the others.
#[derive(Serialize, Deserialize)]
struct Part {
    #[serde(rename = "part")]
    corners: [[i32; 3]; 2],
    #[serde(rename = "type")]
    id: String,
}

/// The id that Java Edition gives to the structure with this number; `None`: none is known.
const fn structure_id(number: u8) -> Option<&'static str> {
    match number {
        1 => Some("minecraft:fortress"),
        2 => Some("minecraft:swamp_hut"),
        3 => Some("minecraft:monument"),
        5 => Some("minecraft:pillager_outpost"),
        _ => None,
    }
}

/// The most chunks from a part to the next of its structure. Fortresses have bridges without mobs; the other structures
/// are whole, and two of a type are further apart.
fn reach(id: &str) -> i32 {
    if id == "minecraft:fortress" { 4 } else { 1 }
}

/// The parts of structures in the chunk at `place`.
pub(crate) fn parts(boxes: impl Iterator<Item = SpawnerBox>, place: ChunkPos) -> impl Iterator<Item = Marker> {
    boxes.filter_map(move |SpawnerBox { structure, corners: [mut low, mut high] }| {
        let id = structure_id(structure)?.to_owned();
        let corner = place.corner();
        for (axis, first) in [(0, corner.x), (2, corner.z)] {
            low[axis] = low[axis].max(first);
            high[axis] = high[axis].min(first + CHUNK_SIDE as i32 - 1);
        }
        let at = ColumnPos { x: low[0].midpoint(high[0]), z: low[2].midpoint(high[2]) };
        // It holds only a text and numbers, which JSON can hold.
        let properties = json::text(&Part { corners: [low, high], id }).unwrap_or_default().into();
        (at.chunk() == place).then_some(Marker { kind: MarkerKind::Structures, at, properties })
    })
}

/// Returns whether this is a part of a structure.
pub(crate) fn is_part(marker: &Marker) -> bool {
    marker.properties.starts_with(PART)
}

/// Makes a marker for each structure from the parts in a dimension, in any order.
pub(crate) fn join_parts<'m>(parts: impl Iterator<Item = &'m Marker>) -> Vec<Marker> {
    let mut markers = Vec::new();
    let mut chunks: BTreeMap<(String, ChunkPos), Vec<[[i32; 3]; 2]>> = BTreeMap::new();
    for marker in parts {
        if let Ok(Part { corners, id }) = serde_json::from_str(&marker.properties) {
            chunks.entry((id, marker.at.chunk())).or_default().push(corners);
        }
    }
    while let Some(((id, first), mut boxes)) = chunks.pop_first() {
        let mut near = vec![first];
        let reach = reach(&id);
        while let Some(chunk) = near.pop() {
            for (dx, dz) in (-reach..=reach).flat_map(|dx| (-reach..=reach).map(move |dz| (dx, dz))) {
                let neighbour = ChunkPos { x: chunk.x + dx, z: chunk.z + dz };
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

/// The marker of the structure in these boxes: in their middle, or in the place nearest to it that is in one of them,
/// since what is between them may be hidden.
fn marker(id: &str, boxes: &[[[i32; 3]; 2]]) -> Option<Marker> {
    let edges = |axis: usize| {
        let low = boxes.iter().map(|[low, _]| low[axis]).min()?;
        let high = boxes.iter().map(|[_, high]| high[axis]).max()?;
        Some((low, high))
    };
    let middle = |axis: usize| edges(axis).map(|(low, high)| low.midpoint(high));
    let (x, z) = (middle(0)?, middle(2)?);
    let within = boxes.iter().map(|[low, high]| (x.clamp(low[0], high[0]), z.clamp(low[2], high[2])));
    let distance = |(to_x, to_z): (i32, i32)| i64::from(to_x.abs_diff(x)).pow(2) + i64::from(to_z.abs_diff(z)).pow(2);
    let (x, z) = within.min_by_key(|&place| (distance(place), place))?;
    let properties = Properties { name: &title(id), id: Some(id), y: middle(1), ..Properties::default() };
    Some(Marker::new(MarkerKind::Structures, ColumnPos { x, z }, &properties))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(structure: u8, low: [i32; 3], high: [i32; 3]) -> Vec<Marker> {
        let place = ColumnPos { x: low[0], z: low[2] }.chunk();
        parts(std::iter::once(SpawnerBox { structure, corners: [low, high] }), place).collect()
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
        let parts =
            [outpost(496, 0), outpost(512, 0), outpost(528, 16), outpost(896, 0), part(2, [512, 64, 0], [518, 70, 8])];
        let name = |id: &str, title: &str, y: i32| format!(r#"{{"name":"{title}","type":"minecraft:{id}","y":{y}}}"#);
        let tower = name("pillager_outpost", "Pillager outpost", 70);
        let expected = [(519, 15, tower.clone()), (903, 7, tower), (515, 4, name("swamp_hut", "Swamp hut", 67))];
        assert_eq!(joined(&parts), expected);
        let mut reversed = parts;
        reversed.reverse();
        assert_eq!(joined(&reversed), expected);
    }

    #[test]
    fn a_marker_is_never_between_the_parts() {
        let fortress = [part(1, [0, 48, 0], [3, 60, 3]), part(1, [64, 48, 0], [67, 60, 3])];
        let places: Vec<_> = joined(&fortress).into_iter().map(|(x, z, _)| (x, z)).collect();
        assert_eq!(places, [(3, 1)]);
    }

    #[test]
    fn boxes_of_unknown_structures_and_of_other_chunks_are_left_out() {
        assert_eq!(part(4, [0; 3], [9; 3]), []);
        let place = ChunkPos { x: 5, z: 5 };
        let foreign = SpawnerBox { structure: 1, corners: [[0; 3], [9; 3]] };
        assert_eq!(parts(std::iter::once(foreign), place).count(), 0);
    }
}
