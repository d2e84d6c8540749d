//! Draws a picture, an archive or regions: a map is drawn into a scratch folder, exported, and removed.

pub(super) mod asked;
pub(super) mod scratch;

use std::time::Instant;

use crate::coord::{Area, TilePos};
use crate::export::{Archive, ExportError, MapLayer, Picture, RegionCounts, RegionsFolder, drawn_area};
use crate::pipeline::error::RenderError;
use crate::pipeline::exported::asked::{Asked, ask};
use crate::pipeline::exported::scratch::{ScratchMap, draw_scratch, naming_of};
use crate::pipeline::map::finish::hides_nothing;
use crate::pipeline::map::removals::Emptied;
use crate::pipeline::map::removals::hidden;
use crate::pipeline::paint::shared::failure_of;
use crate::pipeline::progress::Progress;
use crate::pipeline::report::{Published, report};
use crate::pipeline::settings::Settings;
use crate::plan::Plan;
use crate::publish::{AskedNaming, Output, Part, PublishError, Scratch, no_page, put_page_beside};
use crate::report::{ArchiveFacts, Failure, FailureKind, PictureFacts, Report};
use crate::schedule::Stop;
use crate::world::World;

/// The output of an export; held by this run.
enum Target {
    File(Part),
    Regions(RegionsFolder),
}

/// A run that makes something from a map.
struct Run<'a> {
    settings: &'a Settings,
    picture: Option<&'a Picture>,
    /// The picture shows what is drawn, to the chunk.
    is_area_chosen: bool,
    plan: &'a Plan,
    threads: usize,
    stop: &'a Stop,
}

/// An export that was drawn.
#[derive(Debug)]
pub struct Exported {
    /// The report of the run.
    pub report: Report,
    /// The folder of the regions, if it is one, which this run still holds.
    pub regions: Option<RegionsFolder>,
}

/// Draws one picture, an archive or regions.
pub(in crate::pipeline) fn draw_exported(
    world: &World,
    settings: &Settings,
    progress: &Progress,
    stop: &Stop,
) -> Result<Exported, RenderError> {
    let start = Instant::now();
    let mut asked = ask(world, settings)?;
    let target = Target::open(world, &asked)?;
    let scratch = target.scratch().map_err(RenderError::Output)?;
    let mut map = draw_scratch(world, &mut asked, scratch.path(), progress, stop, start)?;
    let Asked { prepared, settings, picture, is_area_chosen, .. } = &asked;
    let run = Run {
        settings,
        picture: picture.as_ref(),
        is_area_chosen: *is_area_chosen,
        plan: &prepared.plan,
        threads: prepared.threads,
        stop,
    };
    let picture = picture.as_ref().map(picture_facts);
    let mut published = Published { empty: map.is_empty(), picture, ..Published::default() };
    (map.drawn.tally.tiles_written, map.drawn.tally.tiles_unchanged) = (0, 0);
    if let (Some(thresholds), true, None) = (settings.staged, map.drawn.all_done, &map.drawn.failure) {
        map.drawn.failure = thresholds.withhold((&map.drawn.tally).into());
    }
    let is_whole = map.drawn.failure.is_none() && map.drawn.all_done;
    let (done, regions) = match target {
        Target::File(part) if is_whole => (run.file(part, scratch, &mut map, &mut published), None),
        Target::Regions(folder) if is_whole => (run.regions(&folder, &mut map, &mut published), Some(folder)),
        Target::Regions(folder) => (Ok(()), Some(folder)),
        Target::File(_) => (Ok(()), None),
    };
    if let Err(failure) = done {
        map.drawn.failure = Some(failure);
    }
    let nothing = hides_nothing(run.plan, settings, &map.drawn.tally, published.closed);
    map.drawn.summary.warnings.extend(nothing);
    let report = report(world, run.plan, settings, naming_of(settings), map.drawn, published);
    Ok(Exported { report, regions })
}

impl Target {
    fn open(world: &World, asked: &Asked) -> Result<Self, RenderError> {
        let Asked { prepared, settings, .. } = asked;
        let folders = &world.folders;
        let Some(content) = settings.mode.regions() else {
            return Part::create(&settings.output, folders).map(Self::File).map_err(RenderError::Output);
        };
        let output = Output::open_for(content, AskedNaming::default(), &settings.output, &prepared.identity, folders);
        let folder = RegionsFolder::in_output(output.map_err(RenderError::Output)?);
        // Where the plan alone shows that too many pictures would go, nothing is begun.
        check_plan(&folder, asked)?;
        folder.output().begin_listing().map_err(RenderError::Output)?;
        Ok(Self::Regions(folder))
    }

    /// An empty folder that no other run is at, as this one holds the target.
    fn scratch(&self) -> Result<Scratch, PublishError> {
        match self {
            Self::File(part) => part.scratch(),
            Self::Regions(folder) => folder.scratch(),
        }
    }
}

impl Run<'_> {
    /// Exports a map that is drawn to a file. The scratch folder goes before the file is let go: afterwards it may be
    /// another run's.
    fn file(
        &self,
        part: Part,
        scratch: Scratch,
        map: &mut ScratchMap,
        published: &mut Published,
    ) -> Result<(), Failure> {
        match self.picture {
            Some(picture) => self.picture(part, scratch, map, picture, published),
            None => self.archive(part, scratch, map, published),
        }
    }

    fn picture(
        &self,
        mut part: Part,
        scratch: Scratch,
        map: &ScratchMap,
        picture: &Picture,
        published: &mut Published,
    ) -> Result<(), Failure> {
        let Some(layer) = map.layers().next() else { return Ok(()) };
        let picture = self.trimmed(&layer, picture).map_err(|error| failure(&error))?;
        let done = picture
            .write(&layer, &mut part, self.threads, &|| self.stop.requested())
            .map_err(|error| failure(&error))?;
        drop(scratch);
        if done {
            let bytes = part.appear().map_err(|error| failure_of(&error))?;
            picture.put_world_file(&self.settings.output).map_err(|error| failure(&error))?;
            published.picture = Some(PictureFacts { bytes, ..picture_facts(&picture) });
            published.closed = true;
        }
        Ok(())
    }

    /// The picture without what is not drawn around it, where no area was named.
    fn trimmed(&self, layer: &MapLayer<'_>, picture: &Picture) -> Result<Picture, ExportError> {
        let Some(area) = self.settings.area.filter(|_| self.is_area_chosen) else { return Ok(picture.clone()) };
        Picture::new(drawn_area(layer, area)?, &self.settings.picture).map_err(ExportError::Picture)
    }

    fn archive(
        &self,
        mut part: Part,
        scratch: Scratch,
        map: &mut ScratchMap,
        published: &mut Published,
    ) -> Result<(), Failure> {
        let output = |error: PublishError| failure_of(&error);
        let Some(layer) = map.layers().next() else { return Ok(()) };
        let archived =
            Archive::of(&layer).write(&mut part, || self.stop.requested()).map_err(|error| failure(&error))?;
        drop((layer, scratch));
        if let Some(archived) = archived {
            let bytes = part.appear().map_err(output)?;
            let has_page = put_page_beside(&self.settings.output).map_err(output)?;
            map.drawn.tally.tiles_written = archived.tiles;
            map.drawn.summary.warnings.extend((!has_page).then(|| no_page(&self.settings.output)));
            published.archive = Some(ArchiveFacts { contents: archived.contents, bytes });
            published.closed = true;
        }
        Ok(())
    }

    fn regions(&self, folder: &RegionsFolder, map: &mut ScratchMap, published: &mut Published) -> Result<(), Failure> {
        let layers: Vec<MapLayer<'_>> = map.layers().collect();
        let of_dimension = self.settings.layers.len();
        check_removed(folder, self.plan, self.settings, &map.emptied, |dimension, layer, tile| {
            layers[dimension * of_dimension + layer].has(tile)
        })
        .map_err(|error| too_many(&error))?;
        let counts = folder.write(&layers, self.threads, &|| self.stop.requested()).map_err(|error| failure(&error))?;
        drop(layers);
        let Some(RegionCounts { written, unchanged, removed, others }) = counts else {
            return Ok(());
        };
        (map.drawn.tally.tiles_written, map.drawn.tally.tiles_unchanged) = (written, unchanged);
        let hides = !self.settings.hide.is_empty() || self.settings.min_inhabited > 0;
        if hides && !others.is_empty() {
            map.drawn.summary.warnings.push(format!(
                "what is hidden may still be seen where this run drew nothing: draw {} with the same options",
                others.join(", ")
            ));
        }
        (published.removed, published.closed) = (removed, true);
        Ok(())
    }
}

/// Counts the pictures of regions that go, and fails if those are more than may; `stays` tells by dimension, layer and
/// tile which stay. Hidden ones are to go, and do not count.
fn check_removed(
    folder: &RegionsFolder,
    plan: &Plan,
    settings: &Settings,
    emptied: &Emptied,
    stays: impl Fn(usize, usize, TilePos) -> bool,
) -> Result<u64, RenderError> {
    let (mut total, mut gone, mut all) = (0, 0, 0);
    for (number, dimension) in plan.dimensions.iter().enumerate() {
        for (place, layer) in settings.layers.iter().enumerate() {
            let found = folder.gone(&dimension.path, layer.name(), |tile| stays(number, place, tile));
            let (standing, going) = found.map_err(RenderError::Output)?;
            let hidden = hidden(&going, plan, number, emptied);
            total += standing - hidden;
            gone += going.len() as u64 - hidden;
            all += going.len() as u64;
        }
    }
    let limit = settings.max_removed;
    if limit.is_exceeded(gone, total) { Err(RenderError::TooManyRemoved(gone, total, limit)) } else { Ok(all) }
}

fn too_many(error: &RenderError) -> Failure {
    match error {
        RenderError::Output(error) => failure_of(error),
        error => Failure { kind: FailureKind::MaxRemoved, message: error.to_string(), retryable: false },
    }
}

fn failure(error: &ExportError) -> Failure {
    Failure { kind: FailureKind::Output, message: error.to_string(), retryable: error.retryable() }
}

/// The report's facts of a picture that was not published.
pub(in crate::pipeline) fn picture_facts(picture: &Picture) -> PictureFacts {
    let (Area { x0, z0, x1, z1 }, (width, height)) = (picture.grid().area, picture.sides());
    PictureFacts { area: [x0, z0, x1, z1], scale: picture.grid().scale_text(), width, height, bytes: 0 }
}

/// The pictures of regions that a run would remove as far as its plan tells; the output folder is only looked at.
pub(in crate::pipeline) fn removed_by_plan(world: &World, asked: &Asked) -> Result<u64, RenderError> {
    let Asked { prepared, settings, .. } = asked;
    let Some(content) = settings.mode.regions() else { return Ok(0) };
    let output = Output::look(content, AskedNaming::default(), &settings.output, &prepared.identity, &world.folders);
    check_plan(&RegionsFolder::in_output(output.map_err(RenderError::Output)?), asked)
}

fn check_plan(folder: &RegionsFolder, Asked { prepared, settings, .. }: &Asked) -> Result<u64, RenderError> {
    let plan = &prepared.plan;
    let stays = |dimension: usize, _, tile| plan.dimensions[dimension].pyramid.contains(tile);
    check_removed(folder, plan, settings, &Emptied::new(), stays)
}
