//! Identifies a block of the database by its numbers.

/// A block of a table of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BlockRef {
    /// Index of the table in the database.
    pub(crate) table: u32,
    /// Index of the block in the table.
    pub(crate) block: u32,
}

impl BlockRef {
    /// Stands for the logs instead of a block.
    pub(crate) const LOGS: Self = Self {
        table: u32::MAX,
        block: 0,
    };
    /// Stands for an unknown block in which an earlier run found a chunk that cannot be found now.
    /// Nothing can be read there.
    pub(crate) const MISSING: Self = Self {
        table: u32::MAX - 1,
        block: 0,
    };
}
