//! Selects the layers that a player's folder gets, and writes them.

use std::path::Path;

use super::options::JourneymapOptions;
use super::{tiles, waypoints};
use crate::map_mods::dated::check_newest;
use pixelmap_base::own_folder::OwnFolder;
use pixelmap_map::atlas::FinishedMap;
use pixelmap_map::export::ExportError;
use pixelmap_map::export::ExportLayer;
use pixelmap_map::export::Workers;
use pixelmap_map::store::PublishError;

/// Layers of pixelmap, each with the mod's folder for it.
const KINDS: [(&str, &str); 4] = [
    ("day", "day"),
    ("night", "night"),
    ("height", "topo"),
    ("biome", "biome"),
];
/// The layer of an imported map that shows the mod's own pictures of heights.
const TOPO: &str = "topo";
/// The prefix of imported layers that show a slice below the ground. The number after it is the
/// name of the mod's folder.
const SLICE: &str = "slice";

/// The counts of an export to a player's folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JourneymapCounts {
    pub written: u64,
    pub unchanged: u64,
    /// Pictures of the player that were kept, because they are newer than the tile.
    pub kept: u64,
    /// Pictures of the player that were kept, because they cannot be read.
    pub unreadable: u64,
    /// Added waypoints.
    pub waypoints: u64,
}

/// A checked export to a player's folder, which can begin.
#[derive(Debug)]
pub struct JourneymapPlan<'m> {
    map: &'m FinishedMap,
    /// The exported layers, each with its folder below the player's folder.
    layers: Vec<(ExportLayer<'m>, String)>,
    options: JourneymapOptions,
}

impl<'m> JourneymapPlan<'m> {
    /// Selects the layers for which the mod has a folder, in these dimensions or in all of them.
    /// Returns warnings about layers of dimensions whose folder is unknown.
    ///
    /// # Errors
    /// Fails if the map has no such layer, if one of its lists of tiles cannot be read, or if an
    /// earlier moment of the map is named.
    pub fn new(
        map: &'m FinishedMap,
        dimensions: &[String],
        layers: &[String],
        options: JourneymapOptions,
    ) -> Result<(Self, Vec<String>), ExportError> {
        check_newest(map)?;
        let mut plan = Self {
            map,
            layers: Vec::new(),
            options,
        };

        let mut warnings = Vec::new();
        let all = ["all".to_owned()];
        for layer in pixelmap_map::export::layers(
            map,
            if dimensions.is_empty() {
                &all
            } else {
                dimensions
            },
            &all,
        )? {
            let id = &layer.facts.id;
            let Some(kind) = kind_folder(id) else {
                continue;
            };
            if !layers.is_empty() && !layers.iter().any(|wanted| wanted == id || wanted == "all") {
                continue;
            }

            match plan.dimension_folder(&layer.dimension.id) {
                Some(folder) => {
                    plan.layers.push((
                        ExportLayer::open_for_picture(layer)?,
                        format!("{folder}/{kind}"),
                    ));
                }
                None => warnings.push(format!(
                    "left out: {}: the name that JourneyMap gives to the folder of this dimension \
                     is unknown",
                    layer.name()
                )),
            }
        }

        if plan.layers.is_empty() {
            let wanted = KINDS.map(|(layer, _)| layer).join(", ");
            let shown = map.layers().map(|layer| layer.facts.id.clone()).collect();
            return Err(ExportError::NotShown(
                format!("a layer that JourneyMap has ({wanted})"),
                shown,
            ));
        }

        Ok((plan, warnings))
    }

    /// Returns the name of a dimension's folder, or `None` if it is unknown.
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

/// Returns the mod's folder for a layer, or `None` if the mod has no such folder.
fn kind_folder(layer: &str) -> Option<&str> {
    match layer.strip_prefix(SLICE) {
        Some(number) => number.parse::<i8>().is_ok().then_some(number),
        None if layer == TOPO => Some(TOPO),
        None => KINDS
            .iter()
            .find(|(known, _)| *known == layer)
            .map(|(_, kind)| *kind),
    }
}

/// Writes a map into a player's folder. Returns `None` if the export was stopped.
///
/// # Errors
/// Fails if a tile differs from its record in the manifest, or if a file cannot be read or written.
pub fn put_journeymap(
    folder: &Path,
    plan: &JourneymapPlan<'_>,
    workers: &Workers<'_>,
) -> Result<Option<JourneymapCounts>, ExportError> {
    let folder = OwnFolder::make(folder).map_err(PublishError::io(folder))?;
    let mut counts = JourneymapCounts::default();
    workers.pieces.expect(
        plan.layers
            .iter()
            .map(|(layer, _)| layer.native().count() as u64)
            .sum(),
    );

    for (layer, below) in &plan.layers {
        let player_folder = tiles::PlayerFolder {
            folder: &folder,
            below,
            options: &plan.options,
        };
        let Some(done) = workers.run(|| player_folder.put_layer(layer, workers))?? else {
            return Ok(None);
        };

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
    fn add(&mut self, picture: tiles::TilePut) {
        let count = match picture {
            tiles::TilePut::Written => &mut self.written,
            tiles::TilePut::Unchanged => &mut self.unchanged,
            tiles::TilePut::Kept => &mut self.kept,
            tiles::TilePut::Unreadable => &mut self.unreadable,
        };
        *count += 1;
    }
}
