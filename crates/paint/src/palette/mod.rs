//! Maps blocks and biomes to colours, by their names.
//!
//! The tables next to this file are text, so that they can be reviewed: `blocks.tsv` (made by the
//! [`resolver`] from `rules.tsv` and the game's assets), `biomes.tsv`, and the two tables of
//! numeric ids. A name that is in none of the tables is read as words that describe the block.
//! Nothing here depends on chunks or positions.

mod biomes;
mod error;
mod guesses;
mod lights;
mod lookup;
mod map_item;
mod no_roof;
mod overrides;
pub mod resolver;
mod sources;
mod table;
mod tint;
mod unknown;
mod unknown_blocks;
mod upper_half;

pub use error::PaletteError;
pub use lookup::{Base, Paint, Palette};
pub use tint::{BiomeTints, Tint};
pub use unknown_blocks::UnknownBlocks;

#[cfg(test)]
mod tests;
