//! The options that decide the pixels of a tile.

use serde::Serialize;

use crate::base::coord::{Area, YRange};
use crate::draw::request::colours::Colours;
use crate::draw::request::hide::Hide;
use crate::draw::request::shown_options;
use crate::paint::layers::Choices;

/// The options that decide the pixels of a tile. [`Look::key`] covers all of them, and the report shows them in this
/// order.
#[derive(Debug, Clone, Serialize)]
pub struct Look {
    /// The columns to draw, or `None` for all.
    #[serde(serialize_with = "shown_options::corners")]
    pub area: Option<Area>,
    /// The range of heights to draw.
    #[serde(flatten, serialize_with = "shown_options::limits")]
    pub range: YRange,
    /// Whether chunks that the game has not finished are drawn.
    pub unfinished: bool,
    /// The places that must not be shown.
    #[serde(serialize_with = "shown_options::are_any")]
    pub hide: Vec<Hide>,
    /// A chunk is only shown if players spent at least this many seconds in it, summed over all players.
    #[serde(serialize_with = "shown_options::above_zero")]
    pub min_inhabited: u32,
    /// The user's choices of how the layers look.
    #[serde(skip)]
    pub choices: Choices,
    #[serde(skip)]
    pub colours: Colours,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            area: None,
            range: YRange::ALL,
            unfinished: false,
            hide: Vec::new(),
            min_inhabited: 0,
            choices: Choices::default(),
            colours: Colours::default(),
        }
    }
}

/// A look as a part of keys in the journal.
pub(crate) struct LookKey {
    pub(crate) choices: Choices,
    /// The text of the options that every key contains.
    pub(crate) shown: String,
    /// The texts of options that older maps do not have. An option is left out if it has its default, so that these
    /// maps keep their keys.
    pub(crate) added: String,
}

impl Look {
    /// Returns the texts of all options for keys. Every field must be named here, because otherwise a map would keep
    /// tiles that were drawn with another value.
    pub(crate) fn key(&self) -> LookKey {
        let Self { area, range, unfinished, min_inhabited, choices, hide, colours } = self;
        // The hashes of the chunks leave out hidden places, and the palette has a fingerprint of its own.
        let _: (&[Hide], &Colours) = (hide, colours);
        let shown = format!("{} {} {unfinished}", area_text(*area), range_text(*range));
        let added = if *min_inhabited > 0 { format!(" {min_inhabited} s") } else { String::new() };
        LookKey { choices: *choices, shown, added }
    }
}

// A key is stored in the map, so the texts of values must not change when a field gets another name: all tiles of all
// maps would be drawn again.

fn area_text(area: Option<Area>) -> String {
    optional_text(area.map(|Area { x0, z0, x1, z1 }| format!("Area {{ x0: {x0}, z0: {z0}, x1: {x1}, z1: {z1} }}")))
}

fn range_text(YRange { min, max }: YRange) -> String {
    format!("YRange {{ min: {min}, max: {max} }}")
}

pub(super) fn choices_text(Choices { contours }: Choices) -> String {
    format!("Choices {{ contours: {contours} }}")
}

pub(super) fn optional_text(text: Option<String>) -> String {
    text.map_or_else(|| "None".to_owned(), |text| format!("Some({text})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_looks_in_keys_never_change() {
        let LookKey { choices, shown, added } = Look::default().key();
        assert_eq!(shown, "None YRange { min: -2048, max: 2047 } false");
        assert_eq!((choices_text(choices).as_str(), added.as_str()), ("Choices { contours: 0 }", ""));
        let look = Look {
            area: Some(Area { x0: -1, z0: 2, x1: 3, z1: 4 }),
            range: YRange { min: -64, max: 319 },
            unfinished: true,
            min_inhabited: 60,
            ..Look::default()
        };
        let LookKey { shown, added, .. } = look.key();
        assert_eq!(shown, "Some(Area { x0: -1, z0: 2, x1: 3, z1: 4 }) YRange { min: -64, max: 319 } true");
        assert_eq!(added, " 60 s");
    }
}
