//! What tells that a region file, or a record in it, is another one than before: stamps of files, and hashes of records.

use std::fs::Metadata;

use twox_hash::XxHash3_64;

use super::Fault;

/// A hash of everything that a chunk is read from: its record as it is stored, and the file of its own that it may have.
/// Nothing is inflated for it. [`NO_RECORD`], [`UNSETTLED`] and [`UNOPENED`] are no hashes.
pub type ChunkHash = u64;

/// The hash of a slot in which nothing is stored.
pub const NO_RECORD: ChunkHash = 0;
/// The hash of every slot of a file that cannot be opened.
pub const UNOPENED: ChunkHash = 1;
/// The hash of a chunk of which nothing can be said that would hold the next time, such as one that could not be read
/// from a failing disk. It equals no other hash, itself among them.
pub const UNSETTLED: ChunkHash = u64::MAX;

/// Seeds, so that equal bytes that mean different things have different hashes.
const FAULT: u64 = 1 << 32;
const EXTERNAL: u64 = 1 << 33;

/// What the system and its header say of a region file, or the system alone of a file beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamp {
    /// Length in bytes.
    pub len: u64,
    /// When its bytes were written last, in nanoseconds since 1970; whoever restores a file may set it.
    pub modified: i64,
    /// When the system changed anything of it last, in the same unit; nobody can set it. 0 where there is no such time.
    pub changed: i64,
    /// Its number in the file system, which another file put in its place does not have. 0 where there is none.
    pub inode: u64,
    /// XXH3-64 of its header, which names when the game saved each chunk; 0: no region file.
    pub header: u64,
}

impl Stamp {
    /// What the system says.
    pub(super) fn new(metadata: &Metadata) -> Self {
        let since = |seconds: i64, nanoseconds: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds);
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            Self {
                len: metadata.len(),
                modified: since(metadata.mtime(), metadata.mtime_nsec()),
                changed: since(metadata.ctime(), metadata.ctime_nsec()),
                inode: metadata.ino(),
                header: 0,
            }
        }
        #[cfg(not(unix))]
        {
            let modified = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
            let modified = modified.map_or(0, |time| since(time.as_secs() as i64, i64::from(time.subsec_nanos())));
            Self { len: metadata.len(), modified, changed: 0, inode: 0, header: 0 }
        }
    }

    /// With what a region file's header says.
    pub(super) fn with_header(self, header: &[u8]) -> Self {
        Self { header: if header.is_empty() { 0 } else { XxHash3_64::oneshot(header) }, ..self }
    }

    /// A number for all of it.
    pub(super) fn state(&self) -> u64 {
        let Self { len, modified, changed, inode, header } = *self;
        let words = [len, modified as u64, changed as u64, inode, header];
        XxHash3_64::oneshot(words.map(u64::to_le_bytes).as_flattened())
    }

    /// Whether a file that still has this stamp still has the bytes it had at `read`, in nanoseconds since 1970: times of
    /// files have steps of up to 2 s, and within the last one a file can change without a trace.
    pub const fn is_settled(&self, read: i64) -> bool {
        const STEP: i64 = 2_000_000_000;
        let before = read.saturating_sub(STEP);
        self.modified < before && self.changed < before
    }
}

/// The hash of a record: its compression byte and what follows.
pub(super) fn of_record(record: &[u8]) -> ChunkHash {
    hash(record, 0)
}

/// The hash of a chunk whose bytes, compressed in this way, are in a file of its own.
pub(super) fn of_external(compression: u8, bytes: &[u8]) -> ChunkHash {
    hash(bytes, EXTERNAL | u64::from(compression))
}

/// The hash of a chunk whose bytes cannot be had.
pub(super) fn of_fault(fault: &Fault) -> ChunkHash {
    match fault {
        Fault::Unreadable { .. } => UNSETTLED,
        fault => hash(fault.to_string().as_bytes(), FAULT),
    }
}

fn hash(bytes: &[u8], seed: u64) -> ChunkHash {
    // The reserved numbers are no hashes of anything.
    XxHash3_64::oneshot_with_seed(seed, bytes).clamp(UNOPENED + 1, UNSETTLED - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn a_file_that_changed_shortly_before_it_was_read_is_not_settled() {
        let stamp = |modified, changed| Stamp { modified, changed, ..Stamp::default() };
        assert!(stamp(10 * SECOND, 10 * SECOND).is_settled(12 * SECOND + 1));
        assert!(!stamp(10 * SECOND, 10 * SECOND).is_settled(12 * SECOND));
        assert!(!stamp(0, 10 * SECOND).is_settled(11 * SECOND), "a time that was set back");
        assert!(!stamp(100 * SECOND, 0).is_settled(50 * SECOND), "a clock that went back");
        assert!(!stamp(i64::MAX, i64::MIN).is_settled(i64::MIN));
    }
}
