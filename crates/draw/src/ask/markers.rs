//! Makes the markers of a drawn map again. It reads every chunk that the map shows, but draws no
//! tile.

use std::path::Path;

use crate::report::Report;
use crate::report::progress::Progress;
use crate::request::error::RenderError;
use crate::request::look::Look;
use crate::request::settings::{
    MapRequest, Mode, MomentSettings, OutputRequest, RunSettings, Settings,
};
use crate::runs::run::Run;
use crate::schedule::Stop;
use pixelmap_base::own_folder::OwnFolder;
use pixelmap_map::atlas::{Content, MapFile};
use pixelmap_map::store::PublishError;
use pixelmap_paint::markers::{MarkerSelection, OwnerPaths};
use pixelmap_world::internal::World;

/// The result of making markers again.
#[derive(Debug)]
pub struct RemadeMarkers {
    /// The number of markers in all dimensions, according to the updated map.
    pub markers: u64,
    /// The number of marker files, including the owner's.
    pub files: usize,
    pub report: Report,
}

/// Makes the markers of the map in `output` again: the `wanted` kinds wherever the map shows
/// something, and the owner's files `own`. This needs no option for hidden places, because the map
/// does not show them.
///
/// # Errors
/// Fails if there is no map of this world, or if the map cannot be used now. In both cases nothing
/// is changed.
pub fn remake_markers(
    world: &World,
    output: &Path,
    wanted: MarkerSelection,
    own: OwnerPaths,
    threads: usize,
    progress: &Progress,
    stop: &Stop,
) -> Result<RemadeMarkers, RenderError> {
    let Some(MapFile {
        dimensions: before,
        page,
        worlds,
        ..
    }) = read_map(output)?
    else {
        return Err(RenderError::NothingThere(output.to_owned()));
    };

    let shown = before.into_iter().map(|dimension| dimension.id);
    let maps = [Settings {
        request: MapRequest {
            dimensions: shown.filter(|id| world.dimension(id).is_some()).collect(),
            layers: Vec::new(),
            markers: wanted,
            own,
            ..MapRequest::default()
        },
        look: Look {
            unfinished: true,
            ..Look::default()
        },
        output: OutputRequest {
            page,
            worlds,
            moment: MomentSettings {
                follows: true,
                ..MomentSettings::default()
            },
            ..OutputRequest::new(Mode::Map, output.to_owned())
        },
        run: RunSettings {
            threads,
            ..RunSettings::default()
        },
    }];

    let run = Run::open(world, &maps)?;
    let drawn = run.draw(0, progress, stop)?;
    let report = run
        .publish(vec![drawn], stop)
        .pop()
        .ok_or(RenderError::NoMap)?;

    let after = read_map(output)?.map(|map| {
        let files = map
            .dimensions
            .iter()
            .flat_map(|dimension| &dimension.markers);
        (
            files.clone().map(|file| file.count).sum(),
            files.count() + map.markers.len(),
        )
    });

    let (markers, files) = after.unwrap_or_default();
    Ok(RemadeMarkers {
        markers,
        files,
        report,
    })
}

/// Reads the facts about the map in a folder. `None` if it lacks a map.
fn read_map(output: &Path) -> Result<Option<MapFile>, RenderError> {
    OwnFolder::open(output)
        .and_then(|folder| MapFile::read(&folder, Content::Map))
        .map_err(PublishError::io(output))
        .map_err(RenderError::Output)
}
