//! The parts of a map that runs draw apart from each other: each has a state folder of its own, `.pixelmap/parts/NAME`,
//! with its own lock and journal. Tiles of all parts lie in their places, and no tile belongs to two parts.
//!
//! The file [`FILE`] there lists what was drawn. It is removed when the part is begun again, so a part that has it is
//! whole.

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, BufWriter, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::atlas::Content;
use crate::atlas::STATE;
use crate::base::coord::TilePos;
use crate::base::disk::{entries, facts, if_there, open_file, read_file};
use crate::store::disk::atomic::move_to;
use crate::store::disk::own_folder::{OwnFolder, Place};
use crate::store::folder::output::{FileFacts, LOCK, WORLD_CACHE};
use crate::store::journal::entry::{FIRST_LINE, JournalEntry, each_entry};
use crate::store::journal::journal_file::JOURNAL_FILE;
use crate::store::{Commit, Identity, LayerKey, Output, PublishError, WantedNaming};

/// The folder of the parts in the state folder.
const PARTS: &str = "parts";
/// The facts of a part that was drawn to its end.
const FILE: &str = "part.json";
/// The facts of the previous run, while the part is drawn again.
const BEFORE: &str = "before.json";

/// The state folder of the part with this name.
pub(crate) fn part_state(name: &str) -> String {
    format!("{STATE}/{PARTS}/{name}")
}

/// A part in a folder.
#[derive(Debug)]
pub struct FoundPart {
    /// The folder of the map.
    pub root: PathBuf,
    /// The part's own folder.
    pub folder: PathBuf,
}

impl FoundPart {
    /// The parts in a folder, by name.
    ///
    /// # Errors
    /// They are there and cannot be read.
    pub fn all_in(root: &Path) -> Result<Vec<Self>, PublishError> {
        let folder = root.join(STATE).join(PARTS);
        let found = entries(&folder).map_err(PublishError::io(&folder))?;
        let part = |entry: fs::DirEntry| Self { root: root.to_owned(), folder: entry.path() };
        let mut parts: Vec<Self> = found.into_iter().map(part).collect();
        parts.sort_by(|a, b| a.folder.cmp(&b.folder));
        Ok(parts)
    }

    /// The records of the map itself, as if they were a part.
    pub fn map_in(output: &Output) -> Self {
        Self { root: output.root().to_owned(), folder: output.root().join(STATE) }
    }

    /// The bytes of its facts; `None`: it was begun, and is not drawn to its end.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub fn facts(&self) -> Result<Option<Vec<u8>>, PublishError> {
        if_there(read_file(&self.folder.join(FILE))).map_err(PublishError::io(&self.folder))
    }

    /// The world cache of its last run, and when that was written; `None`: there is no file.
    ///
    /// # Errors
    /// It is there and cannot be read.
    fn world_cache(&self) -> Result<Option<(SystemTime, Vec<u8>)>, PublishError> {
        let path = self.folder.join(WORLD_CACHE);
        let failed = |error| PublishError::Io(path.clone(), error);
        let Some(written) = written(&path)? else { return Ok(None) };
        let cache = if_there(read_file(&path)).map_err(failed)?;
        Ok(cache.map(|cache| (written, cache)))
    }

    /// Keeps its shard from being drawn again until the file is dropped; `None`: it has no lock.
    ///
    /// # Errors
    /// The shard is being drawn, or the lock cannot be taken.
    pub fn hold(&self) -> Result<Option<File>, PublishError> {
        let path = self.folder.join(LOCK);
        let Some(file) = if_there(open_file(&path)).map_err(PublishError::io(&path))? else { return Ok(None) };
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Err(PublishError::Held(self.folder.clone(), String::new())),
            // As for any lock: where the file system has none, the user sees to it.
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
                Err(PublishError::Io(path, error))
            }
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(file)),
        }
    }

    /// Calls `each` with each entry of its journal.
    ///
    /// # Errors
    /// The journal cannot be read, or those of `each`.
    pub fn each_entry(
        &self,
        mut each: impl FnMut(&JournalEntry<'_>) -> Result<(), PublishError>,
    ) -> Result<(), PublishError> {
        let path = self.folder.join(JOURNAL_FILE);
        let Some(file) = if_there(open_file(&path)).map_err(PublishError::io(&path))? else { return Ok(()) };
        let mut done = Ok(());
        let read = each_entry(BufReader::new(file), |entry, _| {
            if done.is_ok() {
                done = each(&entry);
            }
        });
        read.map_err(PublishError::io(&path)).and(done)
    }
}

/// Records of other journals that are added to that of an output folder.
#[derive(Debug)]
pub struct Adoption<'a> {
    output: &'a Output,
    path: PathBuf,
    journal: BufWriter<File>,
    /// Files of other folders are staged.
    is_staged: bool,
}

impl<'a> Adoption<'a> {
    /// Begins at the end of what is recorded.
    ///
    /// # Errors
    /// The journal cannot be read or written.
    pub fn begin(output: &'a Output) -> Result<Self, PublishError> {
        let place = output.state(JOURNAL_FILE)?;
        let path = place.path();
        let journal = open_to_append(&place).map_err(PublishError::io(&path))?;
        Ok(Self { output, path, journal, is_staged: output.has_history()? })
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, entry: &JournalEntry<'_>) -> Result<(), PublishError> {
        self.journal.write_all(&entry.bytes()).map_err(PublishError::io(&self.path))
    }

    /// Ends when all that was added is in the journal.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn end(mut self) -> Result<(), PublishError> {
        self.journal.flush().map_err(PublishError::io(&self.path))
    }

    /// Brings a published file of another folder to the same place in this one, by a link where that can be made; returns
    /// it as it is there. In a map with history it is staged, so that the file in its place can be kept.
    ///
    /// # Errors
    /// It is not there, or it cannot be written.
    pub fn link(&self, from: &Path, relative: &str) -> Result<FileFacts, PublishError> {
        let staged = self.is_staged.then(|| self.output.staged_path(relative));
        let brought = staged.as_deref().unwrap_or(relative);
        let place = self.output.place(brought)?;
        let failed = |error| PublishError::Io(from.join(relative), error);
        let source = OwnFolder::open(from).and_then(|from| from.place(relative)).map_err(failed)?;
        // A link would lead out of the map, and a pipe would never end.
        if !source.exact_facts().map_err(failed)?.is_file() {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidData, "this is no file of a part")));
        }
        let name = self.output.state(TAKEN)?;
        let taken = source
            .link_or_copy_to(&name)
            .and_then(|()| move_to(&name, &place))
            // A name of the same file stays where it is.
            .and_then(|()| name.remove());
        taken.map_err(failed)?;
        let facts = self.output.file_facts(brought)?;
        facts.ok_or_else(|| PublishError::Io(place.path(), io::ErrorKind::NotFound.into()))
    }
}

/// The time at which a file was written; `None`: it is not there.
fn written(path: &Path) -> Result<Option<SystemTime>, PublishError> {
    let time = facts(path).and_then(|there| there.map(|there| there.modified()).transpose());
    time.map_err(PublishError::io(path))
}

/// Opens a journal behind its last whole entry; makes it if there is none.
fn open_to_append(place: &Place) -> io::Result<BufWriter<File>> {
    place.create_parents()?;
    let before = if_there(place.open())?;
    let end = before.map_or(Ok(0), |file| each_entry(BufReader::new(file), |_, _| {}))?;
    let mut file = place.open_to_write()?;
    file.set_len(end)?;
    file.seek(io::SeekFrom::Start(end))?;
    let mut journal = BufWriter::with_capacity(1 << 18, file);
    if end == 0 {
        journal.write_all(FIRST_LINE)?;
    }
    Ok(journal)
}

/// The name of a file on its way.
const TAKEN: &str = "tmp/taken";

impl Output {
    /// Takes hold of the part with this name of the map in a folder, and of nothing else: other runs draw other parts of
    /// it.
    ///
    /// # Errors
    /// See [`Output::open_for`].
    pub fn open_part(
        name: &str,
        naming: WantedNaming,
        root: &Path,
        world: &Identity,
        folders: &[PathBuf],
    ) -> Result<Self, PublishError> {
        Self::open_with(&part_state(name), Content::Map, naming, root, world, folders)
    }

    /// Takes over what the newest run of a part or of the map knows of the world.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn take_world_cache<'a>(&self, parts: impl Iterator<Item = &'a FoundPart>) -> Result<(), PublishError> {
        let caches = parts.map(FoundPart::world_cache).collect::<Result<Vec<_>, _>>()?;
        let newest = caches.into_iter().flatten().max_by_key(|(written, _)| *written);
        let own = FoundPart::map_in(self).world_cache()?;
        let newest = newest.filter(|(written, _)| own.is_none_or(|(own, _)| own < *written));
        newest.map_or(Ok(()), |(_, cache)| self.put_world_cache(&cache))
    }

    /// Removes all parts: what they remember may be hidden now.
    ///
    /// # Errors
    /// The system refuses.
    pub fn remove_parts(&self) -> Result<(), PublishError> {
        let parts = self.state(PARTS)?;
        parts.remove_tree().map_err(PublishError::at(&parts))
    }

    /// Begins the part again: until it is drawn to its end it counts as missing.
    ///
    /// # Errors
    /// The system refuses.
    pub fn begin_part(&self) -> Result<(), PublishError> {
        let facts = self.state(FILE)?;
        if_there(facts.rename_to(&self.state(BEFORE)?)).map(drop).map_err(PublishError::at(&facts))
    }

    /// The facts of the part when it was drawn last; `None`: it never was.
    ///
    /// # Errors
    /// They are there and cannot be read.
    pub fn part_before(&self) -> Result<Option<Vec<u8>>, PublishError> {
        let facts = self.state(BEFORE)?;
        if_there(facts.read()).map_err(PublishError::at(&facts))
    }

    /// Gives a part the records of the map as it is, of those tiles that `is_wanted` picks and of which the part has
    /// none: it is new, or they were another part's.
    ///
    /// # Errors
    /// They cannot be read or written.
    pub fn take_records(&self, is_wanted: impl Fn(LayerKey, TilePos) -> bool) -> Result<(), PublishError> {
        let map = FoundPart::map_in(self);
        let own = written(&self.state(JOURNAL_FILE)?.path())?;
        let of_map = written(&map.folder.join(JOURNAL_FILE))?;
        if of_map.is_none() || own >= of_map {
            return Ok(());
        }
        let mut own = HashSet::new();
        FoundPart { root: map.root.clone(), folder: self.root().join(self.state_folder()) }.each_entry(|entry| {
            own.insert((entry.layer, entry.tile));
            Ok(())
        })?;
        let is_wanted = |key, tile| !own.contains(&(key, tile)) && is_wanted(key, tile);
        let mut adoption = Adoption::begin(self)?;
        map.each_entry(|entry| if is_wanted(entry.layer, entry.tile) { adoption.add(entry) } else { Ok(()) })?;
        adoption.end()
    }
}

impl Commit<'_> {
    /// Puts the facts of a part.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn put_part(&mut self, facts: &[u8]) -> Result<(), PublishError> {
        let [path, before] = [FILE, BEFORE].map(|name| self.output().state_path(name));
        self.put(&path, facts)?;
        // What is in the earlier ones may be hidden now.
        self.remove(&before)
    }
}
