//! A map whose jobs have ended, on its way from drawing to publishing.

use std::sync::Arc;

use crate::map::context::RunContext;
use crate::map::{Map, tile_plan};
use crate::publish::account::Account;
use crate::publish::removals::HiddenRegions;
use crate::publish::world_markers::WorldMarkers;
use crate::report::{Limit, Thresholds};
use crate::request::error::RenderError;
use crate::request::hide::HiddenPlaces;
use crate::request::layers::{MapLayer, MapLayers};
use crate::request::plan::MapDimension;
use crate::request::settings::{MomentSettings, OutputRequest, RunSettings, Settings};
use crate::schedule::{self, Summary};
use crate::tiles::jobs::{TileJob, jobs};
use crate::tiles::journal_subject::JournalSubject;
use crate::tiles::map_tiles::make_tiles;
use crate::tiles::tile_store::MapResult;
use pixelmap_map::atlas::{Manifest, WorldLink};
use pixelmap_map::page::PageTexts;
use pixelmap_paint::markers::{MarkerSelection, OwnerFile, OwnerFiles, OwnerIcon};

/// A map whose jobs have ended, but that is not published yet.
#[derive(Debug)]
pub struct UnpublishedMap<'a> {
    pub(crate) dimensions: Vec<MapDimension<'a>>,
    pub(crate) map_layers: Arc<MapLayers>,
    pub(crate) made: MapResult,
    /// The areas that must not be shown, or `None` if nothing is hidden.
    pub(crate) hidden: Option<&'a HiddenPlaces>,
    /// A hash of how the regions are divided among shards.
    pub(crate) division: Option<u64>,
    /// Indexed by dimension. Empty if markers of the world are not read.
    pub(crate) world_markers: Vec<WorldMarkers>,
    /// Warnings about markers of the world that are left out. The account contains them as well.
    pub(crate) marker_warnings: Vec<String>,
    pub(crate) publishing: PublishSettings<'a>,
    pub(crate) account: Account,
}

/// How a map is published, and what its page shows in addition to the tiles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PublishSettings<'a> {
    pub(crate) page: &'a PageTexts,
    pub(crate) worlds: &'a [WorldLink],
    pub(crate) own_markers: &'a [OwnerFile],
    pub(crate) icons: &'a [OwnerIcon],
    /// The kinds of markers that are read from the world.
    pub(crate) markers: &'a MarkerSelection,
    pub(crate) staged: Option<Thresholds>,
    pub(crate) max_removed: Limit,
    pub(crate) moment: &'a MomentSettings,
}

impl<'a> PublishSettings<'a> {
    pub(crate) fn new(settings: &'a Settings, own: &'a OwnerFiles) -> Self {
        let Settings {
            request,
            output:
                OutputRequest {
                    page,
                    worlds,
                    moment,
                    ..
                },
            run,
            ..
        } = settings;

        let RunSettings {
            staged,
            max_removed,
            ..
        } = *run;

        Self {
            page,
            worlds,
            own_markers: &own.files,
            icons: &own.icons,
            markers: &request.markers,
            staged,
            max_removed,
            moment,
        }
    }
}

impl<'a> UnpublishedMap<'a> {
    /// Draws a map of a world. `run_jobs` runs the jobs.
    ///
    /// # Errors
    /// Fails if the records of earlier runs cannot be read.
    pub(crate) fn draw(
        context: RunContext<'a, '_>,
        run_jobs: impl FnOnce(
            &Map<'_>,
            schedule::JobPlan<TileJob>,
            &schedule::ScheduleSettings,
        ) -> Summary,
    ) -> Result<Self, RenderError> {
        let RunContext {
            world,
            settings,
            prepared,
            output,
            progress,
            stop,
            ..
        } = context;
        let plan = &prepared.plan;

        let tile_plan = tile_plan(world, prepared, settings, output.naming());
        let map_layers = tile_plan.map_layers.clone();

        let (made, results) = make_tiles(output, tile_plan, progress, stop, |tiles| {
            let map = Map::new(context, tiles)?;
            Ok::<_, RenderError>(run_jobs(
                &map,
                jobs(plan),
                &settings.schedule(prepared.threads),
            ))
        })?;

        let dimensions = plan.map_dimensions();
        let (markers, area) = (&settings.request.markers, settings.look.area);

        let mut marker_warnings = Vec::new();
        let world_markers = WorldMarkers::read(
            world,
            markers,
            area,
            &plan.hidden,
            &dimensions,
            &made.markers,
            &mut marker_warnings,
        );

        Ok(Self {
            world_markers,
            dimensions,
            map_layers,
            made,
            hidden: Some(&plan.hidden),
            division: plan.division,
            publishing: PublishSettings::new(settings, &prepared.own),
            account: Account::new(context, results, &marker_warnings),
            marker_warnings,
        })
    }

    /// Returns whether the whole map is drawn.
    pub fn is_whole(&self) -> bool {
        self.account.is_whole()
    }

    pub(crate) fn hidden_regions(&self) -> HiddenRegions<'_> {
        HiddenRegions {
            areas: self.hidden,
            emptied: &self.made.emptied,
        }
    }

    /// Returns the subjects of the map's entries in the journal, in the order of its keys.
    pub(crate) fn journal_subjects(&self) -> impl Iterator<Item = JournalSubject> {
        JournalSubject::all(&self.map_layers).take(self.made.keys.len())
    }

    pub(crate) fn manifest(&self, map_layer: MapLayer) -> &Manifest {
        &self.made.layers[self.map_layers.number(map_layer)].manifest
    }
}
