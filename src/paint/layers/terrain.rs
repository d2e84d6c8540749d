//! Layer `terrain`: the height of each column's highest block as a colour, for programs that draw hills; under the
//! ceiling where a dimension has one, as the land of the other layers is.

use super::height16::paint_tops;
use super::row::ChunkRow;
use crate::tile::Pixel;

pub(super) fn paint(row: &ChunkRow<'_>, pixels: &mut [Pixel]) {
    paint_tops(row, pixels, Pixel::from_height);
}
