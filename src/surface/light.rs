//! The light that falls on what is seen: what a night map is lit by.

use super::{Columns, NO_HEIGHT};
use crate::block::BlockId;
use crate::chunk::{Chunk, Mask};
use crate::coord::CHUNK_AREA;

/// The layers of a section.
const LAYERS: i32 = 16;

/// Writes how much light of blocks falls on the columns of a chunk that were scanned: that of the cell above the ground,
/// or above the water's surface, up to which the light of what shines in the water has come. What is seen through, or
/// lies on the ground, takes no light away, and what shines by itself is as bright as it shines.
///
/// In a chunk that stores no light a column has that of whatever shines in it at its ground, in its water or higher: no
/// light spreads, since nobody knows what is in its way. The chunk has a warning then.
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

/// What is seen and shines by itself is bright, whatever is stored: old lava often is dark.
fn glow(chunk: &mut Chunk<'_>, columns: &mut Columns) {
    let dry =
        (0..CHUNK_AREA).filter(|&column| columns.depth[column] == 0).map(|column| (column, columns.ground[column]));
    let over = columns.overlays.iter().map(|overlay| (usize::from(overlay.column), overlay.id));
    // Neighbouring columns mostly end in the same block.
    let (mut last, mut own) = (BlockId::AIR, 0);
    for (column, id) in dry.chain(over) {
        if id != last {
            (last, own) = (id, chunk.book().traits(id).light());
        }
        columns.light[column] = columns.light[column].max(own);
    }
}

/// The brightest of what shines in each column, from its ground up.
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
