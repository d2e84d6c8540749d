//! Opens the world of a command, and finds the requested dimension.

use std::path::Path;

use pixelmap_base::coord::Area;
use pixelmap_draw::import::MapSource;
use pixelmap_draw::{EarlyReading, RESERVED_NAMES, Settings, Shard, open_world_early};
use pixelmap_world::internal::{
    Dimension, UnreadableDimension, World, WorldError, WorldRequest, WorldScope,
};

use super::signals::Signals;
use super::world_place::WorldPlace;
use crate::cli::{LogFormat, RenderRequest};
use crate::log::Log;
use crate::outcome::{Ending, FAILED};

/// An opened world that is drawn, and its place.
pub(super) struct OpenedWorld {
    pub(super) world: World,
    /// The parts of its map that were made while it was listed.
    pub(super) early: Option<EarlyReading>,
    pub(super) place: WorldPlace,
}

pub(super) fn open(path: &Path, scope: WorldScope) -> Result<World, Ending> {
    let place = WorldPlace::find(path, Log::new(LogFormat::Text), None)?;
    Ok(open_part(&place, scope)?)
}

/// Opens a part of a world that is not drawn.
pub(super) fn open_part(place: &WorldPlace, scope: WorldScope) -> Result<World, WorldError> {
    let request = WorldRequest {
        scope,
        files: place.files(),
        ..WorldRequest::new(RESERVED_NAMES)
    };
    World::open_for(place.path(), &request)
}

/// Opens the world of a request that draws it into an output. `maps` are the requests for all maps
/// of this world, whose areas it needs. `signals` can end the download of a world. `early` returns
/// the settings of a map whose chunks are decoded meanwhile.
pub(super) fn open_for(
    request: &RenderRequest,
    maps: &[RenderRequest],
    path: &Path,
    log: Log<'_>,
    signals: Option<&Signals>,
    early: impl FnOnce(&World) -> Option<Settings>,
) -> Result<OpenedWorld, Ending> {
    let areas: Option<Vec<Area>> = maps.iter().map(|map| map.args.area.area()).collect();
    let scope = WorldScope {
        area: areas.and_then(|areas| areas.into_iter().reduce(Area::union)),
        at: request.args.at,
    };

    let explored = match request.args.from {
        Some(MapSource::Columns(map_mod)) => Some((map_mod, request.args.more_folders.as_slice())),
        Some(MapSource::Pictures) | None => None,
    };

    let part = request.args.shard.map(Shard::name);
    let place = match explored {
        Some(_) => WorldPlace::of_folder(path)?,
        None => WorldPlace::find(path, log, signals)?,
    };
    let (world, early) = open_world_early(
        place.path(),
        request.output(),
        part.as_deref(),
        WorldRequest {
            threads: request.args.workers.threads(),
            scope,
            explored,
            files: place.files(),
            ..WorldRequest::new(RESERVED_NAMES)
        },
        early,
    )?;
    Ok(OpenedWorld {
        world,
        early,
        place,
    })
}

/// Returns the ids of all dimensions of a world, for a message.
fn dimension_ids(world: &World) -> String {
    let ids: Vec<&str> = world
        .dimensions
        .iter()
        .map(|dimension| dimension.id.as_str())
        .collect();
    ids.join(", ")
}

/// Returns the requested dimension. Without a request it is the overworld, or the only dimension of a
/// world without one.
pub(super) fn dimension<'a>(
    world: &'a World,
    wanted: Option<&str>,
) -> Result<&'a Dimension, Ending> {
    let dimension = match (
        wanted,
        world.dimension("overworld"),
        world.dimensions.as_slice(),
    ) {
        (Some(name), ..) => world.dimension(name).ok_or_else(|| {
            Ending::new(
                FAILED,
                format!(
                    "this world has no dimension {name}; it has {}",
                    dimension_ids(world)
                ),
            )
        })?,
        (None, Some(overworld), _) => overworld,
        (None, None, [only]) => only,
        (None, None, _) => {
            return Err(Ending::new(
                FAILED,
                format!(
                    "name a dimension with -d; this world has {}",
                    dimension_ids(world)
                ),
            ));
        }
    };

    UnreadableDimension::from_dimension(dimension).map_or(Ok(dimension), |unreadable| {
        Err(Ending::new(FAILED, unreadable))
    })
}
