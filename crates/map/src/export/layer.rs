//! A layer of a map for an export: its tiles, and their pixels at any zoom level, even further out
//! than the map's own levels.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::error::ExportError;
use super::pictures::groups::choose;
use super::workers::Workers;
use crate::atlas::{AtlasError, Digest, FinishedLayer, TileRecord};
use pixelmap_base::coord::{Area, NATIVE_ZOOM, RegionPos, TilePos};
use pixelmap_tile::{Canvas, Samples};

/// A layer of a map, with the list of its tiles.
#[derive(Debug)]
pub struct ExportLayer<'m> {
    pub finished: FinishedLayer<'m>,
    pub tiles: Cow<'m, BTreeMap<TilePos, TileRecord>>,
}

impl<'m> ExportLayer<'m> {
    pub fn new(finished: FinishedLayer<'m>, tiles: &'m BTreeMap<TilePos, TileRecord>) -> Self {
        Self {
            finished,
            tiles: Cow::Borrowed(tiles),
        }
    }

    /// Opens a layer with the tiles that its manifest names.
    ///
    /// # Errors
    /// Fails if the manifest cannot be read, or if one of its lines is damaged.
    pub fn open(finished: FinishedLayer<'m>, workers: &Workers<'_>) -> Result<Self, ExportError> {
        let manifest = workers.run(|| finished.manifest())??;
        Ok(Self {
            finished,
            tiles: Cow::Owned(manifest.tiles),
        })
    }

    /// Opens a layer for a picture. This is faster than [`Self::open`], because a picture needs no
    /// hashes of tiles.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_for_picture(finished: FinishedLayer<'m>) -> Result<Self, ExportError> {
        Ok(Self {
            finished,
            tiles: Cow::Owned(finished.tile_lengths()?.tiles),
        })
    }

    /// Returns whether the layer has a tile.
    pub fn has(&self, tile: TilePos) -> bool {
        self.tiles.contains_key(&tile)
    }

    /// Returns the regions that the layer shows, each with the length of its tile in bytes.
    pub fn regions(&self) -> impl Iterator<Item = (RegionPos, u64)> {
        let native = self.native();
        native.filter_map(|(tile, record)| Some((tile.region()?, u64::from(record.bytes))))
    }

    /// Returns the area of whole regions that an export shows if none is named: all regions, or the
    /// main groups of regions that are near each other. The area is `None` if there are no regions.
    /// The warnings name the regions that are left out.
    pub(super) fn usual_area(&self, is_all: bool) -> (Option<Area>, Vec<String>) {
        let bytes: BTreeMap<RegionPos, u64> = self.regions().collect();
        if is_all {
            return (
                bytes.keys().map(|region| region.area()).reduce(Area::union),
                Vec::new(),
            );
        }

        let choice = choose(bytes.keys().copied(), |region| {
            bytes.get(&region).copied().unwrap_or(0)
        });
        choice.map_or_else(Default::default, |choice| {
            (Some(choice.area), choice.warnings("byte"))
        })
    }

    pub fn native(&self) -> impl Iterator<Item = (TilePos, TileRecord)> {
        let first = TilePos {
            zoom: NATIVE_ZOOM,
            x: i32::MIN,
            y: i32::MIN,
        };

        let last = TilePos {
            x: i32::MAX,
            y: i32::MAX,
            ..first
        };

        self.tiles
            .range(first..=last)
            .map(|(&tile, &record)| (tile, record))
    }

    /// Returns the number of zoom levels with textures.
    pub fn inner_levels(&self) -> u8 {
        self.finished.facts.max_zoom.saturating_sub(NATIVE_ZOOM)
    }

    /// Returns the digest of a map that shows this layer alone.
    pub fn digest(&self) -> String {
        let mut digest = Digest::default();
        digest.add(
            &self.finished.dimension.id,
            &self.finished.facts.id,
            &self.tiles,
        );
        digest.text()
    }

    pub fn samples(&self) -> Samples {
        self.finished.samples()
    }

    /// Returns the pixels of a tile, or `None` if the tile is empty. A tile further out than the
    /// map's levels is computed from tiles of the map.
    ///
    /// # Errors
    /// Fails if a tile cannot be read, or differs from its record in the manifest.
    pub(super) fn canvas(&self, tile: TilePos) -> Result<Option<Canvas>, AtlasError> {
        if tile.zoom >= self.finished.facts.min_zoom {
            return self
                .tiles
                .get(&tile)
                .map(|&record| self.finished.canvas(tile, record))
                .transpose();
        }

        let mut canvas = Canvas::default();
        let mut is_empty = true;
        for quarter in 0..4 {
            let child = tile.child(quarter);
            if let Some(drawn) = self.canvas(child)? {
                canvas.put(quarter, &self.samples().quarter(child, &drawn));
                is_empty = false;
            }
        }

        Ok(if is_empty { None } else { Some(canvas) })
    }

    /// Returns the tiles of the map that determine the pixels of an area at this zoom level, each
    /// with the hash of its own pixels.
    pub(super) fn sources(&self, zoom: u8, area: Area) -> BTreeMap<TilePos, u64> {
        let zoom = zoom.max(self.finished.facts.min_zoom);
        let [first, last] = [i32::MIN, i32::MAX].map(|end| TilePos {
            zoom,
            x: end,
            y: end,
        });
        let tiles = self
            .tiles
            .range(first..=last)
            .filter(|(tile, _)| !tile.area().overlap(area).is_empty());
        tiles.map(|(&tile, record)| (tile, record.pixels)).collect()
    }

    /// Returns whether anything is on a tile. The tile may be further out than the map's levels.
    pub(super) fn shows(&self, tile: TilePos) -> bool {
        let zoom = tile.zoom.max(self.finished.facts.min_zoom);
        let below = i32::from(zoom - tile.zoom);
        let y0 = tile.y << below;
        let y1 = ((tile.y + 1) << below) - 1;
        let mut columns = (tile.x << below)..((tile.x + 1) << below);
        columns.any(|x| {
            self.tiles
                .range(TilePos { zoom, x, y: y0 }..=TilePos { zoom, x, y: y1 })
                .next()
                .is_some()
        })
    }
}
