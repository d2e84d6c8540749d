//! Runs `pixelmap merge`: combines the parts that shards have drawn into one map or archive.

use pixelmap::atlas::{OutputKind, archive_page};
use pixelmap::draw::{self, ArchiveLayer, MergeSettings, MergedMap};
use pixelmap::report::{Report, Thresholds};
use pixelmap::store::Output;

use super::side_files::{SideFiles, put_changes};
use super::signals::Signals;
use crate::cli::{MergeArgs, mode};
use crate::log::Log;
use crate::outcome::{
    Ending, ReportTarget, RunResult, USAGE, end_run, end_unbegun, exit_code, join, output_digest, refuse,
};
use crate::progress;

/// Combines parts into one map. Returns the exit code; the message about a failure has been written by then.
pub(super) fn run(args: &MergeArgs) -> u8 {
    let log = Log::new_for(&args.run_output);
    log.take_panics();
    if let Err(ending) = SideFiles::for_merge(args).begin(&[]) {
        return end_unbegun(log, &ending);
    }
    let target = ReportTarget { path: args.run_output.report.clone(), world: None };
    merge(args, log, &target).unwrap_or_else(|ending| refuse(log, &target, &ending))
}

/// A merged map or archive.
struct MergedOutput {
    report: Report,
    /// The numbers of the missing shards.
    missing: Vec<u32>,
    /// The folder of the map; `None` for an archive.
    folder: Option<Output>,
    /// The digest, if merging has already computed it.
    digest: Option<String>,
}

fn merge(args: &MergeArgs, log: Log<'_>, target: &ReportTarget) -> Result<u8, Ending> {
    check(args)?;
    let signals = Signals::take();
    let is_archive = is_archive(args);
    let mut made = make(args, log, &signals, is_archive)?;
    if !made.missing.is_empty() {
        let missing: Vec<String> = made.missing.iter().map(u32::to_string).collect();
        made.report.warnings.push(format!("these shards are missing: {}", missing.join(", ")));
    }
    let open = if is_archive { archive_page(&args.output) } else { args.output.join("index.html") };
    log.map(&made.report, &format!("open {}", open.display()));
    if let Some(folder) = made.folder.filter(|_| args.run_output.files.are_wanted()) {
        put_changes(&args.run_output.files, &[folder])?;
    }
    let thresholds = Thresholds { allow_gaps: args.allow_gaps, ..Thresholds::default() };
    let result = RunResult {
        code: exit_code(&thresholds, &made.report, signals.code()),
        output: Some(args.output.display().to_string()),
        digest: made.digest.or_else(|| {
            // Without a report the digest is not computed.
            args.run_output.report.as_ref().and_then(|_| output_digest(&args.output, &made.report))
        }),
        violations: thresholds.violations(&(&made.report).into()),
        report: made.report,
    };
    end_run(log, target, &result)
}

fn make(args: &MergeArgs, log: Log<'_>, signals: &Signals, is_archive: bool) -> Result<MergedOutput, Ending> {
    let settings = MergeSettings {
        output: args.output.clone(),
        parts: args.parts.clone(),
        allow_missing: args.allow_missing,
        max_removed: args.max_removed,
        moment: args.moment.settings(),
        threads: args.threads,
    };
    let counters = draw::Progress::default();
    if is_archive {
        let layer = ArchiveLayer { dimension: args.dimension.as_deref(), layer: args.layer };
        let merge = || draw::merge_archive(&settings, layer, &counters, signals.stop());
        let (exported, missing) = progress::show(args.run_output.progress, log, &counters, merge)?;
        return Ok(MergedOutput { report: exported.report, missing, folder: None, digest: exported.digest });
    }
    let begin =
        |output: &Output| if args.run_output.files.are_wanted() { output.begin_listing().map(drop) } else { Ok(()) };
    let merge = || draw::merge(&settings, begin, &counters, signals.stop());
    let MergedMap { reports, missing, output } = progress::show(args.run_output.progress, log, &counters, merge)?;
    Ok(MergedOutput { report: join(reports), missing, folder: Some(output), digest: None })
}

fn is_archive(args: &MergeArgs) -> bool {
    OutputKind::at(&args.output) == OutputKind::Archive
}

/// Checks that the options fit the output.
fn check(args: &MergeArgs) -> Result<(), Ending> {
    let why = if is_archive(args) && args.parts.is_empty() {
        "name the folders that the shards were drawn into"
    } else if is_archive(args) && args.run_output.files.are_wanted() {
        "--changed-list and --deleted-list are for maps in folders: leave them out"
    } else if !is_archive(args) && (args.dimension.is_some() || args.layer.is_some()) {
        "-d and -l choose what an archive shows: name a .pmtiles file with -o, or leave them out"
    } else if matches!(OutputKind::at(&args.output), OutputKind::Picture(_)) {
        "merge makes a map or an archive: make a picture from it with pixelmap export"
    } else {
        return mode::check_made(&args.output).map_err(|error| Ending::new(USAGE, error));
    };
    Err(Ending::new(USAGE, why))
}
