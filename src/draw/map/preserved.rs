//! Pixels that are preserved: those of the last render stay where a chunk cannot be read.

use crate::base::coord::RegionPos;
use crate::draw::map::place::Stands;
use crate::draw::map::state::Map;
use crate::draw::map::waiting::Unread;
use crate::draw::painter::gaps::{Gap, keep};
use crate::draw::prepare::layers::MapLayer;
use crate::draw::record::{RegionRecord, region_of};
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
        if gaps.is_empty() || self.drawing.map_layers.is_details(map_layer) {
            return Ok(());
        }
        if let Some(last) = self.last_pixels(map_layer, region)? {
            keep(canvas, &last, gaps);
        }
        Ok(())
    }

    /// The last record of a region whose tile stands, and where.
    pub(crate) fn last_standing(&self, map_layer: MapLayer, region: RegionPos) -> Option<(RegionRecord, Stands)> {
        let tile = region.tile();
        self.all_recorded(map_layer, tile).find_map(|recorded| {
            let record = region_of(&recorded.says).filter(|record| record.tile.is_some())?;
            let stands = self.stands(map_layer, tile, record.tile, &recorded)?;
            Some((record, stands))
        })
    }

    fn last_pixels(&self, map_layer: MapLayer, region: RegionPos) -> Result<Option<Canvas>, Unread> {
        let Some((_, stands)) = self.last_standing(map_layer, region) else {
            // The tile may stand, but that cannot be told, and the run ends for it.
            return if self.drawing.is_stopped() { Err(Unread) } else { Ok(None) };
        };
        let png = self.whole(self.output.read(&self.path(map_layer, region.tile(), stands)))?;
        Ok(self.drawing.map_layers.samples(map_layer).decode(&png).ok())
    }
}
