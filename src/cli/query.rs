//! The arguments of `query`.

use std::path::PathBuf;

use clap::Args;
use pixelmap_base::coord::Area;

use super::heights::Heights;
use super::parse;

const QUERY_EXAMPLES: &str = "\
Examples:
  pixelmap query world -3 17
  pixelmap query world -3,17                       the same
  pixelmap query world --json 0 0 100 -200
  pixelmap query world -d nether --top 0,0         above the ceiling, on its bedrock
  printf '%s\\n' '0 0' '16,0' | pixelmap query world -d nether
  pixelmap query world -a -64,-64,64,64 --json     all columns of a build site
  pixelmap query wdl --at 2025-01-01 0 0           files of zvcr, in the past

Each line contains, separated by tabs: x, z, y, block, biome, DataVersion of the chunk; a missing
value is -. If nothing is known about a column, its third field gives the reason: no chunk,
unfinished (see --unfinished), or damaged and why. The block is the highest one that is not air. In
a dimension with a ceiling, such as the nether, it is the highest one under the ceiling, as in layer
day.

With --area, each line has three more fields: the height and block of the ground, which is below
water, plants and glass, and the depth of the water. In --json they are ground_y, ground and
water_depth. Columns of chunks that are not stored, unfinished or damaged have no line. The regions
are sorted by z and then by x, and so are the columns of each region.

Exit codes:
  0  done
  1  the world cannot be read
  2  wrong usage, or a line of standard input is not a position
  3  done, but a requested column is damaged; with --area, a warning names the chunk";

#[derive(Debug, Args)]
#[command(after_help = QUERY_EXAMPLES)]
pub(crate) struct QueryArgs {
    /// A world's name, a world folder of any layout, a dimension folder, a region folder, a .zip or
    /// tar of a world, files of zvcr, or the address of a world (docs/buckets.md)
    #[arg(value_name = "WORLD")]
    pub(crate) world: PathBuf,

    /// Positions in blocks, as X Z or X,Z, also with decimals as the game copies them; without positions, such lines are read from standard
    /// input
    #[arg(value_name = "X Z", allow_negative_numbers = true)]
    pub(crate) positions: Vec<String>,

    /// Print all columns of this rectangle in blocks, while the world is read; the corners may be in
    /// any order, and the eastern and southern edges are outside
    #[arg(short, long, value_name = "X0,Z0,X1,Z1", allow_hyphen_values = true, value_parser = parse::parse_area, conflicts_with = "positions")]
    pub(crate) area: Option<Area>,

    /// The dimension [default: the overworld, or the only one of a world without it]
    #[arg(short, long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) dimension: Option<String>,

    #[command(flatten)]
    pub(crate) heights: Heights,

    /// Answer with the highest block of all, even above the ceiling of a dimension that has one
    #[arg(long)]
    pub(crate) top: bool,

    /// Show the state of the world at this time, in UTC: 2025-01-01 or 2025-01-01T12:00. Only files
    /// of zvcr store their past
    #[arg(long, value_name = "TIME", value_parser = parse::parse_time)]
    pub(crate) at: Option<i64>,

    /// Include chunks that the game has not finished
    #[arg(long)]
    pub(crate) unfinished: bool,

    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}
