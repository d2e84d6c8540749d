//! The light of blocks that falls on the surface, for the night map.

use super::{Columns, NO_HEIGHT};
use crate::base::coord::CHUNK_AREA;
use crate::world::chunk::{Chunk, Mask};
use crate::world::names::BlockId;

/// The layers of a section.
const LAYERS: i32 = 16;

/// Writes the light of blocks that falls on the scanned columns of a chunk: the light in the cell above the ground, or
/// above the water's surface, which light from inside the water has reached. Overlays take no light away, and a block
/// that shines is at least as bright as its own light.
///
/// In a chunk that stores no light, a column has the brightest light of the blocks at its ground, in its water or
/// higher. That light does not spread: the game alone works out its obstacles. The chunk has a warning then.
pub fn light(chunk: &mut Chunk<'_>, columns: &mut Columns) {
    if columns.is_empty() {
        return;
    }
    if !chunk.stores_light() {
        return shine(chunk, columns);
    }
    for (column, (light, &y)) in columns.light.iter_mut().zip(&columns.top_y).enumerate() {
        if y != NO_HEIGHT {
            *light = chunk.block_light(column, i32::from(y) + 1);
        }
    }
    glow(chunk, columns);
}

/// Makes blocks that shine at least as bright as their own light: in old chunks lava is often stored dark.
fn glow(chunk: &mut Chunk<'_>, columns: &mut Columns) {
    let dry =
        (0..CHUNK_AREA).filter(|&column| columns.depth[column] == 0).map(|column| (column, columns.ground[column]));
    let over = columns.overlays.iter().map(|overlay| (usize::from(overlay.column), overlay.id));
    // Neighbouring columns mostly end in the same block.
    let (mut last, mut own) = (BlockId::AIR, 0);
    for (column, id) in dry.chain(over) {
        if id != last {
            (last, own) = (id, chunk.name_cache().traits(id).light());
        }
        columns.light[column] = columns.light[column].max(own);
    }
}

/// Writes the brightest light of the blocks in each column, from its ground up.
fn shine(chunk: &mut Chunk<'_>, columns: &mut Columns) {
    let seen = |column: &usize| columns.ground_y[*column] != NO_HEIGHT;
    let lowest = (0..CHUNK_AREA).filter(seen).map(|column| i32::from(columns.ground_y[column])).min();
    let Some(lowest) = lowest else { return };
    for section in 0..chunk.sections() {
        let bottom = chunk.section_y(section);
        if bottom + LAYERS <= lowest {
            return;
        }
        if chunk.all_blocks(section, |traits| traits.light() == 0) {
            continue;
        }
        for y in lowest.max(bottom)..bottom + LAYERS {
            chunk.each(section, (y - bottom) as usize, Mask::ALL, |column, block| {
                let ground_y = columns.ground_y[column];
                if ground_y != NO_HEIGHT && i32::from(ground_y) <= y {
                    columns.light[column] = columns.light[column].max(block.traits.light());
                }
            });
        }
    }
}
