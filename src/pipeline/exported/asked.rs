//! Prepares a picture, an archive or regions, with the area that a picture shows by default.

use crate::coord::{Area, RegionPos};
use crate::export::{Picture, PictureError, choose};
use crate::pipeline::settings::{Image, Mode, Settings};
use crate::pipeline::{
    error::RenderError,
    prepare::{Prepared, planned, prepare},
};
use crate::plan::{DimensionPlan, Plan};
use crate::region::RegionFile;
use crate::world::{RegionEntry, World};

/// A request for something that is made from a map.
pub(crate) struct Asked {
    pub(crate) prepared: Prepared,
    /// With the area that is shown.
    pub(crate) settings: Settings,
    /// The picture, if it is one.
    pub(crate) picture: Option<Picture>,
    /// The warnings that name what the picture leaves out.
    pub(crate) left_out: Vec<String>,
}

/// The area of a world without regions.
const NOTHING: Area = Area { x0: 0, z0: 0, x1: 0, z1: 0 };

/// Prepares a request.
pub(crate) fn ask(world: &World, settings: &Settings) -> Result<Asked, RenderError> {
    let prepared = prepare(world, settings)?;
    match settings.mode {
        Mode::Image(image) => ask_picture(world, prepared, settings.clone(), image),
        _ => Ok(Asked { prepared, settings: settings.clone(), picture: None, left_out: Vec::new() }),
    }
}

fn ask_picture(
    world: &World,
    mut prepared: Prepared,
    mut settings: Settings,
    image: Image,
) -> Result<Asked, RenderError> {
    if prepared.plan.dimensions.is_empty() {
        return Err(RenderError::Picture(PictureError::Nothing));
    }
    let mut left_out = Vec::new();
    if settings.area.is_none() {
        // Which part of the world is shown hangs on the regions that there are: then the plan is made again for that
        // part.
        (settings.area, left_out) = chosen(&prepared.plan, image);
        // Regions without a tile are missing all the same where no part was named.
        let far: Vec<Vec<RegionEntry>> = prepared.plan.dimensions.into_iter().map(|dimension| dimension.far).collect();
        prepared.plan = planned(world, &settings, &prepared.kinds, prepared.plan.hidden, prepared.threads)?;
        for (dimension, far) in prepared.plan.dimensions.iter_mut().zip(far) {
            dimension.far = far;
        }
    }
    // A side inside a pixel stays where it was asked for: what lies outside it is clear.
    let picture = Picture::new(settings.area.unwrap_or(NOTHING), image.scale, image.format, image.sure);
    let picture = Some(picture.map_err(RenderError::Picture)?);
    Ok(Asked { prepared, settings, picture, left_out })
}

/// The area that a picture shows by default, and the warnings that name what it leaves out.
fn chosen(plan: &Plan, image: Image) -> (Option<Area>, Vec<String>) {
    let regions = || plan.order.iter().map(|place| place.region);
    if image.all {
        return (regions().map(RegionPos::area).reduce(Area::union), Vec::new());
    }
    let chunks = |region: RegionPos| {
        let file = plan.dimensions.first().and_then(|DimensionPlan { files, folder, .. }| {
            let entry = files.get(&region)?;
            RegionFile::open(&entry.path(folder), region).ok()
        });
        file.map_or(0, |file| file.header().in_use() as u64)
    };
    let choice = choose(regions(), chunks);
    choice.map_or_else(Default::default, |choice| (Some(choice.area), choice.warnings("chunks")))
}
