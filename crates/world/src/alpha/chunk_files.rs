//! The chunk files of a region, as the game wrote them before Beta 1.3. Reads them even while a
//! game is replacing them.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::chunk_path::path;
use crate::bytes::{
    Allowance, ChunkHash, ChunkRecord, ChunkStorage, Disk, Fault, Form, GZIP, InflatedLen,
    Inflater, PATIENCE, PAUSE, PlainBytes, REST, Stamp, UNSTABLE, WaitingTime, hash_external,
    hash_fault,
};
use crate::nbt;
use pixelmap_base::coord::{RegionPos, Slot, SlotSet};
use pixelmap_base::files::Files;
use pixelmap_base::retry::retryable;

/// The most readings of a file that is being written.
const READINGS: usize = 8;
/// If a folder was touched within this time, a file that is missing from it may be about to be
/// replaced.
const REPLACED: Duration = Duration::from_millis(100);
/// How often a region with such a folder is searched again, because a file may be missing twice by
/// chance.
const LOOKS: usize = 3;

/// The chunk files that a region had when it was opened. Only the file that is being read is open.
#[derive(Debug)]
pub struct ChunkFiles {
    files: Files,
    /// The dimension's folder.
    folder: PathBuf,
    region: RegionPos,
    /// The slots of the chunks that have files.
    stored: SlotSet,
    stamp: Stamp,
    /// Bytes that the chunks inside the border have cost so far.
    inflated: u64,
    waited: WaitingTime,
    /// Called before each read in a test.
    #[cfg(any(test, feature = "faults"))]
    pub(crate) before_read: Option<fn(&Path)>,
}

/// The result of reading a file once.
struct FileReading {
    /// The number of bytes in the inflater's buffer.
    read: Result<usize, Fault>,
    hash: ChunkHash,
    /// Whether a game may be writing the file.
    is_live: bool,
    /// Time until the file will have been left alone long enough; `None`: it already has.
    rest: Option<Duration>,
}

impl ChunkFiles {
    /// Checks which chunks of a region have files in a dimension's folder. Opens none of the files.
    ///
    /// # Errors
    /// Fails if the system cannot answer now, but may later.
    pub fn open(files: &Files, folder: &Path, region: RegionPos) -> io::Result<Self> {
        let mut stored = SlotSet::NONE;
        let mut stamps = Vec::new();
        for slot in Slot::all() {
            match files.facts(&folder.join(path(region.chunk(slot)))) {
                Ok(facts) => stamps.push((slot, Stamp::new(&facts))),
                Err(error) if is_missing(&error) => continue,
                Err(error) if retryable(&error) => return Err(error),
                // The file counts as present, so that reading the chunk reports the error.
                Err(_) => stamps.push((slot, Stamp::default())),
            }
            stored.insert(slot);
        }

        Ok(Self {
            files: files.clone(),
            folder: folder.to_owned(),
            region,
            stored,
            stamp: Stamp::joined(&stamps),
            inflated: 0,
            waited: WaitingTime::default(),
            #[cfg(any(test, feature = "faults"))]
            before_read: None,
        })
    }

    /// Opens a region to draw it. If a file may be missing because it is being replaced, checks
    /// again 100 ms later.
    pub fn open_filled(files: &Files, folder: &Path, region: RegionPos) -> io::Result<Self> {
        let mut started = Instant::now();
        let mut opened = Self::open(files, folder, region)?;
        for _ in 0..LOOKS {
            let Some(wait) = opened.time_to_rest(started) else {
                break;
            };

            std::thread::sleep(wait);
            started = Instant::now();
            let mut again = Self::open(files, folder, region)?;

            // A file that was present before and is missing now is being replaced.
            opened
                .stored
                .slots()
                .for_each(|slot| again.stored.insert(slot));
            opened = again;
        }

        Ok(opened)
    }

    /// Returns the time until every file that is missing has had the time to come back; `None`: it
    /// has already. A folder that was touched since `started`, when the search for files began,
    /// counts as touched just now.
    fn time_to_rest(&self, started: Instant) -> Option<Duration> {
        Slot::all()
            .filter(|&slot| !self.has(slot))
            .filter_map(|slot| self.folder_time_to_rest(slot, started))
            .max()
    }

    /// Returns the time until a missing file in this slot has had the time to come back; `None`: it
    /// has already, or its folder cannot be read.
    fn folder_time_to_rest(&self, slot: Slot, started: Instant) -> Option<Duration> {
        let facts = self.files.facts(self.path(slot).parent()?).ok()?;
        Stamp::new(&facts).time_to_rest(REPLACED + started.elapsed())
    }

    pub fn region(&self) -> RegionPos {
        self.region
    }

    pub fn has(&self, slot: Slot) -> bool {
        self.stored.has(slot)
    }

    /// Returns the stamp of all files together when the region was opened.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn path(&self, slot: Slot) -> PathBuf {
        self.folder.join(path(self.region.chunk(slot)))
    }

    /// Reads the chunk in `slot`; `None`: it has no file.
    ///
    /// A file that is being written is read again until it is whole according to its checksum and
    /// `is_whole`, or until it has rested and two successive readings are the same.
    pub fn read<'a>(
        &mut self,
        slot: Slot,
        inflater: &'a mut Inflater,
        mut is_whole: impl FnMut(&[u8]) -> bool,
    ) -> Option<ChunkRecord<'a>> {
        if !self.has(slot) {
            return None;
        }

        let mut plain = PlainBytes::start(inflater);
        let mut before = None;
        for number in 0..READINGS as u32 {
            let mut allowance = Allowance::for_slot(self.inflated, slot);
            let FileReading {
                read,
                hash,
                is_live,
                rest,
            } = self.load(slot, plain.inflater(), allowance);
            let stored = stored_form(&read, hash);
            let read_at = read.is_ok().then(Instant::now);

            let mut cost = 0;
            let inflated = read.and_then(|len| {
                let inflated =
                    plain
                        .inflater()
                        .inflate_cut(GZIP, 0..len, &mut allowance, nbt::is_whole);

                // A success costs its plain bytes, and a failure costs the buffer space that it
                // needed.
                cost = len.max(
                    inflated
                        .as_ref()
                        .map_or(allowance.reached, |inflated| inflated.len),
                );
                inflated
            });
            let is_cut = matches!(inflated, Ok(InflatedLen { is_cut: true, .. }));

            // A cut end is accepted only if the game is not about to write it.
            let is_sound = inflated.is_ok() && (!is_live || !is_cut && is_whole(&plain));
            let is_settled = !is_live || rest.is_none() && before == Some(hash);
            if is_sound || is_settled {
                if !slot.is_on_border() {
                    self.inflated += cost as u64;
                }

                return Some(ChunkRecord {
                    plain: inflated.map(|_| plain),
                    form: Form::Nbt,
                    is_cut,
                    stored,
                    read_at,
                });
            }

            before = Some(hash).filter(|&hash| hash != UNSTABLE);

            // If the system paused the game between two calls, a longer pause is needed each time.
            self.waited
                .wait(rest.unwrap_or(PAUSE * 2_u32.pow(number)), PATIENCE);
        }

        Some(ChunkRecord {
            plain: Err(Fault::Torn),
            form: Form::Nbt,
            is_cut: false,
            stored: stored_form(&Err(Fault::Torn), UNSTABLE),
            read_at: None,
        })
    }

    /// Returns how the chunk in `slot` is stored, with the same hash as [`ChunkFiles::read`].
    /// Inflates nothing.
    pub fn hash(&self, slot: Slot, inflater: &mut Inflater) -> ChunkStorage {
        if !self.has(slot) {
            return ChunkStorage::NOTHING;
        }
        let mut plain = PlainBytes::start(inflater);
        let reading = self.load(slot, plain.inflater(), Allowance::FULL);
        // The hash of a file that cannot be read shows the fault.
        stored_form(&reading.read, reading.hash)
    }

    /// Reads the file of the chunk in `slot` once.
    fn load(&self, slot: Slot, inflater: &mut Inflater, allowance: Allowance) -> FileReading {
        let path = self.path(slot);
        #[cfg(any(test, feature = "faults"))]
        if let Some(called) = self.before_read {
            called(&path);
        }

        let mut disk = match Disk::open_regular(&self.files, &path) {
            Ok(disk) => disk,
            Err(error) => {
                // A game removes the old file before it renames the new one.
                let is_live = is_missing(&error);
                return FileReading {
                    read: Err(error.into()),
                    hash: UNSTABLE,
                    is_live,
                    rest: None,
                };
            }
        };

        let read = disk.read_record(inflater, allowance);
        let hash = match &read {
            Ok(len) => hash_external(GZIP, inflater.stored(&(0..*len))),
            Err(fault) => hash_fault(fault),
        };

        let is_live = disk.ask_live();
        FileReading {
            read,
            hash,
            is_live,
            rest: disk.time_to_rest(REST),
        }
    }
}

fn stored_form(read: &Result<usize, Fault>, hash: ChunkHash) -> ChunkStorage {
    ChunkStorage {
        hash,
        compression: read.is_ok().then_some(GZIP),
        is_external: false,
    }
}

/// Returns whether an error means that the file does not exist.
fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
