//! Turns markers into waypoints: one JSON file per waypoint for versions of the mod up to 5.9, or one NBT file
//! for versions since 6.
//!
//! Sources: `Waypoint` of TeamJM/journeymap-legacy; files of the mod as other programs read them
//! (rfresh2/JourneyMapWaypointsToXaero, alexlynn12/journeymap-atlas). The mod stores all positions in the nether
//! multiplied by eight.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::json;

use crate::atlas::MapFolder;
use crate::base::json;
use crate::base::own_folder::OwnFolder;
use crate::export::ExportError;
use crate::export::map_mods::features::{COLOUR, Feature, Shape, features, parse_colour};
use crate::store::{PartialFile, PublishError};

/// The kinds of markers that become waypoints: things that people made. Structures are excluded, because a world
/// has thousands of them.
const KINDS: [&str; 8] = ["world", "portals", "beds", "lodestones", "signs", "banners", "players", "waypoints"];
/// The y of a waypoint whose marker does not have one.
const USUAL_Y: i32 = 64;
/// The most characters of a name.
const LONGEST_NAME: usize = 60;
/// Characters that file names cannot contain. The mod replaces them with an underscore.
const NOT_IN_NAMES: &[char] = &['\\', '/', ':', '"', '*', '?', '<', '>', '|'];

/// The file format of waypoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaypointForm {
    /// One file per waypoint, for versions up to 5.9.
    Json,
    /// `WaypointData.dat`, for versions since 6.
    Dat,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Waypoint {
    name: String,
    /// Blocks of its own dimension, `[x, y, z]`.
    at: [i32; 3],
    dimension: String,
    colour: [u8; 3],
}

/// Adds the waypoints of a map whose files do not exist yet, and returns their number. An existing
/// `WaypointData.dat` is left unchanged, because it may contain the player's own waypoints.
pub(crate) fn put(
    folder: &OwnFolder,
    map: &MapFolder,
    form: WaypointForm,
    old_names: bool,
) -> Result<u64, ExportError> {
    let waypoints = waypoints(map)?;
    let files: Vec<(String, Vec<u8>)> = match form {
        WaypointForm::Json => waypoints
            .iter()
            .map(|waypoint| {
                let id = waypoint.id();
                let name = id.replace(NOT_IN_NAMES, "_");
                (format!("waypoints/{name}.json"), waypoint.json(&id, old_names).into_bytes())
            })
            .collect(),
        WaypointForm::Dat => vec![("waypoints/WaypointData.dat".to_owned(), dat(&waypoints))],
    };
    let mut added = 0;
    for (relative, bytes) in files {
        let failed = |error| PublishError::Io(folder.path().join(&relative), error);
        let place = folder.place(&relative).map_err(failed)?;
        if place.facts().map_err(failed)?.is_none() {
            let mut file = PartialFile::create_at(&place)?;
            file.add(&bytes)?;
            file.appear()?;
            added += if form == WaypointForm::Dat { waypoints.len() as u64 } else { 1 };
        }
    }
    Ok(added)
}

/// Returns the waypoints of a map without duplicates, in the order of its files.
fn waypoints(map: &MapFolder) -> Result<Vec<Waypoint>, ExportError> {
    let mut waypoints: Vec<Waypoint> = Vec::new();
    for feature in features(map)?.iter().filter(|feature| feature.is_own() || KINDS.contains(&&*feature.kind)) {
        let waypoint = Waypoint::from_feature(feature);
        waypoints.extend(waypoint.filter(|waypoint| !waypoints.contains(waypoint)));
    }
    Ok(waypoints)
}

impl Waypoint {
    /// Returns `None` if the feature is not a point, has no name, or is in a dimension that the mod does not have.
    fn from_feature(feature: &Feature) -> Option<Self> {
        let Shape::Point([x, z]) = feature.shape()? else { return None };
        let is_known = ["overworld", "the_nether", "the_end"].contains(&&*feature.dimension);
        let name: String = feature.name()?.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let colour = feature.text("color").or_else(|| feature.text("marker-color")).and_then(parse_colour);
        is_known.then(|| Self {
            name: name.chars().take(LONGEST_NAME).collect(),
            at: [x, feature.y().unwrap_or(USUAL_Y), z],
            dimension: feature.dimension.clone(),
            colour: colour.unwrap_or(COLOUR),
        })
    }

    /// Returns its position as the mod stores it.
    fn stored(&self) -> [i32; 3] {
        let [x, y, z] = self.at;
        let times = if self.dimension == "the_nether" { 8 } else { 1 };
        [x.saturating_mul(times), y, z.saturating_mul(times)]
    }

    /// Returns the id by which the mod identifies it, and from which the mod also derives the name of its file.
    fn id(&self) -> String {
        let [x, y, z] = self.stored();
        format!("{}_{x},{y},{z}", self.name)
    }

    fn json(&self, id: &str, old_names: bool) -> String {
        let [x, y, z] = self.stored();
        let [r, g, b] = self.colour;
        let dimension = match (old_names, &*self.dimension) {
            (false, id) => json!(format!("minecraft:{id}")),
            (true, "the_nether") => json!(-1),
            (true, "the_end") => json!(1),
            (true, _) => json!(0),
        };
        let waypoint = json!({
            "id": id, "name": self.name, "icon": "waypoint-normal.png", "x": x, "y": y, "z": z, "r": r, "g": g, "b": b,
            "enable": true, "type": "Normal", "origin": "JourneyMap", "dimensions": [dimension],
        });
        // JSON can hold every text, so this cannot fail.
        json::pretty(&waypoint).unwrap_or_default()
    }
}

/// The root of `WaypointData.dat`.
#[derive(Serialize)]
struct DatFile {
    groups: BTreeMap<String, DatGroup>,
    waypoints: BTreeMap<String, DatWaypoint>,
}

#[derive(Serialize)]
struct DatGroup {
    name: String,
    color: i32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DatWaypoint {
    guid: String,
    name: String,
    pos: DatPlace,
    dimensions: Vec<String>,
    group_id: String,
    color: i32,
}

#[derive(Serialize)]
struct DatPlace {
    x: i32,
    y: i32,
    z: i32,
    dimension: String,
}

/// Returns the bytes of `WaypointData.dat`, uncompressed.
fn dat(waypoints: &[Waypoint]) -> Vec<u8> {
    let group = "pixelmap".to_owned();
    let colour = |[r, g, b]: [u8; 3]| i32::from_be_bytes([255, r, g, b]);
    let waypoints = waypoints.iter().map(|waypoint| {
        let guid = waypoint.id();
        let [x, y, z] = waypoint.stored();
        let dimension = format!("minecraft:{}", waypoint.dimension);
        let stored = DatWaypoint {
            guid: guid.clone(),
            name: waypoint.name.clone(),
            pos: DatPlace { x, y, z, dimension: dimension.clone() },
            dimensions: vec![dimension],
            group_id: group.clone(),
            color: colour(waypoint.colour),
        };
        (guid, stored)
    });
    let groups = BTreeMap::from([(group.clone(), DatGroup { name: group.clone(), color: colour(COLOUR) })]);
    let file = DatFile { groups, waypoints: waypoints.collect() };
    // NBT can hold every value of these types, so this cannot fail.
    fastnbt::to_bytes(&file).unwrap_or_default()
}
