//! Layer `changed`: shows at which moment each chunk last looked different. The painter only marks
//! the drawn chunks. The moment of each chunk is found later, when the new tile of another layer is
//! compared with the published one.

use crate::layers::chunk_facts::version::paint_chunks;
use crate::layers::row::ChunkRow;
use pixelmap_tile::Pixel;

const DRAWN: Pixel = Pixel::from_rgb([255; 3]);

pub(crate) fn paint(row: &ChunkRow<'_>, pixels: &mut [Pixel]) {
    paint_chunks(row, pixels, |_| DRAWN);
}

/// Returns the colour of the moment with this name. It does not depend on later moments, so that a
/// new moment changes only the chunks that have changed.
pub(crate) fn moment_pixel(name: &str) -> Pixel {
    // We use FNV-1a because its result is the same on every machine and in every version of the
    // program.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let part = |at: u32| (hash.rotate_right(at * 16) >> 24 & 0xffff) as u32;
    Pixel::from_rgb(std::array::from_fn(|c| (40 + part(c as u32) % 200) as u8))
}
