//! A map whose jobs have ended.

use std::sync::Arc;
use std::time::Instant;

use crate::atlas::Manifest;
use crate::draw::account::Drawn;
use crate::draw::account::run_state::RunState;
use crate::draw::error::RenderError;
use crate::draw::map::Map;
use crate::draw::map::jobs::{Job, jobs};
use crate::draw::map::keyed::Keyed;
use crate::draw::map::of_world::OfWorld;
use crate::draw::map::removals::Emptied;
use crate::draw::map::tile_store::Made;
use crate::draw::plan::Plan;
use crate::draw::prepare::layers::{MapLayer, MapLayers};
use crate::draw::prepare::{Prepared, early_warnings};
use crate::draw::progress::Progress;
use crate::draw::settings::Settings;
use crate::paint::markers::OwnerFile;
use crate::schedule::{self, Stop, Summary};
use crate::store::Output;
use crate::world::World;

/// A map whose jobs have ended, and that is not published yet.
#[derive(Debug)]
pub struct DrawnMap<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) plan: &'a Plan,
    pub(crate) map_layers: Arc<MapLayers>,
    pub(crate) made: Made,
    pub(crate) emptied: Emptied,
    pub(crate) own_markers: &'a [OwnerFile],
    /// By dimension.
    pub(crate) of_world: Vec<OfWorld>,
    pub(crate) drawn: Drawn,
}

impl<'a> DrawnMap<'a> {
    /// Draws a map of `world` into `output` by the workers of `run_jobs`.
    ///
    /// # Errors
    /// What earlier runs recorded cannot be read.
    pub(crate) fn draw(
        world: &World,
        settings: &'a Settings,
        prepared: &'a Prepared,
        output: &Output,
        progress: &Progress,
        stop: &Stop,
        run_jobs: impl FnOnce(&Map<'_>, schedule::Plan<Job>, &schedule::Settings) -> Summary,
    ) -> Result<Self, RenderError> {
        let start = Instant::now();
        let run = RunState::new(progress, stop);
        let map = Map::new(world, prepared, settings, output, &run)?;
        let summary = run_jobs(&map, jobs(&prepared.plan), &settings.schedule(prepared.threads));
        let map_layers = map.tiles.map_layers.clone();
        let (made, emptied) = map.end();
        let mut drawn =
            Self::new(settings, prepared, map_layers, made, Drawn::of(&prepared.plan, run.end(), summary, stop, start));
        drawn.emptied = emptied;
        Ok(drawn)
    }

    pub(crate) fn new(
        settings: &'a Settings,
        prepared: &'a Prepared,
        map_layers: Arc<MapLayers>,
        made: Made,
        mut drawn: Drawn,
    ) -> Self {
        drawn.summary.warnings.extend(early_warnings(prepared, settings));
        let Prepared { plan, own_markers, .. } = prepared;
        Self { settings, plan, map_layers, made, emptied: Emptied::new(), own_markers, of_world: Vec::new(), drawn }
    }

    /// Returns whether all of it is drawn.
    pub fn is_whole(&self) -> bool {
        self.drawn.failure.is_none() && self.drawn.all_done
    }

    /// What the map records, in the order of its keys in the journal, each with the map's number.
    pub(crate) fn recorded(&self, index: usize) -> impl Iterator<Item = (usize, Keyed)> {
        Keyed::all(&self.map_layers).take(self.made.keys.len()).map(move |recorded| (index, recorded))
    }

    pub(crate) fn manifest(&self, map_layer: MapLayer) -> &Manifest {
        &self.made.layers[self.map_layers.number(map_layer)].manifest
    }
}
