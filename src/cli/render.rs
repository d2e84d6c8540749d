//! The arguments of `pixelmap render`.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use pixelmap::coord::{Area, ColumnPos};
use pixelmap::pipeline::{Check, Colours, Hide, Layer, Limit, Scale, Unknown};
use pixelmap::report::Thresholds;
use pixelmap::schedule::{DEFAULT_MAX_BATCH, Pin};

use super::tiles::TileArgs;
use super::{Heights, LogFormat, Progress, mode, parse};

const RENDER_EXAMPLES: &str = "\
Examples:
  pixelmap render world                            the whole world into map/, to be opened at map/index.html
  pixelmap render world -o /srv/www/map -t 128     on 128 workers
  pixelmap render world -d nether                  the nether alone
  pixelmap render world -a -512,-512,512,512       a square of 1024 blocks around the origin
  pixelmap render world --center -3,17 --radius 200
  pixelmap render world -o world.png --scale 1/4   one picture, a pixel for 4 by 4 blocks
  pixelmap render world -o world.pmtiles           the map in one file, to be opened at world.html beside it
  pixelmap render world --mode regions             a picture a region, as regions/r.0.0.png, for scripts
  pixelmap render world --scheme xyz               tiles for QGIS, MapLibre and others, and tilejson.json
  pixelmap render world --format webp              tiles in WebP, without loss
  pixelmap render world -o world.webp              one picture of up to 16,383 pixels a side
  pixelmap render world --hide 480,-96,560,-32     without the chunks in which these columns lie
  pixelmap render world --hide bases.geojson       without those that polygons touch; coordinates are [x, z] in blocks
  pixelmap render world --min-inhabited 60         only chunks in which players were for a minute or more
  pixelmap render world --palette mods.tsv         with the colours of a file over the built-in ones
  pixelmap render world --palette map-item         in the colours of the game's own maps
  pixelmap render world --assets client.jar --assets mod.jar
  pixelmap render world --unknown ff00ff           to see at a glance what has no colour
  pixelmap render world -c map.toml                with options from a file
  pixelmap render world --report - -q > report.json
  pixelmap render world --log-format json 2> log   for a program to read, an object a line
  pixelmap render world --staged --allow-gaps 10   whole or not at all: what is not code 0 leaves the map as it was
  pixelmap render world --dry-run                  what would be drawn, and how much; writes nothing
  pixelmap render world --changed-list changed.txt --deleted-list deleted.txt
  pixelmap render world --check content            every night: draws what changed, and trusts no time of a file";

#[derive(Debug, Args)]
#[command(after_help = RENDER_EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct RenderArgs {
    /// A world folder of any layout, a dimension folder, or a region folder
    #[arg(value_name = "WORLD")]
    pub(crate) world: PathBuf,

    /// Where it goes: for a map or regions a new or empty folder, or one that pixelmap made, for a picture or an archive
    /// (.pmtiles) a file; never inside the world. A picture in WebP is held in memory whole: 8 bytes a pixel [default:
    /// map, regions or map.png]
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// What is made [default: image where the output ends in .png or .webp, else map]
    #[arg(long, value_enum)]
    pub(crate) mode: Option<mode::ModeArg>,

    /// Pixels a block of a picture: 1/8, 1/4, 1/2, 1, 2, 4 or 8 [default: 1]
    #[arg(long, value_name = "SCALE", value_parser = mode::scale)]
    pub(crate) scale: Option<Scale>,

    /// Draw a picture of more than 4 gigapixels, too
    #[arg(long)]
    pub(crate) yes: bool,

    /// A dimension: overworld, nether, end, ns:path, an old number such as -1, or all; may be repeated [default: all;
    /// but for a map overworld, or the only one there is]
    #[arg(short, long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) dimension: Vec<String>,

    /// A layer; may be repeated: all come out of one pass over the world
    #[arg(short, long, value_enum, value_name = "NAME", default_value = "day")]
    pub(crate) layer: Vec<LayerArg>,

    /// Contour lines every N blocks in layer height; 0: none
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) contours: u16,

    #[command(flatten)]
    pub(crate) tiles: TileArgs,

    /// The version of the look; the pixels of a look never change
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1))]
    pub(crate) look: u32,

    /// Workers; 0: the CPUs this process may use
    #[arg(short, long, visible_short_alias = 'j', visible_alias = "jobs", value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,

    /// The most jobs a worker pulls at once
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_BATCH)]
    pub(crate) max_batch: usize,

    /// Where workers sit
    #[arg(long, value_enum, default_value_t = PinArg::Auto)]
    pub(crate) pin: PinArg,

    #[command(flatten)]
    pub(crate) place: Place,

    #[command(flatten)]
    pub(crate) heights: Heights,

    /// Draw chunks that the game has not finished, too
    #[arg(long)]
    pub(crate) unfinished: bool,

    #[command(flatten)]
    pub(crate) hiding: Hiding,

    #[command(flatten)]
    pub(crate) colours: ColourArgs,

    /// Draw what is unchanged since the last run, too
    #[arg(short, long)]
    pub(crate) force: bool,

    /// How unchanged regions are told
    #[arg(long, value_enum, default_value_t = CheckArg::Quick)]
    pub(crate) check: CheckArg,

    /// A run that would remove more tiles than this removes none and fails; those of hidden places do not count
    #[arg(long, value_name = "N|P%", value_parser = parse::limit, default_value = "50%")]
    pub(crate) max_removed: Limit,

    /// So many bad chunks are still exit code 0; they are reported all the same
    #[arg(long, value_name = "N|P%", value_parser = parse::limit, default_value = "0")]
    pub(crate) allow_gaps: Limit,

    /// More bad chunks than this are exit code 1; without --staged the map is published all the same
    #[arg(long, value_name = "N|P%", value_parser = parse::limit)]
    pub(crate) max_bad_chunks: Option<Limit>,

    /// Publish nothing until all has succeeded: a run that does not end with code 0 leaves the map as it was. What it drew
    /// waits in .pixelmap/next for the next run like it
    #[arg(long)]
    pub(crate) staged: bool,

    /// What is exit code 3 although it is drawn; may be repeated
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) deny: Vec<Deny>,

    /// Options from a TOML file: their long names as keys, [[map]] tables for several maps in one output. What is typed
    /// counts more, but hides add up
    #[arg(short, long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Write a report in JSON; - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) files: FileListArgs,

    /// Say what would be drawn, how many bytes and how much memory that would take, and what is unchanged; write nothing, no
    /// report or list either
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// With --dry-run: print one JSON object
    #[arg(long, requires = "dry_run")]
    pub(crate) json: bool,

    /// Errors only, and no summary
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Say more: each bad chunk, each unknown block, what each worker did
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// How progress is shown; plain: a line every 5 % or 30 seconds
    #[arg(long, value_enum, default_value_t = Progress::Auto)]
    pub(crate) progress: Progress,

    /// What standard error says, and how; json: nothing but objects of docs/log.schema.json, with progress as plain has it
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
}

#[derive(Debug, Args)]
pub(crate) struct FileListArgs {
    /// Write the paths of the files in the map's folder that are new or have other bytes, one a line: for rsync
    /// --files-from, rclone or an object store; - for standard output. With what runs before wrote that were killed
    #[arg(long, value_name = "FILE")]
    pub(crate) changed_list: Option<PathBuf>,

    /// Write the paths of the files that are gone, one a line; - for standard output. With what runs before removed that
    /// were killed
    #[arg(long, value_name = "FILE")]
    pub(crate) deleted_list: Option<PathBuf>,
}

impl FileListArgs {
    /// Whether either is asked for.
    pub(crate) fn are_wanted(&self) -> bool {
        self.changed_list.is_some() || self.deleted_list.is_some()
    }
}

#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The columns to draw, half-open; corners in any order. Of a picture also all: every region, however far; without
    /// it, the group of regions with most chunks, and those near it
    #[arg(short, long, value_name = "X0,Z0,X1,Z1", allow_hyphen_values = true, value_parser = mode::area)]
    area: Option<AreaArg>,

    /// The middle of the square to draw
    #[arg(long, value_name = "X,Z", allow_hyphen_values = true, value_parser = parse::column)]
    #[arg(requires = "radius", conflicts_with = "area")]
    center: Option<ColumnPos>,

    /// Half the side of the square to draw, in blocks
    #[arg(long, value_name = "R", requires = "center", value_parser = clap::value_parser!(u32).range(1..))]
    radius: Option<u32>,
}

impl Place {
    /// The area that was asked for.
    pub(crate) fn area(&self) -> Option<Area> {
        match self.area {
            Some(AreaArg::Of(area)) => Some(area),
            Some(AreaArg::All) => None,
            None => Some(Area::around(self.center?, self.radius?)),
        }
    }

    /// Whether everything was asked for by name.
    pub(crate) fn asks_for_all(&self) -> bool {
        self.area == Some(AreaArg::All)
    }
}

/// An area, or all there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AreaArg {
    Of(Area),
    All,
}

#[derive(Debug, Args)]
pub(crate) struct Hiding {
    /// Columns that must not be shown, as a half-open rectangle or a GeoJSON file of polygons; may be repeated. Every chunk
    /// in which such a column lies counts as absent, in every layer and dimension drawn, and vanishes from a map that
    /// showed it. Nothing in the map's folder says what is hidden, but query and info still tell it
    #[arg(long, value_name = "X0,Z0,X1,Z1|FILE", allow_hyphen_values = true, value_parser = parse::hide())]
    pub(crate) hide: Vec<Hide>,

    /// Chunks in which players were for less time than this, all of them added up, count as absent, and so do old chunks
    /// that do not say
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    pub(crate) min_inhabited: u32,
}

#[derive(Debug, Args)]
pub(crate) struct ColourArgs {
    /// Colours: texture or map-item (what all else lies on), or a colour file; may be repeated, each over those before
    /// [default: texture]
    #[arg(long, value_name = "NAME|FILE")]
    palette: Vec<PathBuf>,

    /// How blocks that nobody knows are drawn: auto (by what their names say), hide (not at all, and they are not
    /// counted), or all in one colour
    #[arg(long, value_name = "auto|hide|RRGGBB", value_parser = parse::unknown, default_value = "auto")]
    pub(crate) unknown: Unknown,

    /// A client jar, resource pack, mod jar or data pack (zip or folder) to take block colours, biomes and dimensions
    /// from; may be repeated, each over those before. The world's own data packs are read without it
    #[arg(long, value_name = "PATH")]
    assets: Vec<PathBuf>,
}

impl ColourArgs {
    /// What the library is asked for.
    pub(crate) fn colours(&self) -> Colours {
        Colours { palettes: self.palette.clone(), unknown: self.unknown, assets: self.assets.clone() }
    }
}

impl RenderArgs {
    /// What is asked of a map beside being drawn.
    pub(crate) fn thresholds(&self) -> Thresholds {
        Thresholds {
            allow_gaps: self.allow_gaps,
            max_bad_chunks: self.max_bad_chunks,
            deny_unknown_blocks: self.deny.contains(&Deny::UnknownBlocks),
            deny_newer: self.deny.contains(&Deny::NewerVersion),
        }
    }
}

/// A layer by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LayerArg(pub(crate) Layer);

/// The layers there are.
const LAYERS: [LayerArg; Layer::ALL.len()] = {
    let mut layers = [LayerArg(Layer::Day); Layer::ALL.len()];
    let mut at = 0;
    while at < layers.len() {
        layers[at] = LayerArg(Layer::ALL[at]);
        at += 1;
    }
    layers
};

impl ValueEnum for LayerArg {
    fn value_variants<'a>() -> &'a [Self] {
        &LAYERS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(self.0.shows()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    /// Blocks that no table knows
    UnknownBlocks,
    /// Chunks newer than this program
    NewerVersion,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckArg {
    /// By length, times and header of a file; by its content where these changed
    Quick,
    /// By hashing the content of every file
    Content,
}

impl From<CheckArg> for Check {
    fn from(check: CheckArg) -> Self {
        match check {
            CheckArg::Quick => Self::Quick,
            CheckArg::Content => Self::Content,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PinArg {
    /// On CPUs of their own where there are enough
    Auto,
    /// Wherever the system puts them
    None,
    /// Close together
    Compact,
    /// Far apart
    Spread,
}

impl From<PinArg> for Pin {
    fn from(pin: PinArg) -> Self {
        match pin {
            PinArg::Auto => Self::Auto,
            PinArg::None => Self::None,
            PinArg::Compact => Self::Compact,
            PinArg::Spread => Self::Spread,
        }
    }
}
