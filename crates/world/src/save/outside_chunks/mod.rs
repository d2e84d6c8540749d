//! Things with a position in the world that the game stores outside its chunks: players, map items
//! in frames, structures before 1.13, contraptions of mods, and the waypoints of players in the folders
//! of map mods.

pub(crate) mod contraptions;
pub(crate) mod framed_maps;
pub(crate) mod old_structures;
pub(crate) mod players;
mod waypoints;
