//! Finds the highest block of each column, of any kind. Unlike the other views it counts plants,
//! glass, and blocks that are too thin to be visible, because queries and heights for programs must
//! name the block that the world stores.

use std::ops::RangeInclusive;

use crate::surface::columns::Columns;
use pixelmap_base::coord::{CHUNK_AREA, YRange};
use pixelmap_world::chunk::{Block, Chunk, Mask};
use pixelmap_world::names::{BlockId, Traits};

/// Returns the height of a section's lowest layer, and the heights of its layers within `range`.
/// Returns `None` if no layer is within the range, or if all blocks of the section count as
/// nothing.
fn section_heights(
    chunk: &mut Chunk<'_>,
    section: usize,
    range: YRange,
) -> Option<(i32, RangeInclusive<i32>)> {
    let bottom = chunk.section_y(section);
    let heights = range.min.max(bottom)..=range.max.min(bottom + 15);
    let is_seen =
        !heights.is_empty() && !chunk.all_blocks(section, |traits| traits.any(Traits::NOTHING));
    is_seen.then_some((bottom, heights))
}

/// Returns the height and the id of the highest block of a column that does not count as nothing,
/// as `query` answers.
pub fn highest(chunk: &mut Chunk<'_>, column: usize, range: YRange) -> Option<(i32, BlockId)> {
    for section in 0..chunk.sections() {
        let Some((bottom, heights)) = section_heights(chunk, section, range) else {
            continue;
        };
        for y in heights.rev() {
            let Block { id, traits } = chunk.cell(section, (y - bottom) as usize, column);
            if !traits.any(Traits::NOTHING) {
                return Some((y, id));
            }
        }
    }

    None
}

/// The highest block of a column under the ceiling, with its height.
pub(super) enum UnderCeiling {
    /// The highest block below the first hollow.
    Land(i32, BlockId),
    /// The first block that is neither bedrock nor an overlay, in a column without a hollow.
    Cut(i32, BlockId),
    Nothing,
}

/// Returns the highest block of a column under the ceiling, whose height is the upper end of
/// `range`. The walk goes down through the ceiling to the first hollow, as in
/// [`View::UnderCeiling`](crate::surface::view::View::UnderCeiling). A column without a hollow is cut open under
/// the ceiling's bedrock: its first block that is neither bedrock nor an overlay counts.
pub fn highest_under_ceiling(
    chunk: &mut Chunk<'_>,
    column: usize,
    range: YRange,
) -> Option<(i32, BlockId)> {
    match under_ceiling(chunk, column, range) {
        UnderCeiling::Land(y, id) | UnderCeiling::Cut(y, id) => Some((y, id)),
        UnderCeiling::Nothing => None,
    }
}

/// Walks down a column as [`highest_under_ceiling`] does.
pub(super) fn under_ceiling(chunk: &mut Chunk<'_>, column: usize, range: YRange) -> UnderCeiling {
    let ceiling = chunk.name_cache().block(b"minecraft:bedrock", |_| None);

    let mut is_open = false;
    let mut cut = None;
    let mut above = range.max + 1;
    for section in 0..chunk.sections() {
        let bottom = chunk.section_y(section);
        if bottom > range.max {
            continue;
        }

        // Sections that are not stored contain only air, so they are hollow.
        is_open |= range.min.max(bottom + 16) < above;
        above = bottom;

        for y in (range.min.max(bottom)..=range.max.min(bottom + 15)).rev() {
            let Block { id, traits } = chunk.cell(section, (y - bottom) as usize, column);
            is_open |= traits.is_unseen();
            if is_open && !traits.any(Traits::NOTHING) {
                return UnderCeiling::Land(y, id);
            }
            let is_ground = id != ceiling && !traits.any(Traits::OVERLAY);
            cut = cut.or_else(|| is_ground.then_some((y, id)));
        }
    }

    match cut {
        Some((y, id)) if !is_open => UnderCeiling::Cut(y, id),
        _ => UnderCeiling::Nothing,
    }
}

/// Writes [`highest`] for all columns as the ground of `out`, which must be empty. Returns the
/// traits of all blocks met.
pub(super) fn all_highest(chunk: &mut Chunk<'_>, range: YRange, out: &mut Columns) -> Traits {
    let mut left = Mask::ALL;
    let mut met = Traits::GROUND;
    for section in 0..chunk.sections() {
        let Some((bottom, heights)) = section_heights(chunk, section, range) else {
            continue;
        };

        // If every unseen block of the section counts as nothing, the layer's mask of unseen blocks
        // shows which cells to skip. Otherwise each cell is read, because some unseen blocks count.
        let unseen_is_nothing = chunk.all_blocks(section, |traits| {
            traits.any(Traits::NOTHING) || !traits.is_unseen()
        });
        for y in heights.rev() {
            let layer = (y - bottom) as usize;
            let visited = if unseen_is_nothing {
                left.without(chunk.slice(section, layer, left).unseen)
            } else {
                left
            };

            chunk.each(section, layer, visited, |column, Block { id, traits }| {
                if !traits.any(Traits::NOTHING) {
                    left.remove(column);
                    met = met.with(traits);
                    out.ground[column] = id;
                    (out.ground_y[column], out.top_y[column]) = (y as i16, y as i16);
                }
            });

            if left.is_empty() {
                return met;
            }
        }
    }

    met
}

/// Writes [`highest_under_ceiling`] for all columns as the ground of `out`, which must be empty.
/// Returns the traits of these blocks.
pub(super) fn all_highest_under_ceiling(
    chunk: &mut Chunk<'_>,
    range: YRange,
    out: &mut Columns,
) -> Traits {
    let mut met = Traits::GROUND;
    for column in 0..CHUNK_AREA {
        let Some((y, id)) = highest_under_ceiling(chunk, column, range) else {
            continue;
        };
        met = met.with(chunk.name_cache().traits(id));
        out.ground[column] = id;
        (out.ground_y[column], out.top_y[column]) = (y as i16, y as i16);
    }

    met
}
