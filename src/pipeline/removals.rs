//! Tiles of an earlier map that do not stay: which go, and whether so many may.
//!
//! A world of which half is not mounted must not wipe a map, so more than a limit are not removed. But what the user hides
//! is to go: tiles of regions that are hidden, and those above them, do not count. Nor does a tile that stays under another
//! name.

use std::collections::BTreeSet;

use super::hiding::Emptied;
use super::render::RenderError;
use super::sheet::{Sheet, Sheets};
use crate::coord::{OUTER_ZOOM, TilePos};
use crate::plan::Plan;
use crate::publish::{Manifest, Output, PublishError};
use crate::report::Limit;

/// By sheet, the tiles of the earlier map that do not stay.
pub(super) struct Stale(Vec<OfSheet>);

struct OfSheet {
    /// How many there were.
    total: u64,
    gone: Vec<TilePos>,
    /// Those that are to go since they, or what is below them, are hidden.
    hidden: u64,
}

/// A sheet's manifest in the map.
pub(super) fn manifest_path(sheets: &Sheets, sheet: Sheet) -> String {
    sheets.path_of(sheet, Manifest::FILE)
}

impl Stale {
    /// What of the map in `output` does not stay; `emptied` are regions of which hiding leaves nothing, beside those that
    /// are wholly hidden.
    ///
    /// # Errors
    /// A manifest is there and cannot be read: what it names would stay for good.
    pub(super) fn of(
        output: &Output,
        plan: &Plan,
        sheets: &Sheets,
        emptied: &Emptied,
        stays: impl Fn(Sheet, TilePos) -> bool,
    ) -> Result<Self, PublishError> {
        let of = |sheet: Sheet| {
            let (mut total, mut gone) = (0, Vec::new());
            let naming = sheets.replaced(sheet).unwrap_or(sheets.naming(sheet));
            output.each_earlier(&sheets.path(sheet), naming, |tile, _| {
                total += 1;
                if !stays(sheet, tile) {
                    gone.push(tile);
                }
            })?;
            let hidden = hidden(&gone, plan, sheet.dimension, emptied);
            Ok(OfSheet { total, gone, hidden })
        };
        sheets.all().map(of).collect::<Result<_, _>>().map(Self)
    }

    /// Fails if more would go than may.
    pub(super) fn check(&self, limit: Limit) -> Result<(), RenderError> {
        let sum = |count: fn(&OfSheet) -> u64| self.0.iter().map(count).sum::<u64>();
        let hidden = sum(|sheet| sheet.hidden);
        let (total, gone) = (sum(|sheet| sheet.total) - hidden, sum(|sheet| sheet.gone.len() as u64) - hidden);
        if limit.is_exceeded(gone, total) { Err(RenderError::TooManyRemoved(gone, total, limit)) } else { Ok(()) }
    }

    /// By sheet, how many tiles go.
    pub(super) fn counts(&self) -> impl Iterator<Item = u64> {
        self.0.iter().map(|sheet| sheet.gone.len() as u64)
    }
}

/// How many of these tiles go since something is hidden: the regions themselves, what is above them, and levels that are
/// no longer needed without them.
pub(super) fn hidden(gone: &[TilePos], plan: &Plan, dimension: usize, emptied: &Emptied) -> u64 {
    if plan.hidden.is_empty() {
        return 0;
    }
    let mut hidden = BTreeSet::new();
    for &tile in gone {
        let is_hidden = tile
            .region()
            .is_some_and(|region| emptied.contains(&(dimension, region)) || plan.hidden.slots(region).is_full());
        let mut above = tile;
        while is_hidden && hidden.insert(above) && above.zoom > OUTER_ZOOM {
            above = above.parent();
        }
    }
    if hidden.is_empty() {
        return 0;
    }
    let min_zoom = plan.dimensions[dimension].pyramid.min_zoom();
    gone.iter().filter(|tile| tile.zoom < min_zoom || hidden.contains(tile)).count() as u64
}
