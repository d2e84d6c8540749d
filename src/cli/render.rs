//! The arguments of `pixelmap render`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use pixelmap_base::coord::{Area, ColumnPos};
use pixelmap_draw::import::MapSource;
use pixelmap_draw::report::Thresholds;
use pixelmap_draw::schedule::{DEFAULT_MAX_BATCH, Pin};
use pixelmap_draw::{Check, Limit, Shard};
use pixelmap_map::atlas::WorldLink;

use super::drawn::{DrawnArgs, WorkerArgs};
use super::map_source::MAP_SOURCES;
use super::moment::MomentArgs;
use super::parse::{NamedValue, choice_parser};
use super::picture::PictureArgs;
use super::render_options::{need_a_world, under_heading};
use super::run_output::RunOutputArgs;
use super::target_args::TargetArgs;
use super::tiles::TileArgs;
use super::{parse, shard};

const CHECKS: [NamedValue<Check>; 2] = [
    (
        "quick",
        "Compare length, times and number of a file, or its header, and its content if they \
         changed",
        Check::Quick,
    ),
    (
        "content",
        "Compare a hash of the content of every file",
        Check::Content,
    ),
];

const PINS: [NamedValue<Pin>; 4] = [
    (
        "auto",
        "One CPU per worker if the run has the machine to itself",
        Pin::Auto,
    ),
    ("none", "The system places workers", Pin::None),
    (
        "compact",
        "Neighbouring workers share a cache",
        Pin::Compact,
    ),
    (
        "spread",
        "Neighbouring workers use different caches",
        Pin::Spread,
    ),
];

const RENDER_EXAMPLES: &str = "\
Examples:
  pixelmap render world                            the whole world into map/; open map/index.html
  pixelmap render world -o /srv/www/map -t 128     on 128 workers
  pixelmap render world -d nether                  the nether alone
  pixelmap render world -a -512,-512,512,512       a square of 1024 blocks around the origin
  pixelmap render world --center -3,17 --radius 200
  pixelmap render world -o world.png --scale 1/4   one picture, one pixel per 4 by 4 blocks
  pixelmap render world -o wall.png --fit 2560x1440 --title 'Our world' --scale-bar
  pixelmap render world -o world.pmtiles           the map in one file; open world.html next to it
  pixelmap render world -o s3://my-bucket/map      a map in a bucket, drawn again from its state there: see docs/buckets.md
  pixelmap render world --mode regions             one picture per region, as regions/r.0.0.png, for scripts
  pixelmap render world --scheme xyz               tiles for QGIS, MapLibre and others, and tilejson.json
  pixelmap render world --format webp              tiles in lossless WebP
  pixelmap render world -o world.webp              one picture of up to 16,383 pixels per side
  pixelmap render world --hide 480,-96,560,-32     without the chunks that contain these columns
  pixelmap render world --hide bases.geojson       without the chunks that polygons touch; coordinates are [x, z] in blocks
  pixelmap render world --min-inhabited 60         only chunks in which players were for a minute or more
  pixelmap render world --markers shops.geojson --signs '(?i)shop|market' --players
  pixelmap render world --find '*_bed,minecraft:beacon'    a marker for each chunk that has some at its surface
  pixelmap render world --find minecraft:spawner --find-depth all    below the ground as well
  pixelmap render world --marker-kinds portals,structures    without beds and other points; none: no markers
  pixelmap render world --marker-kinds containers    chests and their items, which the page finds: for your own use
  pixelmap render world --details                  the page shows block, biome and height under the pointer
  pixelmap render world --title 'Our world' --url https://example.org/map/
  pixelmap render world --palette mods.tsv         with the colours of a file over the built-in ones
  pixelmap render world --palette map-item         in the colours of the game's own maps
  pixelmap render world --assets client.jar --assets mods/
  pixelmap render world -o town.png --assets client.jar --scale 16 -a 0,0,300,200    a picture with textures
  pixelmap render world --assets client.jar --zoom-in 4 -a -512,-512,512,512    with textures, up to 16 pixels per block
  pixelmap render world --unknown ff00ff           shows at a glance which blocks have no colour
  pixelmap render backup.zip                       read from the zip, without unpacking it to the disk
  pixelmap render backup.tar.gz/world              one world of a server's backup
  pixelmap render s3://my-bucket/world             a world in a bucket; https://example.org/world.zip: on the web
  pixelmap render wdl --at 2025-01-01 --history    files of zvcr, in the past: see docs/scale.md
  pixelmap render --from journeymap data/mp/server -o map    the places a player has explored: see docs/explored.md
  pixelmap render --from xaero Multiplayer_server -o map -l day -l night    from the blocks that Xaero's World Map stores
  pixelmap render world --for xaero -o world-map --address play.example.org    for the map in the game of your players
  pixelmap render world -c map.toml                with options from a file, which may also name the world
  pixelmap render -c worlds.toml -o site           several worlds on one page, each named in a table of the file
  pixelmap render world --report - -q > report.json
  pixelmap render world --log-format json 2> log   for programs, one object per line
  pixelmap render world --staged --allow-gaps 10   all or nothing: unless the code is 0, the map does not change
  pixelmap render world -o map --shard 3/16        one of 16 parts, on one of many machines: see pixelmap merge
  pixelmap render world --dry-run --shards 16      how evenly 16 shards would share the work
  pixelmap render world --dry-run                  what a run would draw, and how much; writes nothing
  pixelmap render world --changed-list changed.txt --deleted-list deleted.txt
  pixelmap render world --nice                     next to the game's server, which has priority
  pixelmap render world --check content            every night: draws all changes without trusting file times";

#[derive(Debug, Args)]
#[command(after_help = RENDER_EXAMPLES, mut_args = under_heading)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub(crate) struct RenderArgs {
    /// A world's name, a world folder of any layout, a dimension folder, a region folder, a .zip or
    /// tar of a world, files of zvcr, or the address of a world in a bucket or of an archive on the
    /// web (docs/buckets.md), in builds with object stores; the file of --config may name it
    #[arg(value_name = "WORLD", required_unless_present = "config")]
    pub(crate) world: Option<PathBuf>,

    /// Further folders for --from
    #[arg(value_name = "FOLDER")]
    pub(crate) more_folders: Vec<PathBuf>,

    /// Make a map of the places that players have explored: give their folders of this map mod in
    /// the place of the world. The newest file is on top in places where several players have been.
    /// Only mods that store blocks allow other options of worlds, such as layers (docs/explored.md)
    #[arg(long, value_name = "MOD", value_parser = parse::choice_parser(MAP_SOURCES))]
    #[arg(conflicts_with_all = need_a_world())]
    pub(crate) from: Option<MapSource>,

    #[command(flatten)]
    pub(crate) target: TargetArgs,

    /// The output: for a map or regions a new or empty folder, or one that pixelmap made; for a
    /// picture or an archive (.pmtiles) a file; for a map in a bucket its address (docs/buckets.md),
    /// in builds with object stores. It must not be inside the world. A WebP picture needs 8 bytes of
    /// memory per pixel [default: map, regions or map.png]
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// The kind of output [default: image if the output ends in .png or .webp, else map]
    #[arg(long, value_enum)]
    pub(crate) mode: Option<ModeArg>,

    #[command(flatten)]
    pub(crate) drawn: DrawnArgs,

    /// Read options from a TOML file: long option names as keys, [[map]] tables for several maps in
    /// one output. A table with a name and a world makes a page of its own, with a choice of the
    /// worlds (docs/config.md). The command line overrides the file, but hidden areas add up
    #[allow(
        rustdoc::broken_intra_doc_links,
        reason = "the help shows the brackets of a table"
    )]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) area: AreaArgs,

    /// Draw the state of the world at this time, in UTC: 2025-01-01 or 2025-01-01T12:00. Only files
    /// of zvcr store their past. With --history each such run adds the moment of its time
    #[arg(long, value_name = "TIME", value_parser = parse::parse_time)]
    pub(crate) at: Option<i64>,

    /// Draw contour lines every N blocks in layer height; 0: none
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) contours: u16,

    /// Draw N zoom levels further in, 1 to 4, with the textures of --assets: blocks are 2, 4, 8 or
    /// 16 pixels wide at the innermost level. Works for layers day, night and roof. Name a place
    /// with --area, because each level has four times the tiles of the one before (docs/closer.md)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    pub(crate) zoom_in: Option<u8>,

    #[command(flatten)]
    pub(crate) page: PageArgs,

    #[command(flatten)]
    pub(crate) picture: PictureArgs,

    #[command(flatten)]
    pub(crate) workers: WorkerArgs,

    /// Draw everything, even if it is unchanged since the last run
    #[arg(short, long)]
    pub(crate) force: bool,

    /// If a run would remove more tiles than this, remove none and fail; tiles of hidden places do
    /// not count
    #[arg(long, value_name = "N|P%", value_parser = parse::parse_limit, default_value = "50%")]
    pub(crate) max_removed: Limit,

    /// Exit with code 0 despite this many bad chunks; they are still reported
    #[arg(long, value_name = "N|P%", value_parser = parse::parse_limit, default_value = "0")]
    pub(crate) allow_gaps: Limit,

    /// Exit with code 1 if there are more bad chunks than this; the map is still published, except
    /// with --staged
    #[arg(long, value_name = "N|P%", value_parser = parse::parse_limit)]
    pub(crate) max_bad_chunks: Option<Limit>,

    /// Publish nothing until everything has succeeded: if a run does not end with code 0, the map
    /// does not change. Tiles that it drew wait in .pixelmap/next for the next run with the same
    /// options
    #[arg(long)]
    pub(crate) staged: bool,

    #[command(flatten)]
    pub(crate) moment: MomentArgs,

    /// Exit with code 3 if the map contains these, although they are drawn; may be repeated
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) deny: Vec<Deny>,

    /// Print how much a run would draw, its bytes and memory, and how much is unchanged; write no
    /// file
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// With --dry-run: print one JSON object
    #[arg(long, requires = "dry_run")]
    pub(crate) json: bool,

    /// Draw part I of N of the map, counted from 1; other machines draw the other parts, and
    /// pixelmap merge combines them. I and N of a Slurm job array: slurm; I of a Kubernetes indexed
    /// job: k8s/N (docs/shards.md)
    #[arg(long, value_name = "I/N", value_parser = shard::parse_shard)]
    pub(crate) shard: Option<Shard>,

    /// With --dry-run: print only how N shards would share the map
    #[arg(long, value_name = "N", requires = "dry_run", value_parser = clap::value_parser!(u32).range(1..=i64::from(Shard::MOST)))]
    pub(crate) shards: Option<u32>,

    #[command(flatten)]
    pub(crate) run_output: RunOutputArgs,

    #[command(flatten)]
    pub(crate) tiles: TileArgs,

    /// The version of the look: the pixels of a look never change
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1))]
    pub(crate) look: u32,

    /// How to recognise unchanged regions
    #[arg(long, value_parser = choice_parser(CHECKS), default_value = "quick")]
    pub(crate) check: Check,

    /// The maximum number of jobs that a worker pulls at once
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_BATCH)]
    pub(crate) max_batch: usize,

    /// How to pin workers to CPUs
    #[arg(long, value_parser = choice_parser(PINS), default_value = "auto")]
    pub(crate) pin: Pin,

    /// The named maps of the configuration file, including this one; empty if it gives no names.
    #[arg(skip)]
    pub(crate) worlds: Vec<WorldLink>,
}

#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    /// A sentence about the map, for links to its page
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,

    /// The address at which the map will be published: a link to it is shown with the title
    /// (--title), the description and a picture
    #[arg(long, value_name = "URL", value_parser = parse::parse_url)]
    pub(crate) url: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArg {
    /// A tile pyramid with a viewer, in a folder, or in one file if the output ends in .pmtiles
    Map,
    /// One picture of one layer of one dimension
    Image,
    /// One picture per region, r.X.Z.png, in a folder
    Regions,
}

#[derive(Debug, Args)]
pub(crate) struct AreaArgs {
    /// Draw only these columns; half-open, corners in any order. For a picture also all: every
    /// region, however far away. Without this option, a picture shows the largest group of regions,
    /// and other groups that are worth their room
    #[arg(short, long, value_name = "X0,Z0,X1,Z1", allow_hyphen_values = true, value_parser = area)]
    area: Option<AreaArg>,

    /// The middle of the square to show
    #[arg(long, value_name = "X,Z", allow_hyphen_values = true, value_parser = parse::parse_column)]
    #[arg(requires = "radius", conflicts_with = "area")]
    center: Option<ColumnPos>,

    /// Half the side of the square to show, in blocks
    #[arg(long, value_name = "R", requires = "center", value_parser = clap::value_parser!(u32).range(1..))]
    radius: Option<u32>,
}

impl AreaArgs {
    /// Returns the requested area; `None` for `all`, and if the options name none.
    pub(crate) fn area(&self) -> Option<Area> {
        match self.area {
            Some(AreaArg::Of(area)) => Some(area),
            Some(AreaArg::All) => None,
            None => Some(Area::from_centre(self.center?, self.radius?)),
        }
    }

    /// Returns whether the user asked for all regions with `--area all`.
    pub(crate) fn asks_for_all(&self) -> bool {
        self.area == Some(AreaArg::All)
    }
}

/// The value of `--area`: a rectangle, or all regions however far from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AreaArg {
    Of(Area),
    All,
}

impl RenderArgs {
    /// Returns the name of the map, if the configuration file gives it one.
    pub(crate) fn name(&self) -> Option<&str> {
        self.worlds
            .iter()
            .find(|world| world.this)
            .map(|world| world.name.as_str())
    }

    /// Returns the thresholds that decide about the exit code.
    pub(crate) fn thresholds(&self) -> Thresholds {
        Thresholds {
            allow_gaps: self.allow_gaps,
            max_bad_chunks: self.max_bad_chunks,
            deny_unknown_blocks: self.deny.contains(&Deny::UnknownBlocks),
            deny_newer: self.deny.contains(&Deny::NewerVersion),
            deny_empty: self.deny.contains(&Deny::Empty),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    /// Blocks that no colour table has
    UnknownBlocks,
    /// Chunks of a game version that is newer than this program
    NewerVersion,
    /// A dimension in which nothing is drawn
    Empty,
}

/// Parses `X0,Z0,X1,Z1` or `all`.
fn area(text: &str) -> Result<AreaArg, String> {
    if text == "all" {
        Ok(AreaArg::All)
    } else {
        parse::parse_area(text).map(AreaArg::Of)
    }
}
