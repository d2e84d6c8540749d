//! The folder of a catalog: its lock, the lines of earlier runs, and its files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use pixelmap_base::disk::if_there;
use pixelmap_base::json;
use pixelmap_base::own_folder::{OwnFolder, Place};
use pixelmap_draw::Shard;

use super::line::PlaceLine;
use crate::outcome::{Ending, FAILED, NOT_NOW};

/// The folder with the lines and the locks. It marks the folder of a catalog.
const STATE: &str = ".pixelmap/catalog";
/// The lines of a run without shards.
const LINES: &str = "worlds";
/// The ending of a file of lines.
const ENDING: &str = ".jsonl";

/// The open folder of a catalog. No other run uses the same lines.
pub(super) struct CatalogFolder {
    folder: OwnFolder,
    lines: Place,
    file: File,
    _lock: File,
}

impl CatalogFolder {
    /// Opens the folder, and makes it if it is missing.
    ///
    /// # Errors
    /// Fails if the folder has other contents, another run uses it, or it cannot be written.
    pub(super) fn open(path: &Path, shard: Option<Shard>) -> Result<Self, Ending> {
        let folder = OwnFolder::make(path).map_err(|error| Ending::not_written(path, &error))?;
        let failed = |error| Ending::not_written(path, &error);

        let state = folder.place(STATE).map_err(failed)?;
        let is_ours = state.facts().map_err(failed)?.is_some();
        if !is_ours && !folder.entries().map_err(failed)?.is_empty() {
            let message = format!(
                "{} is neither empty nor a catalog: name another folder with -o",
                path.display()
            );
            return Err(Ending::new(FAILED, message));
        }

        state.create_folders().map_err(failed)?;
        let name = shard.map_or_else(|| LINES.to_owned(), Shard::name);
        let place = |ending| folder.place(format!("{STATE}/{name}{ending}"));
        let lock = place(".lock").map_err(failed)?.hold().map_err(failed)?;
        let Some(lock) = lock else {
            let message = format!(
                "another run makes the catalog in {}: wait until it has ended",
                path.display()
            );
            return Err(Ending::new(NOT_NOW, message));
        };

        let lines = place(ENDING).map_err(failed)?;
        let file = lines.open_to_write().map_err(failed)?;
        Ok(Self {
            folder,
            lines,
            file,
            _lock: lock,
        })
    }

    /// Reads the lines of earlier runs and of all shards that are still current, by place.
    pub(super) fn read_lines(
        &self,
        is_current: impl Fn(&PlaceLine) -> bool,
    ) -> io::Result<BTreeMap<String, PlaceLine>> {
        let mut known = BTreeMap::new();
        for name in self.line_files()? {
            let place = self.folder.place(format!("{STATE}/{name}"))?;
            let Some(file) = if_there(place.open())? else {
                continue;
            };
            for text in BufReader::new(file).lines() {
                // A run that was killed may have left half a line.
                let Ok(line) = serde_json::from_str::<PlaceLine>(&text?) else {
                    continue;
                };
                if is_current(&line) {
                    known.insert(line.place.clone(), line);
                }
            }
        }
        Ok(known)
    }

    fn line_files(&self) -> io::Result<Vec<String>> {
        let mut names = self.folder.place(STATE)?.names()?;
        names.retain(|name| name.ends_with(ENDING));
        names.sort();
        Ok(names)
    }

    /// Adds a line, so that the next run finds it even if this one is killed.
    pub(super) fn add_line(&mut self, line: &PlaceLine) -> Result<(), Ending> {
        let failed = |error| Ending::not_written(&self.lines.path(), &error);
        let text = json::text(line).map_err(|error| failed(io::Error::other(error)))?;
        self.file.seek(SeekFrom::End(0)).map_err(failed)?;

        // The line break before the line ends a half line that a killed run left.
        let written = self.file.write_all(format!("\n{text}\n").as_bytes());
        written.map_err(failed)
    }

    /// Replaces the lines of all runs and shards by these.
    pub(super) fn put_lines<'a>(
        &mut self,
        lines: impl Iterator<Item = &'a PlaceLine>,
    ) -> Result<(), Ending> {
        let mut text = String::new();
        for line in lines {
            text += &json::text(line).map_err(|error| Ending::new(FAILED, error))?;
            text.push('\n');
        }
        self.put(&format!("{STATE}/{LINES}{ENDING}"), text.as_bytes())?;

        self.remove_shards().map_err(|error| self.failure(&error))
    }

    /// Removes the lines of all shards that are not at work.
    fn remove_shards(&self) -> io::Result<()> {
        for file in self.line_files()? {
            let name = file.trim_end_matches(ENDING);
            if name == LINES {
                continue;
            }

            let lock = self.folder.place(format!("{STATE}/{name}.lock"))?;
            if let Some(_held) = lock.hold()? {
                self.folder.place(format!("{STATE}/{file}"))?.remove()?;
                lock.remove()?;
            }
        }
        Ok(())
    }

    /// Writes a file, whole or not at all. A file with the same contents is left alone.
    pub(super) fn put(&self, path: &str, bytes: &[u8]) -> Result<(), Ending> {
        let written = self
            .folder
            .place(path)
            .and_then(|place| write(&place, bytes));
        written.map_err(|error| Ending::not_written(&self.folder.path().join(path), &error))
    }

    /// Returns whether there is a file or folder.
    pub(super) fn has(&self, path: &str) -> bool {
        let facts = self.folder.place(path).and_then(|place| place.facts());
        facts.is_ok_and(|facts| facts.is_some())
    }

    /// Returns the names in a folder.
    pub(super) fn names(&self, path: &str) -> Result<Vec<String>, Ending> {
        let names = self.folder.place(path).and_then(|place| place.names());
        names.map_err(|error| self.failure(&error))
    }

    /// Removes a file, or a folder with its contents.
    pub(super) fn remove(&self, path: &str) -> Result<(), Ending> {
        let removed = self
            .folder
            .place(path)
            .and_then(|place| place.remove_tree());
        removed.map_err(|error| self.failure(&error))
    }

    fn failure(&self, error: &io::Error) -> Ending {
        Ending::not_written(self.folder.path(), error)
    }

    /// Returns the path by which the user named the folder.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn write(place: &Place, bytes: &[u8]) -> io::Result<()> {
    if place.has_bytes(bytes)? {
        return Ok(());
    }

    place.create_parents()?;
    let part = place.part();
    part.remove()?;
    let written = part.create().and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    if let Err(error) = written {
        // A disk that is full must not keep half a file. The first error is reported.
        let _ = part.remove();
        return Err(error);
    }
    part.rename_to(place)
}
