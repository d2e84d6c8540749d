//! The options of an export to a player's map mod.

use std::path::Path;

use clap::{Args, ValueEnum};
use pixelmap::atlas::OutputKind;
use pixelmap::export::{JourneymapOptions, WaypointForm};

#[derive(Debug, Args)]
#[command(next_help_heading = "A player's map mod")]
pub(crate) struct JourneymapArgs {
    /// Write a folder of this mod: a picture per region of the layers day, night, height (as topo) and biome that the
    /// map has, or of those that -l and -d name. Nothing in the folder is removed
    #[arg(long = "for", value_enum, value_name = "MOD")]
    map_mod: Option<MapMod>,

    /// Fill only pixels that the player has not explored
    #[arg(long, requires = "map_mod", conflicts_with = "force")]
    merge: bool,

    /// Write also over pictures that the player's mod has saved since the tile was drawn
    #[arg(long, requires = "map_mod")]
    force: bool,

    /// Name dimensions DIM0, DIM-1 and DIM1, as JourneyMap does in Minecraft before 1.16
    #[arg(long, requires = "map_mod")]
    old_names: bool,

    /// Add waypoints for spawn, portals, beds, lodestones, signs, banners, players and your own points, where the map
    /// has them. Waypoints that are there stay
    #[arg(long, value_enum, value_name = "FORM", requires = "map_mod")]
    waypoints: Option<WaypointArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MapMod {
    /// JourneyMap
    Journeymap,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WaypointArg {
    /// A file for each, for JourneyMap up to 5.9
    Json,
    /// WaypointData.dat, for JourneyMap 6, only if there is none
    Dat,
}

impl JourneymapArgs {
    /// The export that is asked for; `None`: none is.
    ///
    /// # Errors
    /// The output is no folder.
    pub(super) fn options(&self, output: &Path) -> Result<Option<JourneymapOptions>, String> {
        if self.map_mod.is_none() {
            return Ok(None);
        }
        if OutputKind::at(output) != OutputKind::Folder || output == Path::new("-") {
            return Err("JourneyMap has a folder: name it with -o, such as journeymap/data/mp/SERVER".to_owned());
        }
        let waypoints = self.waypoints.map(|form| match form {
            WaypointArg::Json => WaypointForm::Json,
            WaypointArg::Dat => WaypointForm::Dat,
        });
        Ok(Some(JourneymapOptions { old_names: self.old_names, merge: self.merge, force: self.force, waypoints }))
    }
}
