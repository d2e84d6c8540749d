//! The layers that show land: by day, at night, below it, and by biome.

pub(crate) mod biome;
mod biome_colours;
pub(crate) mod cave;
pub(crate) mod day;
pub(crate) mod night;
