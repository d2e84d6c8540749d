//! Turns markers into waypoints, and writes them in the form that the player's version of the mod
//! reads.

use crate::import::journeymap::{DAT_NAME, Waypoint};
use crate::map_mods::features::{COLOUR, Feature, FeatureShape, features, parse_colour};
use pixelmap_base::coord::ColumnPos;
use pixelmap_base::file_names::NOT_IN_FILE_NAMES;
use pixelmap_base::own_folder::OwnFolder;
use pixelmap_map::atlas::MapFolder;
use pixelmap_map::export::ExportError;
use pixelmap_map::store::{PublishError, put_at};

/// The kinds of markers that become waypoints: things that people made. Structures are excluded,
/// because a world has thousands of them.
const KINDS: [&str; 8] = [
    "world",
    "portals",
    "beds",
    "lodestones",
    "signs",
    "banners",
    "players",
    "waypoints",
];
/// The y of a waypoint whose marker does not have one.
const USUAL_Y: i32 = 64;
/// The most characters of a name.
const LONGEST_NAME: usize = 60;

/// The file format of waypoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaypointForm {
    /// One file per waypoint, for versions up to 5.9.
    Json,
    /// `WaypointData.dat`, for versions since 6.
    Dat,
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
                // The mod does the same.
                let name = waypoint.id().replace(NOT_IN_FILE_NAMES, "_");
                (
                    format!("waypoints/{name}.json"),
                    waypoint.json(old_names).into_bytes(),
                )
            })
            .collect(),
        WaypointForm::Dat => vec![(
            format!("waypoints/{DAT_NAME}"),
            Waypoint::dat(&waypoints, COLOUR),
        )],
    };

    let mut added = 0;
    for (relative, bytes) in files {
        let failed = |error| PublishError::Io(folder.path().join(&relative), error);

        let place = folder.place(&relative).map_err(failed)?;
        if place.facts().map_err(failed)?.is_none() {
            put_at(&place, &bytes)?;
            added += if form == WaypointForm::Dat {
                waypoints.len() as u64
            } else {
                1
            };
        }
    }

    Ok(added)
}

/// Returns the waypoints of a map without duplicates, in the order of its files.
fn waypoints(map: &MapFolder) -> Result<Vec<Waypoint>, ExportError> {
    let mut waypoints: Vec<Waypoint> = Vec::new();
    for feature in features(map)?
        .iter()
        .filter(|feature| feature.is_own() || KINDS.contains(&&*feature.kind))
    {
        waypoints.extend(waypoint(feature).filter(|waypoint| !waypoints.contains(waypoint)));
    }
    Ok(waypoints)
}

/// Returns the waypoint of a marker. Returns `None` if the marker is not a point, lacks a name, or
/// is in a dimension that the mod lacks.
fn waypoint(feature: &Feature) -> Option<Waypoint> {
    let FeatureShape::Point([x, z]) = feature.shape()? else {
        return None;
    };

    let is_known = ["overworld", "the_nether", "the_end"].contains(&&*feature.dimension);
    let name: String = feature
        .name()?
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();

    let colour = feature
        .text("color")
        .or_else(|| feature.text("marker-color"))
        .and_then(parse_colour);

    is_known.then(|| Waypoint {
        name: name.chars().take(LONGEST_NAME).collect(),
        dimension: feature.dimension.clone(),
        at: ColumnPos { x, z },
        y: feature.y().unwrap_or(USUAL_Y),
        colour: colour.unwrap_or(COLOUR),
    })
}
