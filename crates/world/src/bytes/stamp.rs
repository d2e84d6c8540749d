//! Stamps of files, so that a later run can detect changes.

use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use twox_hash::XxHash3_64;

use pixelmap_base::coord::Slot;
use pixelmap_base::files::{Files, PathFacts};

/// The time of the last change of a file whose version shows every change: long enough ago that no
/// reader waits for the file to rest.
const LONG_AGO: i64 = 1;

/// Facts about a file from the system and, for a region file, from its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamp {
    /// Length in bytes.
    pub len: u64,
    /// When its bytes were last written, in nanoseconds since 1970. A program that restores a file
    /// may set this time.
    pub modified: i64,
    /// When the system last changed anything about it, in nanoseconds since 1970; programs cannot
    /// set this time. 0: unknown.
    pub changed: i64,
    /// Its number in the file system. A file that replaces it has a different number. 0: unknown.
    pub inode: u64,
    /// XXH3-64 of its header, which contains the times when the game saved each chunk, or of the
    /// stamps of chunk files; 0: neither, or not needed because the system reports `changed` and
    /// `inode`.
    pub header: u64,
}

impl Stamp {
    /// Makes a stamp without a header. A file in an archive has its CRC-32 in place of a time. A file
    /// in a remote folder has its version in place of a number, which shows every change, so its
    /// header is not needed.
    pub(crate) fn new(facts: &PathFacts) -> Self {
        match facts {
            PathFacts::Disk(metadata) => Self::from_metadata(metadata),
            PathFacts::Packed { len, crc } => Self {
                len: *len,
                modified: i64::from(*crc),
                ..Self::default()
            },
            PathFacts::Remote { len, version } => Self {
                len: *len,
                changed: LONG_AGO,
                inode: (*version).max(1),
                ..Self::default()
            },
            PathFacts::Folder => Self::default(),
        }
    }

    fn from_metadata(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            Self {
                len: metadata.len(),
                modified: since_1970(metadata.mtime(), metadata.mtime_nsec()),
                changed: since_1970(metadata.ctime(), metadata.ctime_nsec()),
                inode: metadata.ino(),
                header: 0,
            }
        }

        #[cfg(not(unix))]
        {
            let modified = metadata
                .modified()
                .ok()
                .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());

            let modified = modified.map_or(0, |time| {
                since_1970(time.as_secs() as i64, i64::from(time.subsec_nanos()))
            });
            Self {
                len: metadata.len(),
                modified,
                changed: 0,
                inode: 0,
                header: 0,
            }
        }
    }

    /// Returns the present stamp of a file that is not opened, so without a header. `None`: it is
    /// not a regular file.
    ///
    /// # Errors
    /// Fails if there is nothing at the path, or the system fails.
    pub(crate) fn ask(files: &Files, path: &Path) -> io::Result<Option<Self>> {
        match files {
            Files::Disk => Self::ask_disk(path),
            Files::Archive(_) => {
                let facts = files.facts(path)?;
                Ok(facts.is_file().then(|| Self::new(&facts)))
            }
        }
    }

    fn ask_disk(path: &Path) -> io::Result<Option<Self>> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
            use rustix::io::Errno;

            // Otherwise a client of NFS may answer from its memory, which may be a minute old.
            match statx(
                CWD,
                path,
                AtFlags::STATX_FORCE_SYNC,
                StatxFlags::BASIC_STATS,
            ) {
                Ok(there) => return Ok(Self::from_statx(&there)),
                Err(Errno::NOENT) => return Err(Errno::NOENT.into()),
                // Some containers forbid this call.
                Err(_) => {}
            }
        }

        let there = path.metadata()?;
        Ok(there.is_file().then(|| Self::from_metadata(&there)))
    }

    #[cfg(target_os = "linux")]
    fn from_statx(there: &rustix::fs::Statx) -> Option<Self> {
        let stamp = Self {
            len: there.stx_size,
            modified: since_1970(there.stx_mtime.tv_sec, there.stx_mtime.tv_nsec.into()),
            changed: since_1970(there.stx_ctime.tv_sec, there.stx_ctime.tv_nsec.into()),
            inode: there.stx_ino,
            header: 0,
        };
        rustix::fs::FileType::from_raw_mode(there.stx_mode.into())
            .is_file()
            .then_some(stamp)
    }

    /// Adds the hash of a region file's header.
    pub(crate) fn with_header(self, header: &[u8]) -> Self {
        Self {
            header: if header.is_empty() {
                0
            } else {
                XxHash3_64::oneshot(header)
            },
            ..self
        }
    }

    /// Returns the stamp as if another file had these facts. `mark` identifies that file.
    pub(crate) fn of_another_file(self, mark: &[u8]) -> Self {
        Self {
            inode: self.inode ^ XxHash3_64::oneshot(mark),
            ..self
        }
    }

    /// Joins the stamps of two files whose contents belong together.
    pub(crate) fn joined_with(self, other: Self) -> Self {
        let joined = self.of_another_file(&other.state().to_le_bytes());
        let is_dated = !self.needs_header() && !other.needs_header();
        Self {
            len: self.len.saturating_add(other.len),
            modified: self.modified.max(other.modified),
            changed: if is_dated {
                self.changed.max(other.changed)
            } else {
                0
            },
            ..joined
        }
    }

    /// Returns whether a change of the file may show only in its header. No program can change a
    /// file and keep both the time of its last change and its number, but some systems report
    /// neither.
    pub(crate) const fn needs_header(&self) -> bool {
        self.changed == 0 || self.inode == 0
    }

    /// Leaves out the header if it is not needed, so that the file need not be opened to find out
    /// whether it still has this stamp.
    pub fn without_needless_header(self) -> Self {
        Self {
            header: if self.needs_header() { self.header } else { 0 },
            ..self
        }
    }

    /// Joins the stamps of the chunk files of a region into one stamp.
    pub(crate) fn joined(stamps: &[(Slot, Self)]) -> Self {
        let words = stamps
            .iter()
            .flat_map(|(slot, stamp)| [slot.index() as u64, stamp.state()]);
        let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();

        let modified = stamps.iter().map(|(_, stamp)| stamp.modified).max();
        let changed = stamps.iter().map(|(_, stamp)| stamp.changed).max();

        Self {
            len: stamps.iter().map(|(_, stamp)| stamp.len).sum(),
            modified: modified.unwrap_or_default(),
            changed: changed.unwrap_or_default(),
            inode: 0,
            header: XxHash3_64::oneshot(&bytes),
        }
    }

    /// Returns the time until a file with this stamp will have been left alone for `rest`; `None`:
    /// it already has, or its time is in the future.
    pub(crate) fn time_to_rest(&self, rest: Duration) -> Option<Duration> {
        let touched = u64::try_from(self.modified.max(self.changed)).ok()?;
        let age = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH + Duration::from_nanos(touched))
            .ok()?;
        rest.checked_sub(age).filter(|left| !left.is_zero())
    }

    /// Returns one number for the whole stamp.
    pub fn state(&self) -> u64 {
        let Self {
            len,
            modified,
            changed,
            inode,
            header,
        } = *self;
        let words = [len, modified as u64, changed as u64, inode, header];
        XxHash3_64::oneshot(words.map(u64::to_le_bytes).as_flattened())
    }

    /// Returns whether a file that still has this stamp also still has the bytes that were read at
    /// `read`, in nanoseconds since 1970. Times of files have steps of up to 2 s, so a file can
    /// change again within the same step without a trace.
    pub const fn is_stable(&self, read: i64) -> bool {
        const STEP: i64 = 2_000_000_000;
        let before = read.saturating_sub(STEP);
        self.modified < before && self.changed < before
    }
}

/// Returns a time in nanoseconds.
fn since_1970(seconds: i64, nanoseconds: i64) -> i64 {
    seconds
        .saturating_mul(1_000_000_000)
        .saturating_add(nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn recently_changed_files_count_as_unstable() {
        let stamp = |modified, changed| Stamp {
            modified,
            changed,
            ..Stamp::default()
        };

        assert!(stamp(10 * SECOND, 10 * SECOND).is_stable(12 * SECOND + 1));
        assert!(!stamp(10 * SECOND, 10 * SECOND).is_stable(12 * SECOND));
        assert!(
            !stamp(0, 10 * SECOND).is_stable(11 * SECOND),
            "a time that was set back"
        );

        assert!(
            !stamp(100 * SECOND, 0).is_stable(50 * SECOND),
            "a clock that went back"
        );
        assert!(!stamp(i64::MAX, i64::MIN).is_stable(i64::MIN));
    }
}
