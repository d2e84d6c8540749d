//! Painters: a layer's pixels from rows of chunks.

use std::fmt::Debug;
use std::sync::Arc;

use super::row::Row;
use crate::tile::{Canvas, Encoder, Pixel};
use crate::world::names::NameCache;

/// Paints one layer. Each worker has its own, which remembers colours from row to row.
pub trait LayerPainter: Debug + Send {
    /// Paints a row of chunks onto `pixels`, 16 rows of a tile. Columns in which nothing stands are left as they are.
    fn paint(&mut self, row: &Row<'_>, name_cache: &mut NameCache, pixels: &mut [Pixel]);

    /// Encodes what was painted onto a canvas, in a layer whose tiles are no pictures. Its names and chunks are those
    /// painted since the last call.
    fn file(&mut self, _: &Canvas, _: &mut NameCache, _: &mut Encoder) -> Option<Vec<u8>> {
        None
    }

    /// Returns the names painted since the last call, of a layer whose legend depends on them.
    fn take_names(&mut self, _: &mut NameCache) -> Vec<Arc<str>> {
        Vec::new()
    }
}

/// A painter that needs nothing but the row.
#[derive(Debug)]
pub(super) struct Plain(pub(super) fn(&Row<'_>, &mut [Pixel]));

impl LayerPainter for Plain {
    fn paint(&mut self, row: &Row<'_>, _: &mut NameCache, pixels: &mut [Pixel]) {
        (self.0)(row, pixels);
    }
}
