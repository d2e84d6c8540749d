//! Two manifests side by side: both are in the same order, so only one line of each is held.

use std::path::PathBuf;

use super::Trouble;
use crate::coord::{NATIVE_ZOOM, TilePos};
use crate::publish::{ManifestLines, TileRecord};

/// A tile that one of two manifests names, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) tile: TilePos,
    pub(super) a: Option<TileRecord>,
    pub(super) b: Option<TileRecord>,
}

impl Pair {
    /// Returns whether the pixels are the same.
    pub(super) fn same_pixels(&self) -> bool {
        self.a.map(|record| record.pixels) == self.b.map(|record| record.pixels)
    }
}

struct Lines {
    path: PathBuf,
    rest: ManifestLines,
    next: Option<(TilePos, TileRecord)>,
}

impl Lines {
    fn new(path: PathBuf, rest: ManifestLines) -> Result<Self, Trouble> {
        let mut new = Self { path, rest, next: None };
        new.step()?;
        Ok(new)
    }

    fn step(&mut self) -> Result<Option<(TilePos, TileRecord)>, Trouble> {
        let next = self.rest.next().transpose().map_err(|error| Trouble::Manifest(self.path.clone(), error))?;
        Ok(std::mem::replace(&mut self.next, next))
    }

    /// The next line, if it is of this tile.
    fn take(&mut self, tile: TilePos) -> Result<Option<TileRecord>, Trouble> {
        if self.next.is_some_and(|(next, _)| next == tile) {
            Ok(self.step()?.map(|(_, record)| record))
        } else {
            Ok(None)
        }
    }
}

/// The tiles of two manifests in their order; both manifests count tiles alike.
pub(super) struct Joined {
    a: Lines,
    b: Lines,
    /// Set when a line could not be read: nothing follows.
    ended: bool,
}

impl Joined {
    pub(super) fn new(a: (PathBuf, ManifestLines), b: (PathBuf, ManifestLines)) -> Result<Self, Trouble> {
        Ok(Self { a: Lines::new(a.0, a.1)?, b: Lines::new(b.0, b.1)?, ended: false })
    }

    /// The outermost zoom level that both have. To be called first.
    pub(super) fn common_zoom(&self) -> u8 {
        let first = |lines: &Lines| lines.next.map_or(NATIVE_ZOOM, |(tile, _)| tile.zoom);
        first(&self.a).max(first(&self.b))
    }

    fn pair(&mut self) -> Result<Option<Pair>, Trouble> {
        let places = [&self.a, &self.b].map(|lines| lines.next.map(|(tile, _)| tile));
        let place = |tile: &TilePos| self.a.rest.place(*tile);
        let Some(tile) = places.into_iter().flatten().min_by_key(place) else { return Ok(None) };
        Ok(Some(Pair { tile, a: self.a.take(tile)?, b: self.b.take(tile)? }))
    }
}

impl Iterator for Joined {
    type Item = Result<Pair, Trouble>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let pair = self.pair().transpose();
        self.ended = !matches!(pair, Some(Ok(_)));
        pair
    }
}
