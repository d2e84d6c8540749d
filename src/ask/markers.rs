//! The markers of a map that is drawn are made anew: every chunk that it shows is read, and no tile is drawn.

use std::path::{Path, PathBuf};

use crate::atlas::{Content, MapFile};
use crate::draw::error::RenderError;
use crate::draw::progress::Progress;
use crate::draw::report::Report;
use crate::draw::run::Run;
use crate::draw::settings::{Mode, Settings};
use crate::paint::markers::Wanted;
use crate::schedule::Stop;
use crate::store::PublishError;
use crate::world::World;

/// Markers that were made anew.
#[derive(Debug)]
pub struct Remade {
    /// The markers of all dimensions, as the map states them now.
    pub markers: u64,
    /// The files that hold them, those of the owner included.
    pub files: usize,
    /// The report of the run.
    pub report: Report,
}

/// Makes the markers of the map in `output` anew: those that are `wanted`, where the map shows something, and the
/// owner's own. What is hidden in the map needs no option here: it is not shown.
///
/// # Errors
/// Nothing is changed: there is no map of this world, or it cannot be used now.
pub fn remake_markers(
    world: &World,
    output: &Path,
    (wanted, own): (Wanted, Vec<PathBuf>),
    threads: usize,
    (progress, stop): (&Progress, &Stop),
) -> Result<Remade, RenderError> {
    let facts = || MapFile::read(output, Content::Map).map_err(PublishError::io(output)).map_err(RenderError::Output);
    let Some(before) = facts()? else { return Err(RenderError::NothingThere(output.to_owned())) };
    let MapFile { dimensions: before, page, worlds, .. } = before;
    let shown = before.into_iter().map(|dimension| dimension.id);
    let settings = Settings {
        dimensions: shown.filter(|id| world.dimension(id).is_some()).collect(),
        layers: Vec::new(),
        unfinished: true,
        markers: wanted,
        own_markers: own,
        page,
        worlds,
        threads,
        ..Settings::new(Mode::Map, output.to_owned())
    };
    let maps = [settings];
    let run = Run::open(world, &maps)?;
    let drawn = run.draw(0, progress, stop)?;
    let report = run.publish(vec![drawn], stop).pop().ok_or(RenderError::NoMap)?;
    let after = facts()?.map(|map| {
        let of_world = map.dimensions.iter().flat_map(|dimension| &dimension.markers);
        (of_world.clone().map(|file| file.count).sum(), of_world.count() + map.markers.len())
    });
    let (markers, files) = after.unwrap_or_default();
    Ok(Remade { markers, files, report })
}
