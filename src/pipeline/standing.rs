//! Where a tile stands: in its place in the map, or, as long as nothing is to be published, beside it.
//!
//! A tile with the bytes of the one in its place stays there. Any other waits, and so does one that an interrupted run
//! has left waiting and that is still what would be drawn.

use std::sync::{MutexGuard, PoisonError};

use twox_hash::XxHash3_64;

use super::map::{Aside, Map};
use super::sheet::Sheet;
use crate::coord::TilePos;
use crate::publish::{Journal, Known, Output, PublishError, Put};
use crate::record::{ANNOUNCED, Published};

/// Where a tile stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    InPlace,
    Aside,
}

/// What an earlier run has noted of a tile.
#[derive(Debug)]
pub(super) struct Noted {
    pub(super) known: Known,
    /// Whether it may wait beside the map.
    pub(super) aside: bool,
    /// Whether something else was noted later, of what waits beside the map: it must not count once that is published.
    pub(super) outdated: bool,
}

impl Map<'_> {
    /// The tiles of a sheet that wait beside the map.
    pub(super) fn aside(&self, sheet: Sheet) -> MutexGuard<'_, Aside> {
        self.aside[self.drawing.sheets.number(sheet)].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was noted of a tile: first of the one that waits beside the map, then of the one in its place.
    pub(super) fn noted(&self, sheet: Sheet, tile: TilePos) -> impl Iterator<Item = Noted> {
        let aside = self.noted_aside(sheet, tile);
        let outdated = aside.is_some();
        let number = self.drawing.sheets.number(sheet);
        let in_place = std::iter::once_with(move || self.told(self.known.journal.find(number, tile))?).flatten();
        aside.into_iter().chain(in_place.map(move |known| Noted { known, aside: false, outdated }))
    }

    /// The same, and all that was noted before it: of a run that was killed the last may be of a tile that never took its
    /// place.
    pub(super) fn ever_noted(&self, sheet: Sheet, tile: TilePos) -> impl Iterator<Item = Noted> {
        let in_place = self.known.journal.find_all(self.drawing.sheets.number(sheet), tile);
        let in_place = in_place.map_while(|known| self.told(known));
        let in_place = in_place.map(|known| Noted { known, aside: false, outdated: true });
        self.noted_aside(sheet, tile).into_iter().chain(in_place)
    }

    fn noted_aside(&self, sheet: Sheet, tile: TilePos) -> Option<Noted> {
        let (number, known) = (self.drawing.sheets.number(sheet), &self.known);
        let staged = known.staged.as_ref().filter(|_| self.drawing.sheets.is_staged(sheet));
        let found = staged.and_then(|journal| self.told(journal.find(number, tile))?)?;
        let found = Known { number: known.journal.len() + found.number, ..found };
        Some(Noted { known: found, aside: true, outdated: false })
    }

    /// What could be read in the output folder. What is there and cannot be ends the run: it may be all that is known of what
    /// is damaged now.
    fn told<T>(&self, read: Result<T, PublishError>) -> Option<T> {
        self.drawing.whole(read).ok()
    }

    /// The journal in which tiles of a sheet are noted.
    pub(super) fn journal(&self, sheet: Sheet) -> &Journal<'_> {
        let staged = self.known.staged.as_ref().filter(|_| self.drawing.sheets.is_staged(sheet));
        staged.unwrap_or(&self.known.journal)
    }

    /// The path of a tile that stands there.
    pub(super) fn path(&self, sheet: Sheet, tile: TilePos, stands: Stands) -> String {
        let path = self.drawing.sheets.tile_path(sheet, tile);
        match stands {
            Stands::InPlace => path,
            Stands::Aside => Output::staged(&path, self.drawing.sheets.naming(sheet)),
        }
    }

    /// The path of a tile of this run.
    pub(super) fn path_now(&self, sheet: Sheet, tile: TilePos) -> String {
        let waits = self.aside(sheet).get(&tile).is_some_and(|&itself| itself);
        let stands = if waits { Stands::Aside } else { Stands::InPlace };
        self.path(sheet, tile, stands)
    }

    /// Puts a file of a sheet in its place, or beside the map.
    pub(super) fn put(&self, sheet: Sheet, path: &str, bytes: &[u8]) -> Result<Put, PublishError> {
        let sheets = &self.drawing.sheets;
        if sheets.is_staged(sheet) {
            self.output.put_aside(path, sheets.naming(sheet), bytes)
        } else {
            self.output.put(path, bytes)
        }
    }

    /// When the file at `path` was written.
    pub(super) fn modified(&self, path: &str) -> i64 {
        // One that is gone already has no time.
        self.output.standing(path).ok().flatten().map_or(ANNOUNCED, |standing| standing.modified)
    }

    /// Where a tile stands as it was noted; `None`: nowhere. One that may not have reached the disk is read whole; where
    /// that cannot be done now the run ends.
    pub(super) fn stands(
        &self,
        sheet: Sheet,
        tile: TilePos,
        published: Option<Published>,
        noted: &Noted,
    ) -> Option<Stands> {
        let Some(published) = published else { return Some(Stands::InPlace) };
        let places = if noted.aside { &[Stands::Aside, Stands::InPlace][..] } else { &[Stands::InPlace] };
        let is_there = |stands: &&Stands| self.stands_at(sheet, tile, published, noted, **stands);
        places.iter().find(is_there).copied()
    }

    fn stands_at(&self, sheet: Sheet, tile: TilePos, published: Published, noted: &Noted, stands: Stands) -> bool {
        let Published { record, modified } = published;
        let path = self.path(sheet, tile, stands);
        let Some(there) = self.told(self.output.standing(&path)) else { return false };
        let is_other = |time| modified != ANNOUNCED && time != modified;
        if there.is_none_or(|there| there.len != u64::from(record.bytes) || is_other(there.modified)) {
            return false;
        }
        if !noted.known.sure || modified == ANNOUNCED {
            let read = self.told(self.output.read(&path));
            let whole = read.is_some_and(|bytes| XxHash3_64::oneshot(&bytes) == record.file);
            if whole {
                self.journal(sheet).wait_for(&path);
            }
            return whole;
        }
        true
    }
}
