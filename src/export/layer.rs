//! A layer of a map as exports read it: its tiles as the manifest names them, and their pixels at any zoom level.

use std::borrow::Cow;
use std::collections::BTreeMap;

use twox_hash::XxHash3_64;

use super::ExportError;
use crate::atlas::{Digest, Facts, LayerFacts, MapFolder, TileRecord};
use crate::base::coord::{NATIVE_ZOOM, RegionPos, TilePos};
use crate::tile::{Canvas, Samples};

/// A layer of a map, and the tiles that stand in it.
#[derive(Debug)]
pub struct MapLayer<'m> {
    pub(super) map: &'m MapFolder,
    pub(super) dimension: &'m Facts,
    pub(super) facts: &'m LayerFacts,
    pub(super) tiles: Cow<'m, BTreeMap<TilePos, TileRecord>>,
}

impl<'m> MapLayer<'m> {
    /// A layer with these tiles.
    pub fn new(
        map: &'m MapFolder,
        (dimension, facts): (&'m Facts, &'m LayerFacts),
        tiles: &'m BTreeMap<TilePos, TileRecord>,
    ) -> Self {
        Self { map, dimension, facts, tiles: Cow::Borrowed(tiles) }
    }

    /// A layer with the tiles that its manifest names.
    ///
    /// # Errors
    /// The manifest cannot be read, or a line of it is damaged.
    pub fn open(map: &'m MapFolder, (dimension, facts): (&'m Facts, &'m LayerFacts)) -> Result<Self, ExportError> {
        let tiles = map
            .manifest(facts)?
            .collect::<Result<_, _>>()
            .map_err(|error| ExportError::Manifest(map.root().join(MapFolder::manifest_path(facts)), error))?;
        Ok(Self { map, dimension, facts, tiles: Cow::Owned(tiles) })
    }

    /// Returns whether there is a tile.
    pub fn has(&self, tile: TilePos) -> bool {
        self.tiles.contains_key(&tile)
    }

    /// The regions that it shows, each with the bytes of its tile.
    pub fn regions(&self) -> impl Iterator<Item = (RegionPos, u64)> {
        let native = self.native();
        native.filter_map(|(tile, record)| Some((tile.region()?, u64::from(record.bytes))))
    }

    pub(super) fn native(&self) -> impl Iterator<Item = (TilePos, TileRecord)> {
        let first = TilePos { zoom: NATIVE_ZOOM, x: i32::MIN, y: i32::MIN };
        self.tiles.range(first..).map(|(&tile, &record)| (tile, record))
    }

    /// The digest of a map that shows this layer alone.
    pub fn digest(&self) -> String {
        let mut digest = Digest::default();
        digest.add(&self.dimension.id, &self.facts.id, &self.tiles);
        digest.text()
    }

    /// The kind of its pixels.
    pub fn samples(&self) -> Samples {
        if self.facts.numbers.is_some() { Samples::Numbers } else { Samples::Colours }
    }

    /// The file of a tile.
    ///
    /// # Errors
    /// It cannot be read, or is not the one that the manifest names.
    pub(super) fn file(&self, tile: TilePos, record: TileRecord) -> Result<Vec<u8>, ExportError> {
        tile_file(self.map, &self.map.tile_path(self.facts, tile), record)
    }

    /// The pixels of a tile; `None`: nothing is on it. One of a zoom level that lies further out than the map goes is
    /// made from those below it.
    ///
    /// # Errors
    /// A tile cannot be read, or is not the one that the manifest names.
    pub(super) fn canvas(&self, tile: TilePos) -> Result<Option<Canvas>, ExportError> {
        if tile.zoom >= self.facts.min_zoom {
            return self.tiles.get(&tile).map(|&record| self.decoded(tile, record)).transpose();
        }
        let mut canvas = Canvas::default();
        let mut is_empty = true;
        for place in 0..4 {
            if let Some(child) = self.canvas(tile.child(place))? {
                canvas.put(place, &self.samples().quarter(&child));
                is_empty = false;
            }
        }
        Ok(if is_empty { None } else { Some(canvas) })
    }

    pub(super) fn decoded(&self, tile: TilePos, record: TileRecord) -> Result<Canvas, ExportError> {
        let decoded = self.samples().decode(&self.file(tile, record)?);
        let path = || self.map.root().join(self.map.tile_path(self.facts, tile));
        decoded.map_err(|error| ExportError::Tile(path(), format!("cannot be decoded ({error})")))
    }

    /// Returns whether a tile, of the map or further out, has something on it.
    pub(super) fn shows(&self, tile: TilePos) -> bool {
        let zoom = tile.zoom.max(self.facts.min_zoom);
        let below = i32::from(zoom - tile.zoom);
        let (x0, x1) = (tile.x << below, ((tile.x + 1) << below) - 1);
        let (y0, y1) = (tile.y << below, ((tile.y + 1) << below) - 1);
        (x0..=x1).any(|x| self.tiles.range(TilePos { zoom, x, y: y0 }..=TilePos { zoom, x, y: y1 }).next().is_some())
    }
}

/// The file of a tile, by its path in the map.
///
/// # Errors
/// It cannot be read, or is not the one that the manifest names.
pub(super) fn tile_file(map: &MapFolder, relative: &str, record: TileRecord) -> Result<Vec<u8>, ExportError> {
    let wrong = |what: &str| ExportError::Tile(map.root().join(relative), what.to_owned());
    let bytes = map.read_of(relative, u64::from(record.bytes))?.ok_or_else(|| wrong("is missing"))?;
    let is_named = bytes.len() as u64 == u64::from(record.bytes) && XxHash3_64::oneshot(&bytes) == record.file;
    if is_named { Ok(bytes) } else { Err(wrong("is not the file that tiles.tsv names")) }
}
