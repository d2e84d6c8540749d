//! The options for the markers of a map, and the arguments of `pixelmap markers`.

use std::path::PathBuf;

use clap::Args;
use pixelmap_draw::{
    BlockPattern, Find, FindDepth, MarkerKind, OwnerPaths, Pattern, WantedMarkers,
};

use super::parse::{NamedValue, choice_parser};
use super::terminal::ProgressMode;

const KINDS: [NamedValue<Option<MarkerKind>>; 16] = [
    (
        "world",
        "The place where players start and the world border, which a map always has",
        Some(MarkerKind::World),
    ),
    (
        "structures",
        "Villages, temples, mineshafts and everything else that the game or a mod builds",
        Some(MarkerKind::Structures),
    ),
    ("portals", "Nether portals", Some(MarkerKind::Portals)),
    ("beds", "Beds", Some(MarkerKind::Beds)),
    ("bells", "Bells", Some(MarkerKind::Bells)),
    ("lodestones", "Lodestones", Some(MarkerKind::Lodestones)),
    (
        "workstations",
        "Blocks at which villagers work",
        Some(MarkerKind::Workstations),
    ),
    (
        "points",
        "Other points of interest: bee nests, lightning rods, and points of mods",
        Some(MarkerKind::Points),
    ),
    (
        "maps",
        "Map items in item frames, with their pictures; not among the defaults",
        Some(MarkerKind::Maps),
    ),
    (
        "containers",
        "Chests, barrels, shulker boxes and hoppers with their items, lecterns, beacons; not among \
         the defaults",
        Some(MarkerKind::Containers),
    ),
    (
        "signs",
        "Signs, as with --signs . if it is not given; not among the defaults",
        Some(MarkerKind::Signs),
    ),
    (
        "banners",
        "Named banners, as with --signs . if it is not given; not among the defaults",
        Some(MarkerKind::Banners),
    ),
    (
        "players",
        "Players, as with --players; not among the defaults",
        Some(MarkerKind::Players),
    ),
    (
        "found",
        "The blocks of --find, which is needed as well",
        Some(MarkerKind::Found),
    ),
    (
        "waypoints",
        "Places that players named in their map mod, which worlds do not have",
        Some(MarkerKind::Waypoints),
    ),
    ("none", "No markers of these kinds", None),
];

const DEPTHS: [NamedValue<FindDepth>; 2] = [
    (
        "surface",
        "Down to the ground that layer day shows, or the floor of its water",
        FindDepth::Surface,
    ),
    ("all", "Everywhere, also below the ground", FindDepth::All),
];

/// The blocks of one `--find`.
#[derive(Debug, Clone)]
struct BlockList(Vec<BlockPattern>);

fn parse_blocks(text: &str) -> Result<BlockList, String> {
    text.split(',')
        .map(BlockPattern::parse)
        .collect::<Result<_, _>>()
        .map(BlockList)
}

#[derive(Debug, Args)]
pub(crate) struct MarkerArgs {
    /// Show these kinds of markers of the world, separated by commas; only where the map shows
    /// something, never at hidden places [default: structures and points of
    /// interest]
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = choice_parser(KINDS))]
    marker_kinds: Vec<Option<MarkerKind>>,

    /// Show the signs and named banners whose text matches this regular expression: . for all,
    /// '(?i)shop|market' for either word in small or capital letters. The first line of a sign may
    /// name its icon (docs/markers.md)
    #[arg(long, value_name = "REGEX", value_parser = Pattern::new)]
    signs: Option<Pattern>,

    /// Show where players were last, and their beds, with their names if the server's
    /// usercache.json or usernamecache.json has them
    #[arg(long)]
    players: bool,

    /// Show where these blocks are: one marker per chunk and block, with their number. Give names
    /// as query prints them, separated by commas; * means any letters, as in *_bed or create:*; may
    /// be repeated (docs/markers.md)
    #[arg(long, value_name = "BLOCK[,BLOCK]", value_parser = parse_blocks)]
    find: Vec<BlockList>,

    /// Look this deep for the blocks of --find [default: surface]
    #[arg(long, requires = "find", value_parser = choice_parser(DEPTHS))]
    find_depth: Option<FindDepth>,

    /// Show your own markers: a GeoJSON file of points, lines and areas, whose coordinates are [x,
    /// z] in blocks. It is copied to markers/ in the map, and can be edited there without a render;
    /// may be repeated
    #[arg(long, value_name = "FILE")]
    markers: Vec<PathBuf>,

    /// Take icons from this folder: files NAME.png of at most 128 by 128 pixels and 64 KiB, whose
    /// names consist of a to z, 0 to 9, _ and -. Signs name an icon in their first line, and your own
    /// markers in the property icon (docs/markers.md)
    #[arg(long, value_name = "DIR")]
    icons: Option<PathBuf>,
}

impl MarkerArgs {
    /// Returns where the owner's files are.
    pub(crate) fn own_paths(&self) -> OwnerPaths {
        OwnerPaths {
            markers: self.markers.clone(),
            icons: self.icons.clone(),
        }
    }

    /// Returns which markers to make from the world. `is_explored` means that it is the folder of a
    /// map mod, which may have waypoints.
    pub(crate) fn marker_selection(&self, is_explored: bool) -> WantedMarkers {
        let mut kinds: Vec<MarkerKind> = match self.marker_kinds.as_slice() {
            [] => MarkerKind::usual().collect(),
            _ => MarkerKind::choices()
                .filter(|kind| self.names_kind(*kind))
                .collect(),
        };

        let is_usual = self.marker_kinds.is_empty();
        if is_explored && (is_usual || self.names_kind(MarkerKind::Waypoints)) {
            kinds.push(MarkerKind::Waypoints);
        }

        let signs = if self.names_kind(MarkerKind::Signs) || self.names_kind(MarkerKind::Banners) {
            self.signs.clone().or_else(|| Pattern::new(".").ok())
        } else {
            self.signs.clone()
        };

        WantedMarkers {
            kinds,
            signs,
            players: self.players || self.names_kind(MarkerKind::Players),
            find: self.find(),
        }
    }

    fn names_kind(&self, kind: MarkerKind) -> bool {
        self.marker_kinds.contains(&Some(kind))
    }

    fn find(&self) -> Option<Find> {
        let patterns = self
            .find
            .iter()
            .flat_map(|BlockList(patterns)| patterns.iter().cloned())
            .collect();
        (!self.find.is_empty()).then_some(Find {
            patterns,
            depth: self.find_depth.unwrap_or_default(),
        })
    }

    /// Returns which markers to make from the folders of a map mod.
    ///
    /// # Errors
    /// Fails if the options name kinds of markers that only worlds have.
    pub(crate) fn imported_selection(&self) -> Result<WantedMarkers, &'static str> {
        let kinds = match self.marker_kinds.as_slice() {
            [] | [Some(MarkerKind::Waypoints)] => vec![MarkerKind::Waypoints],
            [None] => Vec::new(),
            _ => {
                return Err(
                    "a map mod has only waypoints: give --marker-kinds waypoints or none, or leave it out",
                );
            }
        };

        Ok(WantedMarkers {
            kinds,
            ..WantedMarkers::default()
        })
    }

    /// Returns whether any option for markers is given.
    pub(crate) fn are_given(&self) -> bool {
        let has_own_option = self.signs.is_some() || self.players || !self.find.is_empty();
        let has_files = !self.markers.is_empty() || self.icons.is_some();
        !self.marker_kinds.is_empty() || has_own_option || has_files
    }
}

const EXAMPLES: &str = "\
Examples:
  pixelmap markers world -o map                       after structures, beds or players have moved
  pixelmap markers world -o map --markers shops.geojson --signs '(?i)shop' --players

Reads every chunk that the map shows, and draws no tile. The new markers replace all earlier ones, so
give the same options as for render. Places that the map does not show, such as hidden ones, get no
markers.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MarkersArgs {
    /// A world's name, a world folder of any layout, a dimension folder, a region folder, or a .zip
    /// or tar of a world, or the address of a world (docs/buckets.md)
    #[arg(value_name = "WORLD")]
    pub(crate) world: PathBuf,

    /// The map that pixelmap render has drawn
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) markers: MarkerArgs,

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

    /// Print errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// How to show progress; plain: one line every 5 % or 30 seconds
    #[arg(long, value_enum, default_value_t = ProgressMode::Auto)]
    pub(crate) progress: ProgressMode,
}
