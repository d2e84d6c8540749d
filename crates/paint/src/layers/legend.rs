//! Legends explain the colours of a layer. They are computed by the same code that paints the
//! colours, so they cannot disagree.

use pixelmap_tile::Pixel;

/// A part of a legend: colours that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Legend {
    /// The quantity or kind that the texts name, with its unit.
    pub title: &'static str,
    /// Whether a value between the values of two entries has a colour between their colours.
    pub is_scale: bool,
    /// Colours and their texts, from the top down.
    pub entries: Vec<(Pixel, String)>,
}

/// The source of a layer's legend.
#[derive(Debug, Clone, Copy)]
pub(super) enum LegendSource {
    /// The layer needs no legend, because its colours explain themselves.
    None,
    /// The legend is the same for every map.
    Fixed(fn() -> Vec<Legend>),
    /// The legend contains only the entries whose texts are names on the map.
    Shown(fn() -> Vec<Legend>),
    /// The legend contains one entry per name on the map.
    Names {
        title: &'static str,
        colour: fn(&str) -> Pixel,
    },
}

impl LegendSource {
    pub(super) fn legend<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Vec<Legend> {
        match self {
            Self::None => Vec::new(),
            Self::Fixed(legend) => legend(),
            Self::Shown(legend) => {
                let names: Vec<&str> = names.into_iter().collect();
                let mut parts = legend();
                for part in &mut parts {
                    part.entries
                        .retain(|(_, text)| names.contains(&text.as_str()));
                }
                parts.retain(|part| !part.entries.is_empty());
                parts
            }
            Self::Names { title, colour } => {
                let text = |name: &str| name.strip_prefix("minecraft:").unwrap_or(name).to_owned();
                let entries: Vec<_> = names
                    .into_iter()
                    .map(|name| (colour(name), text(name)))
                    .collect();

                if entries.is_empty() {
                    Vec::new()
                } else {
                    vec![Legend {
                        title,
                        is_scale: false,
                        entries,
                    }]
                }
            }
        }
    }

    /// Returns the colour of a name, or `None` if the legend does not depend on names or does not
    /// contain the name.
    pub(super) fn name_colour(self, name: &str) -> Option<Pixel> {
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

/// Makes a scale of heights or depths, with the values in the given order.
pub(super) fn scale(
    title: &'static str,
    values: impl DoubleEndedIterator<Item = i16>,
    colour: impl Fn(i16) -> Pixel,
) -> Legend {
    let entries = values
        .map(|value| (colour(value), value.to_string()))
        .collect();
    Legend {
        title,
        is_scale: true,
        entries,
    }
}
