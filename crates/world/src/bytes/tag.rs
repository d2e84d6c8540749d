//! The tags in the keys of a Bedrock Edition chunk, for all values that are read.

/// Heights and biomes of all sections, since 1.18.
pub(crate) const DATA_3D: u8 = 43;
/// The chunk's version, since 1.16.100.
pub(crate) const VERSION: u8 = 44;
pub(crate) const DATA_2D: u8 = 45;
pub(crate) const DATA_2D_LEGACY: u8 = 46;
/// The blocks of a section.
pub(crate) const SECTION: u8 = 47;
/// All blocks of a chunk before 1.0.
pub(crate) const LEGACY_TERRAIN: u8 = 48;
pub(crate) const BLOCK_ENTITIES: u8 = 49;
pub(crate) const FINALIZED: u8 = 54;
pub(crate) const SPAWNERS: u8 = 57;
/// The hash by which the world's table of facts about chunks has this chunk.
pub(crate) const FACTS_HASH: u8 = 63;
/// The chunk's version before 1.16.100.
pub(crate) const LEGACY_VERSION: u8 = 118;
