//! The parts that are there, and whether they belong together.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;

use crate::draw::map::of_world::OfWorld;
use crate::draw::parts::error::MergeError;
use crate::draw::parts::file::{Found, PartFile, Same};
use crate::draw::plan::Shard;
use crate::draw::prepare::descriptors;
use crate::draw::report::{MAX_LISTED, Outcome, Report};
use crate::store::{FoundPart, Identity};
use crate::world::World;

/// A part that is drawn to its end.
pub(crate) struct Part {
    pub(crate) place: FoundPart,
    /// By map.
    pub(crate) found: Vec<Found>,
    /// Keeps its shard from being drawn meanwhile.
    _lock: Option<File>,
}

/// Parts that belong together, by the number of their shard.
pub(crate) struct Parts {
    pub(crate) all: Vec<Part>,
    /// Those that are not drawn to their end.
    pub(crate) begun: Vec<FoundPart>,
    pub(crate) same: Same,
    pub(crate) missing: Vec<u32>,
}

impl Parts {
    /// Finds the parts in the folders, and checks that they belong together.
    pub(crate) fn find(folders: &[PathBuf], allow_missing: bool) -> Result<Self, MergeError> {
        descriptors::raise();
        let (mut all, mut begun) = (BTreeMap::<u32, Part>::new(), Vec::new());
        let mut first: Option<(PathBuf, PartFile)> = None;
        for place in
            folders.iter().map(|root| FoundPart::all_in(root)).collect::<Result<Vec<_>, _>>()?.into_iter().flatten()
        {
            let Some(json) = place.facts()? else {
                begun.push(place);
                continue;
            };
            let lock = place.hold()?;
            let unknown = || MergeError::Unknown(place.folder.clone());
            let mut file = PartFile::read(&json).ok_or_else(unknown)?;
            let found = std::mem::take(&mut file.found);
            if let Some((folder, first)) = &first
                && let Some(reason) = apart(first, &file)
            {
                return Err(MergeError::Apart(folder.clone(), place.folder, reason));
            }
            if let Some(other) = all.get(&file.shard) {
                let shard = Shard::new(file.shard, file.shards).ok_or_else(unknown)?;
                return Err(MergeError::Twice(shard, other.place.folder.clone(), place.folder));
            }
            let (number, folder) = (file.shard, place.folder.clone());
            all.insert(number, Part { place, found, _lock: lock });
            // What all tell alike is held once.
            first.get_or_insert((folder, file));
        }
        let Some((_, PartFile { same, shards, .. })) = first else {
            let begun = begun.into_iter().next().map(|place| place.folder);
            return Err(MergeError::NoPart(begun.unwrap_or_else(|| folders[0].clone())));
        };
        let missing: Vec<u32> = (1..=shards).filter(|number| !all.contains_key(number)).collect();
        if !missing.is_empty() && !allow_missing {
            return Err(MergeError::Missing(missing, shards));
        }
        Ok(Self { all: all.into_values().collect(), begun, same, missing })
    }

    /// What the world tells of a map beside its chunks, by dimension.
    pub(crate) fn of_world(&self, number: usize) -> Vec<OfWorld> {
        let mut all: Vec<OfWorld> = Vec::new();
        for of_part in self.found(number).map(|found| &found.of_world) {
            all.resize_with(all.len().max(of_part.len()), OfWorld::default);
            for (all, OfWorld { markers, border }) in all.iter_mut().zip(of_part) {
                all.markers.extend(markers.iter().cloned());
                all.border = all.border.take().or_else(|| border.clone());
            }
        }
        all
    }

    /// Adds to the report of a map, or of one dimension of it, what its parts tell: places that have no record, and the
    /// names of region files.
    pub(crate) fn complete(&self, number: usize, dimension: Option<&str>, report: &mut Report) {
        let all = self.found(number).flat_map(|found| &found.bad_chunks);
        let bad = all.filter(|bad| dimension.is_none_or(|id| bad.dimension == id));
        report.bad_chunks = bad.take(MAX_LISTED).cloned().collect();
        report.regions.failed = match dimension {
            Some(_) => report.bad_chunks.iter().filter(|bad| bad.chunk.is_none()).count() as u64,
            None => self.found(number).map(|found| found.regions_failed).sum(),
        };
        report.regions.hidden = self.found(number).map(|found| found.regions_hidden).sum();
        report.regions.total += report.regions.hidden;
        for warning in self.found(number).flat_map(|found| &found.warnings) {
            if !report.warnings.contains(warning) {
                report.warnings.push(warning.clone());
            }
        }
        if matches!(report.outcome, Outcome::Complete | Outcome::Empty) && report.gaps() > 0 {
            report.outcome = Outcome::Gaps;
        }
        if let Some(map) = self.same.maps.get(number) {
            report.options = map.options.clone();
        }
    }

    fn found(&self, number: usize) -> impl Iterator<Item = &Found> {
        self.all.iter().filter_map(move |part| part.found.get(number))
    }
}

/// Why two parts do not belong together; `None`: they do.
fn apart(first: &PartFile, other: &PartFile) -> Option<&'static str> {
    let world = |file: &PartFile| (file.same.name.clone(), file.same.spawn.clone());
    let divisions = |file: &PartFile| file.same.maps.iter().map(|map| map.division).collect::<Vec<_>>();
    match () {
        () if first.same.version != other.same.version => Some("were drawn by two versions of pixelmap"),
        () if world(first) != world(other) => Some("show two worlds"),
        () if first.shards != other.shards => Some("are of two numbers of shards"),
        () if divisions(first) == divisions(other) && first.same != other.same => Some("were drawn with other options"),
        () if first.same != other.same => Some("were drawn with other options, or from the world at two times"),
        () => None,
    }
}

impl Same {
    /// The world as its parts tell of it, without files, and what identifies it.
    pub(crate) fn world(&self) -> (World, Identity) {
        let spawn = self.spawn.as_ref().map(|(_, at)| *at);
        let identity = Identity { name: self.name.clone(), spawn, path: PathBuf::new() };
        (World::described(self.name.clone(), self.spawn.clone(), self.data_version), identity)
    }
}
