//! The options that decide the pixels of a tile.

use crate::request::colours::Colours;
use crate::request::hide::Hide;
use pixelmap_base::coord::{Area, YRange};
use pixelmap_base::hash::KeyHasher;
use pixelmap_paint::layers::Choices;
use pixelmap_paint::palette::UnknownBlocks;
use pixelmap_paint::surface::TICKS_A_SECOND;

/// The options that decide the pixels of a tile. `Look::add_to_key` covers all of them.
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
            unknown: UnknownBlocks::Auto,
            assets: Vec::new(),
        },
    };

    /// Returns the least time that players must have spent in a chunk, in the game's ticks.
    pub(crate) fn min_ticks(&self) -> u64 {
        u64::from(self.min_inhabited) * TICKS_A_SECOND
    }

    /// Adds the options to a key. Every field must be named here, because otherwise a map would
    /// keep tiles that were drawn with another value.
    pub(crate) fn add_to_key(&self, key: &mut KeyHasher) {
        // The hashes of the chunks leave out hidden places, the palette has a fingerprint of its
        // own, and each layer adds its choices.
        let Self {
            area,
            range,
            unfinished,
            min_inhabited,
            choices: _,
            hide: _,
            colours: _,
        } = self;

        match *area {
            Some(Area { x0, z0, x1, z1 }) => key.add_numbers(&[x0, z0, x1, z1]),
            None => key.add_numbers(&[]),
        }
        let YRange { min, max } = *range;
        key.add_numbers(&[min, max]);
        key.add(*unfinished);
        key.add(*min_inhabited);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_changes_the_key() {
        let key = |look: &Look| {
            let mut key = KeyHasher::default();
            look.add_to_key(&mut key);
            key.finish()
        };

        let area = Area {
            x0: -1,
            z0: 2,
            x1: 3,
            z1: 4,
        };
        let looks = [
            Look::default(),
            Look {
                area: Some(area),
                ..Look::default()
            },
            Look {
                range: YRange { min: -64, max: 319 },
                ..Look::default()
            },
            Look {
                unfinished: true,
                ..Look::default()
            },
            Look {
                min_inhabited: 60,
                ..Look::default()
            },
        ];
        let keys: std::collections::BTreeSet<u64> = looks.iter().map(key).collect();
        assert_eq!(keys.len(), looks.len());
    }
}
