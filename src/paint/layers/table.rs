//! The table of layers. A layer is a file in this room and a row of [`LAYERS`]; its name on the command line, help,
//! path, view and legend follow from the row.

use std::fmt;
use std::sync::Arc;

use super::biome::{self, Biomes};
use super::cave::{self, Caves};
use super::day::Day;
use super::details::Details;
use super::height::{self, HeightPainter};
use super::legend::{Legend, LegendSource};
use super::night::Night;
use super::painter::{LayerPainter, RowPainter};
use super::paints::Paints;
use super::shown_region::InnerTone;
use super::slime::Slimes;
use super::version::{self, Versions};
use super::{height16, inhabited, terrain};
use crate::paint::palette::Palette;
use crate::paint::surface::View;
use crate::tile::{Pixel, Samples};

type MakePainter = fn(&Arc<Palette>, Choices, Option<Slimes>) -> Box<dyn LayerPainter>;

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and most layers have none of them")]
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
    has_contours: bool,
    is_details: bool,
    /// The light in which textures are shown; `None`: there are none.
    inner_tone: Option<InnerTone>,
    /// The only dimension with something to show; `None`: all have.
    dimension: Option<&'static str>,
    samples: Samples,
}

/// A row for colours seen from the sky, in all dimensions. A layer lists the fields in which it differs.
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
        has_contours: false,
        is_details: false,
        inner_tone: None,
        dimension: None,
        samples: Samples::Colours,
    }
}

/// All layers, in the order in which a map lists them; the first is the default.
const LAYERS: &[LayerInfo] = &[
    LayerInfo {
        view_with_ceiling: View::UnderCeiling,
        inner_tone: Some(InnerTone::Day),
        ..row("day", "The land by daylight; under the ceiling where a dimension has one", |palette, _, _| {
            Box::new(Day::new(Paints::new(palette.clone())))
        })
    },
    LayerInfo {
        view_with_ceiling: View::UnderCeiling,
        is_lit: true,
        inner_tone: Some(InnerTone::Night),
        ..row("night", "The same land at night, lit by torches and lava; shows where players live", |palette, _, _| {
            Box::new(Night::new(Day::new(Paints::new(palette.clone()))))
        })
    },
    LayerInfo {
        inner_tone: Some(InnerTone::Day),
        ..row("roof", "The land seen from above everything, a ceiling too", |palette, _, _| {
            Box::new(Day::new(Paints::new(palette.clone())))
        })
    },
    LayerInfo {
        view: View::Hollow,
        view_with_ceiling: View::HollowUnderCeiling,
        legend: LegendSource::Fixed(cave::legend),
        ..row(
            "cave",
            "The topmost hollow under the land, the deeper the bluer; shows where players live",
            |palette, _, _| Box::new(Caves::new(palette)),
        )
    },
    LayerInfo {
        legend: LegendSource::Fixed(height::legend),
        has_contours: true,
        ..row("height", "Heights in tints, from the deep to the peaks", |_, choices, _| {
            Box::new(HeightPainter::new(choices.contours))
        })
    },
    LayerInfo {
        view: View::Highest,
        view_with_ceiling: View::Highest,
        samples: Samples::Numbers,
        ..row(
            "height16",
            "Heights for other programs: 16-bit grey PNG, the highest block's y + 2048, 0 where nothing stands",
            |_, _, _| Box::new(RowPainter(height16::paint)),
        )
    },
    LayerInfo {
        view: View::Highest,
        view_with_ceiling: View::HighestUnderCeiling,
        samples: Samples::Heights,
        ..row(
            "terrain",
            "Heights for hills: the page terrain.html, and RGB in Terrarium's form for MapLibre, deck.gl and QGIS",
            |_, _, _| Box::new(RowPainter(terrain::paint)),
        )
    },
    LayerInfo {
        view_with_ceiling: View::UnderCeiling,
        legend: LegendSource::Names { title: "Biome", colour: biome::biome_pixel },
        ..row("biome", "Biomes, each with a colour of its own", |_, _, _| Box::new(Biomes::default()))
    },
    LayerInfo {
        legend: LegendSource::Shown(version::legend),
        ..row("version", "Which version of the game saved each chunk last; shows where players live", |_, _, _| {
            Box::new(Versions::default())
        })
    },
    LayerInfo {
        needs_inhabited_time: true,
        legend: LegendSource::Fixed(inhabited::legend),
        ..row("inhabited", "How long players were in each chunk; shows where players live", |_, _, _| {
            Box::new(RowPainter(inhabited::paint))
        })
    },
    LayerInfo {
        is_overlay: true,
        needs_seed: true,
        dimension: Some("overworld"),
        ..row(
            "slime",
            "The overworld's slime chunks, to lie over another layer; lets others work out the world's seed",
            |_, _, slimes| Box::new(slimes),
        )
    },
    LayerInfo {
        view: View::Highest,
        view_with_ceiling: View::HighestUnderCeiling,
        is_details: true,
        ..row("details", "Block, biome, height and chunk of each column, for pages and programs", |_, _, _| {
            Box::new(Details::default())
        })
    },
];

/// A layer of the map: its index in the table. The default is `day`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Layer(usize);

impl fmt::Debug for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Layer {
    /// All layers of pictures, in the order in which a map lists them.
    pub const ALL: [Self; LAYERS.len() - 1] = {
        let mut all = [Self(0); LAYERS.len() - 1];
        let mut place = 0;
        while place < all.len() {
            all[place] = Self(place);
            place += 1;
        }
        all
    };

    /// The layer of details: native tiles only, and no pictures. The last row of the table.
    pub const DETAILS: Self = Self(LAYERS.len() - 1);

    const fn info(self) -> &'static LayerInfo {
        &LAYERS[self.0]
    }

    #[cfg(test)]
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layer| layer.name() == name)
    }

    /// The name in commands, in paths and in `map.json`.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// One line for people.
    pub const fn help(self) -> &'static str {
        self.info().help
    }

    pub const fn view(self, has_ceiling: bool) -> View {
        if has_ceiling { self.info().view_with_ceiling } else { self.info().view }
    }

    /// The light in which its inner tiles show textures; `None`: it has none.
    pub const fn inner_tone(self) -> Option<InnerTone> {
        self.info().inner_tone
    }

    /// Returns whether it needs the light that falls on columns.
    pub const fn is_lit(self) -> bool {
        self.info().is_lit
    }

    /// Returns whether it is made to lie over another layer.
    pub const fn is_overlay(self) -> bool {
        self.info().is_overlay
    }

    /// Returns whether its pixels depend on the world's seed.
    pub const fn needs_seed(self) -> bool {
        self.info().needs_seed
    }

    /// Returns whether it shows how long players were near.
    pub const fn needs_inhabited_time(self) -> bool {
        self.info().needs_inhabited_time
    }

    /// Returns whether it can show anything of a dimension.
    pub fn shows_dimension(self, dimension: &str) -> bool {
        self.info().dimension.is_none_or(|only| only == dimension)
    }

    /// The number for height 0; `None`: its pixels are no numbers.
    pub const fn number_of_zero(self) -> Option<i32> {
        match self.samples() {
            Samples::Numbers => Some(height16::ZERO),
            Samples::Colours | Samples::Heights => None,
        }
    }

    pub const fn samples(self) -> Samples {
        self.info().samples
    }

    /// Returns whether its tiles are no pictures, but files with a form of their own.
    pub const fn is_details(self) -> bool {
        self.info().is_details
    }

    /// The meaning of its colours on a map with these names; empty if they need no legend.
    pub fn legend<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Vec<Legend> {
        self.info().legend.legend(names)
    }

    /// The colour of a name; `None`: the legend does not depend on names.
    pub fn colour_of_name(self, name: &str) -> Option<Pixel> {
        self.info().legend.name_colour(name)
    }

    /// Makes a painter. Without `slimes` a layer of slime chunks stays empty.
    pub fn painter(self, choices: Choices, palette: &Arc<Palette>, slimes: Option<Slimes>) -> Box<dyn LayerPainter> {
        (self.info().painter)(palette, choices, slimes)
    }
}

/// The user's choices of how layers look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Choices {
    /// Blocks between two contour lines of layer `height`; 0: no lines.
    pub contours: u16,
}

impl Choices {
    /// Keeps the choices on which a layer's pixels depend.
    pub fn for_layer(self, layer: Layer) -> Self {
        if layer.info().has_contours { self } else { Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(is_in: impl Fn(Layer) -> bool) -> Vec<&'static str> {
        Layer::ALL.into_iter().filter(|&layer| is_in(layer)).map(Layer::name).collect()
    }

    #[test]
    fn every_layer_has_a_name_of_its_own() {
        for (place, layer) in Layer::ALL.into_iter().enumerate() {
            assert_eq!((layer, Layer::from_name(layer.name())), (Layer(place), Some(layer)));
            assert!(!layer.help().is_empty());
        }
        assert_eq!(Layer::default().name(), "day");
        assert_eq!(Layer::from_name("dusk"), None);
    }

    #[test]
    fn only_layers_of_the_land_look_under_a_ceiling() {
        assert_eq!(names(|layer| layer.view(true).is_under_ceiling()), ["day", "night", "cave", "terrain", "biome"]);
        assert_eq!(names(|layer| layer.view(false).land_view().is_some()), ["cave"]);
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
                assert!(entries.iter().all(|(colour, text)| colour.is_opaque() && !text.is_empty()), "{title}");
            }
        }
    }

    #[test]
    fn a_legend_of_names_lists_those_on_the_map() {
        let [biome, height] = ["biome", "height"].map(|name| Layer::from_name(name).unwrap());
        let names = ["minecraft:desert", "mod:heath"];
        let texts: Vec<_> = biome.legend(names).remove(0).entries.into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["desert", "mod:heath"]);
        assert_eq!(biome.legend([]), []);
        assert_eq!(height.legend(["minecraft:desert"]), height.legend([]));
    }
}
