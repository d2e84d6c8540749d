//! Decides which options are in force, because the command line, the file and each of its tables may
//! set the same option.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{Arg, CommandFactory as _, Parser as _};

use super::error::in_a_line;
use super::file::OptionEntry;
use super::file::TableOptions;
use super::keys::{HIDE, INSTEAD, WORLD};
use crate::cli::command::{Cli, Command};
use crate::cli::render::RenderArgs;
use crate::cli::render_options::needs_columns;

/// Returns the long names of the options on the command line, and `world` if the argument is there.
/// The words may lack an option or the argument that the command needs.
pub(super) fn typed_options(argv: &[OsString]) -> Vec<String> {
    let program = Cli::command()
        .ignore_errors(true)
        .mut_subcommands(|command| command.ignore_errors(true));
    let Ok(matches) = program.clone().try_get_matches_from(argv) else {
        return Vec::new();
    };

    let Some((name, matches)) = matches.subcommand() else {
        return Vec::new();
    };
    let Some(command) = program.find_subcommand(name) else {
        return Vec::new();
    };

    let is_typed = |option: &&Arg| {
        matches.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine)
    };

    let world = command.get_positionals().find(is_typed).map(|_| WORLD);
    command
        .get_opts()
        .filter(is_typed)
        .filter_map(Arg::get_long)
        .chain(world)
        .map(str::to_owned)
        .collect()
}

/// Returns the first option on the command line that needs the blocks of columns.
pub(crate) fn typed_column_option(argv: &[OsString]) -> Option<String> {
    typed_options(argv)
        .into_iter()
        .find(|name| needs_columns(name))
}

/// Returns the first option on the command line that is not in a list.
pub(crate) fn typed_option_besides(argv: &[OsString], allowed: &[&str]) -> Option<String> {
    typed_options(argv)
        .into_iter()
        .find(|name| name != WORLD && !allowed.contains(&name.as_str()))
}

/// Returns the options of the file that are in force for one map. An option of the file is dropped
/// if the map's table or the command line replaces it.
pub(super) fn options_in_force<'a>(
    run: &'a TableOptions,
    map: &'a TableOptions,
    typed: &[String],
) -> Vec<(&'a str, &'a OptionEntry)> {
    let of_run = run
        .iter()
        .filter(|(key, _)| !is_overridden(key, |key| map.contains_key(key)));
    let all = of_run
        .chain(map)
        .filter(|(key, _)| !is_overridden(key, |key| typed.iter().any(|typed| typed == key)));
    all.map(|(key, entry)| (key.as_str(), entry)).collect()
}

/// Returns whether the option `key`, or an option that replaces it, is set elsewhere.
pub(super) fn is_overridden(key: &str, is_set: impl Fn(&str) -> bool) -> bool {
    if key == HIDE {
        return false;
    }

    match INSTEAD.iter().find(|same| same.contains(&key)) {
        Some(same) => same.iter().any(|key| is_set(key)),
        None => is_set(key),
    }
}

/// Returns the command line with the options of the file added.
pub(super) fn completed(argv: &[OsString], options: &[(&str, &OptionEntry)]) -> Vec<OsString> {
    // The options of the file come directly after the command, because after a `--` they would be
    // read as folders.
    let (command, rest) = argv.split_at(argv.len().min(2));
    let options = options.iter().flat_map(|(_, entry)| &entry.typed);
    command.iter().chain(options).chain(rest).cloned().collect()
}

/// Parses a command line of `render`.
pub(super) fn parse_render(argv: &[OsString]) -> Result<RenderArgs, String> {
    match Cli::try_parse_from(argv)
        .map_err(|error| in_a_line(&error))?
        .command
    {
        Some(Command::Render(args)) => Ok(*args),
        _ => Err("the file is not for this command".to_owned()),
    }
}
