//! Removes newly hidden places from the earlier moments of a map, so that each moment becomes the
//! moment of a world that never had these places, as far as the kept files show it.
//!
//! Hidden chunks become transparent in the kept native and inner tiles, and the columns next to
//! them lose the shade and the tint of hidden blocks. Outer tiles are made again from their
//! children. A version that equals the next one afterwards is dropped, because a world without the
//! place would not have made it. [`past_facts`](super::past_facts) does the same for `map.json`.
//! All earlier versions of markers are dropped, because a list of markers does not show which of
//! them are in a place.

use std::collections::{BTreeMap, BTreeSet};

use twox_hash::XxHash3_64;

use crate::map::legend::hex;
use crate::publish::drawn::UnpublishedMap;
use crate::publish::past_lists::PastLists;
use crate::request::hide::{HiddenNearby, HiddenPlaces};
use crate::request::layers::MapLayer;
use pixelmap_base::coord::{Area, NATIVE_ZOOM, OUTER_ZOOM, RegionPos, Slot, SlotSet, TilePos};
use pixelmap_map::atlas::{Manifest, Past, TileRecord, Version, object_path};
use pixelmap_map::store::{Commit, Output, PublishError};
use pixelmap_paint::layers::{details_bounds, details_without};
use pixelmap_tile::{Canvas, Encoder, TileSet};

/// The earlier moments from which places are removed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EarlierMoments<'a> {
    pub(crate) output: &'a Output,
    /// The ids of all moments before the one that this run makes.
    pub(crate) ids: &'a [u32],
}

/// A layer whose earlier moments no longer show hidden places.
#[derive(Debug)]
pub(crate) struct CleanedLayer<'a> {
    pub(crate) map: &'a UnpublishedMap<'a>,
    pub(crate) map_layer: MapLayer,
    pub(crate) past: Past<TilePos>,
    /// The outermost zoom level of each moment that lost whole regions.
    pub(crate) min_zooms: BTreeMap<u32, u8>,
}

impl EarlierMoments<'_> {
    /// Returns the last moment that shows the version with this number, or `None` if none does.
    pub(crate) fn last_with<T>(&self, versions: &[Version<T>], number: usize) -> Option<u32> {
        self.all_with(versions, number).last()
    }

    /// Returns the moments that show the version with this number.
    fn all_with<T>(
        &self,
        versions: &[Version<T>],
        number: usize,
    ) -> impl DoubleEndedIterator<Item = u32> {
        let since = number.checked_sub(1).map_or(0, |last| versions[last].until);
        let until = versions[number].until;
        let ids = self.ids.iter().copied();
        ids.filter(move |id| (since..until).contains(id))
    }

    /// Reads the version of a file with this hash. Returns `None` if it is missing or damaged.
    pub(crate) fn read(&self, path: &str, hash: u64) -> Result<Option<Vec<u8>>, PublishError> {
        // A version that this run replaces is still at its published path, and the versions that it
        // makes are staged.
        let object = object_path(hash, path);
        let staged = [&object, path].map(|path| self.output.staged_path(path));
        for path in [&object, path, &staged[0], &staged[1]] {
            if self.output.file_facts(path)?.is_some() {
                let file = self.output.read(path)?;
                if XxHash3_64::oneshot(&file) == hash {
                    return Ok(Some(file));
                }
            }
        }

        Ok(None)
    }
}

/// Removes the hidden places of a map from the earlier versions of its tiles. Adds the paths of all
/// their earlier files to `files`.
///
/// # Errors
/// Fails if a file cannot be read or written.
pub(crate) fn clean_tiles<'a>(
    moments: EarlierMoments<'_>,
    map: &'a UnpublishedMap<'a>,
    lists: &mut PastLists,
    files: &mut BTreeSet<String>,
    commit: &mut Commit<'_>,
) -> Result<Vec<CleanedLayer<'a>>, PublishError> {
    let mut cleaner = TileCleaner {
        moments,
        map,
        encoder: Encoder::default(),
        commit,
    };

    let mut all = Vec::new();
    for dimension in 0..map.map_layers.dimensions() {
        let mut layers = Vec::new();
        for map_layer in map.map_layers.in_dimension(dimension) {
            let past = lists.take_layer(&map.map_layers.path(map_layer));
            files.extend(past.files().map(|(tile, record)| {
                object_path(record.file, &map.map_layers.tile_path(map_layer, *tile))
            }));
            layers.push(CleanedLayer {
                map,
                map_layer,
                past,
                min_zooms: BTreeMap::new(),
            });
        }

        cleaner.clean_dimension(&mut layers)?;
        all.append(&mut layers);
    }

    Ok(all)
}

/// Returns the outermost zoom level of a dimension with these layers at a moment.
fn outermost(layers: &[CleanedLayer<'_>], id: u32) -> u8 {
    let regions: BTreeSet<RegionPos> = layers
        .iter()
        .flat_map(|layer| layer.manifest_at(id).tiles.into_keys())
        .filter_map(TilePos::region)
        .collect();
    TileSet::from_regions(regions.into_iter()).min_zoom()
}

impl CleanedLayer<'_> {
    pub(crate) fn newest(&self) -> &Manifest {
        self.map.manifest(self.map_layer)
    }

    pub(crate) fn tile_path(&self, tile: TilePos) -> String {
        self.map.map_layers.tile_path(self.map_layer, tile)
    }

    /// Returns the tiles of the layer at a moment.
    pub(crate) fn manifest_at(&self, id: u32) -> Manifest {
        let mut manifest = self.newest().clone();
        self.past.show_at(id, &mut manifest);
        manifest
    }

    /// Returns the drawn part of a native tile, in pixels and whole chunks. Returns `None` if the
    /// tile cannot be read.
    pub(crate) fn filled(
        &self,
        moments: EarlierMoments<'_>,
        region: RegionPos,
        record: TileRecord,
    ) -> Result<Option<Area>, PublishError> {
        let file = moments.read(&self.tile_path(region.tile()), record.file)?;
        let map_layers = &self.map.map_layers;
        Ok(file.and_then(|file| {
            if map_layers.is_details(self.map_layer) {
                return details_bounds(&file);
            }
            let canvas = map_layers.samples(self.map_layer).decode(&file).ok()?;
            Some(canvas.drawn_bounds())
        }))
    }

    /// Returns the colours of the native tiles that a moment shows and the newest state does not, as
    /// `#rrggbb`.
    pub(crate) fn earlier_colours(
        &self,
        moments: EarlierMoments<'_>,
        id: u32,
    ) -> Result<BTreeSet<String>, PublishError> {
        let samples = self.map.map_layers.samples(self.map_layer);
        let mut colours = BTreeSet::new();
        for tile in self.past.0.keys().filter(|tile| tile.region().is_some()) {
            let Some(record) = self.past.at(tile, id).and_then(|version| version.record) else {
                continue;
            };
            let file = moments.read(&self.tile_path(*tile), record.file)?;
            if let Some(canvas) = file.and_then(|file| samples.decode(&file).ok()) {
                colours.extend(canvas.pixels().iter().copied());
            }
        }

        Ok(colours.into_iter().map(hex).collect())
    }

    fn tile_at(&self, tile: TilePos, id: u32) -> Option<TileRecord> {
        match self.past.at(&tile, id) {
            Some(version) => version.record,
            None => self.newest().tiles.get(&tile).copied(),
        }
    }
}

/// Makes earlier tiles without hidden places.
struct TileCleaner<'a, 'c> {
    moments: EarlierMoments<'a>,
    map: &'a UnpublishedMap<'a>,
    encoder: Encoder,
    commit: &'a mut Commit<'c>,
}

/// A tile without hidden places: its record, and its bytes if they are not stored yet. The record
/// is absent if nothing is left of the tile, or if the tile cannot be read.
#[derive(Debug, Default)]
struct CleanTile {
    record: Option<TileRecord>,
    bytes: Option<Vec<u8>>,
}

impl CleanTile {
    fn stored(record: Option<TileRecord>) -> Self {
        Self {
            record,
            bytes: None,
        }
    }
}

/// The versions of a tile without hidden places, the newest first.
struct CleanVersions {
    path: String,
    /// The tile that follows the versions so far.
    next: Option<TileRecord>,
    versions: Vec<Version<TileRecord>>,
}

impl CleanVersions {
    fn new(layer: &CleanedLayer<'_>, tile: TilePos) -> Self {
        Self {
            path: layer.tile_path(tile),
            next: layer.newest().tiles.get(&tile).copied(),
            versions: Vec::new(),
        }
    }

    /// Adds the version before the last one, unless it shows the same pixels.
    fn add(
        &mut self,
        until: u32,
        tile: CleanTile,
        commit: &mut Commit<'_>,
    ) -> Result<(), PublishError> {
        let CleanTile { record, bytes } = tile;
        if record.map(|record| record.pixels) == self.next.map(|next| next.pixels) {
            return Ok(());
        }

        if let (Some(record), Some(bytes)) = (record, bytes) {
            commit.put(&object_path(record.file, &self.path), &bytes)?;
        }
        self.next = record;
        self.versions.push(Version { until, record });

        Ok(())
    }

    /// Puts the versions in the place of the earlier ones.
    fn put(mut self, tile: TilePos, past: &mut Past<TilePos>) {
        self.versions.reverse();
        if self.versions.is_empty() {
            past.0.remove(&tile);
        } else {
            past.0.insert(tile, self.versions);
        }
    }
}

impl TileCleaner<'_, '_> {
    fn clean_dimension(&mut self, layers: &mut [CleanedLayer<'_>]) -> Result<(), PublishError> {
        let Some(hidden) = self.map.hidden else {
            return Ok(());
        };

        let mut outer = Vec::new();
        let mut lost = BTreeSet::new();
        for layer in &mut *layers {
            outer.push(self.clean_regions(layer, hidden, &mut lost)?);
        }

        let mut min_zooms = BTreeMap::new();
        for id in lost {
            min_zooms.insert(id, outermost(layers, id));
        }

        for (layer, outer) in layers.iter_mut().zip(&outer) {
            layer.min_zooms.clone_from(&min_zooms);
            self.clean_outer(layer, outer)?;
        }

        Ok(())
    }

    /// Cleans the native and inner tiles of a layer, and returns the outer tiles that show them.
    /// Adds the moments at which whole regions disappear to `lost`.
    fn clean_regions(
        &mut self,
        layer: &mut CleanedLayer<'_>,
        hidden: &HiddenPlaces,
        lost: &mut BTreeSet<u32>,
    ) -> Result<BTreeSet<TilePos>, PublishError> {
        let mut by_region: BTreeMap<RegionPos, Vec<TilePos>> = BTreeMap::new();
        for &tile in layer.past.0.keys() {
            if let Some(region) = tile.native().and_then(TilePos::region) {
                by_region.entry(region).or_default().push(tile);
            }
        }

        let mut outer = BTreeSet::new();
        for (region, tiles) in by_region {
            let reached = hidden.reached_slots(region);
            if reached.is_empty() {
                continue;
            }

            for tile in tiles {
                self.clean_region_tile(layer, tile, &reached, lost)?;
            }

            let mut tile = region.tile();
            while tile.zoom > OUTER_ZOOM {
                tile = tile.parent();
                outer.insert(tile);
            }
        }

        Ok(outer)
    }

    fn clean_region_tile(
        &mut self,
        layer: &mut CleanedLayer<'_>,
        tile: TilePos,
        reached: &[(Slot, HiddenNearby)],
        lost: &mut BTreeSet<u32>,
    ) -> Result<(), PublishError> {
        let newest = match layer.newest().tiles.get(&tile) {
            Some(&record) if !self.is_details(layer) => self.canvas(layer, tile, record)?,
            _ => None,
        };

        let before = layer.past.0.remove(&tile).unwrap_or_default();
        let mut after = CleanVersions::new(layer, tile);
        for (number, version) in before.iter().enumerate().rev() {
            let clean = match version.record {
                Some(record) => {
                    self.without_hidden(layer, tile, record, newest.as_ref(), reached)?
                }
                None => CleanTile::default(),
            };

            let is_lost = version.record.is_some() && clean.record.is_none();
            if is_lost && tile.zoom == NATIVE_ZOOM {
                lost.extend(self.moments.all_with(&before, number));
            }
            after.add(version.until, clean, self.commit)?;
        }

        after.put(tile, &mut layer.past);
        Ok(())
    }

    /// Makes the earlier versions of these outer tiles again, from the innermost tiles outwards.
    fn clean_outer(
        &mut self,
        layer: &mut CleanedLayer<'_>,
        outer: &BTreeSet<TilePos>,
    ) -> Result<(), PublishError> {
        let innermost_gone = layer.min_zooms.values().max().copied();
        for zoom in (OUTER_ZOOM..NATIVE_ZOOM).rev() {
            let is_gone = innermost_gone.is_some_and(|outermost| zoom < outermost);
            let level = layer.past.0.keys().filter(|tile| tile.zoom == zoom);
            let tiles: Vec<TilePos> = level
                .filter(|tile| is_gone || outer.contains(tile))
                .copied()
                .collect();

            for tile in tiles {
                self.clean_outer_tile(layer, tile)?;
            }
        }

        Ok(())
    }

    fn clean_outer_tile(
        &mut self,
        layer: &mut CleanedLayer<'_>,
        tile: TilePos,
    ) -> Result<(), PublishError> {
        let before = layer.past.0.remove(&tile).unwrap_or_default();
        let mut after = CleanVersions::new(layer, tile);
        for (number, version) in before.iter().enumerate().rev() {
            let clean = match (version.record, self.moments.last_with(&before, number)) {
                (Some(record), Some(id)) => self.made_again(layer, tile, record, id)?,
                (None, Some(_)) => CleanTile::default(),
                // No moment shows this version.
                (_, None) => continue,
            };
            after.add(version.until, clean, self.commit)?;
        }

        after.put(tile, &mut layer.past);
        Ok(())
    }

    /// Returns a native or inner tile without hidden chunks. Hidden blocks may have shaded or tinted
    /// columns of the chunks around them. If the rest of such a chunk equals the newest tile, its
    /// columns are copied from the newest tile, which was drawn without the hidden blocks.
    /// Otherwise the columns become transparent.
    fn without_hidden(
        &mut self,
        layer: &CleanedLayer<'_>,
        tile: TilePos,
        record: TileRecord,
        newest: Option<&Canvas>,
        reached: &[(Slot, HiddenNearby)],
    ) -> Result<CleanTile, PublishError> {
        let region = tile.native().and_then(TilePos::region);
        let Some(region) = region else {
            return Ok(CleanTile::stored(Some(record)));
        };

        let Some(file) = self.moments.read(&layer.tile_path(tile), record.file)? else {
            return Ok(CleanTile::default());
        };

        if self.is_details(layer) {
            let here = reached.iter().filter(|(_, nearby)| nearby.is_here());
            let hidden: SlotSet = here.map(|(slot, _)| *slot).collect();
            return Ok(self.clean_details(&file, record, &hidden));
        }

        let samples = self.map.map_layers.samples(layer.map_layer);
        let Ok(mut canvas) = samples.decode(&file) else {
            return Ok(CleanTile::default());
        };

        for (slot, nearby) in reached {
            let chunk = ReachedChunk {
                tile,
                area: region.chunk(*slot).area(),
                nearby: *nearby,
            };
            chunk.clean(&mut canvas, newest);
        }

        Ok(self.encoded(layer, &canvas, record))
    }

    /// Returns an outer tile made from its children at a moment.
    fn made_again(
        &mut self,
        layer: &CleanedLayer<'_>,
        tile: TilePos,
        record: TileRecord,
        id: u32,
    ) -> Result<CleanTile, PublishError> {
        if layer
            .min_zooms
            .get(&id)
            .is_some_and(|&outermost| tile.zoom < outermost)
        {
            return Ok(CleanTile::default());
        }

        let samples = self.map.map_layers.samples(layer.map_layer);
        let mut canvas = Canvas::default();
        for index in 0..4 {
            let child = tile.child(index);
            if let Some(shown) = layer.tile_at(child, id)
                && let Some(shown) = self.canvas(layer, child, shown)?
            {
                canvas.put(index, &samples.quarter(child, &shown));
            }
        }

        Ok(self.encoded(layer, &canvas, record))
    }

    /// Returns the tile with these pixels. `before` is its record with hidden places.
    fn encoded(
        &mut self,
        layer: &CleanedLayer<'_>,
        canvas: &Canvas,
        before: TileRecord,
    ) -> CleanTile {
        if canvas.is_empty() {
            return CleanTile::default();
        }

        let map_layers = &self.map.map_layers;
        let samples = map_layers.samples(layer.map_layer);
        let filled = samples.filled(canvas);
        let shown = filled.as_ref().unwrap_or(canvas);
        let pixels = samples.hash(shown);
        if pixels == before.pixels {
            return CleanTile::stored(Some(before));
        }

        let bytes = map_layers.encode(layer.map_layer, &mut self.encoder, shown);
        new_tile(bytes.to_vec(), pixels)
    }

    fn is_details(&self, layer: &CleanedLayer<'_>) -> bool {
        self.map.map_layers.is_details(layer.map_layer)
    }

    /// Returns a details tile without the columns of hidden chunks.
    fn clean_details(&mut self, file: &[u8], before: TileRecord, hidden: &SlotSet) -> CleanTile {
        match details_without(file, hidden, &mut self.encoder) {
            Some(bytes) if bytes == file => CleanTile::stored(Some(before)),
            Some(bytes) => {
                let hash = XxHash3_64::oneshot(&bytes);
                new_tile(bytes, hash)
            }
            None => CleanTile::default(),
        }
    }

    /// Returns the pixels of a tile, or `None` if its file is missing or damaged.
    fn canvas(
        &self,
        layer: &CleanedLayer<'_>,
        tile: TilePos,
        record: TileRecord,
    ) -> Result<Option<Canvas>, PublishError> {
        let file = self.moments.read(&layer.tile_path(tile), record.file)?;
        let samples = self.map.map_layers.samples(layer.map_layer);
        Ok(file.and_then(|file| samples.decode(&file).ok()))
    }
}

fn new_tile(bytes: Vec<u8>, pixels: u64) -> CleanTile {
    let record = TileRecord {
        bytes: bytes.len() as u32,
        file: XxHash3_64::oneshot(&bytes),
        pixels,
    };
    CleanTile {
        record: Some(record),
        bytes: Some(bytes),
    }
}

/// A chunk of a tile that is hidden, or that hidden blocks reach.
struct ReachedChunk {
    tile: TilePos,
    area: Area,
    nearby: HiddenNearby,
}

impl ReachedChunk {
    fn clean(&self, canvas: &mut Canvas, newest: Option<&Canvas>) {
        let shown = self.area.overlap(self.tile.area());
        if shown.is_empty() {
            return;
        }
        if self.nearby.is_here() {
            canvas.clear_part(self.tile.pixels(shown));
            return;
        }

        let mut reached = Vec::new();
        let mut newest = newest;
        for (x, z) in (shown.z0..shown.z1).flat_map(|z| (shown.x0..shown.x1).map(move |x| (x, z))) {
            let column = Area {
                x0: x,
                z0: z,
                x1: x + 1,
                z1: z + 1,
            };
            let pixels = self.tile.pixels(column);
            let [dx, dz] = [x - self.area.x0, z - self.area.z0];
            if self.nearby.reaches(dx as usize, dz as usize) {
                reached.push(pixels);
            } else if newest.is_some_and(|newest| !canvas.is_same_part(newest, pixels)) {
                newest = None;
            }
        }

        for pixels in reached {
            match newest {
                Some(newest) => canvas.copy_part(newest, pixels),
                None => canvas.clear_part(pixels),
            }
        }
    }
}
