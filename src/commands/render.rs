//! `pixelmap render`.

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use pixelmap::pipeline::{self, Choices, Layer, Mode, RenderError, Settings, Unknown};
use pixelmap::publish::PublishError;
use pixelmap::report::{Failure, Outcome, Report};
use pixelmap::schedule::Stop;
use pixelmap::world::World;

use super::{Ending, FAILED, GAPS, NOT_NOW, OK, USAGE, complain, dimension, open, print, range};
use crate::cli::{Deny, LayerArg, RenderArgs, mode};
use crate::progress;
use crate::summary;

const SIGINT: usize = 2;
const SIGTERM: usize = 15;

/// Draws a world.
pub(super) fn run(args: &RenderArgs) -> Result<u8, Ending> {
    render(args).or_else(|ending| report_failure(args, ending))
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
        naming: args.tiles.naming(),
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
