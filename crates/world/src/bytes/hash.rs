//! Hashes of chunks in their stored form, so that a later run can detect changes.

use std::hash::Hasher as _;

use twox_hash::XxHash3_64;

use crate::bytes::fault::Fault;
use pixelmap_base::coord::REGION_CHUNKS;

/// A hash of everything that a chunk is read from: its stored record, and its external file if it
/// has one. Nothing is inflated for it. [`NO_RECORD`], [`UNSTABLE`] and [`UNOPENED`] are reserved
/// numbers.
pub type ChunkHash = u64;

/// The hash of an empty slot.
pub const NO_RECORD: ChunkHash = 0;
/// The hash of every slot of a file that cannot be opened.
pub const UNOPENED: ChunkHash = 1;
/// The hash of a chunk whose bytes are unknown, for example because a disk fails to return them or
/// the chunk is being written. It counts as different from every hash, including itself.
pub const UNSTABLE: ChunkHash = u64::MAX;

// Seeds, so that equal bytes with different meanings have different hashes.
const FAULT: u64 = 1 << 32;
const EXTERNAL: u64 = 1 << 33;
const VALUES: u64 = 1 << 34;

/// Hashes a record: its compression byte and the bytes that follow.
pub(crate) fn hash_record(record: &[u8]) -> ChunkHash {
    hash(record, 0)
}

/// Hashes a chunk whose bytes, compressed in this way, are in an external file.
pub(crate) fn hash_external(compression: u8, bytes: &[u8]) -> ChunkHash {
    hash(bytes, EXTERNAL | u64::from(compression))
}

/// Hashes the values that a database stores for a chunk.
pub(crate) fn hash_values(values: &[u8]) -> ChunkHash {
    hash(values, VALUES)
}

/// Hashes a chunk whose bytes cannot be read.
pub(crate) fn hash_fault(fault: &Fault) -> ChunkHash {
    match fault {
        // The bytes are unknown, so the hash must not equal any other.
        Fault::Unreadable { .. } | Fault::RegionTooLarge => UNSTABLE,
        fault => hash(fault.to_string().as_bytes(), FAULT),
    }
}

/// Joins several hashes into one, which is [`UNSTABLE`] if any of them is.
pub fn join_hashes(hashes: &[ChunkHash]) -> ChunkHash {
    if hashes.contains(&UNSTABLE) {
        return UNSTABLE;
    }

    // A side of a region is one piece. A stream would cost several times as much, because it
    // allocates its state.
    let mut piece = [[0; 8]; REGION_CHUNKS];

    if hashes.len() <= REGION_CHUNKS {
        return XxHash3_64::oneshot(write_bytes(hashes, &mut piece)).min(UNSTABLE - 1);
    }

    let mut hasher = XxHash3_64::with_seed(0);
    for part in hashes.chunks(REGION_CHUNKS) {
        hasher.write(write_bytes(part, &mut piece));
    }

    hasher.finish().min(UNSTABLE - 1)
}

/// Writes the bytes of the hashes into `piece`, and returns the written part.
#[inline]
fn write_bytes<'a>(hashes: &[ChunkHash], piece: &'a mut [[u8; 8]; REGION_CHUNKS]) -> &'a [u8] {
    for (bytes, hash) in piece.iter_mut().zip(hashes) {
        *bytes = hash.to_le_bytes();
    }

    piece[..hashes.len()].as_flattened()
}

fn hash(bytes: &[u8], seed: u64) -> ChunkHash {
    // Hashes of bytes must differ from the reserved numbers.
    XxHash3_64::oneshot_with_seed(seed, bytes).clamp(UNOPENED + 1, UNSTABLE - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_hashes_are_the_hash_of_their_bytes() {
        let hashes: Vec<ChunkHash> = (1..=1024)
            .map(|number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        for len in [1, 8, 31, 32, 33, 64, 1024] {
            let bytes: Vec<u8> = hashes[..len]
                .iter()
                .flat_map(|hash| hash.to_le_bytes())
                .collect();
            assert_eq!(
                join_hashes(&hashes[..len]),
                XxHash3_64::oneshot(&bytes),
                "{len}"
            );
        }
    }

    #[test]
    fn one_unstable_hash_makes_all_unstable() {
        assert_eq!(join_hashes(&[3, UNSTABLE, 4]), UNSTABLE);
        assert_ne!(join_hashes(&[3, 4]), join_hashes(&[4, 3]));
        assert_ne!(join_hashes(&[3, 4]), UNSTABLE);
    }
}
