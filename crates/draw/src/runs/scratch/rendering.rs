//! Draws a map into a scratch folder, and exports it.

use super::exported_map::ExportedMap;
use super::exported_map::picture_facts;
use super::target::ScratchTarget;
use crate::map::context::RunContext;
use crate::publish::account::{PublishedMap, publish_whole};
use crate::publish::drawn::UnpublishedMap;
use crate::publish::facts::WorldLabel;
use crate::publish::removals::{Removals, check_removals};
use crate::report::progress::Progress;
use crate::report::{Failure, PictureFacts, TileCounts};
use crate::request::error::RenderError;
use crate::request::layers::MapLayers;
use crate::request::prepare::choose_colours;
use crate::request::settings::Settings;
use crate::runs::open_world::EarlyReading;
use crate::runs::scratch::request::{ExportRequest, prepare_export};
use crate::runs::scratch::scratch_map::{ScratchMap, tile_naming};
use crate::schedule::{self, Stop};
use crate::tiles::tile_jobs::TileJobs;
use pixelmap_map::export::{
    self, ExportError, ExportLayer, FileTarget, PictureCounts, PicturePlan, Pieces, Workers,
    drawn_area,
};
use pixelmap_map::store::{Output, WantedNaming};
use pixelmap_world::internal::World;

/// Draws a map of a world and exports it to one picture, an archive, or pictures of regions. Uses the
/// chunks that were decoded `early` for this map.
///
/// The report contains the problems that were found while the map was drawn. Its outcome shows how
/// the run ended.
///
/// # Errors
/// Fails if the colours or the hidden places cannot be read, the request does not fit the world, or
/// the output cannot be used. Nothing is drawn then.
pub fn render(
    world: &World,
    settings: &Settings,
    early: Option<EarlyReading>,
    progress: &Progress,
    stop: &Stop,
) -> Result<ExportedMap, RenderError> {
    let (colours, early) = match early {
        Some(EarlyReading { colours, columns }) => (colours, Some(columns)),
        None => (choose_colours(world, settings)?, None),
    };
    let request = prepare_export(world, settings, colours)?;
    let target = ScratchTarget::open(world, &request)?;
    let folder = target.map_folder().to_owned();
    let ExportRequest {
        prepared, settings, ..
    } = &request;

    let output = Output::scratch(&folder, tile_naming(settings))?;
    let context = RunContext {
        world,
        settings,
        prepared,
        early: early.as_ref(),
        output: &output,
        progress,
        stop,
    };

    let drawn = UnpublishedMap::draw(context, |map, jobs, how| {
        schedule::run(&TileJobs::new(map.tiles, map), jobs, how, stop)
    })?;
    let map = ScratchMap::new(&WorldLabel::new(world, None), drawn, &output);

    let pieces = Pieces::default();
    let workers = Workers {
        threads: prepared.threads,
        pieces: &pieces,
        is_stopped: &|| stop.is_requested(),
    };

    let mut target = Some(target);
    let published = publish_whole(&[&map.account], settings.run.staged, || {
        let published = if let Some(ScratchTarget::Regions { folder, .. }) = &target {
            request.put_regions(folder, &workers, &map)
        } else if let Some(ScratchTarget::File(file)) = target.take() {
            request.put_file(file, &workers, &map)
        } else {
            Ok(PublishedMap::default())
        };
        published.map(|published| vec![published])
    });

    let regions = match target {
        Some(ScratchTarget::Regions { folder, .. }) => Some(folder),
        Some(ScratchTarget::File(_)) | None => None,
    };

    Ok(map.end(published, request.picture.as_ref(), regions))
}

impl ExportRequest {
    /// Exports a drawn map to a file.
    fn put_file(
        &self,
        target: FileTarget<'_>,
        workers: &Workers<'_>,
        map: &ScratchMap<'_>,
    ) -> Result<PublishedMap, Failure> {
        let Some(picture) = &self.picture else {
            return map.put_archive(target, workers);
        };
        let Some(layer) = map.layers().next() else {
            return Ok(PublishedMap::default());
        };

        let picture = self
            .trim_picture(&layer, picture)
            .map_err(|error| Failure::from(&error))?;
        let put = export::put_picture(&layer, &picture, target, workers)
            .map_err(|error| Failure::from(&error))?;
        let Some(bytes) = put else {
            return Ok(PublishedMap::default());
        };

        let facts = PictureFacts {
            bytes,
            ..picture_facts(&picture)
        };

        Ok(PublishedMap {
            is_closed: true,
            picture: Some(facts),
            ..PublishedMap::default()
        })
    }

    /// Trims a picture to the part that is drawn, unless the user named an area.
    fn trim_picture(
        &self,
        layer: &ExportLayer<'_>,
        picture: &PicturePlan,
    ) -> Result<PicturePlan, ExportError> {
        let Self {
            settings,
            is_area_from_program,
            ..
        } = self;
        let area = match settings.look.area {
            Some(area) if *is_area_from_program => area,
            _ => return Ok(picture.clone()),
        };

        let picture = PicturePlan::new(drawn_area(layer, area)?, &settings.output.picture)
            .map_err(ExportError::Picture)?;
        Ok(picture.with_textures(settings.request.zoom_in))
    }

    fn put_regions(
        &self,
        output: &Output,
        workers: &Workers<'_>,
        map: &ScratchMap<'_>,
    ) -> Result<PublishedMap, Failure> {
        let Self {
            prepared, settings, ..
        } = self;

        let layers: Vec<ExportLayer<'_>> = map.layers().collect();
        let map_layers = MapLayers::new(&prepared.plan, settings, output.naming());
        Removals::find(
            output,
            &prepared.plan.map_dimensions(),
            &map_layers,
            map.hidden_regions(),
            |map_layer, tile| layers[map_layers.number(map_layer)].has(tile),
        )
        .map_err(RenderError::from)
        .and_then(|removals| removals.check(settings.run.max_removed))
        .map_err(|error| Failure::from(&error))?;

        let counts =
            export::put_regions(output, &layers, workers).map_err(|error| Failure::from(&error))?;

        let Some(PictureCounts {
            written,
            unchanged,
            removed,
            others,
        }) = counts
        else {
            return Ok(PublishedMap::default());
        };

        let tiles = TileCounts {
            written,
            unchanged,
            removed,
        };

        Ok(PublishedMap {
            is_closed: true,
            tiles,
            others,
            ..PublishedMap::default()
        })
    }
}

/// Counts the pictures of regions that a run would remove, as far as its plan shows. The output
/// folder is only read.
pub(crate) fn removed_by_plan(world: &World, request: &ExportRequest) -> Result<u64, RenderError> {
    let ExportRequest {
        prepared, settings, ..
    } = request;
    let Some(content) = settings.output.mode.regions() else {
        return Ok(0);
    };

    let output = Output::look(
        content,
        WantedNaming::default(),
        &settings.output.path,
        &prepared.identity,
        &world.folders,
    );
    Ok(check_removals(&output?, prepared, settings)?.count())
}
