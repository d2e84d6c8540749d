//! Runs a command and turns its result into an exit code.

use super::catalog;
use super::config;
use super::diff;
use super::export;
use super::history;
use super::info;
use super::man;
use super::markers;
use super::merge;
use super::palette;
use super::query;
use super::render;
use super::saves_list;
use super::select;
#[cfg(feature = "serve")]
use super::serve;
use super::signals::report_file_limit;
use super::verify;
use super::version;
use crate::cli::{Cli, Command, CommandLine, PaletteCommand, complete};
use crate::log::complain;
use crate::outcome::{Ending, OK, USAGE, document, print};

/// Lists the worlds of this machine if somebody typed only the program's name. Returns the exit
/// code, or `None` if there are arguments.
pub(crate) fn run_without_words() -> Option<u8> {
    if !saves_list::are_wanted() {
        return None;
    }

    Some(match saves_list::choose() {
        Ok(Some((cli, line))) => run(cli, &line),
        Ok(None) => OK,
        Err(ending) => end(Err(ending), false),
    })
}

/// Runs a command and returns its exit code.
pub(crate) fn run(cli: Cli, line: &CommandLine) -> u8 {
    let Some(command) = cli.command else {
        return end(version::run(cli.json), false);
    };

    report_file_limit();
    let is_json = command.prints_json();

    let done = match command {
        Command::Render(args) => Ok(render::run(*args, line)),
        Command::Info(args) => info::run(&args),
        Command::Catalog(args) => catalog::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Select(args) => select::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::History(args) => history::run(&args),
        Command::Markers(args) => markers::run(&args),
        Command::Merge(args) => Ok(merge::run(&args)),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(*args, line),
        Command::Palette(PaletteCommand::Generate(args)) => palette::generate(&args),
        Command::Palette(PaletteCommand::Check { file }) => palette::check(&file),
        Command::Config(command) => config::run(&command),
        Command::Completions { shell } => {
            let script = complete::script(&shell.to_string());
            script
                .map_err(|error| Ending::new(USAGE, error))
                .and_then(|text| print(text.as_bytes()))
                .map(|_| OK)
        }
        Command::Man { command } => man::run(&command),
    };

    end(done, is_json)
}

/// Writes the message of a failed command, and a JSON document as well if the user asked for one.
/// Returns the exit code.
pub(super) fn end(done: Result<u8, Ending>, is_json: bool) -> u8 {
    let ending = match done {
        Ok(code) => return code,
        Err(ending) => ending,
    };

    complain(&ending.message);

    if is_json {
        // If standard output cannot be written, the message on standard error has to be enough.
        let _ = print(document::refusal(None, &ending).as_bytes());
    }

    ending.code
}
