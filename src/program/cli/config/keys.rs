//! The keys of a configuration file: the long names of the options of `render`, and a few more.

use clap::{Arg, ArgAction, CommandFactory as _};

use crate::cli::Cli;

/// The key of the world, which is typed without a name.
pub(super) const WORLD: &str = "world";
/// The table of one of several maps.
pub(super) const MAP: &str = "map";
/// The key that gives a map a name. Maps of different names may show different worlds.
pub(super) const NAME: &str = "name";
/// The option whose values add up.
pub(super) const HIDE: &str = "hide";
/// The keys of such a table; all other options are of the run, or of the output.
pub(super) const OF_A_MAP: &[&str] = &[
    WORLD,
    "dimension",
    "layer",
    "contours",
    "area",
    "center",
    "radius",
    "min-y",
    "max-y",
    "unfinished",
    HIDE,
    "min-inhabited",
    "markers",
    "signs",
    "players",
    "marker-kinds",
    "palette",
    "unknown",
    "assets",
];
/// The keys that a table with a name may hold, too: they belong to its map as a whole.
pub(super) const OF_A_NAMED_MAP: &[&str] = &["title", "description", "url", "report"];
/// The keys of [`OF_A_NAMED_MAP`] that no two maps can share.
pub(super) const OF_EACH: &[&str] = &["report", "url"];
/// Groups of options of which one on the command line replaces all in the file.
pub(super) const INSTEAD: &[&[&str]] = &[&["area", "center", "radius"], &["quiet", "verbose"]];
/// Options that a file cannot hold.
const NOT_HERE: &[&str] = &["config", "from", "help", "version"];

/// The options of `render` that a file may hold, in the order of its help.
pub(super) fn options() -> Vec<Arg> {
    let command = Cli::command();
    let render = command.find_subcommand("render");
    let options = render.into_iter().flat_map(clap::Command::get_opts);
    let mut options: Vec<Arg> = options.filter(|option| !NOT_HERE.contains(&key(option))).cloned().collect();
    options.sort_by_key(Arg::get_display_order);
    options
}

/// The key of an option.
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
