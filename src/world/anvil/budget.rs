//! Bounds on what is inflated: of one chunk, and of a region.

use super::Fault;
use crate::base::coord::Slot;

/// The most bytes a chunk may inflate to.
pub const MAX_INFLATED: usize = 64 << 20;
/// The most bytes a chunk may inflate to once its region's budget is spent. Nearly every chunk is shorter: sound ones
/// must not pay for a few bombs.
pub(super) const SHORT_CHUNK: usize = 512 << 10;
/// The most bytes that the chunks of one region may inflate to: more than this is a bomb. Chunks along the border are
/// not counted, as neighbours read them in any order: which chunks are refused then depends on the file alone.
pub(super) const MAX_REGION: u64 = 2 << 30;
/// Bytes that a record may have beyond its plain bytes: enough for bytes that do not shrink.
const OVERHEAD: usize = 1 << 20;

/// Room that one chunk may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowance {
    most: usize,
    /// The chunks before it have spent what the region may cost.
    is_spent: bool,
    /// Room that was taken: the same for the same record, whatever was read before.
    pub(super) reached: usize,
}

impl Allowance {
    /// The allowance of a chunk in a region that has spent nothing.
    pub(super) const FULL: Self = Self { most: MAX_INFLATED, is_spent: false, reached: 0 };

    /// The allowance of the chunk in `slot` of a region whose chunks have cost so many bytes.
    pub(super) fn after(inflated: u64, slot: Slot) -> Self {
        let is_spent = !slot.is_on_border() && inflated > MAX_REGION;
        Self { most: if is_spent { SHORT_CHUNK } else { MAX_INFLATED }, is_spent, reached: 0 }
    }

    /// The most plain bytes.
    pub(super) const fn most(&self) -> usize {
        self.most
    }

    /// Takes room for so many plain bytes.
    ///
    /// # Errors
    /// The chunk may not have so many.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), Fault> {
        self.reached = self.reached.max(bytes.min(self.most));
        if bytes > self.most { Err(self.refusal()) } else { Ok(()) }
    }

    /// Returns whether a record of so many stored bytes may be read.
    ///
    /// # Errors
    /// It is longer than any record of so many plain bytes.
    pub(super) const fn admit(&self, stored: usize) -> Result<(), Fault> {
        if stored > self.most + OVERHEAD { Err(self.refusal()) } else { Ok(()) }
    }

    /// The fault of a chunk that is larger than it may be.
    pub(super) const fn refusal(&self) -> Fault {
        if self.is_spent { Fault::RegionTooLarge } else { Fault::TooLarge }
    }
}
