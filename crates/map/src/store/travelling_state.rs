//! The files of a state folder that travel with a map in a bucket. They have the same paths in the
//! bucket as in a map's folder.
//!
//! All other files of a state folder belong to one machine and one run, except the identity of the
//! world, which an export uploads as well. The hashes of hidden places stay on the machine, because
//! a bucket may be public: a run without them only cleans the earlier moments once more.

use std::io::{self, BufReader, Write as _};

use crate::atlas::STATE;
use crate::store::commit::change_list::LISTED;
use crate::store::error::PublishError;
use crate::store::folder::identity::{self, PARTS, part_state};
use crate::store::folder::output::{LOCK, WORLD_CACHE};
use crate::store::journal::entry::each_entry;
use crate::store::journal::journal_file::JOURNAL_FILE;
use crate::store::parts::{self, open_to_append};
use pixelmap_base::own_folder::OwnFolder;

/// The paths of the files of a state folder in a bucket.
#[derive(Debug, Clone)]
pub struct TravellingState {
    folder: String,
}

impl TravellingState {
    /// Returns the state of a whole map.
    pub fn of_map() -> Self {
        Self {
            folder: STATE.to_owned(),
        }
    }

    /// Returns the state of the part with this name.
    pub fn of_part(name: &str) -> Self {
        Self {
            folder: part_state(name),
        }
    }

    /// Returns the path of the folder with the states of all parts.
    pub fn parts() -> String {
        format!("{STATE}/{PARTS}")
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }

    /// Returns the path of the lock.
    pub fn lock(&self) -> String {
        self.path(LOCK)
    }

    /// Returns the path of the journal.
    pub fn journal(&self) -> String {
        self.path(JOURNAL_FILE)
    }

    /// Returns the path of the next journal, until the tiles that it records are uploaded.
    pub fn next_journal(&self) -> String {
        self.path(&format!("{JOURNAL_FILE}-next"))
    }

    /// Returns the paths of the other files that later runs need.
    pub fn others(&self) -> Vec<String> {
        let names: &[&str] = if self.folder == STATE {
            &[WORLD_CACHE, LISTED]
        } else {
            &[WORLD_CACHE, identity::FILE]
        };
        names.iter().map(|name| self.path(name)).collect()
    }

    /// Returns the path of the file that marks a part as complete.
    pub fn part(&self) -> String {
        self.path(parts::FILE)
    }

    /// Returns the path of that file while the part is drawn again.
    pub fn part_before(&self) -> String {
        self.path(parts::BEFORE)
    }

    /// Returns the path of the list of tiles that a part has uploaded.
    pub fn uploaded(&self) -> String {
        self.path("uploaded.tsv")
    }

    /// Appends the entries of the next journal to the journal in a folder. A run that was killed
    /// during its uploads leaves both, and its tiles may match either.
    ///
    /// # Errors
    /// A journal cannot be read or written.
    pub fn join_journals(&self, folder: &OwnFolder) -> Result<(), PublishError> {
        self.append_next(folder)
            .map_err(PublishError::io(folder.path()))
    }

    fn append_next(&self, folder: &OwnFolder) -> io::Result<()> {
        let next = folder.place(self.next_journal())?;
        let mut journal = open_to_append(&folder.place(self.journal())?)?;

        let mut written = Ok(());
        each_entry(BufReader::new(next.open()?), |entry, _| {
            if written.is_ok() {
                written = journal.write_all(&entry.bytes());
            }
        })?;
        written?;

        journal.flush()?;
        next.remove().map(drop)
    }
}
