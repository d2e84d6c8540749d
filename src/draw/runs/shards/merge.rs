//! Merges the parts that shards have drawn into one map.

use std::path::PathBuf;

use crate::atlas::Content;
use crate::draw::publish::finish;
use crate::draw::publish::moment::moment_time;
use crate::draw::publish::removals::Removals;
use crate::draw::runs::shards::adopt::{adopt, find_regions};
use crate::draw::runs::shards::error::MergeError;
use crate::draw::runs::shards::merge_plan::{MergePlan, MergeSettings};
use crate::draw::runs::shards::part_list::Parts;
use crate::draw::runs::shards::part_tiles::draw;
use crate::report::Report;
use crate::report::progress::Progress;
use crate::schedule::Stop;
use crate::store::{Output, PublishError};

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
/// Fails if parts are missing or do not belong together, or if the folder cannot be used. Nothing is changed then.
pub fn merge(
    settings: &MergeSettings,
    on_open: impl FnOnce(&Output) -> Result<(), PublishError>,
    progress: &Progress,
    stop: &Stop,
) -> Result<MergedMap, MergeError> {
    let own = [settings.output.clone()];
    let folders: &[PathBuf] = if settings.parts.is_empty() { &own } else { &settings.parts };
    let parts = Parts::find(folders, settings.allow_missing)?;
    let agreement = &parts.agreement;
    let mut plans = Vec::new();
    for (number, map) in agreement.maps.iter().enumerate() {
        plans.push(MergePlan::new(agreement, number, map.clone(), settings)?);
    }
    let output =
        Output::open_for(Content::Map, agreement.naming().into(), &settings.output, &agreement.identity(), &[])?;
    let moment_time = moment_time(&output, &settings.moment, || parts.last_played)?;
    on_open(&output)?;
    let regions = find_regions(&output, &plans, &parts)?;
    for (plan, regions) in plans.iter_mut().zip(regions) {
        plan.set_regions(regions);
    }
    for plan in &plans {
        Removals::plan(&output, &plan.dimensions(), &plan.map_layers, None, settings.max_removed)?;
    }
    adopt(&output, &plans, &parts, false, stop)?;
    output.adopt_world_cache(parts.all.iter().map(|part| &part.place))?;
    let mut drawn = Vec::new();
    for plan in &plans {
        let map = draw(plan, &parts, settings.max_removed, &output, progress, stop)?;
        let is_whole = map.is_whole();
        drawn.push(map);
        if !is_whole {
            break;
        }
    }
    let reports = finish::publish(&agreement.world_label(moment_time), &output, drawn, stop);
    drop(plans);
    Ok(MergedMap { reports, missing: parts.missing, output })
}
