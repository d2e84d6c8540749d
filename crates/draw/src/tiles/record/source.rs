//! The state of a region file when it was read, and the hashes of its chunks.

use pixelmap_base::coord::{REGION_CHUNKS, REGION_SLOTS, Slot};
use pixelmap_world::internal::{ChunkHash, Stamp, UNSTABLE, join_hashes};

/// The state of a region file when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionSource {
    /// The file's stamp before it was read.
    pub stamp: Stamp,
    /// Start of the run that read it, in nanoseconds since 1970. Nothing was read before this time.
    pub read: i64,
    /// The chunks that are in files of their own, with the stamps of those files, or `None` if the
    /// file was missing.
    pub external: Vec<(Slot, Option<Stamp>)>,
    pub hashes: Hashes,
}

impl RegionSource {
    /// Returns the source for a file that could not be opened. It never counts as unchanged.
    pub fn new_unstable() -> Self {
        let hashes = Hashes {
            content: UNSTABLE,
            sides: [UNSTABLE; 4],
            corners: [UNSTABLE; 4],
        };
        Self {
            stamp: Stamp::default(),
            read: 0,
            external: Vec::new(),
            hashes,
        }
    }
}

/// Hashes of the chunks of a region file that affect its own tile and the tiles around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hashes {
    /// The hash of all chunks.
    pub content: ChunkHash,
    /// The chunks along each side: north, south, west, east.
    pub sides: [ChunkHash; 4],
    /// The chunks in the corners: north-west, north-east, south-west, south-east.
    pub corners: [ChunkHash; 4],
}

impl Hashes {
    pub fn new(chunks: &[ChunkHash; REGION_SLOTS]) -> Self {
        const LAST: usize = REGION_CHUNKS - 1;

        let at = |x: usize, z: usize| chunks[Slot::at(x, z).index()];

        Self {
            content: join_hashes(chunks),
            sides: [
                join_side(|x| at(x, 0)),
                join_side(|x| at(x, LAST)),
                join_side(|z| at(0, z)),
                join_side(|z| at(LAST, z)),
            ],
            corners: [at(0, 0), at(LAST, 0), at(0, LAST), at(LAST, LAST)],
        }
    }
}

/// Joins the hashes of the chunks along a side of a region.
fn join_side(chunk: impl Fn(usize) -> ChunkHash) -> ChunkHash {
    join_hashes(&std::array::from_fn::<_, REGION_CHUNKS, _>(chunk))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pixelmap_world::internal::NO_RECORD;

    #[test]
    fn a_side_key_depends_on_its_chunks() {
        let mut chunks = [NO_RECORD; REGION_SLOTS];
        let nothing = Hashes::new(&chunks);
        chunks[Slot::at(31, 7).index()] = 9;

        let east = Hashes::new(&chunks);
        assert_ne!(east.content, nothing.content);
        assert_eq!(
            (east.sides[..3].to_vec(), east.corners),
            (nothing.sides[..3].to_vec(), nothing.corners)
        );
        assert_ne!(east.sides[3], nothing.sides[3]);
        chunks[Slot::at(0, 31).index()] = 8;

        let corner = Hashes::new(&chunks);
        assert_eq!(
            (corner.sides[0], corner.sides[3], corner.corners[2]),
            (nothing.sides[0], east.sides[3], 8)
        );
        assert!(corner.sides[1] != east.sides[1] && corner.sides[2] != east.sides[2]);
    }
}
