//! The extent of what is drawn on a layer, to the chunk.

use super::{ExportError, MapLayer};
use crate::coord::{Area, CHUNK_SIDE, RegionPos, TILE_SIDE};
use crate::tile::{Canvas, Pixel};

/// The part of `area` that holds all that is in its `regions`, where `of_rim` gives the area that is filled of those
/// along its sides; others have something in them. `None`: nothing is there.
///
/// # Errors
/// As `of_rim`.
pub fn extent<E>(
    area: Area,
    regions: impl Iterator<Item = RegionPos>,
    mut of_rim: impl FnMut(RegionPos) -> Result<Option<Area>, E>,
) -> Result<Option<Area>, E> {
    let mut filled: Option<Area> = None;
    for region in regions.filter(|&region| area.meets(region)) {
        let whole = region.area();
        let is_inside = whole.x0 > area.x0 && whole.z0 > area.z0 && whole.x1 < area.x1 && whole.z1 < area.z1;
        let Some(here) = (if is_inside { Some(whole) } else { of_rim(region)? }) else { continue };
        filled = Some(filled.map_or(here, |filled| filled.union(here)));
    }
    Ok(filled)
}

/// The part of `area` in which a layer shows something, to the chunk. The same area if
/// it shows nothing.
///
/// # Errors
/// A tile cannot be read, or is not the one that the manifest names.
pub fn drawn_area(layer: &MapLayer<'_>, area: Area) -> Result<Area, ExportError> {
    let regions = layer.regions().map(|(region, _)| region);
    let drawn: Result<_, ExportError> = extent(area, regions, |region| {
        let canvas = layer.canvas(region.tile())?;
        Ok(canvas.map(|canvas| drawn_chunks(region, &canvas)))
    });
    Ok(drawn?.unwrap_or(area))
}

/// The chunks of a tile that have pixels.
fn drawn_chunks(region: RegionPos, canvas: &Canvas) -> Area {
    let pixels = canvas.pixels();
    let is_drawn = |x: usize, z: usize| pixels[z * TILE_SIDE + x] != Pixel::CLEAR;
    let (x0, x1) = ends(|x| (0..TILE_SIDE).any(|z| is_drawn(x, z)));
    let (z0, z1) = ends(|z| (0..TILE_SIDE).any(|x| is_drawn(x, z)));
    let corner = region.corner();
    Area { x0: corner.x + x0, z0: corner.z + z0, x1: corner.x + x1, z1: corner.z + z1 }
}

/// From the chunk of the first that is drawn to the end of that of the last; all where none is.
fn ends(is_drawn: impl Fn(usize) -> bool) -> (i32, i32) {
    let chunk = |at: usize| (at / CHUNK_SIDE * CHUNK_SIDE) as i32;
    let first = (0..TILE_SIDE).find(|&at| is_drawn(at)).unwrap_or(0);
    let last = (0..TILE_SIDE).rev().find(|&at| is_drawn(at)).unwrap_or(TILE_SIDE - 1);
    (chunk(first), chunk(last) + CHUNK_SIDE as i32)
}
