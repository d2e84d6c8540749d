//! Painters: a layer's pixels from rows of chunks.

use std::fmt::Debug;
use std::sync::Arc;

use super::row::Row;
use crate::block::NameCache;
use crate::tile::Pixel;

/// Paints one layer. Each worker has its own, which remembers colours from row to row.
pub trait Painter: Debug + Send {
    /// Paints a row of chunks onto `pixels`, 16 rows of a tile. Columns in which nothing stands are left as they are.
    fn paint(&mut self, row: &Row<'_>, name_cache: &mut NameCache, pixels: &mut [Pixel]);

    /// Returns the names painted since the last call, of a layer whose legend depends on them.
    fn take_names(&mut self, _: &mut NameCache) -> Vec<Arc<str>> {
        Vec::new()
    }
}

/// A painter that needs nothing but the row.
#[derive(Debug)]
pub(super) struct Plain(pub(super) fn(&Row<'_>, &mut [Pixel]));

impl Painter for Plain {
    fn paint(&mut self, row: &Row<'_>, _: &mut NameCache, pixels: &mut [Pixel]) {
        (self.0)(row, pixels);
    }
}
