//! The parts that are there, and whether they belong together.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::pipeline::map::marker_files::OfWorld;
use crate::pipeline::parts::error::MergeError;
use crate::pipeline::parts::file::{Found, PartFile, Same};
use crate::plan::Shard;
use crate::publish::{FoundPart, Identity};
use crate::report::{MAX_LISTED, Outcome, Report};
use crate::world::World;

/// A part, and what it tells of itself.
pub(crate) struct Part {
    pub(crate) found: FoundPart,
    pub(crate) file: PartFile,
}

/// Parts that belong together, by the number of their shard.
pub(crate) struct Parts {
    pub(crate) all: Vec<Part>,
    pub(crate) same: Same,
    pub(crate) missing: Vec<u32>,
}

impl Parts {
    /// Finds the parts in the folders, and checks that they belong together.
    pub(crate) fn find(folders: &[PathBuf], allow_missing: bool) -> Result<Self, MergeError> {
        let mut all: BTreeMap<u32, Part> = BTreeMap::new();
        let mut begun = None;
        for found in
            folders.iter().map(|root| FoundPart::all_in(root)).collect::<Result<Vec<_>, _>>()?.into_iter().flatten()
        {
            let Some(json) = &found.facts else {
                begun = Some(found.folder);
                continue;
            };
            let file: PartFile = serde_json::from_slice(json).map_err(|_| MergeError::Unknown(found.folder.clone()))?;
            let shard = Shard::new(file.shard, file.shards).ok_or_else(|| MergeError::Unknown(found.folder.clone()))?;
            if let Some((_, first)) = all.first_key_value()
                && let Some(reason) = apart(&first.file, &file)
            {
                return Err(MergeError::Apart(first.found.folder.clone(), found.folder, reason));
            }
            if let Some(other) = all.get(&file.shard) {
                return Err(MergeError::Twice(shard, other.found.folder.clone(), found.folder));
            }
            all.insert(file.shard, Part { found, file });
        }
        let Some(first) = all.first_entry() else {
            return Err(MergeError::NoPart(begun.unwrap_or_else(|| folders[0].clone())));
        };
        let PartFile { same, shards, .. } = first.get().file.clone();
        let missing: Vec<u32> = (1..=shards).filter(|number| !all.contains_key(number)).collect();
        if !missing.is_empty() && !allow_missing {
            return Err(MergeError::Missing(missing, shards));
        }
        Ok(Self { all: all.into_values().collect(), same, missing })
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
        self.all.iter().filter_map(move |part| part.file.found.get(number))
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
        (World::told(self.name.clone(), self.spawn.clone(), self.data_version), identity)
    }
}
