//! A map as a folder of JourneyMap, a map that players have inside their game: a picture of each region by dimension
//! and kind, and waypoints.
//!
//! Layouts are those that the mod's sources and real folders show (TeamJM/journeymap-legacy, `RegionImageHandler` and
//! `Waypoint`; TeamJM/journeymap-tools). A region is one native tile in both.

mod tiles;
mod waypoints;

use std::path::Path;

pub use waypoints::WaypointForm;

use crate::atlas::FinishedMap;
use crate::export::map_mods::dated::check_newest;
use crate::export::{ExportError, ExportLayer, Workers};
use crate::store::{OwnFolder, PublishError};

/// Layers of worlds, each with the mod's folder for it.
const KINDS: [(&str, &str); 4] = [("day", "day"), ("night", "night"), ("height", "topo"), ("biome", "biome")];
/// The layer of a map that was made of the mod's own pictures of heights.
const TOPO: &str = "topo";
/// The beginning of the names of such layers of what lies below the ground; the mod's folder is the number behind it.
const SLICE: &str = "slice";

/// The settings of an export to a player's folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JourneymapOptions {
    /// Names dimensions as the mod did up to 1.15.
    pub old_names: bool,
    /// Fills what the player has not explored, and changes nothing else.
    pub merge: bool,
    /// Writes over pictures that are newer than the tile.
    pub force: bool,
    pub waypoints: Option<WaypointForm>,
}

/// What an export to a player's folder did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JourneymapCounts {
    pub written: u64,
    pub unchanged: u64,
    /// Pictures of the player that are newer than the tile, and stay as they are.
    pub kept: u64,
    /// Pictures of the player that cannot be read, and stay as they are.
    pub unreadable: u64,
    /// Waypoints that were added.
    pub waypoints: u64,
}

/// An export to a player's folder that can begin.
#[derive(Debug)]
pub struct JourneymapPlan<'m> {
    map: &'m FinishedMap,
    /// Each with its folder below the player's.
    layers: Vec<(ExportLayer<'m>, String)>,
    options: JourneymapOptions,
}

impl<'m> JourneymapPlan<'m> {
    /// The layers that the mod knows, of these dimensions or of all; and warnings that name what is left out.
    ///
    /// # Errors
    /// The map shows none of them, one of its lists of tiles cannot be read, or an earlier moment of it is named.
    pub fn new(
        map: &'m FinishedMap,
        dimensions: &[String],
        layers: &[String],
        options: JourneymapOptions,
    ) -> Result<(Self, Vec<String>), ExportError> {
        check_newest(map)?;
        let mut plan = Self { map, layers: Vec::new(), options };
        let mut warnings = Vec::new();
        let all = ["all".to_owned()];
        for layer in crate::export::layers(map, if dimensions.is_empty() { &all } else { dimensions }, &all)? {
            let id = &layer.facts.id;
            let Some(kind) = kind_folder(id) else { continue };
            if !layers.is_empty() && !layers.iter().any(|wanted| wanted == id || wanted == "all") {
                continue;
            }
            match plan.dimension_folder(&layer.dimension.id) {
                Some(folder) => {
                    plan.layers.push((ExportLayer::open_for_picture(layer)?, format!("{folder}/{kind}")));
                }
                None => warnings.push(format!(
                    "left out: {}: how JourneyMap names the folder of this dimension is not known",
                    layer.name()
                )),
            }
        }
        if plan.layers.is_empty() {
            let wanted = KINDS.map(|(layer, _)| layer).join(", ");
            let shown = map.layers().map(|layer| layer.facts.id.clone()).collect();
            return Err(ExportError::NotShown(format!("a layer that JourneyMap has ({wanted})"), shown));
        }
        Ok((plan, warnings))
    }

    /// The name of a dimension's folder; `None`: it is not known.
    fn dimension_folder(&self, id: &str) -> Option<String> {
        match (id, self.options.old_names) {
            ("overworld", true) => Some("DIM0".to_owned()),
            ("the_nether", true) => Some("DIM-1".to_owned()),
            ("the_end", true) => Some("DIM1".to_owned()),
            ("overworld" | "the_nether" | "the_end", false) => Some(id.to_owned()),
            (number, true) if number.starts_with("DIM") => Some(number.to_owned()),
            _ => None,
        }
    }
}

/// The mod's folder for a layer; `None`: it has none.
fn kind_folder(layer: &str) -> Option<&str> {
    match layer.strip_prefix(SLICE) {
        Some(number) => number.parse::<i8>().is_ok().then_some(number),
        None if layer == TOPO => Some(TOPO),
        None => KINDS.iter().find(|(known, _)| *known == layer).map(|(_, kind)| *kind),
    }
}

/// Writes a map into a player's folder; `None`: the export is to stop.
///
/// # Errors
/// A tile is not the one that the manifest names, or a file cannot be read or written.
pub fn put_journeymap(
    folder: &Path,
    plan: &JourneymapPlan<'_>,
    workers: &Workers<'_>,
) -> Result<Option<JourneymapCounts>, ExportError> {
    let folder = OwnFolder::make(folder).map_err(PublishError::io(folder))?;
    let mut counts = JourneymapCounts::default();
    workers.pieces.expect(plan.layers.iter().map(|(layer, _)| layer.native().count()).sum());
    for (layer, below) in &plan.layers {
        let place = tiles::PlayerFolder { folder: &folder, below, options: &plan.options };
        let Some(done) = workers.run(|| place.put_layer(layer, workers))?? else { return Ok(None) };
        for picture in done {
            counts.add(picture);
        }
    }
    if let (Some(form), FinishedMap::Folder(map)) = (plan.options.waypoints, plan.map) {
        counts.waypoints = waypoints::put(&folder, map, form, plan.options.old_names)?;
    }
    Ok(Some(counts))
}

impl JourneymapCounts {
    fn add(&mut self, picture: tiles::Put) {
        let count = match picture {
            tiles::Put::Written => &mut self.written,
            tiles::Put::Unchanged => &mut self.unchanged,
            tiles::Put::Kept => &mut self.kept,
            tiles::Put::Unreadable => &mut self.unreadable,
        };
        *count += 1;
    }
}
