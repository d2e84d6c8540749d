//! Tiles of the published map that are no longer part of it: which they are, and whether so many may be removed.
//!
//! A world of which half is not mounted must not wipe a map, so more than a limit are not removed. Tiles of regions
//! that the user hides, and those above them, do not count: they are meant to be removed.

use std::collections::BTreeSet;

use crate::atlas::{Manifest, in_folder};
use crate::base::coord::{OUTER_ZOOM, RegionPos, Slot, TilePos};
use crate::draw::request::error::RenderError;
use crate::draw::request::hide::Hidden;
use crate::draw::request::layers::{MapLayer, MapLayers};
use crate::draw::request::plan::MapDimension;
use crate::draw::request::prepare::Prepared;
use crate::draw::request::settings::Settings;
use crate::report::Limit;
use crate::store::{Output, PublishError};

/// The regions that must not be shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct HiddenRegions<'a> {
    /// `None`: nothing is hidden.
    pub(crate) areas: Option<&'a Hidden>,
    /// Regions, with the numbers of their dimensions, of which hiding leaves nothing in some layer.
    pub(crate) emptied: BTreeSet<(usize, RegionPos)>,
}

/// By map layer, the tiles that are removed.
pub(crate) struct Removals(Vec<LayerRemovals>);

struct LayerRemovals {
    /// The number of tiles that are published.
    total: u64,
    gone: Vec<TilePos>,
    /// The number of tiles that are meant to be removed: they, or the tiles below them, are hidden, or their zoom level is
    /// one of textures that is no longer asked for.
    meant: u64,
}

impl Removals {
    /// Finds the published tiles that do not stay.
    ///
    /// # Errors
    /// A manifest is there and cannot be read: what it names would stay for good.
    pub(crate) fn find(
        output: &Output,
        dimensions: &[MapDimension<'_>],
        map_layers: &MapLayers,
        hidden: &HiddenRegions<'_>,
        stays: impl Fn(MapLayer, TilePos) -> bool,
    ) -> Result<Self, PublishError> {
        let mut all = Vec::new();
        for map_layer in map_layers.all() {
            let mut total = 0;
            let mut gone = Vec::new();
            let manifest = in_folder(&output.content().folder(map_layers.path(map_layer)), Manifest::FILE);
            output.each_tile(&manifest, output.naming().scheme, |tile, _| {
                total += 1;
                if !stays(map_layer, tile) {
                    gone.push(tile);
                }
            })?;
            let min_zoom = dimensions[map_layer.dimension].tiles.min_zoom();
            let unasked = gone.iter().filter(|tile| map_layers.is_unasked(map_layer, **tile)).count() as u64;
            let meant = hidden.count(&gone, map_layer.dimension, min_zoom) + unasked;
            all.push(LayerRemovals { total, gone, meant });
        }
        Ok(Self(all))
    }

    /// Finds the published tiles that do not stay, as far as the tiles of the map to be drawn alone show it.
    ///
    /// # Errors
    /// Too many tiles would be removed, or the manifests cannot be read.
    pub(crate) fn plan(
        output: &Output,
        dimensions: &[MapDimension<'_>],
        map_layers: &MapLayers,
        areas: Option<&Hidden>,
        limit: Limit,
    ) -> Result<Self, RenderError> {
        // Facts that cannot be read are found before a tile is drawn.
        output.facts().map_err(RenderError::Output)?;
        let hidden = HiddenRegions { areas, ..HiddenRegions::default() };
        let stays =
            |map_layer: MapLayer, tile| map_layers.is_planned(map_layer, tile, dimensions[map_layer.dimension].tiles);
        let removals = Self::find(output, dimensions, map_layers, &hidden, stays).map_err(RenderError::Output)?;
        removals.check(limit).map(|()| removals)
    }

    /// Fails if more would be removed than may.
    pub(crate) fn check(&self, limit: Limit) -> Result<(), RenderError> {
        let sum = |count: fn(&LayerRemovals) -> u64| self.0.iter().map(count).sum::<u64>();
        let meant = sum(|map_layer| map_layer.meant);
        let total = sum(|map_layer| map_layer.total) - meant;
        let gone = self.count() - meant;
        if limit.is_exceeded(gone, total) { Err(RenderError::TooManyRemoved(gone, total, limit)) } else { Ok(()) }
    }

    /// Counts the tiles that are removed.
    pub(crate) fn count(&self) -> u64 {
        self.0.iter().map(|map_layer| map_layer.gone.len() as u64).sum()
    }

    /// By map layer, the tiles that are removed.
    pub(crate) fn tiles(&self) -> impl Iterator<Item = &[TilePos]> {
        self.0.iter().map(|map_layer| &map_layer.gone[..])
    }
}

/// Finds the published tiles that a run is known to remove before it draws.
///
/// # Errors
/// See [`Removals::plan`].
pub(crate) fn check_removals(
    output: &Output,
    Prepared { plan, .. }: &Prepared,
    settings: &Settings,
) -> Result<Removals, RenderError> {
    let map_layers = MapLayers::new(plan, settings, output.naming());
    Removals::plan(output, &plan.map_dimensions(), &map_layers, Some(&plan.hidden), settings.max_removed)
}

impl HiddenRegions<'_> {
    /// Counts those of the removed tiles of a dimension that are removed since something is hidden: the regions
    /// themselves, the tiles above them, and levels that are no longer needed without them.
    fn count(&self, gone: &[TilePos], dimension: usize, min_zoom: u8) -> u64 {
        let Some(areas) = self.areas.filter(|areas| !areas.is_empty()) else { return 0 };
        let mut hidden = BTreeSet::new();
        for &tile in gone {
            let is_hidden = tile.native().and_then(TilePos::region).is_some_and(|region| {
                let slots = areas.slots(region);
                let is_on = |slot: &Slot| !region.chunk(*slot).area().overlap(tile.area()).is_empty();
                self.emptied.contains(&(dimension, region)) || Slot::all().filter(is_on).all(|slot| slots.has(slot))
            });
            let mut above = tile;
            while is_hidden && hidden.insert(above) && above.zoom > OUTER_ZOOM {
                above = above.parent();
            }
        }
        if hidden.is_empty() {
            return 0;
        }
        gone.iter().filter(|tile| tile.zoom < min_zoom || hidden.contains(tile)).count() as u64
    }
}
