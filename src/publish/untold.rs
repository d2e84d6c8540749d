//! What has changed in an output folder and was told to nobody yet.
//!
//! Before a published file is written, replaced or removed, its path is noted in the state folder, and it stays noted
//! until whoever asked for lists has them: a run that is killed, at whatever moment, leaves that to the next one. Which
//! list a path is for is seen when they are made: what stands there then was changed, and what does not was deleted.
//!
//! Each run notes in a file of its own. So those that were told are removed by name, whoever has begun another meanwhile.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{MutexGuard, PoisonError};

use super::output::{STATE, if_there, open_file};
use super::written::each_line;
use super::{Content, Output, PublishError, sync};
use crate::at::write_all_at;

/// Where they lie in the state folder: a path a line.
const FOLDER: &str = "untold";
/// A longer line is no path.
const MAX_LINE: u64 = 4097;

/// The file in which a run notes; there is none before there is something to note.
#[derive(Debug, Default)]
pub(super) struct Notes {
    file: Option<(File, PathBuf)>,
    end: u64,
    /// As far as it stands on the disk itself.
    synced: u64,
}

impl Output {
    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a file changes, which is to be told: to be called before it does.
    ///
    /// # Errors
    /// That cannot be written.
    pub fn note(&self, relative: &str) -> Result<(), PublishError> {
        // What changed in a folder of regions follows from its manifests.
        if !self.is_held() || self.content() != Content::Map || !is_published(relative) {
            return Ok(());
        }
        let mut notes = self.notes();
        if notes.file.is_none() {
            let folder = self.state(FOLDER);
            notes.file = Some(new_file(&folder).map_err(PublishError::io(&folder))?);
        }
        let Notes { file: Some((file, path)), end, .. } = &mut *notes else { return Ok(()) };
        let line = format!("{relative}\n");
        // At a place of its own, so that the next one is written over what could not be written whole.
        write_all_at(file, line.as_bytes(), *end).map_err(PublishError::io(path))?;
        *end += line.len() as u64;
        Ok(())
    }

    /// Returns when all that was noted stands on the disk itself. To be called before a manifest goes by which what has
    /// changed could be told, too.
    ///
    /// # Errors
    /// The system could not write it.
    pub fn sync_notes(&self) -> Result<(), PublishError> {
        let mut notes = self.notes();
        if let Some((_, path)) = notes.file.as_ref().filter(|_| notes.synced < notes.end) {
            sync::files(self.root(), std::slice::from_ref(path))?;
            notes.synced = notes.end;
        }
        Ok(())
    }

    /// The files in which this run and those before it have noted what they changed.
    ///
    /// # Errors
    /// Nobody can tell which those are.
    pub fn untold(&self) -> Result<Vec<PathBuf>, PublishError> {
        let folder = self.state(FOLDER);
        let list = || fs::read_dir(&folder)?.map(|entry| entry.map(|entry| entry.path())).collect();
        if_there(list()).map(Option::unwrap_or_default).map_err(PublishError::io(&folder))
    }

    /// What was noted in these files, sorted: what stands, and what does not.
    ///
    /// # Errors
    /// One of them cannot be read: what is noted there stays to be told.
    pub fn changes(&self, untold: &[PathBuf]) -> Result<(Vec<String>, Vec<String>), PublishError> {
        let mut paths = BTreeSet::new();
        for path in untold {
            let told = if_there(open_file(path)).and_then(|file| {
                let Some(file) = file else { return Ok(()) };
                each_line(file, MAX_LINE, |line| {
                    // Whatever the file says: nothing is told of what is no place of the map.
                    if !paths.contains(line) && is_published(line) && self.place(line).is_ok() {
                        paths.insert(line.to_owned());
                    }
                })
            });
            told.map_err(PublishError::io(path))?;
        }
        let stands = |path: &String| self.root().join(path).symlink_metadata().is_ok_and(|there| !there.is_dir());
        Ok(paths.into_iter().partition(stands))
    }
}

/// What these files say was told: they go. The runs that noted it have ended.
pub fn told(untold: &[PathBuf]) {
    for path in untold {
        // Left there it would be told once more.
        let _ = fs::remove_file(path);
    }
}

/// Whether a file is part of the map, and not of what is known of it.
fn is_published(relative: &str) -> bool {
    !Path::new(relative).starts_with(STATE)
}

fn new_file(folder: &Path) -> io::Result<(File, PathBuf)> {
    if folder.symlink_metadata().is_ok_and(|there| !there.is_dir()) {
        let _ = fs::remove_file(folder);
    }
    fs::create_dir_all(folder)?;
    // Opened as any new file is, with a name that no other run has.
    let create = |path: &Path| File::options().write(true).create_new(true).open(path);
    tempfile::Builder::new().prefix("").make_in(folder, create)?.keep().map_err(|refused| refused.error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coord::TilePos;
    use crate::publish::{Format, Identity, Journal, LayerKey, Manifest, Naming, Put, Scheme, TileRecord};

    fn open(folder: &Path) -> Output {
        let world = Identity { name: "w".to_owned(), spawn: None, path: folder.join("world") };
        Output::open(&folder.join("map"), &world, &[]).unwrap()
    }

    /// What is to be told, on one line each list.
    fn told_of(output: &Output) -> [String; 2] {
        let (changed, deleted) = output.changes(&output.untold().unwrap()).unwrap();
        [changed.join(" "), deleted.join(" ")]
    }

    fn lists(changed: &str, deleted: &str) -> [String; 2] {
        [changed, deleted].map(str::to_owned)
    }

    #[test]
    fn what_changes_is_kept_over_runs_until_it_is_told_and_stands_on_the_list_it_is_for_then() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path());
        for path in ["a/1.png", "a/2.png", "a/3.png"] {
            output.put(path, b"one").unwrap();
        }
        output.put_written("a/tiles.tsv", |out| out.write_all(b"one")).unwrap();
        output.put(".pixelmap/next/4.png", b"waits").unwrap();
        assert_eq!(told_of(&output), lists("a/1.png a/2.png a/3.png a/tiles.tsv", ""));
        told(&output.untold().unwrap());
        drop(output);
        let output = open(folder.path());
        assert_eq!(output.put("a/1.png", b"one").unwrap(), Put::Unchanged);
        output.put_written("a/tiles.tsv", |out| out.write_all(b"one")).unwrap();
        assert!(!output.remove("a/5.png").unwrap());
        assert_eq!((told_of(&output), output.untold().unwrap().len()), (lists("", ""), 0), "nothing has changed");
        output.put("a/1.png", b"two").unwrap();
        output.remove("a/2.png").unwrap();
        output.remove("a/3.png").unwrap();
        output.remove_earlier("a/5.png").unwrap();
        output.sync_notes().unwrap();
        let of_first = output.untold().unwrap();
        // The next ones know of it, whoever they are; and what was gone comes back, or the other way round.
        drop(output);
        let output = open(folder.path());
        assert_eq!(told_of(&output), lists("a/1.png", "a/2.png a/3.png a/5.png"));
        output.put("a/3.png", b"three").unwrap();
        output.remove("a/1.png").unwrap();
        assert_eq!(told_of(&output), lists("a/3.png", "a/1.png a/2.png a/5.png"));
        told(&of_first);
        assert_eq!(told_of(&output), lists("a/3.png", "a/1.png"), "what came later is still to be told");
        told(&output.untold().unwrap());
        assert_eq!(told_of(&output), lists("", ""));
    }

    #[test]
    fn whoever_only_looks_notes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let held = open(folder.path());
        let world = Identity { name: "w".to_owned(), spawn: None, path: folder.path().join("world") };
        let looked = Output::look(Content::Map, held.root(), &world, &[]).unwrap();
        assert!(looked.note("a.png").is_ok() && looked.untold().unwrap().is_empty());
    }

    #[test]
    fn what_takes_the_place_of_others_is_noted_as_it_does_and_they_when_they_go() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path());
        let (old, new) = (Naming { scheme: Scheme::Xyz, format: Format::Png }, Naming::default());
        let (tile, record) = (TilePos { zoom: 17, x: 0, y: 1 }, TileRecord { bytes: 1, file: 1, pixels: 1 });
        let gone = TilePos { x: 1, ..tile };
        let write = |output: &Output, manifest: Manifest, scheme| {
            output.put_written("day/tiles.tsv", |out| manifest.write(scheme, out)).unwrap();
            manifest.tiles
        };
        write(&output, Manifest { tiles: [(tile, record), (gone, record)].into() }, old.scheme);
        output.put(&format!("day/{}", old.path(tile)), b"old").unwrap();
        output.put(&Output::staged("day/17/0/1.png", new), b"new").unwrap();
        // A folder where a file is to come: it does not come to its end.
        output.put("day/17/0/1.png/2.png", b"in the way").unwrap();
        told(&output.untold().unwrap());
        drop(output);
        let output = open(folder.path());
        let tiles = [(tile, record)].into();
        let replace = || output.replace("day", old, new, &tiles);
        assert!(replace().is_err());
        assert!(output.read(&format!("day/{}", old.path(tile))).is_ok_and(|there| there == b"old"));
        output.remove("day/17/0/1.png/2.png").unwrap();
        replace().unwrap();
        let tiles = write(&output, Manifest { tiles }, new.scheme);
        output.put("map.json", b"new").unwrap();
        output.remove_replaced("day", new, &tiles, &mut 0, || false).unwrap();
        // What was gone already is told, too: a copy of the map has it.
        let deleted = output.changes(&output.untold().unwrap()).unwrap().1.join(" ");
        assert!(deleted.ends_with("day/17/65536/65537.png day/17/65537/65537.png"), "{deleted}");
    }

    #[test]
    fn what_waited_is_noted_as_it_takes_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path());
        let journal = || Journal::open(&output, vec![LayerKey { layer: 1, options: 1 }]).unwrap();
        let staged = || Journal::open_staged(&output, vec![LayerKey { layer: 1, options: 1 }]).unwrap();
        let files = ["a/1.png", "a/2.png"].map(|path| (Output::staged(path, Naming::default()), path.to_owned()));
        output.put_aside("a/1.png", Naming::default(), b"one").unwrap();
        assert_eq!(told_of(&output), lists("", ""), "it waits");
        journal().publish(&output, staged(), files.into_iter()).unwrap();
        assert_eq!(told_of(&output), lists("a/1.png", ""), "the other one did not wait");
    }

    #[test]
    fn a_record_that_is_damaged_stops_nobody_and_says_nothing_of_other_places() {
        let folder = tempfile::tempdir().unwrap();
        let output = open(folder.path());
        let there = output.state(FOLDER);
        let write = |path: &Path, bytes: &[u8]| write_all_at(&File::create(path).unwrap(), bytes, 0).unwrap();
        write(&there, b"in the way");
        output.put("a/1.png", b"one").unwrap();
        assert_eq!(told_of(&output), lists("a/1.png", ""));
        fs::create_dir(there.join("folder")).unwrap();
        let long = "x".repeat(5_000);
        let odd =
            format!("../b.png\n/c.png\n.pixelmap/lock\n./.pixelmap/lock\n\n.\na/..\n{long}\n{long}\na\na/2.png\na/1.p");
        write(&there.join("damaged"), &[odd.as_bytes(), b"\xff\n"].concat());
        write(&there.join("torn"), b"a/3.png\na/1.p");
        assert_eq!(told_of(&output), lists("a/1.png", "a a/2.png a/3.png"));
        told(&output.untold().unwrap());
        assert_eq!(told_of(&output), lists("", ""));
    }
}
