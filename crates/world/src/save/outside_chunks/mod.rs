//! Things with a position in the world that the game stores outside its chunks: players, map items
//! in frames, structures before 1.13, and contraptions of mods.

pub(crate) mod contraptions;
pub(crate) mod framed_maps;
pub(crate) mod old_structures;
pub(crate) mod players;
