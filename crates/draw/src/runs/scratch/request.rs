//! Prepares the export of a picture, an archive or pictures of regions, and chooses the default
//! area of a picture.

use std::convert::Infallible;

use crate::request::colours::RunColours;
use crate::request::error::RenderError;
use crate::request::look::Look;
use crate::request::plan::{DimensionPlan, Plan};
use crate::request::prepare::{RunPlan, make_plan, prepare_with};
use crate::request::settings::{Mode, Settings};
use pixelmap_base::coord::{Area, RegionPos};
use pixelmap_map::export::{PictureError, PicturePlan, choose, extent};
use pixelmap_world::internal::Region;
use pixelmap_world::internal::World;

/// A request for an export of a map.
pub(crate) struct ExportRequest {
    pub(crate) prepared: RunPlan,
    /// The user's settings, with the area filled in.
    pub(crate) settings: Settings,
    /// The picture, if the output is one.
    pub(crate) picture: Option<PicturePlan>,
    /// Whether the program chose the area, because the user named none. The picture then shows the
    /// drawn part of this area.
    pub(crate) is_area_from_program: bool,
}

/// The area of a world without regions.
const NOTHING: Area = Area {
    x0: 0,
    z0: 0,
    x1: 0,
    z1: 0,
};

/// Prepares an export with these colours.
pub(crate) fn prepare_export(
    world: &World,
    settings: &Settings,
    colours: RunColours,
) -> Result<ExportRequest, RenderError> {
    let prepared = prepare_with(world, settings, colours)?;
    if settings.output.mode == Mode::Image {
        return prepare_picture(world, prepared, settings);
    }

    Ok(ExportRequest {
        prepared,
        settings: settings.clone(),
        picture: None,
        is_area_from_program: false,
    })
}

fn prepare_picture(
    world: &World,
    whole: RunPlan,
    settings: &Settings,
) -> Result<ExportRequest, RenderError> {
    if whole.plan.dimensions.is_empty() {
        return Err(RenderError::Picture(PictureError::Nothing));
    }

    let is_area_from_program = settings.look.area.is_none();
    let (prepared, settings) = if is_area_from_program {
        choose_area(world, whole, settings)?
    } else {
        (whole, settings.clone())
    };

    // A side inside a pixel stays at the requested place, and the rest of that pixel is clear.
    let picture = PicturePlan::new(
        settings.look.area.unwrap_or(NOTHING),
        &settings.output.picture,
    );

    let picture = Some(
        picture
            .map_err(RenderError::Picture)?
            .with_textures(settings.request.zoom_in),
    );

    Ok(ExportRequest {
        prepared,
        settings,
        picture,
        is_area_from_program,
    })
}

/// Chooses the area of a picture. The existing regions of the `whole` world decide which part of it
/// is shown, so the plan is made again for that part.
fn choose_area(
    world: &World,
    whole: RunPlan,
    settings: &Settings,
) -> Result<(RunPlan, Settings), RenderError> {
    let (area, left_out) = default_area(&whole.plan, settings.output.picture.all);
    let settings = Settings {
        look: Look {
            area,
            ..settings.look.clone()
        },
        ..settings.clone()
    };

    let plan = make_plan(
        world,
        &settings,
        &whole.ceilings,
        whole.plan.hidden,
        whole.threads,
    )?;

    // Because no area was named, regions without a tile still count as missing.
    let far = whole
        .plan
        .dimensions
        .into_iter()
        .map(|dimension| dimension.far);

    let dimensions = plan
        .dimensions
        .into_iter()
        .zip(far)
        .map(|(dimension, far)| DimensionPlan { far, ..dimension });
    let plan = Plan {
        dimensions: dimensions.collect(),
        ..plan
    };

    Ok((
        RunPlan {
            plan,
            left_out,
            ..whole
        },
        settings,
    ))
}

/// Returns the default area of a picture, in whole chunks, and warnings about the parts that it
/// leaves out.
fn default_area(plan: &Plan, is_all: bool) -> (Option<Area>, Vec<String>) {
    let regions = plan.order.iter().map(|planned| planned.region);

    let (area, left_out) = if is_all {
        let area = regions.clone().map(RegionPos::area).reduce(Area::union);
        (area, Vec::new())
    } else {
        let choice = choose(regions.clone(), |region| {
            open_first(plan, region).map_or(0, |file| file.stored().count() as u64)
        });
        choice.map_or_else(Default::default, |choice| {
            (Some(choice.area), choice.warnings("chunk"))
        })
    };

    let filled = area.and_then(|area| {
        let filled = extent(area, regions, |region| {
            Ok(open_first(plan, region).and_then(|file| stored_chunks(&file)))
        });
        filled.unwrap_or_else(|never: Infallible| match never {})
    });

    (filled.or(area), left_out)
}

/// Opens a region of the first dimension. Returns `None` if that is not possible.
fn open_first(plan: &Plan, region: RegionPos) -> Option<Region> {
    let DimensionPlan { files, store, .. } = plan.dimensions.first()?;
    store.open(*files.get(&region)?).ok()
}

/// Returns the area of the chunks that a region file contains.
fn stored_chunks(file: &Region) -> Option<Area> {
    let stored = file.stored();
    stored
        .map(|slot| file.pos().chunk(slot).area())
        .reduce(Area::union)
}
