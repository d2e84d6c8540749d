//! A map that is being drawn: what its workers share, and what they leave.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use crate::atlas::{MapFile, Naming};
use crate::base::coord::RegionPos;
use crate::base::mutex;
use crate::draw::error::RenderError;
use crate::draw::map::removals::Emptied;
use crate::draw::map::tile_store::{MadeLayer, TilePlace, TileStore};
use crate::draw::map::waiting::{Unread, Waiting};
use crate::draw::painter::shared::{Painter, PlannedRegion, Worker};
use crate::draw::prepare::Prepared;
use crate::draw::prepare::fingerprint::Beside;
use crate::draw::prepare::layers::{MapLayer, MapLayers};
use crate::draw::progress::Progress;
use crate::draw::record::{RegionRecord, region_of};
use crate::draw::settings::Settings;
use crate::paint::markers::RegionMarkers;
use crate::schedule::Stop;
use crate::store::{LayerKey, Output, PublishError};
use crate::world::World;

/// The state that the workers share to make a map.
#[derive(Debug)]
pub(crate) struct Map<'a> {
    pub(crate) painter: Painter<'a>,
    pub(crate) output: &'a Output,
    pub(crate) waiting: Waiting,
    pub(crate) tiles: TileStore<'a>,
    /// When this run began, in nanoseconds since 1970.
    pub(crate) began: i64,
    /// By number of the record, whether the region still has its stamp: it is looked at once a run, by the worker that
    /// comes first.
    pub(crate) stamps: Box<[OnceLock<bool>]>,
    /// The map as it stood, where no layer is drawn: markers are put where it shows something.
    pub(crate) earlier: Option<MapFile>,
    /// By dimension and region.
    pub(crate) markers: Mutex<BTreeMap<(usize, RegionPos), RegionMarkers>>,
    pub(crate) emptied: Mutex<Emptied>,
}

/// The results of the jobs of a map.
#[derive(Debug)]
pub(crate) struct Made {
    /// By number of the map layer.
    pub(crate) layers: Vec<MadeLayer>,
    /// As of [`keys_of`].
    pub(crate) keys: Vec<LayerKey>,
    /// By dimension and region.
    pub(crate) markers: BTreeMap<(usize, RegionPos), RegionMarkers>,
    pub(crate) emptied: Emptied,
}

impl<'a> Map<'a> {
    /// Makes ready to draw what is prepared into `output`. To be called before any region file is read.
    ///
    /// # Errors
    /// What earlier runs recorded cannot be read.
    pub(crate) fn new(
        world: &'a World,
        prepared: &'a Prepared,
        settings: &'a Settings,
        output: &'a Output,
        progress: &'a Progress,
        stop: &Stop,
    ) -> Result<Self, RenderError> {
        let keys = keys_of(world, prepared, settings, output.naming());
        Self::with_keys(world, (prepared, settings), keys, output, progress, stop)
    }

    /// The same, with these keys in the journal.
    ///
    /// # Errors
    /// As [`Map::new`].
    pub(crate) fn with_keys(
        world: &'a World,
        (prepared, settings): (&'a Prepared, &'a Settings),
        keys: Vec<LayerKey>,
        output: &'a Output,
        progress: &'a Progress,
        stop: &Stop,
    ) -> Result<Self, RenderError> {
        let Prepared { plan, threads, .. } = prepared;
        let map_layers = MapLayers::new(plan, settings, output.naming());
        let is_drawing = !settings.layers.is_empty();
        let earlier = if is_drawing { None } else { output.facts().map_err(RenderError::Output)? };
        let map_layers = Arc::new(map_layers);
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let began = i64::try_from(since.as_nanos()).unwrap_or_default();
        let tiles = TileStore::open(output, map_layers.clone(), keys, settings.is_staged());
        let tiles = tiles.map_err(RenderError::Output)?;
        let stamps = (0..tiles.record_count()).map(|_| OnceLock::new()).collect();
        let (waiting, markers, emptied) = (Waiting::new(*threads), Mutex::default(), Mutex::default());
        let painter = Painter::new(world, prepared, settings, progress, map_layers, stop);
        Ok(Self { painter, output, waiting, tiles, began, stamps, earlier, markers, emptied })
    }

    /// Returns the results when no worker is left.
    pub(crate) fn end(self) -> (Painter<'a>, Made) {
        let (layers, keys) = self.tiles.end();
        let made =
            Made { layers, keys, markers: mutex::into_inner(self.markers), emptied: mutex::into_inner(self.emptied) };
        (self.painter, made)
    }
}

/// The keys of a map in the journal: those of its map layers, in the order of their numbers, then those of each
/// dimension's markers if there are layers.
pub(crate) fn keys_of(world: &World, prepared: &Prepared, settings: &Settings, naming: Naming) -> Vec<LayerKey> {
    let Prepared { plan, palette, slimes, .. } = prepared;
    let map_layers = MapLayers::new(plan, settings, naming);
    let beside = Beside::of(world, settings, palette, *slimes);
    let of_layers = map_layers.all().map(|map_layer| beside.key(&map_layers, map_layer, plan));
    let dimensions = plan.dimensions.iter().filter(|_| !settings.layers.is_empty());
    of_layers.chain(dimensions.map(|dimension| beside.key_of_markers(dimension))).collect()
}

impl Map<'_> {
    /// Remembers a region that has no tile in some layer and of which something is hidden.
    pub(crate) fn note_hidden(&self, worker: &Worker<'_>, region: &PlannedRegion<'_>, is_everywhere: bool) {
        if worker.tally.chunks.hidden > 0 && !is_everywhere {
            let place = (region.dimension, region.pos);
            mutex::lock(&self.emptied).insert(place);
        }
    }

    /// Unwraps what may be recorded. Where it cannot be read the run ends: it may be all that is recorded of what is
    /// damaged now.
    pub(crate) fn readable<T>(&self, read: Result<Option<T>, PublishError>) -> Option<T> {
        self.whole(read).ok()?
    }

    /// The last record of a region whose tile is where it was recorded, and its place, among those that `is_wanted`.
    pub(crate) fn last_located(
        &self,
        map_layer: MapLayer,
        region: RegionPos,
        is_wanted: impl Fn(&RegionRecord) -> bool,
    ) -> Option<(RegionRecord, TilePlace)> {
        let tile = region.tile();
        let records = self.tiles.records(map_layer, tile).map_while(|recorded| self.whole(recorded).ok());
        records.into_iter().find_map(|recorded| {
            let record = region_of(&recorded.says).filter(&is_wanted)?;
            let place = self.readable(self.tiles.locate(map_layer, tile, record.tile, &recorded))?;
            Some((record, place))
        })
    }

    /// Unwraps what was read in the output folder. Where it cannot be read the run ends.
    pub(crate) fn whole<T>(&self, read: Result<T, PublishError>) -> Result<T, Unread> {
        read.map_err(|error| {
            self.painter.fail(&error);
            Unread
        })
    }
}
