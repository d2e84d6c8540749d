//! The options of an export into the folder of a map mod, such as JourneyMap, squaremap or Xaero's
//! Minimap.

use std::path::Path;

use clap::{Args, ValueEnum};
use pixelmap_draw::map_mods::{
    JourneymapOptions, MarkerMod, ModTarget, PictureMod, ServerFolder, WaypointForm,
    XaeroWaypointOptions,
};
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

    #[command(flatten)]
    xaero: XaeroWaypointArgs,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Map mods")]
struct XaeroWaypointArgs {
    /// For xaero-waypoints: the address of the server as players type it
    #[arg(long, value_name = "ADDRESS", requires = "map_mod", value_parser = ServerFolder::parse)]
    address: Option<ServerFolder>,

    /// For xaero-waypoints: the number after id: in the server's xaeromap.txt, if it has that file
    #[arg(
        long,
        value_name = "N",
        requires = "address",
        allow_hyphen_values = true
    )]
    world_number: Option<i32>,

    /// For xaero-waypoints: print how many would be written, and write nothing
    #[arg(long, requires = "address")]
    dry_run: bool,
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

        let is_for_journeymap =
            self.merge || self.force || self.old_names || self.waypoints.is_some();
        if is_for_journeymap && map_mod != ModTarget::Pictures(PictureMod::Journeymap) {
            let message =
                "--merge, --force, --old-names and --waypoints are for journeymap: leave them out";
            return Err(message.to_owned());
        }
        if self.xaero.address.is_some() && map_mod != ModTarget::Markers(MarkerMod::XaeroMinimap) {
            let message = "--address is for xaero-waypoints: leave it out";
            return Err(message.to_owned());
        }

        match map_mod {
            ModTarget::Pictures(PictureMod::Journeymap) => Ok(Some(self.journeymap())),
            ModTarget::Pictures(PictureMod::Squaremap) => Ok(Some(ExportTarget::Squaremap)),
            ModTarget::Markers(MarkerMod::XaeroMinimap) => self.xaero.target().map(Some),
            ModTarget::Columns(_) => {
                let message = "this map mod needs the blocks of a world, which a map does not have: \
                               use pixelmap render WORLD --for";
                Err(message.to_owned())
            }
        }
    }

    fn journeymap(&self) -> ExportTarget {
        let waypoints = self.waypoints.map(|form| match form {
            WaypointArg::Json => WaypointForm::Json,
            WaypointArg::Dat => WaypointForm::Dat,
        });

        ExportTarget::Journeymap(JourneymapOptions {
            old_names: self.old_names,
            merge: self.merge,
            force: self.force,
            waypoints,
        })
    }
}

impl XaeroWaypointArgs {
    fn target(&self) -> Result<ExportTarget, String> {
        let Some(server) = &self.address else {
            let message = "xaero-waypoints needs --address, because the mod names the folder of a \
                           server after it";
            return Err(message.to_owned());
        };

        Ok(ExportTarget::XaeroWaypoints(XaeroWaypointOptions {
            server: server.clone(),
            world_number: self.world_number,
            dry_run: self.dry_run,
        }))
    }
}
