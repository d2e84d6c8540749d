//! Reads the folders of FTB Chunks, which draws a map on the client.
//!
//! A region file is a zip of pictures with one pixel per column. Their colours are numbers: the
//! height, the block, the biome and the light. Two lists in the folder of the server name blocks and
//! biomes. The mod also stores the tints of each column, which are not read, because biomes have
//! tints here.
//!
//! Source: the writer of the mod (FTBTeam/FTB-Chunks).

mod folders;
mod info;
mod names;
mod region_file;

pub(super) use info::INFO;
