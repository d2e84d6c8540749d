//! A map that is being drawn: what its workers share, and what they leave.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::base::coord::{Area, RegionPos, TilePos};
use crate::draw::error::RenderError;
use crate::draw::map::history::History;
use crate::draw::map::removals::Emptied;
use crate::draw::map::waiting::{Unread, Waiting};
use crate::draw::painter::shared::Drawing;
use crate::draw::prepare::Prepared;
use crate::draw::prepare::fingerprint::Beside;
use crate::draw::prepare::layers::{MapLayer, MapLayers};
use crate::draw::progress::Progress;
use crate::draw::report::ShownNames;
use crate::draw::settings::Settings;
use crate::export::extent;
use crate::paint::markers::RegionMarkers;
use crate::schedule::Stop;
use crate::store::{LayerKey, Manifest, MapFile, Naming, Output, PublishError};
use crate::world::World;

/// A map layer as the jobs make it.
#[derive(Debug, Default)]
pub(crate) struct MadeLayer {
    /// The tiles that stand on disk.
    pub(crate) manifest: Manifest,
    /// Those of them that are staged.
    pub(crate) staged: BTreeSet<TilePos>,
    /// The drawn parts of the regions that are not filled from side to side.
    pub(crate) rims: BTreeMap<RegionPos, Area>,
    /// The names of what is shown.
    pub(crate) shown: ShownNames,
}

impl MadeLayer {
    /// Keeps the part of a region's tile that is drawn on.
    pub(crate) fn fill(&mut self, region: RegionPos, filled: Area) {
        let filled = region.area_of(filled);
        if filled != region.area() {
            self.rims.insert(region, filled);
        }
    }

    /// The part of an area that holds all that its tiles show there, to the chunk.
    pub(crate) fn shown_in(&self, area: Area) -> Option<Area> {
        let regions = self.manifest.tiles.keys().filter_map(|tile| tile.region());
        let filled = |region: RegionPos| Ok(Some(self.rims.get(&region).copied().unwrap_or(region.area())));
        extent(area, regions, filled).unwrap_or_else(|never: Infallible| match never {})
    }
}

/// The state that the workers share to make a map.
#[derive(Debug)]
pub(crate) struct Map<'a> {
    pub(crate) drawing: Drawing<'a>,
    pub(crate) output: &'a Output,
    pub(crate) waiting: Waiting,
    pub(crate) history: History<'a>,
    /// By number of the map layer.
    layers: Vec<Mutex<MadeLayer>>,
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
        let history = History::open(output, keys).map_err(RenderError::Output)?;
        let layers = map_layers.all().map(|_| Mutex::default()).collect();
        let (waiting, markers, emptied) = (Waiting::new(*threads), Mutex::default(), Mutex::default());
        let drawing = Drawing::new(world, prepared, settings, progress, map_layers, stop);
        Ok(Self { drawing, output, waiting, history, layers, earlier, markers, emptied })
    }

    /// Returns the results when no worker is left.
    pub(crate) fn end(self) -> (Drawing<'a>, Made) {
        fn inner<T>(mutex: Mutex<T>) -> T {
            mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
        }
        let made = Made {
            keys: self.history.journal.layers().to_vec(),
            layers: self.layers.into_iter().map(inner).collect(),
            markers: inner(self.markers),
            emptied: inner(self.emptied),
        };
        (self.drawing, made)
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
    pub(crate) fn made(&self, map_layer: MapLayer) -> MutexGuard<'_, MadeLayer> {
        self.layers[self.drawing.map_layers.number(map_layer)].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Unwraps what was read in the output folder. Where it cannot be read the run ends.
    pub(crate) fn whole<T>(&self, read: Result<T, PublishError>) -> Result<T, Unread> {
        read.map_err(|error| {
            self.drawing.fail(&error);
            Unread
        })
    }
}
