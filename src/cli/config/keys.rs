//! Lists the keys of a configuration file and where each may be written. A key is the long name of
//! an option of `render`, or one of a few names that only files have.

use clap::{Arg, ArgAction, CommandFactory as _};

use crate::cli::command::Cli;
use crate::cli::render_options;

/// The key of the world. The command line has a positional argument instead.
pub(super) const WORLD: &str = "world";
/// The name of the table that describes one of several maps.
pub(super) const MAP: &str = "map";
/// The key that gives a map a name. Only maps with different names may show different worlds.
pub(super) const NAME: &str = "name";
/// The option whose values from the file and the command line are all used.
pub(super) const HIDE: &str = "hide";
/// Additional keys of a table with a name. They describe the whole map with that name.
pub(super) const OF_A_NAMED_MAP: &[&str] = &["title", "description", "url", "report"];
/// The keys of [`OF_A_NAMED_MAP`] that cannot be set for several maps at once, because each map
/// needs its own value.
pub(super) const OF_EACH: &[&str] = &["report", "url"];
/// Groups of options that belong together: one of them on the command line, or in a map's table,
/// replaces all options of its group further up.
pub(super) const INSTEAD: &[&[&str]] = &[&["area", "center", "radius"], &["quiet", "verbose"]];
/// Options that are not allowed in a file.
const NOT_HERE: &[&str] = &[
    "address", "config", "for", "from", "help", "keep", "version",
];

/// Returns the options of `render` that a file may hold, in the order of the help.
pub(super) fn options() -> Vec<Arg> {
    let command = Cli::command();
    let render = command.find_subcommand("render");
    let options = render.into_iter().flat_map(clap::Command::get_opts);
    let mut options: Vec<Arg> = options
        .filter(|option| !NOT_HERE.contains(&key(option)))
        .cloned()
        .collect();
    options.sort_by_key(Arg::get_display_order);
    options
}

/// Returns whether every `[[map]]` table may hold a key. All other options apply to the whole run
/// or to the output.
pub(super) fn is_of_map(key: &str) -> bool {
    key == WORLD || render_options::is_of_map(key)
}

/// Returns the key of an option: its long name.
pub(super) fn key(option: &Arg) -> &str {
    option.get_long().unwrap_or_default()
}

/// Returns whether an option takes no value.
pub(super) fn is_switch(option: &Arg) -> bool {
    matches!(option.get_action(), ArgAction::SetTrue)
}

/// Returns whether an option may be repeated.
pub(super) fn is_list(option: &Arg) -> bool {
    matches!(option.get_action(), ArgAction::Append)
}
