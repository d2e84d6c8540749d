//! The program's arguments and its commands.

use clap::{Parser, Subcommand};

use super::catalog::CatalogArgs;
use super::compare::{DiffArgs, VerifyArgs};
use super::config;
use super::export::ExportArgs;
use super::history::HistoryArgs;
use super::info::InfoArgs;
use super::markers::MarkersArgs;
use super::merge::MergeArgs;
use super::palette;
use super::palette::PaletteCommand;
use super::paths;
use super::query::QueryArgs;
use super::render::RenderArgs;
use super::select::SelectArgs;
#[cfg(feature = "serve")]
use super::serve::ServeArgs;

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
    /// Find all worlds below a folder, and make one page of them with their facts and pictures
    Catalog(CatalogArgs),
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn texts_name_options_that_exist() {
        let program = Cli::command();
        let table = include_str!("../../crates/base/src/words.rs");
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
