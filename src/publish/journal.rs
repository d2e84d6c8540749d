//! The records of the tiles that stand in an output folder, from run to run.
//!
//! Two files of the same form in the state folder: `state`, in order, of the last run that came to its end, and
//! `journal`, to which entries are added as tiles are finished. A run that comes to its end makes a new `state` of
//! both. Of two entries for a tile the later one counts. Either file may be missing, torn or of another version: a tile
//! that is not recorded is drawn. A file that is there and cannot be read is not taken for missing: with its records,
//! the pixels of chunks that are damaged now are preserved.
//!
//! After a kill everything that was written is still there, but after a power cut an entry may have reached the disk
//! and its tile not. So tiles are synced in batches of seconds, and an entry of the journal records each batch. A tile
//! whose entry stands behind the last such entry is [unsure](Recorded::sure) until the tile itself has been checked.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::entry::{Entry, FIRST_LINE, IN_JOURNAL, Key, Place, UNSURE, each_tile, parse, read_entry};
use super::files::{if_there, open_file, open_to_write, write_at};
use super::{Output, PublishError, sync};
use crate::coord::TilePos;

pub(super) const STATE_FILE: &str = "state";
pub(super) const JOURNAL_FILE: &str = "journal";
/// Tiles are synced so often, or more seldom where that takes long: it costs a fiftieth of the time at most.
const SYNC_EVERY: Duration = Duration::from_secs(2);
const SYNC_SHARE: u32 = 50;
/// The most tiles that are recorded and not yet synced.
const MAX_WAITING: usize = 4096;

/// One layer of one dimension, and what decides its pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerKey {
    /// The dimension and the layer, as a hash of their path.
    pub layer: u64,
    /// Everything beside the world that decides a pixel, as a hash.
    pub options: u64,
}

/// The record of a tile by an earlier run.
#[derive(Debug)]
pub struct Recorded {
    /// The entry's number among those that were there at the start.
    pub number: usize,
    /// The tile that it names has reached the disk.
    pub sure: bool,
    /// The record itself.
    pub says: Vec<u8>,
}

/// The journal of an output folder.
#[derive(Debug)]
pub struct Journal<'a> {
    output: &'a Output,
    path: PathBuf,
    layers: Vec<LayerKey>,
    state: Option<File>,
    /// The journal as it was at the start.
    before: Option<File>,
    /// In the order of layers and tiles.
    places: Vec<Place>,
    added: Mutex<Added>,
    /// Held by the thread that syncs, so that no other thread syncs at the same time.
    syncing: Mutex<()>,
    /// Brings tiles to the disk: [`sync::files`], except in a test that makes the disk fail.
    write_out: fn(&Path, &[PathBuf]) -> Result<(), PublishError>,
}

/// The file that entries are added to, and the tiles that they name and that are not yet synced.
#[derive(Debug)]
struct Added {
    file: Option<File>,
    /// The start of this run's entries; `end` is their end.
    start: u64,
    end: u64,
    waiting: Vec<PathBuf>,
    next_sync: Instant,
    /// The system could not write a tile to the disk: it reports that once, and does not name the tile.
    is_lost: bool,
}

impl<'a> Journal<'a> {
    /// Reads what is recorded of these layers.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub fn open(output: &'a Output, layers: Vec<LayerKey>) -> Result<Self, PublishError> {
        let open = |path: &Path| if_there(open_file(path)).map_err(PublishError::io(path));
        let (of_state, path) = (output.state(STATE_FILE), output.state(JOURNAL_FILE));
        let (state, before) = (open(&of_state)?, open(&path)?);
        let mut places = Vec::new();
        let mut read = |file: &Option<File>, flag: u64, path: &Path| match file {
            Some(file) => read_places(file, &layers, flag, &mut places).map_err(PublishError::io(path)),
            None => Ok(0),
        };
        read(&state, 0, &of_state)?;
        let end = read(&before, IN_JOURNAL, &path)?;
        // The later of two is the one further on, and the journal is further on than the state.
        places.sort_unstable_by_key(|place| (place.layer, place.tile, place.at & !UNSURE));
        places.shrink_to_fit();
        let next_sync = Instant::now() + SYNC_EVERY;
        let added = Added { file: None, start: end, end, waiting: Vec::new(), next_sync, is_lost: false };
        let (added, syncing) = (Mutex::new(added), Mutex::default());
        Ok(Self { output, path, layers, state, before, places, added, syncing, write_out: sync::files })
    }

    /// The number of recorded entries.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn added(&self) -> MutexGuard<'_, Added> {
        self.added.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the record that a tile of the layer with this number had at the start of this run.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn find(&self, layer: usize, tile: TilePos) -> Result<Option<Recorded>, PublishError> {
        self.find_all(layer, tile).next().transpose()
    }

    /// Returns the same record, and then the earlier ones: runs that did not come to their end leave more than one
    /// entry.
    pub fn find_all(&self, layer: usize, tile: TilePos) -> impl Iterator<Item = Result<Recorded, PublishError>> {
        let wanted = (layer as u32, tile);
        let start = self.places.partition_point(|place| (place.layer, place.tile) < wanted);
        let of_it = self.places[start..].iter().take_while(move |place| (place.layer, place.tile) == wanted).count();
        (start..start + of_it).rev().filter_map(|number| self.known(number).transpose())
    }

    fn known(&self, number: usize) -> Result<Option<Recorded>, PublishError> {
        let at = self.places[number].at;
        let start = at & !(IN_JOURNAL | UNSURE);
        let in_journal = at & IN_JOURNAL != 0;
        let Some(file) = (if in_journal { &self.before } else { &self.state }) else { return Ok(None) };
        let path = || if in_journal { self.path.clone() } else { self.output.state(STATE_FILE) };
        let entry = read_entry(file, start).map_err(|error| PublishError::Io(path(), error))?;
        let says = match entry.as_deref().and_then(parse) {
            Some(Entry::Tile(_, says, _)) => Some(says.to_vec()),
            _ => None,
        };
        Ok(says.map(|says| Recorded { number, sure: at & UNSURE == 0, says }))
    }

    /// Adds a new record of a tile, whose file is at `path` in the folder, if it has one.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn add(&self, layer: usize, tile: TilePos, says: &[u8], path: Option<&str>) -> Result<(), PublishError> {
        let Some(&LayerKey { layer, options }) = self.layers.get(layer).filter(|_| self.output.is_held()) else {
            return Ok(());
        };
        let entry = Entry::Tile(Key { layer, options, tile }, says, true).bytes();
        let due = {
            let mut added = self.added();
            self.write(&mut added, &entry)?;
            added.waiting.extend(path.map(|path| self.output.root().join(path)));
            added.waiting.len() >= MAX_WAITING || added.next_sync <= Instant::now()
        };
        match due.then(|| self.syncing.try_lock()) {
            Some(Ok(only)) => self.sync_waiting(&only),
            _ => Ok(()),
        }
    }

    /// Syncs a tile with the next batch: the caller has seen that this [unsure](Recorded::sure) tile is whole.
    pub fn wait_for(&self, path: &str) {
        self.added().waiting.push(self.output.root().join(path));
    }

    fn write(&self, added: &mut Added, entry: &[u8]) -> Result<(), PublishError> {
        let path = &self.path;
        let write = |added: &mut Added| -> io::Result<()> {
            if added.file.is_none() {
                let file = open_to_write(path)?;
                // Cuts off an entry that an earlier run left torn, or all of the file where its format is not read.
                file.set_len(added.end)?;
                if added.end == 0 {
                    write_at(path, &file, FIRST_LINE, 0)?;
                    (added.start, added.end) = (FIRST_LINE.len() as u64, FIRST_LINE.len() as u64);
                }
                added.file = Some(file);
            }
            let Some(file) = &added.file else { return Ok(()) };
            write_at(path, file, entry, added.end)?;
            added.end += entry.len() as u64;
            Ok(())
        };
        write(added).map_err(PublishError::io(path))
    }

    /// Returns when all tiles that were added stand on the disk itself, and records it in the journal.
    ///
    /// # Errors
    /// A tile cannot be synced, or the journal cannot be written.
    pub fn sync(&self) -> Result<(), PublishError> {
        let only = self.syncing.lock().unwrap_or_else(PoisonError::into_inner);
        self.sync_waiting(&only)
    }

    fn sync_waiting(&self, _only: &MutexGuard<'_, ()>) -> Result<(), PublishError> {
        let (waiting, end) = {
            let mut added = self.added();
            if added.is_lost {
                let root = self.output.root().to_owned();
                return Err(PublishError::Io(
                    root,
                    io::Error::other("what was written there may not stand on the disk"),
                ));
            }
            (std::mem::take(&mut added.waiting), added.end)
        };
        if waiting.is_empty() {
            return Ok(());
        }
        let start = Instant::now();
        let synced = (self.write_out)(self.output.root(), &waiting);
        let mut added = self.added();
        added.is_lost = synced.is_err();
        synced?;
        added.next_sync = Instant::now() + SYNC_EVERY.max(start.elapsed() * SYNC_SHARE);
        // Tiles that were added during the sync are not in this range.
        let synced = Entry::Synced(added.start, end);
        self.write(&mut added, &synced.bytes())
    }
}

/// Adds the places of the entries of these layers; returns the end of the last whole entry.
fn read_places(file: &File, layers: &[LayerKey], flag: u64, places: &mut Vec<Place>) -> io::Result<u64> {
    let first = places.len();
    let extent = each_tile(file, |key, at, is_sure| {
        let wanted = LayerKey { layer: key.layer, options: key.options };
        if let Some(layer) = layers.iter().position(|layer| *layer == wanted) {
            let unsure = if is_sure { 0 } else { UNSURE };
            places.push(Place { tile: key.tile, layer: layer as u32, at: at | flag | unsure });
        }
    })?;
    extent.mark_unsure(&mut places[first..], flag);
    Ok(extent.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::{Commit, Finished, Identity, compact};

    const LAYERS: [LayerKey; 2] = [LayerKey { layer: 7, options: 1 }, LayerKey { layer: 8, options: 1 }];

    fn output(folder: &Path) -> Output {
        let world = Identity { name: "w".to_owned(), spawn: None, path: folder.join("world") };
        Output::open(&folder.join("map"), &world, &[]).unwrap()
    }

    const fn tile(x: i32) -> TilePos {
        TilePos { zoom: 17, x, y: 0 }
    }

    /// Ends a run over these layers, of whose tiles those stay that `stays` picks; returns what it finds unpublished.
    fn finish(output: &Output, layers: &[LayerKey], stays: fn(TilePos) -> bool) -> Vec<(usize, i32)> {
        let mut commit = Commit::new(output).unwrap();
        let finished = Finished { layers, stays: &|_, tile| stays(tile), is_published: &|_, tile| tile.x == 1 };
        let strays = compact(output, &finished, &mut commit).unwrap();
        commit.carry_out().unwrap();
        strays.into_iter().map(|(layer, tile)| (layer, tile.x)).collect()
    }

    /// The record of a tile, and whether it is sure.
    fn known(journal: &Journal<'_>, layer: usize, x: i32) -> Option<(String, bool)> {
        let known = journal.find(layer, tile(x)).unwrap()?;
        Some((String::from_utf8(known.says).unwrap(), known.sure))
    }

    fn said(says: &str, sure: bool) -> (String, bool) {
        (says.to_owned(), sure)
    }

    #[test]
    fn a_synced_record_is_sure_after_a_kill() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path());
        output.put("1.png", b"tile").unwrap();
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        journal.add(0, tile(1), b"one", Some("1.png")).unwrap();
        journal.sync().unwrap();
        journal.add(0, tile(2), b"two", Some("1.png")).unwrap();
        journal.add(1, tile(1), &[b'x'; 2000], None).unwrap();
        assert_eq!(known(&journal, 0, 1), None, "only what was known at the start");
        drop(journal);
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!((known(&journal, 0, 1), known(&journal, 0, 2)), (Some(said("one", true)), Some(said("two", false))));
        assert_eq!(known(&journal, 1, 1), Some(said(&"x".repeat(2000), false)));
        // The next run syncs what it adds, and vouches for nothing else.
        journal.add(0, tile(3), b"three", Some("1.png")).unwrap();
        journal.add(0, tile(1), b"uno", Some("1.png")).unwrap();
        journal.sync().unwrap();
        drop(journal);
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!((known(&journal, 0, 1), known(&journal, 0, 2)), (Some(said("uno", true)), Some(said("two", false))));
        assert_eq!(known(&journal, 0, 3), Some(said("three", true)));
    }

    #[test]
    fn a_failed_sync_ends_all_vouching_for_tiles() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path());
        output.put("1.png", b"tile").unwrap();
        let mut journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        journal.add(0, tile(1), b"one", Some("1.png")).unwrap();
        journal.sync().unwrap();
        journal.write_out = |root, _| Err(PublishError::Io(root.to_owned(), io::Error::from_raw_os_error(5)));
        journal.add(0, tile(2), b"two", Some("1.png")).unwrap();
        assert!(journal.sync().is_err());
        // The system has reported the failure once, and reports it no more.
        journal.write_out = sync::files;
        journal.add(0, tile(3), b"three", Some("1.png")).unwrap();
        assert!(journal.sync().is_err(), "a later batch would vouch for the lost one, too");
        drop(journal);
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!((known(&journal, 0, 1), known(&journal, 0, 2)), (Some(said("one", true)), Some(said("two", false))));
        assert_eq!(known(&journal, 0, 3), Some(said("three", false)));
    }

    #[test]
    fn a_finished_run_leaves_one_entry_for_each_tile() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path());
        let add = |layers: &[LayerKey], xs: std::ops::Range<i32>, says: &[u8]| {
            let journal = Journal::open(&output, layers.to_vec()).unwrap();
            for (layer, x) in (0..layers.len()).flat_map(|layer| xs.clone().map(move |x| (layer, x))) {
                journal.add(layer, tile(x), says, None).unwrap();
            }
        };
        add(&LAYERS, 0..3, b"one");
        assert_eq!(finish(&output, &LAYERS, |_| true), [(0, 0), (0, 2), (1, 0), (1, 2)]);
        add(&LAYERS, 0..3, b"two");
        finish(&output, &LAYERS, |tile| tile.x < 2);
        assert!(!output.state(JOURNAL_FILE).exists());
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!((journal.len(), known(&journal, 0, 1)), (4, Some(said("two", true))));
        // Entries of layers that a run does not draw stay, those of other options go, and both are found.
        let other = [LayerKey { layer: 8, options: 2 }];
        add(&other, 9..10, b"new");
        assert_eq!(finish(&output, &other, |_| true), [(0, 0), (0, 9)]);
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!((journal.len(), known(&journal, 0, 1)), (2, Some(said("two", true))));
        let state = || std::fs::read(output.state(STATE_FILE)).unwrap();
        let before = state();
        finish(&output, &LAYERS[..1], |_| true);
        assert_eq!(state(), before, "nothing was added and nothing goes");
        finish(&output, &LAYERS[..1], |tile| tile.x == 7);
        assert!(!state().windows(3).any(|part| part == b"two"), "what goes is not kept");
    }

    #[test]
    fn records_of_a_killed_run_outlive_other_layers() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path());
        output.put("1.png", b"tile").unwrap();
        let killed = Journal::open(&output, LAYERS.to_vec()).unwrap();
        killed.add(1, tile(1), b"sure", Some("1.png")).unwrap();
        killed.sync().unwrap();
        killed.add(1, tile(1), b"later", None).unwrap();
        killed.add(1, tile(2), b"unsure", None).unwrap();
        drop(killed);
        for _ in 0..2 {
            let one = Journal::open(&output, LAYERS[..1].to_vec()).unwrap();
            one.add(0, tile(1), b"three", Some("1.png")).unwrap();
            one.sync().unwrap();
            drop(one);
            assert_eq!(finish(&output, &LAYERS[..1], |_| true), []);
            let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
            let all: Vec<_> = journal.find_all(1, tile(1)).map(|known| known.unwrap().says).collect();
            assert_eq!(all, [b"later".to_vec(), b"sure".to_vec()]);
            assert_eq!(
                [known(&journal, 1, 1), known(&journal, 1, 2)],
                [said("later", false), said("unsure", false)].map(Some)
            );
        }
        assert_eq!(finish(&output, &LAYERS[1..], |_| true), [(0, 2)]);
    }

    #[test]
    fn a_torn_journal_continues_at_its_whole_part() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path());
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        journal.add(0, tile(1), b"one", None).unwrap();
        journal.add(0, tile(2), b"two", None).unwrap();
        drop(journal);
        let path = output.state(JOURNAL_FILE);
        let bytes = std::fs::read(&path).unwrap();
        let cut = |len: u64| File::options().write(true).open(&path).unwrap().set_len(len).unwrap();
        cut(bytes.len() as u64 - 1);
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!((known(&journal, 0, 1), known(&journal, 0, 2)), (Some(said("one", false)), None));
        journal.add(0, tile(3), b"three", None).unwrap();
        drop(journal);
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!(
            (known(&journal, 0, 1), known(&journal, 0, 3)),
            (Some(said("one", false)), Some(said("three", false)))
        );
        drop(journal);
        cut(5);
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert!(journal.is_empty());
        journal.add(0, tile(4), b"four", None).unwrap();
        drop(journal);
        assert_eq!(known(&Journal::open(&output, LAYERS.to_vec()).unwrap(), 0, 4), Some(said("four", false)));
    }
}
