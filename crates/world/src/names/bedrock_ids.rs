//! The ids of the Bedrock blocks and biomes that one worker has met, and the blocks that have one
//! name for all dyes.

use super::ids::{BiomeId, BlockId, NameMap, NumberMap};

pub(super) const BED: &str = "minecraft:bed";

/// Blocks that have one name for all dyes, with the part of their Java name that follows the dye.
pub(super) const DYED: [(&str, &str); 3] = [
    (BED, "bed"),
    ("minecraft:standing_banner", "banner"),
    ("minecraft:wall_banner", "wall_banner"),
];

/// The ids that one worker has met.
#[derive(Debug, Default)]
pub(super) struct BedrockIds {
    /// Ids by the bytes of a palette's entry: first of dry blocks, then of blocks with water in the
    /// same cell.
    pub(super) entries: [NameMap<BlockId>; 2],
    /// Ids by `id << 4 | data`, filled when a block is first met.
    pub(super) numeric: Vec<Option<BlockId>>,
    pub(super) biomes: NumberMap<u32, BiomeId>,
    /// Ids by a block in any dye and the number of a dye.
    pub(super) dyed: NumberMap<(BlockId, u8), BlockId>,
}

/// Returns the part that follows the dye in the Java name of a block, if Bedrock stores the block
/// by one name for all dyes.
pub(super) fn end_behind_dye(stored: &str) -> Option<&'static str> {
    DYED.iter()
        .find(|(name, _)| *name == stored)
        .map(|(_, end)| *end)
}
