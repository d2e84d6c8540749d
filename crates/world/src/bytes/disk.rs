//! An open file that a server may be writing. Reads it at any position, and notices when it is
//! touched.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::bytes::budget::Allowance;
use crate::bytes::fault::Fault;
use crate::bytes::inflate::Inflater;
use crate::bytes::stamp::Stamp;
use pixelmap_base::files::{Files, OpenFile};

pub(crate) struct Disk {
    file: OpenFile,
    /// Its stamp when the system was last asked.
    stamp: Stamp,
    pub(crate) live: bool,
    /// Whether a test lets the file never rest.
    #[cfg(any(test, feature = "faults"))]
    pub(crate) is_restless: bool,
    /// Called before each read in a test.
    #[cfg(any(test, feature = "faults"))]
    pub(crate) before_read: std::cell::RefCell<Option<Box<dyn FnMut() + Send>>>,
}

impl std::fmt::Debug for Disk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Disk")
            .field("stamp", &self.stamp)
            .field("live", &self.live)
            .finish_non_exhaustive()
    }
}

impl Disk {
    pub(crate) fn open(files: &Files, path: &Path) -> io::Result<Self> {
        let file = files.open(path)?;

        let stamp = Stamp::new(&file.facts()?);
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        let live = !stamp.is_stable(i64::try_from(now.as_nanos()).unwrap_or_default());
        Ok(Self {
            file,
            stamp,
            live,
            #[cfg(any(test, feature = "faults"))]
            is_restless: false,
            #[cfg(any(test, feature = "faults"))]
            before_read: std::cell::RefCell::default(),
        })
    }

    /// Opens a regular file.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, or is not a regular file, because opening a pipe, for
    /// example, may block for ever.
    pub(crate) fn open_regular(files: &Files, path: &Path) -> io::Result<Self> {
        if !files.facts(path)?.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        Self::open(files, path)
    }

    /// Returns its stamp, without a header, from the last time that the system was asked.
    pub(crate) fn last_stamp(&self) -> Stamp {
        self.stamp
    }

    /// Returns whether the file may be being written, according to the last answer of the system.
    /// It may be if it was touched while it was open, or so shortly before that the next touch may
    /// leave its times unchanged.
    pub(crate) fn is_live(&self) -> bool {
        self.live
    }

    /// Asks the system whether the file may be being written. If it is not, the bytes that were
    /// read so far have not changed.
    pub(crate) fn ask_live(&mut self) -> bool {
        if let Ok(facts) = self.file.facts() {
            let now = Stamp::new(&facts);
            self.live |= now != self.stamp;
            self.stamp = now;
        }
        self.live
    }

    /// Returns the time until the file will have been left alone for `rest`, according to the last
    /// answer of the system. `None`: it already has, or its time is in the future.
    pub(crate) fn time_to_rest(&self, rest: Duration) -> Option<Duration> {
        #[cfg(any(test, feature = "faults"))]
        if self.is_restless {
            return Some(rest);
        }
        self.stamp.time_to_rest(rest)
    }

    /// Announces to the system that a part of the file will be read soon.
    pub(crate) fn will_read(&self, part: Range<u64>) {
        self.file.will_read(part);
    }

    /// Reads the whole file into the inflater's buffer. Returns the number of bytes.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or is longer than any record that the chunk could have.
    pub(crate) fn read_record(
        &self,
        inflater: &mut Inflater,
        allowance: Allowance,
    ) -> Result<usize, Fault> {
        let record = inflater.record(
            usize::try_from(self.stamp.len).unwrap_or(usize::MAX),
            allowance,
        )?;
        Ok(self.read_at(record, 0)?)
    }

    /// Reads until the buffer is full or the file ends. Returns the number of bytes. A file whose
    /// last known length is 0 is not read, because some special files have that length and block
    /// their reader for ever.
    pub(crate) fn read_at(&self, mut buffer: &mut [u8], mut start: u64) -> io::Result<usize> {
        #[cfg(any(test, feature = "faults"))]
        if let Some(called) = self.before_read.borrow_mut().as_mut() {
            called();
        }

        let mut read = 0;
        while self.stamp.len > 0 && !buffer.is_empty() {
            match self.file.read_at(buffer, start)? {
                0 => break,
                n => {
                    read += n;
                    start += n as u64;
                    buffer = &mut buffer[n..];
                }
            }
        }

        Ok(read)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn zero_length_files_need_no_read() {
        // This file has contents although its length is 0.
        let disk = Disk::open(&Files::Disk, Path::new("/proc/self/status")).unwrap();
        assert_eq!(
            (disk.last_stamp().len, disk.read_at(&mut [0; 9], 0).unwrap()),
            (0, 0)
        );
    }
}
