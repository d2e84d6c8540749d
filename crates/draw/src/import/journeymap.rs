//! The two files in which `JourneyMap` stores the places that players have named (waypoints), for
//! reading and for writing: one JSON file per place up to version 5.9, and one NBT file for all of
//! them since version 6.
//!
//! Sources: `Waypoint` of TeamJM/journeymap-legacy; files of the mod as other programs read them
//! (rfresh2/JourneyMapWaypointsToXaero, alexlynn12/journeymap-atlas).

use std::collections::BTreeMap;
use std::io::{self, Read};

use flate2::read::{GzDecoder, ZlibDecoder};
use serde::{Deserialize, Serialize, Serializer};

use pixelmap_base::coord::ColumnPos;
use pixelmap_base::json;
use pixelmap_world::internal::{AnyValue, FirstOf, canonical_id, unformatted};
use pixelmap_world::nbt::Reader;

/// The name of the NBT file in the folder of waypoints.
pub(crate) const DAT_NAME: &str = "WaypointData.dat";
/// The maximum length of an inflated file, in bytes.
const MAX_BYTES: u64 = 16 << 20;
/// The maximum number of waypoints of a folder.
pub(super) const MAX_WAYPOINTS: usize = 1 << 16;
/// The maximum number of dimensions for one waypoint, which takes memory for each dimension that
/// shows it.
pub(super) const MAX_DIMENSIONS: usize = 64;
/// The maximum length of a name in characters. The page shows fewer.
const MAX_NAME: usize = 256;
/// The group in which the mod puts the place of each death of a player.
const DEATHS: &str = "journeymap_death";
/// The group of the waypoints that we write.
const GROUP: &str = "pixelmap";

/// A place that a player has named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waypoint {
    pub name: String,
    /// The id of the dimension that shows it.
    pub dimension: String,
    pub at: ColumnPos,
    pub y: i32,
    pub colour: [u8; 3],
}

/// One JSON file. Its fields are written in this order.
#[derive(Serialize, Deserialize)]
struct JsonWaypoint {
    #[serde(skip_deserializing)]
    id: String,
    name: String,
    #[serde(skip_deserializing)]
    icon: &'static str,
    x: i32,
    y: i32,
    z: i32,
    #[serde(default)]
    r: u8,
    #[serde(default)]
    g: u8,
    #[serde(default)]
    b: u8,
    #[serde(skip_deserializing)]
    enable: bool,
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(skip_deserializing)]
    origin: &'static str,
    /// Numbers before Minecraft 1.16, ids since then.
    #[serde(serialize_with = "write_first")]
    dimensions: FirstOf<AnyValue, MAX_DIMENSIONS>,
}

/// The NBT file.
#[derive(Serialize, Deserialize)]
struct DatFile {
    #[serde(skip_deserializing)]
    groups: BTreeMap<String, DatGroup>,
    #[serde(default)]
    waypoints: BTreeMap<String, DatWaypoint>,
}

#[derive(Serialize)]
struct DatGroup {
    name: String,
    color: i32,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DatWaypoint {
    #[serde(skip_deserializing)]
    guid: String,
    #[serde(default)]
    name: String,
    pos: DatPlace,
    #[serde(default, serialize_with = "write_first")]
    dimensions: FirstOf<String, MAX_DIMENSIONS>,
    #[serde(default)]
    group_id: String,
    #[serde(default)]
    color: i32,
}

#[derive(Serialize, Deserialize)]
struct DatPlace {
    x: i32,
    y: i32,
    z: i32,
    #[serde(default)]
    dimension: String,
}

fn write_first<T: Serialize, S: Serializer>(
    list: &FirstOf<T, MAX_DIMENSIONS>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    list.first.serialize(serializer)
}

/// The waypoints of a folder, and the number of waypoints and dimensions beyond the bounds.
#[derive(Default)]
pub(super) struct ReadWaypoints {
    pub(super) waypoints: Vec<Waypoint>,
    pub(super) left_out: usize,
    pub(super) dimensions_left_out: usize,
}

impl ReadWaypoints {
    fn add(&mut self, waypoints: impl Iterator<Item = Waypoint>, dimensions_left_out: usize) {
        for waypoint in waypoints {
            if self.waypoints.len() < MAX_WAYPOINTS {
                self.waypoints.push(waypoint);
            } else {
                self.left_out += 1;
            }
        }
        self.dimensions_left_out += dimensions_left_out;
    }
}

/// Returns the number by which the mod multiplies x and z of the places in a dimension.
fn times(dimension: &str) -> i32 {
    if dimension == "the_nether" { 8 } else { 1 }
}

impl Waypoint {
    /// Adds the waypoints of one JSON file: one per dimension, or none if it is the place of a
    /// death.
    pub(super) fn read_json(source: impl Read, read: &mut ReadWaypoints) -> io::Result<()> {
        let file: JsonWaypoint = serde_json::from_slice(&bounded(source)?)?;
        if file.kind == "Death" {
            return Ok(());
        }

        let FirstOf { first, left_out } = file.dimensions;
        let names = first.into_iter().filter_map(|name| match name {
            AnyValue::Number(number) => Some(number.to_string()),
            AnyValue::Text(id) => Some(id),
            AnyValue::Other => None,
        });

        let colour = [file.r, file.g, file.b];
        read.add(
            names
                .map(|name| Self::from_stored(&file.name, &name, [file.x, file.y, file.z], colour)),
            left_out,
        );

        Ok(())
    }

    /// Adds the waypoints of the NBT file, except places of deaths.
    pub(super) fn read_dat(source: impl Read, read: &mut ReadWaypoints) -> io::Result<()> {
        let bytes = bounded(source)?;
        let nbt = match &*bytes {
            [0x1f, 0x8b, ..] => bounded(GzDecoder::new(&*bytes))?,
            [0x78, ..] => bounded(ZlibDecoder::new(&*bytes))?,
            _ => bytes,
        };

        // fastnbt recurses without a limit into nested values and panics on some lists, so our own
        // reader checks the file first.
        let mut reader = Reader::root(&nbt).map_err(io::Error::other)?;
        while let Some((tag, _)) = reader.entry().map_err(io::Error::other)? {
            reader.skip(tag).map_err(io::Error::other)?;
        }

        let file: DatFile = fastnbt::from_bytes(&nbt).map_err(io::Error::other)?;
        for stored in file
            .waypoints
            .into_values()
            .filter(|stored| stored.group_id != DEATHS)
        {
            let DatPlace { x, y, z, dimension } = stored.pos;
            let FirstOf { first, left_out } = stored.dimensions;
            let dimensions = if first.is_empty() {
                vec![dimension]
            } else {
                first
            };

            let [_, r, g, b] = stored.color.to_be_bytes();
            read.add(
                dimensions
                    .iter()
                    .map(|id| Self::from_stored(&stored.name, id, [x, y, z], [r, g, b])),
                left_out,
            );
        }

        Ok(())
    }

    fn from_stored(name: &str, dimension: &str, [x, y, z]: [i32; 3], colour: [u8; 3]) -> Self {
        let dimension = canonical_id(dimension);
        let times = times(&dimension);
        let at = ColumnPos {
            x: x.div_euclid(times),
            z: z.div_euclid(times),
        };

        // Removes formatting codes such as `§c`, with which players colour names.
        let name = unformatted(name).chars().take(MAX_NAME).collect();
        Self {
            name,
            dimension,
            at,
            y,
            colour,
        }
    }

    /// Returns its x and z as the mod stores them.
    fn stored(&self) -> [i32; 2] {
        let times = times(&self.dimension);
        [self.at.x, self.at.z].map(|along| along.saturating_mul(times))
    }

    /// Returns the id by which the mod identifies it, and from which the mod also derives the name
    /// of its file.
    pub(crate) fn id(&self) -> String {
        let [x, z] = self.stored();
        format!("{}_{x},{},{z}", self.name, self.y)
    }

    /// Returns the text of its JSON file. `old_names` names the dimension as versions up to 1.15
    /// do.
    pub(crate) fn json(&self, old_names: bool) -> String {
        let [x, z] = self.stored();
        let [r, g, b] = self.colour;

        let dimension = match (old_names, &*self.dimension) {
            (false, id) => AnyValue::Text(format!("minecraft:{id}")),
            (true, "the_nether") => AnyValue::Number(-1),
            (true, "the_end") => AnyValue::Number(1),
            (true, _) => AnyValue::Number(0),
        };

        let file = JsonWaypoint {
            id: self.id(),
            name: self.name.clone(),
            icon: "waypoint-normal.png",
            x,
            y: self.y,
            z,
            r,
            g,
            b,
            enable: true,
            kind: "Normal".to_owned(),
            origin: "JourneyMap",
            dimensions: FirstOf {
                first: vec![dimension],
                left_out: 0,
            },
        };

        // JSON can hold every text, so this cannot fail.
        json::pretty(&file).unwrap_or_default()
    }

    /// Returns the bytes of the NBT file with these waypoints, uncompressed. They are in one group
    /// of this colour.
    pub(crate) fn dat(waypoints: &[Self], group: [u8; 3]) -> Vec<u8> {
        let color = |[r, g, b]: [u8; 3]| i32::from_be_bytes([255, r, g, b]);
        let stored = waypoints.iter().map(|waypoint| {
            let [x, z] = waypoint.stored();
            let dimension = format!("minecraft:{}", waypoint.dimension);
            let stored = DatWaypoint {
                guid: waypoint.id(),
                name: waypoint.name.clone(),
                pos: DatPlace {
                    x,
                    y: waypoint.y,
                    z,
                    dimension: dimension.clone(),
                },
                dimensions: FirstOf {
                    first: vec![dimension],
                    left_out: 0,
                },
                group_id: GROUP.to_owned(),
                color: color(waypoint.colour),
            };
            (stored.guid.clone(), stored)
        });

        let groups = [(
            GROUP.to_owned(),
            DatGroup {
                name: GROUP.to_owned(),
                color: color(group),
            },
        )]
        .into();

        let file = DatFile {
            groups,
            waypoints: stored.collect(),
        };

        // NBT can hold every value of these types, so this cannot fail.
        fastnbt::to_bytes(&file).unwrap_or_default()
    }
}

/// Reads all bytes of a source. Fails if there are too many.
fn bounded(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;

    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!(
            "it has more than {} MiB",
            MAX_BYTES >> 20
        )));
    }

    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waypoints_beyond_the_bounds_are_counted() {
        let dimensions: Vec<String> = (0..500).map(|number| format!("mod:{number}")).collect();
        let name = "n".repeat(300);
        let json =
            serde_json::json!({ "name": name, "x": 1, "y": 2, "z": 3, "dimensions": dimensions });
        let json = json.to_string();

        let mut read = ReadWaypoints::default();
        Waypoint::read_json(json.as_bytes(), &mut read).unwrap();
        assert_eq!(
            (read.waypoints.len(), read.waypoints[0].name.len()),
            (MAX_DIMENSIONS, MAX_NAME)
        );
        assert_eq!(read.dimensions_left_out, 436);

        for _ in 0..MAX_WAYPOINTS / MAX_DIMENSIONS {
            Waypoint::read_json(json.as_bytes(), &mut read).unwrap();
        }

        assert_eq!(
            (read.waypoints.len(), read.left_out),
            (MAX_WAYPOINTS, MAX_DIMENSIONS)
        );
    }

    #[test]
    fn written_waypoints_are_read_as_they_were() {
        let waypoints = ["overworld", "the_nether", "the_end"].map(|dimension| Waypoint {
            name: format!("a {dimension}"),
            dimension: dimension.to_owned(),
            at: ColumnPos { x: -161, z: 80 },
            y: 70,
            colour: [1, 2, 253],
        });

        let mut read = ReadWaypoints::default();
        Waypoint::read_dat(&*Waypoint::dat(&waypoints, [9; 3]), &mut read).unwrap();
        read.waypoints
            .sort_by_key(|waypoint| waypoint.dimension.clone());
        assert_eq!(
            read.waypoints,
            [0, 2, 1].map(|index| waypoints[index].clone())
        );

        for (waypoint, old_names) in waypoints.iter().zip([false, true].repeat(2)) {
            let json = waypoint.json(old_names);
            let mut read = ReadWaypoints::default();
            Waypoint::read_json(json.as_bytes(), &mut read).unwrap();
            assert_eq!(read.waypoints, std::slice::from_ref(waypoint), "{json}");
        }
    }
}
