//! Computes the light from blocks that falls on the surface, for the night map.

use crate::surface::columns::{Columns, NO_HEIGHT};
use pixelmap_base::coord::CHUNK_AREA;
use pixelmap_world::chunk::{Chunk, Mask};
use pixelmap_world::names::BlockId;

const LAYERS: i32 = 16;

/// Writes the light from blocks that falls on the scanned columns of a chunk. It is the light in
/// the cell above the ground, or above the water's surface, because light from inside the water has
/// reached that cell. Overlays do not weaken it, and a shining block is at least as bright as its
/// own light.
///
/// If the chunk stores no light, a column gets the brightest light of the blocks at its ground, in
/// its water or higher. This light does not spread, because only the game can compute the
/// obstacles. Such a chunk has a warning.
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

/// Makes shining blocks at least as bright as their own light, because old chunks often store lava
/// as dark.
fn glow(chunk: &mut Chunk<'_>, columns: &mut Columns) {
    let dry = (0..CHUNK_AREA)
        .filter(|&column| columns.depth[column] == 0)
        .map(|column| (column, columns.ground[column]));
    let over = columns
        .overlays
        .iter()
        .map(|overlay| (usize::from(overlay.column), overlay.id));

    // Neighbouring columns mostly end in the same block, so we look up its light only if the block
    // changes.
    let mut last = BlockId::AIR;
    let mut own = 0;
    for (column, id) in dry.chain(over) {
        if id != last {
            last = id;
            own = chunk.name_cache().traits(id).light();
        }
        columns.light[column] = columns.light[column].max(own);
    }
}

/// Writes the brightest light of the blocks in each column, from the column's ground up.
fn shine(chunk: &mut Chunk<'_>, columns: &mut Columns) {
    let grounds = columns.ground_y.iter().filter(|&&y| y != NO_HEIGHT);
    let lowest = grounds.map(|&y| i32::from(y)).min();
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
            chunk.each(
                section,
                (y - bottom) as usize,
                Mask::ALL,
                |column, block| {
                    let ground_y = columns.ground_y[column];
                    if ground_y != NO_HEIGHT && i32::from(ground_y) <= y {
                        columns.light[column] = columns.light[column].max(block.traits.light());
                    }
                },
            );
        }
    }
}
