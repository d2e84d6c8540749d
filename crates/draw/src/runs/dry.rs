//! A dry run finds the regions that a render would draw, and estimates the disk space and memory
//! that it would need. It does not write anything or take a lock.

use std::collections::BTreeSet;
use std::sync::Mutex;

use serde::Serialize;

use crate::map::context::RunContext;
use crate::map::{Map, tile_plan};
use crate::painter::chunk::SlotContent;
use crate::painter::chunk_use::ChunkUse;
use crate::painter::shared::{PaintWorker, PlannedRegion};
use crate::publish::removals::check_removals;
use crate::report::progress::Progress;
use crate::report::{Options, PictureFacts};
use crate::request::error::RenderError;
use crate::request::layers::MapLayers;
use crate::request::plan::{DimensionRegion, Plan};
use crate::request::prepare::{RunPlan, choose_colours, prepare};
use crate::request::settings::{Mode, Settings};
use crate::request::shown_options::shown_options;
use crate::run_state::Interruption;
use crate::runs::scratch::request::{ExportRequest, prepare_export};
use crate::runs::scratch::scratch_map::tile_naming;
use crate::runs::scratch::{picture_facts, removed_by_plan};
use crate::schedule::{self, Stop};
use crate::tiles::jobs::region_jobs;
use crate::tiles::map_tiles::make_tiles;
use crate::tiles::tile_jobs::{NativeTiles, TileJobs};
use pixelmap_base::coord::{CHUNK_AREA, NATIVE_ZOOM, RegionPos, Slot, TILE_SIDE, TilePos};
use pixelmap_base::mutex;
use pixelmap_map::atlas::{Content, Format, Naming};
use pixelmap_map::export::Grid;
use pixelmap_map::store::{Output, check_apart, check_file};
use pixelmap_paint::surface::Columns;
use pixelmap_world::internal::Region;
use pixelmap_world::internal::World;

/// Bytes of the tiles of one layer per drawn chunk, including outer tiles. Measured on natural
/// worlds: 40 to 130.
const BYTES_A_CHUNK: u64 = 100;
/// Pixels per byte of tiles with textures. Measured with textures of noise: 3.2. Smoother textures
/// need fewer bytes.
const INNER_PIXELS_A_BYTE: u64 = 4;
/// Memory of a worker for the columns of a region that textures need, and also the memory of all
/// textures. Measured with one worker: 8 MiB for both.
const MEMORY_OF_TEXTURES: u64 = 8 << 20;
/// Memory of the manifest and of the journal's index for each tile with textures.
const MEMORY_AN_INNER_TILE: u64 = 250;
/// Bytes of a picture at scale 1 per drawn chunk. Measured on 20 natural worlds: 19 to 212, and 50
/// to 152 for half of them.
const PICTURE_BYTES_A_CHUNK: f64 = 125.0;
/// About how many chunks are read to estimate the fraction of stored chunks that would be drawn,
/// because most chunks of many modern worlds are unfinished.
const PROBES: usize = 512;
/// The most chunks that are read in one region for this.
const PROBES_A_REGION: usize = 16;
/// Memory of a process before it draws anything: palettes and the program itself. Measured: 8 MiB.
const MEMORY_BASE: u64 = 8 << 20;
/// Memory of a worker with any number of layers. Measured: 4 MiB, and the same again for its share
/// of the cached borders.
const MEMORY_A_WORKER: u64 = 8 << 20;
/// Memory of a worker per layer: a tile of 1 MiB, and 8 quarters of tiles that wait for their
/// parents.
const MEMORY_A_LAYER: u64 = 3 << 20;
/// Memory of the plan, the manifests and the journal's index for each region and layer.
const MEMORY_A_REGION: u64 = 500;

/// The result of a dry run.
#[derive(Debug, Clone, Default, Serialize)]
pub struct DryRun {
    /// The settings in effect for each map, in the order in which the maps would be drawn.
    pub maps: Vec<DryMap>,
    /// The dimensions of all maps, in the same order.
    pub dimensions: Vec<DryDimension>,
    /// The parts of the world's database that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub damage: Vec<String>,
    /// The layers that would be drawn in any of the maps.
    pub layers: Vec<String>,
    pub threads: usize,
    pub tiles: DryTiles,
    /// The picture, if the output is one. There are no tiles then.
    pub picture: Option<PictureFacts>,
    /// About how many bytes the new tiles or the picture would have.
    pub estimated_bytes: u64,
    /// About how much memory the run would need.
    pub estimated_memory_bytes: u64,
}

/// The settings in effect for one map.
#[derive(Debug, Clone, Serialize)]
pub struct DryMap {
    /// The output folder or file.
    pub output: String,
    /// The ids of its dimensions.
    pub dimensions: Vec<String>,
    /// The other options, from the command line and the configuration file.
    pub options: Options,
}

/// The part of a dimension that would be drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DryDimension {
    pub id: String,
    /// The number of requested region files.
    pub regions: u64,
    /// The number of region files that would be skipped because they are unchanged.
    pub unchanged: u64,
    /// The number of region files that are hidden completely.
    pub hidden: u64,
    /// The names of region files that are too far out to have a tile.
    pub far: Vec<String>,
    /// The number of stored chunks in the regions that would be drawn, according to their headers.
    pub chunks: u64,
    /// The size of the region files that would be drawn.
    pub bytes: u64,
    /// The reason why nothing would be drawn, if the region files cannot be listed.
    pub unreadable: Option<String>,
}

/// The tiles that a render would write or remove.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct DryTiles {
    /// The most native tiles. A region without anything to see gets no tile.
    pub native: u64,
    /// The most tiles of outer zoom levels.
    pub outer: u64,
    /// The most tiles with textures, whose zoom levels are higher than the native one.
    #[serde(skip_serializing_if = "is_zero")]
    pub inner: u64,
    /// The tiles that would be removed, as far as the plan shows.
    pub removed: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Decides for each region of a map whether a render would draw it, and counts its chunks, without
/// drawing.
struct CountOnly<'a> {
    map: Map<'a>,
    counts: &'a Mutex<DryCounts>,
}

/// The regions that would be drawn, and their contents.
struct DryCounts {
    drawn: BTreeSet<(u32, TilePos)>,
    dimensions: Vec<DryDimension>,
    sample: RegionSample,
}

/// The chunks that the estimate is based on: the stored ones in drawn regions, the part of them
/// that was read, and the part of the read ones that would be drawn.
#[derive(Debug, Clone, Copy, Default)]
struct RegionSample {
    stored: u64,
    read: u64,
    drawn: u64,
}

impl<'s> NativeTiles<'s> for CountOnly<'_> {
    type Worker = PaintWorker<'s>;

    fn worker(&'s self) -> PaintWorker<'s> {
        self.map.painter.worker()
    }

    fn make_region(
        &self,
        worker: &mut PaintWorker<'s>,
        dimension: usize,
        pos: RegionPos,
    ) -> Result<(), Interruption> {
        let region = self.map.painter.region(dimension, pos);
        let is_unchanged = matches!(self.map.leave_unchanged(worker, &region), Ok(Some(_)));
        let file = if is_unchanged {
            None
        } else {
            region.open().and_then(Result::ok)
        };

        let chunks = file.as_ref().map_or(0, |file| file.stored().count() as u64);
        let sample = file.map_or_else(RegionSample::default, |file| {
            self.sample(worker, &region, file)
        });
        let mut counts = mutex::lock(self.counts);
        counts.sample.stored += sample.stored;
        counts.sample.read += sample.read;
        counts.sample.drawn += sample.drawn;
        let counted = &mut counts.dimensions[dimension];
        counted.regions += 1;

        if is_unchanged {
            counted.unchanged += 1;
        } else {
            counted.chunks += chunks;
            counted.bytes += region.entry.map_or(0, |entry| entry.bytes);
            counts.drawn.insert((dimension as u32, pos.tile()));
        }

        Ok(())
    }
}

impl CountOnly<'_> {
    /// Counts the chunks of a region, and reads some of them if the region is part of the sample.
    fn sample(
        &self,
        worker: &mut PaintWorker<'_>,
        region: &PlannedRegion<'_>,
        mut file: Region,
    ) -> RegionSample {
        let painter = &self.map.painter;
        let regions = painter.plan.order.len().max(1);
        let stride = i32::try_from(regions.div_ceil(PROBES)).unwrap_or(i32::MAX);
        let slots: Vec<Slot> = Slot::all()
            .filter(|&slot| file.has(slot) && region.chunk_use(slot) == ChunkUse::Drawn)
            .collect();
        let mut sample = RegionSample {
            stored: slots.len() as u64,
            ..RegionSample::default()
        };

        if region
            .pos
            .x
            .wrapping_mul(31)
            .wrapping_add(region.pos.z)
            .rem_euclid(stride)
            != 0
        {
            return sample;
        }

        let count = (PROBES / regions).clamp(1, PROBES_A_REGION);
        let views = painter.map_layers.views(region.dimension).iter();
        let mut columns: Vec<Box<Columns>> = views.map(|_| Box::default()).collect();
        for &slot in slots.iter().step_by(slots.len().div_ceil(count).max(1)) {
            let outs = columns.iter_mut().map(|columns| &mut **columns);
            let (content, _) = worker.reader.columns(
                &mut file,
                slot,
                painter.chunk_filter(region.dimension),
                outs,
            );
            sample.read += 1;
            sample.drawn += u64::from(matches!(content, SlotContent::Drawn(_)));
        }

        sample
    }
}

impl DryCounts {
    /// Returns about how many chunks would be drawn.
    fn chunks(&self) -> u64 {
        let RegionSample {
            stored,
            read,
            drawn,
        } = self.sample;
        (stored * drawn).checked_div(read).unwrap_or(stored)
    }

    fn new(plan: &Plan) -> Self {
        let dimensions = plan.dimensions.iter().map(|dimension| DryDimension {
            id: dimension.id.clone(),
            hidden: dimension.hidden,
            far: dimension
                .far
                .iter()
                .map(|entry| entry.file_name(None))
                .collect(),
            ..DryDimension::default()
        });

        let unreadable = plan.unreadable.iter().map(|unreadable| DryDimension {
            id: unreadable.id.clone(),
            unreadable: Some(unreadable.to_string()),
            ..DryDimension::default()
        });

        Self {
            drawn: BTreeSet::new(),
            dimensions: dimensions.chain(unreadable).collect(),
            sample: RegionSample::default(),
        }
    }
}

/// Predicts the results of a run that draws these maps.
///
/// # Errors
/// Fails for the same reasons as a render that ends before it writes anything.
pub fn dry_run(world: &World, maps: &[Settings], stop: &Stop) -> Result<DryRun, RenderError> {
    let damage = world.damage().iter().map(ToString::to_string).collect();
    let mut run = DryRun {
        damage,
        ..DryRun::default()
    };

    for settings in maps {
        match settings.output.mode {
            Mode::Map => run.add_map(world, settings, stop)?,
            Mode::Archive | Mode::Regions { .. } | Mode::Image => {
                run.add_export(world, settings, stop)?;
            }
        }
    }

    Ok(run)
}

/// Counts the regions that a run would draw.
fn count_regions(context: RunContext<'_, '_>) -> Result<DryCounts, RenderError> {
    let RunContext {
        world,
        settings,
        prepared,
        output,
        progress,
        stop,
        ..
    } = context;
    let counts = Mutex::new(DryCounts::new(&prepared.plan));

    let tile_plan = tile_plan(world, prepared, settings, output.naming());
    make_tiles(output, tile_plan, progress, stop, |tiles| {
        let source = CountOnly {
            map: Map::new(context, tiles)?,
            counts: &counts,
        };

        let how = settings.schedule(prepared.threads);
        Ok::<_, RenderError>(schedule::run(
            &TileJobs::new(tiles, &source),
            region_jobs(&prepared.plan),
            &how,
            stop,
        ))
    })?;

    Ok(mutex::into_inner(counts))
}

impl DryRun {
    fn add_map(
        &mut self,
        world: &World,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<(), RenderError> {
        let prepared = prepare(world, settings)?;
        let output = Output::look(
            Content::Map,
            settings.output.naming,
            &settings.output.path,
            &prepared.identity,
            &world.folders,
        )?
        .over(settings.output.elsewhere.clone());

        if settings.request.shard.is_none() {
            self.tiles.removed += check_removals(&output, &prepared, settings)?.count();
        }

        let progress = &Progress::default();
        let context = RunContext {
            world,
            settings,
            prepared: &prepared,
            early: None,
            output: &output,
            progress,
            stop,
        };

        let counts = count_regions(context)?;
        self.add(settings, output.naming(), &prepared, counts);

        Ok(())
    }

    /// Adds a map that is exported to a file or to pictures of regions. It is drawn completely each
    /// time.
    fn add_export(
        &mut self,
        world: &World,
        settings: &Settings,
        stop: &Stop,
    ) -> Result<(), RenderError> {
        let colours = choose_colours(world, settings)?;
        let request = prepare_export(world, settings, colours)?;
        let ExportRequest {
            prepared,
            settings,
            picture,
            ..
        } = &request;

        self.tiles.removed += removed_by_plan(world, &request)?;
        let output = Output::scratch(&settings.output.path, tile_naming(settings))?;

        let progress = &Progress::default();
        let counts = count_regions(RunContext {
            world,
            settings,
            prepared,
            early: None,
            output: &output,
            progress,
            stop,
        })?;

        let chunks = counts.chunks();
        self.add(settings, output.naming(), prepared, counts);

        if settings.output.mode.regions().is_none() {
            let checked = check_apart(&settings.output.path, &world.folders)
                .and_then(|()| check_file(&settings.output.path));
            checked?;
        }

        if let Some(picture) = picture {
            let size = picture.size();
            // A whole row of tiles is decoded at a time. A WebP picture needs all its pixels in
            // memory.
            let is_webp = settings.output.picture.format == Format::Webp;
            let rows = TILE_SIDE as u64 + if is_webp { u64::from(size.height) } else { 0 };
            self.picture = Some(picture_facts(picture));

            self.tiles = DryTiles::default();
            self.estimated_bytes = match inner_bytes(settings, chunks) {
                0 => (chunks as f64 * bytes_a_chunk(&picture.grid())) as u64,
                bytes => bytes,
            };
            self.estimated_memory_bytes += u64::from(size.width) * 4 * rows;
        }

        Ok(())
    }

    /// Adds a map. Maps are drawn one after the other, so only the largest memory counts.
    fn add(&mut self, settings: &Settings, naming: Naming, prepared: &RunPlan, counts: DryCounts) {
        let RunPlan { plan, threads, .. } = prepared;
        let layers = settings.request.layers.len() as u64;
        let chunks = counts.chunks();
        let regions: u64 = counts
            .dimensions
            .iter()
            .map(|dimension| dimension.regions)
            .sum();

        self.maps.push(DryMap {
            output: settings.output.path.display().to_string(),
            dimensions: plan
                .dimensions
                .iter()
                .map(|dimension| dimension.id.clone())
                .collect(),
            options: shown_options(settings, naming),
        });

        let names = settings
            .request
            .layers
            .iter()
            .map(|layer| layer.name().to_owned());
        let new: Vec<String> = names.filter(|name| !self.layers.contains(name)).collect();
        self.layers.extend(new);
        self.threads = self.threads.max(*threads);
        self.tiles.native += counts.drawn.len() as u64 * layers;

        let pictures = settings
            .request
            .layers
            .iter()
            .filter(|layer| !layer.is_details())
            .count() as u64;
        self.tiles.outer += count_outer_tiles(plan, &counts.drawn) * pictures;

        let inner = count_inner(plan, settings, &counts.drawn);
        self.tiles.inner += inner;
        self.estimated_bytes += chunks * layers * BYTES_A_CHUNK + inner_bytes(settings, chunks);
        let workers = *threads as u64 * (MEMORY_A_WORKER + layers * MEMORY_A_LAYER);

        let textures = if settings.request.zoom_in > 0 {
            (*threads as u64 + 1) * MEMORY_OF_TEXTURES
        } else {
            0
        };

        let tiles = regions * layers * MEMORY_A_REGION + inner * MEMORY_AN_INNER_TILE;
        self.estimated_memory_bytes = self
            .estimated_memory_bytes
            .max(MEMORY_BASE + workers + tiles + textures);
        self.dimensions.extend(counts.dimensions);
    }
}

/// Counts the tiles with textures of the drawn regions.
fn count_inner(plan: &Plan, settings: &Settings, drawn: &BTreeSet<(u32, TilePos)>) -> u64 {
    let regions = drawn.iter().filter_map(|&(dimension, tile)| {
        let region = tile.region()?;
        Some(DimensionRegion { dimension, region })
    });

    MapLayers::new(plan, settings, Naming::default()).count_inner(regions, settings.look.area)
}

/// Returns about how many bytes the tiles with textures of this many chunks have.
fn inner_bytes(settings: &Settings, chunks: u64) -> u64 {
    let layers = settings
        .request
        .layers
        .iter()
        .filter(|layer| layer.inner_tone().is_some())
        .count() as u64;
    let pixels: u64 = settings
        .inner_zooms()
        .map(|zoom| (CHUNK_AREA as u64) << (2 * (zoom - NATIVE_ZOOM)))
        .sum();
    chunks * layers * pixels / INNER_PIXELS_A_BYTE
}

/// Returns about how many bytes a chunk takes in a picture. Measured on natural worlds at scales
/// from 1/16 to 2: an enlarged picture grows with its side length, a reduced one has more colours
/// per pixel, and means have still more colours.
fn bytes_a_chunk(grid: &Grid) -> f64 {
    let pixels = 1.0 / grid.pixel_blocks().0;
    let by_scale = if pixels < 1.0 {
        pixels * pixels.sqrt()
    } else {
        pixels
    };
    PICTURE_BYTES_A_CHUNK * by_scale * if grid.is_mean { 2.3 } else { 1.0 }
}

/// Counts the outer tiles above these tiles.
fn count_outer_tiles(plan: &Plan, drawn: &BTreeSet<(u32, TilePos)>) -> u64 {
    let mut level = drawn.clone();
    let mut count = 0;
    for zoom in (0..NATIVE_ZOOM).rev() {
        let mut parents = BTreeSet::new();
        for (dimension, tile) in level {
            if plan.dimensions[dimension as usize].pyramid.min_zoom() <= zoom {
                parents.insert((dimension, tile.parent()));
            }
        }

        count += parents.len() as u64;
        level = parents;
    }

    count
}
