//! Chooses the markers of a map that become waypoints in the map mod of a player.

use crate::map_mods::features::{COLOUR, Feature, FeatureShape, features, parse_colour};
use pixelmap_base::coord::ColumnPos;
use pixelmap_map::atlas::MapFolder;
use pixelmap_map::export::ExportError;

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
/// The most characters of a name.
const LONGEST_NAME: usize = 60;

/// A marker that becomes a waypoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedPlace {
    pub(crate) name: String,
    /// The id of its dimension.
    pub(crate) dimension: String,
    pub(crate) at: ColumnPos,
    pub(crate) y: Option<i32>,
    pub(crate) colour: [u8; 3],
}

/// Returns the markers of a map that become waypoints, in the order of its files.
///
/// # Errors
/// Fails if a file of markers cannot be read.
pub(crate) fn named_places(map: &MapFolder) -> Result<Vec<NamedPlace>, ExportError> {
    let features = features(map)?;
    let chosen = features
        .iter()
        .filter(|feature| feature.is_own() || KINDS.contains(&&*feature.kind));
    Ok(chosen.filter_map(named_place).collect())
}

/// Returns the place of a marker. Returns `None` if the marker is not a point or lacks a name.
fn named_place(feature: &Feature) -> Option<NamedPlace> {
    let FeatureShape::Point([x, z]) = feature.shape()? else {
        return None;
    };

    let name: String = feature
        .name()?
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();

    let colour = feature
        .text("color")
        .or_else(|| feature.text("marker-color"))
        .and_then(parse_colour);

    Some(NamedPlace {
        name: name.chars().take(LONGEST_NAME).collect(),
        dimension: feature.dimension.clone(),
        at: ColumnPos { x, z },
        y: feature.y(),
        colour: colour.unwrap_or(COLOUR),
    })
}
