//! The arguments of `pixelmap diff` and `pixelmap verify`.

use std::path::PathBuf;

use clap::Args;
use pixelmap_base::coord::Area;
use pixelmap_draw::Limit;

use super::parse::{self, IgnoredArea};

const DIFF_EXAMPLES: &str = "\
Examples:
  pixelmap diff map.old map                          one line for each tile that differs
  pixelmap diff map.old map --image diff.png         before, after and the difference side by side
  pixelmap diff map.old map --html diff.html         one page with a slider over before and after
  pixelmap diff map.old map --tolerance 8 --max-changed 0.1%
  pixelmap diff map.old map --ignore -8,-8,8,8 --ignore 100,40,116,56
  pixelmap diff before.png after.png --json
  pixelmap diff map.old map --markdown diff.md --junit diff.xml
  pixelmap diff saved-tiles.tsv map -d overworld --layer day --changed-list changed.txt --deleted-list deleted.txt

The first line is the verdict, such as
  differs: overworld/day 3 pixels (0.001 %) in -3,5 4,9
  same: 126 tiles
The share counts all pixels that either side draws. One line follows for each tile that differs. It
contains, separated by tabs: dimension, layer, tile (z/x/y), changed, added or removed, the box of
blocks x0,z0,x1,z1 (half-open) around the pixels that differ, and their number; - if unknown.
FILE may be - for standard output: one text can be written there instead of these lines.
Tiles with equal hashes in the manifests count as the same, and their files are not read. Pixels are
counted on the native zoom level. A layer or dimension that only one side shows is a difference.
Exit codes:
  0  the same
  1  they differ
  2  trouble: wrong usage, sides that cannot be compared, a map that is not whole";

#[derive(Debug, Args)]
#[command(after_help = DIFF_EXAMPLES)]
pub(crate) struct DiffArgs {
    /// A map's folder, a folder of regions, an archive (.pmtiles), a picture (PNG or WebP), or a
    /// saved tiles.tsv of one layer
    #[arg(value_name = "A")]
    pub(crate) a: PathBuf,

    /// The render to compare with A: of the same kind, or another form of the same map
    #[arg(value_name = "B")]
    pub(crate) b: PathBuf,

    /// The largest difference that counts as the same: of a colour channel (0 to 255), or of the
    /// number in layer height16. The colours of a map change in steps of 8, so values below 7
    /// ignore nothing, and 8 ignores the smallest change of a colour
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=255))]
    pub(crate) tolerance: u16,

    /// Accept this many different pixels, or this share of all drawn pixels; not with a tiles.tsv,
    /// which contains only hashes
    #[arg(long, value_name = "N|P%", value_parser = parse::parse_limit, default_value = "0")]
    pub(crate) max_changed: Limit,

    /// Compare this dimension; may be repeated [default: all]
    #[arg(short, long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) dimension: Vec<String>,

    /// Compare this layer; may be repeated [default: all]
    #[arg(short, long, value_name = "NAME")]
    pub(crate) layer: Vec<String>,

    /// Compare only these columns; half-open, corners in any order
    #[arg(short, long, value_name = "X0,Z0,X1,Z1", allow_hyphen_values = true, value_parser = parse::parse_area)]
    pub(crate) area: Option<Area>,

    /// Ignore these columns, such as a clock or a farm: a half-open rectangle, or a file with one
    /// rectangle per line (# begins a comment); may be repeated
    #[arg(long, value_name = "X0,Z0,X1,Z1|FILE", allow_hyphen_values = true, value_parser = parse::parse_ignored)]
    pub(crate) ignore: Vec<IgnoredArea>,

    /// Number of workers; 0: the CPUs this process may use
    #[arg(short, long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Write one self-contained page: the verdict, and a slider over before and after of at most 12
    /// places
    #[arg(long, value_name = "FILE.html")]
    pub(crate) html: Option<PathBuf>,

    /// Write a picture of layer day, or of the layer with most differences: before, after and the
    /// difference side by side
    #[arg(long, value_name = "FILE.png")]
    pub(crate) image: Option<PathBuf>,

    /// Write a heat map of that layer's differences, from yellow (few) to red (many)
    #[arg(long, value_name = "FILE.png")]
    pub(crate) heatmap: Option<PathBuf>,

    /// Write a JUnit report with a case for each layer; - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,

    /// The name of the suite in the JUnit report [default: the name of the world, or of the file]
    #[arg(long, value_name = "NAME", requires = "junit")]
    pub(crate) suite: Option<String>,

    /// Write a summary in Markdown, with at most 12 pictures next to it (FILE-1.png...); - for
    /// standard output, without pictures
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,

    /// Write the paths of files that a copy of A lacks or that differ from those in B, one per
    /// line, whatever the area and tolerance; - for standard output. If A is a tiles.tsv,
    /// index.html and map.json are always listed
    #[arg(long, value_name = "FILE")]
    pub(crate) changed_list: Option<PathBuf>,

    /// Write the paths of files that only A has, one per line; - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) deleted_list: Option<PathBuf>,

    /// Print no summary on standard error
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

const VERIFY_EXAMPLES: &str = "\
Examples:
  pixelmap verify map
  pixelmap verify map --json
  pixelmap verify world.pmtiles                 an archive, or a picture
  pixelmap verify map --digest > map.digest     one line that is the same for the same pixels, on any machine

Each line on standard output contains a problem and a path, separated by a tab: missing, changed,
stray (looks like a tile, but no manifest names it), manifest (is not whole), facts (map.json or
map.js contradicts the manifests), damaged (a tile of an archive, as z/x/y).
Repeat the same render to repair the map. Stray files must be deleted:
  cd map && pixelmap verify . | sed -nE 's/^(changed|stray)\\t//p' | xargs -d '\\n' rm -f
Exit codes:
  0  the map matches its manifests
  1  it does not, or it cannot be read
  2  wrong usage";

#[derive(Debug, Args)]
#[command(after_help = VERIFY_EXAMPLES)]
pub(crate) struct VerifyArgs {
    /// A map's folder, a folder of regions, an archive or a picture
    #[arg(value_name = "OUT")]
    pub(crate) out: PathBuf,

    /// Print a digest of everything the map shows (dimensions, layers, tiles and their pixels), or
    /// of the pixels of a picture. Printed only if the map matches its manifests
    #[arg(long, conflicts_with = "json")]
    pub(crate) digest: bool,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Number of workers; 0: the CPUs this process may use
    #[arg(short, long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,

    /// Print no summary on standard error
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
