//! A map whose jobs have ended.

use std::sync::Arc;
use std::time::Instant;

use crate::atlas::Manifest;
use crate::draw::account::Drawn;
use crate::draw::map::jobs::{Job, jobs};
use crate::draw::map::keyed::Keyed;
use crate::draw::map::of_world::OfWorld;
use crate::draw::map::state::{Made, Map};
use crate::draw::plan::Plan;
use crate::draw::prepare::layers::{MapLayer, MapLayers};
use crate::draw::prepare::{Prepared, early_warnings};
use crate::draw::settings::Settings;
use crate::paint::markers::OwnerFile;
use crate::schedule::{self, Stop, Summary};

/// A map whose jobs have ended, and that is not published yet.
#[derive(Debug)]
pub struct DrawnMap<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) plan: &'a Plan,
    pub(crate) map_layers: Arc<MapLayers>,
    pub(crate) made: Made,
    pub(crate) own_markers: &'a [OwnerFile],
    /// By dimension.
    pub(crate) of_world: Vec<OfWorld>,
    pub(crate) drawn: Drawn,
}

impl<'a> DrawnMap<'a> {
    /// Draws a map, which was made of these settings and what is prepared by them, by the workers of `run`.
    pub(crate) fn of(
        map: Map<'_>,
        (settings, prepared): (&'a Settings, &'a Prepared),
        start: Instant,
        stop: &Stop,
        run: impl FnOnce(&Map<'_>, schedule::Plan<Job>, &schedule::Settings) -> Summary,
    ) -> Self {
        let plan = &prepared.plan;
        let mut summary = run(&map, jobs(plan), &settings.schedule(prepared.threads));
        summary.warnings.extend(early_warnings(prepared, settings));
        let (painter, made) = map.end();
        let (map_layers, left) = painter.end();
        let drawn = Drawn::of(plan, left, summary, stop, start);
        Self { settings, plan, map_layers, made, own_markers: &prepared.own_markers, of_world: Vec::new(), drawn }
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
