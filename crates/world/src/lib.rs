//! Reads worlds: their folder or zip, their region files, and their chunks of any version and
//! edition. This room does not use colours, pixels or tiles.
//!
//! Other rooms use [`World`] with its [`Dimension`]s, [`Region`] with its chunks, and the view of
//! one chunk ([`chunk::Chunk`]).

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "what tests write is no output of the program"
    )
)]

mod alpha;
pub mod anvil;
pub mod bedrock;
pub mod bytes;
pub mod chunk;
pub mod names;
pub mod nbt;
pub mod pack;
mod region;
pub(crate) mod save;
mod saves;

pub use bytes::{
    ChunkHash, ChunkStorage, Fault, FileDamage, Form, Inflater, NO_RECORD, Stamp, UNOPENED,
    UNSTABLE, join_hashes,
};
pub use region::{Companion, Region, RegionEntry, RegionStore};
pub use save::{AnyValue, FirstOf};
pub use save::{
    ContraptionMod, Dimension, DimensionType, DimensionTypes, FramedMap, Level, MAP_ITEM_SIDE,
    MAX_MOD_IDS, MapFrame, MapItemPicture, NoSeed, OldStructure, Player, ReservedNames, Seed,
    Spawns, UnreadableDimension, World, WorldBorder, WorldError, WorldSummary, canonical_id,
    dimension_id, unformatted,
};
pub use saves::Places;
