//! The options of `render` that write the folder of a map mod instead of a map.

use clap::Args;
use pixelmap_draw::map_mods::{Keep, ModTarget, ServerFolder};

use super::mod_target::MOD_TARGETS;
use super::parse::{NamedValue, choice_parser};

const KEEPS: [NamedValue<Keep>; 2] = [
    (
        "theirs",
        "Keep the chunks that the player has, and add the others",
        Keep::Theirs,
    ),
    (
        "ours",
        "Replace them with the chunks of the world, and keep the others",
        Keep::Ours,
    ),
];

#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// Write the folder of this map mod instead of a map: xaero, for players of a server. The other map
    /// mods get a finished map: pixelmap export MAP --for (docs/explored.md)
    #[arg(id = "for", long = "for", value_name = "MOD", value_parser = choice_parser(MOD_TARGETS))]
    #[arg(requires = "address")]
    pub(crate) target: Option<ModTarget>,

    /// With --for: the address of the server as players type it
    #[arg(long, value_name = "ADDRESS", requires = "for", value_parser = ServerFolder::parse)]
    pub(crate) address: Option<ServerFolder>,

    /// With --for: whose chunks stay where the player's file and the world both have them
    #[arg(long, value_parser = choice_parser(KEEPS), default_value = "theirs", requires = "for")]
    pub(crate) keep: Keep,
}
