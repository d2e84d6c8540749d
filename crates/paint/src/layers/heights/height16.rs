//! Layer `height16`: writes the height of each column's highest block as a number, for other
//! programs.

use crate::layers::row::ChunkRow;
use crate::surface::NO_HEIGHT;
use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE, TILE_SIDE};
use pixelmap_tile::Pixel;

/// The number for height 0. All heights that the game allows have numbers above 0, because 0 marks
/// columns without blocks.
pub(crate) const ZERO: i32 = 2048;

pub(crate) fn paint(row: &ChunkRow<'_>, pixels: &mut [Pixel]) {
    paint_tops(row, pixels, |y| {
        Pixel::from_number((i32::from(y) + ZERO) as u16)
    });
}

/// Paints each column that holds a block. `pixel` turns the height of the highest block into a
/// pixel.
pub(crate) fn paint_tops(row: &ChunkRow<'_>, pixels: &mut [Pixel], pixel: impl Fn(i16) -> Pixel) {
    for (chunk, columns) in row
        .chunks
        .iter()
        .enumerate()
        .filter(|(_, columns)| !columns.is_empty())
    {
        for column in (0..CHUNK_AREA).filter(|&column| columns.top_y[column] != NO_HEIGHT) {
            let at = column / CHUNK_SIDE * TILE_SIDE + chunk * CHUNK_SIDE + column % CHUNK_SIDE;
            pixels[at] = pixel(columns.top_y[column]);
        }
    }
}
