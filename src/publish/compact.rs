//! The journal's compaction: a run that comes to its end makes one new `state` of all that is recorded.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};

use super::entry::{Entry, FIRST_LINE, IN_JOURNAL, Place, UNSURE, each_tile, parse, read_entry};
use super::files::{if_there, open_file};
use super::journal::{JOURNAL_FILE, STATE_FILE};
use super::{Commit, LayerKey, Output, PublishError, STATE};
use crate::coord::TilePos;

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

/// Adds the new state to a commit. Returns the tiles of the finished layers that some run recorded and that are not
/// published, by layer number. Of the finished layers, the last entry of each tile stays. Of all other layers, every
/// entry stays: a run that was killed may have left entries that the next run of the layer needs.
///
/// # Errors
/// The records cannot be read, or the new state cannot be written.
pub fn compact(
    output: &Output,
    finished: &Finished<'_>,
    commit: &mut Commit<'_>,
) -> Result<BTreeSet<(usize, TilePos)>, PublishError> {
    let [state, journal] = [STATE_FILE, JOURNAL_FILE].map(|name| output.state(name));
    let open = |path| if_there(open_file(path)).map_err(PublishError::io(path));
    let files = [open(&state)?, open(&journal)?];
    let Entries { mut places, layers, strays, mut has_outdated } =
        Entries::read(&files, finished).map_err(PublishError::io(&state))?;
    let is_finished = |place: &Place| finished.layers.contains(&layers[place.layer as usize]);
    places.sort_unstable_by_key(|place| {
        let LayerKey { layer, options } = layers[place.layer as usize];
        (layer, options, place.tile, place.at & !UNSURE)
    });
    // The first of each is kept: so the later one comes first.
    places.reverse();
    let all = places.len();
    places.dedup_by(|earlier, later| (earlier.layer, earlier.tile) == (later.layer, later.tile) && is_finished(later));
    places.reverse();
    has_outdated |= places.len() < all;
    if files[1].is_some() || has_outdated {
        commit.put_stream(&format!("{STATE}/{STATE_FILE}"), |out| {
            let mut out = BufWriter::new(out);
            out.write_all(FIRST_LINE)?;
            for place in &places {
                out.write_all(&bytes_of(&files, place, is_finished(place))?)?;
            }
            out.flush()
        })?;
        commit.remove(&format!("{STATE}/{JOURNAL_FILE}"))?;
    }
    Ok(strays)
}

/// The bytes of an entry in the new state. This run has synced every tile of the finished layers.
fn bytes_of(files: &[Option<File>; 2], place: &Place, is_finished: bool) -> io::Result<Vec<u8>> {
    let file = files[usize::from(place.at & IN_JOURNAL != 0)].as_ref();
    let entry = file.map(|file| read_entry(file, place.at & !(IN_JOURNAL | UNSURE))).transpose()?.flatten();
    let entry = entry.ok_or(io::ErrorKind::UnexpectedEof)?;
    match parse(&entry) {
        Some(Entry::Tile(key, says, _)) => Ok(Entry::Tile(key, says, is_finished || place.at & UNSURE == 0).bytes()),
        _ => Ok(entry),
    }
}

/// The entries of both files.
struct Entries {
    places: Vec<Place>,
    /// By the numbers in `places`.
    layers: Vec<LayerKey>,
    strays: BTreeSet<(usize, TilePos)>,
    /// Some entries are not kept.
    has_outdated: bool,
}

impl Entries {
    fn read(files: &[Option<File>; 2], finished: &Finished<'_>) -> io::Result<Self> {
        let (mut places, mut layers) = (Vec::<Place>::new(), Vec::<LayerKey>::new());
        let (mut strays, mut has_outdated) = (BTreeSet::new(), false);
        for (file, flag) in files.iter().zip([0, IN_JOURNAL]) {
            let Some(file) = file else { continue };
            let first = places.len();
            let extent = each_tile(file, |key, at, is_sure| {
                let layer = LayerKey { layer: key.layer, options: key.options };
                if let Some(number) = finished.layers.iter().position(|other| other.layer == layer.layer) {
                    if !(finished.is_published)(number, key.tile) {
                        strays.insert((number, key.tile));
                    }
                    if finished.layers[number] != layer || !(finished.stays)(number, key.tile) {
                        has_outdated = true;
                        return;
                    }
                }
                let number = layers.iter().rposition(|other| *other == layer).unwrap_or_else(|| {
                    layers.push(layer);
                    layers.len() - 1
                });
                let unsure = if is_sure { 0 } else { UNSURE };
                places.push(Place { tile: key.tile, layer: number as u32, at: at | flag | unsure });
            })?;
            extent.mark_unsure(&mut places[first..], flag);
        }
        Ok(Self { places, layers, strays, has_outdated })
    }
}
