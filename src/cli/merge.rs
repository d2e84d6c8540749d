//! The arguments of `pixelmap merge`.

use std::path::PathBuf;

use clap::Args;
use pixelmap_draw::{Layer, Limit};
#[cfg(feature = "object-store")]
use pixelmap_map::atlas::OutputKind;

use super::drawn::layers;
use super::moment::MomentArgs;
use super::parse;
use super::parse::choice_parser;
use super::run_output::RunOutputArgs;

const EXAMPLES: &str = "\
Examples:
  pixelmap render world -o map --shard 1/2         on one machine
  pixelmap render world -o map --shard 2/2         on another one with the same folders
  pixelmap merge -o map                            when both are done; then open map/index.html

  pixelmap merge -o map part-1 part-2              shards that were drawn into folders of their own
  pixelmap merge -o s3://my-bucket/map             shards that were drawn into this bucket
  pixelmap merge -o world.pmtiles map -l day       one layer in one file
  pixelmap merge -o preview part-1 --allow-missing the parts that are finished so far

The map equals the map of a single run, byte for byte. Tiles of parts in other folders are linked, or
copied if they cannot be linked. No world is read.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MergeArgs {
    /// Folders that shards were drawn into; without any, the output itself
    #[arg(value_name = "PART")]
    pub(crate) parts: Vec<PathBuf>,

    /// The folder or the bucket of the map, or a .pmtiles file, into which the tiles are copied
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,

    /// The dimension that an archive shows [default: the first]
    #[arg(short, long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) dimension: Option<String>,

    /// The layer that an archive shows [default: the first that was drawn]
    #[arg(short, long, value_name = "NAME", value_parser = choice_parser(layers()))]
    pub(crate) layer: Option<Layer>,

    /// Merge although some shards are missing: their part of an existing map does not change
    #[arg(long)]
    pub(crate) allow_missing: bool,

    /// Number of workers; 0: the CPUs this process may use
    #[arg(
        short,
        long,
        visible_short_alias = 'j',
        visible_alias = "jobs",
        value_name = "N",
        default_value_t = 0
    )]
    pub(crate) threads: usize,

    /// If the merge would remove more tiles than this, remove none and fail
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

#[cfg(feature = "object-store")]
impl MergeArgs {
    /// Returns the address of the bucket in which the parts are merged.
    pub(crate) fn bucket(&self) -> Option<String> {
        let is_bucket = OutputKind::from_name(&self.output) == OutputKind::Bucket;
        is_bucket.then(|| self.output.display().to_string())
    }
}
