//! Finds the files that belong to the database at one moment.
//!
//! `CURRENT` names the manifest, and the manifest names the tables and the oldest log. While this
//! program reads, a running game may make new tables, remove old ones and append to the manifest.
//! So a snapshot can check whether the list is still the same. Source: LevelDB, `doc/impl.md` and
//! `db/filename.cc`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::manifest::{ListedTable, TableManifest};
use crate::bytes::{Defect, FileDamage};
use pixelmap_base::files::{Files, FolderEntry};
use pixelmap_base::retry::retryable;

/// The most bytes of a manifest that are read. A manifest of one megabyte has been seen.
const MAX_MANIFEST: u64 = 64 << 20;
/// The file that contains the name of the manifest.
pub(crate) const CURRENT: &str = "CURRENT";
/// The most bytes of `CURRENT` that are read.
const NAME_BYTES: u64 = 64;
/// The prefix of a manifest's name. A number follows.
const MANIFEST_START: &str = "MANIFEST-";
/// The extensions of tables: the current one, and the one used until 2013.
const TABLE_ENDINGS: [&str; 2] = ["ldb", "sst"];
const LOG_ENDING: &str = "log";
/// The first bytes of each encrypted file of the `NetEase` edition. The game encrypts all files of
/// a database except the log.
const ENCRYPTED: [u8; 4] = [0x80, 0x1d, 0x30, 0x01];

/// The list of the files of a database.
#[derive(Debug)]
pub(crate) struct DatabaseSnapshot {
    /// The tables by number.
    pub(crate) tables: BTreeMap<u64, TableFile>,
    /// The logs by number.
    pub(crate) logs: BTreeMap<u64, DatabaseFile>,
    /// Set if the list of files could not be read. Then all tables and logs in the folder count as
    /// part of the database.
    pub(crate) damage: Option<FileDamage>,
    source: ListSource,
}

#[derive(Debug, Clone)]
pub(crate) struct DatabaseFile {
    /// The path. A table or log that the manifest names has one even if the file is missing.
    pub(crate) path: PathBuf,
    pub(crate) name: String,
}

#[derive(Debug)]
pub(crate) struct TableFile {
    pub(crate) file: DatabaseFile,
    /// The smallest key in the table, if it is known.
    pub(crate) smallest: Option<Box<[u8]>>,
    /// The greatest key in the table. `None` if it is not known, or if the keys are spread so
    /// widely that a range is useless.
    pub(crate) largest: Option<Box<[u8]>>,
}

/// The files that the list was read from, kept for comparison.
#[derive(Debug, PartialEq, Eq)]
struct ListSource {
    /// The name of the manifest, if `CURRENT` could be read.
    name: Option<String>,
    manifest: Result<Vec<u8>, FileDamage>,
}

impl DatabaseSnapshot {
    /// Reads the list of the files in a folder. A first log that is missing is listed only if it is
    /// one of the `known_logs`, which had entries in an earlier run. Otherwise its absence does not
    /// count as damage, because a world copied without logs is whole.
    ///
    /// # Errors
    /// Fails if the folder cannot be read, or if the list cannot be read because of an error that
    /// may pass.
    pub(crate) fn read(files: &Files, folder: &Path, known_logs: &[u64]) -> io::Result<Self> {
        let source = ListSource::read(files, folder)?;
        let (present, mut logs) = list_files(files, folder)?;
        Ok(match source.parse() {
            Ok(manifest) => {
                if known_logs.contains(&manifest.first_log) {
                    let name = format!("{:06}.{LOG_ENDING}", manifest.first_log);
                    logs.entry(manifest.first_log)
                        .or_insert_with(|| DatabaseFile {
                            path: folder.join(&name),
                            name,
                        });
                }

                logs.retain(|&number, _| {
                    number >= manifest.first_log || number == manifest.previous_log
                });

                let tables = manifest.tables.into_iter();
                let tables = tables
                    .map(|(number, table)| (number, table_file(folder, &present, number, table)));
                Self {
                    tables: tables.collect(),
                    logs,
                    damage: None,
                    source,
                }
            }
            Err(damage) => {
                let tables = present.into_iter().map(|(number, file)| {
                    (
                        number,
                        TableFile {
                            file,
                            smallest: None,
                            largest: None,
                        },
                    )
                });

                Self {
                    tables: tables.collect(),
                    logs,
                    damage: Some(damage),
                    source,
                }
            }
        })
    }

    /// Returns whether the list of files is encrypted. In this case the whole world is, although
    /// its log may not be.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.damage
            .as_ref()
            .is_some_and(|damage| damage.defect == Defect::Encrypted)
    }

    /// Returns whether the list is still the same.
    ///
    /// # Errors
    /// Fails if the list cannot be read because of an error that may pass.
    pub(crate) fn is_current(&self, files: &Files, folder: &Path) -> io::Result<bool> {
        Ok(ListSource::read(files, folder)? == self.source)
    }
}

/// Returns the damage of a file that belongs to the list of files.
fn list_damage(file: &str, defect: Defect) -> FileDamage {
    FileDamage {
        file: file.to_owned(),
        offset: None,
        defect,
    }
}

impl ListSource {
    fn read(files: &Files, folder: &Path) -> io::Result<Self> {
        let current = read_file(files, &folder.join(CURRENT), NAME_BYTES)?;
        let name = current.and_then(|current| {
            let defect = if current.is_empty() {
                Defect::Empty
            } else {
                foreign_defect(&current)
            };
            manifest_name(&current).map(str::to_owned).ok_or(defect)
        });

        Ok(match name {
            Err(defect) => Self {
                name: None,
                manifest: Err(list_damage(CURRENT, defect)),
            },
            Ok(name) => {
                let manifest = read_file(files, &folder.join(&name), MAX_MANIFEST)?;
                let manifest = match manifest.as_deref().map(foreign_defect) {
                    Ok(Defect::Encrypted) => Err(Defect::Encrypted),
                    _ => manifest,
                };

                Self {
                    manifest: manifest.map_err(|defect| list_damage(&name, defect)),
                    name: Some(name),
                }
            }
        })
    }

    fn parse(&self) -> Result<TableManifest, FileDamage> {
        let manifest = self.manifest.as_ref().map_err(Clone::clone)?;
        let file = self.name.clone().unwrap_or_default();
        TableManifest::parse(manifest).map_err(|damage| FileDamage {
            file,
            offset: Some(damage.offset),
            defect: damage.defect,
        })
    }
}

/// Returns the name of the manifest from the text of `CURRENT`.
fn manifest_name(current: &[u8]) -> Option<&str> {
    let name = str::from_utf8(current).ok()?.trim_ascii_end();
    let number = name.strip_prefix(MANIFEST_START)?;
    number
        .bytes()
        .all(|digit| digit.is_ascii_digit())
        .then_some(name)
}

/// Reads up to `limit` bytes of a file. Does not open pipes, because reading one could block
/// forever.
///
/// # Errors
/// The outer error is one that may pass. The inner one is a lasting defect of the file.
pub(crate) fn read_file(
    files: &Files,
    path: &Path,
    limit: u64,
) -> io::Result<Result<Vec<u8>, Defect>> {
    let read = files
        .facts(path)
        .and_then(|facts| facts.is_file().then(|| files.read(path, limit)).transpose());
    Ok(match read {
        Err(error) if retryable(&error) => return Err(error),
        Err(error) => Err(error.into()),
        Ok(None) => Err(Defect::Foreign),
        Ok(Some(bytes)) if Files::is_pointer(&bytes) => Err(Defect::Pointer),
        Ok(Some(bytes)) => Ok(bytes),
    })
}

/// Returns the defect of a file that has an unexpected format, judged by its first bytes.
pub(crate) fn foreign_defect(start: &[u8]) -> Defect {
    if Files::is_pointer(start) {
        Defect::Pointer
    } else if start.starts_with(&ENCRYPTED) {
        Defect::Encrypted
    } else {
        Defect::Foreign
    }
}

/// Returns the file of a table. If it is missing, returns the path where it should be.
fn table_file(
    folder: &Path,
    present: &BTreeMap<u64, DatabaseFile>,
    number: u64,
    ListedTable {
        level,
        smallest,
        largest,
    }: ListedTable,
) -> TableFile {
    let file = present.get(&number).cloned().unwrap_or_else(|| {
        let name = format!("{number:06}.{}", TABLE_ENDINGS[0]);
        DatabaseFile {
            path: folder.join(&name),
            name,
        }
    });

    // Tables of level 0 are written before any compaction, so their keys spread over the whole
    // world.
    TableFile {
        file,
        smallest: Some(smallest),
        largest: (level > 0).then_some(largest),
    }
}

/// Lists the tables and the logs in a folder, each by number.
fn list_files(
    files: &Files,
    folder: &Path,
) -> io::Result<(BTreeMap<u64, DatabaseFile>, BTreeMap<u64, DatabaseFile>)> {
    let (mut tables, mut logs) = (BTreeMap::new(), BTreeMap::new());
    for entry in files.list(folder)? {
        let FolderEntry { name, path, .. } = entry?;
        match numbered(&name) {
            Some((number, LOG_ENDING)) => logs.insert(number, DatabaseFile { path, name }),
            Some((number, _)) => tables.insert(number, DatabaseFile { path, name }),
            None => continue,
        };
    }

    Ok((tables, logs))
}

/// Returns the number and the extension of a table or log. Returns `None` for a name that the game
/// does not use.
fn numbered(name: &str) -> Option<(u64, &str)> {
    let (number, ending) = name.split_once('.')?;
    let number = number.parse().ok()?;
    let is_own = TABLE_ENDINGS.contains(&ending) || ending == LOG_ENDING;
    (is_own && format!("{number:06}.{ending}") == name).then_some((number, ending))
}

/// Returns whether a folder contains a database, even a damaged one.
///
/// # Errors
/// Fails if the folder exists and cannot be listed.
pub fn is_database(files: &Files, folder: &Path) -> io::Result<bool> {
    let entries = match files.list(folder) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(false);
        }
        entries => entries?,
    };

    for entry in entries {
        let name = entry?.name;
        if name == CURRENT || numbered(&name).is_some() {
            return Ok(true);
        }
    }

    Ok(false)
}
