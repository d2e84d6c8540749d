//! Reads the places that players have named (waypoints). Up to version 5.9 the mod stores one JSON file per place, and
//! since version 6 one NBT file for all of them.
//!
//! Sources: `Waypoint` of TeamJM/journeymap-legacy; files of the mod as other programs read them
//! (rfresh2/JourneyMapWaypointsToXaero, alexlynn12/journeymap-atlas). The mod multiplies x and z of all places in the
//! nether by eight.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::{GzDecoder, ZlibDecoder};
use serde::Deserialize;

use crate::base::coord::ColumnPos;
use crate::base::disk::{is_absent, open_file};
use crate::world::nbt::Reader;
use crate::world::{AnyValue, FirstOf, canonical_id, unformatted};

/// The maximum length of an inflated file, in bytes.
const MAX_BYTES: u64 = 16 << 20;
/// The maximum number of files that are read in a folder.
const MAX_FILES: usize = 20_000;
/// The maximum number of waypoints in total, and of dimensions for one waypoint. A waypoint takes memory for each
/// dimension that shows it.
const MAX_WAYPOINTS: usize = 1 << 16;
const MAX_DIMENSIONS: usize = 64;
/// The maximum length of a name in characters. The page shows fewer.
const MAX_NAME: usize = 256;
/// The group in which the mod puts the place of each death of a player.
const DEATHS: &str = "journeymap_death";

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

/// Adds the waypoints in a folder, except places of deaths. Adds a warning for each file that cannot be read.
pub(super) fn read(folder: &Path, waypoints: &mut Vec<Waypoint>, warnings: &mut Vec<String>) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return,
        Err(error) => return warnings.push(format!("left out: {}: {error}", folder.display())),
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths.into_iter().take(MAX_FILES) {
        let parse: fn(&[u8]) -> io::Result<Vec<Waypoint>> = if path.ends_with("WaypointData.dat") {
            parse_dat
        } else if path.extension().is_some_and(|ending| ending == "json") {
            parse_json
        } else {
            continue;
        };
        match read_bounded(&path).and_then(|bytes| parse(&bytes)) {
            Ok(read) => {
                let room = MAX_WAYPOINTS - waypoints.len();
                if read.len() > room {
                    let more = read.len() - room;
                    warnings.push(format!("left out: {}: {more} waypoints after {MAX_WAYPOINTS}", path.display()));
                }
                waypoints.extend(read.into_iter().take(room));
            }
            Err(error) => warnings.push(format!("left out: {}: {error}", path.display())),
        }
    }
}

fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    bounded(open_file(path)?)
}

/// Reads all bytes of a source. Fails if there are too many.
fn bounded(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("it has more than {} MiB", MAX_BYTES >> 20)));
    }
    Ok(bytes)
}

#[derive(Deserialize)]
struct JsonFile {
    name: String,
    x: i32,
    y: i32,
    z: i32,
    #[serde(default)]
    r: u8,
    #[serde(default)]
    g: u8,
    #[serde(default)]
    b: u8,
    #[serde(default, rename = "type")]
    kind: String,
    /// Numbers before Minecraft 1.16, ids since then.
    dimensions: FirstOf<AnyValue, MAX_DIMENSIONS>,
}

fn parse_json(bytes: &[u8]) -> io::Result<Vec<Waypoint>> {
    let file: JsonFile = serde_json::from_slice(bytes)?;
    if file.kind == "Death" {
        return Ok(Vec::new());
    }
    let names = file.dimensions.0.into_iter().filter_map(|name| match name {
        AnyValue::Number(number) => Some(number.to_string()),
        AnyValue::Text(id) => Some(id),
        AnyValue::Other => None,
    });
    let stored = Stored { name: &file.name, x: file.x, y: file.y, z: file.z, colour: [file.r, file.g, file.b] };
    Ok(names.map(|name| stored.shown_in(&name)).collect())
}

#[derive(Deserialize)]
struct DatFile {
    #[serde(default)]
    waypoints: BTreeMap<String, DatWaypoint>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DatWaypoint {
    #[serde(default)]
    name: String,
    pos: DatPlace,
    #[serde(default)]
    dimensions: FirstOf<String, MAX_DIMENSIONS>,
    #[serde(default)]
    group_id: String,
    #[serde(default)]
    color: i32,
}

#[derive(Deserialize)]
struct DatPlace {
    x: i32,
    y: i32,
    z: i32,
    #[serde(default)]
    dimension: String,
}

fn parse_dat(bytes: &[u8]) -> io::Result<Vec<Waypoint>> {
    let nbt = match bytes {
        [0x1f, 0x8b, ..] => bounded(GzDecoder::new(bytes))?,
        [0x78, ..] => bounded(ZlibDecoder::new(bytes))?,
        _ => bytes.to_vec(),
    };
    // fastnbt recurses without a limit into nested values and panics on some lists, so our own reader checks the file
    // first.
    let mut reader = Reader::root(&nbt).map_err(io::Error::other)?;
    while let Some((tag, _)) = reader.entry().map_err(io::Error::other)? {
        reader.skip(tag).map_err(io::Error::other)?;
    }
    let file: DatFile = fastnbt::from_bytes(&nbt).map_err(io::Error::other)?;
    let mut waypoints = Vec::new();
    for DatWaypoint {
        name,
        pos: DatPlace { x, y, z, dimension },
        dimensions: FirstOf(mut dimensions),
        group_id,
        color,
    } in file.waypoints.into_values()
    {
        if group_id == DEATHS {
            continue;
        }
        if dimensions.is_empty() {
            dimensions.push(dimension);
        }
        let [_, r, g, b] = color.to_be_bytes();
        let stored = Stored { name: &name, x, y, z, colour: [r, g, b] };
        waypoints.extend(dimensions.iter().map(|name| stored.shown_in(name)));
    }
    Ok(waypoints)
}

/// A waypoint in the form in which the mod stores it.
struct Stored<'a> {
    name: &'a str,
    x: i32,
    y: i32,
    z: i32,
    colour: [u8; 3],
}

impl Stored<'_> {
    fn shown_in(&self, dimension: &str) -> Waypoint {
        let dimension = canonical_id(dimension);
        let times = if dimension == "the_nether" { 8 } else { 1 };
        let at = ColumnPos { x: self.x.div_euclid(times), z: self.z.div_euclid(times) };
        // Removes formatting codes such as `§c`, with which players colour names.
        let name = unformatted(self.name).chars().take(MAX_NAME).collect();
        Waypoint { name, dimension, at, y: self.y, colour: self.colour }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waypoint_is_stored_a_few_times() {
        let dimensions: Vec<String> = (0..500).map(|number| format!("mod:{number}")).collect();
        let name = "n".repeat(100_000);
        let json = serde_json::json!({ "name": name, "x": 1, "y": 2, "z": 3, "dimensions": dimensions });
        let waypoints = parse_json(json.to_string().as_bytes()).unwrap();
        assert_eq!((waypoints.len(), waypoints[0].name.len()), (MAX_DIMENSIONS, MAX_NAME));
    }

    #[test]
    fn damaged_files_do_not_hide_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let json = |name: &str, kind: &str, dimensions: &str| {
            format!(
                r#"{{"name":"§c{name}§r","x":80,"y":70,"z":-161,"r":1,"g":2,"b":3,"type":"{kind}","dimensions":{dimensions}}}"#
            )
        };
        let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        put("a.json", &json("hub", "Normal", r#"[0,"minecraft:the_nether"]"#));
        put("b.json", &json("grave", "Death", "[0]"));
        put("c.json", "{");
        put("d.txt", "{");
        // A list of end tags with a huge length, which makes some NBT readers fail.
        put("WaypointData.dat", "\x0a\0\0\x09\0\x09waypoints\0\x7f\x7f\x7f\x7f\0");
        let (mut waypoints, mut warnings) = (Vec::new(), Vec::new());
        read(folder.path(), &mut waypoints, &mut warnings);
        let place = |dimension: &str, x, z| Waypoint {
            name: "hub".to_owned(),
            dimension: dimension.to_owned(),
            at: ColumnPos { x, z },
            y: 70,
            colour: [1, 2, 3],
        };
        assert_eq!(waypoints, [place("overworld", 80, -161), place("the_nether", 10, -21)]);
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        read(&folder.path().join("absent"), &mut waypoints, &mut warnings);
        assert_eq!((waypoints.len(), warnings.len()), (2, 2));
    }
}
