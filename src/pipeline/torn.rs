//! A chunk that cannot be read although it may be sound: somebody may be writing it at this moment. Here it is decided
//! whether it is read once more, and for how long that is gone on with.

use std::time::Duration;

use super::chunks::Reason;
use crate::coord::Slot;
use crate::region::{Fault, Inflater, RegionFile};

/// How long a worker waits before it looks at a chunk again: longer than a game takes to write one.
const WAIT: Duration = Duration::from_millis(2);
/// How often a chunk is read that is another one each time.
const TRIES: usize = 6;
/// So long after it was touched last a file in which nothing is stored is believed to be empty.
pub(super) const EMPTIED: Duration = Duration::from_millis(100);
/// How long a worker waits in a whole run: a world full of damage must not take long, however new its files are.
const IN_ALL: Duration = Duration::from_millis(200);

/// What a worker may still wait for files that are being written.
#[derive(Debug)]
pub(super) struct Patience {
    left: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { left: IN_ALL }
    }
}

/// What is to be made of a chunk that could not be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It was written meanwhile: it is to be read again.
    Again,
    /// It stands there as it was read.
    Damaged,
    /// It was written at every try.
    Torn,
}

impl Patience {
    /// Waits a moment, as long as there is anything left of it; says whether it did.
    pub(super) fn wait(&mut self) -> bool {
        let has_waited = self.left >= WAIT;
        if has_waited {
            std::thread::sleep(WAIT);
            self.left -= WAIT;
        }
        has_waited
    }

    /// What is to be made of the chunk that was read last, for the `tries`-th time, and is faulty. Of a file that nobody
    /// writes a fault is one.
    pub(super) fn judge(
        &mut self,
        file: &mut RegionFile,
        slot: Slot,
        inflater: &mut Inflater,
        tries: usize,
        reason: &Reason,
    ) -> Verdict {
        if !file.is_live() {
            return Verdict::Damaged;
        }
        self.wait();
        match reason.word == Fault::Torn.reason() || !file.stands_still(slot, inflater) {
            false => Verdict::Damaged,
            true if tries < TRIES => Verdict::Again,
            true => Verdict::Torn,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::block::{Names, NumericNames};
    use crate::coord::{RegionPos, YRange};
    use crate::palette::Palette;
    use crate::pipeline::chunks::{ChunkReader, Found, Sight};
    use crate::region::UNSETTLED;
    use crate::surface::{Columns, View};

    const SLOT: Slot = Slot::at(3, 4);
    const SIGHT: Sight<'_> =
        Sight { views: &[View::Sky], range: YRange::ALL, ceiling_y: None, unfinished: false, min_ticks: 0 };

    fn zlib(plain: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    /// A chunk of no blocks that says it lies at `x`, 4.
    fn chunk(x: u8) -> Vec<u8> {
        let mut nbt = b"\x0a\0\0\x03\0\x0bDataVersion\0\0\x0f\x73\x09\0\x08sections\x0a\0\0\0\0".to_vec();
        nbt.extend(b"\x03\0\x04xPos\0\0\0");
        nbt.push(x);
        nbt.extend(b"\x03\0\x04zPos\0\0\0\x04\0");
        zlib(&nbt)
    }

    /// Writes over a region file with one record in `sector`.
    fn write(path: &Path, sector: u32, payload: &[u8]) {
        let mut bytes = vec![0; 4096 * sector as usize];
        bytes[SLOT.index() * 4..][..4].copy_from_slice(&(sector << 8 | 1).to_be_bytes());
        bytes.extend((payload.len() as u32 + 1).to_be_bytes());
        bytes.push(2);
        bytes.extend(payload);
        std::fs::File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .unwrap()
            .write_all(&bytes)
            .unwrap();
    }

    /// What is found in a region file that holds `payload`, when `happens` before each read of it: what, whether it has a
    /// hash that may be believed, and how many reads there were.
    fn found(payload: &[u8], mut happens: impl FnMut(&Path, usize) + Send + 'static) -> (Found, bool, usize) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.0.0.mca");
        write(&path, 2, payload);
        let names = Arc::new(Names::new(Arc::new(Palette::builtin()), NumericNames::default()));
        let mut reader = ChunkReader::new(names);
        let mut file = reader.open(&path, RegionPos { x: 0, z: 0 }).unwrap();
        let reads = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let count = reads.clone();
        file.before_reads(move || happens(&path, count.fetch_add(1, std::sync::atomic::Ordering::Relaxed)));
        let mut columns = Columns::default();
        let found = reader.columns(&mut file, SLOT, SIGHT, std::iter::once(&mut columns));
        assert_eq!(columns.hash, file.last_hash());
        (found, columns.hash != UNSETTLED, reads.load(std::sync::atomic::Ordering::Relaxed))
    }

    #[test]
    fn a_chunk_that_is_half_written_is_read_when_it_is_whole() {
        let torn = chunk(3)[..30].to_vec();
        // After it was read, and read again for certainty.
        let (found, has_hash, _) = found(&torn, |path, reads| {
            if reads == 5 {
                write(path, 2, &chunk(3));
            }
        });
        assert!(matches!(found, Found::Empty(_)) && has_hash, "{found:?}");
    }

    #[test]
    fn what_stands_still_and_is_damaged_is_told_as_what_it_is() {
        let (found, has_hash, reads) = found(b"no zlib", |_, _| ());
        assert!(matches!(&found, Found::Bad(reason) if reason.word == "inflate") && has_hash, "{found:?}");
        assert!(reads <= 8, "{reads} reads");
    }

    #[test]
    fn what_is_damaged_otherwise_at_every_try_is_torn() {
        let (found, has_hash, reads) = found(b"no zlib 0", |path, reads| {
            // Between two readings there is always one that stands still.
            write(path, 2, format!("no zlib {}", reads / 5).as_bytes());
        });
        assert!(matches!(&found, Found::Bad(reason) if reason.word == "torn" && reason.io.is_none()), "{found:?}");
        assert!(!has_hash && reads <= 16 * TRIES, "{reads} reads");
    }

    #[test]
    fn a_chunk_of_another_place_is_looked_for_again_and_else_drawn() {
        let copied = found(&chunk(9), |_, _| ());
        let Found::Empty(meta) = copied.0 else { panic!("{copied:?}") };
        assert_eq!(meta.position, Some((9, 4)), "worlds that were put together by hand have such chunks");
        // The file says no longer that it is there as soon as it was read for certainty.
        let moved = found(&chunk(9), |path, reads| {
            if reads == 4 {
                write(path, 3, &chunk(3));
            }
        });
        let Found::Empty(meta) = moved.0 else { panic!("{moved:?}") };
        assert_eq!(meta.position, Some((3, 4)));
    }

    #[test]
    fn patience_ends() {
        let mut patience = Patience { left: WAIT * 3 };
        assert_eq!((0..10).filter(|_| patience.wait()).count(), 3);
    }
}
