//! Legends: the names of what is on a map, gathered region by region, and what `map.json` says of colours.

use std::collections::BTreeSet;

use crate::atlas::LegendPart;
use crate::base::coord::RegionPos;
use crate::draw::map::state::Map;
use crate::draw::painter::shared::Worker;
use crate::draw::prepare::layers::MapLayer;
use crate::draw::report::ShownNames;
use crate::paint::layers::{self, Layer};
use crate::tile::Pixel;

impl Map<'_> {
    /// The names on the tile that was just drawn. Not all that was painted is on it: what lies outside the area asked
    /// for was taken off again. And where the region has gaps, preserved pixels of an earlier run may be on it.
    pub(crate) fn names_on(
        &self,
        worker: &mut Worker<'_>,
        map_layer: MapLayer,
        region: RegionPos,
        has_gaps: bool,
    ) -> ShownNames {
        let last = if has_gaps { self.last_located(map_layer, region, |record| record.tile.is_some()) } else { None };
        let last = last.map(|(record, _)| record.shown).unwrap_or_default();
        let mut shown = ShownNames::default();
        let layer = self.painter.map_layers.layer(map_layer);
        let Worker { painters, reader, canvases, .. } = worker;
        let painted = painters[map_layer.layer].take_names(&mut reader.name_cache);
        if painted.is_empty() && last.is_empty() {
            return shown;
        }
        let mut colours = BTreeSet::new();
        let mut before = Pixel::CLEAR;
        for &pixel in canvases[map_layer.layer].pixels() {
            // Most pixels have the colour of the one to the west.
            if pixel != before {
                colours.insert(pixel);
                before = pixel;
            }
        }
        let is_on = |name: &&str| layer.colour_of_name(name).is_some_and(|colour| colours.contains(&colour));
        let names = painted.iter().map(AsRef::as_ref).chain(last.names.iter().map(String::as_str));
        names.filter(is_on).for_each(|name| shown.add(name));
        shown.more |= last.more;
        shown
    }

    /// Adds the names of what is on a tile to those of its map layer.
    pub(crate) fn show(&self, map_layer: MapLayer, names: &ShownNames) {
        if !names.is_empty() {
            self.tiles.made(map_layer).shown.add_all(names);
        }
    }
}

/// Returns the legend of a layer, with the names of what it shows.
pub(crate) fn legend_of(layer: Layer, shown: &ShownNames) -> Vec<LegendPart> {
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
