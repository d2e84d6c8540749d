//! Pixels that are preserved: those of the last render stay where a chunk cannot be read.

use crate::base::coord::RegionPos;
use crate::draw::map::state::Map;
use crate::draw::map::waiting::Unread;
use crate::draw::painter::gaps::{Gap, keep};
use crate::draw::prepare::layers::MapLayer;
use crate::tile::Canvas;

impl Map<'_> {
    /// Puts the pixels of the last render with the same options, if there was one, where the region's bad
    /// chunks should be.
    ///
    /// # Errors
    /// They are there and cannot be read: the run ends, and the region stays as it was.
    pub(crate) fn keep_pixels(
        &self,
        canvas: &mut Canvas,
        map_layer: MapLayer,
        region: RegionPos,
        gaps: &[Gap],
    ) -> Result<(), Unread> {
        // A tile of details has numbers of its own for names: where a chunk cannot be read it has none.
        if gaps.is_empty() || self.painter.map_layers.is_details(map_layer) {
            return Ok(());
        }
        if let Some(last) = self.last_pixels(map_layer, region)? {
            keep(canvas, &last, gaps);
        }
        Ok(())
    }

    fn last_pixels(&self, map_layer: MapLayer, region: RegionPos) -> Result<Option<Canvas>, Unread> {
        let Some((_, place)) = self.last_located(map_layer, region, |record| record.tile.is_some()) else {
            // The tile may stand, but that cannot be told, and the run ends for it.
            return if self.painter.is_stopped() { Err(Unread) } else { Ok(None) };
        };
        let png = self.whole(self.tiles.read(map_layer, region.tile(), place))?;
        Ok(self.painter.map_layers.samples(map_layer).decode(&png).ok())
    }
}
