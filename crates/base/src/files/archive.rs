//! A zip, a tar or a remote folder, whose entries can be used as files and folders.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::bytes_part::{BytesPart, SharedBytes};
use super::entry_names::{LeftOutEntries, path_of};
use super::folder_entry::FolderEntry;
use super::open_file::OpenFile;
use super::path_facts::PathFacts;
use super::remote::{RemoteContents, RemoteFolder};
use super::tar_contents::{ReadTar, TarContents, is_tar_file};
use super::zip_contents::{self, ZipContents};
use crate::at;

#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    /// The absolute path, with links followed.
    full: PathBuf,
    contents: Contents,
    /// Sorted by path, so that the entries below a folder are adjacent. Folders are not stored
    /// separately, because one name may contain many of them.
    entries: Vec<ArchiveEntry>,
    left_out: LeftOutEntries,
}

#[derive(Debug)]
enum Contents {
    Zip(Box<ZipContents>),
    Tar(TarContents),
    Remote(RemoteContents),
}

#[derive(Debug)]
struct ArchiveEntry {
    /// The path in the archive with `/` as separator. The path of a folder ends with a separator.
    path: Box<str>,
    /// The index in the archive.
    number: usize,
}

/// Returns whether a file is read as a zip, which depends on its extension and its first bytes.
pub(super) fn is_named_zip(path: &Path) -> io::Result<bool> {
    if path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("zip"))
    {
        return Ok(true);
    }

    is_zip(&File::open(path)?)
}

/// Returns whether a file is a zip, by its first bytes.
pub(super) fn is_zip(file: &File) -> io::Result<bool> {
    let mut start = [0; zip_contents::FILE.len()];
    let read = at::read_at(file, &mut start, 0)?;
    let magic = [zip_contents::FILE, zip_contents::EMPTY];
    Ok(read == start.len() && magic.contains(&start))
}

impl Archive {
    /// Opens a zip and reads its directory.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is not a zip, or if its directory is too long.
    pub(super) fn open_zip(path: &Path) -> io::Result<Self> {
        Self::of_zip(path, SharedBytes::whole(File::open(path)?)?)
    }

    /// Reads a zip or a tar that was downloaded into `file`. `path` is its name for users. The first
    /// bytes decide which of the two it is, because an address may have any ending.
    ///
    /// # Errors
    /// Fails if the file is neither, or for the same reasons as the functions above and below.
    pub(super) fn of_download(
        path: &Path,
        file: File,
        is_needed: fn(&str) -> bool,
    ) -> io::Result<Self> {
        if is_zip(&file)? {
            return Self::of_zip(path, SharedBytes::whole(file)?);
        }
        if is_tar_file(&file, path)? {
            return Ok(Self::of_tar(path, ReadTar::read_file(file, is_needed)?));
        }

        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "this is neither a zip nor a tar: give the address of the archive itself, not of a page \
             about it",
        ))
    }

    /// Reads a tar, and keeps the contents of the files that are needed.
    ///
    /// # Errors
    /// Fails for the same reasons as [`ReadTar::read_file`].
    pub(super) fn open_tar(path: &Path, is_needed: fn(&str) -> bool) -> io::Result<Self> {
        let read = ReadTar::read_file(File::open(path)?, is_needed)?;
        Ok(Self::of_tar(path, read))
    }

    fn of_tar(path: &Path, read: ReadTar) -> Self {
        let ReadTar {
            contents,
            paths,
            left_out,
        } = read;
        let entries = paths.into_iter().map(|(path, number)| ArchiveEntry {
            path: path.into(),
            number,
        });
        Self::new(path, Contents::Tar(contents), entries.collect(), left_out)
    }

    /// Reads the directory of a zip whose bytes are in memory or in another archive.
    pub(super) fn of_zip(path: &Path, bytes: SharedBytes) -> io::Result<Self> {
        let zip = ZipContents::read(bytes)?;
        let mut entries = Vec::new();
        let mut left_out = LeftOutEntries::default();

        for entry in zip.entries() {
            let Some(name) = entry.name else {
                left_out.add_nameless();
                continue;
            };
            match path_of(&name) {
                Some(path) if !entry.is_link => entries.push(ArchiveEntry {
                    path: path.into(),
                    number: entry.number,
                }),
                _ => left_out.add(&name),
            }
        }

        Ok(Self::new(
            path,
            Contents::Zip(Box::new(zip)),
            entries,
            left_out,
        ))
    }

    /// Makes an archive of a folder that is not on this machine.
    pub(super) fn of_remote(path: &Path, folder: RemoteFolder) -> Self {
        let contents = RemoteContents::new(folder);
        let mut entries = Vec::new();
        let mut left_out = LeftOutEntries::default();

        for (number, entry) in contents.entries().iter().enumerate() {
            match path_of(&entry.path) {
                Some(path) => entries.push(ArchiveEntry {
                    path: path.into(),
                    number,
                }),
                None => left_out.add(&entry.path),
            }
        }

        Self::new(path, Contents::Remote(contents), entries, left_out)
    }

    fn new(
        path: &Path,
        contents: Contents,
        mut entries: Vec<ArchiveEntry>,
        left_out: LeftOutEntries,
    ) -> Self {
        // If several entries have the same path, the last one is used.
        entries.sort_by(|a, b| a.path.cmp(&b.path).then(b.number.cmp(&a.number)));
        entries.dedup_by(|a, b| a.path == b.path);

        Self {
            path: path.to_owned(),
            full: path.canonicalize().unwrap_or_else(|_| path.to_owned()),
            contents,
            entries,
            left_out,
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the paths of all folders in the archive, each once.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let mut before = "";
        let inside = self
            .entries
            .iter()
            .flat_map(move |ArchiveEntry { path, .. }| {
                let known = std::mem::replace(&mut before, path);
                let ends = path.match_indices('/').map(|(end, _)| end);
                ends.filter(move |&end| !known.starts_with(&path[..=end]))
                    .map(|end| &path[..end])
            });
        std::iter::once("")
            .chain(inside)
            .map(|folder| self.path.join(folder))
    }

    /// Returns whether it is a zip, whose open files are in memory.
    pub fn is_zip(&self) -> bool {
        matches!(self.contents, Contents::Zip(_))
    }

    /// Returns whether it is a folder that is not on this machine.
    pub fn is_remote(&self) -> bool {
        matches!(self.contents, Contents::Remote(_))
    }

    /// Returns a warning about the entries that are left out; `None`: all entries are used.
    pub fn warning(&self) -> Option<String> {
        let text = self.left_out.text()?;
        Some(format!("{}: {text}", self.path.display()))
    }

    /// Sets how many of the most recently opened files of a zip stay inflated.
    pub(super) fn keep(&self, limit: usize) {
        if let Contents::Zip(zip) = &self.contents {
            zip.keep(limit);
        }
    }

    /// Returns the path inside the archive; `None`: the path is not below the archive.
    fn path_in_archive(&self, path: &Path) -> Option<String> {
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
        let inside = self.path_in_archive(path).ok_or_else(not_in_archive)?;

        // A file with the same path as a folder cannot be reached.
        if inside.is_empty() || self.has_folder(&inside) {
            return Ok(None);
        }

        let index = self
            .entries
            .binary_search_by(|entry| (*entry.path).cmp(inside.as_str()))
            .map_err(|_| not_in_archive())?;

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
        match &self.contents {
            Contents::Zip(zip) => zip.facts(number),
            Contents::Tar(tar) => Ok(tar.facts(number)),
            Contents::Remote(remote) => Ok(remote.facts(number)),
        }
    }

    pub(super) fn full_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.find(path)?;
        let inside = self.path_in_archive(path).unwrap_or_default();
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

        let mut below = self.path_in_archive(folder).unwrap_or_default();
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

    /// Returns a reader of a file from its start, which keeps nothing in memory.
    pub(super) fn reader(&self, path: &Path) -> io::Result<Box<dyn Read>> {
        let number = self.file(path)?;
        let source = match &self.contents {
            Contents::Zip(zip) => return Ok(Box::new(zip.open(number)?.into_reader())),
            Contents::Tar(tar) => tar.part(number)?.bytes,
            Contents::Remote(remote) => remote.open(number)?.bytes,
        };

        Ok(Box::new(BytesPart {
            left: source.len(),
            source,
            at: 0,
        }))
    }

    /// Returns the first bytes of a file, up to `limit`, if they can be read without the rest of it;
    /// `None`: a [reader](Archive::reader) reads them.
    pub(super) fn remote_start(&self, path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
        match &self.contents {
            Contents::Remote(remote) => remote.start(self.file(path)?, limit),
            Contents::Zip(_) | Contents::Tar(_) => Ok(None),
        }
    }

    /// Opens a file for reading at any position. Others who have it open share it.
    pub(super) fn open(&self, path: &Path) -> io::Result<OpenFile> {
        let number = self.file(path)?;
        match &self.contents {
            Contents::Zip(zip) => zip.open_shared(number).map(OpenFile::Packed),
            Contents::Tar(tar) => tar.part(number).map(OpenFile::InTar),
            Contents::Remote(remote) => remote.open(number).map(OpenFile::Remote),
        }
    }

    /// Opens a zip in this archive. The bytes of a zip in a zip are held in memory.
    ///
    /// # Errors
    /// Fails if the inner zip cannot be read, or would need more than `limit` bytes of memory.
    pub(super) fn inner_zip(&self, path: &Path, limit: u64) -> io::Result<Self> {
        let number = self.file(path)?;
        let bytes = match &self.contents {
            Contents::Tar(tar) => tar.part(number)?.bytes,
            Contents::Remote(remote) => remote.open(number)?.bytes,
            Contents::Zip(zip) => {
                let mut bytes = Vec::new();
                let reader = zip.open(number)?.into_reader();
                reader.take(limit + 1).read_to_end(&mut bytes)?;
                if bytes.len() as u64 > limit {
                    return Err(io::Error::other(format!(
                        "it has more than {} MiB",
                        limit >> 20
                    )));
                }
                SharedBytes::Memory(bytes.into())
            }
        };
        Self::of_zip(path, bytes)
    }

    fn file(&self, path: &Path) -> io::Result<usize> {
        self.find(path)?
            .ok_or_else(|| io::ErrorKind::IsADirectory.into())
    }
}

fn not_in_archive() -> io::Error {
    io::Error::new(
        io::ErrorKind::NotFound,
        "the archive has no such file or folder",
    )
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::sync::Arc;

    use super::*;
    use crate::files::entry_names::{MAX_FOLDERS, MAX_NAME};
    use crate::files::zip_contents::MAX_DIRECTORY;

    fn zip_of(files: &[(&str, &[u8])]) -> Archive {
        let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        for (name, bytes) in files {
            zip.start_file(*name, zip::write::SimpleFileOptions::default())
                .unwrap();
            zip.write_all(bytes).unwrap();
        }
        let bytes = zip.finish().unwrap().into_inner();
        Archive::of_zip(Path::new("w.zip"), SharedBytes::Memory(bytes.into())).unwrap()
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
        let refused = Archive::of_zip(
            Path::new("w.zip"),
            SharedBytes::Memory([entry.repeat(count), end].concat().into()),
        )
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
        let open = |name: &str| match archive.open(&Path::new("w.zip").join(name)) {
            Ok(OpenFile::Packed(file)) => file,
            other => panic!("{other:?}"),
        };
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
