//! Draws the maps of one folder, a picture, an archive or regions, and reports the result.

use pixelmap::atlas::archive_page;
use pixelmap::draw::{self, ExportedMap, Mode, OutputRequest, Settings};
use pixelmap::report::Report;
use pixelmap::schedule::Stop;
use pixelmap::world::World;

use super::named_maps::SharedLists;
use super::report_target;
use super::settings::WorldMaps;
use crate::cli::RenderArgs;
use crate::commands::side_files::put_changes;
use crate::commands::signals::Signals;
use crate::log::Log;
use crate::outcome::{Ending, OK, RunResult, end_run, exit_code, is_cut_short, join, output_digest};
use crate::progress;

/// Draws the requested maps, writes the lists and the report, and returns the exit code. `lists` is the same as in
/// [`super::render`].
pub(super) fn draw(
    run: &RenderArgs,
    world_maps: &WorldMaps,
    signals: &Signals,
    lists: Option<&mut SharedLists>,
) -> Result<u8, Ending> {
    let Some(settings) = world_maps.maps.first() else { return Ok(OK) };
    let log = Log::for_render(run);
    log.heading();
    let (mut report, digest) = match settings.output.mode {
        Mode::Map => (draw_maps(run, world_maps, signals.stop(), lists)?, None),
        Mode::Regions { .. } | Mode::Archive | Mode::Image => {
            draw_export(run, &world_maps.world, settings, signals.stop())?
        }
    };
    let target = report_target(run);
    report.world.path.clone_from(&target.world);
    let result = RunResult {
        code: exit_code(&run.thresholds(), &report, signals.code()),
        output: Some(settings.output.path.display().to_string()),
        digest: wanted_digest(run, settings, &report, digest),
        violations: run.thresholds().violations(&(&report).into()),
        report,
    };
    end_run(log, &target, &result)
}

/// Draws a picture, an archive or regions. Returns the report, and the digest if drawing has already computed it.
fn draw_export(
    run: &RenderArgs,
    world: &World,
    settings: &Settings,
    stop: &Stop,
) -> Result<(Report, Option<String>), Ending> {
    let log = Log::for_render(run);
    let counters = draw::Progress::default();
    let ExportedMap { report, regions, digest } =
        progress::show(run.run_output.progress, log, &counters, || draw::render(world, settings, &counters, stop))?;
    log.map(&report, &next_step(settings));
    if let Some(output) = regions.filter(|_| run.run_output.files.are_wanted()) {
        put_changes(&run.run_output.files, &[output])?;
    }
    Ok((report, digest))
}

/// Draws maps into one folder, writes the lists of changed files, and joins the reports.
///
/// Usually each map is published right after it is drawn. With `--staged` all maps are published together at the end,
/// if they meet the thresholds. A shard also waits until the end, because its part holds all maps.
fn draw_maps(
    run: &RenderArgs,
    WorldMaps { world, maps }: &WorldMaps,
    stop: &Stop,
    lists: Option<&mut SharedLists>,
) -> Result<Report, Ending> {
    let folder = draw::Run::open(world, maps)?;
    if run.run_output.files.are_wanted() && !lists.as_ref().is_some_and(|lists| lists.are_begun) {
        folder.output().begin_listing()?;
    }
    let mut reports = Vec::new();
    let mut drawn = Vec::new();
    for (number, settings) in maps.iter().enumerate() {
        let log = Log::for_render(run).for_map(number + 1, maps.len());
        let counters = draw::Progress::default();
        let map = progress::show(run.run_output.progress, log, &counters, || folder.draw(number, &counters, stop))?;
        let is_last = number + 1 == maps.len() || !map.is_whole();
        drawn.push(map);
        if is_last || !run.staged && run.shard.is_none() {
            for report in folder.publish(std::mem::take(&mut drawn), stop) {
                let log = Log::for_render(run).for_map(reports.len() + 1, maps.len());
                log.map(&report, &next_step(settings));
                reports.push(report);
            }
        }
        if is_last || reports.iter().any(is_cut_short) {
            break;
        }
    }
    if run.run_output.files.are_wanted() {
        match lists {
            Some(lists) => lists.folders.push(folder.into_output()),
            None => put_changes(&run.run_output.files, &[folder.into_output()])?,
        }
    }
    Ok(join(reports))
}

/// Returns the digest of the output, if the output is complete and the report or the JSON log will contain it.
/// `known` is the digest if drawing has already computed it.
pub(super) fn wanted_digest(
    run: &RenderArgs,
    settings: &Settings,
    report: &Report,
    known: Option<String>,
) -> Option<String> {
    let is_wanted = run.run_output.report.is_some() || Log::for_render(run).is_json();
    if !is_wanted || is_cut_short(report) || settings.request.shard.is_some() {
        return None;
    }
    known.or_else(|| output_digest(&settings.output.path, report))
}

/// Returns the last line of the summary: the next step for the user.
fn next_step(Settings { request, output: OutputRequest { mode, path, .. }, .. }: &Settings) -> String {
    let open = match mode {
        Mode::Map => path.join("index.html"),
        Mode::Archive => archive_page(path),
        Mode::Image | Mode::Regions { .. } => path.clone(),
    };
    match request.shard {
        Some(shard) => format!("shard {shard} is drawn; when all are: pixelmap merge -o {}", path.display()),
        None => format!("open {}", open.display()),
    }
}
