//! Finds the ceiling of a chunk, so that views can begin under it. The heights that follow from the
//! dimension's kind and noise settings are compared with the bedrock of the chunk, because mods
//! make the nether taller without a trace in the world's files, and because older chunks keep the
//! ceiling of their time.

use pixelmap_base::coord::{CHUNK_AREA, CHUNK_SIDE, Ceiling, YRange};
use pixelmap_world::chunk::Chunk;
use pixelmap_world::names::BlockId;

/// Returns the heights of `range` that are visible from under the ceiling of a chunk. A range whose
/// upper end the user has set is returned unchanged, so that users can look from above the ceiling.
pub fn range_under_ceiling(chunk: &mut Chunk<'_>, ceiling: Ceiling, range: YRange) -> YRange {
    if range.max < YRange::ALL.max {
        range
    } else {
        YRange {
            max: ceiling_y(chunk, ceiling),
            ..range
        }
    }
}

/// Returns the height of the ceiling's highest layer. A layer of bedrock at one of the described
/// heights counts first, because there may be land above the ceiling, such as a hub with a roof of
/// its own.
fn ceiling_y(chunk: &mut Chunk<'_>, Ceiling { noise_y, type_y }: Ceiling) -> i32 {
    let bedrock = chunk.name_cache().block(b"minecraft:bedrock", |_| None);
    let mut described = [noise_y, type_y].into_iter();
    described
        .find(|&y| is_layer(chunk, y, bedrock))
        .or_else(|| highest_layer_above(chunk, noise_y.min(type_y), bedrock))
        .unwrap_or_else(|| noise_y.max(type_y))
}

/// Returns whether at least half of a chunk's layer at this height consists of a block.
fn is_layer(chunk: &mut Chunk<'_>, y: i32, block: BlockId) -> bool {
    let section = (0..chunk.sections()).find(|&section| chunk.section_y(section) == y >> 4 << 4);
    section.is_some_and(|section| is_layer_of_section(chunk, section, y, block))
}

/// Checks only the 16 columns from corner to corner, because hardly any of the checked layers is a
/// ceiling.
fn is_layer_of_section(chunk: &mut Chunk<'_>, section: usize, y: i32, block: BlockId) -> bool {
    let layer = (y & 15) as usize;
    let columns = (0..CHUNK_AREA).step_by(CHUNK_SIDE + 1);
    columns
        .filter(|&column| chunk.cell(section, layer, column).id == block)
        .count()
        * 2
        >= CHUNK_SIDE
}

fn highest_layer_above(chunk: &mut Chunk<'_>, y: i32, block: BlockId) -> Option<i32> {
    (0..chunk.sections()).find_map(|section| {
        let bottom = chunk.section_y(section);
        let mut heights = (bottom.max(y + 1)..bottom + 16).rev();
        heights.find(|&y| is_layer_of_section(chunk, section, y, block))
    })
}
