//! Merges the parts that shards have drawn into one map.

use std::path::PathBuf;

use crate::publish::finish;
use crate::publish::removals::Removals;
use crate::report::Report;
use crate::report::progress::Progress;
use crate::request::error::RenderError;
use crate::runs::open_map::{MapOpening, OpenedMap, open_map};
use crate::runs::shards::adopt::{adopt, find_regions};
use crate::runs::shards::error::MergeError;
use crate::runs::shards::merge_plan::{MergeMap, MergePlan, MergeSettings};
use crate::runs::shards::part_list::Parts;
use crate::runs::shards::part_tiles::draw;
use crate::schedule::Stop;
use pixelmap_map::store::{Output, PublishError};

/// A merged map.
#[derive(Debug)]
pub struct MergedMap {
    /// One report per map.
    pub reports: Vec<Report>,
    /// The numbers of the missing shards.
    pub missing: Vec<u32>,
    /// The folder, which this run has locked.
    pub output: Output,
}

/// Merges parts. Calls `on_open` when the folder is locked, before anything of the map is changed.
///
/// # Errors
/// Fails if parts are missing or do not belong together, or if the folder cannot be used. Nothing
/// is changed then.
pub fn merge(
    settings: &MergeSettings,
    on_open: impl FnOnce(&Output) -> Result<(), PublishError>,
    progress: &Progress,
    stop: &Stop,
) -> Result<MergedMap, MergeError> {
    let own = [settings.output.clone()];
    let folders: &[PathBuf] = if settings.parts.is_empty() {
        &own
    } else {
        &settings.parts
    };

    let parts = Parts::find(folders, settings.allow_missing)?;
    let agreement = &parts.agreement;
    let maps = agreement.maps.iter().enumerate();
    let maps = maps.map(|(number, map)| MergeMap::new(agreement, number, map.clone(), false));
    let maps = maps.collect::<Result<Vec<_>, _>>()?;

    let opening = MapOpening {
        naming: agreement.naming().into(),
        root: &settings.output,
        identity: &agreement.identity(),
        folders: &[],
        moment: &settings.moment,
        // A merge keeps the tiles that a run has staged.
        is_staged: true,
        is_hiding: false,
        elsewhere: settings.elsewhere.clone(),
    };

    let OpenedMap {
        output,
        plans,
        moment_time,
    } = open_map(
        opening,
        || parts.last_played,
        |output| plan_maps(output, &maps, &parts, settings),
        on_open,
    )?;
    adopt(&output, &maps, &parts, false, stop)?;
    output.adopt_world_cache(parts.all.iter().map(|part| &part.found))?;

    let mut drawn = Vec::new();
    for plan in &plans {
        let map = draw(plan, &parts, &output, progress, stop)?;
        let is_whole = map.is_whole();
        drawn.push(map);
        if !is_whole {
            break;
        }
    }

    let reports = finish::publish(&agreement.world_label(moment_time), &output, drawn, stop);
    drop(plans);

    Ok(MergedMap {
        reports,
        missing: parts.missing,
        output,
    })
}

/// Plans the merged maps.
///
/// # Errors
/// Fails if too many tiles would be removed, or records cannot be read.
fn plan_maps<'a>(
    output: &Output,
    maps: &'a [MergeMap],
    parts: &Parts,
    settings: &'a MergeSettings,
) -> Result<Vec<MergePlan<'a>>, RenderError> {
    let mut plans = Vec::new();
    for (map, regions) in maps.iter().zip(find_regions(output, maps, parts)?) {
        let plan = MergePlan::new(map, &regions, settings);
        Removals::plan(
            output,
            &plan.dimensions(),
            &plan.map.map_layers,
            None,
            settings.max_removed,
        )?;
        plans.push(plan);
    }

    Ok(plans)
}
