//! The extent of what is drawn on a layer, to the chunk.

use super::{ExportError, MapLayer};
use crate::coord::{Area, CHUNK_SIDE, RegionPos, TILE_SIDE};
use crate::tile::{Canvas, Pixel};

/// The part of `area`, which is one of whole regions, that holds all that is drawn there, to the chunk. Only the tiles
/// along its sides are read: every tile has something on it. The same area if there are none.
///
/// # Errors
/// A tile cannot be read, or is not the one that the manifest names.
pub fn drawn_area(layer: &MapLayer<'_>, area: Area) -> Result<Area, ExportError> {
    let mut drawn: Option<Area> = None;
    for (tile, record) in layer.native() {
        let Some(region) = tile.region().filter(|&region| area.meets(region)) else { continue };
        let whole = region.area();
        let is_inside = whole.x0 > area.x0 && whole.z0 > area.z0 && whole.x1 < area.x1 && whole.z1 < area.z1;
        let of_tile = if is_inside { whole } else { drawn_chunks(region, &layer.decoded(tile, record)?) };
        drawn = Some(drawn.map_or(of_tile, |drawn| drawn.union(of_tile)));
    }
    Ok(drawn.unwrap_or(area))
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
