//! Computes the extent of the drawn part of a layer, exact to the chunk. Only regions along the
//! sides are examined, because no other region can extend it.

use super::error::ExportError;
use super::layer::ExportLayer;
use pixelmap_base::coord::{Area, RegionPos};

/// Returns the smallest rectangle around everything in `regions`, or `None` if there is nothing.
/// Only regions that meet `area` count. `edge_area` returns the filled area of a region that
/// reaches a side of `area`; all other regions count as completely filled.
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
        let is_inside =
            whole.x0 > area.x0 && whole.z0 > area.z0 && whole.x1 < area.x1 && whole.z1 < area.z1;
        let Some(here) = (if is_inside {
            Some(whole)
        } else {
            edge_area(region)?
        }) else {
            continue;
        };

        filled = Some(filled.map_or(here, |filled| filled.union(here)));
    }

    Ok(filled)
}

/// Returns the drawn extent of a layer in `area`, exact to the chunk, or `area` itself if nothing
/// is drawn there.
///
/// # Errors
/// Fails if a tile cannot be read, or differs from its record in the manifest.
pub fn drawn_area(layer: &ExportLayer<'_>, area: Area) -> Result<Area, ExportError> {
    let regions = layer.regions().map(|(region, _)| region);
    let drawn: Result<_, ExportError> = extent(area, regions, |region| {
        let canvas = layer.canvas(region.tile())?;
        Ok(canvas.map(|canvas| region.area_within(canvas.drawn_bounds())))
    });
    Ok(drawn?.unwrap_or(area))
}
