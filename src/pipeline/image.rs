//! Mode image, from what is asked for to the report.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::account::{Drawn, Published, report};
use super::drawing::{Drawing, failure_of};
use super::earlier::{AREA, Earlier, OPTIONS};
use super::options::Beside;
use super::picture::Picture;
use super::progress::Progress;
use super::render::{Prepared, RenderError, doubts, planned, prepare};
use super::settings::{Image, Settings};
use super::sheet::{Sheet, Sheets};
use crate::coord::{Area, RegionPos};
use crate::export::{Choice, Grid, PictureError, choose, world_file};
use crate::plan::Plan;
use crate::publish::{Format, PictureFile, PublishError, put_beside};
use crate::region::RegionFile;
use crate::report::{PictureFacts, Report};
use crate::schedule::{self, Stop};
use crate::tile::{WEBP_SIDE_LIMIT, png_start};
use crate::world::{Dimension, RegionEntry, World};

/// The one sheet of a picture.
const SHEET: Sheet = Sheet { dimension: 0, layer: 0 };

/// A picture that is asked for, and where its pixels come from.
pub(super) struct Asked<'w> {
    pub(super) prepared: Prepared,
    /// With the area that it shows.
    pub(super) settings: Settings,
    dimension: &'w Dimension,
    pub(super) grid: Grid,
    left_out: Vec<String>,
}

/// Looks what a picture is to show.
pub(super) fn ask<'w>(world: &'w World, settings: &Settings, image: Image) -> Result<Asked<'w>, RenderError> {
    let mut prepared = prepare(world, settings)?;
    let dimension = prepared.plan.dimensions.first().and_then(|plan| world.dimension(&plan.id));
    let dimension = dimension.ok_or(RenderError::Picture(PictureError::Nothing))?;
    let mut settings = settings.clone();
    let mut left_out = Vec::new();
    if settings.area.is_none() {
        // Which part of the world is shown hangs on the regions that there are: then the plan is made again for that part.
        (settings.area, left_out) = chosen(&prepared.plan, dimension, image);
        // What no picture can show is missing all the same where nobody has named a part.
        let far: Vec<Vec<RegionEntry>> = prepared.plan.dimensions.into_iter().map(|dimension| dimension.far).collect();
        prepared.plan = planned(world, &settings, &prepared.kinds, prepared.plan.hidden, prepared.threads)?;
        for (dimension, far) in prepared.plan.dimensions.iter_mut().zip(far) {
            dimension.far = far;
        }
    }
    // A side inside a pixel stays where it was asked for: what lies outside it is clear.
    let grid = Grid::new(settings.area.unwrap_or(NOTHING), image.scale, image.sure).map_err(RenderError::Picture)?;
    if image.format == Format::Webp && grid.width.max(grid.height) > WEBP_SIDE_LIMIT {
        return Err(RenderError::Picture(PictureError::TooLargeForWebp(grid.width, grid.height, WEBP_SIDE_LIMIT)));
    }
    Ok(Asked { prepared, settings, dimension, grid, left_out })
}

/// Draws one picture.
pub(super) fn draw_image(
    world: &World,
    settings: &Settings,
    image: Image,
    progress: &Progress,
    stop: &Stop,
) -> Result<Report, RenderError> {
    let start = Instant::now();
    let asked = settings;
    let Asked { prepared, settings, dimension, grid, left_out } = ask(world, settings, image)?;
    let Prepared { wanted, threads, palette, notes, plan, slimes, identity, .. } = prepared;
    let sheets = Sheets::new(&plan, &settings);
    // By the area that was asked for: where none was, what is shown grows with the world.
    let key = Beside::of(world, asked, &palette, slimes).key_of_file(&sheets, SHEET, &plan, grid.scale, &identity);
    let file = create(world, dimension, &settings, image.format, grid, &key).map_err(RenderError::Output)?;
    let earlier = (image.format == Format::Png).then(|| Earlier::new(&settings.output, key, grid));
    let palette = Arc::new(palette);
    let names = super::names(world, &palette);
    let drawing = Drawing::new(&plan, &settings, progress, (sheets, palette, names, slimes), stop, threads);
    let picture = Picture::new(drawing, grid, file, earlier, threads);
    let how = settings.schedule(threads);
    let mut summary = schedule::run(&&picture, picture.jobs(threads), &how, stop);
    summary.warnings.extend(doubts(notes.into_iter().chain(left_out), &plan, &settings, (wanted, threads)));
    let empty = picture.is_blank();
    let (drawing, finish) = picture.end();
    let (_, left) = drawing.end();
    let mut drawn = Drawn::of(&plan, &settings, left, summary, stop, start);
    let mut published = Published { empty, picture: Some(facts(grid)), ..Published::default() };
    if drawn.failure.is_none() && drawn.all_done {
        let placed = world_file(grid.area.x0, grid.area.z0, grid.scale.pixel_blocks());
        let finished = finish().and_then(|bytes| {
            put_beside(&world_file_of(&settings.output, image.format), placed.as_bytes())?;
            Ok(bytes)
        });
        match finished {
            Ok(bytes) => {
                published.closed = true;
                published.picture = Some(PictureFacts { bytes, ..facts(grid) });
            }
            Err(error) => drawn.failure = Some(failure_of(&error)),
        }
    }
    Ok(report(world, &plan, &settings, drawn, published))
}

/// The area of a world without regions.
const NOTHING: Area = Area { x0: 0, z0: 0, x1: 0, z1: 0 };

/// What a picture shows where no area is named, and what is to be said of what it does not show.
fn chosen(plan: &Plan, dimension: &Dimension, image: Image) -> (Option<Area>, Vec<String>) {
    let regions = || plan.order.iter().map(|place| place.region);
    if image.all {
        return (regions().map(RegionPos::area).reduce(Area::union), Vec::new());
    }
    let files: BTreeMap<RegionPos, &RegionEntry> =
        dimension.regions.iter().map(|entry| (entry.region, entry)).collect();
    let chunks = |region: RegionPos| {
        let file = files.get(&region).and_then(|entry| RegionFile::open(&entry.path(&dimension.folder), region).ok());
        file.map_or(0, |file| file.header().in_use() as u64)
    };
    let choice = choose(regions(), chunks);
    choice.map_or((None, Vec::new()), |choice: Choice| (Some(choice.area), choice.warnings("chunks")))
}

/// The file of a picture, and for a WebP room for its pixels, since its encoder needs them all.
fn create(
    world: &World,
    dimension: &Dimension,
    settings: &Settings,
    format: Format,
    grid: Grid,
    key: &str,
) -> Result<(PictureFile, Option<Vec<u8>>), PublishError> {
    let Grid { area, scale, width, height } = grid;
    let mut file = PictureFile::create(&settings.output, &world.folders)?;
    if format == Format::Webp {
        let mut pixels = Vec::new();
        let room = pixels.try_reserve_exact(width as usize * height as usize * 4);
        file.add(|_| room.map_err(|_| io::ErrorKind::OutOfMemory.into()))?;
        return Ok((file, Some(pixels)));
    }
    let layer = settings.layers.first().map_or("", |layer| layer.name());
    let texts = [
        ("Software", "pixelmap".to_owned()),
        ("Dimension", dimension.id.clone()),
        ("Layer", layer.to_owned()),
        (AREA, area.to_string()),
        ("Scale", scale.to_string()),
        (OPTIONS, key.to_owned()),
    ];
    file.add(|out| out.write_all(&png_start((width, height), &texts)))?;
    Ok((file, None))
}

/// What is said of a picture that was not published.
pub(super) fn facts(grid: Grid) -> PictureFacts {
    let Grid { area, scale, width, height } = grid;
    PictureFacts { area: [area.x0, area.z0, area.x1, area.z1], scale: scale.to_string(), width, height, bytes: 0 }
}

/// The world file of a picture, as GDAL looks for it: for WebP it has no ending of three letters of its own.
fn world_file_of(picture: &Path, format: Format) -> PathBuf {
    picture.with_extension(match format {
        Format::Png => "pgw",
        Format::Webp => "wld",
    })
}
