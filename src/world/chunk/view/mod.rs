//! The parts of a chunk's view that need more than one form: walks down the columns, biomes, light
//! and beds.

mod beds;
mod biomes;
mod down;
mod light;
