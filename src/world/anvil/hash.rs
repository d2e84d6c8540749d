//! Hashes of chunks as they are stored: they tell that a chunk is another one than before.

use twox_hash::XxHash3_64;

use super::Fault;

/// A hash of everything that a chunk is read from: its record as it is stored, and the file of its own that it may
/// have. Nothing is inflated for it. [`NO_RECORD`], [`UNSTABLE`] and [`UNOPENED`] are no hashes.
pub type ChunkHash = u64;

/// The hash of a slot in which nothing is stored.
pub const NO_RECORD: ChunkHash = 0;
/// The hash of every slot of a file that cannot be opened.
pub const UNOPENED: ChunkHash = 1;
/// The hash of a chunk whose bytes are not known, such as one that a failing disk does not give, or that is being
/// written. It equals no other hash, itself among them.
pub const UNSTABLE: ChunkHash = u64::MAX;

/// Seeds, so that equal bytes that mean different things have different hashes.
const FAULT: u64 = 1 << 32;
const EXTERNAL: u64 = 1 << 33;

/// The hash of a record: its compression byte and what follows.
pub(super) fn of_record(record: &[u8]) -> ChunkHash {
    hash(record, 0)
}

/// The hash of a chunk whose bytes, compressed in this way, are in a file of its own.
pub(super) fn of_external(compression: u8, bytes: &[u8]) -> ChunkHash {
    hash(bytes, EXTERNAL | u64::from(compression))
}

/// The hash of a chunk whose bytes cannot be read.
pub(super) fn of_fault(fault: &Fault) -> ChunkHash {
    match fault {
        // Of these the bytes are not known.
        Fault::Unreadable { .. } | Fault::RegionTooLarge => UNSTABLE,
        fault => hash(fault.to_string().as_bytes(), FAULT),
    }
}

fn hash(bytes: &[u8], seed: u64) -> ChunkHash {
    // The reserved numbers are hashes of nothing.
    XxHash3_64::oneshot_with_seed(seed, bytes).clamp(UNOPENED + 1, UNSTABLE - 1)
}
