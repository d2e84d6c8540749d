//! A temporary file that a download fills. Its name is removed at once, so nothing is left when the program ends,
//! even if it is killed.

use std::fs::File;
use std::io::{Seek as _, Write as _};

use super::error::RemoteError;

/// The room that a download leaves on the disk for other programs, in bytes.
const RESERVE: u64 = 64 << 20;
/// The number of bytes after which the room on the disk is checked again.
const CHECK_EVERY: u64 = 16 << 20;

/// A file that is being downloaded.
pub(super) struct TemporaryFile<'a> {
    /// The address as users may see it.
    address: &'a str,
    file: File,
    len: u64,
    /// The most bytes that the file may have.
    limit: u64,
    /// The length at which the room on the disk is checked again.
    next_check: u64,
}

impl<'a> TemporaryFile<'a> {
    /// Makes an empty file that may grow to `limit` bytes.
    ///
    /// # Errors
    /// Fails if the file cannot be made.
    pub(super) fn new(address: &'a str, limit: u64) -> Result<Self, RemoteError> {
        let file = tempfile::tempfile().map_err(|error| RemoteError::disk(address, error))?;
        Ok(Self {
            address,
            file,
            len: 0,
            limit,
            next_check: 0,
        })
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Removes all bytes, because the download begins again.
    ///
    /// # Errors
    /// Fails if the system fails.
    pub(super) fn clear(&mut self) -> Result<(), RemoteError> {
        self.len = 0;
        self.next_check = 0;
        let cleared = self.file.set_len(0).and_then(|()| self.file.rewind());
        cleared.map_err(|error| RemoteError::disk(self.address, error))
    }

    /// Checks before the download that this number of bytes has room.
    ///
    /// # Errors
    /// Fails if the bytes would exceed the limit, or the room on the disk.
    pub(super) fn expect(&self, bytes: u64) -> Result<(), RemoteError> {
        if bytes > self.limit {
            return Err(self.too_long());
        }

        match free_bytes() {
            Some(free) if bytes.saturating_add(RESERVE) > free => Err(self.no_room(bytes, free)),
            _ => Ok(()),
        }
    }

    /// Adds bytes at the end.
    ///
    /// # Errors
    /// Fails if the file would exceed its limit, or if the disk is too full for it.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<(), RemoteError> {
        self.len += bytes.len() as u64;
        if self.len > self.limit {
            return Err(self.too_long());
        }

        if self.len >= self.next_check {
            self.next_check = self.len + CHECK_EVERY;
            if let Some(free) = free_bytes().filter(|free| *free < RESERVE) {
                return Err(self.no_room(self.len, free));
            }
        }

        let written = self.file.write_all(bytes);
        written.map_err(|error| RemoteError::disk(self.address, error))
    }

    /// Returns the whole file, at its start.
    ///
    /// # Errors
    /// Fails if the system fails.
    pub(super) fn finish(mut self) -> Result<File, RemoteError> {
        let rewound = self.file.rewind();
        rewound.map_err(|error| RemoteError::disk(self.address, error))?;
        Ok(self.file)
    }

    fn too_long(&self) -> RemoteError {
        let mib = self.limit >> 20;
        let why = format!("it has more than {mib} MiB, which is more than pixelmap downloads");
        RemoteError::Unusable(self.address.to_owned(), why)
    }

    fn no_room(&self, bytes: u64, free: u64) -> RemoteError {
        let why = format!(
            "its download needs {} MiB, and {} has {} MiB free: make room there, or set TMPDIR to \
             another folder",
            (bytes + RESERVE) >> 20,
            std::env::temp_dir().display(),
            free >> 20
        );
        RemoteError::NoRoom(self.address.to_owned(), why)
    }
}

/// Returns the free bytes of the disk with the temporary files; `None`: the system does not report
/// them.
#[cfg(unix)]
pub(super) fn free_bytes() -> Option<u64> {
    let disk = rustix::fs::statvfs(std::env::temp_dir()).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
pub(super) const fn free_bytes() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn a_file_never_exceeds_its_limit() {
        let mut file = TemporaryFile::new("https://h/w.zip", 5).unwrap();
        assert!(file.expect(5).is_ok() && file.expect(6).is_err());
        file.add(b"123").unwrap();
        let error = file.add(b"456").unwrap_err();
        assert!(!error.retryable() && error.to_string().contains("more than 0 MiB"));
    }

    #[test]
    fn downloads_beyond_the_disk_are_refused() {
        let file = TemporaryFile::new("https://h/w.zip", u64::MAX).unwrap();
        if free_bytes().is_some() {
            let error = file.expect(u64::MAX >> 1).unwrap_err();
            assert!(
                error.retryable() && error.to_string().contains("TMPDIR"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_cleared_file_begins_again() {
        let mut file = TemporaryFile::new("https://h/w.zip", 5).unwrap();
        file.add(b"123").unwrap();
        file.clear().unwrap();
        file.add(b"abcd").unwrap();
        let mut bytes = Vec::new();
        file.finish().unwrap().read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes, b"abcd");
    }
}
