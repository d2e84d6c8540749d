//! Legends: the meaning of a layer's colours, worked out by the same code that paints them.

use crate::tile::Pixel;

/// A part of a legend: colours that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Legend {
    /// The quantity or kind that the texts name, with its unit.
    pub title: &'static str,
    /// True where a value between two texts has a colour between theirs.
    pub is_scale: bool,
    /// Colours and their texts, from the top down.
    pub entries: Vec<(Pixel, String)>,
}

/// The source of a layer's legend.
#[derive(Debug, Clone, Copy)]
pub(super) enum LegendSource {
    /// The colours need no legend.
    None,
    /// The legend is the same for every map.
    Fixed(fn() -> Vec<Legend>),
    /// Of this legend, the entries whose texts are names on the map.
    Shown(fn() -> Vec<Legend>),
    /// One entry for each name on the map.
    Names {
        /// The legend's title.
        title: &'static str,
        /// Gives a name its colour.
        colour: fn(&str) -> Pixel,
    },
}

impl LegendSource {
    /// The legend of a map on which these names are.
    pub(super) fn legend<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Vec<Legend> {
        match self {
            Self::None => Vec::new(),
            Self::Fixed(legend) => legend(),
            Self::Shown(legend) => {
                let names: Vec<&str> = names.into_iter().collect();
                let mut parts = legend();
                for part in &mut parts {
                    part.entries.retain(|(_, text)| names.contains(&text.as_str()));
                }
                parts.retain(|part| !part.entries.is_empty());
                parts
            }
            Self::Names { title, colour } => {
                let text = |name: &str| name.strip_prefix("minecraft:").unwrap_or(name).to_owned();
                let entries: Vec<_> = names.into_iter().map(|name| (colour(name), text(name))).collect();
                if entries.is_empty() { Vec::new() } else { vec![Legend { title, is_scale: false, entries }] }
            }
        }
    }

    /// The colour of a name, where the legend depends on names.
    pub(super) fn colour_of(self, name: &str) -> Option<Pixel> {
        match self {
            Self::None | Self::Fixed(_) => None,
            Self::Shown(legend) => {
                let mut entries = legend().into_iter().flat_map(|part| part.entries);
                entries.find_map(|(colour, text)| (text == name).then_some(colour))
            }
            Self::Names { colour, .. } => Some(colour(name)),
        }
    }
}

/// A scale by height or depth, from the last value to the first. `colour` gives each value its colour.
pub(super) fn scale(
    title: &'static str,
    values: impl DoubleEndedIterator<Item = i16>,
    colour: impl Fn(i16) -> Pixel,
) -> Legend {
    let entries = values.map(|value| (colour(value), value.to_string())).collect();
    Legend { title, is_scale: true, entries }
}
