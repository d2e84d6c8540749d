//! The output folder of a map: opens and locks it, checks that it belongs to the world, and
//! publishes or stages single files in it. Changes that must take effect together are left to
//! [`Commit`](crate::store::commit::file_changes::Commit).

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use cap_std::fs::Metadata;

use crate::atlas::{Content, Elsewhere, FileRecord, MapFile, Naming};
use crate::atlas::{ManifestError, ManifestLines, Moments, STATE, Scheme, TileRecord};
use crate::store::apart::check_apart;
use crate::store::disk::atomic::check_place;
use crate::store::disk::new_file::NewFile;
use crate::store::disk::redo;
use crate::store::disk::scratch::Scratch;
use crate::store::error::PublishError;
use crate::store::folder::identity;
use crate::store::folder::identity::{FolderIdentity, Identity, WantedNaming};
use pixelmap_base::coord::TilePos;
use pixelmap_base::disk::{fail_query, if_there, is_absent};
use pixelmap_base::own_folder::{OwnFolder, Place, RecentFolders};

pub(crate) const LOCK: &str = "lock";
const TEMPORARY: &str = "tmp";
/// The file of the state folder with facts about the world, which later runs reuse.
pub(crate) const WORLD_CACHE: &str = "world-cache";
/// The most bytes that are read from a lock file, which contains the number of a process.
const MAX_HOLDER: u64 = 20;

/// The outcome of publishing one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// The file was written, either new or in place of another.
    Written,
    /// The file already had the same bytes, and was left alone.
    Unchanged,
}

/// Facts about a published file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileFacts {
    /// Length in bytes.
    pub len: u64,
    /// The modification time, in nanoseconds since 1970.
    pub modified: i64,
    /// XXH3-64 of the bytes, if the place of the file records it. A file system does not.
    pub hash: Option<u64>,
}

/// An opened output folder. This run holds its lock until the value is dropped, except for a
/// scratch folder or a folder that is only read.
#[derive(Debug)]
pub struct Output {
    folder: OwnFolder,
    /// The state folder, relative to `root`: [`STATE`], or a folder in it for the part of a shard.
    state: String,
    content: Content,
    naming: Naming,
    /// The number of the next temporary file. No other run uses the same number, because this run
    /// holds the folder.
    next_temporary: AtomicU64,
    access: OutputAccess,
    /// The place of the published files that are not in the folder.
    elsewhere: Option<Elsewhere>,
}

/// What this run may do with the folder.
#[derive(Debug)]
enum OutputAccess {
    /// The run changes the folder and holds its lock, which the system releases when the process
    /// ends, even if it is killed.
    Held { _lock: File },
    /// The folder is only read.
    ReadOnly,
    /// The folder is removed with the run, and nobody else uses it, so files are written at their
    /// final paths directly.
    Scratch {
        /// Folders that are searched, in this order, for a published file that is missing in this
        /// folder.
        below: Vec<OwnFolder>,
    },
}

impl Output {
    /// Opens and locks an output folder for a map of `world`, and makes it if it is missing.
    /// `folders` are the other folders of the world, in addition to the folder at `world.path`.
    ///
    /// # Errors
    /// See [`Output::open_for`].
    pub fn open(root: &Path, world: &Identity, folders: &[PathBuf]) -> Result<Self, PublishError> {
        Self::open_for(Content::Map, WantedNaming::default(), root, world, folders)
    }

    /// Opens and locks an output folder for any content. If a killed run left a redo list, the list
    /// is carried out first.
    ///
    /// # Errors
    /// The folder is not ours, has other content, shows another world, names its tiles differently,
    /// is held by another run, is inside the world (or the world is inside it), or cannot be made.
    pub fn open_for(
        content: Content,
        naming: WantedNaming,
        root: &Path,
        world: &Identity,
        folders: &[PathBuf],
    ) -> Result<Self, PublishError> {
        Self::open_with(STATE, content, naming, root, world, folders)
    }

    /// Opens a folder as [`Output::open_for`] does, but with the state folder `state`, a path
    /// relative to `root`.
    pub(crate) fn open_with(
        state: &str,
        content: Content,
        naming: WantedNaming,
        root: &Path,
        world: &Identity,
        folders: &[PathBuf],
    ) -> Result<Self, PublishError> {
        check_root(root, world, folders)?;
        let folder = OwnFolder::make(root).map_err(PublishError::io(root))?;
        let own = folder.place(state).map_err(PublishError::io(root))?;
        own.create_folders().map_err(PublishError::at(&own))?;
        let lock = hold(&own.inside(LOCK), root)?;
        redo::carry_out(&folder, state)?;

        let begun = match FolderIdentity::read(&folder)? {
            None => FolderIdentity::read_in(&own)?,
            begun => begun,
        };

        let begun = match begun {
            Some(begun) => begun
                .check(root, world, content, naming)
                .map(|()| begun.with_world(world))?,
            None => FolderIdentity::new(world, content, naming),
        };

        let naming = begun.naming();
        let next_temporary = AtomicU64::new(0);
        let state = state.to_owned();

        let access = OutputAccess::Held { _lock: lock };
        let output = Self {
            folder,
            state,
            content,
            naming,
            next_temporary,
            access,
            elsewhere: None,
        };

        let temporary = own.inside(TEMPORARY);
        empty_folder(&temporary).map_err(PublishError::at(&temporary))?;
        let text = begun
            .json()
            .map_err(|error| PublishError::Io(own.inside(identity::FILE).path(), error.into()))?;
        output.put(&output.state_path(identity::FILE), text.as_bytes())?;

        // The state is only valid on this machine, so Git must ignore it if the map is kept in a
        // repository.
        output.put(&output.state_path(".gitignore"), b"*\n")?;

        Ok(output)
    }

    /// Opens an output folder for reading only, with the same checks as [`Output::open_for`]. This
    /// makes, locks and changes nothing, and later calls that would write a file fail.
    ///
    /// # Errors
    /// As [`Output::open_for`], except that another run may hold the folder.
    pub fn look(
        content: Content,
        naming: WantedNaming,
        root: &Path,
        world: &Identity,
        folders: &[PathBuf],
    ) -> Result<Self, PublishError> {
        check_root(root, world, folders)?;
        let folder = OwnFolder::open(root).map_err(PublishError::io(root))?;
        let begun = FolderIdentity::read(&folder)?;
        begun
            .as_ref()
            .map_or(Ok(()), |begun| begun.check(root, world, content, naming))?;

        let naming = begun
            .unwrap_or_else(|| FolderIdentity::new(world, content, naming))
            .naming();
        let state = STATE.to_owned();
        let next_temporary = AtomicU64::new(0);
        Ok(Self {
            folder,
            state,
            content,
            naming,
            next_temporary,
            access: OutputAccess::ReadOnly,
            elsewhere: None,
        })
    }

    /// Opens a scratch folder, which has neither lock nor journal. Files are written at their final
    /// paths directly, and the folder is removed with the run.
    ///
    /// # Errors
    /// The folder exists and cannot be opened.
    pub fn scratch(root: &Path, naming: Naming) -> Result<Self, PublishError> {
        Self::scratch_over(root, naming, &[])
    }

    /// Opens a scratch folder for a map whose other tiles are in the folders `below`.
    ///
    /// # Errors
    /// The folder exists and cannot be opened.
    pub fn scratch_over(
        root: &Path,
        naming: Naming,
        below: &[PathBuf],
    ) -> Result<Self, PublishError> {
        let folder = OwnFolder::open(root).map_err(PublishError::io(root))?;
        let mut folders_below = Vec::new();
        for path in below {
            folders_below.push(OwnFolder::open(path).map_err(PublishError::io(path))?);
        }

        let (state, content, next_temporary) = (STATE.to_owned(), Content::Map, AtomicU64::new(0));
        Ok(Self {
            folder,
            state,
            content,
            naming,
            next_temporary,
            access: OutputAccess::Scratch {
                below: folders_below,
            },
            elsewhere: None,
        })
    }

    /// Returns the folder with these published files for the paths that it does not have.
    #[must_use]
    pub fn over(self, elsewhere: Option<Elsewhere>) -> Self {
        Self { elsewhere, ..self }
    }

    /// Returns the place of the published files that are not in the folder.
    pub fn elsewhere(&self) -> Option<&Elsewhere> {
        self.elsewhere.as_ref()
    }

    /// Makes an empty folder for temporary files of this run.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn scratch_folder(&self) -> Result<Scratch, PublishError> {
        Scratch::make(self.state(&format!("{TEMPORARY}/map"))?)
    }

    /// Returns whether this run holds the lock of the folder.
    pub(crate) fn is_held(&self) -> bool {
        matches!(self.access, OutputAccess::Held { .. })
    }

    /// Returns whether this is a scratch folder.
    pub fn is_scratch(&self) -> bool {
        matches!(self.access, OutputAccess::Scratch { .. })
    }

    /// Returns the path of the folder.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the opened folder, through which all its files are read and written.
    pub fn folder(&self) -> &OwnFolder {
        &self.folder
    }

    /// Returns the folders that are searched for a file that is missing in this folder.
    pub fn below(&self) -> &[OwnFolder] {
        if let OutputAccess::Scratch { below } = &self.access {
            below
        } else {
            &[]
        }
    }

    /// Returns the content that the folder holds.
    pub fn content(&self) -> Content {
        self.content
    }

    /// Returns the naming of the folder's tiles, which never changes after the folder is first
    /// used.
    pub fn naming(&self) -> Naming {
        self.naming
    }

    /// Returns the published facts, such as `map.json`, or `None` if no run has finished.
    ///
    /// # Errors
    /// The facts exist and cannot be read.
    pub fn facts(&self) -> Result<Option<MapFile>, PublishError> {
        MapFile::read(&self.folder, self.content)
            .map_err(PublishError::io(&self.root().join(self.content.facts())))
    }

    /// Returns the bytes that [`Output::put_world_cache`] stored in the folder `root`, or for the
    /// `part` of a shard. Returns no bytes if neither has a cache.
    ///
    /// # Errors
    /// The cache exists and cannot be read. We do not go on without it, because then nobody would
    /// notice that chunks were lost to damage.
    pub fn read_world_cache(
        root: &Path,
        part: Option<&str>,
    ) -> Result<Vec<u8>, (PathBuf, io::Error)> {
        let folder = OwnFolder::open(root).map_err(|error| (root.to_owned(), error))?;

        // A part without a cache of its own uses the cache of the whole map.
        for state in part
            .map(identity::part_state)
            .into_iter()
            .chain([STATE.to_owned()])
        {
            let failed = |error| (root.join(&state).join(WORLD_CACHE), error);
            let place = folder
                .place(format!("{state}/{WORLD_CACHE}"))
                .map_err(failed)?;
            if let Some(cache) = if_there(place.read()).map_err(failed)? {
                return Ok(cache);
            }
        }

        Ok(Vec::new())
    }

    /// Stores facts about the world for later runs.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put_world_cache(&self, cache: &[u8]) -> Result<(), PublishError> {
        self.put(&self.state_path(WORLD_CACHE), cache).map(drop)
    }

    /// Publishes a file by writing a temporary file and renaming it. `relative` is a path in the
    /// folder, with `/` between its parts.
    ///
    /// # Errors
    /// The path leads out of the folder, or the file cannot be written. An earlier file at the path
    /// is unchanged.
    pub fn put(&self, relative: &str, bytes: &[u8]) -> Result<Put, PublishError> {
        self.put_recorded(relative, bytes, |_| Ok(()))
    }

    /// Publishes a file like [`Output::put`]. Before the file takes its place, calls `record` with
    /// its modification time in nanoseconds since 1970. In a scratch folder `record` is not called.
    ///
    /// # Errors
    /// As [`Output::put`], or `record` returned an error.
    pub fn put_recorded(
        &self,
        relative: &str,
        bytes: &[u8],
        record: impl FnOnce(i64) -> Result<(), PublishError>,
    ) -> Result<Put, PublishError> {
        let place = self.place(relative)?;
        let failed = |error| PublishError::Io(place.path(), error);

        if self.is_scratch() {
            return write_new(&place, bytes)
                .map(|()| Put::Written)
                .map_err(failed);
        }

        if let Some(modified) = self.time_if_same(&place, relative, bytes)? {
            return record(modified).map(|()| Put::Unchanged);
        }

        let mut file = self.new_file(place)?;
        file.add(bytes)?;
        record(modified_ns(file.close()?))?;

        file.appear().map(|_| Put::Written)
    }

    /// Stages a file for the next [commit](crate::store::commit::file_changes::Commit), unless the published file already
    /// has the same bytes. Calls `record` like [`Output::put_recorded`].
    ///
    /// # Errors
    /// As [`Output::put_recorded`], or a folder is in the place of the file. This is checked here
    /// so that the error is found before any tile is published.
    pub fn stage(
        &self,
        relative: &str,
        bytes: &[u8],
        record: impl FnOnce(i64) -> Result<(), PublishError>,
    ) -> Result<Put, PublishError> {
        let place = self.place(relative)?;
        check_place(&place).map_err(PublishError::at(&place))?;

        if let Some(modified) = self.time_if_same(&place, relative, bytes)? {
            return record(modified).map(|()| Put::Unchanged);
        }

        self.put_recorded(&self.staged_path(relative), bytes, record)
            .map(|_| Put::Written)
    }

    /// Returns the path under which this run stages a file.
    pub fn staged_path(&self, relative: &str) -> String {
        redo::staged_path(&self.state, relative)
    }

    /// Returns the path under which a run of a whole map, not of a part, stages a file.
    pub fn staged_in_map(relative: &str) -> String {
        redo::staged_path(STATE, relative)
    }

    /// Removes all staged files.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn clear_staged(&self) -> Result<(), PublishError> {
        if self.is_held() {
            redo::remove_staged(&self.folder, &self.state)
        } else {
            Ok(())
        }
    }

    /// Carries out the redo list in the state folder, if there is one.
    pub(crate) fn carry_out(&self) -> Result<(), PublishError> {
        redo::carry_out(&self.folder, &self.state)
    }

    /// Returns the place of a published file.
    pub(crate) fn place(&self, relative: &str) -> Result<Place, PublishError> {
        self.folder
            .place(relative)
            .map_err(|error| PublishError::Io(self.root().join(relative), error))
    }

    /// Returns the place of a published file in the first folder of `below` that has it, or `None`
    /// if it is in none of them.
    fn place_below(&self, relative: &str) -> Result<Option<Place>, PublishError> {
        OwnFolder::first_existing(self.below(), relative)
            .map_err(|error| PublishError::Io(self.root().join(relative), error))
    }

    /// Returns the facts of a published file, or `None` if it is missing or is not a regular file.
    ///
    /// # Errors
    /// The path leads out of the folder, or the file system reports an error.
    pub fn file_facts(&self, relative: &str) -> Result<Option<FileFacts>, PublishError> {
        self.facts_by(relative, Place::facts)
    }

    /// As [`Output::file_facts`], for one of many files in the same folders.
    pub fn tile_facts(
        &self,
        relative: &str,
        recent: &RecentFolders,
    ) -> Result<Option<FileFacts>, PublishError> {
        self.facts_by(relative, |place| recent.facts(place))
    }

    fn facts_by(
        &self,
        relative: &str,
        facts: impl FnOnce(&Place) -> io::Result<Option<Metadata>>,
    ) -> Result<Option<FileFacts>, PublishError> {
        let place = self.place(relative)?;
        let mut there = facts(&place).map_err(PublishError::at(&place))?;
        if there.is_none()
            && let Some(below) = self.place_below(relative)?
        {
            there = below.facts().map_err(PublishError::at(&below))?;
        }

        if there.is_none()
            && let Some(FileRecord { bytes, file }) = self.find_elsewhere(relative)?
        {
            return Ok(Some(FileFacts {
                len: u64::from(bytes),
                modified: 0,
                hash: Some(file),
            }));
        }

        Ok(there.filter(Metadata::is_file).map(|there| {
            let modified = there
                .modified()
                .ok()
                .map(cap_std::time::SystemTime::into_std);
            FileFacts {
                len: there.len(),
                modified: modified_ns(modified),
                hash: None,
            }
        }))
    }

    /// Returns the place of a file in the state folder.
    pub(crate) fn state(&self, name: &str) -> Result<Place, PublishError> {
        self.place(&self.state_path(name))
    }

    /// Returns the path of the state folder, relative to the map's folder.
    pub(crate) fn state_folder(&self) -> &str {
        &self.state
    }

    /// Returns the path of a file in the state folder, relative to the map's folder.
    pub fn state_path(&self, name: &str) -> String {
        format!("{}/{name}", self.state)
    }

    /// Begins the file at a place in the folder, under a temporary name.
    pub(crate) fn new_file(&self, place: Place) -> Result<NewFile, PublishError> {
        if !self.is_held() {
            let error = io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the map's folder is open for reading only",
            );
            return Err(PublishError::Io(place.path(), error));
        }

        let number = self.next_temporary.fetch_add(1, Ordering::Relaxed);
        NewFile::in_folder(self.state(&format!("{TEMPORARY}/{number}"))?, place)
    }

    /// Reads a published file.
    ///
    /// # Errors
    /// The path leads out of the folder, or the file cannot be read.
    pub fn read(&self, relative: &str) -> Result<Vec<u8>, PublishError> {
        let place = self.place(relative)?;
        match place.read() {
            Err(error) if is_absent(&error) => match self.place_below(relative)? {
                Some(below) => below.read().map_err(PublishError::at(&below)),
                None => self
                    .read_elsewhere(relative)?
                    .ok_or_else(|| PublishError::Io(place.path(), error)),
            },
            read => read.map_err(PublishError::at(&place)),
        }
    }

    /// Returns whether the folder is a map with history.
    ///
    /// # Errors
    /// The file system reports an error.
    pub fn has_history(&self) -> Result<bool, PublishError> {
        let list = self.place(&Moments::path())?;
        Ok(self.content == Content::Map && list.is_file().map_err(PublishError::at(&list))?)
    }

    /// Returns the moments of the map, or `None` if it has no history.
    ///
    /// # Errors
    /// The list of moments exists and cannot be read.
    pub fn moments(&self) -> Result<Option<Moments>, PublishError> {
        if !self.has_history()? {
            return Ok(None);
        }
        Moments::read(&self.folder).map_err(PublishError::io(&self.root().join(Moments::path())))
    }

    /// Calls `tile` with each tile of the manifest at the path `relative`, reading it line by line.
    /// If the manifest is missing, `tile` is not called. Damaged lines are skipped, because a lost
    /// line only causes tiles to be drawn or kept without need. `scheme` is the tile scheme of the
    /// layer.
    ///
    /// # Errors
    /// The manifest exists and cannot be read.
    pub fn each_tile(
        &self,
        relative: &str,
        scheme: Scheme,
        mut tile: impl FnMut(TilePos, TileRecord),
    ) -> Result<(), PublishError> {
        let manifest = self.place(relative)?;
        let Some(file) = if_there(manifest.open()).map_err(PublishError::at(&manifest))? else {
            return Ok(());
        };

        for line in ManifestLines::new(file, scheme) {
            match line {
                Ok((place, record)) => tile(place, record),
                Err(ManifestError::Line(_)) => {}
                Err(ManifestError::Io(error)) => {
                    return Err(PublishError::Io(manifest.path(), error));
                }
            }
        }

        Ok(())
    }
}

/// Converts a modification time to nanoseconds since 1970. Returns 0 if the time is unknown.
pub(super) fn modified_ns(modified: Option<SystemTime>) -> i64 {
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since
        .and_then(|since| i64::try_from(since.as_nanos()).ok())
        .unwrap_or(0)
}

/// Writes a file of a scratch folder at its final path.
fn write_new(place: &Place, bytes: &[u8]) -> io::Result<()> {
    let file = place.create().or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => place.create_parents().and_then(|()| place.create()),
        io::ErrorKind::AlreadyExists => place.remove().and_then(|_| place.create()),
        _ => Err(error),
    });
    file?.write_all(bytes)
}

/// Checks that a map of `world` may be made in a folder, as far as this is possible before the
/// folder is opened.
fn check_root(root: &Path, world: &Identity, folders: &[PathBuf]) -> Result<(), PublishError> {
    // A world that is known only from its map has an empty path.
    let own = Some(&world.path).filter(|path| !path.as_os_str().is_empty());
    check_apart(root, own.into_iter().chain(folders))?;
    fail_query(root).map_err(PublishError::io(root))?;
    match root.metadata() {
        Ok(metadata) if !metadata.is_dir() => Err(PublishError::NotAFolder(root.to_owned())),
        Ok(_) if !is_ours(root)? => Err(PublishError::NotOurs(root.to_owned())),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(PublishError::Io(root.to_owned(), error)),
    }
}

/// Returns whether a folder is ours: it has our state folder or our published facts, or it is
/// empty.
fn is_ours(root: &Path) -> Result<bool, PublishError> {
    let folder = OwnFolder::open(root).map_err(PublishError::io(root))?;
    let state = folder.place(STATE).map_err(PublishError::io(root))?;
    let has_state = state
        .facts()
        .map_err(PublishError::at(&state))?
        .is_some_and(|there| there.is_dir());
    if has_state || FolderIdentity::read(&folder)?.is_some() {
        return Ok(true);
    }

    Ok(folder.entries().map_err(PublishError::io(root))?.is_empty())
}

/// Makes the folder of temporary files, or removes the files that a killed run has left in it.
fn empty_folder(temporary: &Place) -> io::Result<()> {
    let is_folder = temporary.facts()?.is_some_and(|there| there.is_dir());
    if is_folder && temporary.entries()?.is_empty() {
        return Ok(());
    }

    temporary.remove_tree()?;
    temporary.create_folders()
}

/// Takes the lock at `place` and writes our process number into it, so that another run can report
/// who holds the folder. `root` is the folder that the error names.
fn hold(place: &Place, root: &Path) -> Result<File, PublishError> {
    let Some(mut file) = place.hold().map_err(PublishError::at(place))? else {
        let mut holder = String::new();
        let _ = place
            .open()
            .and_then(|file| file.take(MAX_HOLDER).read_to_string(&mut holder));

        let digits: String = holder.chars().take_while(char::is_ascii_digit).collect();
        let holder = if digits.is_empty() {
            String::new()
        } else {
            format!(" (process {digits})")
        };

        return Err(PublishError::Held(root.to_owned(), holder));
    };

    let id = std::process::id().to_string();
    let named = file
        .rewind()
        .and_then(|()| file.write_all(id.as_bytes()))
        // Only afterwards, because some file systems wait for the disk after a file was emptied.
        .and_then(|()| file.set_len(id.len() as u64));
    named.map_err(PublishError::at(place))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::atlas::{Manifest, TileRecord};

    fn world(folder: &Path) -> Identity {
        Identity {
            name: "w".to_owned(),
            spawn: Some([0, 64, 0]),
            path: folder.join("world"),
        }
    }

    fn open(folder: &Path) -> Result<Output, PublishError> {
        Output::open(&folder.join("map"), &world(folder), &[])
    }

    #[test]
    fn a_second_run_names_the_lock_holder() {
        let folder = tempfile::tempdir().unwrap();
        let first = open(folder.path()).unwrap();
        let Err(PublishError::Held(_, holder)) = open(folder.path()) else {
            panic!("held twice")
        };
        assert!(holder.contains(&std::process::id().to_string()));
        drop(first);
        assert!(open(folder.path()).is_ok());
    }

    #[test]
    fn a_lock_names_only_its_own_process() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path()).unwrap();
        let lock = output.state(LOCK).unwrap().path();
        drop(output);

        fs::write(&lock, "99999999999999999999").unwrap();
        let _output = open(folder.path()).unwrap();
        assert_eq!(
            fs::read_to_string(lock).unwrap(),
            std::process::id().to_string()
        );
    }

    #[test]
    fn a_folder_opened_for_reading_stays_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let look = || {
            Output::look(
                Content::Map,
                WantedNaming::default(),
                &folder.path().join("map"),
                &world(folder.path()),
                &[],
            )
        };

        assert!(look().is_ok_and(|output| output.put("a.txt", b"one").is_err()));
        assert!(!folder.path().join("map").exists(), "nothing is made");

        let held = open(folder.path()).unwrap();
        held.put("a.txt", b"one").unwrap();
        let looked = look().unwrap();
        assert!(looked.put("b.txt", b"two").is_err());
        assert_eq!(looked.read("a.txt").unwrap(), b"one");
    }

    #[test]
    fn unchanged_bytes_keep_their_file() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path()).unwrap();
        assert_eq!(output.put("a/b/1.png", b"one").unwrap(), Put::Written);
        assert_eq!(output.put("a/b/1.png", b"one").unwrap(), Put::Unchanged);
        assert_eq!(output.put("a/b/1.png", b"two").unwrap(), Put::Written);
        assert_eq!(output.read("a/b/1.png").unwrap(), b"two");
        assert_eq!(
            fs::read_dir(output.state(TEMPORARY).unwrap().path())
                .unwrap()
                .count(),
            0
        );
    }

    #[test]
    fn foreign_folders_are_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let map = folder.path().join("map");
        fs::create_dir(&map).unwrap();
        File::create(map.join("notes.txt")).unwrap();
        assert!(matches!(open(folder.path()), Err(PublishError::NotOurs(_))));
        assert_eq!(fs::read_dir(&map).unwrap().count(), 1);
        fs::remove_file(map.join("notes.txt")).unwrap();
        assert!(
            open(folder.path()).is_ok(),
            "an empty folder is as good as none"
        );
    }

    #[test]
    fn a_map_shows_one_world() {
        let folder = tempfile::tempdir().unwrap();
        drop(open(folder.path()).unwrap());
        let other = Identity {
            name: "other".to_owned(),
            spawn: None,
            path: folder.path().join("other"),
        };
        let refused = Output::open(&folder.path().join("map"), &other, &[]);
        assert!(matches!(refused, Err(PublishError::OtherWorld(_, name)) if name == "w"));

        let moved = Identity {
            path: folder.path().join("moved"),
            ..world(folder.path())
        };
        assert!(Output::open(&folder.path().join("map"), &moved, &[]).is_ok());
    }

    #[test]
    fn map_and_world_must_not_contain_each_other() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("world")).unwrap();
        let world = world(folder.path());
        for inside in ["world", "world/map", "x/../world/map", "."] {
            let refused = Output::open(&folder.path().join(inside), &world, &[]);
            assert!(
                matches!(refused, Err(PublishError::InsideWorld(_))),
                "{inside}"
            );
        }
    }

    #[test]
    fn a_map_is_outside_the_world_folders() {
        let folder = tempfile::tempdir().unwrap();
        let nether = folder.path().join("world_nether");
        fs::create_dir(&nether).unwrap();
        let inside = nether.join("map");
        let refused = Output::open(
            &inside,
            &world(folder.path()),
            std::slice::from_ref(&nether),
        );
        assert!(matches!(refused, Err(PublishError::InsideWorld(_))));
        assert!(!inside.exists());
    }

    #[test]
    fn paths_never_leave_the_output_folder() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path()).unwrap();
        let beside = folder.path().join("beside.txt");
        File::create(&beside).unwrap().write_all(b"kept").unwrap();

        let absolute = beside.to_str().unwrap();
        for path in [
            "../beside.txt",
            "a/../../beside.txt",
            "./../beside.txt",
            "..",
            ".",
            "",
            "a/..",
            "./a",
            absolute,
        ] {
            let refused = |error: &PublishError| matches!(error, PublishError::Io(_, error) if error.kind() == io::ErrorKind::InvalidInput);
            assert!(
                output
                    .put(path, b"lost")
                    .is_err_and(|error| refused(&error)),
                "{path}"
            );
            assert!(
                output.read(path).is_err_and(|error| refused(&error)),
                "{path}"
            );
        }

        assert_eq!(fs::read(&beside).unwrap(), b"kept");
        assert!(output.put("a/..b/.c", b"sound").is_ok());
    }

    #[test]
    fn a_folder_manifest_lists_its_own_tiles() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path()).unwrap();

        let tiles = || {
            let mut tiles = Vec::new();
            let read = output.each_tile("day/tiles.tsv", Scheme::Signed, |tile, _| {
                tiles.push((tile.zoom, tile.x, tile.y));
            });
            read.unwrap();
            tiles
        };

        assert_eq!(tiles(), []);

        let mut manifest = Manifest::default();
        for x in [-3, 12] {
            manifest.tiles.insert(
                TilePos { zoom: 17, x, y: 1 },
                TileRecord {
                    bytes: 7,
                    file: 1,
                    pixels: 2,
                },
            );
        }

        let mut text = vec![b'x'; 256];
        manifest.write(Scheme::Signed, &mut text).unwrap();
        text.extend(b"\xff\n");
        manifest.write(Scheme::Signed, &mut text).unwrap();
        output.put("day/tiles.tsv", &text).unwrap();

        // The first line is longer than any line of a manifest, and the last two are out of order.
        assert_eq!(tiles(), [(17, -3, 1), (17, 12, 1)]);
    }
}
