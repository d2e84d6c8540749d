//! The painter: the state that all workers of a run share to paint regions. Its callers decide how
//! the pixels are used.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::painter::chunk::{ChunkReader, DrawnChunk, Reason};
use crate::painter::decoded::DecodedRegions;
use crate::painter::early::EarlyColumns;
use crate::painter::filter::ChunkFilter;
use crate::painter::window::Scene;
use crate::report::Damage;
use crate::request::colours::names;
use crate::request::layers::MapLayers;
use crate::request::plan::{Plan, cost_ns};
use crate::request::prepare::RunPlan;
use crate::request::settings::Settings;
use crate::run_state::{RunState, WorkerTally};
use pixelmap_base::coord::{Area, RegionPos, Slot, SlotSet};
use pixelmap_paint::layers::{InnerColumns, LayerRenderer, Slimes};
use pixelmap_paint::palette::Palette;
use pixelmap_paint::surface::{EdgeCache, RegionEdges};
use pixelmap_paint::textures::Textures;
use pixelmap_tile::{Canvas, Encoder};
use pixelmap_world::internal::{Companion, Inflater, Region, Stamp};
use pixelmap_world::internal::{RegionEntry, RegionStore, World};
use pixelmap_world::names::Names;

/// The least number of inflated region files of a zip that are kept, because neighbours need them
/// again soon. We measured a world of 100 full regions: with 4 each file is inflated about three
/// times, and with 8 twice.
const KEPT_OF_ZIP: usize = 8;

/// Paints regions, with the state that the workers of a run share for it.
#[derive(Debug)]
pub(crate) struct Painter<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) settings: &'a Settings,
    pub(crate) run: &'a RunState<'a>,
    pub(crate) map_layers: Arc<MapLayers>,
    /// One per view, in the order of [`MapLayers::views`].
    pub(crate) edges: Vec<EdgeCache<DrawnChunk>>,
    /// Regions that a neighbour's job has decoded.
    pub(super) decoded: DecodedRegions,
    /// Chunks that were decoded while the world was listed.
    pub(super) early: Option<&'a EarlyColumns>,
    palette: &'a Arc<Palette>,
    names: Arc<Names>,
    slimes: Option<Slimes>,
    pub(crate) textures: Option<&'a Arc<Textures>>,
}

/// A region of the plan.
#[derive(Debug)]
pub(crate) struct PlannedRegion<'p> {
    /// The dimension's number in the plan.
    pub(crate) dimension: usize,
    pub(crate) pos: RegionPos,
    /// The region file, or `None` if it does not exist.
    pub(crate) entry: Option<&'p RegionEntry>,
    store: &'p RegionStore,
    pub(crate) hidden: SlotSet,
    /// The part of the world that is drawn, or `None` for all of it.
    pub(crate) area: Option<Area>,
}

impl PlannedRegion<'_> {
    /// Limits the region to an area. Returns `None` if nothing of it is left.
    pub(crate) fn within(self, area: Area) -> Option<Self> {
        let area = self.area.map_or(area, |drawn| drawn.overlap(area));
        (!area.is_empty()).then_some(Self {
            area: Some(area),
            ..self
        })
    }

    /// Returns the path of its file.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        self.entry.map(|entry| self.store.path(*entry))
    }

    /// Opens the region. Returns `None` if nothing is stored of it.
    pub(crate) fn open(&self) -> Option<io::Result<Region>> {
        self.entry.map(|entry| self.store.open(*entry))
    }

    /// Returns [`Stamp::state`](pixelmap_world::internal::Stamp::state) of the region file when it was listed,
    /// without a header. Returns `None` if the stamp is known only when the region is open.
    pub(crate) fn listed_state(&self) -> Option<u64> {
        self.entry
            .map(|entry| entry.state)
            .filter(|&state| state != 0)
    }

    /// Returns whether its chunks are read in one pass.
    pub(super) fn is_sequential(&self) -> bool {
        self.store.is_sequential()
    }

    /// Returns whether each of its chunks has the time at which it was found changed.
    pub(crate) fn has_chunk_times(&self) -> bool {
        self.store.has_chunk_times()
    }

    /// Opens the region to draw it, in the way that [`RegionStore::open_filled`] describes.
    pub(crate) fn open_filled(&self) -> io::Result<Region> {
        let entry = self.entry.ok_or(io::ErrorKind::NotFound)?;
        self.store.open_filled(*entry)
    }

    /// Opens a companion file of the region. Returns `None` if it does not exist.
    pub(crate) fn open_companion(&self, companion: Companion) -> Option<io::Result<Region>> {
        self.entry
            .and_then(|entry| self.store.open_companion(*entry, companion))
    }

    /// Returns the present stamp of a companion file of the region, without a needless header.
    /// Returns `None` if the file does not exist.
    pub(crate) fn look_at_companion(&self, companion: Companion) -> Option<io::Result<Stamp>> {
        self.entry
            .and_then(|entry| self.store.look_at_companion(*entry, companion))
    }

    /// Returns the estimated cost of drawing the region, in nanoseconds.
    pub(crate) fn cost(&self) -> u64 {
        cost_ns(self.entry.map_or(0, |entry| entry.bytes))
    }
}

/// The buffers of one worker.
#[derive(Debug)]
pub(crate) struct PaintWorker<'a> {
    pub(crate) reader: ChunkReader,
    /// One per view of the current region's dimension, in the order of [`MapLayers::views`]. Empty
    /// until the worker draws its first region.
    pub(crate) views: Vec<ViewBuffers>,
    /// The buffers of views that only other dimensions have, the first view last.
    spare_views: Vec<ViewBuffers>,
    /// One per layer. Empty until the worker draws its first region.
    pub(crate) painters: Vec<Box<dyn LayerRenderer>>,
    pub(crate) canvases: Vec<Canvas>,
    pub(crate) encoder: Encoder,
    pub(crate) tally: WorkerTally<'a>,
}

/// The buffers of one worker for one view of a region.
#[derive(Debug, Default)]
pub(crate) struct ViewBuffers {
    pub(crate) scene: Scene,
    /// The cached border of the region. It is held while the region is read, so that the cache does
    /// not drop chunks that neighbours need.
    pub(super) edges: Option<RegionEdges<DrawnChunk>>,
    /// The columns for inner tiles. `None` until the worker first needs them.
    pub(crate) inner: Option<InnerColumns>,
    /// Whether a layer of the region has inner tiles with this view.
    pub(super) has_inner_tiles: bool,
}

impl Drop for PaintWorker<'_> {
    fn drop(&mut self) {
        self.tally.job.stages = self.reader.clock.stages();
    }
}

impl PaintWorker<'_> {
    /// Reports a chunk or a whole region file that cannot be read.
    pub(super) fn report_bad(
        &mut self,
        region: &PlannedRegion<'_>,
        slot: Option<Slot>,
        reason: &Reason,
    ) {
        let damage = Damage::new(slot, reason.word(), reason.to_string());
        self.tally
            .job
            .count_bad(region.dimension, region.pos, damage);
    }
}

impl<'a> Painter<'a> {
    /// Makes the state for drawing the regions of a plan, and gives `progress` the totals.
    pub(crate) fn new(
        world: &'a World,
        prepared: &'a RunPlan,
        settings: &'a Settings,
        run: &'a RunState<'a>,
        map_layers: Arc<MapLayers>,
        early: Option<&'a EarlyColumns>,
    ) -> Self {
        let RunPlan {
            plan,
            palette,
            slimes,
            textures,
            threads,
            ..
        } = prepared;
        world.files.keep((threads + 1).max(KEPT_OF_ZIP));

        run.progress.expect(
            plan.order.len() as u64,
            plan.costs().fold(0, u64::saturating_add),
        );

        Self {
            plan,
            settings,
            run,
            edges: (0..map_layers.most_views())
                .map(|_| EdgeCache::new(*threads))
                .collect(),
            decoded: DecodedRegions::new(*threads),
            map_layers,
            palette,
            names: early.map_or_else(|| names(world, palette), EarlyColumns::names),
            early,
            slimes: *slimes,
            textures: textures.as_ref(),
        }
    }

    /// Makes a worker's buffers. The buffers that only drawing needs are made later, because they
    /// would take most of the time of a run in which all regions are unchanged.
    pub(crate) fn worker(&self) -> PaintWorker<'_> {
        let layers = &self.settings.request.layers;
        let stop = self.run.stop.clone();
        let is_lit = layers.iter().any(|layer| layer.is_lit());
        PaintWorker {
            reader: ChunkReader::new(
                self.names.clone(),
                Inflater::with_stop(move || stop.is_requested()),
                is_lit,
            )
            .with_markers(self.settings.request.markers.clone()),
            views: Vec::new(),
            spare_views: Vec::new(),
            painters: Vec::new(),
            canvases: layers.iter().map(|_| Canvas::default()).collect(),
            encoder: Encoder::default(),
            tally: WorkerTally::new(self.run),
        }
    }

    /// Prepares a worker's buffers for the next region.
    pub(super) fn start_region(&self, worker: &mut PaintWorker<'_>, region: &PlannedRegion<'_>) {
        worker.canvases.iter_mut().for_each(Canvas::clear);

        if worker.painters.is_empty() {
            let Settings { request, look, .. } = self.settings;
            for layer in &request.layers {
                let painter = layer.painter(look.choices, self.palette, self.slimes);
                worker.painters.push(painter);
            }
        }

        let inner_views = self.map_layers.inner_views(region.dimension);
        while worker.views.len() > inner_views.len() {
            worker.spare_views.extend(worker.views.pop());
        }
        while worker.views.len() < inner_views.len() {
            let view = worker.spare_views.pop().unwrap_or_default();
            worker.views.push(view);
        }

        for (view, has_inner_tiles) in worker.views.iter_mut().zip(inner_views) {
            view.edges = None;
            view.has_inner_tiles = has_inner_tiles;
            if has_inner_tiles && let Some(textures) = self.textures {
                let columns = view.inner.get_or_insert_with(|| {
                    InnerColumns::new(self.palette.clone(), textures.clone())
                });
                columns.start(region.pos, region.area.unwrap_or(region.pos.area()));
            }
        }

        // Drop names that an unfinished region left behind.
        for painter in &mut worker.painters {
            drop(painter.take_names(&mut worker.reader.name_cache));
        }
    }

    /// Returns the region of a dimension at this position.
    pub(crate) fn region(&self, dimension: usize, pos: RegionPos) -> PlannedRegion<'a> {
        let plan = &self.plan.dimensions[dimension];
        let hidden = self.plan.hidden.slots(pos);
        let area = self.settings.look.area;
        PlannedRegion {
            dimension,
            pos,
            entry: plan.files.get(&pos),
            store: &plan.store,
            hidden,
            area,
        }
    }

    /// Returns a neighbour of a region, limited to the same area.
    pub(super) fn neighbour(
        &self,
        region: &PlannedRegion<'_>,
        dx: i32,
        dz: i32,
    ) -> PlannedRegion<'a> {
        PlannedRegion {
            area: region.area,
            ..self.region(region.dimension, region.pos.offset(dx, dz))
        }
    }

    /// Adds a finished region to the progress, with the chunks that the worker counted in it.
    pub(crate) fn region_done(&self, worker: &PaintWorker<'_>, region: &PlannedRegion<'_>) {
        let chunks = worker.tally.job.chunks;
        self.run
            .progress
            .count_region(region.cost(), chunks.total(), chunks.bad);
    }

    /// Reports a region whose job panicked.
    pub(crate) fn lose(&self, dimension: usize, pos: RegionPos, message: String) {
        let mut worker = self.worker();
        worker.tally.job.regions_failed += 1;
        worker.report_bad(
            &self.region(dimension, pos),
            None,
            &Reason::Panicked(message),
        );
    }

    /// Returns the filter for the chunks of a dimension.
    pub(crate) fn chunk_filter(&self, dimension: usize) -> ChunkFilter<'_> {
        let plan = &self.plan.dimensions[dimension];
        ChunkFilter {
            views: self.map_layers.views(dimension),
            ceiling: plan.ceiling,
            may_be_unexplored: plan.store.is_explored(),
            look: &self.settings.look,
        }
    }
}
