//! A map that is drawn while somebody looks at it: what is looked at is drawn first, and what is not drawn yet is
//! sketched. Tiles with textures are drawn only for those who look, and not kept.
//!
//! Knows nothing of who looks, and how: `serve` asks.

mod facts;
mod inner_tiles;
mod requests;
mod sketches;
mod watched;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard};

use crate::atlas::{Format, MapFile, Naming};
use crate::base::coord::{Area, NATIVE_ZOOM, RegionPos, TilePos};
use crate::base::mutex;
use crate::draw::request::layers::{MapLayer, MapLayers};
use crate::draw::request::prepare::Prepared;
use crate::draw::request::settings::Settings;
use crate::draw::runs::live::requests::Request;
use crate::draw::runs::live::sketches::Sketches;
use crate::draw::tiles::jobs::jobs;
use crate::schedule::{NodeId, Stop, Urgent};
use crate::tile::{Canvas, Encoder, Samples};
use crate::world::World;

pub use inner_tiles::{InnerTile, InnerTiles};
pub(crate) use watched::draw;

/// The most regions that one viewport makes urgent.
const MAX_URGENT: usize = 4096;
/// The regions of all viewports together that are urgent at a time, as long as each has its least share.
const URGENT_AT_A_TIME: usize = 512;
/// The least number of regions that each viewport has among the urgent ones. [`Live::want`] must be called again before so
/// many more are drawn.
pub const LEAST_SHARE: usize = 16;

/// A map while it is drawn, for those who look at it.
pub struct Live {
    facts: MapFile,
    map_layers: MapLayers,
    tiles: Mutex<TileJobs>,
    urgent: Urgent,
    stop: Stop,
    sketches: Sketches,
    on_drawn: Box<dyn Fn(DrawnTile) + Send + Sync>,
}

/// All tiles of the map, by dimension, each with its job as long as it is not drawn.
type TileJobs = HashMap<(usize, TilePos), Option<NodeId>>;

/// A tile of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LayerTile {
    map_layer: MapLayer,
    tile: TilePos,
}

/// How far a tile is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileState {
    /// It is not drawn yet.
    Open(LayerTile),
    /// It is drawn. If it has no file, nothing is on it.
    Drawn(LayerTile),
    /// It is no part of the map. A file of an earlier map may still be there, and show what is hidden now.
    LeftOut(LayerTile),
}

/// A tile that is drawn now, in all layers; its file is there unless nothing is on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawnTile {
    /// The dimension's number in the facts.
    pub dimension: usize,
    /// The tile.
    pub tile: TilePos,
}

/// A part of a map that somebody looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Viewport {
    /// The dimension's number in the facts.
    pub dimension: usize,
    /// The columns that are seen.
    pub area: Area,
}

/// The jobs of the regions in a viewport that are to be drawn for it.
#[derive(Debug, Clone)]
pub struct ViewJobs {
    dimension: usize,
    /// The most urgent last, from where drawn ones are removed.
    jobs: Vec<(TilePos, NodeId)>,
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live").field("tiles", &self.tiles().len()).finish_non_exhaustive()
    }
}

impl LayerTile {
    /// Returns whether the tile is drawn from a region, and not from other tiles.
    pub fn is_native(&self) -> bool {
        self.tile.zoom == NATIVE_ZOOM
    }
}

impl ViewJobs {
    /// The jobs that are still to be done, the most urgent first.
    fn open_jobs(&mut self, tiles: &TileJobs) -> impl Iterator<Item = NodeId> {
        let dimension = self.dimension;
        let is_open = move |tile: TilePos| tiles.get(&(dimension, tile)).is_some_and(Option::is_some);
        while self.jobs.pop_if(|(tile, _)| !is_open(*tile)).is_some() {}
        self.jobs.iter().rev().filter(move |(tile, _)| is_open(*tile)).map(|(_, job)| *job)
    }
}

impl Live {
    /// A map of these settings, of which nothing is drawn yet.
    pub(crate) fn new(
        world: &World,
        settings: &Settings,
        prepared: &Prepared,
        naming: Naming,
        is_on_demand: bool,
        on_drawn: Box<dyn Fn(DrawnTile) + Send + Sync>,
    ) -> Self {
        let map_layers = MapLayers::new(&prepared.plan, settings, naming);
        let facts = facts::facts(world, settings, prepared, &map_layers);
        let jobs = jobs(&prepared.plan);
        let tiles = jobs.all().map(|(id, job)| ((job.dimension as usize, job.tile), Some(id))).collect();
        let urgent = if is_on_demand { Urgent::without_other_leaves() } else { Urgent::with_other_leaves() };
        Self {
            facts,
            map_layers,
            tiles: Mutex::new(tiles),
            urgent,
            stop: Stop::new(),
            sketches: Sketches::default(),
            on_drawn,
        }
    }

    /// The facts of the map as far as they are known before it is drawn.
    pub fn facts(&self) -> &MapFile {
        &self.facts
    }

    /// The state of the tile with this path; `None`: no tile has it.
    pub fn tile(&self, path: &str) -> Option<TileState> {
        let layer_tile = self.map_layers.all().find_map(|map_layer| {
            let name = path.strip_prefix(&self.map_layers.path(map_layer))?.strip_prefix('/')?;
            let tile = self.map_layers.naming(map_layer).parse_path(name).filter(|tile| tile.zoom <= NATIVE_ZOOM)?;
            Some(LayerTile { map_layer, tile })
        })?;
        Some(match self.tiles().get(&(layer_tile.map_layer.dimension, layer_tile.tile)) {
            Some(Some(_)) => TileState::Open(layer_tile),
            Some(None) => TileState::Drawn(layer_tile),
            None => TileState::LeftOut(layer_tile),
        })
    }

    /// Returns whether the tile is still not drawn.
    pub fn is_open(&self, LayerTile { map_layer, tile }: LayerTile) -> bool {
        self.tiles().get(&(map_layer.dimension, tile)).is_some_and(Option::is_some)
    }

    /// Returns whether a sketch of the tile can be had: of an outer tile of colours.
    pub fn can_be_sketched(&self, tile: LayerTile) -> bool {
        !tile.is_native() && matches!(self.map_layers.samples(tile.map_layer), Samples::Colours)
    }

    /// A picture with nothing on it; `None`: the tile is no picture.
    pub fn empty_picture(&self, LayerTile { map_layer, .. }: LayerTile) -> Option<Vec<u8>> {
        // Heights on which nothing is would be a plain at height 0.
        let is_picture =
            !self.map_layers.is_details(map_layer) && self.map_layers.samples(map_layer) != Samples::Heights;
        is_picture.then(|| self.map_layers.encode(map_layer, &mut Encoder::default(), &Canvas::default()).to_vec())
    }

    /// Asks for a picture of a tile as far as it is known. `reply` is called with the bytes of its file, unless
    /// `is_awaited` returns false by then, or the drawing ends.
    pub fn sketch(
        &self,
        tile: LayerTile,
        is_awaited: impl Fn() -> bool + Send + 'static,
        reply: impl FnOnce(Vec<u8>) + Send + 'static,
    ) {
        self.sketches.ask(Request { subject: tile, is_awaited: Box::new(is_awaited), reply: Box::new(reply) });
    }

    /// The format of a tile's file.
    pub fn format(&self, tile: LayerTile) -> Format {
        self.map_layers.naming(tile.map_layer).format
    }

    /// The jobs of the regions in a viewport that are not drawn yet, from its middle outwards.
    pub fn view_jobs(&self, viewport: Viewport) -> ViewJobs {
        // The lock ends here: others need it while these are sorted.
        let mut jobs = open_jobs(&viewport, &self.tiles());
        if jobs.len() > MAX_URGENT {
            jobs.select_nth_unstable(MAX_URGENT);
            jobs.truncate(MAX_URGENT);
        }
        jobs.sort_unstable();
        let jobs = jobs.into_iter().rev().map(|(_, (z, x), job)| (RegionPos { x, z }.tile(), job)).collect();
        ViewJobs { dimension: viewport.dimension, jobs }
    }

    /// Has native tiles drawn first, and then a share of each view, the same for all, so that many views do not make the
    /// list of urgent jobs long. What was wanted before and is no longer waits for its turn.
    pub fn want<'v>(
        &self,
        wanted: impl Iterator<Item = LayerTile>,
        views: impl ExactSizeIterator<Item = &'v mut ViewJobs>,
    ) {
        let tiles = self.tiles();
        let wanted = wanted.filter_map(|wanted| *tiles.get(&(wanted.map_layer.dimension, wanted.tile))?);
        let mut jobs: Vec<NodeId> = wanted.collect();
        let share = (URGENT_AT_A_TIME / views.len().max(1)).max(LEAST_SHARE);
        for view in views {
            jobs.extend(view.open_jobs(&tiles).take(share));
        }
        drop(tiles);
        self.urgent.set(jobs);
    }

    /// Returns whether nothing is drawn or sketched any more.
    pub fn is_over(&self) -> bool {
        self.sketches.is_closed()
    }

    /// Ends the drawing, also where it waits for somebody to look.
    pub fn end(&self) {
        self.stop.request();
        self.urgent.end();
    }

    /// The stop of the drawing.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    fn tiles(&self) -> MutexGuard<'_, TileJobs> {
        mutex::lock(&self.tiles)
    }

    fn tile_is_drawn(&self, dimension: usize, tile: TilePos) {
        self.tiles().insert((dimension, tile), None);
        (self.on_drawn)(DrawnTile { dimension, tile });
    }
}

/// A job in a viewport, after its distance from the middle and its position, by which jobs are in order.
type ViewJob = (i64, (i32, i32), NodeId);

/// The jobs of the regions in a viewport that are not drawn yet. A viewport may have more regions than there are.
fn open_jobs(viewport: &Viewport, tiles: &TileJobs) -> Vec<ViewJob> {
    let view_job = |region: RegionPos, job| (squared_distance(viewport.area, region), (region.z, region.x), job);
    let (count, regions) = viewport.area.regions();
    if count > tiles.len() as u64 {
        let of_dimension = tiles.iter().filter(|((dimension, _), _)| *dimension == viewport.dimension);
        let open = of_dimension.filter_map(|((_, tile), job)| Some((tile.region()?, (*job)?)));
        let open = open.filter(|&(region, _)| viewport.area.meets(region));
        return open.map(|(region, job)| view_job(region, job)).collect();
    }
    let job = |region: RegionPos| *tiles.get(&(viewport.dimension, region.tile()))?;
    regions.filter_map(|region| Some(view_job(region, job(region)?))).collect()
}

/// Twice the distance between the middles of an area and a region, squared.
fn squared_distance(area: Area, region: RegionPos) -> i64 {
    let other = region.area();
    let x = doubled_distance([area.x0, area.x1], [other.x0, other.x1]);
    let z = doubled_distance([area.z0, area.z1], [other.z0, other.z1]);
    x * x + z * z
}

/// Twice the distance between the middles of two ranges, bounded so that its square is a number.
fn doubled_distance([a0, a1]: [i32; 2], [b0, b1]: [i32; 2]) -> i64 {
    (i64::from(a0) + i64::from(a1) - i64::from(b0) - i64::from(b1)).clamp(-(1 << 30), 1 << 30)
}

#[cfg(test)]
mod tests;
