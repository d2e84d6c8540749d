//! Tiles of the published map that are no longer part of it: which go, and whether so many may.
//!
//! A world of which half is not mounted must not wipe a map, so more than a limit are not removed. Tiles of regions
//! that the user hides, and those above them, do not count: they are meant to go.

use std::collections::BTreeSet;

use crate::atlas::{Manifest, in_folder};
use crate::base::coord::{OUTER_ZOOM, RegionPos, TilePos};
use crate::draw::error::RenderError;
use crate::draw::plan::Plan;
use crate::draw::prepare::Prepared;
use crate::draw::prepare::layers::{MapLayer, MapLayers};
use crate::draw::report::Limit;
use crate::draw::settings::Settings;
use crate::store::{Output, PublishError};

/// Regions of which nothing is left in some layer, and of which something is hidden: dimension and region.
pub(crate) type Emptied = BTreeSet<(usize, RegionPos)>;

/// By map layer, the tiles that go.
pub(crate) struct Removals(Vec<OfMapLayer>);

struct OfMapLayer {
    /// The number of tiles that are published.
    total: u64,
    gone: Vec<TilePos>,
    /// The number of tiles that go since they, or the tiles below them, are hidden.
    hidden: u64,
}

impl Removals {
    /// The published tiles that do not stay; `emptied` are regions of which hiding leaves nothing, beside those that
    /// are wholly hidden.
    ///
    /// # Errors
    /// A manifest is there and cannot be read: what it names would stay for good.
    pub(crate) fn of(
        output: &Output,
        plan: &Plan,
        map_layers: &MapLayers,
        emptied: &Emptied,
        stays: impl Fn(MapLayer, TilePos) -> bool,
    ) -> Result<Self, PublishError> {
        let of = |map_layer: MapLayer| {
            let (mut total, mut gone) = (0, Vec::new());
            let manifest = in_folder(&output.content().folder(map_layers.path(map_layer)), Manifest::FILE);
            output.each_tile(&manifest, output.naming().scheme, |tile| {
                total += 1;
                if !stays(map_layer, tile) {
                    gone.push(tile);
                }
            })?;
            let hidden = hidden(&gone, plan, map_layer.dimension, emptied);
            Ok(OfMapLayer { total, gone, hidden })
        };
        map_layers.all().map(of).collect::<Result<_, _>>().map(Self)
    }

    /// Fails if more would go than may.
    pub(crate) fn check(&self, limit: Limit) -> Result<(), RenderError> {
        let sum = |count: fn(&OfMapLayer) -> u64| self.0.iter().map(count).sum::<u64>();
        let hidden = sum(|map_layer| map_layer.hidden);
        let (total, gone) =
            (sum(|map_layer| map_layer.total) - hidden, sum(|map_layer| map_layer.gone.len() as u64) - hidden);
        if limit.is_exceeded(gone, total) { Err(RenderError::TooManyRemoved(gone, total, limit)) } else { Ok(()) }
    }

    /// Counts the tiles that go.
    pub(crate) fn count(&self) -> u64 {
        self.0.iter().map(|map_layer| map_layer.gone.len() as u64).sum()
    }

    /// By map layer, the tiles that go.
    pub(crate) fn tiles(&self) -> impl Iterator<Item = &[TilePos]> {
        self.0.iter().map(|map_layer| &map_layer.gone[..])
    }
}

/// The tiles that go as far as the plan alone shows it.
///
/// # Errors
/// Too many tiles would go, or the manifests cannot be read.
pub(crate) fn check_removals(
    output: &Output,
    Prepared { plan, .. }: &Prepared,
    settings: &Settings,
) -> Result<Removals, RenderError> {
    // Facts that cannot be read are found before a tile is drawn.
    output.facts().map_err(RenderError::Output)?;
    let map_layers = MapLayers::new(plan, settings, output.naming());
    let stays = |map_layer: MapLayer, tile| plan.dimensions[map_layer.dimension].pyramid.contains(tile);
    let removals = Removals::of(output, plan, &map_layers, &Emptied::new(), stays).map_err(RenderError::Output)?;
    removals.check(settings.max_removed).map(|()| removals)
}

/// Counts those of these tiles that go since something is hidden: the regions themselves, the tiles above them, and
/// levels that are no longer needed without them.
fn hidden(gone: &[TilePos], plan: &Plan, dimension: usize, emptied: &Emptied) -> u64 {
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
