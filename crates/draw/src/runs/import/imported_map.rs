//! Makes and publishes the maps of all explored dimensions.

use crate::import::ExploredWorld;
use crate::publish::facts::WorldLabel;
use crate::publish::finish;
use crate::publish::removals::Removals;
use crate::report::Report;
use crate::report::progress::Progress;
use crate::request::error::RenderError;
use crate::request::settings::Settings;
use crate::runs::import::picture_tiles::draw;
use crate::runs::import::plan::ImportPlan;
use crate::runs::open_map::{MapOpening, OpenedMap, open_map};
use crate::schedule::Stop;
use pixelmap_base::disk::full_path;
use pixelmap_map::store::{Identity, Output, PublishError};
use pixelmap_paint::markers::OwnerFiles;

/// A map of the places that players have explored.
#[derive(Debug)]
pub struct ImportedMap {
    /// One report per dimension.
    pub reports: Vec<Report>,
    /// The folder, which this run has locked.
    pub output: Output,
}

/// Makes a map from pictures. Only the `settings` that do not concern blocks are used. Calls
/// `on_open` when the folder is locked, before anything of the map is changed.
///
/// # Errors
/// Fails if the folder cannot be used, too many tiles would be removed, or the owner's markers
/// cannot be shown. Nothing is changed then.
pub fn import(
    explored: &ExploredWorld,
    settings: &Settings,
    on_open: impl FnOnce(&Output) -> Result<(), PublishError>,
    progress: &Progress,
    stop: &Stop,
) -> Result<ImportedMap, RenderError> {
    let own = OwnerFiles::read(&settings.request.own, &settings.output.path)
        .map_err(RenderError::Markers)?;
    let path = explored
        .folders
        .first()
        .map(|folder| full_path(folder))
        .unwrap_or_default();

    let identity = Identity {
        name: explored.name.clone(),
        spawn: None,
        path,
    };

    let opening = MapOpening {
        naming: settings.output.naming,
        root: &settings.output.path,
        identity: &identity,
        folders: &explored.folders,
        moment: &settings.output.moment,
        is_staged: settings.is_staged(),
        is_hiding: false,
        elsewhere: settings.output.elsewhere.clone(),
    };

    let OpenedMap {
        output,
        plans,
        moment_time,
    } = open_map(
        opening,
        || explored.newest(),
        |output| plan_dimensions(explored, settings, output),
        on_open,
    )?;

    let costs = plans.iter().flat_map(ImportPlan::costs);
    progress.expect(
        plans.iter().map(|plan| plan.order.len() as u64).sum(),
        costs.sum(),
    );

    let first_warnings = [&explored.warnings[..], &own.warnings].concat();
    let mut drawn = Vec::new();
    for (number, plan) in plans.iter().enumerate() {
        // The warnings about the folders and the owner's files are reported once, with the first dimension.
        let warnings = if number == 0 {
            &first_warnings[..]
        } else {
            &[]
        };

        let map = draw(plan, settings, &own, warnings, &output, progress, stop)?;
        let is_whole = map.is_whole();
        drawn.push(map);

        if !is_whole {
            break;
        }
    }

    let label = WorldLabel {
        name: explored.name.clone(),
        spawn: None,
        moment_time,
    };
    let reports = finish::publish(&label, &output, drawn, stop);
    drop(plans);

    Ok(ImportedMap { reports, output })
}

/// Plans the maps of all dimensions.
///
/// # Errors
/// Fails if too many tiles would be removed.
fn plan_dimensions<'a>(
    explored: &'a ExploredWorld,
    settings: &'a Settings,
    output: &Output,
) -> Result<Vec<ImportPlan<'a>>, RenderError> {
    let mut plans = Vec::new();
    for dimension in &explored.dimensions {
        let plan = ImportPlan::new(explored, dimension, settings, output);
        Removals::plan(
            output,
            &[plan.on_map()],
            &plan.map_layers,
            None,
            settings.run.max_removed,
        )?;
        plans.push(plan);
    }

    Ok(plans)
}
