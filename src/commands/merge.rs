//! Runs `pixelmap merge`: combines the parts that shards have drawn into one map or archive.

use pixelmap_draw::report::Report;
use pixelmap_draw::{ArchiveLayer, MergeSettings, MergedMap};
use pixelmap_map::atlas::{OutputKind, archive_page};
use pixelmap_map::store::Output;

use super::draw_place::DrawPlace;
use super::runner::{MadeOutput, Runner};
use super::side_files::SideFiles;
use super::signals::Signals;
use crate::cli::{MergeArgs, mode};
use crate::log::Log;
use crate::outcome::{Ending, USAGE, end_unbegun, join};

/// Combines parts into one map. Returns the exit code; the message about a failure has been written
/// by then.
pub(super) fn run(args: &MergeArgs) -> u8 {
    let log = Log::new_for(&args.run_output);
    log.install_panic_hook();

    if let Err(ending) = SideFiles::for_merge(args).begin(&[]) {
        return end_unbegun(log, &ending);
    }

    let signals = Signals::install();
    let runner = Runner::for_merge(args, log, &signals);
    let place = check(args).and_then(|()| DrawPlace::for_merge(args, &signals));
    place
        .and_then(|place| merge(args, &runner, &place).map_err(|ending| place.explain(&ending)))
        .unwrap_or_else(|ending| runner.refuse(&ending))
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

fn merge(args: &MergeArgs, runner: &Runner<'_>, place: &DrawPlace) -> Result<u8, Ending> {
    let is_archive = is_archive(args);
    let MergedOutput {
        mut report,
        missing,
        folder,
        digest,
    } = make(args, runner, place, is_archive)?;

    if !missing.is_empty() {
        let missing: Vec<String> = missing.iter().map(u32::to_string).collect();
        report
            .warnings
            .push(format!("these shards are missing: {}", missing.join(", ")));
    }

    let next = match place.address() {
        Some(address) => format!("merged; changes go to {address}"),
        None if is_archive => format!("open {}", archive_page(&args.output).display()),
        None => format!("open {}", args.output.join("index.html").display()),
    };

    runner.log.map(&report, &next);

    if let Some(folder) = folder {
        runner.put_lists(folder)?;
    }

    runner.end(MadeOutput {
        path: place.folder(&args.output),
        address: place.address(),
        report: place.publish(report, runner.signals, runner.log)?,
        digest,
    })
}

fn make(
    args: &MergeArgs,
    runner: &Runner<'_>,
    place: &DrawPlace,
    is_archive: bool,
) -> Result<MergedOutput, Ending> {
    let settings = MergeSettings {
        output: place.folder(&args.output).to_owned(),
        parts: args.parts.clone(),
        allow_missing: args.allow_missing,
        max_removed: args.max_removed,
        moment: args.moment.settings(),
        threads: args.threads,
        elsewhere: place.elsewhere(),
    };

    let counters = pixelmap_draw::Progress::default();
    let stop = runner.signals.stop();
    if is_archive {
        let layer = ArchiveLayer {
            dimension: args.dimension.as_deref(),
            layer: args.layer,
        };

        let (exported, missing) = runner.show(runner.log, &counters, || {
            pixelmap_draw::merge_archive(&settings, layer, &counters, stop)
        })?;
        return Ok(MergedOutput {
            report: exported.report,
            missing,
            folder: None,
            digest: exported.digest,
        });
    }

    let MergedMap {
        reports,
        missing,
        output,
    } = runner.show(runner.log, &counters, || {
        pixelmap_draw::merge(
            &settings,
            |output: &Output| runner.begin_lists(output),
            &counters,
            stop,
        )
    })?;

    Ok(MergedOutput {
        report: join(reports),
        missing,
        folder: Some(output),
        digest: None,
    })
}

fn is_archive(args: &MergeArgs) -> bool {
    OutputKind::at(&args.output) == OutputKind::Archive
}

fn is_bucket(args: &MergeArgs) -> bool {
    OutputKind::from_name(&args.output) == OutputKind::Bucket
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
    } else if is_bucket(args) && !args.parts.is_empty() {
        "shards of a map in a bucket are drawn into the bucket: leave out the folders of parts"
    } else if is_bucket(args) {
        return mode::check_stores().map_err(|error| Ending::new(USAGE, error));
    } else {
        return mode::check_made(&args.output).map_err(|error| Ending::new(USAGE, error));
    };
    Err(Ending::new(USAGE, why))
}
