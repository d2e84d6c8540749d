//! A map that is being drawn: what its workers share, and what they leave.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::coord::TilePos;
use crate::pipeline::map::history::History;
use crate::pipeline::map::removals::Emptied;
use crate::pipeline::map::waiting::{Unread, Waiting};
use crate::pipeline::paint::shared::Drawing;
use crate::pipeline::prepare::layers::MapLayer;
use crate::publish::{Manifest, Output, PublishError, TileRecord};
use crate::report::ShownNames;

/// The staged tiles of a map layer.
pub(in crate::pipeline) type StagedTiles = BTreeSet<TilePos>;

/// The state that the workers share to make a map.
#[derive(Debug)]
pub(in crate::pipeline) struct Map<'a> {
    pub(in crate::pipeline) drawing: Drawing<'a>,
    pub(in crate::pipeline) output: &'a Output,
    pub(in crate::pipeline) waiting: Waiting,
    pub(in crate::pipeline) history: History<'a>,
    /// The tiles that stand on disk, by map layer.
    pub(in crate::pipeline) records: Vec<Mutex<BTreeMap<TilePos, TileRecord>>>,
    /// By map layer.
    pub(in crate::pipeline) staged: Vec<Mutex<StagedTiles>>,
    pub(in crate::pipeline) emptied: Mutex<Emptied>,
    /// The names of what is shown, by map layer.
    pub(in crate::pipeline) shown: Vec<Mutex<ShownNames>>,
}

/// The results of the jobs of a map.
#[derive(Debug)]
pub(in crate::pipeline) struct Made {
    /// By map layer.
    pub(in crate::pipeline) manifests: Vec<Manifest>,
    /// Those of them that are staged, by map layer.
    pub(in crate::pipeline) staged: Vec<StagedTiles>,
    /// The names of what is shown, by map layer.
    pub(in crate::pipeline) shown: Vec<ShownNames>,
    pub(in crate::pipeline) emptied: Emptied,
}

impl<'a> Map<'a> {
    pub(in crate::pipeline) fn new(
        drawing: Drawing<'a>,
        output: &'a Output,
        history: History<'a>,
        threads: usize,
    ) -> Self {
        let records = drawing.map_layers.all().map(|_| Mutex::default()).collect();
        let staged = drawing.map_layers.all().map(|_| Mutex::default()).collect();
        let shown = drawing.map_layers.all().map(|_| Mutex::default()).collect();
        let (waiting, emptied) = (Waiting::new(threads), Mutex::default());
        Self { drawing, output, waiting, history, records, staged, emptied, shown }
    }

    /// Ends when no worker is left: with whether all tiles have reached the disk.
    pub(in crate::pipeline) fn end(self) -> (Drawing<'a>, Made, Result<(), PublishError>) {
        fn inner<T>(mutex: Mutex<T>) -> T {
            mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
        }
        let made = Made {
            manifests: self.records.into_iter().map(|tiles| Manifest { tiles: inner(tiles) }).collect(),
            staged: self.staged.into_iter().map(inner).collect(),
            shown: self.shown.into_iter().map(inner).collect(),
            emptied: inner(self.emptied),
        };
        (self.drawing, made, self.history.journal.sync())
    }
}

impl Map<'_> {
    pub(in crate::pipeline) fn records(&self, map_layer: MapLayer) -> MutexGuard<'_, BTreeMap<TilePos, TileRecord>> {
        self.records[self.drawing.map_layers.number(map_layer)].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Unwraps what was read in the output folder. Where it cannot be read the run ends.
    pub(in crate::pipeline) fn whole<T>(&self, read: Result<T, PublishError>) -> Result<T, Unread> {
        read.map_err(|error| {
            self.drawing.fail(&error);
            Unread
        })
    }
}
