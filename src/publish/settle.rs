//! What a run that comes to its end makes of all that is known: a new `state`, and a `journal` that has only what runs
//! left of other layers which did not come to theirs.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::ops::Range;

use tempfile::NamedTempFile;

use super::LayerKey;
use super::frame::{Entry, FIRST_LINE, IN_JOURNAL, Key, Place, each_tile, read_entry};
use super::sync;

/// The entries of both files that a new state has, in the order of layers, options and tiles.
#[derive(Debug)]
pub(super) struct Latest<'a> {
    files: [Option<&'a File>; 2],
    places: Vec<Place>,
}

/// What counts of both files: of a tile's entries the last one that `stays`, which is asked whose an entry is and whether
/// the state has it.
///
/// # Errors
/// They cannot be read.
pub(super) fn latest<'a>(
    state: Option<&'a File>,
    journal: Option<&'a File>,
    stays: impl Fn(Key, bool) -> bool,
) -> io::Result<Latest<'a>> {
    let (mut places, mut layers) = (Vec::<Place>::new(), Vec::<LayerKey>::new());
    let files = [state, journal];
    for (file, flag) in files.into_iter().zip([0, IN_JOURNAL]) {
        let Some(file) = file else { continue };
        let mut known = (0, None);
        each_tile(file, |key, at, _| {
            if !stays(key, flag == 0) {
                return;
            }
            let layer = LayerKey { layer: key.layer, options: key.options };
            if known.1 != Some(layer) {
                let number = layers.iter().position(|other| *other == layer).unwrap_or_else(|| {
                    layers.push(layer);
                    layers.len() - 1
                });
                known = (number as u32, Some(layer));
            }
            places.push(Place { tile: key.tile, layer: known.0, at: at | flag });
        })?;
    }
    let order = |place: &Place| {
        let LayerKey { layer, options } = layers[place.layer as usize];
        (layer, options, place.tile, place.at)
    };
    places.sort_unstable_by_key(order);
    // The first of each is kept: so the later one comes first.
    places.reverse();
    places.dedup_by_key(|place| (place.layer, place.tile));
    places.reverse();
    Ok(Latest { files, places })
}

impl Latest<'_> {
    /// Writes the new state to a file, and returns when it is on the disk.
    ///
    /// # Errors
    /// An entry cannot be read, or the file not be written.
    pub(super) fn write(self, to: NamedTempFile<File>) -> io::Result<NamedTempFile<File>> {
        let mut out = BufWriter::new(to);
        out.write_all(FIRST_LINE)?;
        for Place { at, .. } in self.places {
            let Some(file) = self.files[usize::from(at & IN_JOURNAL != 0)] else { continue };
            out.write_all(&whole_entry(file, at & !IN_JOURNAL)?)?;
        }
        sync::written(out)
    }
}

/// What a journal says of layers that a run did not draw: where each entry starts, and whether its tile is synced.
#[derive(Debug)]
pub(super) struct Others {
    entries: Vec<(u64, bool)>,
    has_own: bool,
}

impl Others {
    /// Those of a journal, if there is one, whose entries are not the run's own.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn of(journal: Option<&File>, is_own: impl Fn(Key) -> bool) -> io::Result<Self> {
        let (mut starts, mut has_own) = (Vec::new(), false);
        let mut synced: Vec<Range<u64>> = Vec::new();
        if let Some(journal) = journal {
            let each = |key, at, _| if is_own(key) { has_own = true } else { starts.push(at) };
            synced = each_tile(journal, each)?.synced;
        }
        let is_synced = |at: u64| synced.iter().any(|range| range.contains(&at));
        Ok(Self { entries: starts.into_iter().map(|at| (at, is_synced(at))).collect(), has_own })
    }

    /// Whether the journal has none of them.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the journal has some of them and nothing else.
    pub(super) fn are_all(&self) -> bool {
        !self.is_empty() && !self.has_own
    }

    /// Writes a journal of them alone to a file, in the order of the old one, and returns when it is on the disk.
    ///
    /// # Errors
    /// An entry cannot be read, or the file not be written.
    pub(super) fn write(&self, journal: &File, to: NamedTempFile<File>) -> io::Result<NamedTempFile<File>> {
        let mut out = BufWriter::new(to);
        out.write_all(FIRST_LINE)?;
        let mut end = FIRST_LINE.len() as u64;
        for batch in self.entries.chunk_by(|one, next| one.1 == next.1) {
            let start = end;
            for &(at, _) in batch {
                let entry = whole_entry(journal, at)?;
                out.write_all(&entry)?;
                end += entry.len() as u64;
            }
            if batch[0].1 {
                let synced = Entry::Synced(start, end).bytes();
                out.write_all(&synced)?;
                end += synced.len() as u64;
            }
        }
        sync::written(out)
    }
}

fn whole_entry(file: &File, at: u64) -> io::Result<Vec<u8>> {
    read_entry(file, at)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}
