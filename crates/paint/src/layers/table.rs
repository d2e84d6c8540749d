//! The table of layers. A layer is a file in this folder and a row of [`LAYERS`]. Its name on the
//! command line, its help text, path, view and legend all come from the row.

use std::fmt;
use std::sync::Arc;

use crate::layers::chunk_facts::changed::{self, Changes};
use crate::layers::chunk_facts::inhabited;
use crate::layers::chunk_facts::slime::{self, Slimes};
use crate::layers::chunk_facts::version::{self, Versions};
use crate::layers::colours::colour_cache::ColourCache;
use crate::layers::details::Details;
use crate::layers::heights::height::{self, HeightRenderer};
use crate::layers::heights::{height16, terrain};
use crate::layers::inner::shown_region::InnerTone;
use crate::layers::land::biome::{self, Biomes};
use crate::layers::land::cave::{self, Caves};
use crate::layers::land::day::Day;
use crate::layers::land::night::Night;
use crate::layers::legend::{Legend, LegendSource};
use crate::layers::renderer::{LayerRenderer, RowRenderer};
use crate::palette::Palette;
use crate::surface::View;
use pixelmap_tile::{Pixel, Samples};

type MakePainter = fn(&Arc<Palette>, Choices, Option<Slimes>) -> Box<dyn LayerRenderer>;

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and most layers have none of them"
)]
struct LayerInfo {
    name: &'static str,
    help: &'static str,
    painter: MakePainter,
    view: View,
    view_with_ceiling: View,
    legend: LegendSource,
    is_lit: bool,
    is_overlay: bool,
    needs_seed: bool,
    needs_inhabited_time: bool,
    needs_game_version: bool,
    has_contours: bool,
    is_details: bool,
    compares_runs: bool,
    /// The light in which inner tiles show textures. `None` for layers without textures.
    inner_tone: Option<InnerTone>,
    /// The only dimension that the layer can show. `None`: it can show all dimensions.
    dimension: Option<&'static str>,
    samples: Samples,
}

/// Returns a row for a layer of colours, seen from the sky, in all dimensions. Each layer sets only
/// the fields that differ from it.
const fn row(name: &'static str, help: &'static str, painter: MakePainter) -> LayerInfo {
    LayerInfo {
        name,
        help,
        painter,
        view: View::Sky,
        view_with_ceiling: View::Sky,
        legend: LegendSource::None,
        is_lit: false,
        is_overlay: false,
        needs_seed: false,
        needs_inhabited_time: false,
        needs_game_version: false,
        has_contours: false,
        is_details: false,
        compares_runs: false,
        inner_tone: None,
        dimension: None,
        samples: Samples::Colours,
    }
}

/// All layers, in the order in which a map lists them. The first is the default.
const LAYERS: &[LayerInfo] = &[
    LayerInfo {
        view_with_ceiling: View::UnderCeiling,
        inner_tone: Some(InnerTone::Day),
        ..row(
            "day",
            "The land by daylight; in a dimension with a ceiling, the land under it",
            |palette, _, _| Box::new(Day::new(ColourCache::new(palette.clone()))),
        )
    },
    LayerInfo {
        view_with_ceiling: View::UnderCeiling,
        is_lit: true,
        inner_tone: Some(InnerTone::Night),
        ..row(
            "night",
            "The same land at night, lit by torches and lava; shows where players live",
            |palette, _, _| Box::new(Night::new(Day::new(ColourCache::new(palette.clone())))),
        )
    },
    LayerInfo {
        inner_tone: Some(InnerTone::Day),
        ..row(
            "roof",
            "The land seen from above everything, even above a ceiling",
            |palette, _, _| Box::new(Day::new(ColourCache::new(palette.clone()))),
        )
    },
    LayerInfo {
        view: View::Hollow,
        view_with_ceiling: View::HollowUnderCeiling,
        legend: LegendSource::Fixed(cave::legend),
        ..row(
            "cave",
            "The topmost hollow under the land, bluer with depth; shows where players live",
            |palette, _, _| Box::new(Caves::new(palette)),
        )
    },
    LayerInfo {
        legend: LegendSource::Fixed(height::legend),
        has_contours: true,
        ..row(
            "height",
            "Heights in tints, from the deep to the peaks",
            |_, choices, _| Box::new(HeightRenderer::new(choices.contours)),
        )
    },
    LayerInfo {
        view: View::Highest,
        view_with_ceiling: View::Highest,
        samples: Samples::Numbers,
        ..row(
            "height16",
            "Heights for other programs: 16-bit grey PNG, the highest block's y + 2048, 0 in empty \
             columns",
            |_, _, _| Box::new(RowRenderer(height16::paint)),
        )
    },
    LayerInfo {
        view: View::Highest,
        view_with_ceiling: View::HighestUnderCeiling,
        samples: Samples::Heights,
        ..row(
            "terrain",
            "Heights for hills: the page terrain.html, and RGB in Terrarium's form for MapLibre, \
             deck.gl and QGIS",
            |_, _, _| Box::new(RowRenderer(terrain::paint)),
        )
    },
    LayerInfo {
        view_with_ceiling: View::UnderCeiling,
        legend: LegendSource::Names {
            title: "Biome",
            colour: biome::biome_pixel,
        },
        ..row("biome", "Biomes, each in its own colour", |_, _, _| {
            Box::new(Biomes::default())
        })
    },
    LayerInfo {
        needs_game_version: true,
        legend: LegendSource::Shown(version::legend),
        ..row(
            "version",
            "The version of the game that last saved each chunk; shows where players live",
            |_, _, _| Box::new(Versions::default()),
        )
    },
    LayerInfo {
        needs_inhabited_time: true,
        legend: LegendSource::Fixed(inhabited::legend),
        ..row(
            "inhabited",
            "How long players were in each chunk; shows where players live",
            |_, _, _| Box::new(RowRenderer(inhabited::paint)),
        )
    },
    LayerInfo {
        compares_runs: true,
        legend: LegendSource::Names {
            title: "Last changed (UTC)",
            colour: changed::moment_pixel,
        },
        ..row(
            "changed",
            "When each chunk last looked different; needs another layer; shows where players live",
            |_, _, _| Box::new(Changes::default()),
        )
    },
    LayerInfo {
        is_overlay: true,
        needs_seed: true,
        legend: LegendSource::Fixed(slime::legend),
        dimension: Some("overworld"),
        ..row(
            "slime",
            "The overworld's slime chunks, shown over another layer; lets others compute the \
             world's seed",
            |_, _, slimes| Box::new(slimes),
        )
    },
    LayerInfo {
        view: View::Highest,
        view_with_ceiling: View::HighestUnderCeiling,
        is_details: true,
        ..row(
            "details",
            "Block, biome, height and chunk of each column, for pages and programs",
            |_, _, _| Box::new(Details::default()),
        )
    },
];

/// A layer of the map, stored as its index in the table. The default is `day`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Layer(usize);

impl fmt::Debug for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Layer {
    /// All layers except the details, in the order in which a map lists them.
    pub const ALL: [Self; LAYERS.len() - 1] = {
        let mut all = [Self(0); LAYERS.len() - 1];
        let mut index = 0;
        while index < all.len() {
            all[index] = Self(index);
            index += 1;
        }
        all
    };

    /// The layer of details. It has native tiles only, and they are files of facts rather than
    /// pictures. It is the last row of the table.
    pub const DETAILS: Self = Self(LAYERS.len() - 1);

    const fn info(self) -> &'static LayerInfo {
        &LAYERS[self.0]
    }

    #[cfg(test)]
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layer| layer.name() == name)
    }

    /// Returns the name in commands, in paths and in `map.json`.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns one line of help for users.
    pub const fn help(self) -> &'static str {
        self.info().help
    }

    pub const fn view(self, has_ceiling: bool) -> View {
        if has_ceiling {
            self.info().view_with_ceiling
        } else {
            self.info().view
        }
    }

    /// Returns the light in which the layer's inner tiles show textures, or `None` for layers
    /// without textures.
    pub const fn inner_tone(self) -> Option<InnerTone> {
        self.info().inner_tone
    }

    /// Returns whether the layer needs the light that falls on columns.
    pub const fn is_lit(self) -> bool {
        self.info().is_lit
    }

    /// Returns whether the layer is an overlay for other layers.
    pub const fn is_overlay(self) -> bool {
        self.info().is_overlay
    }

    /// Returns whether the layer's pixels depend on the world's seed.
    pub const fn needs_seed(self) -> bool {
        self.info().needs_seed
    }

    /// Returns whether the layer shows how long players were near.
    pub const fn needs_inhabited_time(self) -> bool {
        self.info().needs_inhabited_time
    }

    /// Returns whether the layer shows which version of the game saved each chunk.
    pub const fn needs_game_version(self) -> bool {
        self.info().needs_game_version
    }

    /// Returns whether the layer shows blocks below the land.
    pub fn is_below_land(self) -> bool {
        self.info().view.land_view().is_some()
    }

    /// Returns whether the layer can show anything in a dimension.
    pub fn shows_dimension(self, dimension: &str) -> bool {
        self.info().dimension.is_none_or(|only| only == dimension)
    }

    /// Returns the number for height 0, or `None` if the layer's pixels are colours.
    pub const fn number_of_zero(self) -> Option<i32> {
        match self.samples() {
            Samples::Numbers => Some(height16::ZERO),
            Samples::Colours | Samples::Heights => None,
        }
    }

    /// Returns whether the layer's pixels are colours for people.
    pub fn shows_colours(self) -> bool {
        !self.is_details() && self.samples() == Samples::Colours
    }

    pub const fn samples(self) -> Samples {
        self.info().samples
    }

    /// Returns whether the layer's tiles are files of facts rather than pictures.
    pub const fn is_details(self) -> bool {
        self.info().is_details
    }

    /// Returns whether the layer shows how another layer differs from the published map.
    pub const fn compares_runs(self) -> bool {
        self.info().compares_runs
    }

    /// Returns the legend of the layer on a map with these names. It is empty if the colours
    /// explain themselves.
    pub fn legend<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Vec<Legend> {
        self.info().legend.legend(names)
    }

    /// Returns the colour of a name, or `None` if the legend does not depend on names.
    pub fn colour_of_name(self, name: &str) -> Option<Pixel> {
        self.info().legend.name_colour(name)
    }

    /// Makes a painter. Without `slimes` the layer of slime chunks stays empty.
    pub fn painter(
        self,
        choices: Choices,
        palette: &Arc<Palette>,
        slimes: Option<Slimes>,
    ) -> Box<dyn LayerRenderer> {
        (self.info().painter)(palette, choices, slimes)
    }
}

/// The user's choices that change how layers look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Choices {
    /// Blocks between two contour lines of layer `height`, or 0 for none.
    pub contours: u16,
}

impl Choices {
    /// Returns only the choices that affect the pixels of a layer.
    pub fn for_layer(self, layer: Layer) -> Self {
        if layer.info().has_contours {
            self
        } else {
            Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(is_in: impl Fn(Layer) -> bool) -> Vec<&'static str> {
        Layer::ALL
            .into_iter()
            .filter(|&layer| is_in(layer))
            .map(Layer::name)
            .collect()
    }

    #[test]
    fn every_layer_has_a_name_of_its_own() {
        for (index, layer) in Layer::ALL.into_iter().enumerate() {
            assert_eq!(
                (layer, Layer::from_name(layer.name())),
                (Layer(index), Some(layer))
            );
            assert!(!layer.help().is_empty());
        }

        assert_eq!(Layer::default().name(), "day");
        assert_eq!(Layer::from_name("dusk"), None);
    }

    #[test]
    fn only_land_layers_look_under_a_ceiling() {
        assert_eq!(
            names(|layer| layer.view(true).is_under_ceiling()),
            ["day", "night", "cave", "terrain", "biome"]
        );
        assert_eq!(
            names(|layer| layer.view(false).land_view().is_some()),
            ["cave"]
        );
        assert!(names(|layer| layer.view(false).is_under_ceiling()).is_empty());
    }

    #[test]
    fn legend_entries_have_opaque_colours_and_unique_texts() {
        for layer in Layer::ALL {
            for Legend { title, entries, .. } in layer.legend(["minecraft:plains", "mod:heath"]) {
                assert!(!entries.is_empty(), "{title}");

                let mut texts: Vec<_> = entries.iter().map(|(_, text)| text).collect();
                texts.sort_unstable();
                texts.dedup();
                assert_eq!(texts.len(), entries.len(), "{title}");
                assert!(
                    entries
                        .iter()
                        .all(|(colour, text)| colour.is_opaque() && !text.is_empty()),
                    "{title}"
                );
            }
        }
    }

    #[test]
    fn a_legend_lists_only_names_on_the_map() {
        let [biome, height] = ["biome", "height"].map(|name| Layer::from_name(name).unwrap());
        let names = ["minecraft:desert", "mod:heath"];
        let texts: Vec<_> = biome
            .legend(names)
            .remove(0)
            .entries
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        assert_eq!(texts, ["desert", "mod:heath"]);
        assert_eq!(biome.legend([]), []);
        assert_eq!(height.legend(["minecraft:desert"]), height.legend([]));
    }
}
