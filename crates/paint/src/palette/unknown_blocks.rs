//! Decides how blocks are drawn that are neither in a table nor in a user's file.

use std::fmt;
use std::str::FromStr;

use crate::palette::table::{Flags, Row, parse_rgb};
use crate::palette::tint::Tint;

/// How to draw blocks that are neither in a table nor in a user's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownBlocks {
    /// Draws them in the colour that the words of their names suggest, or else in a colour that
    /// depends on the name alone.
    #[default]
    Auto,
    /// Does not draw them: they look like air, or like the water around them.
    Hide,
    /// Draws them all in one colour, opaque.
    Colour([u8; 3]),
}

impl fmt::Display for UnknownBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Hide => f.write_str("hide"),
            Self::Colour([r, g, b]) => write!(f, "{r:02x}{g:02x}{b:02x}"),
        }
    }
}

impl FromStr for UnknownBlocks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "hide" => Ok(Self::Hide),
            _ => {
                let rgb = parse_rgb(text.strip_prefix('#').unwrap_or(text));
                rgb.map(Self::Colour)
                    .map_err(|_| "give auto, hide, or a colour such as ff00ff".to_owned())
            }
        }
    }
}

impl UnknownBlocks {
    /// Returns the row of an unknown block. `row` was guessed from the block's name.
    pub(super) fn row(self, row: Row) -> Row {
        match self {
            Self::Auto => row,
            Self::Hide => Row {
                coverage: 0,
                flags: Flags::default(),
                ..row
            },
            Self::Colour(rgb) => Row {
                rgb,
                coverage: 100,
                tint: Tint::None,
                flags: Flags::default(),
                ..row
            },
        }
    }
}
