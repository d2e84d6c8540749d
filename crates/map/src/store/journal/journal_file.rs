//! The records of the tiles in an output folder, which are kept from one run to the next.
//!
//! The journal is one file in the state folder. While tiles are drawn, each tile's entry is added
//! before the tile takes its place. A run that finishes [makes a new
//! journal](mod@crate::store::journal::compact) without the entries that no later run needs. If a
//! tile has two entries, the later one counts. The journal may be missing, torn or of another
//! version, and then tiles without a record are drawn again. But if it exists and cannot be read,
//! the run fails, because without its records the run could not preserve the pixels of chunks that
//! have been damaged since.
//!
//! A new entry is [unsure](JournalRecord::sure), because the run may be killed before the tile
//! takes its place, and because after a power cut the disk may have the entry but not the tile. A
//! run that finishes syncs all tiles to the disk before its new journal takes its place, so that
//! journal marks them as sure.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::PathBuf;
use std::sync::Mutex;

use crate::store::error::PublishError;
use crate::store::folder::output::Output;
use crate::store::journal::blocks::JournalBlocks;
use crate::store::journal::entry::{
    EntryPosition, FIRST_LINE, JournalEntry, LayerKey, MAX_RECORD, each_entry,
};
use pixelmap_base::coord::TilePos;
use pixelmap_base::disk::if_there;
use pixelmap_base::mutex;
use pixelmap_base::own_folder::Place;
use pixelmap_base::own_folder::changes::write_at;

pub(crate) const JOURNAL_FILE: &str = "journal";

/// The record that an earlier run made of a tile.
#[derive(Debug)]
pub struct JournalRecord<T> {
    /// The entry's number among the entries that existed when this run started.
    pub number: usize,
    /// Whether the tile is known to have taken its place and reached the disk.
    pub sure: bool,
    /// The meaning of the bytes of the record.
    pub value: T,
}

/// The journal of an output folder.
#[derive(Debug)]
pub struct Journal<'a> {
    output: &'a Output,
    place: Place,
    path: PathBuf,
    layers: Vec<LayerKey>,
    /// The file that existed when this run started.
    before: Option<File>,
    blocks: JournalBlocks,
    /// The entries that existed when this run started, sorted by layer, tile and age.
    positions: Vec<EntryPosition>,
    added: Mutex<AddedEntries>,
}

/// The file to which entries are added. It is opened when the first entry is added.
#[derive(Debug)]
struct AddedEntries {
    file: Option<File>,
    /// The offset after the last whole entry of the file.
    end: u64,
}

impl<'a> Journal<'a> {
    /// Opens the journal and finds the entries of these layers.
    ///
    /// # Errors
    /// The journal exists and cannot be read.
    pub fn open(output: &'a Output, layers: Vec<LayerKey>) -> Result<Self, PublishError> {
        let place = output.state(JOURNAL_FILE)?;
        let path = place.path();
        let before = if_there(place.open()).map_err(PublishError::io(&path))?;

        let mut positions = Vec::new();
        let mut end = 0;
        if let Some(file) = &before {
            let read = each_entry(BufReader::new(file), |entry, at| {
                let layer = layers.iter().position(|wanted| *wanted == entry.layer);
                if let Some(layer) = layer {
                    positions.push(EntryPosition {
                        tile: entry.tile,
                        layer: layer as u32,
                        at,
                        sure: entry.sure,
                    });
                }
            });
            end = read.map_err(PublishError::io(&path))?;
        }

        positions.sort_unstable_by_key(|position| {
            (
                EntryPosition::order(position.layer, position.tile),
                position.at,
            )
        });
        positions.shrink_to_fit();

        let added = Mutex::new(AddedEntries { file: None, end });
        Ok(Self {
            output,
            place,
            path,
            layers,
            before,
            blocks: JournalBlocks::default(),
            positions,
            added,
        })
    }

    /// Returns the layers whose records can be found, in the order of their numbers.
    pub fn layers(&self) -> &[LayerKey] {
        &self.layers
    }

    /// Returns how many entries existed for these layers when this run started.
    pub fn count(&self) -> usize {
        self.positions.len()
    }

    /// Returns the newest record that a tile of the layer with this number had when this run
    /// started. `parse` gets its bytes.
    ///
    /// # Errors
    /// The record cannot be read.
    pub fn find<T>(
        &self,
        layer: usize,
        tile: TilePos,
        parse: impl Fn(&[u8]) -> T,
    ) -> Result<Option<JournalRecord<T>>, PublishError> {
        self.find_all(layer, tile, parse).next().transpose()
    }

    /// Returns all records that the tile had when this run started, newest first. There may be more
    /// than one, because only a run that finishes drops the older ones.
    pub fn find_all<T>(
        &self,
        layer: usize,
        tile: TilePos,
        parse: impl Fn(&[u8]) -> T,
    ) -> impl Iterator<Item = Result<JournalRecord<T>, PublishError>> {
        let wanted = EntryPosition::order(layer as u32, tile);
        let start = self.positions.partition_point(|position| {
            EntryPosition::order(position.layer, position.tile) < wanted
        });
        let of_it = self.positions[start..]
            .iter()
            .take_while(|position| (position.layer, position.tile) == (layer as u32, tile))
            .count();

        (start..start + of_it)
            .rev()
            .filter_map(move |number| self.known(number, &parse).transpose())
    }

    fn known<T>(
        &self,
        number: usize,
        parse: impl Fn(&[u8]) -> T,
    ) -> Result<Option<JournalRecord<T>>, PublishError> {
        let (&EntryPosition { at, sure, .. }, Some(file)) = (&self.positions[number], &self.before)
        else {
            return Ok(None);
        };

        let value = self
            .blocks
            .read_entry(file, at, |bytes| {
                JournalEntry::from_bytes(bytes).map(|entry| parse(entry.payload))
            })
            .map_err(PublishError::io(&self.path))?;

        Ok(value.flatten().map(|value| JournalRecord {
            number,
            sure,
            value,
        }))
    }

    /// Adds a record of a tile; call this before the tile takes its place. A record that is too
    /// long to be read again is written empty, so that the tile is drawn again and all later
    /// entries can still be read. In a folder that this run does not hold, nothing is written.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn add(&self, layer: usize, tile: TilePos, payload: &[u8]) -> Result<(), PublishError> {
        let (true, Some(&layer)) = (self.output.is_held(), self.layers.get(layer)) else {
            return Ok(());
        };

        let payload = if payload.len() > MAX_RECORD {
            &[]
        } else {
            payload
        };

        let entry = JournalEntry {
            layer,
            tile,
            payload,
            sure: false,
        }
        .bytes();
        let mut added = mutex::lock(&self.added);

        self.write(&mut added, &entry)
            .map_err(PublishError::io(&self.path))
    }

    fn write(&self, added: &mut AddedEntries, entry: &[u8]) -> io::Result<()> {
        let AddedEntries { file, end } = added;
        if file.is_none() {
            let file = file.insert(self.place.open_to_write()?);
            // Cuts off an entry that an earlier run left torn, or the whole file if its format
            // cannot be read.
            file.set_len(*end)?;
            if *end == 0 {
                write_at(&self.path, file, FIRST_LINE, 0)?;
                *end = FIRST_LINE.len() as u64;
            }
        }

        if let Some(file) = file {
            write_at(&self.path, file, entry, *end)?;
            *end += entry.len() as u64;
        }

        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::store::commit::file_changes::Commit;
    use crate::store::folder::identity::Identity;
    use crate::store::journal::compact::CompletedLayers;
    use crate::store::journal::compact::compact;

    const LAYERS: [LayerKey; 2] = [
        LayerKey {
            layer: 7,
            options: 1,
        },
        LayerKey {
            layer: 8,
            options: 1,
        },
    ];

    fn output(folder: &Path) -> Output {
        let world = Identity {
            name: "w".to_owned(),
            spawn: None,
            path: folder.join("world"),
        };
        Output::open(&folder.join("map"), &world, &[]).unwrap()
    }

    const fn tile(x: i32) -> TilePos {
        TilePos { zoom: 17, x, y: 0 }
    }

    /// Ends a run over these layers, keeping the tiles that `stays` selects. Returns the recorded
    /// tiles that are not published.
    fn finish(
        output: &Output,
        layers: &[LayerKey],
        stays: fn(TilePos) -> bool,
    ) -> Vec<(usize, i32)> {
        let mut commit = Commit::new(output);
        let finished = CompletedLayers {
            layers,
            stays: &|_, tile| stays(tile),
            is_published: &|_, tile| tile.x == 1,
        };
        let compacted = compact(output, &finished, &mut commit).unwrap();
        commit.carry_out().unwrap();

        compacted
            .strays
            .into_iter()
            .map(|(layer, tile)| (layer, tile.x))
            .collect()
    }

    /// Returns the record of a tile, and whether it is sure.
    fn known(journal: &Journal<'_>, layer: usize, x: i32) -> Option<(String, bool)> {
        let known = journal.find(layer, tile(x), text).unwrap()?;
        Some((known.value, known.sure))
    }

    fn text(payload: &[u8]) -> String {
        String::from_utf8(payload.to_vec()).unwrap()
    }

    fn said(payload: &str, sure: bool) -> (String, bool) {
        (payload.to_owned(), sure)
    }

    #[test]
    fn a_record_is_unsure_until_its_run_ends() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path());
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        journal.add(0, tile(1), b"one").unwrap();
        journal.add(1, tile(1), &[b'x'; 2000]).unwrap();

        assert_eq!(
            known(&journal, 0, 1),
            None,
            "only what was known at the start"
        );

        drop(journal);
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!(known(&journal, 0, 1), Some(said("one", false)));
        assert_eq!(known(&journal, 1, 1), Some(said(&"x".repeat(2000), false)));
        drop(journal);
        finish(&output, &LAYERS, |_| true);

        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!(known(&journal, 0, 1), Some(said("one", true)));
        journal.add(0, tile(1), b"uno").unwrap();
        drop(journal);
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!(known(&journal, 0, 1), Some(said("uno", false)));

        let all: Vec<_> = journal
            .find_all(0, tile(1), text)
            .map(|known| known.unwrap().sure)
            .collect();
        assert_eq!(all, [false, true]);
    }

    #[test]
    fn records_too_long_to_read_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path());
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        journal.add(0, tile(1), &vec![0; MAX_RECORD + 1]).unwrap();
        journal.add(0, tile(2), &vec![b'x'; MAX_RECORD]).unwrap();
        journal.add(0, tile(3), b"behind").unwrap();
        drop(journal);

        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!(known(&journal, 0, 1), Some(said("", false)));
        assert_eq!(
            known(&journal, 0, 2).map(|(text, _)| text.len()),
            Some(MAX_RECORD)
        );
        assert_eq!(known(&journal, 0, 3), Some(said("behind", false)));
    }

    #[test]
    fn a_finished_run_leaves_one_entry_per_tile() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path());

        let add = |layers: &[LayerKey], xs: std::ops::Range<i32>, payload: &[u8]| {
            let journal = Journal::open(&output, layers.to_vec()).unwrap();
            for (layer, x) in
                (0..layers.len()).flat_map(|layer| xs.clone().map(move |x| (layer, x)))
            {
                journal.add(layer, tile(x), payload).unwrap();
            }
        };

        add(&LAYERS, 0..3, b"one");
        assert_eq!(
            finish(&output, &LAYERS, |_| true),
            [(0, 0), (0, 2), (1, 0), (1, 2)]
        );

        add(&LAYERS, 0..3, b"two");
        finish(&output, &LAYERS, |tile| tile.x < 2);
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!(
            (journal.count(), known(&journal, 0, 1)),
            (4, Some(said("two", true)))
        );

        // A run keeps the entries of layers that it does not draw, and drops entries with other
        // options. The unpublished tiles of its own layers are reported with either options.
        let other = [LayerKey {
            layer: 8,
            options: 2,
        }];
        add(&other, 9..10, b"new");
        assert_eq!(finish(&output, &other, |_| true), [(0, 0), (0, 9)]);

        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!(
            (journal.count(), known(&journal, 0, 1)),
            (2, Some(said("two", true)))
        );

        let state = || std::fs::read(output.state(JOURNAL_FILE).unwrap().path()).unwrap();
        let before = state();
        finish(&output, &LAYERS[..1], |_| true);
        assert_eq!(state(), before, "nothing was added and nothing goes");
        std::fs::write(
            output.state(JOURNAL_FILE).unwrap().path(),
            [&before[..], b"torn"].concat(),
        )
        .unwrap();

        finish(&output, &LAYERS[..1], |_| true);
        assert_eq!(state(), before, "a torn entry goes");
        finish(&output, &LAYERS[..1], |tile| tile.x == 7);
        assert!(
            !state().windows(3).any(|part| part == b"two"),
            "what goes is not kept"
        );
    }

    #[test]
    fn records_of_a_killed_run_outlive_other_layers() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path());
        let add = |layer: usize, x: i32, payload: &[u8]| {
            Journal::open(&output, LAYERS.to_vec())
                .unwrap()
                .add(layer, tile(x), payload)
                .unwrap();
        };

        add(1, 1, b"sure");
        finish(&output, &LAYERS[1..], |_| true);
        add(1, 1, b"later");
        add(1, 2, b"unsure");

        for _ in 0..2 {
            add(0, 1, b"three");
            assert_eq!(finish(&output, &LAYERS[..1], |_| true), []);

            let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
            let all = journal
                .find_all(1, tile(1), text)
                .map(|known| known.unwrap());
            let all: Vec<_> = all.map(|known| (known.value, known.sure)).collect();
            assert_eq!(all, [said("later", false), said("sure", true)]);
            assert_eq!(known(&journal, 1, 2), Some(said("unsure", false)));
        }

        assert_eq!(finish(&output, &LAYERS[1..], |_| true), [(0, 2)]);
    }

    #[test]
    fn a_torn_journal_continues_at_its_whole_part() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path());
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        journal.add(0, tile(1), b"one").unwrap();
        journal.add(0, tile(2), b"two").unwrap();
        drop(journal);
        let path = output.state(JOURNAL_FILE).unwrap().path();
        let bytes = std::fs::read(&path).unwrap();

        let cut = |len: u64| {
            File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_len(len)
                .unwrap();
        };

        cut(bytes.len() as u64 - 1);
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!(
            (known(&journal, 0, 1), known(&journal, 0, 2)),
            (Some(said("one", false)), None)
        );

        journal.add(0, tile(3), b"three").unwrap();
        drop(journal);
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!(
            (known(&journal, 0, 1), known(&journal, 0, 3)),
            (Some(said("one", false)), Some(said("three", false)))
        );

        drop(journal);
        cut(5);
        let journal = Journal::open(&output, LAYERS.to_vec()).unwrap();
        assert_eq!(journal.count(), 0);
        journal.add(0, tile(4), b"four").unwrap();

        drop(journal);
        assert_eq!(
            known(&Journal::open(&output, LAYERS.to_vec()).unwrap(), 0, 4),
            Some(said("four", false))
        );
    }
}
