//! Adds a moment to a map with history: keeps the files that a run replaces or removes, and lists
//! them as earlier versions.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use twox_hash::XxHash3_64;

use crate::atlas::{
    FileRecord, LayerFacts, Manifest, MapFile, Moment, Moments, Past, PastKey, PastPlace,
    in_folder, object_hash, object_path, time_text,
};
use crate::base::json;
use crate::draw::publish::drawn::UnpublishedMap;
use crate::draw::publish::facts::WorldLabel;
use crate::draw::publish::hidden_past::{TilePieces, hide_past};
use crate::draw::request::error::{MomentRefusal, RenderError};
use crate::draw::request::settings::MomentSettings;
use crate::store::{Commit, Output, PublishError};

/// Returns the time of the moment that this run adds, if the map in `output` has history or its
/// history begins now. Returns `None` if it has no history, or if the world is being followed and
/// its time is unknown. Must be called before anything is drawn.
///
/// # Errors
/// Fails if the time of the world is unknown, or before the time of the last moment.
pub(crate) fn moment_time(
    output: &Output,
    settings: &MomentSettings,
    last_played: impl FnOnce() -> Option<i64>,
) -> Result<Option<i64>, RenderError> {
    let moments = output.moments()?;
    if moments.is_none() && !settings.begins {
        return Ok(None);
    }

    let time = settings.time.or_else(last_played);
    if settings.follows {
        return Ok(time);
    }

    let time = time.ok_or(RenderError::Moment(MomentRefusal::NoTime))?;
    match moments.as_ref().and_then(Moments::last) {
        Some(last) if time < last.time => Err(RenderError::Moment(MomentRefusal::Earlier(
            time_text(time),
            last.time_text(),
        ))),
        _ => Ok(Some(time)),
    }
}

/// Adds the new moment to a commit, if the map has history or its history begins now. Must be
/// called after everything else is staged, because the staged files show which published files are
/// replaced.
///
/// # Errors
/// Fails if the earlier state cannot be read or the commit cannot be written.
pub(crate) fn put_moment(
    output: &Output,
    world: &WorldLabel,
    maps: &[UnpublishedMap<'_>],
    earlier: Option<&MapFile>,
    facts: &MapFile,
    commit: &mut Commit<'_>,
) -> Result<(), PublishError> {
    let Some(settings) = maps.first().map(|map| map.publishing.moment) else {
        return Ok(());
    };

    let time = world.moment_time.unwrap_or_default();
    let hidden = hidden_version(maps);
    let mut moments = match output.moments()? {
        None if !settings.begins => return Ok(()),
        Some(moments) if !moments.moments.is_empty() => moments,
        // All moments of a map may have been forgotten.
        _ => return begin(time, settings, hidden, commit),
    };

    let (id, is_again) = match moments.last() {
        Some(last) if last.time >= time => (last.id, true),
        last => (last.map_or(1, |last| last.id + 1), false),
    };

    let mut keeper = Keeper::new(output, id);
    if let Some(earlier) = earlier {
        for map in maps {
            keeper.keep_tiles(map, earlier, commit)?;
        }
        keeper.keep_files(earlier, facts, commit)?;
    }

    if hidden.is_some() && hidden != moments.hidden {
        keeper.hide(maps, commit)?;
        moments.hidden = hidden;
    }

    let label = settings.label.clone();
    let Keeper {
        bytes,
        tiles,
        is_changed,
        ..
    } = keeper;

    match moments.moments.last_mut() {
        // An unchanged state makes no new moment, but the last one may get a label.
        Some(last) if is_again || !is_changed => {
            last.label = label.or(last.label.take());
            last.tiles += tiles;
            last.bytes += bytes;
        }
        _ => moments.moments.push(Moment {
            id,
            time,
            label,
            tiles,
            bytes,
        }),
    }

    keeper.put_lists(commit)?;

    commit
        .put(&Moments::path(), moments.script().as_bytes())
        .map(drop)
}

/// Returns a hash of the hidden places and their layers, or `None` if nothing is hidden.
fn hidden_version(maps: &[UnpublishedMap<'_>]) -> Option<String> {
    let mut text = String::new();
    for map in maps {
        for hidden in map.hidden.iter().filter(|hidden| !hidden.is_empty()) {
            let layers: Vec<String> = map
                .map_layers
                .all()
                .map(|map_layer| map.map_layers.path(map_layer))
                .collect();

            // The form in which parts of shards store it. Every value fits into JSON.
            text += &format!(
                "{} {}\n",
                layers.join(" "),
                json::text(hidden).unwrap_or_default()
            );
        }
    }

    (!text.is_empty()).then(|| format!("{:016x}", XxHash3_64::oneshot(text.as_bytes())))
}

fn begin(
    time: i64,
    settings: &MomentSettings,
    hidden: Option<String>,
    commit: &mut Commit<'_>,
) -> Result<(), PublishError> {
    let first = Moment {
        id: 1,
        time,
        label: settings.label.clone(),
        tiles: 0,
        bytes: 0,
    };

    let moments = Moments {
        moments: vec![first],
        hidden,
    };

    commit
        .put(&Moments::path(), moments.script().as_bytes())
        .map(drop)
}

/// Keeps the files that were shown before one moment.
#[derive(Debug)]
struct Keeper<'a> {
    output: &'a Output,
    /// The moment's id.
    id: u32,
    /// The kept files that the commit adds.
    kept: BTreeSet<String>,
    /// The size of these files.
    bytes: u64,
    /// The number of tiles that changed.
    tiles: u64,
    /// Whether anything changed.
    is_changed: bool,
    /// The lists of versions that change.
    tile_pieces: TilePieces,
    file_pieces: BTreeMap<PastPlace, Past<String>>,
}

impl<'a> Keeper<'a> {
    fn new(output: &'a Output, id: u32) -> Self {
        Self {
            output,
            id,
            kept: BTreeSet::new(),
            bytes: 0,
            tiles: 0,
            is_changed: false,
            tile_pieces: BTreeMap::new(),
            file_pieces: BTreeMap::new(),
        }
    }

    /// Keeps the previous version of every tile that this run changes. Layers that are drawn for
    /// the first time need no versions, because the facts of earlier moments do not name them.
    fn keep_tiles(
        &mut self,
        map: &UnpublishedMap<'_>,
        earlier: &MapFile,
        commit: &mut Commit<'_>,
    ) -> Result<(), PublishError> {
        for map_layer in map.map_layers.all() {
            let folder = map.map_layers.path(map_layer);
            if !earlier
                .with_details()
                .any(|layer: &LayerFacts| layer.path == folder)
            {
                continue;
            }

            let now = &map.manifest(map_layer).tiles;
            let mut before = BTreeMap::new();
            let manifest = in_folder(&folder, Manifest::FILE);
            self.output
                .each_tile(&manifest, self.output.naming().scheme, |tile, record| {
                    before.insert(tile, record);
                })?;

            let new = now
                .keys()
                .filter(|tile| !before.contains_key(tile))
                .map(|&tile| (tile, None))
                .collect::<Vec<_>>();
            before.retain(|tile, record| now.get(tile).is_none_or(|now| now.file != record.file));
            let otherwise = before
                .into_iter()
                .map(|(tile, record)| (tile, Some(record)))
                .chain(new);

            for (tile, record) in otherwise {
                self.is_changed = true;

                let place = PastPlace::for_tile(&folder, tile);
                if piece(self.output, &mut self.tile_pieces, place)?.add(tile, self.id, record) {
                    self.tiles += 1;
                    let path = map.map_layers.tile_path(map_layer, tile);
                    record.map_or(Ok(()), |record| {
                        self.keep(&path, record.file, record.bytes, commit)
                    })?;
                }
            }
        }

        Ok(())
    }

    /// Keeps the previous version of every marker file that this run changes, and of the facts.
    fn keep_files(
        &mut self,
        earlier: &MapFile,
        facts: &MapFile,
        commit: &mut Commit<'_>,
    ) -> Result<(), PublishError> {
        let files = |map: &MapFile| -> BTreeSet<String> {
            map.all_marker_files()
                .chain([MapFile::FILE])
                .map(str::to_owned)
                .collect()
        };

        let (before, now) = (files(earlier), files(facts));

        // The owner's files stay in their places unless a run replaces them.
        let is_own = |path: &str| earlier.markers.iter().any(|own| own.file == path);

        for path in before.union(&now) {
            let is_replaced = self
                .output
                .file_facts(&self.output.staged_path(path))?
                .is_some();

            let is_removed = !now.contains(path) && !is_own(path);
            if !is_replaced && !is_removed {
                continue;
            }

            self.is_changed = true;

            let record = if before.contains(path) {
                self.file_record(path)?
            } else {
                None
            };

            let (place, name) = PastPlace::for_file(path);
            if piece(self.output, &mut self.file_pieces, place)?.add(
                name.to_owned(),
                self.id,
                record,
            ) {
                record.map_or(Ok(()), |record| {
                    self.keep(path, record.file, record.bytes, commit)
                })?;
            }
        }

        Ok(())
    }

    /// Removes newly hidden places from all earlier moments. All earlier marker files are removed
    /// with them, because their markers are not checked one by one.
    fn hide(
        &mut self,
        maps: &[UnpublishedMap<'_>],
        commit: &mut Commit<'_>,
    ) -> Result<(), PublishError> {
        let failed = PublishError::io(self.output.root());
        for place in PastPlace::all(self.output.folder()).map_err(failed)? {
            if place.is_of_files() {
                piece(self.output, &mut self.file_pieces, place)?;
            } else {
                piece(self.output, &mut self.tile_pieces, place)?;
            }
        }

        let mut gone = BTreeSet::new();
        for map in maps {
            if let Some(hidden) = map.hidden {
                gone.extend(hide_past(
                    self.output,
                    map,
                    hidden,
                    &mut self.tile_pieces,
                    commit,
                )?);
            }
        }

        for (place, past) in &mut self.file_pieces {
            past.0.retain(|name, versions| {
                let path = in_folder(&place.folder, name);
                let is_kept = path == MapFile::FILE;
                let records = versions
                    .iter()
                    .filter(|_| !is_kept)
                    .filter_map(|version| version.record);
                gone.extend(records.map(|record| object_path(record.file, &path)));
                is_kept
            });
        }

        let hash = |path: &String| path.rsplit('/').next().and_then(object_hash);
        let tiles = self
            .tile_pieces
            .values()
            .flat_map(Past::files)
            .map(|(_, tile)| tile.file);

        let files = self
            .file_pieces
            .values()
            .flat_map(Past::files)
            .map(|(_, file)| file.file);
        let needed: BTreeSet<u64> = tiles.chain(files).collect();
        gone.retain(|path| hash(path).is_some_and(|hash| !needed.contains(&hash)));

        gone.iter().try_for_each(|path| commit.remove(path))
    }

    /// Stages the lists of versions.
    fn put_lists(&self, commit: &mut Commit<'_>) -> Result<(), PublishError> {
        for (place, past) in &self.tile_pieces {
            commit.put(&place.path(), past.script(place).as_bytes())?;
        }
        for (place, past) in &self.file_pieces {
            commit.put(&place.path(), past.script(place).as_bytes())?;
        }
        Ok(())
    }

    /// Returns the record of a published file that is not a tile, or `None` if the file does not
    /// exist.
    fn file_record(&self, path: &str) -> Result<Option<FileRecord>, PublishError> {
        let Some(there) = self.output.file_facts(path)? else {
            return Ok(None);
        };
        let bytes = self.output.read(path)?;
        Ok(u32::try_from(there.len).ok().map(|len| FileRecord {
            bytes: len,
            file: XxHash3_64::oneshot(&bytes),
        }))
    }

    /// Keeps a published file under the hash of its bytes.
    fn keep(
        &mut self,
        path: &str,
        hash: u64,
        bytes: u32,
        commit: &mut Commit<'_>,
    ) -> Result<(), PublishError> {
        let object = object_path(hash, path);
        if self.output.file_facts(&object)?.is_some() || !self.kept.insert(object.clone()) {
            return Ok(());
        }

        self.bytes += u64::from(bytes);
        commit.keep(path, &object)
    }
}

/// Returns a piece of the earlier versions, which is read when it is first needed.
fn piece<'p, K: PastKey>(
    output: &Output,
    pieces: &'p mut BTreeMap<PastPlace, Past<K>>,
    place: PastPlace,
) -> Result<&'p mut Past<K>, PublishError> {
    match pieces.entry(place) {
        Entry::Occupied(past) => Ok(past.into_mut()),
        Entry::Vacant(vacant) => {
            let past = Past::read(output.folder(), vacant.key());
            let path = output.root().join(vacant.key().path());
            Ok(vacant.insert(past.map_err(PublishError::io(&path))?))
        }
    }
}
