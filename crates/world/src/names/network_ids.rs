//! Holds the ids of the network protocol's numbers that a worker has met.

use super::ids::{BiomeId, BlockId};

/// The blocks and biomes of one protocol that a worker has met, by their numbers.
#[derive(Debug, Default)]
pub(super) struct NetworkIds {
    /// The protocol of the ids. Worlds have files of one protocol, or of few.
    protocol: u16,
    pub(super) blocks: Vec<Option<BlockId>>,
    pub(super) biomes: Vec<Option<BiomeId>>,
}

impl NetworkIds {
    /// Prepares the tables for a protocol.
    pub(super) fn set(&mut self, protocol: u16) {
        if self.protocol != protocol {
            self.protocol = protocol;
            self.blocks.clear();
            self.blocks.resize(1 << 16, None);
            self.biomes.clear();
            self.biomes.resize(1 << 16, None);
        }
    }
}
