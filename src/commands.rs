//! What each command does, and the exit code it ends with.

use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use clap::CommandFactory as _;
use pixelmap::coord::YRange;
use pixelmap::pipeline::{
    self, Answer, Choices, ColourError, Found, Layer, Missing, Mode, RenderError, Settings, Unknown, WorldInfo,
};
use pixelmap::publish::PublishError;
use pixelmap::report::{Failure, Outcome, Report};
use pixelmap::schedule::Stop;
use pixelmap::world::{Dimension, World};
use serde_json::json;

use crate::cli::{
    Cli, Command, Deny, GenerateArgs, Heights, InfoArgs, LayerArg, PaletteCommand, QueryArgs, RenderArgs, mode, parse,
};
use crate::progress;
use crate::summary;

const OK: u8 = 0;
const FAILED: u8 = 1;
const USAGE: u8 = 2;
const GAPS: u8 = 3;
const NOT_NOW: u8 = 75;

const SIGINT: usize = 2;
const SIGTERM: usize = 15;

/// A message for standard error and the exit code that goes with it.
struct Ending(u8, String);

impl Ending {
    fn new(code: u8, error: impl std::fmt::Display) -> Self {
        Self(code, error.to_string())
    }
}

/// Runs a command and returns its exit code.
pub(crate) fn run(cli: &Cli) -> u8 {
    let done = match &cli.command {
        Command::Render(args) => render(args).or_else(|ending| report_failure(args, ending)),
        Command::Info(args) => info(args),
        Command::Query(args) => query(args),
        Command::Palette(PaletteCommand::Generate(args)) => generate(args),
        Command::Palette(PaletteCommand::Check { file }) => check(file),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "pixelmap", &mut text);
            print(&text).map(|()| OK)
        }
        Command::Man => {
            let mut text = Vec::new();
            let rendered = clap_mangen::Man::new(Cli::command()).render(&mut text);
            rendered.map_err(|error| Ending::new(FAILED, error)).and_then(|()| print(&text)).map(|()| OK)
        }
    };
    match done {
        Ok(code) => code,
        Err(Ending(code, message)) => {
            complain(&message);
            code
        }
    }
}

fn complain(message: &str) {
    if !message.is_empty() {
        let _ = writeln!(io::stderr(), "pixelmap: {}", summary::plain(message));
    }
}

/// Writes to standard output. A reader that has gone away ends the program quietly.
fn print(bytes: &[u8]) -> Result<(), Ending> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Ending(OK, String::new())),
        Err(error) => Err(Ending::new(FAILED, format!("standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

fn open(path: &Path) -> Result<World, Ending> {
    World::open(path).map_err(|error| Ending::new(FAILED, error))
}

fn range(heights: &Heights) -> Result<YRange, Ending> {
    let range = YRange {
        min: heights.min_y.unwrap_or(YRange::ALL.min).max(YRange::ALL.min),
        max: heights.max_y.unwrap_or(YRange::ALL.max).min(YRange::ALL.max),
    };
    if heights.min_y.is_some() && heights.max_y.is_some() && heights.min_y > heights.max_y {
        return Err(Ending::new(USAGE, "--min-y is above --max-y: nothing lies between them"));
    }
    Ok(range)
}

fn render(args: &RenderArgs) -> Result<u8, Ending> {
    let (mode, output) = mode::of(args).map_err(|error| Ending::new(USAGE, error))?;
    if args.colours.unknown == Unknown::Hide && args.deny.contains(&Deny::UnknownBlocks) {
        let message = "--deny unknown-blocks sees nothing of what --unknown hide hides: leave one of them out";
        return Err(Ending::new(USAGE, message));
    }
    let world = open(&args.world)?;
    let settings = Settings {
        mode,
        output,
        dimensions: dimensions(args, mode, &world)?,
        layers: layers(args),
        choices: Choices { contours: args.contours },
        area: args.place.area(),
        range: range(&args.heights)?,
        colours: args.colours.colours(),
        unfinished: args.unfinished,
        hide: args.hiding.hide.clone(),
        min_inhabited: args.hiding.min_inhabited,
        threads: args.threads,
        max_batch: args.max_batch,
        pin: args.pin.into(),
        max_removed: args.max_removed,
        force: args.force,
        check: args.check.into(),
    };
    let ((signal, stop), counters) = (signals(), pipeline::Progress::default());
    let work = || pipeline::render(&world, &settings, &counters, &stop);
    let report = progress::show(args.progress, args.quiet, &counters, work)
        .map_err(|error| Ending::new(refusal(&error), error))?;
    if !args.quiet {
        let _ = io::stderr().write_all(summary::text(&report, &settings.output, args.verbose).as_bytes());
    }
    if let Some(path) = &args.report {
        write_report(path, &report)?;
    }
    if let Some(failure) = &report.error {
        complain(&failure.message);
        return Ok(if failure.retryable { NOT_NOW } else { FAILED });
    }
    Ok(code(args, &report, signal.load(Ordering::Relaxed)))
}

/// The dimensions asked for. A picture shows one.
fn dimensions(args: &RenderArgs, mode: Mode, world: &World) -> Result<Vec<String>, Ending> {
    match (mode, args.dimension.as_slice()) {
        (Mode::Image(_), []) => Ok(vec![dimension(world, None)?.id.clone()]),
        (_, asked) => Ok(asked.to_vec()),
    }
}

/// The layers asked for, each once, in the order of asking.
fn layers(args: &RenderArgs) -> Vec<Layer> {
    let mut layers = Vec::new();
    for &LayerArg(layer) in &args.layer {
        if !layers.contains(&layer) {
            layers.push(layer);
        }
    }
    layers
}

/// The exit code of a render that drew nothing.
fn refusal(error: &RenderError) -> u8 {
    match error {
        RenderError::Output(PublishError::InsideWorld(_))
        | RenderError::Colours(_)
        | RenderError::Hide(_)
        | RenderError::Picture(_) => USAGE,
        error if error.retryable() => NOT_NOW,
        _ => FAILED,
    }
}

/// Takes the signals that end a run: the first asks to stop, a second one ends the program at once. The number of the
/// one that came is noted, 0 before.
fn signals() -> (Arc<AtomicUsize>, Stop) {
    let signal = Arc::new(AtomicUsize::new(0));
    let (again, stop) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    for number in [SIGINT, SIGTERM] {
        let raw = number as i32;
        // Where a signal cannot be caught, it ends the program as it would have. In this order: whoever sees the stop
        // sees which signal it was.
        let _ = signal_hook::flag::register_conditional_shutdown(raw, 128 + raw, again.clone());
        let _ = signal_hook::flag::register(raw, again.clone());
        let _ = signal_hook::flag::register_usize(raw, signal.clone(), number);
        let _ = signal_hook::flag::register(raw, stop.clone());
    }
    (signal, Stop::from(stop))
}

/// A script that waits for a report gets one of a run that could not begin, too.
fn report_failure(args: &RenderArgs, ending: Ending) -> Result<u8, Ending> {
    let Ending(code, message) = &ending;
    if let Some(path) = args.report.as_ref().filter(|_| *code == FAILED || *code == NOT_NOW) {
        let failure = Failure { kind: "not_begun", message: message.clone(), retryable: *code == NOT_NOW };
        write_report(path, &Report::failed(failure))?;
    }
    Err(ending)
}

fn write_report(path: &Path, report: &Report) -> Result<(), Ending> {
    let text = serde_json::to_string_pretty(report).map_err(|error| Ending::new(FAILED, error))? + "\n";
    if path == Path::new("-") {
        return print(text.as_bytes());
    }
    let file = std::fs::File::create(path).and_then(|mut file| file.write_all(text.as_bytes()));
    file.map_err(|error| Ending::new(FAILED, format!("the report {}: {error}", path.display())))
}

fn code(args: &RenderArgs, report: &Report, signal: usize) -> u8 {
    let bad = report.gaps();
    let chunks = report.chunks.total();
    let denied = args.deny.iter().any(|deny| match deny {
        Deny::UnknownBlocks => !report.unknown_blocks.is_empty(),
        Deny::NewerVersion => report.newer.is_some(),
    });
    match report.outcome {
        Outcome::Interrupted if signal == SIGTERM => 143,
        Outcome::Interrupted => 130,
        Outcome::Failed => FAILED,
        _ if args.max_bad_chunks.is_some_and(|limit| limit.is_exceeded(bad, chunks)) => FAILED,
        _ if denied || args.allow_gaps.is_exceeded(bad, chunks) => GAPS,
        _ => OK,
    }
}

/// Makes a colour file.
fn generate(args: &GenerateArgs) -> Result<u8, Ending> {
    let made = pipeline::generate_palette(&args.assets).map_err(|error| Ending::new(USAGE, error))?;
    for problem in &made.problems {
        complain(&format!("left out: {problem}"));
    }
    if made.text.is_empty() {
        let message = "no colour could be made: give the game's client jar first, then packs and mods over it";
        return Err(Ending::new(FAILED, message));
    }
    let text = format!("# Made by pixelmap palette generate.\n{}", made.text);
    if args.output == Path::new("-") {
        print(text.as_bytes())?;
    } else {
        let file = std::fs::File::create(&args.output).and_then(|mut file| file.write_all(text.as_bytes()));
        file.map_err(|error| Ending::new(FAILED, format!("{}: {error}", args.output.display())))?;
        let _ = writeln!(io::stderr(), "{} lines in {}", text.lines().count() - 1, args.output.display());
    }
    Ok(if made.problems.is_empty() { OK } else { GAPS })
}

/// Says whether a colour file can be used.
fn check(file: &Path) -> Result<u8, Ending> {
    match pipeline::check_palette(file) {
        Ok(checked) => {
            checked.hints.iter().for_each(|hint| complain(&hint.to_string()));
            print(format!("{}: {} lines, all right\n", file.display(), checked.lines).as_bytes()).map(|()| OK)
        }
        Err(error @ ColourError::Line(_)) => Err(Ending::new(FAILED, error)),
        Err(error) => Err(Ending::new(USAGE, error)),
    }
}

fn info(args: &InfoArgs) -> Result<u8, Ending> {
    let world = open(&args.world)?;
    let found = pipeline::info(&world);
    let text = if args.json {
        serde_json::to_string(&found).map_err(|error| Ending::new(FAILED, error))? + "\n"
    } else {
        info_text(&found)
    };
    print(text.as_bytes())?;
    let damaged = found.dimensions.iter().any(|dimension| !dimension.damaged.is_empty());
    Ok(if damaged { GAPS } else { OK })
}

fn info_text(found: &WorldInfo) -> String {
    let mut text = format!("{}\n", summary::plain(&found.name));
    if let Some(version) = found.data_version {
        text += &format!("level.dat: DataVersion {version}\n");
    }
    for dimension in &found.dimensions {
        text += &format!(
            "\n{} ({})\n  {} region files, {:.1} MB, {} chunks\n",
            summary::plain(&dimension.id),
            summary::plain(&dimension.folder),
            dimension.regions,
            dimension.bytes as f64 / 1e6,
            dimension.chunks
        );
        let list = |counts: Vec<(String, u64)>| {
            let used = counts.into_iter().filter(|(_, count)| *count > 0);
            used.map(|(name, count)| format!("{name}: {count}")).collect::<Vec<_>>().join(", ")
        };
        let versions = dimension.data_versions.iter().map(|(name, count)| (name.clone(), *count)).collect();
        let named = |counts: &std::collections::BTreeMap<&'static str, u64>| {
            counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect::<Vec<_>>()
        };
        text += &format!("  versions     {}\n", list(versions));
        text += &format!("  generations  {}\n", list(named(&dimension.generations)));
        text += &format!("  compression  {}\n", list(named(&dimension.compression)));
        for (name, block) in &dimension.unknown_blocks {
            let [x, y, z] = block.first;
            text += &format!(
                "  unknown      {} in {} columns, first at {x} {y} {z}\n",
                summary::plain(name),
                block.columns
            );
        }
        for damaged in &dimension.damaged {
            let place = damaged.chunk.map(|[x, z]| format!(" chunk {x},{z}")).unwrap_or_default();
            text += &format!("  damaged      {}{place}: {}\n", damaged.region, damaged.reason);
        }
        if dimension.damaged_not_listed > 0 {
            text += &format!("  damaged      and {} more\n", dimension.damaged_not_listed);
        }
    }
    text
}

fn query(args: &QueryArgs) -> Result<u8, Ending> {
    let range = range(&args.heights)?;
    let columns = if args.positions.is_empty() {
        let mut text = Vec::new();
        io::stdin().lock().read_to_end(&mut text).map_err(|error| Ending::new(FAILED, error))?;
        parse::lines(&String::from_utf8_lossy(&text))
    } else {
        parse::pairs(&args.positions)
    };
    let columns = columns.map_err(|error| Ending::new(USAGE, error))?;
    let world = open(&args.world)?;
    let dimension = dimension(&world, args.dimension.as_deref())?;
    let answers = pipeline::query(&world, dimension, &columns, range, args.unfinished);
    let mut text = String::new();
    for (column, answer) in columns.iter().zip(&answers) {
        text +=
            &if args.json { answer_json(column.x, column.z, answer) } else { answer_text(column.x, column.z, answer) };
        text.push('\n');
    }
    print(text.as_bytes())?;
    let damaged = answers.iter().any(|answer| matches!(answer, Answer::Missing(Missing::Damaged(_))));
    Ok(if damaged { GAPS } else { OK })
}

/// The dimension asked for; else the overworld, and where there is none the only other one.
fn dimension<'a>(world: &'a World, wanted: Option<&str>) -> Result<&'a Dimension, Ending> {
    let found = || world.dimensions.iter().map(|dimension| dimension.id.clone()).collect::<Vec<_>>().join(", ");
    match (wanted, world.dimension("overworld"), world.dimensions.as_slice()) {
        (Some(name), ..) => world
            .dimension(name)
            .ok_or_else(|| Ending::new(FAILED, format!("this world has no dimension {name}; it has {}", found()))),
        (None, Some(overworld), _) => Ok(overworld),
        (None, None, [only]) => Ok(only),
        (None, None, _) => Err(Ending::new(FAILED, format!("name a dimension with -d; this world has {}", found()))),
    }
}

fn why(missing: &Missing) -> String {
    match missing {
        Missing::NoChunk => "no chunk".to_owned(),
        Missing::Unfinished => "unfinished".to_owned(),
        Missing::Damaged(reason) => format!("damaged: {reason}"),
    }
}

fn answer_json(x: i32, z: i32, answer: &Answer) -> String {
    let line = match answer {
        Answer::Missing(missing) => json!({ "x": x, "z": z, "missing": why(missing) }),
        Answer::Found(Found { block, biome, data_version }) => json!({
            "x": x,
            "z": z,
            "y": block.as_ref().map(|(y, _)| y),
            "block": block.as_ref().map(|(_, name)| name),
            "biome": biome,
            "data_version": data_version,
        }),
    };
    line.to_string()
}

fn answer_text(x: i32, z: i32, answer: &Answer) -> String {
    match answer {
        Answer::Missing(missing) => format!("{x}\t{z}\t{}", why(missing)),
        Answer::Found(Found { block, biome, data_version }) => {
            let (y, block) = match block {
                Some((y, name)) => (y.to_string(), summary::plain(name)),
                None => ("-".to_owned(), "-".to_owned()),
            };
            let biome = biome.as_deref().map_or_else(|| "-".to_owned(), summary::plain);
            let version = data_version.map_or_else(|| "-".to_owned(), |version| version.to_string());
            format!("{x}\t{z}\t{y}\t{block}\t{biome}\t{version}")
        }
    }
}
