//! Legends: collects the names of the things that a map shows, region by region, and makes the
//! legends of `map.json`.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::report::ShownNames;
use crate::request::shown_layer::ShownLayer;
use pixelmap_map::atlas::LegendPart;
use pixelmap_paint::layers;
use pixelmap_tile::{Canvas, Pixel, to_lattice};

/// Returns the names that occur on a newly drawn tile.
///
/// Not every painted name does, because pixels outside the requested area were cleared. If the
/// region has gaps, pixels of an earlier run may fill them, and `preserved` has the names of those
/// pixels.
pub(crate) fn names_on(
    canvas: &Canvas,
    layer: &ShownLayer,
    painted: &[Arc<str>],
    preserved: &ShownNames,
) -> ShownNames {
    let mut shown = ShownNames::default();
    if painted.is_empty() && preserved.is_empty() {
        return shown;
    }

    let mut colours = BTreeSet::new();
    let mut before = Pixel::CLEAR;
    for &pixel in canvas.pixels() {
        // Most pixels have the same colour as their western neighbour.
        if pixel != before {
            colours.insert(pixel);
            before = pixel;
        }
    }

    let names = painted
        .iter()
        .map(AsRef::as_ref)
        .chain(preserved.names.iter().map(String::as_str));
    for name in names {
        if let Some(colour) = layer.colour_of_name(name)
            && colours.contains(&colour)
        {
            shown.add(name);
        }
    }

    shown.more |= preserved.more;

    shown
}

/// Returns the legend of a layer for the names that it shows.
pub(crate) fn legend_parts(layer: &ShownLayer, shown: &ShownNames) -> Vec<LegendPart> {
    let mut parts = Vec::new();
    for layers::Legend {
        title,
        is_scale,
        entries,
    } in layer.legend(shown.names.iter().map(String::as_str))
    {
        parts.push(LegendPart {
            title: title.to_owned(),
            scale: is_scale,
            outer: outer_colours(entries.iter().map(|(colour, _)| *colour)),
            entries: entries
                .into_iter()
                .map(|(colour, text)| (hex(colour), text))
                .collect(),
            more: shown.more,
        });
    }

    parts
}

/// Returns the colours that a reduced tile has where all four pixels have one of these. Empty if
/// they are the same.
fn outer_colours(colours: impl Iterator<Item = Pixel> + Clone) -> Vec<String> {
    let is_same = colours.clone().all(|colour| on_lattice(colour) == colour);
    if is_same {
        Vec::new()
    } else {
        colours.map(|colour| hex(on_lattice(colour))).collect()
    }
}

fn on_lattice(colour: Pixel) -> Pixel {
    let [r, g, b, _] = colour.rgba();
    Pixel::from_rgb(to_lattice([r, g, b]))
}

/// Formats a colour as `#rrggbb`.
pub(crate) fn hex(colour: Pixel) -> String {
    let [r, g, b, _] = colour.rgba();
    format!("#{r:02x}{g:02x}{b:02x}")
}
