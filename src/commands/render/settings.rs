//! Translates the options of maps into the settings of the library.

use pixelmap_draw::{EarlyReading, Mode, Scale, Settings, Size};
use pixelmap_world::internal::World;

use super::check::{check_layers_apart, check_options};
use crate::cli::{MapTarget, RenderArgs, RenderRequest};
use crate::commands::request::{map_request, unstored_layer};
use crate::commands::world_place::WorldPlace;
use crate::commands::worlds::{OpenedWorld, dimension};
use crate::outcome::{Ending, USAGE};

/// A world, and the settings of its maps.
pub(super) struct WorldMaps {
    pub(super) world: World,
    pub(super) world_place: WorldPlace,
    pub(super) early: Option<EarlyReading>,
    pub(super) maps: Vec<Settings>,
}

/// Checks all that can be checked without opening the output, and returns the settings of the maps.
pub(super) fn prepare(
    requests: &[RenderRequest],
    opened: OpenedWorld,
) -> Result<WorldMaps, Ending> {
    let OpenedWorld {
        mut world,
        early,
        place: world_place,
    } = opened;
    let targets: Vec<&MapTarget> = requests
        .iter()
        .map(|request| target(request, requests.len()))
        .collect::<Result<_, _>>()?;

    let maps: Vec<Settings> = requests
        .iter()
        .zip(targets)
        .map(|(request, target)| {
            let dimensions = dimensions(&request.args, target.mode, &world)?;
            settings(&request.args, target, &world, dimensions)
        })
        .collect::<Result<_, _>>()?;
    check_layers_apart(&maps, &world)?;

    let unstored = requests
        .iter()
        .find_map(|request| unstored_layer(&request.args.drawn, &world));
    world.warnings.extend(unstored.map(str::to_owned));

    Ok(WorldMaps {
        world,
        world_place,
        early,
        maps,
    })
}

/// Returns the settings of a map whose chunks may be decoded while the world is listed. The
/// dimensions of `world` are not known yet. Returns `None` for several maps, because a chunk would
/// have to be decoded for all of them at once.
pub(super) fn early_settings(maps: &[RenderRequest], world: &World) -> Option<Settings> {
    let [request] = maps else {
        return None;
    };
    let target = request.target.as_ref().ok()?;
    if request.args.dry_run {
        return None;
    }

    let mut dimensions = request.args.drawn.dimension.clone();
    if dimensions.is_empty() && target.mode != Mode::Map {
        // An export shows the overworld, unless the world lacks it. Then nothing is decoded early.
        dimensions = vec!["overworld".to_owned()];
    }
    settings(&request.args, target, world, dimensions).ok()
}

/// Returns the output that the options of a map ask for. `maps` is the number of maps of the run.
/// Fails if the options do not fit each other.
fn target(request: &RenderRequest, maps: usize) -> Result<&MapTarget, Ending> {
    let target = request
        .target
        .as_ref()
        .map_err(|error| Ending::new(USAGE, error))?;
    check_options(&request.args, target.mode, maps)?;
    Ok(target)
}

fn settings(
    args: &RenderArgs,
    target: &MapTarget,
    world: &World,
    dimensions: Vec<String>,
) -> Result<Settings, Ending> {
    let request = pixelmap_draw::MapRequest {
        dimensions,
        zoom_in: args.zoom_in.unwrap_or_else(|| picture_levels(args, target)),
        shard: args.shard,
        ..map_request(&args.drawn, target.mode, world)?
    };
    target
        .settings(args, request)
        .map_err(|why| Ending::new(USAGE, why))
}

/// Returns the zoom level with textures that a picture is made from, counted inwards from the
/// native level; 0 if the picture has no textures.
fn picture_levels(args: &RenderArgs, target: &MapTarget) -> u8 {
    let has_textures = args.drawn.has_assets()
        && args
            .drawn
            .layer
            .iter()
            .all(|layer| layer.inner_tone().is_some());
    match target.picture.size {
        Size::Scale(Scale::Times(times)) if target.mode == Mode::Image && has_textures => {
            times.ilog2() as u8
        }
        _ => 0,
    }
}

/// Returns the requested dimensions. Without a request, an output other than a map has exactly one
/// dimension, while an empty list means all of them for a map.
fn dimensions(args: &RenderArgs, mode: Mode, world: &World) -> Result<Vec<String>, Ending> {
    match (mode, args.drawn.dimension.as_slice()) {
        (Mode::Archive | Mode::Image | Mode::Regions { .. }, []) => {
            Ok(vec![dimension(world, None)?.id.clone()])
        }
        (_, named) => Ok(named.to_vec()),
    }
}
