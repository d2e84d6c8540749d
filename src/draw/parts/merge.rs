//! Merges the parts that shards have drawn to one map.

use std::path::PathBuf;

use crate::atlas::Content;
use crate::draw::map::finish;
use crate::draw::map::removals::check_removals;
use crate::draw::parts::adopt::{adopt, regions_of};
use crate::draw::parts::error::MergeError;
use crate::draw::parts::found::Parts;
use crate::draw::parts::merging::{MergeSettings, Merging};
use crate::draw::parts::take::draw;
use crate::draw::progress::Progress;
use crate::draw::report::Report;
use crate::schedule::Stop;
use crate::store::{Output, PublishError};

/// A map that was merged.
#[derive(Debug)]
pub struct Merged {
    /// By map.
    pub reports: Vec<Report>,
    /// The shards that are missing.
    pub missing: Vec<u32>,
    /// The folder, which this run holds.
    pub output: Output,
}

/// Merges parts. `on_open` is called when the folder is held, before anything of the map is changed.
///
/// # Errors
/// Nothing is changed: parts are missing or do not belong together, or the folder cannot be used.
pub fn merge(
    asked: &MergeSettings,
    on_open: impl FnOnce(&Output) -> Result<(), PublishError>,
    progress: &Progress,
    stop: &Stop,
) -> Result<Merged, MergeError> {
    let own = [asked.output.clone()];
    let folders: &[PathBuf] = if asked.parts.is_empty() { &own } else { &asked.parts };
    let parts = Parts::find(folders, asked.allow_missing)?;
    let (world, identity) = parts.same.world();
    let mut maps = parts
        .same
        .maps
        .iter()
        .map(|map| Merging::of(&parts.same, map, (&world, &identity), asked))
        .collect::<Result<Vec<_>, _>>()?;
    let output = Output::open_for(Content::Map, parts.same.naming().into(), &asked.output, &identity, &[])?;
    on_open(&output)?;
    let regions = regions_of(&output, &maps, &parts)?;
    for (map, regions) in maps.iter_mut().zip(regions) {
        map.set_regions(regions);
    }
    for Merging { settings, prepared, .. } in &maps {
        check_removals(&output, prepared, settings)?;
    }
    adopt(&output, &maps, &parts, false, stop)?;
    let mut drawn = Vec::new();
    for (number, of) in maps.iter().enumerate() {
        let mut map = draw(of, &output, !parts.missing.is_empty(), progress, stop)?;
        map.of_world = parts.of_world(number);
        let is_whole = map.is_whole();
        drawn.push(map);
        if !is_whole {
            break;
        }
    }
    let mut reports = finish::publish(&world, &output, drawn, stop);
    for (number, report) in reports.iter_mut().enumerate() {
        parts.complete(number, None, report);
    }
    Ok(Merged { reports, missing: parts.missing, output })
}
