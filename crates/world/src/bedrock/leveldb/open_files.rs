//! Opens the files that belong to a database at one moment, even while the game replaces them.

use std::io;
use std::path::{Path, PathBuf};

use super::log::{Logs, MAX_LOGS};
use super::snapshot::{CURRENT, DatabaseFile, DatabaseSnapshot, TableFile, read_file};
use super::table::Table;
use crate::bytes::{Defect, FileDamage, Inflater};
use pixelmap_base::files::Files;

/// How many times opening is tried if the list of files changes meanwhile.
const TRIES: usize = 4;
/// The most tables that are held open. Tables beyond this limit are opened for each read.
const MAX_OPEN: usize = 512;

/// The reason why a world's database cannot be opened.
#[derive(Debug)]
pub enum OpenError {
    /// The world has no database.
    Missing,
    /// The list of its files is encrypted or unrecognisable, or no table can be read and at least
    /// one is encrypted.
    Encrypted,
    /// No table or log can be read, and one of the files is only a Git LFS pointer. This is its
    /// path.
    Pointer(PathBuf),
    /// Reading failed.
    Unreadable(io::Error),
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            _ => Self::Unreadable(error),
        }
    }
}

/// The opened files of a database, with the damage found while opening them.
#[derive(Debug, Default)]
pub(crate) struct OpenFiles {
    pub(crate) tables: Vec<Table>,
    pub(crate) logs: Logs,
    /// The numbers of the logs that have entries or are damaged.
    pub(crate) log_numbers: Vec<u64>,
    pub(crate) damage: Vec<FileDamage>,
}

/// Opens the files that the list of the database names. If the list changes meanwhile, the game has
/// written new files and may have removed some of the listed ones, so the new list is opened
/// instead.
///
/// Calls `before_check` after opening the files and before comparing the list, so that tests can
/// change the database in between.
pub(crate) fn open_files(
    files: &Files,
    folder: &Path,
    known_logs: &[u64],
    mut before_check: impl FnMut(),
) -> Result<OpenFiles, OpenError> {
    for _ in 0..TRIES {
        let snapshot = DatabaseSnapshot::read(files, folder, known_logs)?;
        if snapshot.is_encrypted() {
            return Err(OpenError::Encrypted);
        }

        let opened = open_snapshot(files, &snapshot)?;
        before_check();

        if snapshot.is_current(files, folder)? {
            return opened.check(folder, snapshot.damage.as_ref());
        }
    }

    let changing = "the game changed the list of its files during every attempt to read it";
    Err(io::Error::new(io::ErrorKind::ResourceBusy, changing).into())
}

fn open_snapshot(files: &Files, snapshot: &DatabaseSnapshot) -> io::Result<OpenFiles> {
    let mut opened = OpenFiles::default();
    opened.damage.extend(snapshot.damage.clone());

    // Logs are read first, because the game removes a log as soon as its entries are in a table.
    let mut bytes_left = MAX_LOGS;
    for (&number, file) in &snapshot.logs {
        let before = opened.logs.len();
        let is_whole = opened.add_log(files, file, &mut bytes_left)?;
        if !is_whole || opened.logs.len() > before {
            opened.log_numbers.push(number);
        }
    }

    opened.logs.sort();

    let mut inflater = Inflater::default();
    let max_open = max_open();
    for table in snapshot.tables.values() {
        opened.add_table(files, table, max_open, &mut inflater)?;
    }

    Ok(opened)
}

/// Returns the most tables that are held open: at most half of the files that the process may open,
/// because the workers need the other half.
fn max_open() -> usize {
    #[cfg(unix)]
    if let Some(limit) = rustix::process::getrlimit(rustix::process::Resource::Nofile).current {
        return MAX_OPEN.min(usize::try_from(limit / 2).unwrap_or(MAX_OPEN));
    }
    MAX_OPEN
}

impl OpenFiles {
    /// Adds the readable entries of a log. Returns whether the whole log was readable.
    fn add_log(
        &mut self,
        files: &Files,
        file: &DatabaseFile,
        bytes_left: &mut u64,
    ) -> io::Result<bool> {
        let defect = match read_file(files, &file.path, *bytes_left + 1)? {
            Ok(log) if log.len() as u64 > *bytes_left => Defect::TooLarge,
            Ok(log) => {
                *bytes_left -= log.len() as u64;
                let Err(damage) = self.logs.add(&log) else {
                    return Ok(true);
                };
                self.add_damage(file, Some(damage.offset), damage.defect);
                return Ok(false);
            }
            Err(defect) => defect,
        };

        self.add_damage(file, None, defect);
        Ok(false)
    }

    fn add_table(
        &mut self,
        files: &Files,
        table: &TableFile,
        max_open: usize,
        inflater: &mut Inflater,
    ) -> io::Result<()> {
        match Table::open(files, &table.file, table.smallest.clone(), inflater) {
            Ok(mut table) => {
                // An open file of a zip keeps all of its inflated bytes in memory, and an open file
                // of a remote folder keeps its download, so they are closed.
                let is_held = files.are_in_zip() || files.are_remote();
                if self.tables.len() >= max_open || is_held {
                    table.close();
                }
                self.tables.push(table);
            }
            Err(defect) => {
                defect.check_lasts()?;
                self.add_damage(&table.file, None, defect.clone());
                self.tables.push(Table::from_defect(files, table, defect));
            }
        }

        Ok(())
    }

    fn add_damage(&mut self, file: &DatabaseFile, offset: Option<u64>, defect: Defect) {
        self.damage.push(FileDamage {
            file: file.name.clone(),
            offset,
            defect,
        });
    }

    /// Returns the files, unless nothing can be read, or the database is encrypted, or only Git LFS
    /// pointers are left of it.
    fn check(self, folder: &Path, list_damage: Option<&FileDamage>) -> Result<Self, OpenError> {
        let no_table_is_read = self.tables.iter().all(Table::is_lost);

        // The game does not encrypt logs. A readable log would give only the latest chunks of an
        // encrypted world, which would look like a nearly empty world.
        if no_table_is_read && self.tables.iter().any(Table::is_encrypted) {
            return Err(OpenError::Encrypted);
        }
        if !no_table_is_read || !self.logs.is_empty() {
            return Ok(self);
        }

        if let Some(pointer) = self
            .damage
            .iter()
            .find(|damage| damage.defect == Defect::Pointer)
        {
            return Err(OpenError::Pointer(folder.join(&pointer.file)));
        }

        let Some(damage) = list_damage else {
            return Ok(self);
        };

        // `CURRENT` does not name a manifest and nothing else is readable. Some other kind of
        // encryption explains that best.
        if (&*damage.file, &damage.defect) == (CURRENT, &Defect::Foreign) {
            return Err(OpenError::Encrypted);
        }

        let others = if self.tables.is_empty() {
            "there is no table"
        } else {
            "no table can be read"
        };

        Err(io::Error::other(format!("{damage}, and {others}")).into())
    }
}
