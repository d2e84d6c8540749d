//! Finds the parts of a map, and checks whether they belong together.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;

use crate::publish::account::{Account, HideState, counted_warnings, cut_lists};
use crate::publish::world_markers::WorldMarkers;
use crate::report::{BadChunk, MAX_LISTED, Options, Tally, WorldFacts};
use crate::request::descriptors;
use crate::request::plan::Shard;
use crate::run_state::JobResults;
use crate::runs::shards::error::MergeError;
use crate::runs::shards::file::{PartAgreement, PartFile, PartFindings};
use crate::runs::shards::merge_plan::{MergeMap, MergePlan};
use pixelmap_map::store::FoundPart;
use pixelmap_paint::layers::Layer;

/// A part that is drawn completely.
pub(crate) struct FinishedPart {
    pub(crate) found: FoundPart,
    /// One entry per map.
    pub(crate) findings: Vec<PartFindings>,
    /// Keeps other runs from drawing the shard meanwhile.
    _lock: Option<File>,
}

/// Parts that belong together, by the number of their shard.
pub(crate) struct Parts {
    pub(crate) all: Vec<FinishedPart>,
    /// The parts that are begun but not complete.
    pub(crate) begun: Vec<FoundPart>,
    pub(crate) agreement: PartAgreement,
    pub(crate) missing: Vec<u32>,
    /// When the world was last played before any of the parts was drawn, in seconds since 1970.
    pub(crate) last_played: Option<i64>,
}

impl Parts {
    /// Finds the parts in the folders, and checks that they belong together.
    pub(crate) fn find(folders: &[PathBuf], allow_missing: bool) -> Result<Self, MergeError> {
        descriptors::raise();
        let mut all = BTreeMap::<u32, FinishedPart>::new();

        let mut begun = Vec::new();
        let mut last_played = None;
        let mut first: Option<(PathBuf, PartFile)> = None;
        for found in folders
            .iter()
            .map(|root| FoundPart::all_in(root))
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .flatten()
        {
            let Some(json) = found.facts()? else {
                begun.push(found);
                continue;
            };

            let lock = found.hold()?;
            let Some(mut file) = PartFile::parse(&json) else {
                return Err(MergeError::Unknown(found.path()));
            };
            let findings = std::mem::take(&mut file.findings);
            last_played = last_played.max(file.last_played);

            if let Some((folder, first)) = &first
                && let Some(reason) = difference(first, &file)
            {
                return Err(MergeError::Apart(folder.clone(), found.path(), reason));
            }

            if let Some(other) = all.get(&file.shard) {
                let shard = Shard::new(file.shard, file.shards)
                    .ok_or_else(|| MergeError::Unknown(found.path()))?;
                return Err(MergeError::Twice(shard, other.found.path(), found.path()));
            }

            let folder = found.path();
            all.insert(
                file.shard,
                FinishedPart {
                    found,
                    findings,
                    _lock: lock,
                },
            );

            // The agreement is the same in all parts, so keep it only once.
            first.get_or_insert((folder, file));
        }

        let Some((
            _,
            PartFile {
                agreement, shards, ..
            },
        )) = first
        else {
            let begun = begun.into_iter().next().map(|found| found.path());
            return Err(MergeError::NoPart(
                begun.unwrap_or_else(|| folders[0].clone()),
            ));
        };

        let missing: Vec<u32> = (1..=shards)
            .filter(|number| !all.contains_key(number))
            .collect();
        if !missing.is_empty() && !allow_missing {
            return Err(MergeError::Missing(missing, shards));
        }

        Ok(Self {
            all: all.into_values().collect(),
            begun,
            agreement,
            missing,
            last_played,
        })
    }

    /// Returns the markers of a map that do not come from chunks, one entry per dimension.
    pub(crate) fn world_markers(&self, map: usize) -> Vec<WorldMarkers> {
        let mut all: Vec<WorldMarkers> = Vec::new();
        for PartFindings { world_markers, .. } in self.findings(map) {
            all.resize_with(all.len().max(world_markers.len()), WorldMarkers::default);

            for (
                all,
                WorldMarkers {
                    markers,
                    border,
                    images,
                },
            ) in all.iter_mut().zip(world_markers)
            {
                all.markers.extend(markers.iter().cloned());
                all.images.extend(images.clone());
                all.border = all.border.take().or_else(|| border.clone());
            }
        }

        all
    }

    /// Returns the account of a merged map: the counts of its records, and the findings of its
    /// parts that are not in records.
    pub(crate) fn account(&self, plan: &MergePlan<'_>, results: JobResults) -> Account {
        let MergeMap {
            number,
            agreement,
            is_single_layer,
            map_layers,
        } = plan.map;

        let findings = self.findings(*number);
        let bad_chunks = findings.flat_map(|findings| &findings.bad_chunks);
        let bad_chunks = bad_chunks.filter(|bad| {
            !is_single_layer
                || agreement
                    .dimensions
                    .iter()
                    .any(|dimension| dimension.id == bad.dimension)
        });

        let bad_chunks: Vec<BadChunk> = bad_chunks.take(MAX_LISTED).cloned().collect();
        let regions_failed = if *is_single_layer {
            bad_chunks.iter().filter(|bad| bad.chunk.is_none()).count() as u64
        } else {
            let findings = self.findings(*number);
            findings.map(|findings| findings.regions_failed).sum()
        };

        let drawn = JobResults {
            tally: Tally {
                regions_failed,
                ..results.tally
            },
            ..results
        };

        let warnings = plan.warnings();
        let mut last_warnings = cut_lists(&bad_chunks, &drawn.tally);
        let is_lit = map_layers.painted().any(Layer::is_lit);
        last_warnings.extend(counted_warnings(&drawn.tally, is_lit));

        for warning in self
            .findings(*number)
            .flat_map(|findings| &findings.warnings)
        {
            if ![&drawn.summary.warnings, &warnings, &last_warnings]
                .iter()
                .any(|others| others.contains(warning))
            {
                last_warnings.push(warning.clone());
            }
        }

        let findings = self.findings(*number);
        let regions_hidden = findings.map(|findings| findings.regions_hidden).sum();
        Account {
            drawn,
            options: Options {
                layers: agreement.layers.clone(),
                ..agreement.options.clone()
            },
            world: WorldFacts {
                name: self.agreement.name.clone(),
                path: None,
                data_version: self.agreement.data_version,
                dimensions: agreement
                    .dimensions
                    .iter()
                    .map(|dimension| dimension.id.clone())
                    .collect(),
            },
            regions_total: plan.order.len() as u64 + regions_hidden,
            regions_hidden,
            bad_chunks,
            first_warnings: Vec::new(),
            warnings,
            last_warnings,
            hiding: HideState::Off,
        }
    }

    fn findings(&self, map: usize) -> impl Iterator<Item = &PartFindings> {
        self.all
            .iter()
            .filter_map(move |part| part.findings.get(map))
    }
}

/// Returns the reason why two parts do not belong together, or `None` if they do.
fn difference(first: &PartFile, other: &PartFile) -> Option<&'static str> {
    let is_other_division = first.shards != other.shards;
    let first = &first.agreement;
    let other = &other.agreement;

    let divisions = first.maps.iter().map(|map| map.division);
    let other_divisions = other.maps.iter().map(|map| map.division);

    if first.version != other.version {
        Some("were drawn by different versions of pixelmap")
    } else if (&first.name, &first.spawn) != (&other.name, &other.spawn) {
        Some("show different worlds")
    } else if is_other_division {
        Some("have different numbers of shards")
    } else if first == other {
        None
    } else if divisions.eq(other_divisions) {
        Some("were drawn with other options")
    } else {
        Some("were drawn with other options, or from different states of the world")
    }
}
