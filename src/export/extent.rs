//! The extent of what is drawn on a layer, to the chunk.

use super::{ExportError, ExportLayer};
use crate::base::coord::{Area, RegionPos};

/// The part of `area` that holds all that is in its `regions`, where `edge_area` gives the area that is filled of those
/// along its sides; others have something in them. `None`: nothing is there.
///
/// # Errors
/// As `edge_area`.
pub fn extent<E>(
    area: Area,
    regions: impl Iterator<Item = RegionPos>,
    mut edge_area: impl FnMut(RegionPos) -> Result<Option<Area>, E>,
) -> Result<Option<Area>, E> {
    let mut filled: Option<Area> = None;
    for region in regions.filter(|&region| area.meets(region)) {
        let whole = region.area();
        let is_inside = whole.x0 > area.x0 && whole.z0 > area.z0 && whole.x1 < area.x1 && whole.z1 < area.z1;
        let Some(here) = (if is_inside { Some(whole) } else { edge_area(region)? }) else { continue };
        filled = Some(filled.map_or(here, |filled| filled.union(here)));
    }
    Ok(filled)
}

/// The part of `area` in which a layer shows something, to the chunk. The same area if
/// it shows nothing.
///
/// # Errors
/// A tile cannot be read, or is not the one that the manifest names.
pub fn drawn_area(layer: &ExportLayer<'_>, area: Area) -> Result<Area, ExportError> {
    let regions = layer.regions().map(|(region, _)| region);
    let drawn: Result<_, ExportError> = extent(area, regions, |region| {
        let canvas = layer.canvas(region.tile())?;
        Ok(canvas.map(|canvas| region.area_within(canvas.drawn_bounds())))
    });
    Ok(drawn?.unwrap_or(area))
}
