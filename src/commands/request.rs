//! The layers and other parts of a world that the options of `render` and `serve` request.

use pixelmap_draw::{FindDepth, Layer, Mode, WantedMarkers};
use pixelmap_world::internal::World;

use crate::cli::DrawnArgs;
use crate::outcome::{Ending, FAILED, USAGE};

/// Returns a warning if a requested layer is left out because the world does not store its data.
pub(super) fn unstored_layer(args: &DrawnArgs, world: &World) -> Option<&'static str> {
    args.layer
        .iter()
        .find_map(|&layer| why_unstored(layer, world))
}

/// Returns the reason why a world does not store the data of a layer; `None`: it does.
fn why_unstored(layer: Layer, world: &World) -> Option<&'static str> {
    if world.is_bedrock() && layer.needs_inhabited_time() {
        return Some(
            "Bedrock Edition does not store how long players were in a chunk: leave out layer \
             inhabited",
        );
    }

    if !world.is_explored() {
        return None;
    }
    if layer.needs_inhabited_time() {
        return Some(
            "map mods do not store how long players were in a chunk: leave out layer inhabited",
        );
    }
    if layer.needs_game_version() {
        return Some(
            "map mods do not store which version of the game saved a chunk: leave out layer version",
        );
    }
    if layer.is_below_land() && !world.stores_caves() {
        return Some(
            "the folder has no cave layers of its map mod: leave out layer cave, or give the \
             folder of a player who has used cave mode",
        );
    }
    None
}

/// Returns the requested layers without duplicates and without layers whose data the world does not
/// store. The details come last.
fn layers(args: &DrawnArgs, world: &World) -> Result<Vec<Layer>, Ending> {
    let mut layers = Vec::new();
    for layer in args
        .layer
        .iter()
        .copied()
        .chain(args.details.then_some(Layer::DETAILS))
    {
        if !layers.contains(&layer) {
            layers.push(layer);
        }
    }

    if let Some(layer) = layers.iter().find(|layer| layer.compares_runs())
        && !world.has_chunk_times()
        && !layers.iter().copied().any(is_compared)
    {
        let name = layer.name();
        let message = format!(
            "layer {name} shows how another layer changes: add one, such as -l day -l {name}"
        );
        return Err(Ending::new(USAGE, message));
    }

    let Some(why) = unstored_layer(args, world) else {
        return Ok(layers);
    };

    layers.retain(|&layer| why_unstored(layer, world).is_none());

    if layers.is_empty() {
        Err(Ending::new(FAILED, why))
    } else {
        Ok(layers)
    }
}

/// Returns whether the layers that show changes can compare this layer with an earlier run.
fn is_compared(layer: Layer) -> bool {
    !layer.compares_runs() && !layer.is_overlay() && layer.shows_colours()
}

/// Returns the parts of a world that the options which `render` and `serve` share ask for.
pub(super) fn map_request(
    args: &DrawnArgs,
    mode: Mode,
    world: &World,
) -> Result<pixelmap_draw::MapRequest, Ending> {
    let markers = args.markers.marker_selection(world.is_explored());
    let finds_below = markers
        .find
        .as_ref()
        .is_some_and(|find| find.depth == FindDepth::All);
    if finds_below && world.is_explored() {
        let message = "--find-depth all searches below the ground, which map mods do not store: \
                       leave it out";
        return Err(Ending::new(USAGE, message));
    }

    Ok(pixelmap_draw::MapRequest {
        layers: layers(args, world)?,
        dimensions: args.dimension.clone(),
        markers: if mode == Mode::Map {
            markers
        } else {
            WantedMarkers::default()
        },
        own: args.markers.own_paths(),
        ..pixelmap_draw::MapRequest::default()
    })
}
