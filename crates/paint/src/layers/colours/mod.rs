//! Computes the colour of a column: colour tables, tints that blend over borders of biomes, relief and
//! tone.

pub(crate) mod colour_cache;
pub(crate) mod mix;
pub(crate) mod relief;
pub(crate) mod tint;
pub(crate) mod tone;
pub(crate) mod window;
