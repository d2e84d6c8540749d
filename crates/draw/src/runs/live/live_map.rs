//! A map that is being drawn while people look at it.

use std::fmt;
use std::sync::{Mutex, MutexGuard};

use super::facts;
use super::tile_state::OpenTileJobs;
use super::tile_state::{DrawnTile, LayerTile, TileState};
use super::viewport::open_jobs;
use super::viewport::{ViewJobs, Viewport};
use crate::request::layers::MapLayers;
use crate::request::prepare::RunPlan;
use crate::request::settings::Settings;
use crate::runs::live::sketches::Sketches;
use crate::schedule::{NodeId, Stop, Urgent};
use crate::tiles::jobs::jobs;
use pixelmap_base::coord::{NATIVE_ZOOM, RegionPos, TilePos};
use pixelmap_base::mutex;
use pixelmap_map::atlas::{Format, MapFile, Naming};
use pixelmap_tile::{Canvas, Encoder, Samples};
use pixelmap_world::internal::World;

/// The most regions that one viewport makes urgent.
const MAX_URGENT: usize = 4096;

/// The regions of all viewports together that are urgent at a time, as long as each has its least
/// share.
const URGENT_AT_A_TIME: usize = 512;

/// The least number of regions that each viewport has among the urgent ones. [`Live::want`] must be
/// called again before this number of further regions is drawn.
pub const LEAST_SHARE: usize = 16;

/// A map that is being drawn, for users who look at it.
pub struct Live {
    facts: MapFile,
    map_layers: MapLayers,
    tiles: Mutex<OpenTileJobs>,
    pub(super) urgent: Urgent,
    stop: Stop,
    pub(super) sketches: Sketches,
    on_drawn: Box<dyn Fn(DrawnTile) + Send + Sync>,
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live")
            .field("tiles", &self.tiles().len())
            .finish_non_exhaustive()
    }
}

impl Live {
    /// Makes a map with these settings. None of its tiles is drawn yet.
    pub(crate) fn new(
        world: &World,
        settings: &Settings,
        prepared: &RunPlan,
        naming: Naming,
        is_on_demand: bool,
        on_drawn: Box<dyn Fn(DrawnTile) + Send + Sync>,
    ) -> Self {
        let map_layers = MapLayers::new(&prepared.plan, settings, naming);
        let facts = facts::facts(world, settings, prepared, &map_layers);
        let jobs = jobs(&prepared.plan);
        let tiles = jobs
            .all()
            .map(|(id, job)| ((job.dimension as usize, job.tile), Some(id)))
            .collect();

        let urgent = if is_on_demand {
            Urgent::without_other_leaves()
        } else {
            Urgent::with_other_leaves()
        };

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

    /// Returns the facts of the map that are known before it is drawn.
    pub fn facts(&self) -> &MapFile {
        &self.facts
    }

    /// Returns the state of the tile with this path, or `None` if the path is not one of a tile.
    pub fn tile(&self, path: &str) -> Option<TileState> {
        let layer_tile = self.map_layers.all().find_map(|map_layer| {
            let name = path
                .strip_prefix(&self.map_layers.path(map_layer))?
                .strip_prefix('/')?;
            let tile = self
                .map_layers
                .naming(map_layer)
                .parse_path(name)
                .filter(|tile| tile.zoom <= NATIVE_ZOOM)?;
            Some(LayerTile { map_layer, tile })
        })?;

        Some(
            match self
                .tiles()
                .get(&(layer_tile.map_layer.dimension, layer_tile.tile))
            {
                Some(Some(_)) => TileState::Open(layer_tile),
                Some(None) => TileState::Drawn(layer_tile),
                None => TileState::LeftOut(layer_tile),
            },
        )
    }

    /// Returns whether the tile is not drawn yet.
    pub fn is_open(&self, LayerTile { map_layer, tile }: LayerTile) -> bool {
        self.tiles()
            .get(&(map_layer.dimension, tile))
            .is_some_and(Option::is_some)
    }

    /// Returns whether the tile can be sketched. This is possible for outer tiles with colours.
    pub fn can_be_sketched(&self, tile: LayerTile) -> bool {
        !tile.is_native() && matches!(self.map_layers.samples(tile.map_layer), Samples::Colours)
    }

    /// Returns an empty picture, or `None` if the tile is not a picture.
    pub fn empty_picture(&self, LayerTile { map_layer, .. }: LayerTile) -> Option<Vec<u8>> {
        // An empty tile of heights would be a plain at height 0.
        let is_picture = !self.map_layers.is_details(map_layer)
            && self.map_layers.samples(map_layer) != Samples::Heights;
        is_picture.then(|| {
            self.map_layers
                .encode(map_layer, &mut Encoder::default(), &Canvas::default())
                .to_vec()
        })
    }

    /// Asks for a picture of everything that is known of a tile. `reply` is called with the bytes
    /// of its file, unless `is_awaited` returns false by then or the drawing ends.
    pub fn sketch(
        &self,
        tile: LayerTile,
        is_awaited: impl Fn() -> bool + Send + 'static,
        reply: impl FnOnce(Vec<u8>) + Send + 'static,
    ) {
        self.sketches.requests().ask(tile, is_awaited, reply);
    }

    /// Returns the format of a tile's file.
    pub fn format(&self, tile: LayerTile) -> Format {
        self.map_layers.naming(tile.map_layer).format
    }

    /// Returns the jobs of the regions in a viewport that are not drawn yet, from its middle
    /// outwards.
    pub fn view_jobs(&self, viewport: Viewport) -> ViewJobs {
        // The lock is released here, because others need it while the jobs are sorted.
        let mut jobs = open_jobs(&viewport, &self.tiles());
        if jobs.len() > MAX_URGENT {
            jobs.select_nth_unstable(MAX_URGENT);
            jobs.truncate(MAX_URGENT);
        }

        jobs.sort_unstable();
        let jobs = jobs
            .into_iter()
            .rev()
            .map(|(_, (z, x), job)| (RegionPos { x, z }.tile(), job))
            .collect();

        ViewJobs {
            dimension: viewport.dimension,
            jobs,
        }
    }

    /// Moves these tiles to the front of the queue, and then an equal share of each view, because
    /// otherwise many views make the list of urgent jobs long. Earlier priorities that are not
    /// repeated are dropped.
    pub fn want<'v>(
        &self,
        wanted: impl Iterator<Item = LayerTile>,
        views: impl ExactSizeIterator<Item = &'v mut ViewJobs>,
    ) {
        let tiles = self.tiles();

        let wanted =
            wanted.filter_map(|wanted| *tiles.get(&(wanted.map_layer.dimension, wanted.tile))?);
        let mut jobs: Vec<NodeId> = wanted.collect();
        let share = (URGENT_AT_A_TIME / views.len().max(1)).max(LEAST_SHARE);
        for view in views {
            jobs.extend(view.open_jobs(&tiles).take(share));
        }

        drop(tiles);
        self.urgent.set(jobs);
    }

    /// Returns whether all drawing and sketching has ended.
    pub fn is_over(&self) -> bool {
        self.sketches.is_closed()
    }

    /// Ends the drawing, even if it is waiting for somebody to look.
    pub fn end(&self) {
        self.stop.request();
        self.urgent.end();
    }

    /// Returns the stop of the drawing.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    fn tiles(&self) -> MutexGuard<'_, OpenTileJobs> {
        mutex::lock(&self.tiles)
    }

    pub(super) fn tile_is_drawn(&self, dimension: usize, tile: TilePos) {
        self.tiles().insert((dimension, tile), None);
        (self.on_drawn)(DrawnTile { dimension, tile });
    }
}
