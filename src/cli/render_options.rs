//! The options of `render`: their headings and order in the help, and where each may be given.

use clap::Arg;

/// An option of `render`.
struct RenderOption {
    id: &'static str,
    /// Whether each `[[map]]` table of a configuration file may hold it. All other options apply to
    /// the whole run or to the output.
    is_of_map: bool,
    needs: Needs,
}

/// The data that an option needs. `--from` allows an option only for map mods that store its data.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// The blocks of columns, which some map mods store.
    Columns,
    /// A whole world, which no map mod stores.
    World,
}

const fn of_run(id: &'static str) -> RenderOption {
    RenderOption {
        id,
        is_of_map: false,
        needs: Needs::Nothing,
    }
}

const fn of_columns(id: &'static str) -> RenderOption {
    RenderOption {
        needs: Needs::Columns,
        ..of_run(id)
    }
}

const fn of_world(id: &'static str) -> RenderOption {
    RenderOption {
        needs: Needs::World,
        ..of_run(id)
    }
}

const fn of_any_map(id: &'static str) -> RenderOption {
    RenderOption {
        is_of_map: true,
        ..of_run(id)
    }
}

const fn of_map(id: &'static str) -> RenderOption {
    RenderOption {
        is_of_map: true,
        ..of_columns(id)
    }
}

const fn of_whole_map(id: &'static str) -> RenderOption {
    RenderOption {
        is_of_map: true,
        ..of_world(id)
    }
}

/// The headings and their options, both in the order of the help. Options that users seldom need
/// come last.
#[rustfmt::skip]
const HEADINGS: [(&str, &[RenderOption]); 9] = [
    ("What is drawn", &[
        of_run("output"), of_run("mode"), of_run("from"), of_world("for"), of_run("address"),
        of_run("keep"), of_any_map("dimension"), of_map("layer"),
        of_columns("details"), of_world("config"),
    ]),
    ("Which places", &[
        of_map("area"), of_map("center"), of_map("radius"), of_map("min_y"), of_map("max_y"),
        of_whole_map("unfinished"), of_map("hide"), of_whole_map("min_inhabited"),
        of_world("at"),
    ]),
    ("Which markers", &[
        of_any_map("markers"), of_any_map("icons"), of_whole_map("signs"), of_whole_map("players"), of_map("find"), of_any_map("find_depth"),
        of_any_map("marker_kinds"),
    ]),
    ("How it looks", &[
        of_map("palette"), of_map("assets"), of_columns("zoom_in"), of_map("unknown"), of_map("contours"),
    ]),
    ("The page of a map", &[of_run("description"), of_run("url")]),
    ("One picture", &[
        of_run("scale"), of_run("width"), of_run("fit"), of_run("background"), of_run("hatching"), of_run("grid"),
        of_run("title"), of_run("scale_bar"), of_run("yes"),
    ]),
    ("How it runs", &[
        of_run("threads"), of_run("nice"), of_run("force"), of_run("staged"), of_run("history"), of_run("time"),
        of_run("label"), of_columns("shard"), of_columns("dry_run"), of_run("json"), of_columns("shards"),
        of_run("allow_gaps"), of_run("max_bad_chunks"), of_run("max_removed"), of_columns("deny"),
    ]),
    ("What is reported", &[
        of_run("quiet"), of_run("verbose"), of_run("progress"), of_run("report"), of_run("log_format"),
        of_run("changed_list"), of_run("deleted_list"),
    ]),
    ("For experts", &[
        of_run("scheme"), of_run("format"), of_run("look"), of_columns("check"), of_run("max_batch"),
        of_run("pin"),
    ]),
];

fn options() -> impl Iterator<Item = (&'static str, &'static RenderOption)> {
    HEADINGS
        .iter()
        .flat_map(|(heading, options)| options.iter().map(move |option| (*heading, option)))
}

/// Returns the ids of the options that need a whole world.
pub(super) fn need_a_world() -> impl Iterator<Item = &'static str> {
    options()
        .filter(|(_, option)| option.needs == Needs::World)
        .map(|(_, option)| option.id)
}

/// Returns whether the option with this long name needs the blocks of columns.
pub(super) fn needs_columns(name: &str) -> bool {
    options().any(|(_, option)| option.needs == Needs::Columns && is_named(option, name))
}

fn is_named(option: &RenderOption, name: &str) -> bool {
    option.id.replace('_', "-") == name
}

/// Returns whether each `[[map]]` table of a configuration file may hold the option with this long
/// name.
pub(super) fn is_of_map(name: &str) -> bool {
    options().any(|(_, option)| option.is_of_map && is_named(option, name))
}

/// Returns an option with its heading and its place in the help.
pub(super) fn under_heading(option: Arg) -> Arg {
    match options()
        .enumerate()
        .find(|(_, (_, known))| known.id == option.get_id().as_str())
    {
        Some((position, (heading, _))) => option.help_heading(heading).display_order(position),
        None => option,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::command::Cli;

    #[test]
    fn every_render_option_has_its_help_heading() {
        let mut program = Cli::command();
        let render = program.find_subcommand_mut("render").unwrap();
        let told = render.render_long_help().to_string();
        let positions: Vec<_> = HEADINGS
            .iter()
            .map(|(heading, _)| told.find(&format!("\n{heading}:\n")))
            .collect();

        assert!(
            positions.iter().all(Option::is_some) && positions.is_sorted(),
            "{positions:?}"
        );

        let shown = || {
            render
                .get_arguments()
                .filter(|option| !option.is_positional() && option.get_id() != "help")
        };

        let bare: Vec<_> = shown()
            .filter(|option| option.get_help_heading().is_none())
            .collect();
        assert!(bare.is_empty(), "{bare:?}");
        assert_eq!(shown().count(), options().count());

        // Configuration files name options by their long names.
        assert!(shown().all(|option| {
            option
                .get_long()
                .is_some_and(|name| name == option.get_id().as_str().replace('_', "-"))
        }));
    }
}
