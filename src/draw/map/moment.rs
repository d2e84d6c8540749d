//! A moment of a map with history: what a run replaces or removes is kept, and listed as what was shown before.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use twox_hash::XxHash3_64;

use crate::atlas::{
    FileRecord, LayerFacts, Manifest, MapFile, Moment, Moments, Past, PastPlace, TileRecord, in_folder, object_path,
    time_text,
};
use crate::base::coord::TilePos;
use crate::draw::error::{MomentError, RenderError};
use crate::draw::map::drawn::DrawnMap;
use crate::draw::map::facts::WorldLabel;
use crate::draw::settings::MomentSettings;
use crate::store::{Commit, Output, PublishError};

/// Checks, before anything is drawn, that the map in `output` can get a moment, if it has history or gets one.
///
/// # Errors
/// The time of the world is unknown, or before that of the last moment.
pub(crate) fn check_moment(
    output: &Output,
    settings: &MomentSettings,
    last_played: impl FnOnce() -> Option<i64>,
) -> Result<(), RenderError> {
    let moments = output.moments().map_err(RenderError::Output)?;
    if moments.is_none() && !settings.begins {
        return Ok(());
    }
    let time = settings.time.or_else(last_played).ok_or(RenderError::Moment(MomentError::NoTime))?;
    let moments = moments.unwrap_or_default();
    match moments.last() {
        Some(last) if time < last.time && !settings.follows => {
            Err(RenderError::Moment(MomentError::Earlier(time_text(time), last.time_text())))
        }
        _ => Ok(()),
    }
}

/// Adds to a commit the moment that it makes of a map with history, or of one whose history begins. To be called when all
/// else is staged.
///
/// # Errors
/// What was shown before cannot be read, or the commit not be written.
pub(crate) fn put_moment(
    output: &Output,
    world: &WorldLabel,
    maps: &[DrawnMap<'_>],
    earlier: Option<&MapFile>,
    facts: &MapFile,
    commit: &mut Commit<'_>,
) -> Result<(), PublishError> {
    let Some(settings) = maps.first().map(|map| map.publishing.moment) else { return Ok(()) };
    let time = settings.time.or(world.last_played).unwrap_or_default();
    let Some(mut moments) = output.moments()? else {
        return if settings.begins { begin(time, settings, commit) } else { Ok(()) };
    };
    let (id, is_again) = match moments.last() {
        Some(last) if last.time >= time => (last.id, true),
        last => (last.map_or(1, |last| last.id + 1), false),
    };
    let mut keeper = Keeper { output, id, kept: BTreeSet::new(), bytes: 0, tiles: 0, is_changed: false };
    if let Some(earlier) = earlier {
        for map in maps {
            keeper.keep_tiles(map, earlier, commit)?;
        }
        keeper.keep_files(earlier, facts, commit)?;
    }
    let Keeper { bytes, tiles, is_changed, .. } = keeper;
    let label = settings.label.clone();
    match moments.moments.last_mut() {
        // The same state again makes no moment, but may get a label.
        Some(last) if is_again || !is_changed => {
            last.label = label.or(last.label.take());
            last.tiles += tiles;
            last.bytes += bytes;
        }
        _ => moments.moments.push(Moment { id, time, label, tiles, bytes }),
    }
    commit.put(&Moments::path(), moments.script().as_bytes()).map(drop)
}

fn begin(time: i64, settings: &MomentSettings, commit: &mut Commit<'_>) -> Result<(), PublishError> {
    let first = Moment { id: 1, time, label: settings.label.clone(), tiles: 0, bytes: 0 };
    let moments = Moments { moments: vec![first], ..Moments::default() };
    commit.put(&Moments::path(), moments.script().as_bytes()).map(drop)
}

/// Keeps what was shown before one moment.
#[derive(Debug)]
struct Keeper<'a> {
    output: &'a Output,
    /// The moment's id.
    id: u32,
    /// The objects that the commit keeps.
    kept: BTreeSet<String>,
    /// The bytes of these.
    bytes: u64,
    /// The number of tiles that were otherwise.
    tiles: u64,
    /// Anything was otherwise.
    is_changed: bool,
}

impl Keeper<'_> {
    /// Keeps the tiles of a map that are otherwise now. Layers that are drawn for the first time have none: the facts of
    /// earlier moments do not name them.
    fn keep_tiles(
        &mut self,
        map: &DrawnMap<'_>,
        earlier: &MapFile,
        commit: &mut Commit<'_>,
    ) -> Result<(), PublishError> {
        for map_layer in map.map_layers.all() {
            let folder = map.map_layers.path(map_layer);
            if !earlier.with_details().any(|layer: &LayerFacts| layer.path == folder) {
                continue;
            }
            let now = &map.manifest(map_layer).tiles;
            let mut before = BTreeMap::new();
            let manifest = in_folder(&folder, Manifest::FILE);
            self.output.each_tile(&manifest, self.output.naming().scheme, |tile, record| {
                before.insert(tile, record);
            })?;
            let new =
                now.keys().filter(|tile| !before.contains_key(tile)).map(|&tile| (tile, None)).collect::<Vec<_>>();
            before.retain(|tile, record| now.get(tile).is_none_or(|now| now.file != record.file));
            let otherwise = before.into_iter().map(|(tile, record)| (tile, Some(record))).chain(new);
            let mut pieces: BTreeMap<PastPlace, Past<TilePos, TileRecord>> = BTreeMap::new();
            for (tile, record) in otherwise {
                let past = match pieces.entry(PastPlace::for_tile(&folder, tile)) {
                    Entry::Occupied(past) => past.into_mut(),
                    Entry::Vacant(vacant) => {
                        let read = Past::<TilePos, TileRecord>::read(self.output.root(), vacant.key());
                        let path = self.output.root().join(vacant.key().path());
                        vacant.insert(read.map_err(PublishError::io(&path))?)
                    }
                };
                self.is_changed = true;
                if past.add(tile, self.id, record) {
                    self.tiles += 1;
                    let path = map.map_layers.tile_path(map_layer, tile);
                    record.map_or(Ok(()), |record| self.keep(&path, record.file, record.bytes, commit))?;
                }
            }
            for (place, past) in pieces {
                commit.put(&place.path(), past.script(&place).as_bytes())?;
            }
        }
        Ok(())
    }

    /// Keeps the facts and the markers that are otherwise now.
    fn keep_files(&mut self, earlier: &MapFile, facts: &MapFile, commit: &mut Commit<'_>) -> Result<(), PublishError> {
        let files = |map: &MapFile| -> BTreeSet<String> {
            map.all_marker_files().chain([MapFile::FILE]).map(str::to_owned).collect()
        };
        let (before, now) = (files(earlier), files(facts));
        // The owner's files stay where they are if no run puts others in their places.
        let is_own = |path: &str| earlier.markers.iter().any(|own| own.file == path);
        let mut pieces: BTreeMap<PastPlace, Past<String, FileRecord>> = BTreeMap::new();
        for path in before.union(&now) {
            let is_replaced = self.output.file_facts(&self.output.staged_path(path))?.is_some();
            let is_removed = !now.contains(path) && !is_own(path);
            if !is_replaced && !is_removed {
                continue;
            }
            self.is_changed = true;
            let record = if before.contains(path) { self.file_record(path)? } else { None };
            let (place, name) = PastPlace::for_file(path);
            let past = match pieces.entry(place) {
                Entry::Occupied(past) => past.into_mut(),
                Entry::Vacant(vacant) => {
                    let read = Past::<String, FileRecord>::read(self.output.root(), vacant.key());
                    let path = self.output.root().join(vacant.key().path());
                    vacant.insert(read.map_err(PublishError::io(&path))?)
                }
            };
            if past.add(name.to_owned(), self.id, record) {
                record.map_or(Ok(()), |record| self.keep(path, record.file, record.bytes, commit))?;
            }
        }
        for (place, past) in pieces {
            commit.put(&place.path(), past.script(&place).as_bytes())?;
        }
        Ok(())
    }

    /// The record of a published file that is no tile; `None`: it is not there.
    fn file_record(&self, path: &str) -> Result<Option<FileRecord>, PublishError> {
        let Some(there) = self.output.file_facts(path)? else { return Ok(None) };
        let bytes = self.output.read(path)?;
        Ok(u32::try_from(there.len).ok().map(|len| FileRecord { bytes: len, file: XxHash3_64::oneshot(&bytes) }))
    }

    /// Keeps a published file by the hash of its bytes.
    fn keep(&mut self, path: &str, hash: u64, bytes: u32, commit: &mut Commit<'_>) -> Result<(), PublishError> {
        let object = object_path(hash, path);
        if self.output.file_facts(&object)?.is_some() || !self.kept.insert(object.clone()) {
            return Ok(());
        }
        self.bytes += u64::from(bytes);
        commit.keep(path, &object)
    }
}
