//! The arguments of `pixelmap merge`.

use std::path::PathBuf;

use clap::Args;
use pixelmap::draw::{Layer, Limit};

use super::drawn::layers;
use super::moment::MomentArgs;
use super::parse;
use super::parse::choice_parser;
use super::run_output::RunOutputArgs;

const EXAMPLES: &str = "\
Examples:
  pixelmap render world -o map --shard 1/2         on one machine
  pixelmap render world -o map --shard 2/2         on another, which sees the same folders
  pixelmap merge -o map                            when both are done, to be opened at map/index.html

  pixelmap merge -o map part-1 part-2              shards that were drawn into folders of their own
  pixelmap merge -o world.pmtiles map -l day       one layer in one file
  pixelmap merge -o preview part-1 --allow-missing what is there so far

The map is the one that a single run would have drawn, byte for byte. It is made of the tiles of the
parts: those in other folders are linked, or copied where they cannot be linked. No world is read.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MergeArgs {
    /// Folders that shards were drawn into; none: the output itself
    #[arg(value_name = "PART")]
    pub(crate) parts: Vec<PathBuf>,

    /// The folder of the map, or a .pmtiles file: then the tiles are copied into it from where they lie
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,

    /// The dimension that an archive shows [default: the first]
    #[arg(short, long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) dimension: Option<String>,

    /// The layer that an archive shows [default: the first that was drawn]
    #[arg(short, long, value_name = "NAME", value_parser = choice_parser(layers()))]
    pub(crate) layer: Option<Layer>,

    /// Merge the shards that are there, although some are missing: of these the map shows what it showed before, if
    /// anything
    #[arg(long)]
    pub(crate) allow_missing: bool,

    /// Number of workers; 0: the CPUs this process may use
    #[arg(short, long, visible_short_alias = 'j', visible_alias = "jobs", value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,

    /// If more tiles than this would be removed, remove none and fail
    #[arg(long, value_name = "N|P%", value_parser = parse::parse_limit, default_value = "50%")]
    pub(crate) max_removed: Limit,

    /// Exit with code 0 despite this many bad chunks; they are still reported
    #[arg(long, value_name = "N|P%", value_parser = parse::parse_limit, default_value = "0")]
    pub(crate) allow_gaps: Limit,

    #[command(flatten)]
    pub(crate) moment: MomentArgs,

    #[command(flatten)]
    pub(crate) run_output: RunOutputArgs,
}
