//! Adds a moment to a map with history: keeps the files that a run replaces or removes, and lists
//! them as earlier versions.

use std::collections::{BTreeMap, BTreeSet};

use twox_hash::XxHash3_64;

use crate::publish::drawn::UnpublishedMap;
use crate::publish::facts::WorldLabel;
use crate::publish::hidden_layers::HiddenLayers;
use crate::publish::hidden_past::{CleanedLayer, EarlierMoments, clean_tiles};
use crate::publish::past_facts::clean_facts;
use crate::publish::past_lists::PastLists;
use crate::request::error::{MomentRefusal, RenderError};
use crate::request::settings::MomentSettings;
use pixelmap_map::atlas::{
    FileRecord, LayerFacts, Manifest, MapFile, Moments, in_folder, object_hash, object_path,
    time_text,
};
use pixelmap_map::store::{Commit, Output, PublishError};

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
    let earlier_moments = output.moments()?;
    if earlier_moments.is_none() && !settings.begins {
        return Ok(());
    }

    let mut hidden_layers = HiddenLayers::read(output)?;
    let mut newly_hidden = Vec::new();
    for map in maps {
        if hidden_layers.note(map) {
            newly_hidden.push(map);
        }
    }
    hidden_layers.put(commit)?;

    let time = world.moment_time.unwrap_or_default();
    let label = settings.label.clone();
    let mut moments = match earlier_moments {
        Some(moments) if !moments.moments.is_empty() => moments,
        // All moments of a map may have been forgotten.
        _ => return put_list(&Moments::begin(time, label), commit),
    };

    let id = match moments.last() {
        Some(last) if last.time >= time => last.id,
        last => last.map_or(1, |last| last.id + 1),
    };

    let mut keeper = Keeper::new(output, id);
    if let Some(earlier) = earlier {
        for map in maps {
            keeper.keep_tiles(map, earlier, commit)?;
        }
        keeper.keep_files(earlier, facts, commit)?;
    }

    // An unchanged state makes no new moment, but the last one may get a label.
    if keeper.is_changed {
        moments.extend_to(id, time);
    }
    if let Some(last) = moments.moments.last_mut() {
        last.label = label.or(last.label.take());
        last.tiles += keeper.tiles;
        last.bytes += keeper.bytes;
    }

    let mut lists = keeper.lists;
    let gone = if newly_hidden.is_empty() {
        BTreeSet::new()
    } else {
        hide(
            output,
            &newly_hidden,
            facts,
            &mut moments,
            &mut lists,
            commit,
        )?
    };

    // The lists come before the files, so that no list ever names a file that is gone.
    lists.put(commit)?;
    put_list(&moments, commit)?;
    for path in &gone {
        commit.remove(path)?;
    }

    Ok(())
}

fn put_list(moments: &Moments, commit: &mut Commit<'_>) -> Result<(), PublishError> {
    let script = moments.script();
    commit.put(&Moments::path(), script.as_bytes()).map(drop)
}

/// Removes the hidden places of these maps from all earlier moments, as if the world had never had
/// the places. So a moment that changed nothing else is dropped. `facts` are the facts of the
/// newest state. Returns the paths of the files that no moment shows any more.
fn hide(
    output: &Output,
    maps: &[&UnpublishedMap<'_>],
    facts: &MapFile,
    moments: &mut Moments,
    lists: &mut PastLists,
    commit: &mut Commit<'_>,
) -> Result<BTreeSet<String>, PublishError> {
    lists.read_all(output)?;

    let ids: Vec<u32> = moments.moments.iter().map(|moment| moment.id).collect();
    let earlier = EarlierMoments {
        output,
        ids: &ids[..ids.len().saturating_sub(1)],
    };

    let mut files = BTreeSet::new();
    let mut layers = Vec::new();
    for map in maps {
        layers.extend(clean_tiles(earlier, map, lists, &mut files, commit)?);
    }
    clean_facts(earlier, &layers, facts, lists, &mut files, commit)?;

    for CleanedLayer {
        map,
        map_layer,
        past,
        ..
    } in layers
    {
        lists.put_layer(&map.map_layers.path(map_layer), past);
    }

    moments.keep_changes(&lists.changes(&ids));
    lists.renumber(&moments.renumber());

    let needed = lists.hashes();
    files.retain(|path| {
        let hash = path.rsplit('/').next().and_then(object_hash);
        hash.is_some_and(|hash| !needed.contains(&hash))
    });

    Ok(files)
}

/// Returns the paths of the facts and the marker files of a map.
fn files_of(map: &MapFile) -> BTreeSet<String> {
    map.all_marker_files()
        .chain([MapFile::FILE])
        .map(str::to_owned)
        .collect()
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
    lists: PastLists,
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
            lists: PastLists::default(),
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

                let past = self.lists.of_tile(self.output, &folder, tile)?;
                if past.add(tile, self.id, record) {
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
        let before = files_of(earlier);
        let now = files_of(facts);

        for path in before.union(&now) {
            let staged = self.file_record(&self.output.staged_path(path))?;

            // The owner's files stay in their places unless a run replaces them.
            let is_own = earlier.markers.iter().any(|own| own.file == *path);
            let is_removed = !now.contains(path) && !is_own;
            if staged.is_none() && !is_removed {
                continue;
            }

            let record = if before.contains(path) {
                self.file_record(path)?
            } else {
                None
            };

            // A file that could not be compared is staged even if its bytes are the same.
            if record == staged {
                continue;
            }
            self.is_changed = true;

            let (past, name) = self.lists.of_file(self.output, path)?;
            if past.add(name.to_owned(), self.id, record) {
                record.map_or(Ok(()), |record| {
                    self.keep(path, record.file, record.bytes, commit)
                })?;
            }
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
