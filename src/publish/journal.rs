//! What is known of the tiles that stand in an output folder, from run to run.
//!
//! Two files of the same form in the state folder: `state`, in order, from the last run that came to its end, and
//! `journal`, to which entries are added as tiles are finished. A good end makes a new `state` of both and puts it in
//! place by rename. Of two entries for a tile the later one counts. Either file may be missing, torn or of another
//! version: what is not known is drawn. One that is there and cannot be read is not taken for missing: by it pixels are
//! kept of what is damaged now.
//!
//! After a kill everything that was written is still there, but after a power cut an entry may have reached the disk and
//! its tile not. So tiles are synced in batches of seconds, and an entry of the journal says so; what stands behind the
//! last such entry is [unsure](Known::sure) until somebody has looked at the tile itself.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::frame::{Entry, Extent, FIRST_LINE, IN_JOURNAL, Key, Place, each_tile, read_entry, says};
use super::output::{if_there, open_file, open_to_write};
use super::settle::{self, Others};
use super::{Output, PublishError, staged, sync};
use crate::at::write_all_at;
use crate::coord::TilePos;

const STATE_FILE: &str = "state";
const JOURNAL_FILE: &str = "journal";
/// Set in the place of an entry whose tile may not have reached the disk.
const UNSURE: u64 = 1 << 62;
/// Tiles are synced so often, or more seldom where that takes long: it costs a fiftieth of the time at most.
const SYNC_EVERY: Duration = Duration::from_secs(2);
const SYNC_SHARE: u32 = 50;
/// The most tiles that wait to be synced.
const MAX_WAITING: usize = 4096;

/// One layer of one dimension, and what decides its pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerKey {
    /// The dimension and the layer, as a hash of their path.
    pub layer: u64,
    /// Everything beside the world that decides a pixel, as a hash.
    pub options: u64,
}

/// What an earlier run knew of a tile.
#[derive(Debug)]
pub struct Known {
    /// The entry's number among those known at the start, for those who keep something by it.
    pub number: usize,
    /// Whether the tile that it names has reached the disk.
    pub sure: bool,
    /// What was said of it.
    pub says: Vec<u8>,
}

/// The journal of an output folder.
#[derive(Debug)]
pub struct Journal<'a> {
    output: &'a Output,
    pub(super) path: PathBuf,
    layers: Vec<LayerKey>,
    state: Option<File>,
    /// The journal as it was at the start.
    before: Option<File>,
    /// In the order of layers and tiles.
    places: Vec<Place>,
    /// Whether the state holds entries of these layers with other options.
    has_others: bool,
    added: Mutex<Added>,
    /// Held by whoever syncs, so that nobody else does.
    syncing: Mutex<()>,
    /// How tiles are brought to the disk: [`sync::files`], but where a test has the disk fail.
    write_out: fn(&Path, &[PathBuf]) -> Result<(), PublishError>,
}

/// The file that entries are added to, and the tiles that they name and nobody has synced.
#[derive(Debug)]
struct Added {
    file: Option<File>,
    /// Where this run's entries begin, and where they end.
    start: u64,
    end: u64,
    waiting: Vec<PathBuf>,
    next_sync: Instant,
    /// Whether the system could not write a tile to the disk: it says so once, and nobody knows of which.
    is_lost: bool,
}

impl<'a> Journal<'a> {
    /// Reads what is known of these layers.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub fn open(output: &'a Output, layers: Vec<LayerKey>) -> Result<Self, PublishError> {
        let path = output.state(STATE_FILE);
        let state = open(&path).map_err(PublishError::io(&path))?;
        Self::read(output, layers, state, output.state(JOURNAL_FILE))
    }

    /// Reads what is known of tiles of these layers that wait beside the map. It is of them alone: all of it counts when
    /// they take their places.
    ///
    /// # Errors
    /// As [`Journal::open`].
    pub fn open_staged(output: &'a Output, layers: Vec<LayerKey>) -> Result<Self, PublishError> {
        let path = output.state(&staged::journal_of(&layers));
        Self::read(output, layers, None, path)
    }

    fn read(
        output: &'a Output,
        layers: Vec<LayerKey>,
        state: Option<File>,
        path: PathBuf,
    ) -> Result<Self, PublishError> {
        let journal = open(&path).map_err(PublishError::io(&path))?;
        let mut places = Vec::new();
        let mut read = |file: &Option<File>, flag: u64, path: &Path| match file {
            Some(file) => read_places(file, &layers, flag, &mut places).map_err(PublishError::io(path)),
            None => Ok((0, false)),
        };
        let (_, has_others) = read(&state, 0, &output.state(STATE_FILE))?;
        let (end, _) = read(&journal, IN_JOURNAL, &path)?;
        // The later of two is the one further on, and the journal is further on than the state.
        places.sort_unstable_by_key(|place| (place.layer, place.tile, place.at & !UNSURE));
        places.shrink_to_fit();
        let next_sync = Instant::now() + SYNC_EVERY;
        let added = Added { file: None, start: end, end, waiting: Vec::new(), next_sync, is_lost: false };
        let (added, syncing) = (Mutex::new(added), Mutex::default());
        let write_out = sync::files;
        Ok(Self { output, path, layers, state, before: journal, places, has_others, added, syncing, write_out })
    }

    /// How many entries are known.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn added(&self) -> MutexGuard<'_, Added> {
        self.added.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was known at the start of a tile of the layer with this number.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn find(&self, layer: usize, tile: TilePos) -> Result<Option<Known>, PublishError> {
        self.find_all(layer, tile).next().transpose()
    }

    /// The same, and then what was said before: runs that did not come to their end leave more than one entry.
    pub fn find_all(&self, layer: usize, tile: TilePos) -> impl Iterator<Item = Result<Known, PublishError>> {
        let wanted = (layer as u32, tile);
        let start = self.places.partition_point(|place| (place.layer, place.tile) < wanted);
        let of_it = self.places[start..].iter().take_while(move |place| (place.layer, place.tile) == wanted).count();
        (start..start + of_it).rev().filter_map(|number| self.known(number).transpose())
    }

    fn known(&self, number: usize) -> Result<Option<Known>, PublishError> {
        let at = self.places[number].at;
        let start = at & !(IN_JOURNAL | UNSURE);
        let in_journal = at & IN_JOURNAL != 0;
        let Some(file) = (if in_journal { &self.before } else { &self.state }) else { return Ok(None) };
        let path = || if in_journal { self.path.clone() } else { self.output.state(STATE_FILE) };
        let entry = read_entry(file, start).map_err(|error| PublishError::Io(path(), error))?;
        let says = entry.as_deref().and_then(says).map(<[u8]>::to_vec);
        Ok(says.map(|says| Known { number, sure: at & UNSURE == 0, says }))
    }

    /// Adds what is known now of a tile, whose file is at `path` in the folder, if it has one.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn add(&self, layer: usize, tile: TilePos, says: &[u8], path: Option<&str>) -> Result<(), PublishError> {
        let Some(&LayerKey { layer, options }) = self.layers.get(layer).filter(|_| self.output.is_held()) else {
            return Ok(());
        };
        let entry = Entry::Tile(Key { layer, options, tile }, says).bytes();
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

    /// Whoever calls this has seen that an [unsure](Known::sure) tile is whole: it is synced with the next batch.
    pub fn wait_for(&self, path: &str) {
        self.added().waiting.push(self.output.root().join(path));
    }

    /// The tiles of the layer with this number that runs wrote which did not come to their end, with whatever options.
    ///
    /// # Errors
    /// That cannot be read.
    pub fn left_behind(&self, layer: usize) -> Result<Vec<TilePos>, PublishError> {
        let (mut tiles, Some(file)) = (Vec::new(), &self.before) else { return Ok(Vec::new()) };
        each_tile(file, |key, _, _| {
            if key.layer == self.layers[layer].layer {
                tiles.push(key.tile);
            }
        })
        .map_err(PublishError::io(&self.path))?;
        Ok(tiles)
    }

    /// Adds what the journal at `from` says, of tiles that stand in their places now, and returns when all of that is on
    /// the disk.
    pub(super) fn take(&self, from: &Path, tiles: Vec<PathBuf>) -> Result<(), PublishError> {
        let failed = |error| PublishError::io(from)(error);
        if let Some(file) = open(from).map_err(failed)? {
            let mut places = Vec::new();
            each_tile(&file, |_, at, _| places.push(at)).map_err(failed)?;
            for at in places {
                if let Some(entry) = read_entry(&file, at).map_err(failed)? {
                    self.write(&mut self.added(), &entry)?;
                }
            }
        }
        self.added().waiting.extend(tiles);
        self.sync()
    }

    fn write(&self, added: &mut Added, entry: &[u8]) -> Result<(), PublishError> {
        let path = &self.path;
        let write = |added: &mut Added| -> io::Result<()> {
            if added.file.is_none() {
                if let Some(folder) = path.parent() {
                    std::fs::create_dir_all(folder)?;
                }
                let file = open_to_write(path)?;
                // What an earlier run left there torn, or all of it where nothing is understood.
                file.set_len(added.end)?;
                if added.end == 0 {
                    write_all_at(&file, FIRST_LINE, 0)?;
                    (added.start, added.end) = (FIRST_LINE.len() as u64, FIRST_LINE.len() as u64);
                }
                added.file = Some(file);
            }
            let Some(file) = &added.file else { return Ok(()) };
            write_all_at(file, entry, added.end)?;
            added.end += entry.len() as u64;
            Ok(())
        };
        write(added).map_err(PublishError::io(path))
    }

    /// Returns when all tiles that were added stand on the disk itself, and notes it.
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
        // What was added while the others were synced is not among them.
        let synced = Entry::Synced(added.start, end);
        self.write(&mut added, &synced.bytes())
    }

    /// Makes the new state of what was known and what was added; `stays` says of the tiles of these layers which are
    /// still part of the map. What is known of other layers stays, and what the journal says of them stays in it: runs that
    /// did not come to their end have left it, which the next one that draws them is to know.
    ///
    /// # Errors
    /// The state or the journal cannot be written; then the old one still stands.
    pub fn close(self, stays: impl Fn(usize, TilePos) -> bool) -> Result<(), PublishError> {
        self.sync()?;
        let Self { output, path: of_journal, layers, state, before, places, has_others, added, .. } = self;
        let journal = open(&of_journal).map_err(PublishError::io(&of_journal))?;
        let number = |key: Key| layers.iter().position(|layer| layer.layer == key.layer);
        let others =
            Others::of(journal.as_ref(), |key| number(key).is_some()).map_err(PublishError::io(&of_journal))?;
        let is_outdated = || has_others || places.iter().any(|place| !stays(place.layer as usize, place.tile));
        if (journal.is_none() || others.are_all()) && !is_outdated() {
            return Ok(());
        }
        drop(places);
        // Of these layers this run has looked at every tile.
        let is_kept = |key: Key, in_state| {
            number(key).map_or(in_state, |at| layers[at].options == key.options && stays(at, key.tile))
        };
        let path = output.state(STATE_FILE);
        let new = settle::latest(state.as_ref(), journal.as_ref(), is_kept)
            .and_then(|latest| latest.write(output.temporary_file()?))
            .map_err(PublishError::io(&path))?;
        let rest = match &journal {
            Some(journal) if !others.is_empty() => {
                let write = output.temporary_file().and_then(|file| others.write(journal, file));
                Some(write.map_err(PublishError::io(&of_journal))?)
            }
            _ => None,
        };
        // Not every system replaces or removes a file that is open.
        drop((state, journal, before, added));
        new.persist(&path).map_err(|error| PublishError::Io(path, error.error))?;
        match rest {
            Some(rest) => drop(rest.persist(&of_journal).map_err(|error| PublishError::Io(of_journal, error.error))?),
            // Left there it would say nothing new.
            None => drop(std::fs::remove_file(of_journal)),
        }
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<Option<File>> {
    if_there(open_file(path))
}

/// Adds the places of what a file says of these layers; returns the end of its last whole entry, and whether it says
/// something of them with other options.
fn read_places(file: &File, layers: &[LayerKey], flag: u64, places: &mut Vec<Place>) -> io::Result<(u64, bool)> {
    let first = places.len();
    let mut has_others = false;
    let Extent { end, synced } = each_tile(file, |key, at, _| {
        let wanted = LayerKey { layer: key.layer, options: key.options };
        if let Some(layer) = layers.iter().position(|layer| *layer == wanted) {
            places.push(Place { tile: key.tile, layer: layer as u32, at: at | flag });
        } else {
            has_others |= layers.iter().any(|layer| layer.layer == key.layer);
        }
    })?;
    for place in places[first..].iter_mut().filter(|_| flag != 0) {
        if !synced.iter().any(|range| range.contains(&(place.at & !flag))) {
            place.at |= UNSURE;
        }
    }
    Ok((end, has_others))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::Identity;

    const LAYERS: [LayerKey; 2] = [LayerKey { layer: 7, options: 1 }, LayerKey { layer: 8, options: 1 }];

    fn output(folder: &Path) -> Output {
        let world = Identity { name: "w".to_owned(), spawn: None, path: folder.join("world") };
        Output::open(&folder.join("map"), &world, &[]).unwrap()
    }

    const fn tile(x: i32) -> TilePos {
        TilePos { zoom: 17, x, y: 0 }
    }

    /// What is known of a tile, and whether it is sure.
    fn known(journal: &Journal<'_>, layer: usize, x: i32) -> Option<(String, bool)> {
        let known = journal.find(layer, tile(x)).unwrap()?;
        Some((String::from_utf8(known.says).unwrap(), known.sure))
    }

    fn said(says: &str, sure: bool) -> (String, bool) {
        (says.to_owned(), sure)
    }

    #[test]
    fn what_was_added_is_known_after_a_kill_and_sure_once_it_is_synced() {
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
    fn where_a_tile_could_not_be_brought_to_the_disk_nothing_more_is_vouched_for() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path());
        output.put("1.png", b"tile").unwrap();
        let mut journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        journal.add(0, tile(1), b"one", Some("1.png")).unwrap();
        journal.sync().unwrap();
        journal.write_out = |root, _| Err(PublishError::Io(root.to_owned(), io::Error::from_raw_os_error(5)));
        journal.add(0, tile(2), b"two", Some("1.png")).unwrap();
        assert!(journal.sync().is_err());
        // The system has told it and forgotten it.
        journal.write_out = sync::files;
        journal.add(0, tile(3), b"three", Some("1.png")).unwrap();
        assert!(journal.sync().is_err(), "a later batch would vouch for the lost one, too");
        assert!(journal.close(|_, _| true).is_err());
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!((known(&journal, 0, 1), known(&journal, 0, 2)), (Some(said("one", true)), Some(said("two", false))));
        assert_eq!(known(&journal, 0, 3), Some(said("three", false)));
    }

    #[test]
    fn a_good_end_leaves_one_entry_for_each_tile_that_stays() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path());
        for (round, says) in [b"one", b"two"].into_iter().enumerate() {
            let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
            for x in 0..3 {
                journal.add(0, tile(x), says, None).unwrap();
                journal.add(1, tile(x), b"other", None).unwrap();
            }
            journal.close(|_, tile| tile.x < 2 || round == 0).unwrap();
            assert!(!output.state(JOURNAL_FILE).exists());
        }
        // Of layers that a run does not draw everything stays, of other options nothing.
        let journal = Journal::open(&output, vec![LayerKey { layer: 8, options: 2 }]).unwrap();
        assert!(journal.is_empty());
        journal.add(0, tile(9), b"new", None).unwrap();
        journal.close(|_, _| true).unwrap();
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!(journal.len(), 2);
        assert_eq!((known(&journal, 0, 1), known(&journal, 0, 2)), (Some(said("two", true)), None));
        journal.close(|_, _| true).unwrap();
        assert!(Journal::open(&output, vec![LayerKey { layer: 8, options: 2 }]).unwrap().is_empty());
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        let before = std::fs::read(output.state(STATE_FILE)).unwrap();
        journal.close(|_, _| true).unwrap();
        assert_eq!(std::fs::read(output.state(STATE_FILE)).unwrap(), before, "nothing was added and nothing goes");
    }

    #[test]
    fn what_a_killed_run_has_left_of_other_layers_stays_in_the_journal_until_they_are_drawn() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path());
        output.put("1.png", b"tile").unwrap();
        let killed = Journal::open(&output, LAYERS.to_vec()).unwrap();
        killed.add(0, tile(1), b"one", Some("1.png")).unwrap();
        killed.add(1, tile(1), b"sure", Some("1.png")).unwrap();
        killed.sync().unwrap();
        killed.add(1, tile(2), b"unsure", None).unwrap();
        drop(killed);
        for round in 0..2 {
            let one = Journal::open(&output, LAYERS[..1].to_vec()).unwrap();
            one.add(0, tile(3), b"three", Some("1.png")).unwrap();
            one.close(|_, _| true).unwrap();
            let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
            assert_eq!(journal.left_behind(0).unwrap(), [], "{round}: all of it is part of the state");
            assert_eq!(journal.left_behind(1).unwrap(), [tile(1), tile(2)]);
            let of_both = [known(&journal, 0, 1), known(&journal, 0, 3), known(&journal, 1, 1), known(&journal, 1, 2)];
            let said = [said("one", true), said("three", true), said("sure", true), said("unsure", false)];
            assert_eq!(of_both, said.map(Some));
        }
        let files = || [STATE_FILE, JOURNAL_FILE].map(|name| std::fs::read(output.state(name)).unwrap());
        let before = files();
        Journal::open(&output, LAYERS[..1].to_vec()).unwrap().close(|_, _| true).unwrap();
        assert_eq!(files(), before, "nothing was added and nothing goes");
        Journal::open(&output, LAYERS[1..].to_vec()).unwrap().close(|_, _| true).unwrap();
        assert!(!output.state(JOURNAL_FILE).exists());
    }

    #[test]
    fn what_is_no_longer_part_of_the_map_is_not_kept_even_where_nothing_was_added() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path());
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        journal.add(0, tile(1), b"shown", None).unwrap();
        journal.add(0, tile(2), b"secret", None).unwrap();
        journal.close(|_, _| true).unwrap();
        Journal::open(&output, LAYERS.to_vec()).unwrap().close(|_, tile| tile.x == 1).unwrap();
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!((known(&journal, 0, 1), known(&journal, 0, 2)), (Some(said("shown", true)), None));
        let bytes = std::fs::read(output.state(STATE_FILE)).unwrap();
        assert!(!bytes.windows(6).any(|part| part == b"secret"));
    }

    #[test]
    fn a_torn_journal_is_gone_on_with_where_it_is_whole() {
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
