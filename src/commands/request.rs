//! The layers and other parts of a world that the options of `render` and `serve` request.

use pixelmap_draw::{Layer, Mode, WantedMarkers};
use pixelmap_world::internal::World;

use crate::cli::DrawnArgs;
use crate::outcome::{Ending, FAILED, USAGE};

/// Returns a warning if a requested layer is left out because the world does not store its data.
pub(super) fn unstored_layer(args: &DrawnArgs, world: &World) -> Option<&'static str> {
    let is_unstored =
        world.is_bedrock() && args.layer.iter().any(|layer| layer.needs_inhabited_time());
    is_unstored.then_some(
        "Bedrock Edition does not store how long players were in a chunk: leave out layer \
         inhabited",
    )
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

    layers.retain(|layer| !layer.needs_inhabited_time());

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
    Ok(pixelmap_draw::MapRequest {
        layers: layers(args, world)?,
        dimensions: args.dimension.clone(),
        markers: if mode == Mode::Map {
            args.markers.marker_selection()
        } else {
            WantedMarkers::default()
        },
        own_markers: args.markers.markers.clone(),
        ..pixelmap_draw::MapRequest::default()
    })
}
