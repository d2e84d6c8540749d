//! Makes the facts about dimensions and layers that `map.json` contains.

use std::convert::Infallible;

use crate::map::legend::legend_parts;
use crate::publish::drawn::UnpublishedMap;
use crate::request::layers::{MapLayer, MapLayers};
use crate::request::plan::MapDimension;
use crate::tiles::tile_store::MadeLayer;
use pixelmap_base::coord::{Area, NATIVE_ZOOM, RegionPos};
use pixelmap_map::atlas::{Bounds, DimensionFacts, Encoding, LayerFacts, Manifest, Numbers};
use pixelmap_map::export::choose;
use pixelmap_paint::layers::LOOK;
use pixelmap_paint::markers::display_name;
use pixelmap_tile::Samples;
use pixelmap_world::internal::World;

/// The name and the spawn point of a world, for its map.
#[derive(Debug, Clone)]
pub(crate) struct WorldLabel {
    pub(crate) name: String,
    /// The dimension and the block where players start.
    pub(crate) spawn: Option<WorldSpawn>,
    /// The time of the moment that the map gets, in seconds since 1970. `None` if it gets none, or
    /// the time is unknown.
    pub(crate) moment_time: Option<i64>,
}

pub(crate) type WorldSpawn = (String, [i32; 3]);

impl WorldLabel {
    pub(crate) fn new(world: &World, moment_time: Option<i64>) -> Self {
        Self {
            name: world.name(),
            spawn: world.spawns.new_players.clone(),
            moment_time,
        }
    }
}

/// Returns the time when a world was last played, in seconds since 1970, if the world stores it.
pub(crate) fn stated_time(world: &World) -> Option<i64> {
    // Some tools write 0.
    world
        .level
        .last_played
        .map(|millis| millis.div_euclid(1000))
        .filter(|&seconds| seconds > 0)
}

/// Returns the time when a world was last played, in seconds since 1970. If the world does not
/// store it, opens all regions and returns the time at which the newest one was written.
pub(crate) fn last_played(world: &World) -> Option<i64> {
    stated_time(world).or_else(|| newest_write(world))
}

/// Returns the time at which the newest region that can be opened was written, in seconds since
/// 1970.
fn newest_write(world: &World) -> Option<i64> {
    let mut newest = None;
    for dimension in &world.dimensions {
        for &entry in &dimension.regions {
            if let Ok(region) = dimension.store.open(entry) {
                let seconds = region.stamp().modified.div_euclid(1_000_000_000);
                newest = newest.max(Some(seconds).filter(|&seconds| seconds > 0));
            }
        }
    }

    newest
}

/// Returns the facts of a map's dimensions.
pub(crate) fn map_facts(
    spawn: Option<&WorldSpawn>,
    map: &UnpublishedMap<'_>,
) -> Vec<DimensionFacts> {
    let map_layers = &map.map_layers;
    let mut all = Vec::new();
    for (number, &dimension) in map.dimensions.iter().enumerate() {
        let mut details = None;
        let mut layers = Vec::new();
        for map_layer in map_layers.in_dimension(number) {
            let made = &map.made.layers[map_layers.number(map_layer)];
            let facts = layer_facts(dimension.tiles.min_zoom(), map_layers, map_layer, made);
            if map_layers.is_details(map_layer) {
                details = Some(facts);
            } else {
                layers.push(facts);
            }
        }

        all.push(DimensionFacts {
            details,
            ..dimension_facts(spawn, dimension, layers)
        });
    }

    all
}

/// The columns that the tiles of a layer show.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShownBounds {
    pub(crate) bounds: Option<Bounds>,
    /// The columns to show first, if not all of them.
    pub(crate) focus: Option<Bounds>,
}

impl ShownBounds {
    /// Finds the columns that the tiles of a manifest show. `shown_in` returns the part of an area
    /// that they show something in.
    ///
    /// # Errors
    /// As `shown_in`.
    pub(crate) fn find<E>(
        manifest: &Manifest,
        mut shown_in: impl FnMut(Area) -> Result<Option<Area>, E>,
    ) -> Result<Self, E> {
        let regions = || manifest.tiles.keys().filter_map(|tile| tile.region());
        let Some(around) = regions().map(RegionPos::area).reduce(Area::union) else {
            return Ok(Self {
                bounds: None,
                focus: None,
            });
        };

        // The weight of a region is the size of its tile's file.
        let choice = choose(regions(), |region| {
            manifest
                .tiles
                .get(&region.tile())
                .map_or(0, |record| u64::from(record.bytes))
        });

        let bounds = shown_in(around)?.map(Bounds::from);
        let focus = match choice {
            Some(choice) => shown_in(choice.area)?.map(Bounds::from),
            None => None,
        };

        Ok(Self {
            bounds,
            focus: focus.filter(|focus| Some(*focus) != bounds),
        })
    }
}

/// Returns the facts of a map layer in a dimension whose outermost zoom level is `min_zoom`.
pub(crate) fn layer_facts(
    min_zoom: u8,
    map_layers: &MapLayers,
    map_layer: MapLayer,
    made: &MadeLayer,
) -> LayerFacts {
    let MadeLayer {
        manifest, shown, ..
    } = made;

    let layer = map_layers.layer(map_layer);
    let min_zoom = if layer.is_details() {
        NATIVE_ZOOM
    } else {
        min_zoom
    };

    let numbers = layer.number_of_zero().map(|zero| Numbers {
        bits: 16,
        nothing: 0,
        offset: -zero,
    });

    let encoding = (layer.samples() == Samples::Heights).then_some(Encoding::Terrarium);
    let facts = LayerFacts::new(
        layer.name(),
        map_layers.path(map_layer),
        map_layers.naming(map_layer),
        LOOK,
        min_zoom,
        manifest,
    );

    let ShownBounds { bounds, focus } = ShownBounds::find(manifest, |area| Ok(made.shown_in(area)))
        .unwrap_or_else(|never: Infallible| match never {});
    let (legend, overlay) = (legend_parts(layer, shown), layer.is_overlay());
    LayerFacts {
        bounds,
        focus,
        heights: layer.heights(),
        overlay,
        numbers,
        encoding,
        legend,
        ..facts
    }
}

/// Returns the facts of a dimension with these layers.
pub(crate) fn dimension_facts(
    spawn: Option<&WorldSpawn>,
    dimension: MapDimension<'_>,
    layers: Vec<LayerFacts>,
) -> DimensionFacts {
    let MapDimension { id, path, .. } = dimension;
    DimensionFacts {
        id: id.to_owned(),
        path: path.to_owned(),
        name: title(id),
        spawn: spawn
            .filter(|(dimension, _)| dimension == id)
            .map(|(_, spawn)| *spawn),
        layers,
        details: None,
        markers: Vec::new(),
    }
}

/// Returns the display name of a dimension.
pub(crate) fn title(id: &str) -> String {
    match id {
        "overworld" => "Overworld".to_owned(),
        "the_nether" => "Nether".to_owned(),
        "the_end" => "End".to_owned(),
        other => match other.split_once(':') {
            Some((namespace, path)) => format!("{} · {namespace}", display_name(path)),
            None => other.to_owned(),
        },
    }
}
