//! Runs `pixelmap render --for`: writes the land of a world into the folder of a map mod.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use pixelmap_draw::map_mods::{
    ColumnMod, ModTarget, ServerFolder, XaeroAmount, XaeroCounts, XaeroOptions, XaeroPlan,
    put_xaero,
};
use pixelmap_map::atlas::OutputKind;
use pixelmap_map::export::{Pieces, Workers};
use pixelmap_map::store::check_apart;
use pixelmap_world::internal::{World, WorldScope};

use crate::cli::{CommandLine, RenderArgs, typed_option_besides};
use crate::commands::signals::Signals;
use crate::commands::worker_count::worker_count;
use crate::commands::worlds;
use crate::log::Log;
use crate::outcome::{Ending, GAPS, OK, USAGE, end_unbegun};
use crate::progress;
use crate::summary::{count_text, escape_name, human_count, size};

/// The options that apply to the folder of a map mod.
const OPTIONS: [&str; 14] = [
    "address",
    "color",
    "dimension",
    "dry-run",
    "for",
    "keep",
    "log-format",
    "nice",
    "output",
    "progress",
    "quiet",
    "threads",
    "verbose",
    "world",
];

/// Writes the folder. Returns the exit code; the message about a failure has been written by then.
pub(super) fn run(args: &RenderArgs, line: &CommandLine, log: Log<'_>) -> u8 {
    let written = checked(args, line).and_then(|request| write(args, &request, log));
    written.unwrap_or_else(|ending| end_unbegun(log, &ending))
}

/// A request for the folder of a map mod.
struct FolderRequest<'a> {
    world: &'a Path,
    output: &'a Path,
    server: &'a ServerFolder,
}

/// Checks that the options fit a map mod that shows blocks.
fn checked<'a>(args: &'a RenderArgs, line: &CommandLine) -> Result<FolderRequest<'a>, Ending> {
    let refuse = |message: &str| Err(Ending::new(USAGE, message));
    match args.target.target {
        Some(ModTarget::Columns(ColumnMod::Xaero)) => {}
        _ => {
            return refuse(
                "this map mod gets a finished map: draw one, and use pixelmap export MAP --for",
            );
        }
    }

    if let Some(option) = typed_option_besides(&line.words, &OPTIONS) {
        return refuse(&format!(
            "--{option} is for maps, and --for writes the folder of a map mod: leave --{option} out"
        ));
    }

    let (Some(world), Some(output), Some(server)) =
        (&args.world, &args.output, &args.target.address)
    else {
        return refuse("--for needs a world, and a folder that -o names");
    };

    if OutputKind::from_name(output) != OutputKind::Folder {
        return refuse("a map mod reads a folder: name one with -o");
    }

    if !args.more_folders.is_empty() {
        return refuse("--for writes one world: give one folder");
    }

    Ok(FolderRequest {
        world,
        output,
        server,
    })
}

fn write(args: &RenderArgs, request: &FolderRequest<'_>, log: Log<'_>) -> Result<u8, Ending> {
    let world = worlds::open(request.world, WorldScope::default())?;
    check_apart(request.output, &world.folders)?;
    let options = XaeroOptions {
        server: request.server.clone(),
        keep: args.target.keep,
        dimensions: args.drawn.dimension.clone(),
    };

    let plan = XaeroPlan::new(&world, options)?;
    for warning in warnings(&world, &plan) {
        log.warning(&warning);
    }

    if args.dry_run {
        let text = amount_text(plan.amount()?);
        return crate::outcome::print(text.as_bytes()).map(|_| OK);
    }

    let signals = Signals::install();
    let pieces = Pieces::default();
    let workers = Workers {
        threads: worker_count(args.workers.threads()),
        pieces: &pieces,
        is_stopped: &|| signals.stop().is_requested(),
    };

    let quiet = args.run_output.quiet;
    let counts = progress::show_pieces(&pieces, quiet, region_amount, || {
        put_xaero(request.output, &plan, &workers)
    })?;
    let Some(counts) = counts else {
        return Err(Ending::new(
            signals.code(),
            "interrupted: run the same command again",
        ));
    };

    for reason in &counts.reasons {
        log.warning(reason);
    }

    if counts.unnamed > 0 {
        log.warning(&unnamed_warning(counts.unnamed));
    }

    if !quiet {
        let text = counts_text(&counts, request.output);
        let _ = io::stderr().write_all(text.as_bytes());
    }

    Ok(if counts.bad > 0 { GAPS } else { OK })
}

fn warnings(world: &World, plan: &XaeroPlan<'_>) -> Vec<String> {
    let damage = world.damage().iter().map(ToString::to_string);
    [&world.warnings[..], &plan.warnings]
        .concat()
        .into_iter()
        .chain(damage)
        .collect()
}

fn unnamed_warning(columns: u64) -> String {
    format!(
        "{} shown by blocks that have only a number, because the world was saved before Minecraft \
         1.13 and does not name them: the mod cannot show them; open the world once in the game \
         with its mods",
        count_text(columns, "column")
    )
}

/// Returns the text about finished regions.
fn region_amount(done: u64, all: u64, _: Duration) -> String {
    format!("{} of {} regions", human_count(done), human_count(all))
}

fn amount_text(amount: XaeroAmount) -> String {
    format!(
        "would write up to {} with {}, about {}\n",
        count_text(amount.regions, "region"),
        count_text(amount.chunks, "chunk"),
        size(amount.bytes)
    )
}

fn counts_text(counts: &XaeroCounts, output: &Path) -> String {
    let mut text = format!(
        "{} written, {} unchanged; {}",
        count_text(counts.written, "region"),
        counts.unchanged,
        count_text(counts.chunks, "chunk")
    );
    if counts.bad > 0 {
        let _ = write!(
            text,
            "; {} not read",
            count_text(counts.bad, "chunk or file")
        );
    }

    let output = escape_name(&output.display().to_string());
    let _ = writeln!(
        text,
        "\nclose the game, and copy the contents of {output} into .minecraft/xaero/world-map"
    );
    text
}
