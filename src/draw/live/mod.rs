//! A map that is drawn while somebody looks at it: what is looked at is drawn first, and what is not drawn yet is
//! sketched.
//!
//! Knows nothing of who looks, and how: `serve` asks.

mod facts;
mod sketches;
mod watched;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard};

use self::sketches::Sketches;
use crate::atlas::{Format, MapFile, Naming};
use crate::base::coord::{Area, NATIVE_ZOOM, RegionPos, TilePos};
use crate::base::mutex;
use crate::draw::map::jobs::jobs;
use crate::draw::prepare::Prepared;
use crate::draw::prepare::layers::{MapLayer, MapLayers};
use crate::draw::settings::Settings;
use crate::schedule::{NodeId, Urgent};
use crate::tile::{Canvas, Encoder, Samples};
use crate::world::World;

pub(super) use watched::draw;

/// The most regions that one look makes urgent.
const MAX_URGENT: usize = 4096;

/// A map while it is drawn, for those who look at it.
pub struct Live {
    facts: MapFile,
    map_layers: MapLayers,
    tiles: Mutex<Tiles>,
    urgent: Urgent,
    sketches: Sketches,
    on_end: Box<dyn Fn(Ended) + Send + Sync>,
}

/// All tiles of the map, by dimension, each with its job as long as it is not drawn.
type Tiles = HashMap<(usize, TilePos), Option<NodeId>>;

/// A tile of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LayerTile {
    map_layer: MapLayer,
    tile: TilePos,
}

/// What the path of a tile leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// It is not drawn yet.
    Open(LayerTile),
    /// It is drawn. Where it has no file, nothing is on it.
    Drawn(LayerTile),
    /// It is no part of the map: of an earlier one it may still stand there, and show what is hidden now.
    LeftOut(LayerTile),
}

/// A tile that is drawn now, in all layers; its file is there unless nothing is on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// The dimension's number in the facts.
    pub dimension: usize,
    /// The tile.
    pub tile: TilePos,
}

/// A part of a map that somebody looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The dimension's number in the facts.
    pub dimension: usize,
    /// The columns that are seen.
    pub area: Area,
}

/// What is to be drawn for a look.
#[derive(Debug, Clone)]
pub struct Sight(Vec<NodeId>);

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live").field("tiles", &self.tiles().len()).finish_non_exhaustive()
    }
}

impl LayerTile {
    /// Returns whether the tile is drawn from a region, and not from other tiles.
    pub fn is_native(&self) -> bool {
        self.tile.zoom == NATIVE_ZOOM
    }
}

impl Live {
    /// A map of these settings, of which nothing is drawn yet.
    pub(super) fn new(
        (world, settings, prepared): (&World, &Settings, &Prepared),
        naming: Naming,
        is_on_demand: bool,
        on_end: Box<dyn Fn(Ended) + Send + Sync>,
    ) -> Self {
        let map_layers = MapLayers::new(&prepared.plan, settings, naming);
        let facts = facts::facts(world, settings, prepared, &map_layers);
        let jobs = jobs(&prepared.plan);
        let tiles = jobs.all().map(|(id, job)| ((job.dimension as usize, job.tile), Some(id))).collect();
        let urgent = if is_on_demand { Urgent::alone() } else { Urgent::first() };
        Self { facts, map_layers, tiles: Mutex::new(tiles), urgent, sketches: Sketches::default(), on_end }
    }

    /// The facts of the map as they can be told before it is drawn.
    pub fn facts(&self) -> &MapFile {
        &self.facts
    }

    /// The tile with this path; `None`: no tile has it.
    pub fn at(&self, path: &str) -> Option<At> {
        let of = self.map_layers.all().find_map(|map_layer| {
            let name = path.strip_prefix(&self.map_layers.path(map_layer))?.strip_prefix('/')?;
            let tile = self.map_layers.naming(map_layer).tile(name)?;
            Some(LayerTile { map_layer, tile })
        })?;
        Some(match self.tiles().get(&(of.map_layer.dimension, of.tile)) {
            Some(Some(_)) => At::Open(of),
            Some(None) => At::Drawn(of),
            None => At::LeftOut(of),
        })
    }

    /// Returns whether the tile is still not drawn.
    pub fn is_open(&self, LayerTile { map_layer, tile }: LayerTile) -> bool {
        self.tiles().get(&(map_layer.dimension, tile)).is_some_and(Option::is_some)
    }

    /// Returns whether a sketch of the tile can be had: of an outer tile of colours.
    pub fn can_be_sketched(&self, tile: LayerTile) -> bool {
        !tile.is_native() && matches!(self.map_layers.samples(tile.map_layer), Samples::Colours)
    }

    /// A picture with nothing on it; `None`: the tile is no picture.
    pub fn blank(&self, LayerTile { map_layer, .. }: LayerTile) -> Option<Vec<u8>> {
        let is_picture = !self.map_layers.is_details(map_layer);
        is_picture.then(|| self.map_layers.encode(map_layer, &mut Encoder::default(), &Canvas::default()).to_vec())
    }

    /// Asks for a picture of a tile as far as it is known. `reply` is called with the bytes of its file, unless
    /// `is_awaited` returns false by then, or the drawing ends.
    pub fn sketch(
        &self,
        tile: LayerTile,
        is_awaited: impl Fn() -> bool + Send + 'static,
        reply: impl FnOnce(Vec<u8>) + Send + 'static,
    ) {
        self.sketches.ask(tile, Box::new(is_awaited), Box::new(reply));
    }

    /// The format of a tile's file.
    pub fn format(&self, tile: LayerTile) -> Format {
        self.map_layers.naming(tile.map_layer).format
    }

    /// The regions of a look that are not drawn yet, from its middle outwards.
    pub fn sight(&self, look: Look) -> Sight {
        let tiles = self.tiles();
        let mut regions = regions_of(&look, &tiles);
        regions.sort_by_cached_key(|&region| from_middle(look.area, region));
        regions.truncate(MAX_URGENT);
        Sight(regions.into_iter().filter_map(|region| *tiles.get(&(look.dimension, region.tile()))?).collect())
    }

    /// Has native tiles drawn first, and then what is in sight. What was wanted before and is no longer waits for its
    /// turn.
    pub fn want<'s>(&self, tiles: impl Iterator<Item = LayerTile>, sights: impl Iterator<Item = &'s Sight>) {
        let known = self.tiles();
        let job = |of: LayerTile| *known.get(&(of.map_layer.dimension, of.tile))?;
        let jobs: Vec<NodeId> = tiles.filter_map(job).collect();
        drop(known);
        self.urgent.set(jobs.into_iter().chain(sights.flat_map(|Sight(jobs)| jobs).copied()));
    }

    /// Returns whether nothing is drawn or sketched any more.
    pub fn is_over(&self) -> bool {
        self.sketches.is_closed()
    }

    /// Ends the drawing, also where it waits for somebody to look; it must have been stopped before.
    pub fn end(&self) {
        self.urgent.end();
    }

    fn tiles(&self) -> MutexGuard<'_, Tiles> {
        mutex::lock(&self.tiles)
    }

    fn ended(&self, dimension: usize, tile: TilePos) {
        self.tiles().insert((dimension, tile), None);
        (self.on_end)(Ended { dimension, tile });
    }
}

/// The regions of a look that are not drawn yet. A look may be at more regions than there are.
fn regions_of(look: &Look, tiles: &Tiles) -> Vec<RegionPos> {
    let (count, regions) = look.area.regions();
    if count > tiles.len() as u64 {
        let open = tiles.iter().filter(|((dimension, _), job)| *dimension == look.dimension && job.is_some());
        let regions = open.filter_map(|((_, tile), _)| tile.region());
        return regions.filter(|&region| look.area.meets(region)).collect();
    }
    let is_open = |region: RegionPos| tiles.get(&(look.dimension, region.tile())).is_some_and(Option::is_some);
    regions.filter(|&region| is_open(region)).collect()
}

/// Twice the distance between the middles of an area and a region, squared.
fn from_middle(area: Area, region: RegionPos) -> i64 {
    let of = region.area();
    let apart = |a0: i32, a1: i32, b0: i32, b1: i32| {
        (i64::from(a0) + i64::from(a1) - i64::from(b0) - i64::from(b1)).clamp(-(1 << 30), 1 << 30)
    };
    let (x, z) = (apart(area.x0, area.x1, of.x0, of.x1), apart(area.z0, area.z1, of.z0, of.z1));
    x * x + z * z
}

#[cfg(test)]
mod tests;
