//! Finds the published tiles that are no longer part of the map, and decides whether they may be
//! removed.
//!
//! A world that is only half mounted must not wipe a map, so nothing is removed if there are more
//! such tiles than a limit. Tiles that disappear because the user hides their regions do not count,
//! because their removal is intended.

use std::collections::BTreeSet;

use crate::report::Limit;
use crate::request::error::RenderError;
use crate::request::hide::HiddenPlaces;
use crate::request::layers::{MapLayer, MapLayers};
use crate::request::plan::MapDimension;
use crate::request::prepare::RunPlan;
use crate::request::settings::Settings;
use pixelmap_base::coord::{OUTER_ZOOM, RegionPos, Slot, TilePos};
use pixelmap_map::atlas::{Manifest, in_folder};
use pixelmap_map::store::{Output, PublishError};

/// The regions that must not be shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HiddenRegions<'a> {
    /// `None` if nothing is hidden.
    pub(crate) areas: Option<&'a HiddenPlaces>,
    /// Regions whose tile is missing in some layer because of hiding, with the numbers of their
    /// dimensions.
    pub(crate) emptied: &'a BTreeSet<(usize, RegionPos)>,
}

/// The tiles to remove, one entry per map layer.
pub(crate) struct Removals(Vec<LayerRemovals>);

struct LayerRemovals {
    /// The number of published tiles.
    total: u64,
    gone: Vec<TilePos>,
    /// The number of removals that the user intends: the tiles or the tiles below them are hidden,
    /// or they belong to a zoom level with textures that is no longer requested.
    meant: u64,
}

impl Removals {
    /// Finds the published tiles that do not stay.
    ///
    /// # Errors
    /// Fails if a manifest exists and cannot be read, because its tiles would never be removed.
    pub(crate) fn find(
        output: &Output,
        dimensions: &[MapDimension<'_>],
        map_layers: &MapLayers,
        hidden: HiddenRegions<'_>,
        stays: impl Fn(MapLayer, TilePos) -> bool,
    ) -> Result<Self, PublishError> {
        let mut all = Vec::new();
        for map_layer in map_layers.all() {
            let mut total = 0;
            let mut gone = Vec::new();
            let manifest = in_folder(
                &output.content().folder(map_layers.path(map_layer)),
                Manifest::FILE,
            );

            output.each_tile(&manifest, output.naming().scheme, |tile, _| {
                total += 1;
                if !stays(map_layer, tile) {
                    gone.push(tile);
                }
            })?;

            let min_zoom = dimensions[map_layer.dimension].tiles.min_zoom();
            let unasked = gone
                .iter()
                .filter(|tile| map_layers.is_unasked(map_layer, **tile))
                .count() as u64;
            let meant = hidden.count(&gone, map_layer.dimension, min_zoom) + unasked;
            all.push(LayerRemovals { total, gone, meant });
        }

        Ok(Self(all))
    }

    /// Finds published tiles that will not stay, before anything is drawn. Only tiles outside the
    /// plan are known by then.
    ///
    /// # Errors
    /// Fails if too many tiles would be removed, or the manifests cannot be read.
    pub(crate) fn plan(
        output: &Output,
        dimensions: &[MapDimension<'_>],
        map_layers: &MapLayers,
        areas: Option<&HiddenPlaces>,
        limit: Limit,
    ) -> Result<Self, RenderError> {
        // Unreadable facts must be found before a tile is drawn.
        output.facts()?;
        let hidden = HiddenRegions {
            areas,
            emptied: &BTreeSet::new(),
        };

        let removals = Self::find(output, dimensions, map_layers, hidden, |map_layer, tile| {
            map_layers.is_planned(map_layer, tile, dimensions[map_layer.dimension].tiles)
        })?;
        removals.check(limit)?;

        Ok(removals)
    }

    /// Fails if more tiles would be removed than the limit allows.
    pub(crate) fn check(&self, limit: Limit) -> Result<(), RenderError> {
        let meant: u64 = self.0.iter().map(|map_layer| map_layer.meant).sum();
        let all: u64 = self.0.iter().map(|map_layer| map_layer.total).sum();
        let total = all - meant;
        let gone = self.count() - meant;
        if limit.is_exceeded(gone, total) {
            Err(RenderError::TooManyRemoved(gone, total, limit))
        } else {
            Ok(())
        }
    }

    /// Counts the tiles to remove.
    pub(crate) fn count(&self) -> u64 {
        self.0
            .iter()
            .map(|map_layer| map_layer.gone.len() as u64)
            .sum()
    }

    /// Returns the tiles to remove, one slice per map layer.
    pub(crate) fn tiles(&self) -> impl Iterator<Item = &[TilePos]> {
        self.0.iter().map(|map_layer| &map_layer.gone[..])
    }
}

/// Finds the published tiles that a run will remove, as far as that is known before it draws.
///
/// # Errors
/// Fails for the same reasons as [`Removals::plan`].
pub(crate) fn check_removals(
    output: &Output,
    RunPlan { plan, .. }: &RunPlan,
    settings: &Settings,
) -> Result<Removals, RenderError> {
    let map_layers = MapLayers::new(plan, settings, output.naming());
    Removals::plan(
        output,
        &plan.map_dimensions(),
        &map_layers,
        Some(&plan.hidden),
        settings.run.max_removed,
    )
}

impl HiddenRegions<'_> {
    /// Counts the removed tiles of a dimension that disappear because of hiding: the regions
    /// themselves, the tiles above them, and outer levels that are not needed without them.
    fn count(self, gone: &[TilePos], dimension: usize, min_zoom: u8) -> u64 {
        let Some(areas) = self.areas.filter(|areas| !areas.is_empty()) else {
            return 0;
        };

        let mut hidden = BTreeSet::new();
        for &tile in gone {
            let region = tile.native().and_then(TilePos::region);
            let is_hidden = region.is_some_and(|region| {
                self.emptied.contains(&(dimension, region)) || covers(areas, region, tile)
            });

            let mut above = tile;
            while is_hidden && hidden.insert(above) && above.zoom > OUTER_ZOOM {
                above = above.parent();
            }
        }

        if hidden.is_empty() {
            return 0;
        }

        gone.iter()
            .filter(|tile| tile.zoom < min_zoom || hidden.contains(tile))
            .count() as u64
    }
}

/// Returns whether all chunks that a region's own or inner tile shows are hidden.
fn covers(areas: &HiddenPlaces, region: RegionPos, tile: TilePos) -> bool {
    let hidden = areas.slots(region);
    Slot::all().all(|slot| hidden.has(slot) || !tile.area().meets_chunk(region.chunk(slot)))
}
