//! The options that decide the pixels of a tile.

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::base::coord::{Area, YRange};
use crate::draw::request::colours::Colours;
use crate::draw::request::hide::Hide;
use crate::paint::layers::Choices;
use crate::paint::palette::Unknown;
use crate::paint::surface::TICKS_A_SECOND;

/// The options that decide the pixels of a tile. `Look::key` covers all of them, and the report
/// shows them.
#[derive(Debug, Clone)]
pub struct Look {
    /// The columns to draw, or `None` for all.
    pub area: Option<Area>,
    /// The range of heights to draw.
    pub range: YRange,
    /// Whether chunks that the game has not finished are drawn.
    pub unfinished: bool,
    /// The places that must not be shown.
    pub hide: Vec<Hide>,
    /// A chunk is only shown if players spent at least this many seconds in it, summed over all
    /// players.
    pub min_inhabited: u32,
    /// The user's choices of how the layers look.
    pub choices: Choices,
    pub colours: Colours,
}

impl Default for Look {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Writes the options for the report.
impl Serialize for Look {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        // The report shows choices nowhere, and colours at their own place.
        let Self {
            area,
            range,
            unfinished,
            hide,
            min_inhabited,
            choices: _,
            colours: _,
        } = self;

        let limit = |y: i32, full: i32| Some(y).filter(|&y| y != full);
        let mut shown = to.serialize_map(None)?;
        shown.serialize_entry(
            "area",
            &area.map(|Area { x0, z0, x1, z1 }| [x0, z0, x1, z1]),
        )?;
        shown.serialize_entry("min_y", &limit(range.min, YRange::ALL.min))?;
        shown.serialize_entry("max_y", &limit(range.max, YRange::ALL.max))?;
        shown.serialize_entry("unfinished", unfinished)?;

        // The report must not name hidden places.
        shown.serialize_entry("hide", &!hide.is_empty())?;
        shown.serialize_entry(
            "min_inhabited",
            &Some(min_inhabited).filter(|&&seconds| seconds > 0),
        )?;

        shown.end()
    }
}

/// A look as a part of keys in the journal.
pub(crate) struct LookKey {
    pub(crate) choices: Choices,
    /// The text of the options that every key contains.
    pub(crate) shown: String,
    /// The texts of options that older maps do not have. An option is left out if it has its
    /// default, so that these maps keep their keys.
    pub(crate) added: String,
}

impl Look {
    pub(crate) const DEFAULT: Self = Self {
        area: None,
        range: YRange::ALL,
        unfinished: false,
        hide: Vec::new(),
        min_inhabited: 0,
        choices: Choices { contours: 0 },
        colours: Colours {
            palettes: Vec::new(),
            unknown: Unknown::Auto,
            assets: Vec::new(),
        },
    };

    /// Returns the least time that players must have spent in a chunk, in the game's ticks.
    pub(crate) fn min_ticks(&self) -> u64 {
        u64::from(self.min_inhabited) * TICKS_A_SECOND
    }

    /// Returns the texts of all options for keys. Every field must be named here, because otherwise
    /// a map would keep tiles that were drawn with another value.
    pub(crate) fn key(&self) -> LookKey {
        // The hashes of the chunks leave out hidden places, and the palette has a fingerprint of
        // its own.
        let Self {
            area,
            range,
            unfinished,
            min_inhabited,
            choices,
            hide: _,
            colours: _,
        } = self;
        let shown = format!("{} {} {unfinished}", area_text(*area), range_text(*range));

        let added = if *min_inhabited > 0 {
            format!(" {min_inhabited} s")
        } else {
            String::new()
        };

        LookKey {
            choices: *choices,
            shown,
            added,
        }
    }
}

// A key is stored in the map, so the texts of values must not change when a field gets another
// name: all tiles of all maps would be drawn again.

fn area_text(area: Option<Area>) -> String {
    optional_text(area.map(|Area { x0, z0, x1, z1 }| {
        format!("Area {{ x0: {x0}, z0: {z0}, x1: {x1}, z1: {z1} }}")
    }))
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
        let LookKey {
            choices,
            shown,
            added,
        } = Look::default().key();

        assert_eq!(shown, "None YRange { min: -2048, max: 2047 } false");
        assert_eq!(
            (choices_text(choices).as_str(), added.as_str()),
            ("Choices { contours: 0 }", "")
        );

        let look = Look {
            area: Some(Area {
                x0: -1,
                z0: 2,
                x1: 3,
                z1: 4,
            }),
            range: YRange { min: -64, max: 319 },
            unfinished: true,
            min_inhabited: 60,
            ..Look::default()
        };

        let LookKey { shown, added, .. } = look.key();
        assert_eq!(
            shown,
            "Some(Area { x0: -1, z0: 2, x1: 3, z1: 4 }) YRange { min: -64, max: 319 } true"
        );
        assert_eq!(added, " 60 s");
    }
}
