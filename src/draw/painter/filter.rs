//! Selects the chunks of a dimension that are drawn, and the part of them that a view shows.

use crate::base::coord::{Area, Ceiling, YRange};
use crate::paint::surface::{self, View};
use crate::world::chunk::Chunk;

/// Selects the chunks that are drawn, and the part of them that is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkFilter<'a> {
    /// The columns are read once per view.
    pub(crate) views: &'a [View],
    pub(crate) range: YRange,
    /// The ceiling that closes the dimension. Views from under the ceiling begin there.
    pub(crate) ceiling: Option<Ceiling>,
    /// Whether chunks that the game has not finished are drawn.
    pub(crate) unfinished: bool,
    /// The least time that players must have spent in a chunk, in ticks.
    pub(crate) min_ticks: u64,
    /// The columns in which blocks are looked for, or `None` for all.
    pub(crate) area: Option<Area>,
}

impl ChunkFilter<'_> {
    /// Selects all finished chunks, seen from the sky.
    pub(crate) const ALL: ChunkFilter<'static> = ChunkFilter {
        views: &[View::Sky],
        range: YRange::ALL,
        ceiling: None,
        unfinished: false,
        min_ticks: 0,
        area: None,
    };

    /// Returns the heights of a chunk that a view can show.
    pub(crate) fn view_range(&self, chunk: &mut Chunk<'_>, view: View) -> YRange {
        match self.ceiling {
            Some(ceiling) if view.is_under_ceiling() => surface::range_under_ceiling(chunk, ceiling, self.range),
            _ => self.range,
        }
    }
}
