//! level.dat and the facts of a world that the game stores in it or next to it: seed, spawn, border
//! and the list of data packs.

pub(crate) mod border;
pub(crate) mod data_packs;
pub(crate) mod level_dat;
pub(crate) mod seed;
pub(crate) mod spawn;
