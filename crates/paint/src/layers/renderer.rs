//! The trait of the painters, which turn rows of chunks into a layer's pixels.

use std::fmt::Debug;
use std::sync::Arc;

use crate::layers::row::ChunkRow;
use pixelmap_tile::{Canvas, Encoder, Pixel};
use pixelmap_world::names::NameCache;

/// Paints one layer. Each worker has its own painter, which remembers colours from row to row.
pub trait LayerRenderer: Debug + Send {
    /// Paints a row of chunks onto `pixels`, 16 rows of a tile. The pixels of columns without
    /// blocks keep their values.
    fn paint(&mut self, row: &ChunkRow<'_>, name_cache: &mut NameCache, pixels: &mut [Pixel]);

    /// Encodes the tile that was painted onto a canvas since the last call. Returns `None` if the
    /// layer's tiles are pictures, because pictures are encoded elsewhere.
    fn file(&mut self, _: &Canvas, _: &mut NameCache, _: &mut Encoder) -> Option<Vec<u8>> {
        None
    }

    /// Returns the names that were painted since the last call, if the layer's legend depends on
    /// them.
    fn take_names(&mut self, _: &mut NameCache) -> Vec<Arc<str>> {
        Vec::new()
    }
}

/// A painter that needs nothing but the row.
#[derive(Debug)]
pub(super) struct RowRenderer(pub(super) fn(&ChunkRow<'_>, &mut [Pixel]));

impl LayerRenderer for RowRenderer {
    fn paint(&mut self, row: &ChunkRow<'_>, _: &mut NameCache, pixels: &mut [Pixel]) {
        (self.0)(row, pixels);
    }
}
