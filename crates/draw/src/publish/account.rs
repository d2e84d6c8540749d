//! The account of a run, from which its report is made: the counts of its workers and the facts of
//! the published map.

use std::collections::BTreeMap;

use crate::map::context::RunContext;
use crate::report::{
    ArchiveFacts, BadChunk, ChunkFindings, Damage, Failure, MAX_LISTED, OddDimensions, Options,
    Outcome, PictureFacts, Quality, RegionCounts, RegionDamage, Report, Tally, Thresholds,
    TileCounts, UnknownBlock, UnknownName, WorkerCounts, WorldFacts, peak_memory_bytes, times,
};
use crate::request::plan::{DimensionPlan, Plan};
use crate::request::prepare::early_warnings;
use crate::request::shown_options::shown_options;
use crate::run_state::JobResults;
use pixelmap_base::words::{HIDE, MIN_INHABITED};
use pixelmap_world::internal::{FileDamage, UnreadableDimension};

/// Everything that the report of a drawn map needs, except the facts about its publication.
#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) drawn: JobResults,
    pub(crate) options: Options,
    pub(crate) world: WorldFacts,
    /// All regions: the planned ones, the ones that cannot be drawn, and the hidden ones.
    pub(crate) regions_total: u64,
    /// Regions that are hidden completely.
    pub(crate) regions_hidden: u64,
    /// The places that could not be read, limited to the first ones if there are many.
    pub(crate) bad_chunks: Vec<BadChunk>,
    /// Warnings that are shown before the warnings of the workers.
    pub(crate) first_warnings: Vec<String>,
    pub(crate) warnings: Vec<String>,
    /// Warnings about counts, which are shown after all others.
    pub(crate) last_warnings: Vec<String>,
    pub(crate) hiding: HideState,
}

/// Whether anything must not be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HideState {
    Off,
    On,
    /// Hidden places are requested, but none of them is in the drawn part.
    InVain,
}

impl Account {
    /// Makes the account of a map of a world. `marker_warnings` come from reading its markers.
    pub(crate) fn new(
        context: RunContext<'_, '_>,
        mut drawn: JobResults,
        marker_warnings: &[String],
    ) -> Self {
        let RunContext {
            world,
            settings,
            prepared,
            early,
            output,
            ..
        } = context;
        let plan = &prepared.plan;
        add_left_out(plan, &mut drawn.tally);
        if let Some(early) = early {
            drawn.start = early.began();
            drawn.tally.stages.add(&early.stages());
        }

        let far: usize = plan
            .dimensions
            .iter()
            .map(|dimension| dimension.far.len())
            .sum();

        let regions_hidden: u64 = plan
            .dimensions
            .iter()
            .map(|dimension| dimension.hidden)
            .sum();

        let bad_chunks = bad_chunks(plan, &drawn.tally);
        let mut last_warnings = cut_lists(&bad_chunks, &drawn.tally);
        let is_lit = settings.request.layers.iter().any(|layer| layer.is_lit());
        last_warnings.extend(counted_warnings(&drawn.tally, is_lit));
        let hides_some = settings.request.shard.is_some()
            || settings.look.hide.is_empty()
            || regions_hidden > 0
            || drawn.tally.chunks.hidden > 0;

        Self {
            options: shown_options(settings, output.naming()),
            world: WorldFacts {
                name: world.name(),
                path: None,
                data_version: world.level.data_version,
                dimensions: plan
                    .dimensions
                    .iter()
                    .map(|dimension| dimension.id.clone())
                    .collect(),
            },
            regions_total: (plan.order.len() + far + plan.unreadable.len() + plan.damage.len())
                as u64
                + regions_hidden,
            regions_hidden,
            bad_chunks,
            first_warnings: world.warnings.clone(),
            warnings: [
                early_warnings(prepared, settings).as_slice(),
                marker_warnings,
            ]
            .concat(),
            last_warnings,
            hiding: match settings.is_hiding() {
                false => HideState::Off,
                true if hides_some => HideState::On,
                true => HideState::InVain,
            },
            drawn,
        }
    }

    /// Returns whether the whole map is drawn.
    pub(crate) fn is_whole(&self) -> bool {
        self.drawn.failure.is_none() && self.drawn.is_done
    }

    fn odd_dimensions(&self) -> OddDimensions {
        let counts = &self.drawn.tally.dimensions;
        let dimensions = (0..).zip(&self.world.dimensions);
        OddDimensions::new(
            dimensions
                .map(|(number, id)| (&**id, counts.get(&number).copied().unwrap_or_default())),
        )
    }

    /// Makes the report of the run.
    pub(crate) fn report(self, published: PublishedMap) -> Report {
        let odd_dimensions = self.odd_dimensions();
        let findings = &self.drawn.tally.chunk_findings;
        let unknown_blocks = unknown_names(&self.world, &findings.unknown);
        let unknown_biomes = unknown_names(&self.world, &findings.unknown_biomes);

        let Self {
            drawn,
            options,
            world,
            regions_total,
            regions_hidden,
            bad_chunks,
            hiding,
            ..
        } = self;

        let JobResults {
            tally,
            failure,
            summary,
            start,
            ..
        } = drawn;
        let error = failure.or(published.failure);

        let mut chunks = tally.chunks;
        chunks.edge = chunks.edge.saturating_sub(tally.taken_over);
        chunks.hidden += tally.chunk_findings.unvisited;

        let outcome = if error.is_some() {
            Outcome::Failed
        } else if !published.is_closed {
            Outcome::Interrupted
        } else if chunks.bad + tally.regions_failed > 0 || !bad_chunks.is_empty() {
            Outcome::Gaps
        } else if published.is_empty {
            Outcome::Empty
        } else {
            Outcome::Complete
        };

        let mut warnings = [
            self.first_warnings,
            summary.warnings,
            self.warnings,
            published.warnings,
        ]
        .concat();

        warnings.extend(hide_warnings(
            hiding,
            published.is_closed,
            &published.others,
        ));

        warnings.extend(self.last_warnings);
        let seconds = start.elapsed().as_secs_f64();
        let workers = summary.workers.iter().map(|worker| WorkerCounts {
            busy_seconds: worker.busy.as_secs_f64(),
            jobs: worker.jobs as u64,
            pulls: worker.pulls as u64,
            steals: worker.steals as u64,
            waits: worker.waits as u64,
        });

        let tiles = published.tiles;
        Report {
            outcome,
            error,
            options,
            world,
            regions: RegionCounts {
                total: regions_total,
                drawn: tally.regions_drawn,
                unchanged: tally.regions_unchanged,
                failed: tally.regions_failed,
                hidden: regions_hidden,
            },
            chunks,
            bad_chunks,
            unknown_blocks,
            unknown_biomes,
            not_understood: tally.chunk_findings.not_understood,
            newer: tally.chunk_findings.newer,
            odd_dimensions,
            warnings,
            picture: published.picture,
            archive: published.archive,
            bucket: None,
            download: None,
            tiles: TileCounts {
                written: tally.tiles_written + tiles.written,
                unchanged: tally.tiles_unchanged + tiles.unchanged,
                removed: tiles.removed,
            },
            seconds,
            peak_memory_bytes: peak_memory_bytes(),
            threads: workers.len(),
            chunks_per_second: (chunks.total() - tally.repeated + chunks.edge) as f64
                / seconds.max(1e-9),
            stages: tally.stages,
            workers: workers.collect(),
            maps: Vec::new(),
        }
    }
}

/// The facts about the publication of a drawn map.
#[derive(Debug, Clone, Default)]
pub(crate) struct PublishedMap {
    /// The reason why nothing was published.
    pub(crate) failure: Option<Failure>,
    /// Whether everything was published.
    pub(crate) is_closed: bool,
    /// Whether all tiles of the output are empty.
    pub(crate) is_empty: bool,
    /// The tiles that the commit published or removed, in addition to the tiles that workers wrote
    /// to their places.
    pub(crate) tiles: TileCounts,
    /// The folders of layers that this run left unchanged because they were not requested.
    pub(crate) others: Vec<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) archive: Option<ArchiveFacts>,
    pub(crate) picture: Option<PictureFacts>,
}

/// Calls `publish` if all maps are complete and, in a staged run, meet the thresholds together.
/// Returns one `PublishedMap` per map.
pub(crate) fn publish_whole(
    accounts: &[&Account],
    staged: Option<Thresholds>,
    publish: impl FnOnce() -> Result<Vec<PublishedMap>, Failure>,
) -> Vec<PublishedMap> {
    if !accounts.iter().all(|account| account.is_whole()) {
        return vec![PublishedMap::default(); accounts.len()];
    }

    let quality: Quality = accounts
        .iter()
        .map(|account| Quality::new(&account.drawn.tally, account.odd_dimensions()))
        .sum();

    let published = match staged.and_then(|thresholds| thresholds.withhold(&quality)) {
        Some(failure) => Err(failure),
        None => publish(),
    };

    published.unwrap_or_else(|failure| {
        vec![
            PublishedMap {
                failure: Some(failure),
                ..PublishedMap::default()
            };
            accounts.len()
        ]
    })
}

/// Returns warnings if nothing is hidden, or if hidden places may be visible in `others`, the
/// layers that this run did not draw.
fn hide_warnings(hiding: HideState, is_closed: bool, others: &[String]) -> Vec<String> {
    let mut warnings = Vec::new();
    if hiding == HideState::InVain && is_closed {
        warnings.push(format!(
            "{HIDE} hides nothing that is drawn: give positions in blocks, first x and then z"
        ));
    }

    if hiding != HideState::Off && !others.is_empty() {
        warnings.push(format!(
            "hidden places may still be visible in layers that this run did not draw: draw {} with \
             the same options",
            others.join(", ")
        ));
    }

    warnings
}

/// Counts gaps that are not in the plan: regions too far out, unreadable dimensions and damaged
/// files. Each of them counts as one region.
fn add_left_out(plan: &Plan, tally: &mut Tally) {
    tally.regions_failed += (plan.unreadable.len() + plan.damage.len()) as u64;

    for (number, DimensionPlan { far, .. }) in plan.dimensions.iter().enumerate() {
        tally.regions_failed += far.len() as u64;

        for entry in far {
            let message =
                "the region is too far from the origin to have a tile, so it is not drawn"
                    .to_owned();
            tally.count_bad(
                number,
                entry.region,
                Damage::new(None, "unreadable", message),
            );
        }
    }
}

/// Returns warnings about the counts of chunk findings.
pub(crate) fn counted_warnings(tally: &Tally, is_lit: bool) -> Vec<String> {
    let findings = &tally.chunk_findings;

    let unknown_time =
        format!("a chunk that {MIN_INHABITED} hides does not store how long players were in it");

    let mut warnings = Vec::new();
    for (what, &count) in &findings.warnings {
        let shown = if what == ChunkFindings::UNKNOWN_TIME {
            &unknown_time
        } else {
            what.as_ref()
        };
        warnings.push(times(count, shown));
    }

    if tally.unlit > 0 && is_lit {
        let unlit =
            "a chunk that stores no light: layer night shows only light sources in its own columns";
        warnings.push(times(tally.unlit, unlit));
    }

    warnings
}

/// Returns the places that could not be read, with their names.
fn bad_chunks(plan: &Plan, tally: &Tally) -> Vec<BadChunk> {
    let bad = tally.bad.clone().into_sorted();
    let folders = plan.unreadable.iter().map(bad_folder);
    let files = plan
        .damage
        .iter()
        .take(MAX_LISTED)
        .map(|damage| bad_file(plan, damage));
    folders
        .chain(files)
        .chain(bad.into_iter().map(|position| bad_chunk(plan, position)))
        .collect()
}

/// Describes a folder of regions that could not be read.
fn bad_folder(unreadable: &UnreadableDimension) -> BadChunk {
    BadChunk {
        dimension: unreadable.id.clone(),
        region: unreadable.folder_name(),
        chunk: None,
        reason: "unreadable".into(),
        message: format!("{unreadable}; the earlier file is kept").into(),
    }
}

/// Describes a file of the world's database that could not be read completely. It may have held
/// chunks of any dimension.
fn bad_file(plan: &Plan, damage: &FileDamage) -> BadChunk {
    BadChunk {
        dimension: plan
            .dimensions
            .first()
            .map(|dimension| dimension.id.clone())
            .unwrap_or_default(),
        region: damage.file.clone(),
        chunk: None,
        reason: damage.defect.word().into(),
        message: damage.description().into(),
    }
}

/// Adds the names to a place that could not be read.
fn bad_chunk(plan: &Plan, damaged: RegionDamage) -> BadChunk {
    let RegionDamage {
        dimension,
        region,
        damage,
    } = damaged;

    let dimension = &plan.dimensions[dimension as usize];
    let entry = dimension
        .files
        .get(&region)
        .or_else(|| dimension.far.iter().find(|entry| entry.region == region));

    BadChunk {
        dimension: dimension.id.clone(),
        region: entry.map_or_else(
            || region.to_string(),
            |entry| entry.file_name(damage.slot()),
        ),
        chunk: damage
            .slot()
            .map(|slot| region.chunk(slot))
            .map(|chunk| [chunk.x, chunk.z]),
        reason: damage.reason,
        message: damage.message,
    }
}

/// Returns unknown names with the ids of their dimensions.
fn unknown_names(
    world: &WorldFacts,
    unknown: &BTreeMap<String, UnknownBlock>,
) -> BTreeMap<String, UnknownName> {
    let mut names = BTreeMap::new();
    for (name, seen) in unknown {
        let dimension = world.dimensions.get(seen.dimension as usize);
        let named = UnknownName {
            columns: seen.columns,
            dimension: dimension.cloned().unwrap_or_default(),
            first: seen.first,
            states: seen.states.clone(),
        };
        names.insert(name.clone(), named);
    }

    names
}

/// Returns warnings about lists that were cut because they were too long.
pub(crate) fn cut_lists(bad: &[BadChunk], tally: &Tally) -> Vec<String> {
    let mut warnings = Vec::new();
    let gaps = tally.chunks.bad + tally.regions_failed;
    if gaps > bad.len() as u64 {
        warnings.push(format!(
            "only the first {} of {gaps} places that could not be read are listed",
            bad.len()
        ));
    }

    if tally.chunk_findings.more_unknown {
        let listed = tally
            .chunk_findings
            .unknown
            .len()
            .max(tally.chunk_findings.unknown_biomes.len());
        warnings.push(format!(
            "more than {listed} blocks or biomes are unknown: only the first {listed} of each are \
             listed, by name"
        ));
    }

    warnings
}
