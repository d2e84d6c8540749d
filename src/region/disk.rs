//! An open file that a running game may be writing: positional reads, and whether somebody has touched it since.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::hash::Stamp;
use crate::at;

/// For so long nobody must have touched a file for what is in it to be believed whole: longer than it takes to write a
/// chunk in pieces, and than a step of the clock by which files are stamped.
pub(super) const REST: Duration = Duration::from_millis(30);

/// An open file.
pub(super) struct Disk {
    file: File,
    /// What the system said of it when it was asked last.
    seen: Stamp,
    pub(super) live: bool,
    /// What a test has happen before each read.
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
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let seen = Stamp::new(&file.metadata()?);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let live = !seen.is_settled(i64::try_from(now.as_nanos()).unwrap_or_default());
        Ok(Self {
            file,
            seen,
            live,
            #[cfg(test)]
            before_read: std::cell::RefCell::default(),
        })
    }

    /// Its stamp, without a header, when the system was asked last.
    pub(super) fn seen(&self) -> Stamp {
        self.seen
    }

    /// Whether somebody may be writing it: it was touched while it was open, or so shortly before that its times need
    /// not tell of the next touch.
    pub(super) fn is_live(&self) -> bool {
        self.live
    }

    /// Asks the system; says whether it was touched since it was asked last. What was read of a file that is not live
    /// even now was read from bytes that nobody changed meanwhile.
    pub(super) fn was_touched(&mut self) -> bool {
        let Ok(metadata) = self.file.metadata() else { return false };
        let now = Stamp::new(&metadata);
        let touched = now != self.seen;
        (self.seen, self.live) = (now, self.live || touched);
        touched
    }

    /// Reads until the buffer is full or the file ends; returns how much came. A file that is empty, as far as the system
    /// was asked last, is not read: of its own some say so and have whoever reads them wait for ever.
    pub(super) fn read_at(&self, mut buffer: &mut [u8], mut start: u64) -> io::Result<usize> {
        #[cfg(test)]
        if let Some(happens) = self.before_read.borrow_mut().as_mut() {
            happens();
        }
        let mut read = 0;
        while self.seen.len > 0 && !buffer.is_empty() {
            match at::read_at(&self.file, buffer, start)? {
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

/// How long it is until nobody has touched a file for so long, as far as the system was asked last; `None`: that is so, or
/// its time lies ahead.
pub(super) fn unrest(seen: Stamp, rest: Duration) -> Option<Duration> {
    let touched = u64::try_from(seen.modified.max(seen.changed)).ok()?;
    let age = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH + Duration::from_nanos(touched)).ok()?;
    rest.checked_sub(age).filter(|left| !left.is_zero())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_says_it_is_empty_is_not_read() {
        // Has something to say to whoever reads it.
        let disk = Disk::open(Path::new("/proc/self/status")).unwrap();
        assert_eq!((disk.seen().len, disk.read_at(&mut [0; 9], 0).unwrap()), (0, 0));
    }
}
