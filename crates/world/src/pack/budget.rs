//! Limits the bytes that are read from packs.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most bytes that are read in all from packs that share a [`Budget`].
pub const MAX_TOTAL: u64 = 1 << 30;

/// The number of bytes that may still be read from a group of packs. Clones share it.
#[derive(Debug, Clone)]
pub struct Budget(pub(super) Arc<AtomicU64>);

impl Default for Budget {
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(MAX_TOTAL)))
    }
}

/// A file of a pack that is read from its start, at most up to its limit. Its bytes count against
/// the budget of the pack.
pub(crate) struct LimitedFile<'a> {
    source: Box<dyn Read>,
    limit: u64,
    /// The number of bytes up to the limit.
    left: u64,
    budget: &'a Budget,
}

impl<'a> LimitedFile<'a> {
    pub(crate) fn new(source: Box<dyn Read>, limit: u64, budget: &'a Budget) -> Self {
        Self {
            source,
            limit,
            left: limit,
            budget,
        }
    }
}

impl Read for LimitedFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Budget(remaining) = self.budget;
        let in_budget = remaining.load(Ordering::Relaxed);

        // One more byte than allowed shows that the file is too long.
        let allowed = self.left.min(in_budget);
        let most = usize::try_from(allowed + 1).unwrap_or(usize::MAX);
        let most = buffer.len().min(most);
        let read = self.source.read(&mut buffer[..most])?;

        let len = read as u64;
        remaining.store(in_budget.saturating_sub(len), Ordering::Relaxed);

        let reason = match len {
            _ if len <= allowed => {
                self.left -= len;
                return Ok(read);
            }
            _ if len > self.left => format!("more than {} MiB", self.limit >> 20),
            _ => format!("the packs together have more than {} MiB", MAX_TOTAL >> 20),
        };
        Err(io::Error::other(reason))
    }
}
