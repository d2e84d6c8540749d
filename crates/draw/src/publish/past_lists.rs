//! The lists of earlier versions that a commit changes. A list is read when it is first needed.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use pixelmap_base::coord::TilePos;
use pixelmap_map::atlas::{
    FileRecord, MomentChanges, Past, PastKey, PastPlace, Version, in_folder,
};
use pixelmap_map::store::{Commit, Output, PublishError};

/// The lists of earlier versions of tiles and of other files, by piece.
#[derive(Debug, Default)]
pub(crate) struct PastLists {
    tiles: BTreeMap<PastPlace, Past<TilePos>>,
    files: BTreeMap<PastPlace, Past<String>>,
}

impl PastLists {
    /// Returns the list that has the versions of a tile.
    pub(crate) fn of_tile(
        &mut self,
        output: &Output,
        folder: &str,
        tile: TilePos,
    ) -> Result<&mut Past<TilePos>, PublishError> {
        piece(output, &mut self.tiles, PastPlace::for_tile(folder, tile))
    }

    /// Returns the list that has the versions of a file other than a tile, and the file's name in
    /// the list.
    pub(crate) fn of_file<'n>(
        &mut self,
        output: &Output,
        path: &'n str,
    ) -> Result<(&mut Past<String>, &'n str), PublishError> {
        let (place, name) = PastPlace::for_file(path);
        Ok((piece(output, &mut self.files, place)?, name))
    }

    /// Reads all lists of the map.
    pub(crate) fn read_all(&mut self, output: &Output) -> Result<(), PublishError> {
        let failed = PublishError::io(output.root());
        for place in PastPlace::all(output.folder()).map_err(failed)? {
            if place.is_of_files() {
                piece(output, &mut self.files, place)?;
            } else {
                piece(output, &mut self.tiles, place)?;
            }
        }

        Ok(())
    }

    /// Removes and returns the versions of all tiles of a layer. The lists that they were in are
    /// empty then.
    pub(crate) fn take_layer(&mut self, folder: &str) -> Past<TilePos> {
        let mut all = BTreeMap::new();
        for (place, past) in &mut self.tiles {
            if place.folder == folder {
                all.append(&mut past.0);
            }
        }
        Past(all)
    }

    /// Adds the versions of tiles of a layer to their lists.
    pub(crate) fn put_layer(&mut self, folder: &str, past: Past<TilePos>) {
        for (tile, versions) in past.0 {
            let place = PastPlace::for_tile(folder, tile);
            let list = self.tiles.entry(place).or_insert(Past(BTreeMap::new()));
            list.0.insert(tile, versions);
        }
    }

    /// Removes and returns the versions of all files other than tiles, by path.
    pub(crate) fn take_files(&mut self) -> Past<String> {
        let mut all = BTreeMap::new();
        for (place, past) in &mut self.files {
            for (name, versions) in std::mem::take(&mut past.0) {
                all.insert(in_folder(&place.folder, &name), versions);
            }
        }
        Past(all)
    }

    /// Adds the versions of a file other than a tile to its list.
    pub(crate) fn put_file(&mut self, path: &str, versions: Vec<Version<FileRecord>>) {
        let (place, name) = PastPlace::for_file(path);
        let list = self.files.entry(place).or_insert(Past(BTreeMap::new()));
        list.0.insert(name.to_owned(), versions);
    }

    /// Returns the hashes of the files of all versions.
    pub(crate) fn hashes(&self) -> BTreeSet<u64> {
        let tiles = self.tiles.values().flat_map(Past::files);
        let files = self.files.values().flat_map(Past::files);
        tiles
            .map(|(_, record)| record.file)
            .chain(files.map(|(_, record)| record.file))
            .collect()
    }

    /// Returns the changes of all moments that changed something, by the moment's id. `ids` are the
    /// ids of all moments, in order.
    pub(crate) fn changes(&self, ids: &[u32]) -> BTreeMap<u32, MomentChanges> {
        let mut versions = Vec::new();
        for (_, version) in self.tiles.values().flat_map(Past::versions) {
            let file = version.record.map(|record| (record.file, record.bytes));
            versions.push((version.until, true, file));
        }
        for (_, version) in self.files.values().flat_map(Past::versions) {
            let file = version.record.map(|record| (record.file, record.bytes));
            versions.push((version.until, false, file));
        }

        // A file that several moments replaced is stored once, and belongs to the first of them.
        versions.sort_unstable();
        let mut changes: BTreeMap<u32, MomentChanges> = BTreeMap::new();
        let mut counted = BTreeSet::new();
        for (until, is_tile, file) in versions {
            // If the moment that replaced a version was forgotten, the next one is the first that
            // shows another version.
            let Some(&id) = ids.get(ids.partition_point(|&id| id < until)) else {
                continue;
            };

            let made = changes.entry(id).or_default();
            made.tiles += u64::from(is_tile);
            if let Some((hash, bytes)) = file
                && counted.insert(hash)
            {
                made.bytes += u64::from(bytes);
            }
        }

        changes
    }

    /// Gives each moment the number of its place in `ids`, counted from 1.
    pub(crate) fn renumber(&mut self, ids: &[u32]) {
        for past in self.tiles.values_mut() {
            past.renumber(ids);
        }
        for past in self.files.values_mut() {
            past.renumber(ids);
        }
    }

    /// Stages the lists. A list that is empty now is removed.
    pub(crate) fn put(&self, commit: &mut Commit<'_>) -> Result<(), PublishError> {
        for (place, past) in &self.tiles {
            put_list(place, past, commit)?;
        }
        for (place, past) in &self.files {
            put_list(place, past, commit)?;
        }
        Ok(())
    }
}

/// Returns a list of earlier versions, which is read if it is not in memory yet.
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

fn put_list<K: PastKey>(
    place: &PastPlace,
    past: &Past<K>,
    commit: &mut Commit<'_>,
) -> Result<(), PublishError> {
    let path = place.path();
    if !past.0.is_empty() {
        commit.put(&path, past.script(place).as_bytes())?;
    } else if commit.output().file_facts(&path)?.is_some() {
        commit.remove(&path)?;
    }
    Ok(())
}
