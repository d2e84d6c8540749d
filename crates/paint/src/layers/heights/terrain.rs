//! Layer `terrain`: writes the height of each column's highest block as a colour, for programs that
//! draw hills. In a dimension with a ceiling it shows the land under the ceiling, as layer `day`
//! does.

use crate::layers::heights::height16::paint_tops;
use crate::layers::row::ChunkRow;
use pixelmap_tile::Pixel;

pub(crate) fn paint(row: &ChunkRow<'_>, pixels: &mut [Pixel]) {
    paint_tops(row, pixels, Pixel::from_height);
}
