//! The parts of a map, which separate runs draw for its shards. Each part has its own state folder,
//! `.pixelmap/parts/NAME`, with its own lock and journal, so that several runs can draw one map at
//! the same time. All parts publish their tiles at the final paths, and no tile belongs to two
//! parts.
//!
//! The file [`FILE`] in a part's state folder lists the tiles that were drawn. Starting the part
//! again moves this file away, so a part that has it is complete.

use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::io::{self, BufReader, BufWriter, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::atlas::Content;
use crate::atlas::STATE;
use crate::store::commit::file_changes::Commit;
use crate::store::disk::atomic::move_to;
use crate::store::error::PublishError;
use crate::store::folder::identity::{Identity, PARTS, WantedNaming, part_state};
use crate::store::folder::output::{FileFacts, LOCK, Output, WORLD_CACHE};
use crate::store::journal::entry::{FIRST_LINE, JournalEntry, LayerKey, each_entry};
use crate::store::journal::journal_file::JOURNAL_FILE;
use pixelmap_base::coord::TilePos;
use pixelmap_base::disk::if_there;
use pixelmap_base::own_folder::{OwnFolder, Place};

/// The facts of a part. The file is present only if the part is complete.
pub(crate) const FILE: &str = "part.json";
/// The facts of the previous run. They are kept while the part is drawn again.
pub(crate) const BEFORE: &str = "before.json";

/// A part that was found in a map's folder.
#[derive(Debug)]
pub struct FoundPart {
    /// The folder of the map.
    map: OwnFolder,
    /// The part's own folder.
    state: Place,
}

impl FoundPart {
    /// Returns the parts in a map's folder, sorted by name.
    ///
    /// # Errors
    /// The folder of the parts exists and cannot be read.
    pub fn all_in(root: &Path) -> Result<Vec<Self>, PublishError> {
        let map = OwnFolder::open(root).map_err(PublishError::io(root))?;
        let folder = map
            .place(format!("{STATE}/{PARTS}"))
            .map_err(PublishError::io(root))?;
        let mut names = folder.names().map_err(PublishError::at(&folder))?;
        names.sort_unstable();

        Ok(names
            .iter()
            .map(|name| Self {
                map: map.clone(),
                state: folder.inside(name),
            })
            .collect())
    }

    /// Returns the map itself as if it were a part, so that its records can be read in the same
    /// way.
    ///
    /// # Errors
    /// Never, because the path of the state is fixed.
    pub fn map_in(output: &Output) -> Result<Self, PublishError> {
        Ok(Self {
            map: output.folder().clone(),
            state: output.place(STATE)?,
        })
    }

    /// Returns the path of the map's folder.
    pub fn root(&self) -> &Path {
        self.map.path()
    }

    /// Returns the path of the part's own folder.
    pub fn path(&self) -> PathBuf {
        self.state.path()
    }

    /// Returns the bytes of the part's facts, or `None` if the part was started and is not complete
    /// yet.
    ///
    /// # Errors
    /// The facts exist and cannot be read.
    pub fn facts(&self) -> Result<Option<Vec<u8>>, PublishError> {
        if_there(self.state.inside(FILE).read()).map_err(PublishError::at(&self.state))
    }

    /// Returns the world cache of the part's last run and the time when it was written, or `None`
    /// if the file is missing.
    ///
    /// # Errors
    /// The cache exists and cannot be read.
    fn world_cache(&self) -> Result<Option<(SystemTime, Vec<u8>)>, PublishError> {
        let place = self.state.inside(WORLD_CACHE);
        let failed = |error| PublishError::Io(place.path(), error);
        let Some(written) = place.modified().map_err(failed)? else {
            return Ok(None);
        };
        let cache = if_there(place.read()).map_err(failed)?;
        Ok(cache.map(|cache| (written, cache)))
    }

    /// Returns the time when the part's journal was written, or `None` if it is missing.
    fn journal_time(&self) -> Result<Option<SystemTime>, PublishError> {
        let journal = self.state.inside(JOURNAL_FILE);
        journal.modified().map_err(PublishError::at(&journal))
    }

    /// Locks the part, so that no run draws its shard again until the returned file is dropped.
    /// Returns `None` if the part's lock file is missing.
    ///
    /// # Errors
    /// A run is drawing the shard, or the lock cannot be taken.
    pub fn hold(&self) -> Result<Option<File>, PublishError> {
        let place = self.state.inside(LOCK);
        let Some(file) = if_there(place.open()).map_err(PublishError::at(&place))? else {
            return Ok(None);
        };

        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Err(PublishError::Held(self.path(), String::new())),
            // Some file systems cannot lock files. As for any other lock, we go on, and the user
            // must not start two runs at once.
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
                Err(PublishError::Io(place.path(), error))
            }
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(file)),
        }
    }

    /// Calls `each` with each entry of the part's journal, until `each` fails.
    ///
    /// # Errors
    /// The journal cannot be read, or `each` returned an error.
    pub fn each_entry(
        &self,
        mut each: impl FnMut(&JournalEntry<'_>) -> Result<(), PublishError>,
    ) -> Result<(), PublishError> {
        let place = self.state.inside(JOURNAL_FILE);
        let Some(file) = if_there(place.open()).map_err(PublishError::at(&place))? else {
            return Ok(());
        };

        let mut done = Ok(());
        let read = each_entry(BufReader::new(file), |entry, _| {
            if done.is_ok() {
                done = each(&entry);
            }
        });

        read.map_err(PublishError::at(&place)).and(done)
    }
}

/// Appends records of other journals to the journal of an output folder.
#[derive(Debug)]
pub struct Adoption<'a> {
    output: &'a Output,
    path: PathBuf,
    journal: BufWriter<File>,
    /// Whether files of other folders are staged instead of being put in their places at once.
    is_staged: bool,
}

impl<'a> Adoption<'a> {
    /// Opens the journal in order to append to it.
    ///
    /// # Errors
    /// The journal cannot be read or written.
    pub fn begin(output: &'a Output) -> Result<Self, PublishError> {
        let place = output.state(JOURNAL_FILE)?;
        let path = place.path();
        let journal = open_to_append(&place).map_err(PublishError::io(&path))?;
        Ok(Self {
            output,
            path,
            journal,
            is_staged: output.has_history()?,
        })
    }

    /// Appends an entry.
    ///
    /// # Errors
    /// The entry cannot be written.
    pub fn add(&mut self, entry: &JournalEntry<'_>) -> Result<(), PublishError> {
        self.journal
            .write_all(&entry.bytes())
            .map_err(PublishError::io(&self.path))
    }

    /// Writes buffered entries to the journal.
    ///
    /// # Errors
    /// The entries cannot be written.
    pub fn end(mut self) -> Result<(), PublishError> {
        self.journal.flush().map_err(PublishError::io(&self.path))
    }

    /// Brings a published file of another folder to the same path in this one: as a hard link, or
    /// as a copy if the system refuses a link. Returns the facts of the new file. In a map with
    /// history the file is staged, so that the commit can keep the file that it replaces.
    ///
    /// # Errors
    /// The file is missing or is not a regular file, or it cannot be written.
    pub fn link(&self, from: &Path, relative: &str) -> Result<FileFacts, PublishError> {
        let staged = self.is_staged.then(|| self.output.staged_path(relative));
        let brought = staged.as_deref().unwrap_or(relative);
        let place = self.output.place(brought)?;
        let failed = |error| PublishError::Io(from.join(relative), error);
        let source = OwnFolder::open(from)
            .and_then(|from| from.place(relative))
            .map_err(failed)?;

        // Only a regular file is accepted: a link would lead out of the map, and reading a pipe
        // would never end.
        if !source.exact_facts().map_err(failed)?.is_file() {
            return Err(failed(io::Error::new(
                io::ErrorKind::InvalidData,
                "this is not a file of a part",
            )));
        }

        let name = self.output.state(TAKEN)?;
        let taken = source
            .link_or_copy_to(&name)
            .and_then(|()| move_to(&name, &place))
            // If both names belong to the same file, the rename leaves the temporary name, so it is
            // removed here.
            .and_then(|()| name.remove());
        taken.map_err(failed)?;
        let facts = self.output.file_facts(brought)?;

        facts.ok_or_else(|| PublishError::Io(place.path(), io::ErrorKind::NotFound.into()))
    }
}

/// Opens a journal and cuts it off after its last whole entry, so that new entries can be read.
/// Makes the journal if it is missing.
pub(crate) fn open_to_append(place: &Place) -> io::Result<BufWriter<File>> {
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

/// The temporary name, in the state folder, of a file that `Adoption::link` brings.
const TAKEN: &str = "tmp/taken";

impl Output {
    /// Opens and locks one part of the map in a folder. The rest of the map is not locked, because
    /// other runs draw other parts at the same time.
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
        Self::open_with(
            &part_state(name),
            Content::Map,
            naming,
            root,
            world,
            folders,
        )
    }

    /// Copies the newest world cache of these parts into the map's state, unless the map's own
    /// cache is at least as new.
    ///
    /// # Errors
    /// A cache cannot be read, or the new one cannot be written.
    pub fn adopt_world_cache<'a>(
        &self,
        parts: impl Iterator<Item = &'a FoundPart>,
    ) -> Result<(), PublishError> {
        let caches = parts
            .map(FoundPart::world_cache)
            .collect::<Result<Vec<_>, _>>()?;
        let newest = caches
            .into_iter()
            .flatten()
            .max_by_key(|(written, _)| *written);
        let own = FoundPart::map_in(self)?.world_cache()?;
        let newest = newest.filter(|(written, _)| own.is_none_or(|(own, _)| own < *written));

        newest.map_or(Ok(()), |(_, cache)| self.put_world_cache(&cache))
    }

    /// Removes the state folders of all parts, because their records may contain places that are
    /// hidden now.
    ///
    /// # Errors
    /// A folder cannot be removed.
    pub fn remove_parts(&self) -> Result<(), PublishError> {
        let parts = self.state(PARTS)?;
        if let Some(elsewhere) = self.elsewhere() {
            elsewhere.note_removed(&self.state_path(PARTS));
        }
        parts.remove_tree().map_err(PublishError::at(&parts))
    }

    /// Starts the part again. Its facts are moved away, so the part counts as missing until it is
    /// complete.
    ///
    /// # Errors
    /// The facts cannot be renamed.
    pub fn begin_part(&self) -> Result<(), PublishError> {
        let facts = self.state(FILE)?;
        if_there(facts.rename_to(&self.state(BEFORE)?))
            .map(drop)
            .map_err(PublishError::at(&facts))
    }

    /// Returns the facts of the part from its previous run, or `None` if they are missing.
    ///
    /// # Errors
    /// The facts exist and cannot be read.
    pub fn part_before(&self) -> Result<Option<Vec<u8>>, PublishError> {
        let facts = self.state(BEFORE)?;
        if_there(facts.read()).map_err(PublishError::at(&facts))
    }

    /// Copies records of the existing map into a part. Only tiles that `is_wanted` selects are
    /// copied, and only those without a record in the part, either because it is new or because the
    /// tiles belonged to another part. A part whose journal is at least as new as the map's is left
    /// alone.
    ///
    /// # Errors
    /// The records cannot be read or written.
    pub fn adopt_records(
        &self,
        is_wanted: impl Fn(LayerKey, TilePos) -> bool,
    ) -> Result<(), PublishError> {
        let map = FoundPart::map_in(self)?;
        let part = FoundPart {
            map: self.folder().clone(),
            state: self.place(self.state_folder())?,
        };

        let [own, of_map] = [part.journal_time()?, map.journal_time()?];
        if of_map.is_none() || own >= of_map {
            return Ok(());
        }

        let mut own = HashSet::new();
        part.each_entry(|entry| {
            own.insert((entry.layer, entry.tile));
            Ok(())
        })?;

        let mut adoption = Adoption::begin(self)?;
        map.each_entry(|entry| {
            let is_own = own.contains(&(entry.layer, entry.tile));
            if !is_own && is_wanted(entry.layer, entry.tile) {
                adoption.add(entry)
            } else {
                Ok(())
            }
        })?;

        adoption.end()
    }
}

impl Commit<'_> {
    /// Adds the facts of a complete part to the commit, and removes the facts of its previous run.
    ///
    /// # Errors
    /// The facts cannot be staged.
    pub fn put_part(&mut self, facts: &[u8]) -> Result<(), PublishError> {
        let [path, before] = [FILE, BEFORE].map(|name| self.output().state_path(name));
        self.put(&path, facts)?;
        // The earlier facts may contain places that are hidden now.
        self.remove(&before)
    }
}
