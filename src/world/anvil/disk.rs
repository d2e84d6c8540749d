//! An open file that a server may be writing: reads at a place, and whether it was touched since.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::stamp::Stamp;
use crate::world::files::{Files, Opened};

/// An open file.
pub(super) struct Disk {
    file: Opened,
    /// Its stamp when the system was asked last.
    seen: Stamp,
    pub(super) live: bool,
    /// Never rests, in a test.
    #[cfg(test)]
    pub(super) is_restless: bool,
    /// Happens before each read in a test.
    #[cfg(test)]
    pub(super) before_read: std::cell::RefCell<Option<Box<dyn FnMut() + Send>>>,
}

impl std::fmt::Debug for Disk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Disk").field("seen", &self.seen).field("live", &self.live).finish_non_exhaustive()
    }
}

impl Disk {
    /// Opens a file.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(super) fn open(files: &Files, path: &Path) -> io::Result<Self> {
        let file = files.open(path)?;
        let seen = Stamp::new(&file.facts()?);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let live = !seen.is_stable(i64::try_from(now.as_nanos()).unwrap_or_default());
        Ok(Self {
            file,
            seen,
            live,
            #[cfg(test)]
            is_restless: false,
            #[cfg(test)]
            before_read: std::cell::RefCell::default(),
        })
    }

    /// Its stamp, without a header, when the system was asked last.
    pub(super) fn seen(&self) -> Stamp {
        self.seen
    }

    /// Returns whether the file may be being written, as far as the system was asked last: it was touched while it was
    /// open, or so shortly before that its times need not tell of the next touch.
    pub(super) fn is_live(&self) -> bool {
        self.live
    }

    /// The same, by asking the system. What was read of a file that is not live even now was not changed meanwhile.
    pub(super) fn ask_live(&mut self) -> bool {
        if let Ok(facts) = self.file.facts() {
            let now = Stamp::new(&facts);
            self.live |= now != self.seen;
            self.seen = now;
        }
        self.live
    }

    /// Time until the file will have been left alone for `rest`, as far as the system was asked last; `None`: it has,
    /// or its time lies ahead.
    pub(super) fn unrest(&self, rest: Duration) -> Option<Duration> {
        #[cfg(test)]
        if self.is_restless {
            return Some(rest);
        }
        let touched = u64::try_from(self.seen.modified.max(self.seen.changed)).ok()?;
        let age = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH + Duration::from_nanos(touched)).ok()?;
        rest.checked_sub(age).filter(|left| !left.is_zero())
    }

    /// Tells the system that a part of the file will be read soon.
    pub(super) fn will_read(&self, part: Range<u64>) {
        self.file.will_read(part);
    }

    /// Reads until the buffer is full or the file ends; returns the number of bytes. A file that is empty, as far as
    /// the system was asked last, is not read: some files of the system's own are empty by their length and are waited
    /// for without end.
    pub(super) fn read_at(&self, mut buffer: &mut [u8], mut start: u64) -> io::Result<usize> {
        #[cfg(test)]
        if let Some(happens) = self.before_read.borrow_mut().as_mut() {
            happens();
        }
        let mut read = 0;
        while self.seen.len > 0 && !buffer.is_empty() {
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
    fn a_disk_reads_nothing_of_a_zero_length_file() {
        // Has bytes all the same.
        let disk = Disk::open(&Files::Disk, Path::new("/proc/self/status")).unwrap();
        assert_eq!((disk.seen().len, disk.read_at(&mut [0; 9], 0).unwrap()), (0, 0));
    }
}
