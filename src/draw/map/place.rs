//! The place of a tile: its own in the map or, as long as nothing is to be published, staged.
//!
//! A tile with the bytes of the one in its place stays there. Any other is staged. A tile that an interrupted run has
//! staged stays staged if it is still what would be drawn.

use twox_hash::XxHash3_64;

use crate::base::coord::TilePos;
use crate::draw::map::state::Map;
use crate::draw::prepare::layers::MapLayer;
use crate::draw::record::Published;
use crate::store::{PublishError, Recorded};

/// The place of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stands {
    InPlace,
    Staged,
}

impl Map<'_> {
    /// The last record of a tile.
    pub(crate) fn recorded(&self, map_layer: MapLayer, tile: TilePos) -> Option<Recorded> {
        self.read_or_fail(self.history.journal.find(self.drawing.map_layers.number(map_layer), tile))?
    }

    /// All records of a tile, the last first: of a run that was killed the last may be of a tile that never took its
    /// place.
    pub(crate) fn all_recorded(&self, map_layer: MapLayer, tile: TilePos) -> impl Iterator<Item = Recorded> {
        let all = self.history.journal.find_all(self.drawing.map_layers.number(map_layer), tile);
        all.map_while(|recorded| self.read_or_fail(recorded))
    }

    /// Unwraps what was read in the output folder. A file that is there and cannot be read ends the run: it may be all
    /// that is recorded of what is damaged now.
    fn read_or_fail<T>(&self, read: Result<T, PublishError>) -> Option<T> {
        self.whole(read).ok()
    }

    /// The path of a tile that stands there.
    pub(crate) fn path(&self, map_layer: MapLayer, tile: TilePos, stands: Stands) -> String {
        let path = self.drawing.map_layers.tile_path(map_layer, tile);
        match stands {
            Stands::InPlace => path,
            Stands::Staged => self.output.staged(&path),
        }
    }

    /// The path of a tile of this run.
    pub(crate) fn path_now(&self, map_layer: MapLayer, tile: TilePos) -> String {
        let is_staged = self.made(map_layer).staged.contains(&tile);
        let stands = if is_staged { Stands::Staged } else { Stands::InPlace };
        self.path(map_layer, tile, stands)
    }

    /// Finds the place where a tile stands as it was recorded; `None`: nowhere. A tile whose record is unsure, or that has
    /// another time, is read whole; where that cannot be done now the run ends.
    pub(crate) fn stands(
        &self,
        map_layer: MapLayer,
        tile: TilePos,
        published: Option<Published>,
        recorded: &Recorded,
    ) -> Option<Stands> {
        let Some(published) = published else { return Some(Stands::InPlace) };
        let is_staged = self.drawing.settings.is_staged();
        let places = if is_staged { &[Stands::Staged, Stands::InPlace][..] } else { &[Stands::InPlace] };
        let is_there = |stands: &&Stands| self.stands_at(map_layer, tile, published, recorded, **stands);
        places.iter().find(is_there).copied()
    }

    fn stands_at(
        &self,
        map_layer: MapLayer,
        tile: TilePos,
        published: Published,
        recorded: &Recorded,
        stands: Stands,
    ) -> bool {
        let Published { record, modified } = published;
        let path = self.path(map_layer, tile, stands);
        let Some(there) = self.read_or_fail(self.output.standing(&path)) else { return false };
        let Some(there) = there.filter(|there| there.len == u64::from(record.bytes)) else { return false };
        // A map may be copied without its times: then its bytes tell.
        let is_whole = |bytes: Vec<u8>| XxHash3_64::oneshot(&bytes) == record.file;
        let is_untouched = recorded.sure && there.modified == modified;
        is_untouched || self.read_or_fail(self.output.read(&path)).is_some_and(is_whole)
    }
}
