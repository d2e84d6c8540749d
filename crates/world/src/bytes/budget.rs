//! Limits for the number of bytes that may be inflated, per chunk and per region.

use crate::bytes::fault::{Fault, MAX_INFLATED, MAX_REGION};
use pixelmap_base::coord::Slot;

/// The most bytes that a chunk may inflate to once its region's budget is spent. Nearly every chunk
/// is smaller, so sound chunks do not suffer from a few bombs in their region.
pub(crate) const SHORT_CHUNK: usize = 512 << 10;
/// Number of bytes by which a record may exceed its plain bytes. This is enough for data that
/// deflate cannot shrink.
const OVERHEAD: usize = 1 << 20;

/// The number of bytes that one chunk may inflate to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    limit: usize,
    /// Whether the chunks before it have spent the region's budget.
    is_spent: bool,
    /// Number of bytes used so far. It is the same for equal records, whatever was read before.
    pub(crate) reached: usize,
}

impl Allowance {
    /// The allowance of a chunk in a region that has spent nothing.
    pub(crate) const FULL: Self = Self {
        limit: MAX_INFLATED,
        is_spent: false,
        reached: 0,
    };

    /// Returns the allowance of the chunk in `slot` of a region whose chunks have cost `inflated`
    /// bytes so far.
    pub(crate) fn for_slot(inflated: u64, slot: Slot) -> Self {
        let is_spent = !slot.is_on_border() && inflated > MAX_REGION;
        Self {
            limit: if is_spent { SHORT_CHUNK } else { MAX_INFLATED },
            is_spent,
            reached: 0,
        }
    }

    pub(crate) const fn limit(&self) -> usize {
        self.limit
    }

    /// Raises the use to `bytes` plain bytes in all.
    ///
    /// # Errors
    /// Fails if the chunk may not have that number of bytes.
    pub(crate) fn spend(&mut self, bytes: usize) -> Result<(), Fault> {
        self.reached = self.reached.max(bytes.min(self.limit));
        if bytes > self.limit {
            Err(self.refusal())
        } else {
            Ok(())
        }
    }

    /// Checks the length of a record.
    ///
    /// # Errors
    /// Fails if it is longer than any record that the chunk could have.
    pub(crate) const fn admit(&self, stored: usize) -> Result<(), Fault> {
        if stored > self.limit + OVERHEAD {
            Err(self.refusal())
        } else {
            Ok(())
        }
    }

    /// Returns the fault of a chunk that is too large.
    pub(crate) const fn refusal(&self) -> Fault {
        if self.is_spent {
            Fault::RegionTooLarge
        } else {
            Fault::TooLarge
        }
    }
}
