//! The files of a folder that is not on this machine, such as a world in a bucket.
//!
//! The folder was listed once, when it was opened. A file is downloaded when it is first read, as a
//! whole, into a temporary file without a name, because readers need its bytes at any position. The
//! most recently used downloads are kept, so that most files are downloaded once. How files are
//! downloaded is the business of the crate that implements [`RemoteFiles`].

use std::collections::VecDeque;
use std::fmt::Debug;
use std::io;
use std::sync::{Arc, Mutex};

use super::bytes_part::SharedBytes;
use super::downloaded_file::DownloadedFile;
use super::path_facts::PathFacts;
use crate::mutex;

/// The most downloads that are kept. Each of them is an open file.
const MAX_KEPT: usize = 128;
/// At most this number of bytes is read of a file that is not downloaded, because only its start is
/// needed.
const MAX_START: u64 = 64 << 10;

/// Downloads the files of a folder that is not on this machine.
pub trait RemoteFiles: Debug + Send + Sync {
    /// Downloads a whole file into a temporary file without a name.
    ///
    /// # Errors
    /// Fails if the file cannot be downloaded, or is too long.
    fn download(&self, path: &str) -> io::Result<DownloadedFile>;

    /// Downloads the first bytes of a file, up to `limit`.
    ///
    /// # Errors
    /// Fails if the file cannot be downloaded.
    fn download_start(&self, path: &str, limit: u64) -> io::Result<Vec<u8>>;
}

/// A file of the folder when it was listed.
#[derive(Debug, Clone)]
pub struct RemoteEntry {
    /// The path in the folder, with `/` as separator.
    pub path: String,
    /// Length in bytes.
    pub len: u64,
    /// A number that changes whenever the file changes.
    pub version: u64,
}

/// A remote folder that was opened: the answer of its listing, and the way to its files.
#[derive(Debug)]
pub struct RemoteFolder {
    pub entries: Vec<RemoteEntry>,
    pub files: Arc<dyn RemoteFiles>,
    /// The most bytes of downloads that are kept.
    pub max_kept_bytes: u64,
}

/// An open file of a remote folder.
#[derive(Debug)]
pub struct RemotePart {
    pub(super) bytes: SharedBytes,
    pub(super) version: u64,
}

/// The files of a remote folder, by their numbers.
#[derive(Debug)]
pub(super) struct RemoteContents {
    folder: RemoteFolder,
    kept: Mutex<KeptDownloads>,
}

/// A download that is shared by all who read the file; empty until the first of them has made it.
type Download = Mutex<Option<Arc<DownloadedFile>>>;

/// The most recently used downloads, the last used one at the end.
#[derive(Debug, Default)]
struct KeptDownloads {
    downloads: VecDeque<KeptDownload>,
    bytes: u64,
}

#[derive(Debug)]
struct KeptDownload {
    number: usize,
    download: Arc<Download>,
    /// Bytes of the download; 0 until it is made.
    bytes: u64,
}

impl KeptDownloads {
    /// Returns a file's download, which is now the last used one.
    fn find(&mut self, number: usize) -> Arc<Download> {
        let found = self
            .downloads
            .iter()
            .rposition(|kept| kept.number == number);
        let kept = found.and_then(|index| self.downloads.remove(index));
        let kept = kept.unwrap_or_else(|| KeptDownload {
            number,
            download: Arc::default(),
            bytes: 0,
        });

        let download = Arc::clone(&kept.download);
        self.downloads.push_back(kept);
        download
    }

    /// Counts the bytes of a download that was made, and drops the least recently used ones if there
    /// are too many. Readers who still have one of these open keep it until they are done.
    fn count(&mut self, number: usize, bytes: u64, max_bytes: u64) {
        let found = self.downloads.iter_mut().find(|kept| kept.number == number);
        if let Some(kept) = found {
            self.bytes = self.bytes - kept.bytes + bytes;
            kept.bytes = bytes;
        }

        while self.downloads.len() > MAX_KEPT || self.bytes > max_bytes && self.downloads.len() > 1
        {
            let Some(oldest) = self.downloads.pop_front() else {
                break;
            };
            self.bytes -= oldest.bytes;
        }
    }
}

impl RemoteContents {
    pub(super) fn new(folder: RemoteFolder) -> Self {
        Self {
            folder,
            kept: Mutex::default(),
        }
    }

    pub(super) fn entries(&self) -> &[RemoteEntry] {
        &self.folder.entries
    }

    /// Returns the facts about a file according to the listing.
    pub(super) fn facts(&self, number: usize) -> PathFacts {
        let RemoteEntry { len, version, .. } = self.folder.entries[number];
        PathFacts::Remote { len, version }
    }

    /// Opens a file. Downloads it unless its download is kept; others who open it meanwhile wait for
    /// the same download.
    ///
    /// # Errors
    /// Fails if it cannot be downloaded. The next call tries again.
    pub(super) fn open(&self, number: usize) -> io::Result<RemotePart> {
        let download = mutex::lock(&self.kept).find(number);
        let mut made = mutex::lock(&download);
        let file = if let Some(file) = &*made {
            Arc::clone(file)
        } else {
            let path = &self.folder.entries[number].path;
            let file = Arc::new(self.folder.files.download(path)?);
            *made = Some(Arc::clone(&file));
            mutex::lock(&self.kept).count(number, file.len, self.folder.max_kept_bytes);
            file
        };

        Ok(RemotePart {
            bytes: SharedBytes::Download(Arc::clone(&file)),
            version: file.version,
        })
    }

    /// Reads the first bytes of a file. Downloads no more than these if they are few.
    ///
    /// # Errors
    /// Fails if the file cannot be downloaded.
    pub(super) fn start(&self, number: usize, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let RemoteEntry { path, len, .. } = &self.folder.entries[number];
        if limit > MAX_START || *len <= limit {
            return Ok(None);
        }

        self.folder.files.download_start(path, limit).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::files::{Files, OpenFile};

    /// A folder in which each file contains its own path.
    #[derive(Debug, Default)]
    struct Paths {
        downloads: AtomicUsize,
        starts: AtomicUsize,
        /// The number of downloads that fail first.
        failures: AtomicUsize,
    }

    impl RemoteFiles for Paths {
        fn download(&self, path: &str) -> io::Result<DownloadedFile> {
            self.downloads.fetch_add(1, Ordering::Relaxed);
            let fails = self.failures.load(Ordering::Relaxed) > 0;
            if fails {
                self.failures.fetch_sub(1, Ordering::Relaxed);
                return Err(io::ErrorKind::HostUnreachable.into());
            }

            let mut file = tempfile::tempfile()?;
            file.write_all(path.as_bytes())?;
            Ok(DownloadedFile {
                file,
                len: path.len() as u64,
                version: 9,
            })
        }

        fn download_start(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
            self.starts.fetch_add(1, Ordering::Relaxed);
            Ok(path.as_bytes()[..limit as usize].to_vec())
        }
    }

    fn folder(paths: &[&str], max_kept_bytes: u64) -> (Files, Arc<Paths>) {
        let files = Arc::new(Paths::default());
        let entries = paths.iter().map(|path| RemoteEntry {
            path: (*path).to_owned(),
            len: path.len() as u64,
            version: 7,
        });
        let folder = RemoteFolder {
            entries: entries.collect(),
            files: Arc::clone(&files) as Arc<dyn RemoteFiles>,
            max_kept_bytes,
        };
        (Files::of_remote(Path::new("s3://b/w"), folder), files)
    }

    fn open(files: &Files, path: &str) -> io::Result<OpenFile> {
        files.open(&Path::new("s3://b/w").join(path))
    }

    #[test]
    fn a_remote_folder_has_inner_folders() {
        let (files, remote) = folder(&["level.dat", "region/r.0.0.mca", "../out"], 99);
        let root = Path::new("s3://b/w");
        let mut names: Vec<String> = files
            .list(root)
            .unwrap()
            .map(|entry| entry.unwrap().path.display().to_string())
            .collect();
        names.sort();
        assert_eq!(names, ["s3://b/w/level.dat", "s3://b/w/region"]);
        assert!(files.is_folder(&root.join("region")) && files.are_remote());
        assert!(
            files
                .archive()
                .unwrap()
                .warning()
                .unwrap()
                .contains("../out")
        );
        assert_eq!(files.facts(&root.join("level.dat")).unwrap().bytes(), 9);
        assert_eq!(
            remote.downloads.load(Ordering::Relaxed),
            0,
            "by listing alone"
        );
    }

    #[test]
    fn a_file_is_downloaded_once_for_all_readers() {
        let (files, remote) = folder(&["a/long name"], 99);
        let first = open(&files, "a/long name").unwrap();
        let mut bytes = [0; 4];
        first.read_at(&mut bytes, 7).unwrap();
        assert_eq!(&bytes, b"name");

        // The version of the download counts, because the file may have changed since the listing.
        assert!(matches!(
            first.facts().unwrap(),
            PathFacts::Remote {
                len: 11,
                version: 9
            }
        ));

        let mut text = String::new();
        let mut reader = files.reader(Path::new("s3://b/w/a/long name")).unwrap();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "a/long name");
        assert_eq!(remote.downloads.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn the_start_of_a_file_needs_no_download() {
        let (files, remote) = folder(&["abcdef"], 99);
        let path = Path::new("s3://b/w/abcdef");
        assert_eq!(files.read(path, 3).unwrap(), b"abc");
        assert_eq!(remote.downloads.load(Ordering::Relaxed), 0);
        assert_eq!(files.read(path, 6).unwrap(), b"abcdef");
        assert_eq!(remote.starts.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn the_least_recently_used_download_is_dropped_first() {
        let (files, remote) = folder(&["aaaa", "bbbb", "cccc"], 8);
        let held = open(&files, "aaaa").unwrap();
        for path in ["bbbb", "aaaa", "cccc", "aaaa"] {
            open(&files, path).unwrap();
        }
        assert_eq!(remote.downloads.load(Ordering::Relaxed), 3);

        open(&files, "bbbb").unwrap();
        open(&files, "cccc").unwrap();
        assert_eq!(remote.downloads.load(Ordering::Relaxed), 5);
        assert_eq!(held.read_at(&mut [0; 9], 0).unwrap(), 4, "still open");
    }

    #[test]
    fn the_number_of_open_downloads_is_bounded() {
        let paths: Vec<String> = (0..=MAX_KEPT).map(|number| format!("{number}")).collect();
        let (files, remote) = folder(&paths.iter().map(String::as_str).collect::<Vec<_>>(), 9999);
        for path in paths.iter().chain(&paths[..1]) {
            open(&files, path).unwrap();
        }
        assert_eq!(remote.downloads.load(Ordering::Relaxed), MAX_KEPT + 2);
    }

    #[test]
    fn the_next_reader_repeats_a_failed_download() {
        let (files, remote) = folder(&["a"], 99);
        remote.failures.store(1, Ordering::Relaxed);
        assert!(open(&files, "a").is_err_and(|error| crate::retry::retryable(&error)));
        assert!(open(&files, "a").is_ok());
    }
}
