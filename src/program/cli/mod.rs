//! Defines the command line with clap, and translates its arguments into the settings of the
//! library.
//!
//! The commands themselves are in `commands`.
//!
//! Completions, the manual page and `--help` are generated from these definitions. So the doc
//! comments of options are texts that users read.

mod compare;
pub(crate) mod complete;
pub(crate) mod config;
mod drawn;
mod export;
mod export_target;
mod history;
mod map_mod;
mod markers;
mod merge;
pub(crate) mod mode;
mod moment;
mod names;
mod palette;
pub(crate) mod parse;
mod paths;
mod picture;
mod render;
mod render_options;
mod request;
mod run_output;
mod select;
#[cfg(feature = "serve")]
mod serve;
mod shard;
mod tiles;
mod timelapse;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use pixelmap::base::coord::YRange;

pub(crate) use compare::{DiffArgs, VerifyArgs};
pub(crate) use drawn::{DrawnArgs, WorkerArgs};
pub(crate) use export::ExportArgs;
pub(crate) use export_target::{ExportTarget, path_to_open};
pub(crate) use history::HistoryArgs;
pub(crate) use markers::MarkersArgs;
pub(crate) use merge::MergeArgs;
pub(crate) use palette::{GenerateArgs, PaletteCommand};
pub(crate) use render::{Deny, RenderArgs};
pub(crate) use request::{MapRequest, MapTarget};
pub(crate) use run_output::{FileListArgs, RunOutputArgs};
pub(crate) use select::SelectArgs;
#[cfg(feature = "serve")]
pub(crate) use serve::ServeArgs;

/// Draws Minecraft worlds of every generation as zoomable maps.
#[derive(Debug, Parser)]
#[command(
    name = "pixelmap",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
#[command(disable_version_flag = true, args_conflicts_with_subcommands = true)]
#[command(after_help = EXIT_CODES, mut_subcommands = paths::in_command)]
pub(crate) struct Cli {
    /// Print the version
    #[arg(short = 'V', long)]
    pub(crate) version: bool,

    /// With --version: print one JSON object, with the version of the look and the newest known
    /// DataVersion
    #[arg(long, requires = "version")]
    pub(crate) json: bool,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const EXIT_CODES: &str = "\
Exit codes:
  0         complete
  1         failed
  2         wrong usage, and a palette or assets that cannot be used
  3         done, with gaps: some chunks could not be read and are named, or no chunk of a dimension was understood
  75        not now: the output is held by another run, the disk is full...
  130, 143  interrupted by Ctrl-C, by SIGTERM";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Draw a world
    Render(Box<RenderArgs>),
    /// Show what worlds contain; of a folder that holds worlds, list them
    Info(InfoArgs),
    /// Show the highest block of columns
    Query(QueryArgs),
    /// List chunks by how long players were there, as a selection for MCA Selector; changes nothing
    Select(Box<SelectArgs>),
    /// Turn a drawn map into a picture, an archive, one picture per region or a time-lapse
    Export(Box<ExportArgs>),
    /// Compare two renders: code 0 if they are the same, 1 if they differ, 2 on trouble
    Diff(Box<DiffArgs>),
    /// Rebuild the markers of a map, without drawing
    Markers(MarkersArgs),
    /// Combine the parts drawn by shards into one map
    Merge(MergeArgs),
    /// List the moments of a map, or forget some
    History(HistoryArgs),
    /// Check a map against its own manifests: code 1 if a tile is missing, changed or stray
    Verify(VerifyArgs),
    /// Show a world while it is drawn, or a drawn map, in the browser
    #[cfg(feature = "serve")]
    Serve(Box<ServeArgs>),
    /// Make and check colour files
    #[command(subcommand, after_help = palette::FORMAT)]
    Palette(PaletteCommand),
    /// Show the options that a configuration file sets, print an example of one, or its schema
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Print completions for a shell: they complete names of worlds, and the dimensions, layers and
    /// moments of the world or map on the line
    #[command(
        after_help = "Example:\n  pixelmap completions bash > /etc/bash_completion.d/pixelmap"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page of pixelmap, or of one of its commands
    #[command(after_help = MAN_EXAMPLES)]
    Man {
        /// The command, such as render, or palette generate
        command: Vec<String>,
    },
}

impl Command {
    /// Returns whether the command prints one JSON document. Dry runs of `render` are not included,
    /// because they print their document themselves.
    pub(crate) const fn prints_json(&self) -> bool {
        match self {
            Self::Info(args) => args.json,
            Self::Diff(args) => args.json,
            Self::Verify(args) => args.json,
            Self::History(args) => args.json,
            _ => false,
        }
    }
}

const MAN_EXAMPLES: &str = "\
Examples:
  pixelmap man | man -l -
  pixelmap man render | man -l -
  for c in render info query; do pixelmap man $c > pixelmap-$c.1; done";

#[derive(Debug, Args)]
pub(crate) struct Heights {
    /// The lowest height to draw; blocks below it count as absent
    #[arg(long, value_name = "Y", allow_negative_numbers = true)]
    pub(crate) min_y: Option<i32>,

    /// The highest height to draw; blocks above it count as absent. Above the ceiling of a
    /// dimension, the map looks down from this height
    #[arg(long, value_name = "Y", allow_negative_numbers = true)]
    pub(crate) max_y: Option<i32>,
}

impl Heights {
    /// Returns the heights in the form that the library expects.
    pub(crate) fn range(&self) -> Result<YRange, &'static str> {
        if self
            .min_y
            .zip(self.max_y)
            .is_some_and(|(min, max)| min > max)
        {
            return Err("--min-y is above --max-y: swap them");
        }

        Ok(YRange {
            min: self.min_y.unwrap_or(YRange::ALL.min).max(YRange::ALL.min),
            max: self.max_y.unwrap_or(YRange::ALL.max).min(YRange::ALL.max),
        })
    }
}

const INFO_EXAMPLES: &str = "\
Examples:
  pixelmap info world --json
  pixelmap info world backup.zip                   two worlds
  pixelmap info ~/.minecraft/saves                 lists the worlds in a folder

With several worlds the code is the one of the first that failed, or else 3 if one has gaps.";

#[derive(Debug, Args)]
#[command(after_help = INFO_EXAMPLES)]
pub(crate) struct InfoArgs {
    /// A world's name, a world folder of any layout, a dimension folder, a region folder, a .zip of
    /// a world, or a folder or .zip of worlds, which are listed
    #[arg(value_name = "WORLD", required = true)]
    pub(crate) worlds: Vec<PathBuf>,

    /// Print one JSON object per world, each on its line
    #[arg(long)]
    pub(crate) json: bool,
}

const QUERY_EXAMPLES: &str = "\
Examples:
  pixelmap query world -3 17
  pixelmap query world -3,17                       the same
  pixelmap query world --json 0 0 100 -200
  pixelmap query world -d nether --top 0,0         above the ceiling, on its bedrock
  printf '%s\\n' '0 0' '16,0' | pixelmap query world -d nether

Each line contains, separated by tabs: x, z, y, block, biome, DataVersion of the chunk; a missing
value is -. If nothing is known about a column, its third field gives the reason: no chunk,
unfinished (see --unfinished), or damaged and why. The block is the highest one that is not air. In a
dimension with a ceiling, such as the nether, it is the highest one under the ceiling, as in layer day.

Exit codes:
  0  done
  1  the world cannot be read
  2  wrong usage, or a line of standard input is not a position
  3  done, but a requested column is damaged";

#[derive(Debug, Args)]
#[command(after_help = QUERY_EXAMPLES)]
pub(crate) struct QueryArgs {
    /// A world's name, a world folder of any layout, a dimension folder, a region folder, or a .zip
    /// of a world
    #[arg(value_name = "WORLD")]
    pub(crate) world: PathBuf,

    /// Positions in blocks, as X Z or X,Z, also with decimals as the game copies them; without positions, such lines are read from standard
    /// input
    #[arg(value_name = "X Z", allow_negative_numbers = true)]
    pub(crate) positions: Vec<String>,

    /// The dimension [default: the overworld, or the only one of a world without it]
    #[arg(short, long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) dimension: Option<String>,

    #[command(flatten)]
    pub(crate) heights: Heights,

    /// Answer with the highest block of all, even above the ceiling of a dimension that has one
    #[arg(long)]
    pub(crate) top: bool,

    /// Include chunks that the game has not finished
    #[arg(long)]
    pub(crate) unfinished: bool,

    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people
    Text,
    /// For programs: one JSON object per line
    Json,
}

/// Returns the arguments of this process for clap. For `query`, a position such as -3,17 gets a
/// space in front, because clap would read it as an option.
pub(crate) fn arguments() -> Vec<OsString> {
    let is_query = std::env::args_os()
        .nth(1)
        .is_some_and(|command| command == "query");
    let typed = std::env::args_os().map(|typed| match typed.to_str() {
        Some(text) if is_query && is_negative_position(text) => format!(" {text}").into(),
        _ => typed,
    });
    typed.collect()
}

/// Returns whether a text has a comma and begins like a negative number.
fn is_negative_position(text: &str) -> bool {
    text.contains(',')
        && text
            .strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns whether the user asked for one JSON document. Reads the words themselves, so that the
/// answer is available even if the command line is invalid.
pub(crate) fn asks_for_json_document() -> bool {
    let argv: Vec<OsString> = std::env::args_os().collect();
    let has_document = argv
        .get(1)
        .is_some_and(|command| *command != "query" && *command != "--version");
    has_document && argv.iter().any(|word| word == "--json")
}

/// Returns whether the user asked `render` for a log in JSON. Works even if the command line is
/// invalid.
pub(crate) fn asks_for_json_log() -> bool {
    let argv: Vec<OsString> = std::env::args_os().collect();
    let asks = argv
        .windows(2)
        .any(|pair| pair[1] == "--log-format=json" || pair == ["--log-format", "json"]);
    asks && argv.get(1).is_some_and(|command| command == "render")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressMode {
    /// A bar if standard error is a terminal
    Auto,
    /// A bar
    Always,
    /// Lines
    Plain,
    /// Nothing
    Never,
}

#[cfg(test)]
mod refusal_tests;

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn texts_name_options_that_exist() {
        let program = Cli::command();
        let table = include_str!("../../base/words.rs");
        let words: Vec<&str> = table
            .split("Word(\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert!(words.len() > 30, "{words:?}");

        for word in words.into_iter().filter(|word| *word != "--user") {
            let typed = |option: &clap::Arg| {
                let names = [
                    option.get_long().map(|name| format!("--{name}")),
                    option.get_short().map(|c| format!("-{c}")),
                ];
                names
                    .into_iter()
                    .flatten()
                    .any(|name| word.split(' ').any(|part| part == name))
            };

            let is_command = |command: &clap::Command| {
                word.strip_prefix("pixelmap ")
                    .is_some_and(|rest| rest.split(' ').next() == Some(command.get_name()))
            };

            assert!(
                program
                    .get_subcommands()
                    .any(|command| is_command(command) || command.get_arguments().any(typed)),
                "{word}"
            );
        }
    }
}
