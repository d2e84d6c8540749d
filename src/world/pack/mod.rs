//! Reads the files of packs: resource packs, data packs, the game's jar and the jars of mods. Each
//! is a folder or a zip.
//!
//! A pack may come from anyone, together with the world that contains it. So names are checked
//! before they become paths, links are not followed, and both the number of files and the bytes
//! that they inflate to are limited. This module does not interpret the contents of files.

mod inner;
mod json;
mod overlays;

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use twox_hash::XxHash3_64;

pub use inner::PackOpener;
pub use json::parse_json;
use overlays::Overlays;

use crate::base::disk::{is_file, is_folder};
use crate::base::retry::retryable;
use crate::world::files::{Files, FolderEntry};

/// The largest file that is read from a pack, in bytes.
pub const MAX_FILE: u64 = 64 << 20;
/// The most bytes that are read in all from packs that share a [`Budget`].
pub const MAX_TOTAL: u64 = 1 << 30;
/// The most files of a pack that one search visits.
pub const MAX_FILES: usize = 100_000;
pub const MAX_JARS: usize = 1000;
/// The deepest nesting of folders in a namespace.
const MAX_DEPTH: usize = 16;

/// The reason why a pack, a file in it, or rules about its files cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackError {
    /// The pack's path and the file in it, or the name of a resource.
    pub place: String,
    pub reason: String,
    /// Whether the same read may succeed later.
    pub retryable: bool,
}

impl PackError {
    /// Makes an error that is not retryable. `place` is a file or a resource's name.
    pub fn new(place: impl fmt::Display, reason: impl fmt::Display) -> Self {
        Self {
            place: place.to_string(),
            reason: reason.to_string(),
            retryable: false,
        }
    }

    fn io(place: impl fmt::Display, error: &io::Error) -> Self {
        Self {
            retryable: retryable(error),
            ..Self::new(place, error)
        }
    }

    /// Returns the error for a pack that cannot be opened.
    fn unopened(files: &Files, path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound if files.is_link(path) => {
                Self::new(path.display(), "a broken link: its target does not exist")
            }
            io::ErrorKind::NotFound => Self::new(path.display(), "there is no such file"),
            _ => Self::io(path.display(), error),
        }
    }
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

impl std::error::Error for PackError {}

/// A file of a pack, with a namespace and a path as in the game.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resource {
    /// For example `minecraft:plains`.
    pub name: String,
    /// Its path in the pack, for example `data/minecraft/worldgen/biome/plains.json`.
    pub file: String,
}

/// The number of bytes that may still be read from a group of packs. Clones share it.
#[derive(Debug, Clone)]
pub struct Budget(Arc<AtomicU64>);

impl Default for Budget {
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(MAX_TOTAL)))
    }
}

#[derive(Debug)]
pub struct Pack {
    path: PathBuf,
    files: Files,
    budget: Budget,
    overlays: Overlays,
    problem: Option<PackError>,
}

impl Pack {
    /// Opens a zip or a folder on the disk. The bytes that are read from it count against `budget`.
    pub fn open(path: &Path, budget: &Budget) -> Result<Self, PackError> {
        Self::open_in(&Files::Disk, path, budget)
    }

    /// Opens a pack among other files, for example the files of a world in a zip.
    pub fn open_in(files: &Files, path: &Path, budget: &Budget) -> Result<Self, PackError> {
        let facts = files
            .facts(path)
            .map_err(|error| PackError::unopened(files, path, &error))?;
        if !facts.is_folder() && !facts.is_file() {
            return Err(PackError::new(
                path.display(),
                "neither a file nor a folder",
            ));
        }

        let inner = files
            .inner(path, MAX_FILE)
            .map_err(|error| PackError::unopened(files, path, &error))?;
        if !inner.is_folder(path) {
            return Err(PackError::new(path.display(), "not a zip"));
        }

        let mut pack = Self {
            path: path.to_owned(),
            files: inner,
            budget: budget.clone(),
            overlays: Overlays::default(),
            problem: None,
        };
        (pack.overlays, pack.problem) = Overlays::read(&pack)?;

        Ok(pack)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the reason why some of its overlays are left out; `None`: all of them are used.
    pub fn problem(&self) -> Option<&PackError> {
        self.problem.as_ref()
    }

    /// Returns whether it has a folder, perhaps in an overlay.
    pub fn has(&self, folder: &str) -> bool {
        self.overlays
            .roots(folder)
            .any(|root| self.files.is_folder(&self.path.join(root).join(folder)))
    }

    /// Returns the path of a file, from the topmost overlay that has it. Links are not followed.
    fn find(&self, file: &str) -> Option<PathBuf> {
        let mut paths = self
            .overlays
            .roots(file)
            .map(|root| self.path.join(root).join(file));
        paths.find(|path| !self.files.is_link(path) && self.files.is_file(path))
    }

    /// Reads a file of at most `limit` bytes; `None`: the pack does not contain it. Links are not
    /// followed.
    ///
    /// # Errors
    /// Fails if the name leads out of the pack, the file is damaged or too large, or the budget is
    /// used up.
    pub fn read(&self, file: &str, limit: u64) -> Result<Option<Vec<u8>>, PackError> {
        let Some(mut source) = self.open_file(file, limit)? else {
            return Ok(None);
        };

        let mut bytes = Vec::new();
        match source.read_to_end(&mut bytes) {
            Ok(_) => Ok(Some(bytes)),
            Err(error) => Err(PackError::io(self.place(file), &error)),
        }
    }

    /// Opens a file to read it from its start; `None`: the pack does not contain it. Reading more
    /// than `limit` bytes fails. Links are not followed.
    fn open_file(&self, file: &str, limit: u64) -> Result<Option<PackFile<'_>>, PackError> {
        if !is_inside(file) {
            return Err(PackError::new(
                self.place(file),
                "not the name of a file in a pack",
            ));
        }

        let Some(path) = self.find(file) else {
            return Ok(None);
        };
        let source = self
            .files
            .reader(&path)
            .map_err(|error| PackError::io(self.place(file), &error))?;

        let limit = limit.min(MAX_FILE);
        Ok(Some(PackFile {
            source,
            limit,
            left: limit,
            budget: &self.budget,
        }))
    }

    /// Returns the place of a file for messages.
    fn place(&self, file: &str) -> String {
        format!("{}, {file}", self.path.display())
    }

    /// Lists the files with this ending in `<top>/<namespace>/<kind>/`, sorted by name. Files with
    /// names that the game does not allow are left out.
    ///
    /// # Errors
    /// Fails if a folder cannot be listed, or there are more than [`MAX_FILES`] files.
    pub fn list(&self, top: &str, kind: &str, ending: &str) -> Result<Vec<Resource>, PackError> {
        let mut resources = BTreeSet::new();
        let mut count = 0;
        for root in self.overlays.roots(top) {
            for space in self.entries(root, top, &mut count)? {
                self.walk(
                    root,
                    &format!("{top}/{}/{kind}", space.name),
                    MAX_DEPTH,
                    &mut count,
                    &mut |file| {
                        resources.extend(resource(file, top, kind, ending));
                    },
                )?;
            }
        }

        Ok(resources.into_iter().collect())
    }

    /// Returns the files below a folder, at any depth, whose names have this ending, sorted.
    ///
    /// # Errors
    /// Fails if a folder cannot be listed, or there are more than [`MAX_FILES`] files.
    pub fn files_below(&self, folder: &str, ending: &str) -> Result<Vec<String>, PackError> {
        let mut files = BTreeSet::new();
        let mut count = 0;
        for root in self.overlays.roots(folder) {
            self.walk(root, folder, MAX_DEPTH, &mut count, &mut |file| {
                if file.ends_with(ending) {
                    files.insert(file.to_owned());
                }
            })?;
        }

        Ok(files.into_iter().collect())
    }

    /// Returns a hash of the names and bytes of the files below a folder for which `counts` returns
    /// true.
    ///
    /// # Errors
    /// Fails if a folder cannot be listed, or a file cannot be read.
    pub fn fingerprint(
        &self,
        folder: &str,
        counts: impl Fn(&str) -> bool,
    ) -> Result<u64, PackError> {
        let mut hash = 0;
        for file in self
            .files_below(folder, "")?
            .into_iter()
            .filter(|file| counts(file))
        {
            // These bytes do not count against the budget, because they are not kept.
            let Some(path) = self.find(&file) else {
                continue;
            };

            let bytes = self
                .files
                .read(&path, MAX_FILE)
                .map_err(|error| PackError::io(path.display(), &error))?;
            hash = XxHash3_64::oneshot_with_seed(
                XxHash3_64::oneshot_with_seed(hash, file.as_bytes()),
                &bytes,
            );
        }

        Ok(hash)
    }

    /// Lists the entries of a folder below a root; empty if the folder does not exist.
    fn entries(
        &self,
        root: &str,
        folder: &str,
        count: &mut usize,
    ) -> Result<Vec<FolderEntry>, PackError> {
        let path = self.path.join(root).join(folder);
        if self.files.is_link(&path) || !self.files.is_folder(&path) {
            return Ok(Vec::new());
        }

        let listed = self
            .files
            .list(&path)
            .map_err(|error| PackError::io(path.display(), &error))?;

        let mut entries = Vec::new();
        for entry in listed {
            *count += 1;
            if *count > MAX_FILES {
                return Err(PackError::new(
                    path.display(),
                    format!("more than {MAX_FILES} files"),
                ));
            }
            entries.push(entry.map_err(|error| PackError::io(path.display(), &error))?);
        }

        Ok(entries)
    }

    /// Calls `add` for the files below a folder, with their paths below the root.
    fn walk(
        &self,
        root: &str,
        folder: &str,
        depth: usize,
        count: &mut usize,
        add: &mut impl FnMut(&str),
    ) -> Result<(), PackError> {
        for FolderEntry {
            name,
            path,
            is_link,
            is_folder,
        } in self.entries(root, folder, count)?
        {
            let file = format!("{folder}/{name}");
            if is_folder && !is_link && depth > 0 {
                self.walk(root, &file, depth - 1, count, add)?;
            } else if !is_link && self.files.is_file(&path) {
                add(&file);
            }
        }

        Ok(())
    }
}

/// A file of a pack that is read from its start, at most up to its limit. Its bytes count against
/// the budget of the pack.
struct PackFile<'a> {
    source: Box<dyn Read>,
    limit: u64,
    /// The number of bytes up to the limit.
    left: u64,
    budget: &'a Budget,
}

impl Read for PackFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Budget(remaining) = self.budget;
        let in_budget = remaining.load(Ordering::Relaxed);

        // One more byte than allowed shows that the file is too long.
        let allowed = self.left.min(in_budget);
        let most = usize::try_from(allowed + 1).unwrap_or(usize::MAX);
        let most = buffer.len().min(most);
        let read = self.source.read(&mut buffer[..most])?;

        let len = read as u64;
        remaining.store(in_budget.saturating_sub(len), Ordering::Relaxed);

        let reason = match len {
            _ if len <= allowed => {
                self.left -= len;
                return Ok(read);
            }
            _ if len > self.left => format!("more than {} MiB", self.limit >> 20),
            _ => format!("the packs together have more than {} MiB", MAX_TOTAL >> 20),
        };
        Err(io::Error::other(reason))
    }
}

/// Lists the jars and zips in a folder, sorted by path; empty for a file or for a folder that is
/// itself a pack.
///
/// # Errors
/// Fails if the folder cannot be listed, or has more than [`MAX_JARS`] of them.
pub fn jars(folder: &Path) -> Result<Vec<PathBuf>, PackError> {
    if !has_folder(folder)?
        || has_folder(&folder.join("assets"))?
        || has_folder(&folder.join("data"))?
    {
        return Ok(Vec::new());
    }

    let listed =
        std::fs::read_dir(folder).map_err(|error| PackError::io(folder.display(), &error))?;
    let paths = listed.flatten().map(|entry| entry.path());
    let mut jars: Vec<PathBuf> = paths
        .filter(|path| is_jar(path))
        .take(MAX_JARS + 1)
        .collect();

    if jars.len() > MAX_JARS {
        return Err(PackError::new(
            folder.display(),
            format!("more than {MAX_JARS} jars"),
        ));
    }

    jars.sort();
    Ok(jars)
}

/// Returns whether there is a folder at a path.
fn has_folder(path: &Path) -> Result<bool, PackError> {
    is_folder(path).map_err(|error| PackError::io(path.display(), &error))
}

/// Returns whether a file is a jar or zip. If the system fails to answer, the file counts, so that
/// opening it reports the error.
fn is_jar(path: &Path) -> bool {
    let ending = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    ending.is_some_and(|ending| {
        ["jar", "zip", "mcpack"]
            .iter()
            .any(|known| ending == *known)
    }) && is_file(path).unwrap_or(true)
}

fn is_inside(file: &str) -> bool {
    !file.contains(['\\', ':', '\0'])
        && file.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// Returns the resource that a file contains. For example, `data/mod/worldgen/biome/heath.json` is
/// the biome `mod:heath`.
fn resource(file: &str, top: &str, kind: &str, ending: &str) -> Option<Resource> {
    let (space, rest) = file.strip_prefix(top)?.strip_prefix('/')?.split_once('/')?;
    let path = rest
        .strip_prefix(kind)?
        .strip_prefix('/')?
        .strip_suffix(ending)?;
    let name = format!("{space}:{path}");
    split(&name).is_some().then(|| Resource {
        name,
        file: file.to_owned(),
    })
}

/// Splits a name such as `mod:thing/part` into namespace and path. The default namespace is the
/// game's. `None`: the namespace or the path is not allowed in the game.
pub fn split(name: &str) -> Option<(&str, &str)> {
    let (space, path) = name.split_once(':').unwrap_or(("minecraft", name));
    let sound =
        !space.is_empty() && name.len() <= 256 && !space.contains(['/', '.']) && is_inside(path);
    (sound && has_plain_letters(space) && has_plain_letters(path)).then_some((space, path))
}

fn has_plain_letters(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-./".contains(&b))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write as _;

    use super::*;

    fn zip_of(path: &Path, files: &[(&str, &[u8])]) {
        let mut zip = zip::ZipWriter::new(File::create(path).unwrap());
        for (name, bytes) in files {
            zip.start_file(*name, zip::write::SimpleFileOptions::default())
                .unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap();
    }

    fn folder_of(root: &Path, files: &[(&str, &[u8])]) {
        for (name, bytes) in files {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            File::create(path).unwrap().write_all(bytes).unwrap();
        }
    }

    fn names(pack: &Pack) -> Vec<String> {
        let listed = pack.list("data", "worldgen/biome", ".json").unwrap();
        listed.into_iter().map(|resource| resource.name).collect()
    }

    const FILES: [(&str, &[u8]); 5] = [
        ("data/mod/worldgen/biome/cold/heath.json", b"1"),
        ("data/minecraft/worldgen/biome/plains.json", b"2"),
        ("data/minecraft/worldgen/biome/notes.txt", b"3"),
        ("data/minecraft/worldgen/biome/Plains.json", b"4"),
        ("data/minecraft/worldgen/biomes/moor.json", b"5"),
    ];

    #[test]
    fn folder_and_zip_are_the_same_pack() {
        let place = tempfile::tempdir().unwrap();
        let (folder, zip) = (place.path().join("pack"), place.path().join("pack.zip"));
        folder_of(&folder, &FILES);
        zip_of(&zip, &FILES);

        for pack in [
            Pack::open(&folder, &Budget::default()).unwrap(),
            Pack::open(&zip, &Budget::default()).unwrap(),
        ] {
            assert_eq!(
                names(&pack),
                ["minecraft:plains", "mod:cold/heath"],
                "{pack:?}"
            );
            assert_eq!(pack.read(FILES[0].0, 1).unwrap().unwrap(), b"1");
            assert_eq!(pack.read("data/nothing.json", 1).unwrap(), None);
            assert!(pack.has("data") && !pack.has("assets") && !pack.has("dat"));
        }
    }

    #[test]
    fn file_names_never_leave_a_pack() {
        let place = tempfile::tempdir().unwrap();
        folder_of(place.path(), &[("secret", b"x"), ("pack/data/mod/x", b"y")]);

        let pack = Pack::open(&place.path().join("pack"), &Budget::default()).unwrap();
        for name in [
            "../secret",
            "data/../../secret",
            "/etc/hostname",
            "data//x",
            "./data",
            "data\\x",
            "",
            "C:x",
        ] {
            assert!(pack.read(name, 9).is_err(), "{name:?}");
        }

        for name in [
            "a:../b", "a:", ":b", "a:b/../c", "A:b", "a.b:c", "a/b:c", "a:/b", "a:b/", "a:ö",
        ] {
            assert_eq!(split(name), None, "{name:?}");
        }

        assert_eq!(split("stone"), Some(("minecraft", "stone")));
        assert_eq!(split("a:b.c/d-e"), Some(("a", "b.c/d-e")));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let place = tempfile::tempdir().unwrap();
        folder_of(
            place.path(),
            &[
                ("pack/data/mod/worldgen/biome/a.json", b"1"),
                ("outside/b.json", b"2"),
            ],
        );

        let biomes = place.path().join("pack/data/mod/worldgen/biome");
        std::os::unix::fs::symlink(place.path().join("outside"), biomes.join("far")).unwrap();
        std::os::unix::fs::symlink(place.path().join("outside/b.json"), biomes.join("b.json"))
            .unwrap();

        std::os::unix::fs::symlink(&biomes, biomes.join("round")).unwrap();
        let pack = Pack::open(&place.path().join("pack"), &Budget::default()).unwrap();
        assert_eq!(names(&pack), ["mod:a"]);
        assert_eq!(
            pack.read("data/mod/worldgen/biome/b.json", 9).unwrap(),
            None
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_of_length_zero_is_not_read() {
        // A reader that ignores the length would read text here.
        let status = Path::new("/proc/self/status");
        assert_eq!(Files::Disk.read(status, 99).unwrap(), b"");

        let process = Pack::open(Path::new("/proc/self"), &Budget::default()).unwrap();
        assert_eq!(process.read("status", 1 << 20).unwrap().unwrap(), b"");

        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("linked.zip");
        std::os::unix::fs::symlink(status, &path).unwrap();
        assert!(
            Pack::open(&path, &Budget::default())
                .unwrap_err()
                .to_string()
                .contains("not a zip: the file is empty")
        );
    }

    #[test]
    fn files_inflating_beyond_the_limit_are_cut() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("bomb.zip");
        zip_of(
            &path,
            &[
                ("data/a/big", &vec![0; 3 << 20]),
                ("data/a/json", &vec![b' '; 3 << 20]),
                ("data/a/small", b"x"),
            ],
        );

        let budget = Budget::default();
        let pack = Pack::open(&path, &budget).unwrap();
        let error = pack.read("data/a/big", 1 << 20).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("bomb.zip, data/a/big: more than 1 MiB"),
            "{error}"
        );

        assert_eq!(budget.0.load(Ordering::Relaxed), MAX_TOTAL - (1 << 20) - 1);
        budget.0.store(1 << 20, Ordering::Relaxed);

        let error = pack.read_json::<u8>("data/a/json").unwrap_err();
        assert!(
            error
                .reason
                .starts_with("the packs together have more than"),
            "{error}"
        );

        budget.0.store(1 << 20, Ordering::Relaxed);
        let error = pack.read("data/a/big", 8 << 20).unwrap_err();
        assert!(
            error
                .reason
                .starts_with("the packs together have more than"),
            "{error}"
        );
        assert!(pack.read("data/a/small", 8).is_err(), "nothing is left");
    }

    #[test]
    fn a_path_without_a_pack_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.zip");
        assert!(
            Pack::open(&path, &Budget::default())
                .unwrap_err()
                .to_string()
                .ends_with("x.zip: there is no such file")
        );

        File::create(&path).unwrap().write_all(b"no zip").unwrap();
        assert!(
            Pack::open(&path, &Budget::default())
                .unwrap_err()
                .to_string()
                .contains("x.zip: not a zip, or one that is not whole")
        );
    }
}
