//! Turns painted canvases into published tiles.
//!
//! There is one job per region, which draws the region and publishes its tiles, and one job per parent tile. Painting
//! is left to `painter`, and storing and reducing tiles to `tiles`.

mod changes;
mod inner_tiles;
pub(crate) mod legend;
mod markers;
mod unchanged;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use self::changes::moment_name;
use self::legend::names_on;
use crate::atlas::{MapFile, Naming};
use crate::base::coord::{Area, RegionPos};
use crate::base::mutex;
use crate::draw::painter::gaps::{Gap, fill_gaps};
use crate::draw::painter::region::PaintedRegion;
use crate::draw::painter::shared::{PaintWorker, Painter, PlannedRegion};
use crate::draw::request::error::RenderError;
use crate::draw::request::fingerprint::Fingerprint;
use crate::draw::request::layers::{MapLayer, MapLayers};
use crate::draw::request::prepare::Prepared;
use crate::draw::request::settings::Settings;
use crate::draw::run_state::{RunState, Undone};
use crate::draw::tiles::jobs::TileJob;
use crate::draw::tiles::map_tiles::{EarlierTile, MapTiles, TileBuffers};
use crate::draw::tiles::pyramid::Pyramid;
use crate::draw::tiles::record::{RegionRecord, RegionSource};
use crate::draw::tiles::tile_store::{MapResult, TileStore};
use crate::report::ShownNames;
use crate::schedule::Work;
use crate::store::{LayerKey, Output};
use crate::world::World;

/// A map that is being drawn: the painter of its regions, and the tiles made from them.
#[derive(Debug)]
pub(crate) struct Map<'a> {
    pub(crate) painter: Painter<'a>,
    pub(crate) tiles: MapTiles<'a>,
    output: &'a Output,
    /// The start of this run, in nanoseconds since 1970.
    began: i64,
    /// The name of the moment that this run draws, for layers that compare runs.
    moment: Arc<str>,
    /// Whether a region still has the stamp of its record, indexed by the number of the record. The first worker that
    /// needs this compares the stamps, once per run.
    stamps: Box<[OnceLock<bool>]>,
    /// The published map, in a run that draws no layers. Such a run only makes markers for the chunks that this map
    /// shows.
    published: Option<MapFile>,
    /// Regions whose tile is missing in some layer because of hiding, with the numbers of their dimensions.
    emptied: Mutex<BTreeSet<(usize, RegionPos)>>,
}

impl<'a> Map<'a> {
    /// Prepares to draw a map into `output`. Must be called before any region file is read, because it notes the
    /// start of the run.
    ///
    /// # Errors
    /// Fails if the records of earlier runs cannot be read.
    pub(crate) fn new(
        world: &'a World,
        prepared: &'a Prepared,
        settings: &'a Settings,
        output: &'a Output,
        run: &'a RunState<'a>,
    ) -> Result<Self, RenderError> {
        let is_drawing = !settings.request.layers.is_empty();
        let published = if is_drawing { None } else { output.facts().map_err(RenderError::Output)? };
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let began = i64::try_from(since.as_nanos()).unwrap_or_default();
        let map_layers = Arc::new(MapLayers::new(&prepared.plan, settings, output.naming()));
        let keys = journal_keys(world, prepared, settings, output.naming());
        let is_staged = settings.is_staged() || output.has_history().map_err(RenderError::Output)?;
        let store = TileStore::open(output, map_layers.clone(), keys, is_staged).map_err(RenderError::Output)?;
        let stamps = (0..store.record_count()).map(|_| OnceLock::new()).collect();
        let tile_sets = prepared.plan.dimensions.iter().map(|dimension| &dimension.pyramid).collect();
        let pyramid = Pyramid::new(tile_sets, prepared.threads);
        let painter = Painter::new(world, prepared, settings, run, map_layers.clone());
        let tiles = MapTiles { run, map_layers, store, pyramid, is_forced: settings.is_forced() };
        let moment = moment_name(world, &settings.output.moment, began).into();
        Ok(Self { painter, tiles, output, began, moment, stamps, published, emptied: Mutex::default() })
    }

    /// Returns the results after all workers have ended.
    pub(crate) fn end(self) -> (MapResult, BTreeSet<(usize, RegionPos)>) {
        (self.tiles.store.end(), mutex::into_inner(self.emptied))
    }

    /// Draws a region and publishes its tiles, unless it is unchanged. A stopping run leaves it undrawn.
    // This is a separate function so that benches/instructions.sh can count its instructions. It is called once per
    // region.
    #[inline(never)]
    fn draw_region(&self, worker: &mut PaintWorker<'_>, region: &PlannedRegion<'_>) -> Result<(), Undone> {
        if self.painter.map_layers.layers().is_empty() {
            return self.remake_markers(worker, region);
        }
        match self.leave_unchanged(worker, region)? {
            Some(content) => self.leave_markers(worker, region, content),
            None => self.draw_changed(worker, region),
        }
    }

    fn draw_changed(&self, worker: &mut PaintWorker<'_>, region: &PlannedRegion<'_>) -> Result<(), Undone> {
        let PaintedRegion { file, hashes, neighbour_hash, gaps, findings, markers } =
            self.painter.paint_region(worker, region)?;
        let source = file.map_or_else(RegionSource::new_unstable, |file| self.source(&hashes, &file, &region.hidden));
        self.put_markers(worker, region, source.hashes.content, markers, &gaps)?;
        let mut marked = Vec::new();
        for map_layer in self.painter.map_layers.in_dimension(region.dimension) {
            if self.painter.map_layers.layer(map_layer).compares_runs() {
                marked.push((map_layer, self.mark_changes(worker, map_layer, region.pos, &gaps)?));
            }
        }
        let mut record = RegionRecord {
            source,
            neighbour_hash,
            tile: None,
            filled: Area::default(),
            findings,
            shown: ShownNames::default(),
        };
        let mut is_everywhere = true;
        for map_layer in self.painter.map_layers.in_dimension(region.dimension) {
            let place = marked.iter().position(|(marked, _)| *marked == map_layer);
            record.shown = match place.map(|place| marked.swap_remove(place)) {
                Some((_, shown)) => shown,
                None => self.preserve(worker, map_layer, region.pos, &gaps)?,
            };
            self.tiles.store.show(map_layer, &record.shown);
            is_everywhere &= self.publish(worker, map_layer, region.pos, &mut record)?;
        }
        self.put_inner(worker, region, &record, &gaps)?;
        self.note_hidden(worker, region, is_everywhere);
        self.painter.region_done(worker, region);
        Ok(())
    }

    /// Fills the gaps of a drawn region with pixels of earlier runs. Returns the names on its tile.
    fn preserve(
        &self,
        worker: &mut PaintWorker<'_>,
        map_layer: MapLayer,
        region: RegionPos,
        gaps: &[Gap],
    ) -> Result<ShownNames, Undone> {
        let preserved =
            if gaps.is_empty() { EarlierTile::default() } else { self.tiles.read_preserved(map_layer, region)? };
        let canvas = &mut worker.canvases[map_layer.layer];
        if let Some(pixels) = &preserved.pixels {
            fill_gaps(canvas, pixels, region.tile(), gaps);
        }
        let painted = worker.painters[map_layer.layer].take_names(&mut worker.reader.name_cache);
        Ok(names_on(canvas, self.painter.map_layers.layer(map_layer), &painted, &preserved.names))
    }

    /// Publishes and records the tile of a drawn region in one layer. Returns whether there is a tile.
    fn publish(
        &self,
        worker: &mut PaintWorker<'_>,
        map_layer: MapLayer,
        region: RegionPos,
        record: &mut RegionRecord,
    ) -> Result<bool, Undone> {
        let PaintWorker { canvases, painters, reader, encoder, .. } = worker;
        let canvas = &canvases[map_layer.layer];
        record.filled = canvas.drawn_bounds();
        let details = if canvas.is_empty() {
            None
        } else {
            painters[map_layer.layer].file(canvas, &mut reader.name_cache, encoder)
        };
        let put = self.tiles.publish(
            tile_buffers(worker, map_layer.layer),
            map_layer,
            region.tile(),
            details.as_deref(),
            |tile| self.tiles.store.record_region(map_layer, region, &RegionRecord { tile, ..record.clone() }),
        );
        let has_tile = put?;
        if has_tile {
            self.tiles.store.lock_layer(map_layer).fill(region, record.filled);
        }
        Ok(has_tile)
    }

    /// Remembers a region that has hidden chunks and lacks a tile in at least one layer, because the removal of such
    /// a tile is intended.
    fn note_hidden(&self, worker: &PaintWorker<'_>, region: &PlannedRegion<'_>, is_everywhere: bool) {
        if worker.tally.job.chunks.hidden > 0 && !is_everywhere {
            let place = (region.dimension, region.pos);
            mutex::lock(&self.emptied).insert(place);
        }
    }
}

/// No job prefers a worker, although the schedule supports that. Regions share the data of their borders in a cache
/// that all workers use, and a batch is a piece of the plan's curve, so a worker mostly draws neighbouring regions
/// anyway. We measured one worker per group of 4 by 4 regions: it was not faster, and more chunks were read twice
/// (3.3 % instead of 2.9 % with two threads).
impl<'a> Work for &'a Map<'_> {
    type Job = TileJob;
    type Worker = PaintWorker<'a>;

    fn worker(&self, _: usize) -> PaintWorker<'a> {
        self.painter.worker()
    }

    fn run(&self, worker: &mut PaintWorker<'a>, job: &TileJob) {
        worker.reader.clock.start();
        let dimension = job.dimension as usize;
        let done = match job.tile.region() {
            Some(region) => self.draw_region(worker, &self.painter.region(dimension, region)),
            None if worker.canvases.is_empty() => Ok(()),
            None => self.tiles.make_parent(tile_buffers(worker, 0), dimension, job.tile),
        };
        self.painter.run.end_job(done);
        worker.tally.end_job();
    }

    fn report_panic(&self, job: &TileJob, message: &str) {
        let message = format!("this is a defect of pixelmap, please report it: {message}");
        match job.tile.region() {
            Some(region) => self.painter.lose(job.dimension as usize, region, message),
            None => self.tiles.lose_parent(job.dimension as usize, job.tile, &message),
        }
    }
}

/// Borrows the buffers that a worker needs to make a tile of the canvas with this number.
fn tile_buffers<'w>(worker: &'w mut PaintWorker<'_>, canvas: usize) -> TileBuffers<'w> {
    TileBuffers {
        canvas: &mut worker.canvases[canvas],
        encoder: &mut worker.encoder,
        clock: &mut worker.reader.clock,
        tally: &mut worker.tally.job,
    }
}

/// Returns the keys of a map in the journal: first the keys of its map layers, in the order of their numbers. A map
/// with layers also has the keys of each dimension's markers, and then the keys of the inner tiles of its map layers.
pub(crate) fn journal_keys(world: &World, prepared: &Prepared, settings: &Settings, naming: Naming) -> Vec<LayerKey> {
    let plan = &prepared.plan;
    let map_layers = MapLayers::new(plan, settings, naming);
    let fingerprint = Fingerprint::new(world, settings, prepared);
    let layers = map_layers.all().map(|map_layer| fingerprint.layer_key(&map_layers, map_layer, plan));
    let dimensions = plan.dimensions.iter().filter(|_| !settings.request.layers.is_empty());
    let inner = map_layers.all().map(|map_layer| fingerprint.inner_key(&map_layers, map_layer, plan));
    layers.chain(dimensions.map(|dimension| fingerprint.markers_key(dimension))).chain(inner).collect()
}
