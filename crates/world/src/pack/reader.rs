//! Opens a pack, and lists and reads its files.

use std::collections::BTreeSet;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::error::Category;
use twox_hash::XxHash3_64;

use crate::pack::budget::{Budget, LimitedFile};
use crate::pack::error::PackError;
use crate::pack::overlays::{MAX_META, META, Overlays};
use crate::pack::resource::{Resource, is_inside, resource};
use pixelmap_base::edited_json::{MARK, without_mark};
use pixelmap_base::files::{Files, FolderEntry};

/// The largest file that is read from a pack, in bytes.
pub const MAX_FILE: u64 = 64 << 20;
/// The most files of a pack that one search visits.
pub const MAX_FILES: usize = 100_000;
/// The deepest nesting of folders in a namespace.
const MAX_DEPTH: usize = 16;

#[derive(Debug)]
pub struct Pack {
    path: PathBuf,
    pub(super) files: Files,
    pub(super) budget: Budget,
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
        (pack.overlays, pack.problem) = pack.read_overlays()?;

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

    /// Reads a JSON file; `None`: the pack does not contain it. Only the values in `T` are kept, so
    /// that long and short files need the same memory.
    ///
    /// # Errors
    /// Fails if the file cannot be read, is longer than [`MAX_FILE`], or its JSON is damaged or has
    /// another form.
    pub fn read_json<T: DeserializeOwned>(&self, file: &str) -> Result<Option<T>, PackError> {
        let Some(mut source) = self.open_file(file, MAX_FILE)? else {
            return Ok(None);
        };

        let mut start = Vec::new();
        source
            .by_ref()
            .take(MARK.len() as u64)
            .read_to_end(&mut start)
            .map_err(|error| PackError::io(self.place(file), &error))?;

        let rest = BufReader::new(source);
        serde_json::from_reader(without_mark(&start).chain(rest))
            .map(Some)
            .map_err(|error| match error.classify() {
                Category::Io => PackError::io(self.place(file), &error.into()),
                _ => PackError::new(self.place(file), error),
            })
    }

    /// Reads its overlays. Also returns an error if some of them are left out, because
    /// `pack.mcmeta` is damaged or has entries that the game refuses.
    ///
    /// # Errors
    /// Fails if the file cannot be read now, but perhaps later.
    fn read_overlays(&self) -> Result<(Overlays, Option<PackError>), PackError> {
        let bytes = match self.read(META, MAX_META) {
            Ok(bytes) => bytes.unwrap_or_default(),
            Err(error) if error.retryable => return Err(error),
            Err(error) => return Ok((Overlays::default(), Some(error))),
        };

        let (mut overlays, refused) = match Overlays::parse(&self.place(META), &bytes) {
            Ok(parsed) => parsed,
            Err(error) => return Ok((Overlays::default(), Some(error))),
        };

        // A link may lead out of the pack.
        overlays.retain(|folder| {
            let path = self.path.join(folder.trim_end_matches('/'));
            !self.files.is_link(&path)
        });

        Ok((overlays, refused))
    }

    /// Opens a file to read it from its start; `None`: the pack does not contain it. Reading more
    /// than `limit` bytes fails. Links are not followed.
    fn open_file(&self, file: &str, limit: u64) -> Result<Option<LimitedFile<'_>>, PackError> {
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
        Ok(Some(LimitedFile::new(source, limit, &self.budget)))
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
    pub(super) fn entries(
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

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write as _;
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::pack::budget::MAX_TOTAL;
    use crate::pack::resource::split;

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
