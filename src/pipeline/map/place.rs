//! The place of a tile: its own in the map or, as long as nothing is to be published, staged.
//!
//! A tile with the bytes of the one in its place stays there. Any other is staged. A tile that an interrupted run has
//! staged stays staged if it is still what would be drawn.

use std::sync::{MutexGuard, PoisonError};

use twox_hash::XxHash3_64;

use crate::coord::TilePos;
use crate::pipeline::map::state::{Map, StagedTiles};
use crate::pipeline::prepare::layers::MapLayer;
use crate::publish::{Output, PublishError, Put, Recorded};
use crate::record::{ANNOUNCED, Published};

/// The place of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pipeline) enum Stands {
    InPlace,
    Staged,
}

impl Map<'_> {
    /// The tiles of a map layer that are staged.
    pub(in crate::pipeline) fn staged(&self, map_layer: MapLayer) -> MutexGuard<'_, StagedTiles> {
        self.staged[self.drawing.map_layers.number(map_layer)].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last record of a tile.
    pub(in crate::pipeline) fn recorded(&self, map_layer: MapLayer, tile: TilePos) -> Option<Recorded> {
        self.read_or_fail(self.history.journal.find(self.drawing.map_layers.number(map_layer), tile))?
    }

    /// All records of a tile, the last first: of a run that was killed the last may be of a tile that never took its
    /// place.
    pub(in crate::pipeline) fn all_recorded(
        &self,
        map_layer: MapLayer,
        tile: TilePos,
    ) -> impl Iterator<Item = Recorded> {
        let all = self.history.journal.find_all(self.drawing.map_layers.number(map_layer), tile);
        all.map_while(|recorded| self.read_or_fail(recorded))
    }

    /// Unwraps what was read in the output folder. A file that is there and cannot be read ends the run: it may be all
    /// that is recorded of what is damaged now.
    fn read_or_fail<T>(&self, read: Result<T, PublishError>) -> Option<T> {
        self.whole(read).ok()
    }

    /// The path of a tile that stands there.
    pub(in crate::pipeline) fn path(&self, map_layer: MapLayer, tile: TilePos, stands: Stands) -> String {
        let path = self.drawing.map_layers.tile_path(map_layer, tile);
        match stands {
            Stands::InPlace => path,
            Stands::Staged => Output::staged(&path),
        }
    }

    /// The path of a tile of this run.
    pub(in crate::pipeline) fn path_now(&self, map_layer: MapLayer, tile: TilePos) -> String {
        let is_staged = self.staged(map_layer).contains(&tile);
        let stands = if is_staged { Stands::Staged } else { Stands::InPlace };
        self.path(map_layer, tile, stands)
    }

    /// Puts a file in its place, or stages it.
    pub(in crate::pipeline) fn put(&self, path: &str, bytes: &[u8]) -> Result<Put, PublishError> {
        if self.drawing.settings.is_staged() { self.output.stage(path, bytes) } else { self.output.put(path, bytes) }
    }

    /// When the file at `path` was written.
    pub(in crate::pipeline) fn modified(&self, path: &str) -> i64 {
        // One that is gone already has no time.
        self.output.standing(path).ok().flatten().map_or(ANNOUNCED, |standing| standing.modified)
    }

    /// Finds the place where a tile stands as it was recorded; `None`: nowhere. A tile that may not have reached the
    /// disk is read whole; where that cannot be done now the run ends.
    pub(in crate::pipeline) fn stands(
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
        let is_other = |time| modified != ANNOUNCED && time != modified;
        if there.is_none_or(|there| there.len != u64::from(record.bytes) || is_other(there.modified)) {
            return false;
        }
        if !recorded.sure || modified == ANNOUNCED {
            let read = self.read_or_fail(self.output.read(&path));
            let is_whole = read.is_some_and(|bytes| XxHash3_64::oneshot(&bytes) == record.file);
            if is_whole {
                self.history.journal.wait_for(&path);
            }
            return is_whole;
        }
        true
    }
}
