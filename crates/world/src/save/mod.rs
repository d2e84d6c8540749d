//! A world, in a folder or an archive: its dimensions, their regions, level.dat, and other things
//! that it stores outside chunks.
//!
//! Layouts are recognized by folders, never by a version: the game's own layouts before and since
//! 26.1, the split folders of Bukkit servers, or the folder of a dimension or a `region` folder
//! given directly. Only `region` contains terrain; `entities` and `poi` contain files with the same
//! names. The contents of chunks are read elsewhere.

mod bedrock;
mod dat;
mod dimensions;
mod entries;
mod error;
mod explored;
mod foreign_formats;
mod formatting_codes;
mod found_worlds;
mod layout;
mod left_out;
mod level;
mod level_files;
mod little_values;
mod open;
mod outside_chunks;
mod player;
mod scope;
mod stored_values;
mod summary;
mod unlisted;
mod world;
mod world_archive;
mod zvcr;

pub use dimensions::dimension::{Dimension, UnreadableDimension, canonical_id};
pub use dimensions::dimension_type::DimensionType;
pub use dimensions::dimension_types::DimensionTypes;
pub use dimensions::namespaced::{ReservedNames, dimension_id};
pub use error::WorldError;
pub use formatting_codes::unformatted;
pub use found_worlds::{WorldPlace, find_worlds, worlds_in};
pub use level::border::WorldBorder;
pub use level::level_dat::{Level, MAX_MOD_IDS};
pub use level::seed::{NoSeed, Seed};
pub use level::spawn::Spawns;
pub use outside_chunks::contraptions::ContraptionMod;
pub use outside_chunks::framed_maps::{FramedMap, MAP_ITEM_SIDE, MapFrame, MapItemPicture};
pub use outside_chunks::old_structures::OldStructure;
pub use player::Player;
pub use scope::{WorldRequest, WorldScope};
pub use stored_values::{AnyValue, FirstOf};
pub use summary::WorldSummary;
pub use unlisted::UnlistedWorld;
pub use world::World;
pub use world_archive::{is_needed, open_files};
