//! The account of a run: what its workers counted and what became of it, as its report says it.

pub(crate) mod run_state;

use std::time::Instant;

use self::run_state::{RunEnd, defect};
use crate::atlas::Naming;
use crate::base::coord::YRange;
use crate::draw::plan::Plan;
use crate::draw::report::{
    ArchiveFacts, BadChunk, BadPlace, Damage, Failure, Options, Outcome, PictureFacts, RegionCounts, Report, Tally,
    TileCounts, WorkerCounts, WorldFacts, peak_memory_bytes,
};
use crate::draw::settings::{Mode, Settings};
use crate::paint::layers::LOOK;
use crate::schedule::{Stop, Summary};
use crate::world::{RegionEntry, Unreadable, World};

/// The results of the workers.
#[derive(Debug)]
pub(crate) struct Drawn {
    pub(crate) tally: Tally,
    pub(crate) failure: Option<Failure>,
    pub(crate) summary: Summary,
    /// Set if no job is left to do.
    pub(crate) all_done: bool,
    pub(crate) start: Instant,
}

impl Drawn {
    /// Collects the results of drawing a plan; `stop` is what could stop it.
    pub(crate) fn of(plan: &Plan, end: RunEnd, summary: Summary, stop: &Stop, start: Instant) -> Self {
        let RunEnd { mut tally, mut failure, has_undone } = end;
        tally.add_beside();
        left_out(plan, &mut tally);
        if summary.not_run > 0 && !stop.requested() {
            failure.get_or_insert_with(|| not_run(&summary));
        }
        let all_done = summary.not_run == 0 && !has_undone;
        Self { tally, failure, summary, all_done, start }
    }
}

/// The failure of a run that was not stopped and still has jobs that were not run.
fn not_run(summary: &Summary) -> Failure {
    let why = summary.warnings.join("; ");
    defect(format!("{} jobs were not run; this is a defect of pixelmap, please report it: {why}", summary.not_run))
}

/// Counts what has no part in the plan and is a gap all the same: regions that lie too far out, and whole dimensions,
/// which count as a region each.
fn left_out(plan: &Plan, tally: &mut Tally) {
    tally.regions_failed += plan.unreadable.len() as u64;
    for (index, dimension) in plan.dimensions.iter().enumerate() {
        tally.regions_failed += dimension.far.len() as u64;
        for entry in &dimension.far {
            let message = "the region lies too far out to have a tile and is not drawn".to_owned();
            tally.bad(index, entry.region, Damage::new(None, "unreadable", message));
        }
    }
}

/// The result of publishing.
#[derive(Default)]
pub(crate) struct Published {
    /// Set if everything was published.
    pub(crate) closed: bool,
    /// Set if the output is empty.
    pub(crate) empty: bool,
    /// Staged tiles that took their places; `None`: none were staged.
    pub(crate) placed: Option<u64>,
    /// The folders of pictures that stay as they are, since their layers were not asked for.
    pub(crate) others: Vec<String>,
    /// Tiles that are gone.
    pub(crate) removed: u64,
    /// The archive, if it is one that was published.
    pub(crate) archive: Option<ArchiveFacts>,
    /// The picture, if it is one.
    pub(crate) picture: Option<PictureFacts>,
}

/// The report of a run.
pub(crate) fn report(
    world: &World,
    plan: &Plan,
    settings: &Settings,
    naming: Naming,
    drawn: Drawn,
    published: Published,
) -> Report {
    let bad_chunks = bad_chunks(plan, &drawn.tally);
    let Drawn { tally, failure, summary, start, .. } = drawn;
    let Published { closed, empty, removed, archive, picture, .. } = published;
    let outcome = match () {
        () if failure.is_some() => Outcome::Failed,
        () if !closed => Outcome::Interrupted,
        () if !bad_chunks.is_empty() => Outcome::Gaps,
        () if empty => Outcome::Empty,
        () => Outcome::Complete,
    };
    let seconds = start.elapsed().as_secs_f64();
    let mut chunks = tally.chunks;
    chunks.edge = chunks.edge.saturating_sub(tally.taken_over);
    chunks.hidden += tally.chunk_findings.unvisited;
    let hidden: u64 = plan.dimensions.iter().map(|dimension| dimension.hidden).sum();
    let left_out = not_listed(chunks.bad + tally.regions_failed, &bad_chunks, &tally);
    let warnings = world.warnings.iter().cloned().chain(summary.warnings).chain(left_out);
    let warnings = warnings.chain(counted_warnings(&tally, settings)).collect();
    let threads = summary.workers.len();
    let workers = summary.workers.iter().map(|worker| WorkerCounts {
        busy_seconds: worker.busy.as_secs_f64(),
        jobs: worker.jobs as u64,
        pulls: worker.pulls as u64,
        steals: worker.steals as u64,
        waits: worker.waits as u64,
    });
    Report {
        outcome,
        error: failure,
        options: options_of(settings, naming),
        world: WorldFacts {
            name: world.name(),
            path: None,
            data_version: world.level.data_version,
            dimensions: plan.dimensions.iter().map(|dimension| dimension.id.clone()).collect(),
        },
        regions: RegionCounts {
            total: (plan.order.len() + plan.dimensions.iter().map(|dimension| dimension.far.len()).sum::<usize>())
                as u64
                + plan.unreadable.len() as u64
                + hidden,
            drawn: tally.regions_drawn,
            unchanged: tally.regions_unchanged,
            failed: tally.regions_failed,
            hidden,
        },
        chunks,
        bad_chunks,
        unknown_blocks: tally.chunk_findings.unknown,
        unknown_biomes: tally.chunk_findings.unknown_biomes,
        not_understood: tally.chunk_findings.not_understood,
        newer: tally.chunk_findings.newer,
        warnings,
        picture,
        archive,
        tiles: TileCounts { written: tally.tiles_written, unchanged: tally.tiles_unchanged, removed },
        seconds,
        peak_memory_bytes: peak_memory_bytes(),
        threads,
        chunks_per_second: (chunks.total() - tally.repeated + chunks.edge) as f64 / seconds.max(1e-9),
        stages: tally.stages,
        workers: workers.collect(),
        maps: Vec::new(),
    }
}

/// Returns the warnings about what was counted in chunks.
fn counted_warnings(tally: &Tally, settings: &Settings) -> Vec<String> {
    let findings = &tally.chunk_findings;
    let mut warnings: Vec<String> = findings.warnings.iter().map(|(what, &count)| times(count, what)).collect();
    if findings.unlit > 0 && settings.layers.iter().any(|layer| layer.is_lit()) {
        let unlit = "a chunk that stores no light, at night lit by what shines in its own columns alone";
        warnings.push(times(findings.unlit, unlit));
    }
    warnings
}

/// A warning that was met so many times.
fn times(count: u64, what: &str) -> String {
    if count == 1 { format!("once {what}") } else { format!("{count} times {what}") }
}

/// Returns the options of a run, as they take effect.
pub(crate) fn options_of(settings: &Settings, naming: Naming) -> Options {
    let full = YRange::ALL;
    let format = if settings.mode == Mode::Image { settings.picture.format } else { naming.format };
    Options {
        area: settings.area.map(|area| [area.x0, area.z0, area.x1, area.z1]),
        min_y: Some(settings.range.min).filter(|&y| y != full.min),
        max_y: Some(settings.range.max).filter(|&y| y != full.max),
        unfinished: settings.unfinished,
        hide: !settings.hide.is_empty(),
        min_inhabited: Some(settings.min_inhabited).filter(|&seconds| seconds > 0),
        layers: settings.layers.iter().map(|layer| layer.name().to_owned()).collect(),
        scheme: (settings.mode == Mode::Map).then_some(naming.scheme.name().into()),
        format: Some(format.name().into()),
        look: LOOK,
        palette: settings.colours.palettes.iter().map(|path| path.display().to_string()).collect(),
        unknown: settings.colours.unknown.to_string(),
        assets: settings.colours.assets.iter().map(|path| path.display().to_string()).collect(),
        max_batch: settings.max_batch,
        staged: settings.staged.is_some(),
    }
}

/// Returns the places that could not be read, with their names.
pub(crate) fn bad_chunks(plan: &Plan, tally: &Tally) -> Vec<BadChunk> {
    let bad = tally.bad.clone().into_sorted();
    let folders = plan.unreadable.iter().map(bad_folder);
    folders.chain(bad.into_iter().map(|place| bad_chunk(plan, place))).collect()
}

/// A folder of regions that could not be read.
fn bad_folder(unreadable: &Unreadable) -> BadChunk {
    BadChunk {
        dimension: unreadable.id.clone(),
        region: unreadable.folder_name(),
        chunk: None,
        reason: "unreadable".into(),
        message: format!("{unreadable}; it is left as it was").into(),
    }
}

/// A place that could not be read, with its names.
fn bad_chunk(plan: &Plan, place: BadPlace) -> BadChunk {
    let BadPlace { dimension, region, damage } = place;
    let dimension = &plan.dimensions[dimension as usize];
    let far = || dimension.far.iter().find(|entry| entry.region == region);
    let entry = dimension.files.get(&region).or_else(far);
    BadChunk {
        dimension: dimension.id.clone(),
        region: entry.map_or_else(|| region.to_string(), RegionEntry::file_name),
        chunk: damage.slot().map(|slot| region.chunk(slot)).map(|chunk| [chunk.x, chunk.z]),
        reason: damage.reason,
        message: damage.message,
    }
}

/// Returns warnings about lists that were cut since they are too long.
fn not_listed(gaps: u64, bad: &[BadChunk], tally: &Tally) -> Vec<String> {
    let mut warnings = Vec::new();
    if gaps > bad.len() as u64 {
        warnings.push(format!("of {gaps} places that could not be read only the first {} are listed", bad.len()));
    }
    if tally.chunk_findings.more_unknown {
        let listed = tally.chunk_findings.unknown.len().max(tally.chunk_findings.unknown_biomes.len());
        warnings.push(format!(
            "more than {listed} blocks or biomes are known to no table: the first {listed} of each by name are listed"
        ));
    }
    warnings
}
