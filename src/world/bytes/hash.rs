//! Hashes of chunks as they are stored: they show that a chunk has changed.

use twox_hash::XxHash3_64;

use crate::world::bytes::fault::Fault;

/// A hash of everything that a chunk is read from: its stored record, and its own file if it has one. Nothing is
/// inflated for it. [`NO_RECORD`], [`UNSTABLE`] and [`UNOPENED`] are reserved numbers.
pub type ChunkHash = u64;

/// For a slot in which nothing is stored.
pub const NO_RECORD: ChunkHash = 0;
/// For every slot of a file that cannot be opened.
pub const UNOPENED: ChunkHash = 1;
/// For a chunk whose bytes are not known, such as one that a failing disk does not return, or that is being written. It
/// counts as different from every hash, itself included.
pub const UNSTABLE: ChunkHash = u64::MAX;

// Seeds, so that equal bytes with different meanings have different hashes.
const FAULT: u64 = 1 << 32;
const EXTERNAL: u64 = 1 << 33;
const VALUES: u64 = 1 << 34;

/// Hashes a record: its compression byte and what follows.
pub(crate) fn hash_record(record: &[u8]) -> ChunkHash {
    hash(record, 0)
}

/// Hashes a chunk whose bytes, compressed in this way, are in a file of its own.
pub(crate) fn hash_external(compression: u8, bytes: &[u8]) -> ChunkHash {
    hash(bytes, EXTERNAL | u64::from(compression))
}

/// Hashes the values that a database has of a chunk.
pub(crate) fn hash_values(values: &[u8]) -> ChunkHash {
    hash(values, VALUES)
}

/// Hashes a chunk whose bytes cannot be read.
pub(crate) fn hash_fault(fault: &Fault) -> ChunkHash {
    match fault {
        // Their bytes are not known.
        Fault::Unreadable { .. } | Fault::RegionTooLarge => UNSTABLE,
        fault => hash(fault.to_string().as_bytes(), FAULT),
    }
}

fn hash(bytes: &[u8], seed: u64) -> ChunkHash {
    // The reserved numbers are never the hash of bytes.
    XxHash3_64::oneshot_with_seed(seed, bytes).clamp(UNOPENED + 1, UNSTABLE - 1)
}
