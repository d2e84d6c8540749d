//! Turns markers into waypoints, and writes them in the form that the player's version of the mod
//! reads.

use crate::import::journeymap::{DAT_NAME, Waypoint};
use crate::map_mods::features::COLOUR;
use crate::map_mods::named_places::named_places;
use pixelmap_base::file_names::NOT_IN_FILE_NAMES;
use pixelmap_base::own_folder::OwnFolder;
use pixelmap_map::atlas::MapFolder;
use pixelmap_map::export::ExportError;
use pixelmap_map::store::{PublishError, put_at};

/// The y of a waypoint whose marker does not have one.
const USUAL_Y: i32 = 64;
/// The dimensions that the mod has.
const DIMENSIONS: [&str; 3] = ["overworld", "the_nether", "the_end"];

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
    for place in named_places(map)? {
        if !DIMENSIONS.contains(&&*place.dimension) {
            continue;
        }

        let waypoint = Waypoint {
            name: place.name,
            dimension: place.dimension,
            at: place.at,
            y: place.y.unwrap_or(USUAL_Y),
            colour: place.colour,
        };
        if !waypoints.contains(&waypoint) {
            waypoints.push(waypoint);
        }
    }

    Ok(waypoints)
}
