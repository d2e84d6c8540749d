//! `pixelmap merge`.

use pixelmap::compare::{self, Side};
use pixelmap::draw::report::{Outcome, Report, Thresholds};
use pixelmap::draw::{self, ArchiveLayer, MergeError, MergeSettings, Merged};
use pixelmap::store::Output;

use super::render::{Asked, Made, code, joined, not_begun, put_changes, refusal, refused, write_report};
use super::side_files::SideFiles;
use super::signals::Signals;
use super::{Ending, FAILED, USAGE};
use crate::cli::{MergeArgs, mode};
use crate::log::Log;
use crate::progress;

/// Makes one map of parts. Returns the exit code; the reason has been written by then.
pub(super) fn run(args: &MergeArgs) -> u8 {
    let log = Log::told(&args.tell);
    log.take_panics();
    if let Err(ending) = SideFiles::of_merge(args).begin(&[]) {
        return not_begun(log, &ending);
    }
    merge(args, log)
        .unwrap_or_else(|ending| refused(log, Asked { report: args.tell.report.clone(), world: None }, &ending))
}

fn merge(args: &MergeArgs, log: Log<'_>) -> Result<u8, Ending> {
    check(args)?;
    let asked = MergeSettings {
        output: args.output.clone(),
        parts: args.parts.clone(),
        allow_missing: args.allow_missing,
        max_removed: args.max_removed,
        threads: args.threads,
    };
    let (signals, counters) = (Signals::take(), draw::Progress::default());
    let is_archive = is_archive(args);
    let (mut report, missing, folder, known) = if is_archive {
        let of = ArchiveLayer { dimension: args.dimension.as_deref(), layer: args.layer };
        let work = || draw::merge_archive(&asked, of, &counters, signals.stop());
        let (made, missing) = progress::show(args.tell.progress, log, &counters, work).map_err(failed)?;
        (made.report, missing, None, made.digest)
    } else {
        let begin =
            |output: &Output| if args.tell.files.are_wanted() { output.begin_listing().map(drop) } else { Ok(()) };
        let work = || draw::merge(&asked, begin, &counters, signals.stop());
        let Merged { reports, missing, output } =
            progress::show(args.tell.progress, log, &counters, work).map_err(failed)?;
        (joined(reports), missing, Some(output), None)
    };
    if !missing.is_empty() {
        let missing: Vec<String> = missing.iter().map(u32::to_string).collect();
        report.warnings.push(format!("these shards are missing: {}", missing.join(", ")));
    }
    let open = if is_archive { args.output.with_extension("html") } else { args.output.join("index.html") };
    log.map(&report, &format!("open {}", open.display()));
    if let Some(folder) = folder.filter(|_| args.tell.files.are_wanted()) {
        put_changes(&args.tell.files, &[folder])?;
    }
    let thresholds = Thresholds { allow_gaps: args.allow_gaps, ..Thresholds::default() };
    let code = code(&thresholds, &report, &signals);
    let made =
        Made { output: Some(args.output.display().to_string()), digest: known.or_else(|| digest(args, &report)) };
    if let Some(path) = &args.tell.report {
        write_report(path, &report, code, &made)?;
    }
    if let Some(failure) = &report.error {
        log.error(failure);
    }
    log.end(&report, code, made.output.as_deref(), made.digest.as_deref());
    Ok(code)
}

fn is_archive(args: &MergeArgs) -> bool {
    mode::ending(&args.output) == "pmtiles" && !args.output.is_dir()
}

/// Checks that the options fit the output.
fn check(args: &MergeArgs) -> Result<(), Ending> {
    let why = match () {
        () if is_archive(args) && args.parts.is_empty() => "name the folders that the shards were drawn into",
        () if is_archive(args) && args.tell.files.are_wanted() => "lists of changes are of a folder: leave them out",
        () if !is_archive(args) && (args.dimension.is_some() || args.layer.is_some()) => {
            "-d and -l choose what an archive shows: name a .pmtiles file with -o, or leave them out"
        }
        () if matches!(mode::ending(&args.output).as_str(), "png" | "webp") && !args.output.is_dir() => {
            "parts are merged to a map or an archive: make the picture of it with pixelmap export"
        }
        () => return mode::is_made(&args.output).map_err(|error| Ending::new(USAGE, error)),
    };
    Err(Ending::new(USAGE, why))
}

/// The digest of the map, where a report tells it.
fn digest(args: &MergeArgs, report: &Report) -> Option<String> {
    let is_whole = matches!(report.outcome, Outcome::Complete | Outcome::Empty | Outcome::Gaps);
    let side = args.tell.report.as_ref().filter(|_| is_whole).and_then(|_| Side::open(&args.output).ok())?;
    compare::digest(&side, report.threads.max(1)).ok()?
}

fn failed(error: MergeError) -> Ending {
    match &error {
        MergeError::Render(error) => Ending::new(refusal(error), error),
        _ => Ending::new(FAILED, error),
    }
}
