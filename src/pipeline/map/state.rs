//! A map that is being drawn: what its workers share, and what they leave.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::coord::TilePos;
use crate::pipeline::error::RenderError;
use crate::pipeline::map::history::History;
use crate::pipeline::map::removals::Emptied;
use crate::pipeline::map::waiting::{Unread, Waiting};
use crate::pipeline::paint::shared::Drawing;
use crate::pipeline::prepare::Prepared;
use crate::pipeline::prepare::fingerprint::Beside;
use crate::pipeline::prepare::layers::{MapLayer, MapLayers};
use crate::pipeline::progress::Progress;
use crate::pipeline::settings::Settings;
use crate::publish::{LayerKey, Manifest, Output, PublishError, TileRecord};
use crate::report::ShownNames;
use crate::schedule::Stop;
use crate::world::World;

/// The staged tiles of a map layer.
pub(crate) type StagedTiles = BTreeSet<TilePos>;

/// The state that the workers share to make a map.
#[derive(Debug)]
pub(crate) struct Map<'a> {
    pub(crate) drawing: Drawing<'a>,
    pub(crate) output: &'a Output,
    pub(crate) waiting: Waiting,
    pub(crate) history: History<'a>,
    /// The tiles that stand on disk, by map layer.
    pub(crate) records: Vec<Mutex<BTreeMap<TilePos, TileRecord>>>,
    /// By map layer.
    pub(crate) staged: Vec<Mutex<StagedTiles>>,
    pub(crate) emptied: Mutex<Emptied>,
    /// The names of what is shown, by map layer.
    pub(crate) shown: Vec<Mutex<ShownNames>>,
}

/// The results of the jobs of a map.
#[derive(Debug)]
pub(crate) struct Made {
    /// By map layer.
    pub(crate) keys: Vec<LayerKey>,
    /// By map layer.
    pub(crate) manifests: Vec<Manifest>,
    /// Those of them that are staged, by map layer.
    pub(crate) staged: Vec<StagedTiles>,
    /// The names of what is shown, by map layer.
    pub(crate) shown: Vec<ShownNames>,
    pub(crate) emptied: Emptied,
}

impl<'a> Map<'a> {
    /// Makes ready to draw what is prepared into `output`. To be called before any region file is read.
    ///
    /// # Errors
    /// What earlier runs recorded cannot be read.
    pub(crate) fn new(
        world: &World,
        prepared: &'a Prepared,
        settings: &'a Settings,
        output: &'a Output,
        progress: &'a Progress,
        stop: &Stop,
    ) -> Result<Self, RenderError> {
        let Prepared { plan, palette, slimes, threads, .. } = prepared;
        let map_layers = MapLayers::new(plan, settings, output.naming());
        let beside = Beside::of(world, settings, palette, *slimes);
        let keys = map_layers.all().map(|map_layer| beside.key(&map_layers, map_layer, plan)).collect();
        let history = History::open(output, keys).map_err(RenderError::Output)?;
        let records = map_layers.all().map(|_| Mutex::default()).collect();
        let staged = map_layers.all().map(|_| Mutex::default()).collect();
        let shown = map_layers.all().map(|_| Mutex::default()).collect();
        let (waiting, emptied) = (Waiting::new(*threads), Mutex::default());
        let drawing = Drawing::new(world, prepared, settings, progress, map_layers, stop);
        Ok(Self { drawing, output, waiting, history, records, staged, emptied, shown })
    }

    /// Returns the results when no worker is left.
    pub(crate) fn end(self) -> (Drawing<'a>, Made) {
        fn inner<T>(mutex: Mutex<T>) -> T {
            mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
        }
        let made = Made {
            keys: self.history.journal.layers().to_vec(),
            manifests: self.records.into_iter().map(|tiles| Manifest { tiles: inner(tiles) }).collect(),
            staged: self.staged.into_iter().map(inner).collect(),
            shown: self.shown.into_iter().map(inner).collect(),
            emptied: inner(self.emptied),
        };
        (self.drawing, made)
    }
}

impl Map<'_> {
    pub(crate) fn records(&self, map_layer: MapLayer) -> MutexGuard<'_, BTreeMap<TilePos, TileRecord>> {
        self.records[self.drawing.map_layers.number(map_layer)].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Unwraps what was read in the output folder. Where it cannot be read the run ends.
    pub(crate) fn whole<T>(&self, read: Result<T, PublishError>) -> Result<T, Unread> {
        read.map_err(|error| {
            self.drawing.fail(&error);
            Unread
        })
    }
}
