//! Runs each command and turns its result into an exit code.
//!
//! The modules translate arguments into calls of the library and print the results. This file holds
//! the code that several commands share.

mod config;
mod diff;
mod export;
mod history;
mod info;
mod man;
mod markers;
mod merge;
mod nice;
mod palette;
mod query;
mod render;
mod runner;
mod saves_list;
mod select;
#[cfg(feature = "serve")]
mod serve;
mod side_files;
mod signals;
mod verify;
mod version;

use std::io::{self, Write as _};
use std::path::Path;

use pixelmap::draw::{self, Layer, Mode, RESERVED_NAMES, Shard, WantedMarkers, open_world};
use pixelmap::schedule::available_threads;
use pixelmap::world::{Dimension, UnreadableDimension, World};

use crate::cli::config::in_a_line;
use crate::cli::{Cli, Command, DrawnArgs, LogFormat, MapRequest, PaletteCommand, complete};
use crate::log::{Log, complain};
use crate::outcome::{Ending, FAILED, OK, USAGE, document, end_unbegun, print};
use crate::summary::escape_name;

/// Lists the worlds of this machine if somebody typed only the program's name. Returns the exit
/// code, or `None` if there are arguments.
pub(crate) fn run_without_words() -> Option<u8> {
    saves_list::are_wanted().then(|| end(saves_list::choose(), false))
}

/// Runs a command and returns its exit code.
pub(crate) fn run(cli: Cli) -> u8 {
    let Some(command) = cli.command else {
        return end(version::run(cli.json), false);
    };

    let is_json = command.prints_json();

    let done = match command {
        Command::Render(args) => Ok(render::run(*args)),
        Command::Info(args) => info::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Select(args) => select::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::History(args) => history::run(&args),
        Command::Markers(args) => markers::run(&args),
        Command::Merge(args) => Ok(merge::run(&args)),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(*args),
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
fn end(done: Result<u8, Ending>, is_json: bool) -> u8 {
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

/// Prints a JSON document about invalid arguments. The caller writes the message for people.
pub(crate) fn misused_json(error: &clap::Error) {
    let ending = Ending::new(USAGE, in_a_line(error));
    let _ = print(document::refusal(None, &ending).as_bytes());
}

/// Prints help, the version, or an error of usage, and returns the exit code. An error repeats the
/// value that was given, so control characters are escaped: otherwise the terminal would obey them.
pub(crate) fn usage_error(error: &clap::Error) -> u8 {
    let text = error.render().to_string();
    if error.use_stderr() && text.lines().any(|line| escape_name(line) != line) {
        let lines: Vec<String> = text.lines().map(escape_name).collect();
        let _ = io::stderr().write_all((lines.join("\n") + "\n").as_bytes());
        return USAGE;
    }
    error.exit()
}

/// Writes invalid arguments of `render` as lines of its JSON log, and returns the exit code.
pub(crate) fn report_usage_error(error: &clap::Error) -> u8 {
    end_unbegun(
        Log::new(LogFormat::Json),
        &Ending::new(USAGE, in_a_line(error)),
    )
}

/// Returns the number of workers. If `wanted` is 0, it is the number of CPUs that this process may
/// use.
fn threads(wanted: usize) -> usize {
    if wanted == 0 {
        available_threads()
    } else {
        wanted
    }
}

fn open(path: &Path) -> Result<World, Ending> {
    Ok(World::open(
        &saves_list::find_named(path, Log::new(LogFormat::Text))?,
        RESERVED_NAMES,
    )?)
}

/// Opens the world of a request that draws it into an output.
fn open_for(request: &MapRequest, path: &Path, log: Log<'_>) -> Result<World, Ending> {
    let part = request.args.shard.map(Shard::name);
    let path = saves_list::find_named(path, log)?;
    Ok(open_world(
        &path,
        request.output(),
        part.as_deref(),
        request.args.workers.threads(),
    )?)
}

/// Returns a warning if a requested layer is left out because the world does not store its data.
fn unstored_layer(args: &DrawnArgs, world: &World) -> Option<&'static str> {
    let is_unstored =
        world.is_bedrock() && args.layer.iter().any(|layer| layer.needs_inhabited_time());
    is_unstored.then_some(
        "Bedrock Edition does not store how long players were in a chunk: leave out layer \
         inhabited",
    )
}

/// Returns the requested layers without duplicates and without layers whose data the world does not
/// store. The details come last.
fn layers(args: &DrawnArgs, world: &World) -> Result<Vec<Layer>, Ending> {
    let mut layers = Vec::new();
    for layer in args
        .layer
        .iter()
        .copied()
        .chain(args.details.then_some(Layer::DETAILS))
    {
        if !layers.contains(&layer) {
            layers.push(layer);
        }
    }

    if let Some(layer) = layers.iter().find(|layer| layer.compares_runs())
        && !layers.iter().copied().any(is_compared)
    {
        let name = layer.name();
        let message = format!(
            "layer {name} shows how another layer changes: add one, such as -l day -l {name}"
        );
        return Err(Ending::new(USAGE, message));
    }

    let Some(why) = unstored_layer(args, world) else {
        return Ok(layers);
    };

    layers.retain(|layer| !layer.needs_inhabited_time());

    if layers.is_empty() {
        Err(Ending::new(FAILED, why))
    } else {
        Ok(layers)
    }
}

/// Returns whether the layers that show changes can compare this layer with an earlier run.
fn is_compared(layer: Layer) -> bool {
    !layer.compares_runs() && !layer.is_overlay() && layer.shows_colours()
}

/// Returns the parts of a world that the options which `render` and `serve` share ask for.
fn map_request(args: &DrawnArgs, mode: Mode, world: &World) -> Result<draw::MapRequest, Ending> {
    Ok(draw::MapRequest {
        layers: layers(args, world)?,
        dimensions: args.dimension.clone(),
        markers: if mode == Mode::Map {
            args.markers.marker_selection()
        } else {
            WantedMarkers::default()
        },
        own_markers: args.markers.markers.clone(),
        ..draw::MapRequest::default()
    })
}

/// Returns the ids of all dimensions of a world, for a message.
fn dimension_ids(world: &World) -> String {
    let ids: Vec<&str> = world
        .dimensions
        .iter()
        .map(|dimension| dimension.id.as_str())
        .collect();
    ids.join(", ")
}

/// Returns the requested dimension. Without a request it is the overworld, or the only dimension if
/// there is no overworld.
fn dimension<'a>(world: &'a World, wanted: Option<&str>) -> Result<&'a Dimension, Ending> {
    let dimension = match (
        wanted,
        world.dimension("overworld"),
        world.dimensions.as_slice(),
    ) {
        (Some(name), ..) => world.dimension(name).ok_or_else(|| {
            Ending::new(
                FAILED,
                format!(
                    "this world has no dimension {name}; it has {}",
                    dimension_ids(world)
                ),
            )
        })?,
        (None, Some(overworld), _) => overworld,
        (None, None, [only]) => only,
        (None, None, _) => {
            return Err(Ending::new(
                FAILED,
                format!(
                    "name a dimension with -d; this world has {}",
                    dimension_ids(world)
                ),
            ));
        }
    };

    UnreadableDimension::from_dimension(dimension).map_or(Ok(dimension), |unreadable| {
        Err(Ending::new(FAILED, unreadable))
    })
}
