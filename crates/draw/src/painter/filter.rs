//! Selects the chunks of a dimension that are drawn, and the part of them that a view shows.

use crate::request::look::Look;
use pixelmap_base::coord::{Ceiling, YRange};
use pixelmap_paint::surface::{self, View};
use pixelmap_world::chunk::Chunk;

/// Selects the chunks that are drawn, and the part of them that is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkFilter<'a> {
    /// The columns are read once per view.
    pub(crate) views: &'a [View],
    /// The ceiling that closes the dimension. Views from under the ceiling begin there.
    pub(crate) ceiling: Option<Ceiling>,
    /// Whether columns may have unexplored land, which is hidden.
    pub(crate) may_be_unexplored: bool,
    pub(crate) look: &'a Look,
}

impl ChunkFilter<'_> {
    /// Selects all finished chunks, seen from the sky.
    pub(crate) const ALL: ChunkFilter<'static> = ChunkFilter {
        views: &[View::Sky],
        ceiling: None,
        may_be_unexplored: false,
        look: &Look::DEFAULT,
    };

    /// Returns the heights of a chunk that a view can show.
    pub(crate) fn view_range(&self, chunk: &mut Chunk<'_>, view: View) -> YRange {
        match self.ceiling {
            Some(ceiling) if view.is_under_ceiling() => {
                surface::range_under_ceiling(chunk, ceiling, self.look.range)
            }
            _ => self.look.range,
        }
    }
}
