//! Limits of what may be inflated, per chunk and per region.

use crate::base::coord::Slot;
use crate::world::bytes::fault::Fault;

pub const MAX_INFLATED: usize = 64 << 20;
/// The most bytes that a chunk may inflate to once its region's budget is spent. Nearly every chunk is smaller: sound
/// ones must not pay for a few bombs.
pub(crate) const SHORT_CHUNK: usize = 512 << 10;
/// The most bytes that the chunks of one region may inflate to: more is a bomb. Chunks on the border are not counted,
/// as neighbours read them in any order: which chunks are refused then depends on the file alone.
pub(crate) const MAX_REGION: u64 = 2 << 30;
/// Bytes that a record may have beyond its plain bytes: enough for data that deflate cannot shrink.
const OVERHEAD: usize = 1 << 20;

/// How many bytes one chunk may inflate to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    limit: usize,
    /// Whether the chunks before it have spent the region's budget.
    is_spent: bool,
    /// Bytes that were taken so far: equal for equal records, whatever was read before.
    pub(crate) reached: usize,
}

impl Allowance {
    /// The allowance of a chunk in a region that has spent nothing.
    pub(crate) const FULL: Self = Self { limit: MAX_INFLATED, is_spent: false, reached: 0 };

    /// The allowance of the chunk in `slot` of a region whose chunks have cost `inflated` bytes so far.
    pub(crate) fn for_slot(inflated: u64, slot: Slot) -> Self {
        let is_spent = !slot.is_on_border() && inflated > MAX_REGION;
        Self { limit: if is_spent { SHORT_CHUNK } else { MAX_INFLATED }, is_spent, reached: 0 }
    }

    pub(crate) const fn limit(&self) -> usize {
        self.limit
    }

    /// Takes `bytes` plain bytes in all.
    ///
    /// # Errors
    /// The chunk may not have that many.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), Fault> {
        self.reached = self.reached.max(bytes.min(self.limit));
        if bytes > self.limit { Err(self.refusal()) } else { Ok(()) }
    }

    /// Checks the length of a record.
    ///
    /// # Errors
    /// It is longer than any record that the chunk could have.
    pub(crate) const fn admit(&self, stored: usize) -> Result<(), Fault> {
        if stored > self.limit + OVERHEAD { Err(self.refusal()) } else { Ok(()) }
    }

    /// The fault of a chunk that is too large.
    pub(crate) const fn refusal(&self) -> Fault {
        if self.is_spent { Fault::RegionTooLarge } else { Fault::TooLarge }
    }
}
