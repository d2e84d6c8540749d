//! Legends: what the colours of a layer stand for, worked out by the very means that paint it.

use super::painter::Layer;
use super::{biome, cave, height, inhabited, version};
use crate::tile::Pixel;

/// A part of a legend: colours that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Legend {
    /// What its texts tell, with the unit.
    pub title: &'static str,
    /// Whether what lies between two of its texts has a colour between theirs.
    pub is_scale: bool,
    /// Colours and what they stand for, as they are to be read from the top down.
    pub entries: Vec<(Pixel, String)>,
}

impl Layer {
    /// What its colours stand for; nothing where they speak for themselves. `names` are those of what is on the map, of
    /// a layer that tells them apart.
    pub fn legend<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Vec<Legend> {
        match self {
            Self::Cave => cave::legend(),
            Self::Height => height::legend(),
            Self::Biome => biome::legend(names),
            Self::Version => version::legend(),
            Self::Inhabited => inhabited::legend(),
            Self::Day | Self::Night | Self::Roof | Self::Height16 | Self::Slime => Vec::new(),
        }
    }

    /// The colour of a name, of a layer whose legend hangs on which names there are.
    pub fn colour_of_name(self, name: &str) -> Option<Pixel> {
        (self == Self::Biome).then(|| biome::pixel_of(name))
    }
}

/// A scale by height or depth, from its last place to its first; `colour` says how a place is painted.
pub(super) fn scale(
    title: &'static str,
    places: impl DoubleEndedIterator<Item = i16>,
    colour: impl Fn(i16) -> Pixel,
) -> Legend {
    let entries = places.map(|place| (colour(place), place.to_string())).collect();
    Legend { title, is_scale: true, entries }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_legend_says_has_a_colour_and_a_text_each_once() {
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
    fn only_names_that_are_on_the_map_are_in_a_legend() {
        let names = ["minecraft:desert", "mod:heath"];
        let texts: Vec<_> = Layer::Biome.legend(names).remove(0).entries.into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["desert", "mod:heath"]);
        assert_eq!(Layer::Biome.legend([]), []);
        assert_eq!(Layer::Height.legend(["minecraft:desert"]), Layer::Height.legend([]));
    }
}
