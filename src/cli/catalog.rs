//! The arguments of `pixelmap catalog`.

use std::path::PathBuf;

use clap::Args;
use pixelmap_draw::Shard;

use super::shard::parse_shard;

const EXAMPLES: &str = "\
Examples:
  pixelmap catalog museum -o catalog               then open catalog/index.html
  pixelmap catalog museum -o catalog               again: reads only new and changed worlds
  pixelmap catalog ~/.minecraft/saves -o site --maps    with a map of each world

  pixelmap catalog museum -o catalog --shard 1/2   on one machine
  pixelmap catalog museum -o catalog --shard 2/2   on another one with the same folders
  pixelmap catalog museum -o catalog               when both are done: combines the parts

A world that cannot be read, or only in part, costs one line and the code 3; all others are shown.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CatalogArgs {
    /// The folder in which worlds are searched: folders, .zip, .mcworld and .mctemplate files, tars
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,

    /// The folder of the catalog
    #[arg(short, long, value_name = "OUT", default_value = "catalog")]
    pub(crate) output: PathBuf,

    /// Draw a map of each world as well
    #[arg(long)]
    pub(crate) maps: bool,

    /// How many folders deep worlds are searched
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub(crate) depth: u32,

    /// Read only one of N parts of the worlds, counted from 1. A run without this option combines
    /// the parts
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    pub(crate) shard: Option<Shard>,

    /// Number of worlds that are read at the same time; 0: the CPUs this process may use
    #[arg(
        short,
        long,
        visible_short_alias = 'j',
        visible_alias = "jobs",
        value_name = "N",
        default_value_t = 0
    )]
    pub(crate) threads: usize,

    /// Print only errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
