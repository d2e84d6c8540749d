//! Draws a picture, an archive or regions: a map is drawn into a scratch folder, exported, and removed.

pub(super) mod asked;
pub(super) mod scratch;

use std::time::Instant;

use crate::base::coord::Area;
use crate::draw::account::{Published, report};
use crate::draw::error::RenderError;
use crate::draw::exported::asked::{Asked, ask};
use crate::draw::exported::scratch::{ScratchMap, draw_scratch, naming_of};
use crate::draw::map::finish::warnings;
use crate::draw::map::removals::{Removals, check_removals};
use crate::draw::prepare::layers::MapLayers;
use crate::draw::progress::Progress;
use crate::draw::report::{ArchiveFacts, Failure, PictureFacts, Report};
use crate::draw::settings::Settings;
use crate::export::{self, Archived, ExportError, ExportLayer, FileTarget, Picture, RegionCounts, Workers, drawn_area};
use crate::schedule::Stop;
use crate::store::{AskedNaming, Output, PartialFile, PublishError, Scratch, no_page};
use crate::world::World;

/// The output of an export; held by this run.
enum Target {
    File(PartialFile),
    Regions(Output),
}

/// A run that makes something from a map.
struct Run<'a> {
    asked: &'a Asked,
    workers: Workers<'a>,
}

/// An export that was drawn.
#[derive(Debug)]
pub struct Exported {
    /// The report of the run.
    pub report: Report,
    /// The folder of the regions, if it is one, which this run still holds.
    pub regions: Option<Output>,
    /// The digest of the archive, if it is one that was published: the manifest of its map tells it without reading the
    /// tiles again.
    pub digest: Option<String>,
}

/// Draws a map of a world and exports it: to one picture, an archive, or regions.
///
/// The report holds what went wrong while the map was drawn; its outcome tells how the run ended.
///
/// # Errors
/// Nothing was drawn: the colours cannot be had, it cannot be told what must not be shown, the request does not fit the
/// world, or the output cannot be used.
pub fn render(world: &World, settings: &Settings, progress: &Progress, stop: &Stop) -> Result<Exported, RenderError> {
    let start = Instant::now();
    let asked = ask(world, settings)?;
    let target = Target::open(world, &asked)?;
    let scratch = target.scratch().map_err(RenderError::Output)?;
    let mut map = draw_scratch(world, &asked, scratch.path(), progress, stop, start)?;
    let Asked { prepared, settings, picture, .. } = &asked;
    let workers = Workers { threads: prepared.threads, is_stopped: &|| stop.requested() };
    let run = Run { asked: &asked, workers };
    let picture = picture.as_ref().map(picture_facts);
    let mut published = Published { empty: map.is_empty(), picture, ..Published::default() };
    (map.drawn.tally.tiles_written, map.drawn.tally.tiles_unchanged) = (0, 0);
    if let (Some(thresholds), true, None) = (settings.staged, map.drawn.all_done, &map.drawn.failure) {
        map.drawn.failure = thresholds.withhold((&map.drawn.tally).into());
    }
    let is_whole = map.drawn.failure.is_none() && map.drawn.all_done;
    let (done, regions) = match target {
        Target::File(part) if is_whole => {
            let target = FileTarget { path: &settings.output, file: part, scratch: Some(scratch) };
            (run.file(target, &mut map, &mut published).map_err(|error| Failure::from(&error)), None)
        }
        Target::Regions(folder) if is_whole => (run.regions(&folder, &mut map, &mut published), Some(folder)),
        Target::Regions(folder) => (Ok(()), Some(folder)),
        Target::File(_) => (Ok(()), None),
    };
    if let Err(failure) = done {
        map.drawn.failure = Some(failure);
    }
    let warnings = warnings(&prepared.plan, settings, &map.drawn.tally, published.closed, &published.others);
    map.drawn.summary.warnings.extend(warnings);
    let digest = digest_of(&map, &published);
    let report = report(world, &prepared.plan, settings, naming_of(settings), map.drawn, published);
    Ok(Exported { report, regions, digest })
}

impl Target {
    fn open(world: &World, asked: &Asked) -> Result<Self, RenderError> {
        let Asked { prepared, settings, .. } = asked;
        let folders = &world.folders;
        let Some(content) = settings.mode.regions() else {
            return PartialFile::create(&settings.output, folders).map(Self::File).map_err(RenderError::Output);
        };
        let output = Output::open_for(content, AskedNaming::default(), &settings.output, &prepared.identity, folders);
        let output = output.map_err(RenderError::Output)?;
        // Where the plan alone shows that too many pictures would go, nothing is begun.
        check_removals(&output, prepared, settings)?;
        output.begin_listing().map_err(RenderError::Output)?;
        Ok(Self::Regions(output))
    }

    /// An empty folder that no other run is at, as this one holds the target.
    fn scratch(&self) -> Result<Scratch, PublishError> {
        match self {
            Self::File(part) => part.scratch(),
            Self::Regions(output) => output.scratch_folder(),
        }
    }
}

impl Run<'_> {
    /// Exports a map that is drawn to a file.
    fn file(&self, target: FileTarget<'_>, map: &mut ScratchMap, published: &mut Published) -> Result<(), ExportError> {
        let Some(layer) = map.layers().next() else { return Ok(()) };
        if let Some(picture) = &self.asked.picture {
            let picture = self.trimmed(&layer, picture)?;
            if let Some(bytes) = export::put_picture(&layer, &picture, target, &self.workers)? {
                published.picture = Some(PictureFacts { bytes, ..picture_facts(&picture) });
                published.closed = true;
            }
            return Ok(());
        }
        drop(layer);
        put_archive(target, &self.workers, map, published)
    }

    /// The picture without what is not drawn around it, where no area was named.
    fn trimmed(&self, layer: &ExportLayer<'_>, picture: &Picture) -> Result<Picture, ExportError> {
        let Asked { settings, is_area_chosen, .. } = self.asked;
        let Some(area) = settings.area.filter(|_| *is_area_chosen) else { return Ok(picture.clone()) };
        Picture::new(drawn_area(layer, area)?, &settings.picture).map_err(ExportError::Picture)
    }

    fn regions(&self, output: &Output, map: &mut ScratchMap, published: &mut Published) -> Result<(), Failure> {
        let Asked { prepared, settings, .. } = self.asked;
        let layers: Vec<ExportLayer<'_>> = map.layers().collect();
        let map_layers = MapLayers::new(&prepared.plan, settings, output.naming());
        let stays = |map_layer, tile| layers[map_layers.number(map_layer)].has(tile);
        Removals::of(output, &prepared.plan, &map_layers, &map.emptied, stays)
            .map_err(RenderError::Output)
            .and_then(|removals| removals.check(settings.max_removed))
            .map_err(|error| Failure::from(&error))?;
        let counts = export::put_regions(output, &layers, &self.workers).map_err(|error| Failure::from(&error))?;
        drop(layers);
        if let Some(RegionCounts { written, unchanged, removed, others }) = counts {
            (map.drawn.tally.tiles_written, map.drawn.tally.tiles_unchanged) = (written, unchanged);
            (published.removed, published.closed, published.others) = (removed, true, others);
        }
        Ok(())
    }
}

/// The digest of an archive that was published.
pub(crate) fn digest_of(map: &ScratchMap, published: &Published) -> Option<String> {
    published.archive.and_then(|_| map.layers().next()).map(|layer| layer.digest())
}

/// Writes the archive of a map that is drawn, and its page.
pub(crate) fn put_archive(
    target: FileTarget<'_>,
    workers: &Workers<'_>,
    map: &mut ScratchMap,
    published: &mut Published,
) -> Result<(), ExportError> {
    let Some(layer) = map.layers().next() else { return Ok(()) };
    let path = target.path;
    let archived = export::put_archive(&layer, target, workers)?;
    drop(layer);
    if let Some(Archived { tiles, contents, bytes, has_page }) = archived {
        map.drawn.tally.tiles_written = tiles;
        map.drawn.summary.warnings.extend((!has_page).then(|| no_page(path)));
        published.archive = Some(ArchiveFacts { contents, bytes });
        published.closed = true;
    }
    Ok(())
}

/// The report's facts of a picture that was not published.
pub(in crate::draw) fn picture_facts(picture: &Picture) -> PictureFacts {
    let (Area { x0, z0, x1, z1 }, (width, height)) = (picture.grid().area, picture.sides());
    PictureFacts { area: [x0, z0, x1, z1], scale: picture.grid().scale_text(), width, height, bytes: 0 }
}

/// The pictures of regions that a run would remove as far as its plan tells; the output folder is only looked at.
pub(crate) fn removed_by_plan(world: &World, asked: &Asked) -> Result<u64, RenderError> {
    let Asked { prepared, settings, .. } = asked;
    let Some(content) = settings.mode.regions() else { return Ok(0) };
    let output = Output::look(content, AskedNaming::default(), &settings.output, &prepared.identity, &world.folders);
    Ok(check_removals(&output.map_err(RenderError::Output)?, prepared, settings)?.count())
}
