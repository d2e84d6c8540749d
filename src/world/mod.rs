//! Everything that is read of a world: its folder or zip, its region files, and its chunks of any generation. Knows no
//! colours, pixels or tiles.

pub mod anvil;
pub mod chunk;
pub mod files;
pub mod folder;
pub mod names;
pub mod nbt;
pub mod pack;
