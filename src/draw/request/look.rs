//! The options that decide the pixels of a tile.

use crate::base::coord::{Area, YRange};
use crate::draw::request::colours::Colours;
use crate::draw::request::hide::Hide;
use crate::paint::layers::Choices;

/// The options that decide the pixels of a tile. The fingerprint covers all of them.
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
    /// A chunk is only shown if players spent at least this many seconds in it, summed over all players.
    pub min_inhabited: u32,
    /// The user's choices of how the layers look.
    pub choices: Choices,
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
