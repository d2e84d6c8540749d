//! Names that the other crates of this project use. They may change in any version, so programs of
//! other people should use the names at the crate's root.

pub use crate::bytes::{
    ChunkHash, ChunkRecord, ChunkStorage, Fault, FileDamage, Form, Inflater, NO_RECORD, Stamp,
    UNOPENED, UNSTABLE, join_hashes,
};
pub use crate::explored::{
    MapMod, Waypoint, XaeroNumbers, XaeroRegion, XaeroWaypoint, dimension_folder,
    waypoint_dimension_folder, xaero_names,
};
pub use crate::region::{
    ChunkExtent, ChunkPass, Companion, EarlyChunk, EarlyReaders, Region, RegionEntry, RegionStore,
};
pub use crate::save::{
    AnyValue, ContraptionMod, Dimension, DimensionType, DimensionTypes, FirstOf, FramedMap, Level,
    MAP_ITEM_SIDE, MAX_MOD_IDS, MapFrame, MapItemPicture, NoSeed, OldStructure, Player,
    ReservedNames, Seed, Spawns, UnlistedWorld, UnreadableDimension, World, WorldBorder,
    WorldError, WorldPlace, WorldRequest, WorldScope, WorldSummary, canonical_id, dimension_id,
    find_worlds, is_needed, open_files, unformatted, worlds_in,
};
pub use crate::saves::Places;
