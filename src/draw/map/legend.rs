//! Legends: the names of what is on a map, gathered region by region, and the colours that `map.json` explains.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::atlas::LegendPart;
use crate::draw::request::shown_layer::ShownLayer;
use crate::paint::layers;
use crate::report::ShownNames;
use crate::tile::{Canvas, Pixel};

/// The names on a tile that was just drawn. Not all that was painted is on it: what lies outside the area asked for was
/// taken off again. And where the region has gaps, pixels of an earlier run may be on it, with names that are `preserved`.
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
        // Most pixels have the colour of the one to the west.
        if pixel != before {
            colours.insert(pixel);
            before = pixel;
        }
    }
    let is_on = |name: &&str| layer.colour_of_name(name).is_some_and(|colour| colours.contains(&colour));
    let names = painted.iter().map(AsRef::as_ref).chain(preserved.names.iter().map(String::as_str));
    names.filter(is_on).for_each(|name| shown.add(name));
    shown.more |= preserved.more;
    shown
}

/// Returns the legend of a layer, with the names of what it shows.
pub(crate) fn legend_parts(layer: &ShownLayer, shown: &ShownNames) -> Vec<LegendPart> {
    let part = |layers::Legend { title, is_scale, entries }| LegendPart {
        title: title.to_owned(),
        scale: is_scale,
        entries: entries.into_iter().map(|(colour, text)| (hex(colour), text)).collect(),
        more: shown.more,
    };
    layer.legend(shown.names.iter().map(String::as_str)).into_iter().map(part).collect()
}

/// A colour as pages write it.
fn hex(colour: Pixel) -> String {
    let [r, g, b, _] = colour.rgba();
    format!("#{r:02x}{g:02x}{b:02x}")
}
