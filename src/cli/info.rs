//! The arguments of `info`.

use std::path::PathBuf;

use clap::Args;

use super::parse;

const INFO_EXAMPLES: &str = "\
Examples:
  pixelmap info world --json
  pixelmap info world backup.zip                   two worlds
  pixelmap info ~/.minecraft/saves                 lists the worlds in a folder

With several worlds the code is the one of the first that failed, or else 3 if one has gaps.";

#[derive(Debug, Args)]
#[command(after_help = INFO_EXAMPLES)]
pub(crate) struct InfoArgs {
    /// A world's name, a world folder of any layout, a dimension folder, a region folder, a .zip or
    /// tar of a world, files of zvcr, or the address of a world (docs/buckets.md), or a
    /// folder or archive of worlds, which are listed
    #[arg(value_name = "WORLD", required = true)]
    pub(crate) worlds: Vec<PathBuf>,

    /// Show the state of the world at this time, in UTC: 2025-01-01 or 2025-01-01T12:00. Only files
    /// of zvcr store their past
    #[arg(long, value_name = "TIME", value_parser = parse::parse_time)]
    pub(crate) at: Option<i64>,

    /// Print one JSON object per world, each on its line
    #[arg(long)]
    pub(crate) json: bool,
}
