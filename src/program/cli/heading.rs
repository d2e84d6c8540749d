//! The headings under which `render --help` lists its options, and the order of the options there.

use clap::Arg;

/// The headings and their options, both in the order of the help. Options that users seldom need come last.
const HEADINGS: [(&str, &[&str]); 9] = [
    ("What is drawn", &["output", "mode", "from", "dimension", "layer", "details", "config"]),
    ("Which places", &["area", "center", "radius", "min_y", "max_y", "unfinished", "hide", "min_inhabited"]),
    ("Which markers", &["markers", "signs", "players", "find", "find_depth", "marker_kinds"]),
    ("How it looks", &["palette", "assets", "zoom_in", "unknown", "contours"]),
    ("The page of a map", &["description", "url"]),
    ("One picture", &["scale", "width", "fit", "background", "grid", "title", "scale_bar", "yes"]),
    (
        "How it runs",
        &[
            "threads",
            "nice",
            "force",
            "staged",
            "history",
            "time",
            "label",
            "shard",
            "dry_run",
            "json",
            "shards",
            "allow_gaps",
            "max_bad_chunks",
            "max_removed",
            "deny",
        ],
    ),
    ("What is reported", &["quiet", "verbose", "progress", "report", "log_format", "changed_list", "deleted_list"]),
    ("For experts", &["scheme", "format", "look", "check", "max_batch", "pin"]),
];

/// Returns an option with its heading and its place in the help.
pub(super) fn under_heading(option: Arg) -> Arg {
    let mut places = HEADINGS.iter().flat_map(|(heading, ids)| ids.iter().map(move |id| (*heading, *id))).enumerate();
    match places.find(|(_, (_, id))| *id == option.get_id().as_str()) {
        Some((place, (heading, _))) => option.help_heading(heading).display_order(place),
        None => option,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_render_option_has_its_help_heading() {
        let mut program = Cli::command();
        let render = program.find_subcommand_mut("render").unwrap();
        let told = render.render_long_help().to_string();
        let places: Vec<_> = HEADINGS.iter().map(|(heading, _)| told.find(&format!("\n{heading}:\n"))).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
        let options = || render.get_arguments().filter(|option| !option.is_positional() && option.get_id() != "help");
        let bare: Vec<_> = options().filter(|option| option.get_help_heading().is_none()).collect();
        assert!(bare.is_empty(), "{bare:?}");
        assert_eq!(options().count(), HEADINGS.iter().map(|(_, ids)| ids.len()).sum::<usize>());
    }
}
