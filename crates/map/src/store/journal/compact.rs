//! Compacts the journal. Entries are only ever added to a journal, so a run that finishes replaces
//! it with a new one, from which it drops the entries that no later run needs.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write as _};

use crate::store::commit::file_changes::Commit;
use crate::store::error::PublishError;
use crate::store::folder::output::Output;
use crate::store::journal::blocks::JournalBlocks;
use crate::store::journal::entry::{EntryPosition, FIRST_LINE, JournalEntry, LayerKey, each_entry};
use crate::store::journal::journal_file::JOURNAL_FILE;
use pixelmap_base::coord::TilePos;
use pixelmap_base::disk::if_there;

/// The layers that a run has completed, and which of their tiles stay.
pub struct CompletedLayers<'a> {
    /// The completed layers, with the options that they were drawn with.
    pub layers: &'a [LayerKey],
    /// Returns whether a tile of the layer with this number is still part of the map.
    pub stays: &'a dyn Fn(usize, TilePos) -> bool,
    /// Returns whether a tile of the layer with this number is published.
    pub is_published: &'a dyn Fn(usize, TilePos) -> bool,
}

impl std::fmt::Debug for CompletedLayers<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompletedLayers")
            .field("layers", &self.layers)
            .finish_non_exhaustive()
    }
}

/// Tiles of the completed layers that the caller must look after, each with its layer's number.
#[derive(Debug, Default)]
pub struct CompactJournal {
    /// Tiles that some run recorded but that are not published.
    pub strays: BTreeSet<(usize, TilePos)>,
    /// Tiles that may not have reached the disk. The new journal already marks them as sure, so
    /// they must be synced before it takes its place.
    pub unsure: Vec<(usize, TilePos)>,
}

/// Adds the new journal to a commit. It contains the last entry of each remaining tile of the
/// completed layers; entries of these layers with other options are dropped. For all other layers
/// it contains every entry, because a killed run may have left entries that the layer's next run
/// needs.
///
/// # Errors
/// The records cannot be read, or the new journal cannot be written.
pub fn compact(
    output: &Output,
    finished: &CompletedLayers<'_>,
    commit: &mut Commit<'_>,
) -> Result<CompactJournal, PublishError> {
    let journal = output.state(JOURNAL_FILE)?;
    let Some(file) = if_there(journal.open()).map_err(PublishError::at(&journal))? else {
        return Ok(CompactJournal::default());
    };

    let KeptEntries {
        mut positions,
        layers,
        strays,
        is_all,
    } = KeptEntries::read(&file, finished).map_err(PublishError::at(&journal))?;

    let finished_number = |position: &EntryPosition| {
        finished
            .layers
            .iter()
            .position(|key| *key == layers[position.layer as usize])
    };

    let count = positions.len();
    // The entries of a region are next to each other, so that a later run reads one block for them,
    // and so that a damaged part of the file costs few regions.
    positions.sort_unstable_by_key(|position| {
        (position.tile, layers[position.layer as usize], position.at)
    });

    // `dedup_by` keeps the first of equal elements, so the order is reversed to keep the newest
    // entry of a tile.
    positions.reverse();
    positions.dedup_by(|earlier, later| {
        (earlier.layer, earlier.tile) == (later.layer, later.tile)
            && finished_number(later).is_some()
    });
    positions.reverse();

    let unsure = positions.iter().filter(|position| !position.sure);
    let unsure: Vec<_> = unsure
        .filter_map(|position| Some((finished_number(position)?, position.tile)))
        .collect();
    if is_all
        && unsure.is_empty()
        && positions.len() == count
        && positions.is_sorted_by_key(|position| position.at)
    {
        // The run added nothing, and the journal is compact already.
        return Ok(CompactJournal { strays, unsure });
    }

    commit.put_stream(&output.state_path(JOURNAL_FILE), |out| {
        let mut out = BufWriter::new(out);
        out.write_all(FIRST_LINE)?;

        let blocks = JournalBlocks::default();
        for position in &positions {
            let sure = position.sure || finished_number(position).is_some();
            let entry = blocks.read_entry(&file, position.at, |bytes| {
                JournalEntry::from_bytes(bytes).map(|entry| JournalEntry { sure, ..entry }.bytes())
            })?;
            out.write_all(&entry.flatten().ok_or(io::ErrorKind::InvalidData)?)?;
        }

        out.flush()
    })?;

    Ok(CompactJournal { strays, unsure })
}

/// The entries that stay. A tile may still have several, because `compact` drops the older ones
/// later.
struct KeptEntries {
    positions: Vec<EntryPosition>,
    /// The layer keys to which the numbers in `positions` refer.
    layers: Vec<LayerKey>,
    strays: BTreeSet<(usize, TilePos)>,
    /// Whether the file has nothing else.
    is_all: bool,
}

impl KeptEntries {
    fn read(file: &File, finished: &CompletedLayers<'_>) -> io::Result<Self> {
        let mut positions = Vec::new();
        let mut layers = Vec::<LayerKey>::new();
        let mut strays = BTreeSet::new();

        let mut is_all = true;
        let end = each_entry(
            BufReader::new(file),
            |JournalEntry {
                 layer, tile, sure, ..
             },
             at| {
                // Several maps in one folder may have the same markers with different options, so
                // an exact match is preferred.
                let exact = finished.layers.iter().position(|other| *other == layer);
                if let Some(number) = exact.or_else(|| {
                    finished
                        .layers
                        .iter()
                        .position(|other| other.layer == layer.layer)
                }) {
                    if !(finished.is_published)(number, tile) {
                        strays.insert((number, tile));
                    }
                    if finished.layers[number] != layer || !(finished.stays)(number, tile) {
                        is_all = false;
                        return;
                    }
                }

                let number = layers
                    .iter()
                    .rposition(|other| *other == layer)
                    .unwrap_or_else(|| {
                        layers.push(layer);
                        layers.len() - 1
                    });

                positions.push(EntryPosition {
                    tile,
                    layer: number as u32,
                    at,
                    sure,
                });
            },
        )?;
        is_all &= end == file.metadata()?.len();

        Ok(Self {
            positions,
            layers,
            strays,
            is_all,
        })
    }
}
