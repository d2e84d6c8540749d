//! Forgets moments of a map with history, and removes the files that only the forgotten moments
//! have shown.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use crate::atlas::{
    FileRecord, HISTORY, Moment, Moments, OBJECTS, Past, PastKey, PastPlace, in_folder, object_hash,
};
use crate::store::commit::file_changes::Commit;
use crate::store::error::PublishError;
use crate::store::folder::output::Output;
use pixelmap_base::coord::TilePos;
use pixelmap_base::own_folder::OwnFolder;

/// The plan of the changes that forgetting makes. Making the plan changes nothing.
#[derive(Debug)]
pub struct ForgetPlan {
    /// The moments that will be forgotten.
    pub forgotten: Vec<Moment>,
    /// The moments that are kept.
    pub kept: Moments,
    /// The number of files that will be removed, and their total length in bytes.
    pub files: u64,
    pub bytes: u64,
    /// The changes of the lists of earlier versions, by the path of the list.
    lists: BTreeMap<String, ListChange>,
    /// The paths of the files that will be removed.
    objects: Vec<String>,
}

/// A change of a list of earlier versions.
#[derive(Debug)]
enum ListChange {
    /// The list is empty and will be removed.
    Removed,
    /// The list will be replaced with this text.
    Written(String),
}

impl ForgetPlan {
    /// Plans to forget all moments of the map in a folder except the `kept` ids. The published
    /// tiles do not change even if the newest moment is forgotten: the next run makes a new moment
    /// of them.
    ///
    /// # Errors
    /// The history of the map cannot be read.
    pub fn plan(
        map: &OwnFolder,
        moments: &Moments,
        kept: &BTreeSet<u32>,
    ) -> Result<Self, PublishError> {
        let failed = PublishError::io(map.path());
        Self::plan_io(map, moments, kept).map_err(failed)
    }

    fn plan_io(map: &OwnFolder, moments: &Moments, kept: &BTreeSet<u32>) -> io::Result<Self> {
        let mut needed = NeededObjects {
            next_kept: next_kept(moments, kept),
            ..NeededObjects::default()
        };

        let mut lists = BTreeMap::new();
        for place in PastPlace::all(map)? {
            let change = if place.is_of_files() {
                needed.retain::<String>(map, &place, kept, false)?
            } else {
                needed.retain::<TilePos>(map, &place, kept, true)?
            };
            lists.extend(change.map(|change| (place.path(), change)));
        }

        let (kept, forgotten) = moments
            .moments
            .iter()
            .cloned()
            .partition(|moment| kept.contains(&moment.id));
        let mut kept = Moments { moments: kept };

        for moment in &mut kept.moments {
            (moment.tiles, moment.bytes) =
                needed.counts.get(&moment.id).copied().unwrap_or_default();
        }

        let mut forgetting = Self {
            forgotten,
            kept,
            files: 0,
            bytes: 0,
            lists,
            objects: Vec::new(),
        };
        forgetting.find_objects(map, &needed.hashes)?;

        Ok(forgetting)
    }

    /// Finds the objects that no remaining version needs, and counts them.
    fn find_objects(&mut self, map: &OwnFolder, needed: &BTreeSet<u64>) -> io::Result<()> {
        let folder = in_folder(HISTORY, OBJECTS);
        for digits in map.place(&folder)?.names()? {
            let digits = in_folder(&folder, &digits);
            for name in map.place(&digits)?.names()? {
                if object_hash(&name).is_some_and(|hash| !needed.contains(&hash)) {
                    let path = in_folder(&digits, &name);
                    self.files += 1;
                    self.bytes += map.place(&path)?.exact_facts()?.len();
                    self.objects.push(path);
                }
            }
        }

        self.objects.sort_unstable();
        Ok(())
    }

    /// Carries out the plan in one commit.
    ///
    /// # Errors
    /// A file cannot be written or removed.
    pub fn carry_out(self, output: &Output) -> Result<(), PublishError> {
        let mut commit = Commit::new(output);
        let mut removed = Vec::new();
        for (path, change) in self.lists {
            match change {
                ListChange::Written(text) => drop(commit.put(&path, text.as_bytes())?),
                ListChange::Removed => removed.push(path),
            }
        }

        commit.put(&Moments::path(), self.kept.script().as_bytes())?;

        // Lists are removed before objects, so that no list ever names an object that is gone.
        removed
            .iter()
            .chain(&self.objects)
            .try_for_each(|path| commit.remove(path))?;

        commit.carry_out()
    }
}

/// Returns for each moment the first kept moment that is not older; moments after the last kept one
/// are left out.
fn next_kept(moments: &Moments, kept: &BTreeSet<u32>) -> BTreeMap<u32, u32> {
    let ids = moments.moments.iter().map(|moment| moment.id);
    ids.filter_map(|id| Some((id, *kept.range(id..).next()?)))
        .collect()
}

/// The objects that the remaining versions need, and the counts of the remaining moments.
#[derive(Default)]
struct NeededObjects {
    hashes: BTreeSet<u64>,
    next_kept: BTreeMap<u32, u32>,
    /// The number of tiles, and of bytes of their files, by moment.
    counts: BTreeMap<u32, (u64, u64)>,
}

impl NeededObjects {
    /// Drops the versions that no kept moment shows from a list, and adds up the remaining ones.
    /// Returns the change of the list, or `None` if it does not change.
    fn retain<K: PastKey>(
        &mut self,
        map: &OwnFolder,
        place: &PastPlace,
        kept: &BTreeSet<u32>,
        is_of_tiles: bool,
    ) -> io::Result<Option<ListChange>> {
        let mut past = Past::<K>::read(map, place)?;
        let is_changed = past.retain(kept);
        past.versions().for_each(|(_, version)| {
            self.add(version.until, version.record.map(K::file), is_of_tiles);
        });

        if !is_changed {
            Ok(None)
        } else if past.0.is_empty() {
            Ok(Some(ListChange::Removed))
        } else {
            Ok(Some(ListChange::Written(past.script(place))))
        }
    }

    fn add(&mut self, until: u32, file: Option<FileRecord>, is_tile: bool) {
        // `until` may be a moment that was forgotten after the list was written. Then the next
        // moment is the first one that shows another version.
        let moment = self
            .next_kept
            .range(until..)
            .next()
            .map_or(until, |(_, kept)| *kept);
        let (tiles, bytes) = self.counts.entry(moment).or_default();
        *tiles += u64::from(is_tile);

        if let Some(FileRecord { bytes: len, file }) = file
            && self.hashes.insert(file)
        {
            *bytes += u64::from(len);
        }
    }
}
