//! The options of an export into the folder of a map mod, such as JourneyMap or squaremap.

use std::path::Path;

use clap::{Args, ValueEnum};
use pixelmap_draw::map_mods::{JourneymapOptions, ModTarget, PictureMod, WaypointForm};
use pixelmap_map::atlas::OutputKind;

use super::export_target::ExportTarget;
use super::mod_target::MOD_TARGETS;
use super::parse::choice_parser;

#[derive(Debug, Args)]
#[command(next_help_heading = "Map mods")]
pub(crate) struct MapModArgs {
    /// Write a folder in the form of this mod; all dimensions, or those given with -d
    #[arg(long = "for", value_name = "MOD", value_parser = choice_parser(MOD_TARGETS))]
    map_mod: Option<ModTarget>,

    /// For journeymap: fill only pixels that the player has not explored
    #[arg(long, requires = "map_mod", conflicts_with = "force")]
    merge: bool,

    /// For journeymap: also replace pictures that the mod has saved since the tile was drawn
    #[arg(long, requires = "map_mod")]
    force: bool,

    /// For journeymap: name dimensions DIM0, DIM-1 and DIM1, as before Minecraft 1.16
    #[arg(long, requires = "map_mod")]
    old_names: bool,

    /// For journeymap: add waypoints for spawn, portals, beds, lodestones, signs, banners, players
    /// and your own points, if the map has them. Existing waypoints are kept
    #[arg(long, value_enum, value_name = "FORM", requires = "map_mod")]
    waypoints: Option<WaypointArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WaypointArg {
    /// One file per waypoint, for JourneyMap up to 5.9
    Json,
    /// WaypointData.dat, for JourneyMap 6; written only if the folder has none
    Dat,
}

impl MapModArgs {
    /// Returns the export that the options ask for, or `None` without `--for`.
    ///
    /// # Errors
    /// Fails if an option does not fit this map mod. The message contains the remedy.
    pub(super) fn target(&self, output: &Path) -> Result<Option<ExportTarget>, String> {
        let Some(map_mod) = self.map_mod else {
            return Ok(None);
        };
        if OutputKind::at(output) != OutputKind::Folder || output == Path::new("-") {
            return Err("a map mod reads a folder: name one with -o".to_owned());
        }

        let map_mod = match map_mod {
            ModTarget::Pictures(map_mod) => map_mod,
            ModTarget::Columns(_) => {
                let message = "this map mod needs the blocks of a world, which a map does not have: \
                               use pixelmap render WORLD --for";
                return Err(message.to_owned());
            }
        };
        if map_mod == PictureMod::Squaremap {
            let is_other = self.merge || self.force || self.old_names || self.waypoints.is_some();
            let message =
                "--merge, --force, --old-names and --waypoints are for journeymap: leave them out";
            return if is_other {
                Err(message.to_owned())
            } else {
                Ok(Some(ExportTarget::Squaremap))
            };
        }

        let waypoints = self.waypoints.map(|form| match form {
            WaypointArg::Json => WaypointForm::Json,
            WaypointArg::Dat => WaypointForm::Dat,
        });

        let options = JourneymapOptions {
            old_names: self.old_names,
            merge: self.merge,
            force: self.force,
            waypoints,
        };

        Ok(Some(ExportTarget::Journeymap(options)))
    }
}
