//! The arguments of `pixelmap diff` and `pixelmap verify`.

use std::path::PathBuf;

use clap::Args;
use pixelmap::base::coord::Area;
use pixelmap::draw::Limit;

use super::parse::{self, Ignored};

const DIFF_EXAMPLES: &str = "\
Examples:
  pixelmap diff map.old map                          a line for each tile that differs
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
The share is that of all pixels drawn in either. A line for each tile that differs follows. It has,
separated by tabs: dimension, layer, tile (z/x/y), changed, added or removed, the box of blocks
x0,z0,x1,z1 (half-open) around the pixels that differ, and their number; - for what is not known.
A - in place of a FILE is standard output: one text can go there, in place of these lines.
Equal hashes in the manifests are the same without opening a file. Counts are those of the native
zoom level. A layer or dimension that only one of the two shows is a difference.
Exit codes:
  0  the same
  1  they differ
  2  trouble: wrong usage, what cannot be compared, a map that is not whole";

#[derive(Debug, Args)]
#[command(after_help = DIFF_EXAMPLES)]
pub(crate) struct DiffArgs {
    /// A map's folder, a folder of regions, an archive (.pmtiles), a picture (PNG or WebP), or a saved tiles.tsv of one
    /// layer
    #[arg(value_name = "A")]
    pub(crate) a: PathBuf,

    /// What is compared with A: of the same kind, or another form of the same map
    #[arg(value_name = "B")]
    pub(crate) b: PathBuf,

    /// The largest difference that counts as the same: of a colour channel (0 to 255), or of the number in layer
    /// height16. The colours of a map lie on a lattice with steps of 8: less than 7 ignores nothing, 8 ignores the least
    /// change of a colour
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=255))]
    pub(crate) tolerance: u16,

    /// This many pixels, or this share of all drawn pixels, may differ; not with a tiles.tsv, which holds no pixels
    #[arg(long, value_name = "N|P%", value_parser = parse::parse_limit, default_value = "0")]
    pub(crate) max_changed: Limit,

    /// A dimension to compare; may be repeated [default: all]
    #[arg(short, long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) dimension: Vec<String>,

    /// A layer to compare; may be repeated [default: all]
    #[arg(short, long, value_name = "NAME")]
    pub(crate) layer: Vec<String>,

    /// The columns to compare, half-open; corners in any order
    #[arg(short, long, value_name = "X0,Z0,X1,Z1", allow_hyphen_values = true, value_parser = parse::parse_area)]
    pub(crate) area: Option<Area>,

    /// Columns that may differ, such as a clock or a farm, as a half-open rectangle, or a file of such rectangles, one a
    /// line (# begins a comment); may be repeated
    #[arg(long, value_name = "X0,Z0,X1,Z1|FILE", allow_hyphen_values = true, value_parser = parse::parse_ignored)]
    pub(crate) ignore: Vec<Ignored>,

    /// Number of workers; 0: the CPUs this process may use
    #[arg(short, long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Write one page that needs no other file: the verdict, and a slider over before and after of at most 12 places
    #[arg(long, value_name = "FILE.html")]
    pub(crate) html: Option<PathBuf>,

    /// Write a picture of layer day, or of the layer with most differences: before, after and the difference side by
    /// side
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

    /// Write a summary in Markdown, with at most 12 pictures beside it (FILE-1.png...); - for standard output, without
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,

    /// Write the paths of files that a copy of A lacks or has with other bytes than B, one a line, whatever the area
    /// and tolerance; - for standard output. If A is a tiles.tsv, index.html and map.json are always listed
    #[arg(long, value_name = "FILE")]
    pub(crate) changed_list: Option<PathBuf>,

    /// Write the paths of files that only A has, one a line; - for standard output
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

A line on standard output is a problem and a path, separated by a tab: missing, changed, stray
(looks like a tile and no manifest names it), manifest (is not whole), facts (map.json or map.js
does not say what the manifests say), damaged (a tile of an archive, as z/x/y).
What is wrong is mended by the same render again; a stray file goes when it is deleted:
  cd map && pixelmap verify . | sed -nE 's/^(changed|stray)\\t//p' | xargs -d '\\n' rm -f
Exit codes:
  0  all is as the manifests say
  1  it is not, or the map cannot be read
  2  wrong usage";

#[derive(Debug, Args)]
#[command(after_help = VERIFY_EXAMPLES)]
pub(crate) struct VerifyArgs {
    /// A map's folder, a folder of regions, an archive or a picture
    #[arg(value_name = "OUT")]
    pub(crate) out: PathBuf,

    /// Print a digest of everything the map shows: dimensions, layers, tiles and their pixels; of a picture its pixels.
    /// Printed only if all is right
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
