//! The journal's compaction: a run that comes to its end makes a new one, without what no later run needs.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write as _};

use crate::base::coord::TilePos;
use crate::base::disk::if_there;
use crate::store::journal::entry::{EntryPlace, FIRST_LINE, JournalEntry, each_entry, read_entry};
use crate::store::journal::journal_file::JOURNAL_FILE;
use crate::store::{Commit, LayerKey, Output, PublishError};

/// The layers that a run has drawn to their end, and which of their tiles stay.
pub struct Finished<'a> {
    /// The layers, with the options that they were drawn with.
    pub layers: &'a [LayerKey],
    /// Returns whether a tile of the layer with this number is still part of the map.
    pub stays: &'a dyn Fn(usize, TilePos) -> bool,
    /// Returns whether a tile of the layer with this number is published.
    pub is_published: &'a dyn Fn(usize, TilePos) -> bool,
}

impl std::fmt::Debug for Finished<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Finished").field("layers", &self.layers).finish_non_exhaustive()
    }
}

/// Tiles of the finished layers, by layer number.
#[derive(Debug, Default)]
pub struct Compacted {
    /// Tiles that some run recorded and that are not published.
    pub strays: BTreeSet<(usize, TilePos)>,
    /// Tiles that may not have reached the disk; the new journal counts them as if they had.
    pub unsure: Vec<(usize, TilePos)>,
}

/// Adds the new journal to a commit. Of the finished layers, the last entry of each tile stays. Of all other layers,
/// every entry stays: a run that was killed may have left entries that the next run of the layer needs.
///
/// # Errors
/// The records cannot be read, or the new journal cannot be written.
pub fn compact(output: &Output, finished: &Finished<'_>, commit: &mut Commit<'_>) -> Result<Compacted, PublishError> {
    let journal = output.state(JOURNAL_FILE)?;
    let Some(file) = if_there(journal.open()).map_err(PublishError::at(&journal))? else {
        return Ok(Compacted::default());
    };
    let KeptEntries { mut places, layers, strays } =
        KeptEntries::read(&file, finished).map_err(PublishError::at(&journal))?;
    let finished_number =
        |place: &EntryPlace| finished.layers.iter().position(|key| *key == layers[place.layer as usize]);
    places.sort_unstable_by_key(|place| (layers[place.layer as usize], place.tile, place.at));
    // The first of each is kept: so the later one comes first.
    places.reverse();
    places.dedup_by(|earlier, later| {
        (earlier.layer, earlier.tile) == (later.layer, later.tile) && finished_number(later).is_some()
    });
    places.reverse();
    let unsure = places.iter().filter(|place| !place.sure);
    let unsure = unsure.filter_map(|place| Some((finished_number(place)?, place.tile))).collect();
    commit.put_stream(&output.state_path(JOURNAL_FILE), |out| {
        let mut out = BufWriter::new(out);
        out.write_all(FIRST_LINE)?;
        for place in &places {
            let bytes = read_entry(&file, place.at)?.ok_or(io::ErrorKind::UnexpectedEof)?;
            let entry = JournalEntry::from_bytes(&bytes).ok_or(io::ErrorKind::InvalidData)?;
            out.write_all(&JournalEntry { sure: place.sure || finished_number(place).is_some(), ..entry }.bytes())?;
        }
        out.flush()
    })?;
    Ok(Compacted { strays, unsure })
}

/// The entries that stay, however old they are.
struct KeptEntries {
    places: Vec<EntryPlace>,
    /// By the numbers in `places`.
    layers: Vec<LayerKey>,
    strays: BTreeSet<(usize, TilePos)>,
}

impl KeptEntries {
    fn read(file: &File, finished: &Finished<'_>) -> io::Result<Self> {
        let mut places = Vec::new();
        let mut layers = Vec::<LayerKey>::new();
        let mut strays = BTreeSet::new();
        each_entry(BufReader::new(file), |JournalEntry { layer, tile, sure, .. }, at| {
            // Maps of one folder may have the same markers with other options.
            let exact = finished.layers.iter().position(|other| *other == layer);
            if let Some(number) = exact.or_else(|| finished.layers.iter().position(|other| other.layer == layer.layer))
            {
                if !(finished.is_published)(number, tile) {
                    strays.insert((number, tile));
                }
                if finished.layers[number] != layer || !(finished.stays)(number, tile) {
                    return;
                }
            }
            let number = layers.iter().rposition(|other| *other == layer).unwrap_or_else(|| {
                layers.push(layer);
                layers.len() - 1
            });
            places.push(EntryPlace { tile, layer: number as u32, at, sure });
        })?;
        Ok(Self { places, layers, strays })
    }
}
