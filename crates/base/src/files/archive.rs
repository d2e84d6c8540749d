//! A zip whose entries can be used as files and folders.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};

use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::folder_entry::FolderEntry;
use super::packed::{PackedFile, ZipBytes, ZipPart};
use super::path_facts::PathFacts;
use crate::recent::RecentValues;
use crate::{at, mutex};

/// The longest directory that is read, in bytes. In memory it needs about five times as much.
const MAX_DIRECTORY: u64 = 64 << 20;
/// The first bytes of a zip with files, and of an empty zip.
const FILE: [u8; 4] = *b"PK\x03\x04";
const EMPTY: [u8; 4] = *b"PK\x05\x06";
/// Length of the header before a file's bytes, without its name and its extra field. The offsets of
/// their lengths follow.
const HEAD: usize = 30;
const NAME: usize = 26;
const EXTRA: usize = 28;
/// The longest name of an entry, in bytes, and the most folders in it. File systems do not allow
/// longer paths, and without these limits the folders of one name would cost the square of its
/// length.
const MAX_NAME: usize = 4096;
const MAX_FOLDERS: usize = 64;
/// The most names in a warning about files that are left out, and the most letters of each name.
const MAX_NAMED: usize = 5;
const MAX_LETTERS: usize = 80;

#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    /// The absolute path, with links followed.
    full: PathBuf,
    source: ZipBytes,
    directory: ZipArchive<BufReader<DirectoryReader>>,
    /// Sorted by path, so that the entries below a folder are adjacent. Folders are not stored
    /// separately, because one name may contain many of them.
    entries: Vec<ZipEntry>,
    left_out: LeftOutEntries,
    open_files: Mutex<RecentValues<usize, Mutex<PackedFile>>>,
}

#[derive(Debug)]
struct ZipEntry {
    /// The path in the zip with `/` as separator. The path of a folder ends with a separator.
    path: Box<str>,
    /// The index in the directory.
    number: usize,
}

/// Reads a zip's bytes while its directory is read, and limits their number.
#[derive(Debug)]
struct DirectoryReader {
    part: ZipPart,
    left: u64,
}

impl Read for DirectoryReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.part.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("its directory has more than {} MiB", MAX_DIRECTORY >> 20),
            )
        })?;
        Ok(read)
    }
}

impl Seek for DirectoryReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.part.seek(to)
    }
}

/// Entries that are not read.
#[derive(Debug, Default)]
struct LeftOutEntries {
    count: usize,
    names: Vec<String>,
}

impl LeftOutEntries {
    fn add(&mut self, name: &str) {
        self.count += 1;
        if self.names.len() < MAX_NAMED {
            let shown: String = name.chars().take(MAX_LETTERS).collect();
            self.names.push(if shown.len() < name.len() {
                shown + "..."
            } else {
                shown
            });
        }
    }
}

/// Returns whether a file is read as a zip, which depends on its extension and its first bytes.
pub(super) fn is_named_zip(path: &Path) -> io::Result<bool> {
    if path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("zip"))
    {
        return Ok(true);
    }

    let mut start = [0; FILE.len()];
    let read = at::read_at(&File::open(path)?, &mut start, 0)?;
    Ok(read == start.len() && (start == FILE || start == EMPTY))
}

/// Returns the path of an entry from its name in the directory; `None`: the path leads out of the
/// zip, or is too long.
fn path_of(name: &str) -> Option<String> {
    if name.len() > MAX_NAME {
        return None;
    }

    // Some programs write the separators of Windows.
    let slashed = name.replace('\\', "/");
    let parts: Vec<&str> = slashed
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    let leads_out = parts
        .iter()
        .any(|part| *part == ".." || part.contains(['\0', ':']));

    let end = if slashed.ends_with('/') && !parts.is_empty() {
        "/"
    } else {
        ""
    };

    (!leads_out && parts.len() <= MAX_FOLDERS).then(|| parts.join("/") + end)
}

impl Archive {
    /// Opens a zip and reads its directory.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is not a zip, or if its directory is too long.
    pub(super) fn open_zip(path: &Path) -> io::Result<Self> {
        Self::new(path, ZipBytes::Disk(Arc::new(File::open(path)?)))
    }

    /// Reads the directory of a zip whose bytes are in memory.
    pub(super) fn from_bytes(path: &Path, bytes: Vec<u8>) -> io::Result<Self> {
        Self::new(path, ZipBytes::Memory(bytes.into()))
    }

    fn new(path: &Path, source: ZipBytes) -> io::Result<Self> {
        // Some special files have length 0 and block their reader.
        if source.len()? == 0 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "not a zip: the file is empty",
            ));
        }

        let part = ZipPart {
            source: source.clone(),
            at: 0,
            left: u64::MAX,
        };
        let directory = BufReader::new(DirectoryReader {
            part,
            left: MAX_DIRECTORY,
        });

        let directory = ZipArchive::new(directory).map_err(|error| match error {
            ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => error,
            _ => io::Error::new(
                io::ErrorKind::InvalidData,
                "not a zip, or one that is not whole",
            ),
        })?;

        let mut archive = Self {
            path: path.to_owned(),
            full: path.canonicalize().unwrap_or_else(|_| path.to_owned()),
            source,
            directory,
            entries: Vec::new(),
            left_out: LeftOutEntries::default(),
            open_files: Mutex::new(RecentValues::new(2)),
        };

        for number in 0..archive.directory.len() {
            archive.add(number);
        }

        // If several entries have the same path, the last one is used.
        archive
            .entries
            .sort_by(|a, b| a.path.cmp(&b.path).then(b.number.cmp(&a.number)));
        archive.entries.dedup_by(|a, b| a.path == b.path);

        Ok(archive)
    }

    fn add(&mut self, number: usize) {
        let Some(Ok(name)) = self.directory.name_for_index(number) else {
            return self.left_out.count += 1;
        };

        let is_link = self
            .directory
            .by_index_data(number)
            .is_ok_and(|entry| entry.is_symlink());

        match path_of(&name) {
            Some(path) if !is_link => self.entries.push(ZipEntry {
                path: path.into(),
                number,
            }),
            _ => self.left_out.add(&name),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the paths of all folders in the zip, each once.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let mut before = "";
        let inside = self.entries.iter().flat_map(move |ZipEntry { path, .. }| {
            let known = std::mem::replace(&mut before, path);
            let ends = path.match_indices('/').map(|(end, _)| end);
            ends.filter(move |&end| !known.starts_with(&path[..=end]))
                .map(|end| &path[..end])
        });
        std::iter::once("")
            .chain(inside)
            .map(|folder| self.path.join(folder))
    }

    /// Returns a warning about the entries that are left out; `None`: all entries are used.
    pub fn warning(&self) -> Option<String> {
        let LeftOutEntries { count, names } = &self.left_out;
        let more = if *count > names.len() {
            format!("... ({count} in all)")
        } else {
            String::new()
        };

        (*count > 0).then(|| {
            format!(
                "{}: entries left out, because they are links, or because their names lead out of \
                 the zip or have more than {MAX_NAME} bytes or {MAX_FOLDERS} folders: {}{more}",
                self.path.display(),
                names.join(", ")
            )
        })
    }

    /// Sets how many of the most recently opened files stay inflated.
    pub(super) fn keep(&self, limit: usize) {
        *mutex::lock(&self.open_files) = RecentValues::new(limit);
    }

    /// Returns the path inside the zip; `None`: the path is not below the zip.
    fn path_in_zip(&self, path: &Path) -> Option<String> {
        let mut inside = String::new();
        let below = path
            .strip_prefix(&self.path)
            .or_else(|_| path.strip_prefix(&self.full))
            .ok()?;

        for part in below.components() {
            let Component::Normal(part) = part else {
                return None;
            };
            if !inside.is_empty() {
                inside.push('/');
            }
            inside.push_str(part.to_str()?);
        }

        Some(inside)
    }

    /// Returns the index of the file at a path; `None`: the path is a folder.
    fn find(&self, path: &Path) -> io::Result<Option<usize>> {
        let inside = self.path_in_zip(path).ok_or_else(not_in_zip)?;

        // A file with the same path as a folder cannot be reached.
        if inside.is_empty() || self.has_folder(&inside) {
            return Ok(None);
        }

        let index = self
            .entries
            .binary_search_by(|entry| (*entry.path).cmp(inside.as_str()))
            .map_err(|_| not_in_zip())?;

        Ok(Some(self.entries[index].number))
    }

    /// Returns whether this path is a folder: an entry is below it, or is the folder itself.
    fn has_folder(&self, path: &str) -> bool {
        let below = format!("{path}/");
        self.entries
            .get(self.first_from(&below))
            .is_some_and(|entry| entry.path.starts_with(&below))
    }

    /// Returns the position of the first entry whose path is not before this one.
    fn first_from(&self, path: &str) -> usize {
        self.entries.partition_point(|entry| *entry.path < *path)
    }

    pub(super) fn facts(&self, path: &Path) -> io::Result<PathFacts> {
        let Some(number) = self.find(path)? else {
            return Ok(PathFacts::Folder);
        };
        let entry = self.directory.by_index_data(number)?;
        Ok(PathFacts::Packed {
            len: entry.size(),
            crc: entry.crc32(),
        })
    }

    pub(super) fn full_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.find(path)?;
        let inside = self.path_in_zip(path).unwrap_or_default();
        Ok(if inside.is_empty() {
            self.full.clone()
        } else {
            self.full.join(inside)
        })
    }

    pub(super) fn list(
        &self,
        folder: &Path,
    ) -> io::Result<impl Iterator<Item = FolderEntry> + use<'_>> {
        if self.find(folder)?.is_some() {
            return Err(io::ErrorKind::NotADirectory.into());
        }

        let mut below = self.path_in_zip(folder).unwrap_or_default();
        if !below.is_empty() {
            below.push('/');
        }

        let folder = folder.to_owned();
        let mut next = self.first_from(&below);
        Ok(std::iter::from_fn(move || {
            loop {
                let path = &*self.entries.get(next)?.path;
                let inner = path.strip_prefix(&*below)?;
                let end = inner.find('/');
                let name = &inner[..end.unwrap_or(inner.len())];

                // All entries below a subfolder together appear as one entry.
                next += end.map_or(1, |end| {
                    let prefix = &path[..=below.len() + end];
                    self.entries[next..].partition_point(|entry| entry.path.starts_with(prefix))
                });

                if !name.is_empty() && (end.is_some() || !self.has_folder(path)) {
                    let (name, path) = (name.to_owned(), folder.join(name));
                    return Some(FolderEntry {
                        name,
                        path,
                        is_link: false,
                        is_folder: end.is_some(),
                    });
                }
            }
        }))
    }

    /// Opens a file for reading from its start.
    pub(super) fn open(&self, path: &Path) -> io::Result<PackedFile> {
        self.begin(self.file(path)?)
    }

    /// Opens a file, or shares it with others who have it open.
    pub(super) fn open_shared(&self, path: &Path) -> io::Result<Arc<Mutex<PackedFile>>> {
        let number = self.file(path)?;
        let mut open = mutex::lock(&self.open_files);
        if let Some(file) = open.get(&number) {
            return Ok(file);
        }
        let file = Arc::new(Mutex::new(self.begin(number)?));
        open.put(number, file.clone());
        Ok(file)
    }

    fn file(&self, path: &Path) -> io::Result<usize> {
        self.find(path)?
            .ok_or_else(|| io::ErrorKind::IsADirectory.into())
    }

    fn begin(&self, number: usize) -> io::Result<PackedFile> {
        let entry = self.directory.by_index_data(number)?;
        if entry.encrypted() {
            return Err(unsupported(
                "it is encrypted: unpack the zip with its password first".to_owned(),
            ));
        }

        let is_deflated = match entry.compression() {
            CompressionMethod::Stored => false,
            CompressionMethod::Deflated => true,
            other => {
                return Err(unsupported(format!(
                    "it is packed by {other}: unpack the zip, or pack it again with Deflate"
                )));
            }
        };

        let mut head = [0; HEAD];
        let read = self.source.read_at(&mut head, entry.header_start())?;
        if read < HEAD || !head.starts_with(&FILE) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the zip is damaged: no file begins here",
            ));
        }

        let at = entry.header_start() + HEAD as u64 + length(&head, NAME) + length(&head, EXTRA);
        let part = ZipPart {
            source: self.source.clone(),
            at,
            left: entry.compressed_size(),
        };

        PackedFile::new(part, is_deflated, entry.size(), entry.crc32())
    }
}

fn not_in_zip() -> io::Error {
    io::Error::new(
        io::ErrorKind::NotFound,
        "the zip has no such file or folder",
    )
}

fn unsupported(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, reason)
}

/// Returns the length that two bytes of a local header store.
fn length(head: &[u8; HEAD], at: usize) -> u64 {
    u64::from(u16::from_le_bytes([head[at], head[at + 1]]))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn zip_of(files: &[(&str, &[u8])]) -> Archive {
        let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        for (name, bytes) in files {
            zip.start_file(*name, zip::write::SimpleFileOptions::default())
                .unwrap();
            zip.write_all(bytes).unwrap();
        }
        Archive::from_bytes(Path::new("w.zip"), zip.finish().unwrap().into_inner()).unwrap()
    }

    #[test]
    fn a_directory_without_measure_is_refused() {
        let name = vec![b'x'; 60_000];
        let mut entry = [&b"PK\x01\x02"[..], &[0; 42], &name].concat();
        entry[28..30].copy_from_slice(&(name.len() as u16).to_le_bytes());
        let count = MAX_DIRECTORY as usize / entry.len() + 1;
        let mut end = [&b"PK\x05\x06"[..], &[0; 18]].concat();
        end[8..10].copy_from_slice(&(count as u16).to_le_bytes());
        end[10..12].copy_from_slice(&(count as u16).to_le_bytes());
        end[12..16].copy_from_slice(&((count * entry.len()) as u32).to_le_bytes());
        let refused = Archive::from_bytes(Path::new("w.zip"), [entry.repeat(count), end].concat())
            .unwrap_err();
        assert_eq!(refused.to_string(), "its directory has more than 64 MiB");
    }

    #[test]
    fn names_of_impossible_length_are_left_out() {
        let deep = |folders: usize| "a/".repeat(folders) + "f";
        let long = "b".repeat(MAX_NAME + 1);

        let (whole, too_deep) = (deep(MAX_FOLDERS - 1), deep(MAX_FOLDERS));
        let archive = zip_of(&[
            (&whole, b"1"),
            (&too_deep, b"2"),
            (&long, b"3"),
            (&"c/".repeat(30_000), b""),
        ]);
        assert_eq!(archive.folders().count(), MAX_FOLDERS);
        assert!(archive.open(&Path::new("w.zip").join(&whole)).is_ok());

        let warning = archive.warning().unwrap();
        assert!(
            archive.left_out.count == 3 && warning.contains("bbb...") && warning.len() < 600,
            "{warning}"
        );
    }

    #[test]
    fn the_last_opened_file_stays_inflated() {
        let archive = zip_of(&[("a", b"1"), ("b", b"2"), ("c", b"3")]);
        archive.keep(2);
        let open = |name: &str| archive.open_shared(&Path::new("w.zip").join(name)).unwrap();
        let (a, b) = (open("a"), open("b"));
        assert!(Arc::ptr_eq(&a, &open("a")));
        open("c");
        assert!(Arc::ptr_eq(&a, &open("a")) && !Arc::ptr_eq(&b, &open("b")));
    }

    #[test]
    fn files_and_folders_are_read_by_their_paths() {
        let archive = zip_of(&[
            ("./a//b.txt", b"1"),
            ("a/c/", b""),
            ("d", b"2"),
            ("d/e", b"3"),
        ]);

        let facts = |path: &str| archive.facts(&Path::new("w.zip").join(path));
        assert!(
            facts("").unwrap().is_folder()
                && facts("a").unwrap().is_folder()
                && facts("a/c").unwrap().is_folder()
        );
        assert!(facts("a/b.txt").unwrap().is_file() && facts("d").unwrap().is_folder());

        for nothing in ["b.txt", "a/b.txt/c", "../w.zip", "x"] {
            assert_eq!(
                facts(nothing).unwrap_err().kind(),
                io::ErrorKind::NotFound,
                "{nothing}"
            );
        }

        let names: Vec<String> = archive
            .list(Path::new("w.zip/a"))
            .unwrap()
            .map(|entry| entry.name)
            .collect();
        assert_eq!(names, ["b.txt", "c"]);

        let folders: Vec<PathBuf> = archive.folders().collect();
        assert_eq!(
            folders,
            ["w.zip", "w.zip/a", "w.zip/a/c", "w.zip/d"].map(PathBuf::from)
        );

        let top = archive
            .list(Path::new("w.zip"))
            .unwrap()
            .map(|entry| (entry.name, entry.is_folder));
        assert_eq!(
            top.collect::<Vec<_>>(),
            [("a".to_owned(), true), ("d".to_owned(), true)]
        );

        assert!(
            archive.list(Path::new("w.zip/a/b.txt")).is_err()
                && archive.open(Path::new("w.zip/a")).is_err()
        );
    }
}
