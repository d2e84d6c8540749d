//! Bounds on what is inflated: of one chunk, and of a region.

use super::Fault;
use crate::coord::Slot;

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

/// Spent by the chunks of one region so far.
#[derive(Debug, Default)]
pub(super) struct Budget {
    /// Bytes that the chunks inside the border have cost.
    pub(super) inflated: u64,
    /// Bytes that were read again only to be hashed.
    hashed: u64,
}

impl Budget {
    /// Returns what the chunk in `slot` may inflate to now.
    pub(super) fn allowance(&self, slot: Slot) -> Allowance {
        let is_spent = !slot.is_on_border() && self.inflated > MAX_REGION;
        Allowance { most: if is_spent { SHORT_CHUNK } else { MAX_INFLATED }, is_spent, reached: 0 }
    }

    /// Counts what the chunk in `slot` has cost.
    pub(super) fn charge(&mut self, slot: Slot, bytes: usize) {
        if !slot.is_on_border() {
            self.inflated += bytes as u64;
        }
    }

    /// Returns whether more may be read only to be hashed: a file whose slots all lead to the same large record would
    /// be read a thousand times.
    pub(super) fn may_hash(&self) -> bool {
        self.hashed <= MAX_REGION
    }

    /// Counts bytes that were read only to be hashed.
    pub(super) fn hashed(&mut self, bytes: usize) {
        self.hashed += bytes as u64;
    }
}

/// Room that one chunk may take.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    most: usize,
    /// The chunks before it have spent what the region may cost.
    is_spent: bool,
    /// Room that was taken: the same for the same record, whatever was read before.
    pub(super) reached: usize,
}

impl Allowance {
    /// The allowance of a chunk in a region that has spent nothing.
    pub(super) const FULL: Self = Self { most: MAX_INFLATED, is_spent: false, reached: 0 };

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
