//! Opens the folder of a map, in the same way for every run that publishes one.

use std::path::{Path, PathBuf};

use crate::publish::moment::moment_time;
use crate::request::error::RenderError;
use crate::request::settings::MomentSettings;
use pixelmap_map::atlas::{Content, Elsewhere};
use pixelmap_map::store::{Identity, Output, PublishError, WantedNaming};

/// The folder of a map as a run needs it.
pub(crate) struct MapOpening<'a> {
    pub(crate) naming: WantedNaming,
    pub(crate) root: &'a Path,
    pub(crate) identity: &'a Identity,
    /// The folders of the world, which the output must be apart from.
    pub(crate) folders: &'a [PathBuf],
    pub(crate) moment: &'a MomentSettings,
    /// Whether the run stages its tiles even in a map without history.
    pub(crate) is_staged: bool,
    pub(crate) is_hiding: bool,
    /// The published files that are not in the folder.
    pub(crate) elsewhere: Option<Elsewhere>,
}

/// The folder of a map, which this run has locked.
pub(crate) struct OpenedMap<P> {
    pub(crate) output: Output,
    pub(crate) plans: P,
    /// The time of the moment that the run adds to the map.
    pub(crate) moment_time: Option<i64>,
}

/// Opens and locks the folder of a map. `plan` makes the plans of the run and checks their
/// removals. `newest` returns the time of the world. Calls `on_open` before anything of the map is
/// changed.
///
/// # Errors
/// Fails if the folder cannot be used, or `plan` or `on_open` fails. Nothing is changed then.
pub(crate) fn open_map<P>(
    MapOpening {
        naming,
        root,
        identity,
        folders,
        moment,
        is_staged,
        is_hiding,
        elsewhere,
    }: MapOpening<'_>,
    newest: impl FnOnce() -> Option<i64>,
    plan: impl FnOnce(&Output) -> Result<P, RenderError>,
    on_open: impl FnOnce(&Output) -> Result<(), PublishError>,
) -> Result<OpenedMap<P>, RenderError> {
    let output = Output::open_for(Content::Map, naming, root, identity, folders)?;
    let output = output.over(elsewhere);
    let plans = plan(&output)?;
    let moment_time = moment_time(&output, moment, newest)?;
    on_open(&output)?;

    if is_hiding {
        output.remove_parts()?;
    }

    if is_hiding || !(is_staged || output.has_history()?) {
        // The tiles that an interrupted run staged may show places that are hidden now, or this run
        // would never publish them.
        output.clear_staged()?;
    }

    Ok(OpenedMap {
        output,
        plans,
        moment_time,
    })
}
