//! Draws the maps of one folder, a picture, an archive or regions, and reports the result.

use pixelmap_draw::report::Report;
use pixelmap_draw::{EarlyReading, ExportedMap, Mode, OutputRequest, Run, Settings};
use pixelmap_map::atlas::archive_page;
use pixelmap_world::internal::World;

use super::settings::WorldMaps;
use super::shared_lists::SharedLists;
use crate::cli::RenderArgs;
use crate::commands::draw_place::DrawPlace;
use crate::commands::runner::{MadeOutput, Runner};
use crate::outcome::{Ending, OK, is_cut_short, join};

/// Draws the requested maps, writes the lists and the report, and returns the exit code. `lists`
/// receives the folder if the lists are written later for all named maps.
pub(super) fn draw(
    runner: &Runner<'_>,
    run: &RenderArgs,
    world_maps: WorldMaps,
    place: &DrawPlace,
    lists: Option<&mut SharedLists>,
) -> Result<u8, Ending> {
    let WorldMaps {
        world,
        world_place,
        early,
        maps,
    } = world_maps;
    let Some(settings) = maps.first() else {
        return Ok(OK);
    };

    runner.log.heading();

    let (report, digest) = match settings.output.mode {
        Mode::Map => {
            let folder = open_run(&world, &maps, early)?;
            (draw_maps(runner, run, (folder, &maps), place, lists)?, None)
        }
        Mode::Regions { .. } | Mode::Archive | Mode::Image => {
            draw_export(runner, &world, settings, early)?
        }
    };

    let report = place.publish(report, runner.signals, runner.log)?;
    let report = world_place.count_downloads(report, runner.log);
    runner.end(MadeOutput {
        path: &settings.output.path,
        address: place.address(),
        report,
        digest,
    })
}

/// Draws a picture, an archive or regions. Returns the report, and the digest if drawing has
/// already computed it.
fn draw_export(
    runner: &Runner<'_>,
    world: &World,
    settings: &Settings,
    early: Option<EarlyReading>,
) -> Result<(Report, Option<String>), Ending> {
    let counters = pixelmap_draw::Progress::default();
    let ExportedMap {
        report,
        regions,
        digest,
    } = runner.show(runner.log, &counters, || {
        pixelmap_draw::render(world, settings, early, &counters, runner.signals.stop())
    })?;

    runner
        .log
        .map(&report, &next_step(settings, &DrawPlace::Output));

    if let Some(output) = regions {
        runner.put_lists(output)?;
    }

    Ok((report, digest))
}

/// Locks the folder of the maps.
fn open_run<'a>(
    world: &'a World,
    maps: &'a [Settings],
    early: Option<EarlyReading>,
) -> Result<Run<'a>, Ending> {
    let run = match (maps, early) {
        ([map], Some(early)) => Run::open_early(world, map, early),
        (maps, _) => Run::open(world, maps),
    };
    Ok(run?)
}

/// Draws maps into one folder, writes the lists of changed files, and joins the reports.
///
/// Usually each map is published right after it is drawn. With `--staged` all maps are published
/// together at the end, if they meet the thresholds. A shard also waits until the end, because its
/// part holds all maps.
fn draw_maps(
    runner: &Runner<'_>,
    run: &RenderArgs,
    (folder, maps): (Run<'_>, &[Settings]),
    place: &DrawPlace,
    lists: Option<&mut SharedLists>,
) -> Result<Report, Ending> {
    let stop = runner.signals.stop();

    if !lists.as_ref().is_some_and(|lists| lists.are_begun) {
        runner.begin_lists(folder.output())?;
    }

    let mut reports = Vec::new();
    let mut drawn = Vec::new();
    for (number, settings) in maps.iter().enumerate() {
        let log = runner.log.for_map(number + 1, maps.len());
        let counters = pixelmap_draw::Progress::default();
        let map = runner.show(log, &counters, || folder.draw(number, &counters, stop))?;
        let is_last = number + 1 == maps.len() || !map.is_whole();
        drawn.push(map);

        if is_last || !run.staged && run.shard.is_none() {
            for report in folder.publish(std::mem::take(&mut drawn), stop) {
                runner
                    .log
                    .for_map(reports.len() + 1, maps.len())
                    .map(&report, &next_step(settings, place));
                reports.push(report);
            }
        }

        if is_last || reports.iter().any(is_cut_short) {
            break;
        }
    }

    match lists {
        Some(lists) if run.run_output.files.are_wanted() => {
            lists.folders.push(folder.into_output());
        }
        Some(_) => {}
        None => runner.put_lists(folder.into_output())?,
    }

    Ok(join(reports))
}

/// Returns the last line of the summary: the next step for the user.
fn next_step(
    Settings {
        request,
        output: OutputRequest { mode, path, .. },
        ..
    }: &Settings,
    place: &DrawPlace,
) -> String {
    if let Some(address) = place.address() {
        return match request.shard {
            Some(shard) => {
                format!("shard {shard} is drawn; when all are: pixelmap merge -o {address}")
            }
            None => format!("drawn; changes go to {address}"),
        };
    }

    let open = match mode {
        Mode::Map => path.join("index.html"),
        Mode::Archive => archive_page(path),
        Mode::Image | Mode::Regions { .. } => path.clone(),
    };

    match request.shard {
        Some(shard) => format!(
            "shard {shard} is drawn; when all are: pixelmap merge -o {}",
            path.display()
        ),
        None => format!("open {}", open.display()),
    }
}
