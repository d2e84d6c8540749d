//! A dry run: what a render would draw, and about how much of everything that would take. Nothing is written and no
//! lock is taken.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use crate::coord::{NATIVE_ZOOM, RegionPos, TILE_SIDE, TilePos};
use crate::pipeline::exported::asked::{Asked, ask};
use crate::pipeline::exported::scratch::naming_of;
use crate::pipeline::exported::{picture_facts, removed_by_plan};
use crate::pipeline::map::history::{History, keys};
use crate::pipeline::map::{
    jobs::{Job, jobs},
    state::Map,
};
use crate::pipeline::paint::shared::{Drawing, Worker};
use crate::pipeline::prepare::layers::MapLayers;
use crate::pipeline::progress::Progress;
use crate::pipeline::report::options_of;
use crate::pipeline::settings::{Mode, Settings};
use crate::pipeline::{
    error::RenderError,
    map::removals::check_removals,
    prepare::{Prepared, prepare},
};
use crate::plan::Plan;
use crate::publish::{Content, Format, Naming, Output, check_file};
use crate::region::RegionFile;
use crate::report::{Options, PictureFacts};
use crate::schedule::{self, Stop, Work};
use crate::world::{RegionEntry, World};

/// Bytes of tiles of one layer, those further out included, a chunk drawn. Measured on natural worlds: 40 to 130.
const BYTES_A_CHUNK: u64 = 100;
/// Memory of a process before it draws anything: palettes and the program itself. Measured: 8 MiB.
const MEMORY_BASE: u64 = 8 << 20;
/// Memory of a worker, whatever the layers. Measured: 4 MiB, and as much again for its share of the cached borders.
const MEMORY_A_WORKER: u64 = 8 << 20;
/// Memory of a worker for each layer: a tile of 1 MiB, and 8 quarters of a tile, held until their parents are drawn.
const MEMORY_A_LAYER: u64 = 3 << 20;
/// Memory of the plan, the manifests and the journal's places for each region and layer.
const MEMORY_A_REGION: u64 = 500;

/// The account of what a run would do.
#[derive(Debug, Clone, Default, Serialize)]
pub struct DryRun {
    /// The settings in effect for each of its maps, in the order in which they would be drawn.
    pub maps: Vec<DryMap>,
    /// By map, and by dimension of it.
    pub dimensions: Vec<DryDimension>,
    /// The layers that would be drawn, of any map.
    pub layers: Vec<String>,
    /// Workers.
    pub threads: usize,
    /// Tiles of all layers.
    pub tiles: DryTiles,
    /// The picture, if it is one; there are no tiles then.
    pub picture: Option<PictureFacts>,
    /// About how many bytes the tiles to be written have, or the picture.
    pub estimated_bytes: u64,
    /// About how much memory it takes.
    pub estimated_memory_bytes: u64,
}

/// The settings in effect for one map.
#[derive(Debug, Clone, Serialize)]
pub struct DryMap {
    /// The output folder, or the file.
    pub output: String,
    /// The ids of its dimensions.
    pub dimensions: Vec<String>,
    /// The other options, from the command line and the configuration file.
    pub options: Options,
}

/// The part of a dimension that would be drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DryDimension {
    /// The dimension's id.
    pub id: String,
    /// Region files that take part.
    pub regions: u64,
    /// Those of them that would be skipped, since they are unchanged.
    pub unchanged: u64,
    /// Region files that are hidden whole.
    pub hidden: u64,
    /// Region files too far out to have a tile, by name.
    pub far: Vec<String>,
    /// Slots in use in the regions that would be drawn, by their headers.
    pub chunks: u64,
    /// Bytes of the region files that would be drawn.
    pub bytes: u64,
    /// Why nothing of it would be drawn, where its region files cannot be listed.
    pub unreadable: Option<String>,
}

/// Tiles of a render.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct DryTiles {
    /// Native ones, at most: a region in which nothing is drawn has none.
    pub native: u64,
    /// Those further out, at most.
    pub outer: u64,
    /// Tiles that would be gone, as far as the plan tells.
    pub removed: u64,
}

/// The regions that would be drawn.
#[derive(Debug, Default)]
struct Found {
    drawn: BTreeSet<(u32, TilePos)>,
    dimensions: Vec<DryDimension>,
}

/// Looks at each region of a map as a render would, and draws none.
struct Looking<'a> {
    map: Map<'a>,
    counting: Counting<'a>,
}

/// Counts what is in regions. By itself it takes all for changed: what goes into one file is drawn whole each time.
struct Counting<'a> {
    plan: &'a Plan,
    found: Mutex<Found>,
}

impl<'a> Work for &'a Looking<'_> {
    type Job = Job;
    type Worker = Worker<'a>;

    fn worker(&self, _: usize) -> Worker<'a> {
        self.map.drawing.worker()
    }

    fn run(&self, worker: &mut Worker<'a>, job: &Job) {
        let Some(region) = job.tile.region() else { return };
        let of_plan = self.map.drawing.region(job.dimension as usize, region);
        let unchanged = self.map.leave_unchanged(worker, &of_plan);
        self.counting.count(job, region, unchanged);
    }

    fn panicked(&self, _: &Job, _: &str) {}
}

impl Work for &Counting<'_> {
    type Job = Job;
    type Worker = ();

    fn worker(&self, _: usize) {}

    fn run(&self, (): &mut (), job: &Job) {
        if let Some(region) = job.tile.region() {
            self.count(job, region, false);
        }
    }

    fn panicked(&self, _: &Job, _: &str) {}
}

impl<'a> Counting<'a> {
    fn of(plan: &'a Plan) -> Self {
        let dimensions = plan.dimensions.iter().map(|dimension| DryDimension {
            id: dimension.id.clone(),
            hidden: dimension.hidden,
            far: dimension.far.iter().map(RegionEntry::file_name).collect(),
            ..DryDimension::default()
        });
        Self { plan, found: Mutex::new(Found { dimensions: dimensions.collect(), ..Found::default() }) }
    }

    fn count(&self, job: &Job, region: RegionPos, unchanged: bool) {
        let entry = self.plan.dimensions[job.dimension as usize].files.get(&region);
        let chunks = entry.filter(|_| !unchanged).map_or(0, |entry| self.chunks(job.dimension, region, entry));
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let dimension = &mut found.dimensions[job.dimension as usize];
        dimension.regions += 1;
        dimension.unchanged += u64::from(unchanged);
        if !unchanged {
            dimension.chunks += chunks;
            dimension.bytes += entry.map_or(0, |entry| entry.bytes);
            found.drawn.insert((job.dimension, job.tile));
        }
    }

    fn chunks(&self, dimension: u32, region: RegionPos, entry: &RegionEntry) -> u64 {
        let folder = &self.plan.dimensions[dimension as usize].folder;
        RegionFile::open(&entry.path(folder), region).map_or(0, |file| file.header().in_use() as u64)
    }

    fn end(self) -> Found {
        let mut found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.dimensions.extend(self.plan.unreadable.iter().map(|unreadable| DryDimension {
            id: unreadable.id.clone(),
            unreadable: Some(unreadable.to_string()),
            ..DryDimension::default()
        }));
        found
    }
}

impl DryRun {
    /// Adds the next map of the same run, which would be drawn when this one stands.
    fn join(mut self, next: Self) -> Self {
        self.maps.extend(next.maps);
        self.dimensions.extend(next.dimensions);
        let new: Vec<String> = next.layers.into_iter().filter(|name| !self.layers.contains(name)).collect();
        self.layers.extend(new);
        self.threads = self.threads.max(next.threads);
        let (ours, theirs) = (&mut self.tiles, next.tiles);
        *ours = DryTiles {
            native: ours.native + theirs.native,
            outer: ours.outer + theirs.outer,
            removed: ours.removed + theirs.removed,
        };
        self.picture = self.picture.or(next.picture);
        self.estimated_bytes += next.estimated_bytes;
        self.estimated_memory_bytes = self.estimated_memory_bytes.max(next.estimated_memory_bytes);
        self
    }
}

/// Finds out what a run that draws these maps would do.
///
/// # Errors
/// Those of a render, without those that only writing brings up.
pub fn dry_run(world: &World, maps: &[Settings], stop: &Stop) -> Result<DryRun, RenderError> {
    let mut run: Option<DryRun> = None;
    for settings in maps {
        let map = match settings.mode {
            Mode::Map => dry_map(world, settings, stop)?,
            Mode::Archive | Mode::Regions { .. } | Mode::Image => dry_export(world, &ask(world, settings)?, stop)?,
        };
        if let Mode::Archive | Mode::Image = settings.mode {
            check_file(&settings.output, &world.folders).map_err(RenderError::Output)?;
        }
        run = Some(match run {
            None => map,
            Some(run) => run.join(map),
        });
    }
    Ok(run.unwrap_or_default())
}

fn dry_map(world: &World, settings: &Settings, stop: &Stop) -> Result<DryRun, RenderError> {
    let prepared = prepare(world, settings)?;
    let Prepared { threads, palette, plan, slimes, identity, .. } = &prepared;
    let output = Output::look(Content::Map, settings.naming, &settings.output, identity, &world.folders);
    let output = output.map_err(RenderError::Output)?;
    let removed = check_removals(&output, &prepared, settings)?.count();
    let map_layers = MapLayers::new(plan, settings, output.naming());
    let keys = keys(world, plan, &map_layers, settings, palette, *slimes);
    let history = History::open(&output, keys).map_err(RenderError::Output)?;
    let names = crate::pipeline::prepare::names(world, palette);
    let progress = Progress::default();
    let drawing =
        Drawing::new(plan, settings, &progress, (map_layers, palette.clone(), names, *slimes), stop, *threads);
    let looking = Looking { map: Map::new(drawing, &output, history, *threads), counting: Counting::of(plan) };
    schedule::run(&&looking, jobs(plan), &settings.schedule(*threads), stop);
    Ok(estimate(settings, output.naming(), plan, looking.counting.end(), *threads, removed))
}

/// Of what is drawn whole each time.
fn dry_export(world: &World, asked: &Asked, stop: &Stop) -> Result<DryRun, RenderError> {
    let Asked { prepared: Prepared { plan, threads, .. }, settings, picture, .. } = asked;
    let removed = removed_by_plan(world, asked)?;
    let counting = Counting::of(plan);
    schedule::run(&&counting, jobs(plan), &settings.schedule(*threads), stop);
    let of_map = estimate(settings, naming_of(settings), plan, counting.end(), *threads, removed);
    let Some(picture) = picture else { return Ok(of_map) };
    let ((width, height), (pixel_width, pixel_height)) = (picture.sides(), picture.grid().pixel_blocks());
    // A row of tiles is decoded whole; of a WebP all pixels are held.
    let is_webp = settings.picture.format == Format::Webp;
    let rows = TILE_SIDE as u64 + if is_webp { u64::from(height) } else { 0 };
    Ok(DryRun {
        picture: Some(picture_facts(picture)),
        tiles: DryTiles::default(),
        estimated_bytes: (of_map.estimated_bytes as f64 / (pixel_width * pixel_height)) as u64,
        estimated_memory_bytes: of_map.estimated_memory_bytes + u64::from(width) * 4 * rows,
        ..of_map
    })
}

fn estimate(settings: &Settings, naming: Naming, plan: &Plan, found: Found, threads: usize, removed: u64) -> DryRun {
    let layers = settings.layers.len() as u64;
    let (native, outer) = (found.drawn.len() as u64, outer(plan, &found.drawn));
    let chunks: u64 = found.dimensions.iter().map(|dimension| dimension.chunks).sum();
    let regions: u64 = found.dimensions.iter().map(|dimension| dimension.regions).sum();
    let workers = threads as u64 * (MEMORY_A_WORKER + layers * MEMORY_A_LAYER);
    let map = DryMap {
        output: settings.output.display().to_string(),
        dimensions: plan.dimensions.iter().map(|dimension| dimension.id.clone()).collect(),
        options: options_of(settings, naming),
    };
    DryRun {
        maps: vec![map],
        dimensions: found.dimensions,
        layers: settings.layers.iter().map(|layer| layer.name().to_owned()).collect(),
        threads,
        tiles: DryTiles { native: native * layers, outer: outer * layers, removed },
        picture: None,
        estimated_bytes: chunks * layers * BYTES_A_CHUNK,
        estimated_memory_bytes: MEMORY_BASE + workers + regions * layers * MEMORY_A_REGION,
    }
}

/// Counts the outer tiles that show any of these.
fn outer(plan: &Plan, drawn: &BTreeSet<(u32, TilePos)>) -> u64 {
    let (mut level, mut count) = (drawn.clone(), 0);
    for zoom in (0..NATIVE_ZOOM).rev() {
        let kept = |(dimension, tile): &(u32, TilePos)| {
            (plan.dimensions[*dimension as usize].pyramid.min_zoom() <= zoom).then(|| (*dimension, tile.parent()))
        };
        level = level.iter().filter_map(kept).collect();
        count += level.len() as u64;
    }
    count
}
