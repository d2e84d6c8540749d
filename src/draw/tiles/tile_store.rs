//! The tiles and markers of a map that is being made: what earlier runs recorded of each, whether a tile's file is there
//! as it was recorded, its new file, and its new record. Knows no world and no pixels; an error is returned, never acted
//! upon.
//!
//! A tile has its own place in the map or, as long as nothing is to be published, is staged. One with the bytes of the
//! one in its place stays there. One that an interrupted run has staged stays staged if it is still what would be drawn.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};

use twox_hash::XxHash3_64;

use crate::atlas::{Manifest, TileRecord};
use crate::base::coord::{Area, NATIVE_ZOOM, RegionPos, TilePos};
use crate::base::mutex;
use crate::draw::map::map_markers::MapMarkers;
use crate::draw::request::layers::{MapLayer, MapLayers};
use crate::draw::tiles::record::{
    MarkersRecord, ParentRecord, RegionRecord, TileFacts, markers_bytes, parent_bytes, parse_markers, parse_parent,
    parse_region, region_bytes,
};
use crate::export::extent;
use crate::markers::RegionMarkers;
use crate::report::ShownNames;
use crate::store::{Journal, LayerKey, Output, PublishError, Put, Recorded};

/// The place of a tile's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TilePlace {
    Published,
    Staged,
}

/// The record of a region in a map layer, and the place where its tile is as it was recorded.
#[derive(Debug)]
pub(crate) struct LocatedRegion {
    pub(crate) map_layer: MapLayer,
    pub(crate) record: RegionRecord,
    pub(crate) place: TilePlace,
}

/// A map layer as the jobs make it.
#[derive(Debug, Default)]
pub(crate) struct MadeLayer {
    /// The tiles that are on disk.
    pub(crate) manifest: Manifest,
    /// The tiles of the manifest that are staged.
    pub(crate) staged: BTreeSet<TilePos>,
    /// The drawn part of each region that is not drawn from edge to edge.
    pub(crate) rims: BTreeMap<RegionPos, Area>,
    /// The names of what is shown.
    pub(crate) shown: ShownNames,
}

impl MadeLayer {
    /// Keeps the part of a region's tile that is drawn on.
    pub(crate) fn fill(&mut self, region: RegionPos, filled: Area) {
        let filled = region.area_within(filled);
        if filled != region.area() {
            self.rims.insert(region, filled);
        }
    }

    /// The part of an area that holds all that its tiles show there, to the chunk.
    pub(crate) fn shown_in(&self, area: Area) -> Option<Area> {
        let regions = self.manifest.tiles.keys().filter_map(|tile| tile.region());
        let filled = |region: RegionPos| Ok(Some(self.rims.get(&region).copied().unwrap_or(region.area())));
        extent(area, regions, filled).unwrap_or_else(|never: Infallible| match never {})
    }
}

/// The tiles of a map that is being drawn, shared by its workers.
#[derive(Debug)]
pub(crate) struct TileStore<'a> {
    output: &'a Output,
    map_layers: Arc<MapLayers>,
    is_staged: bool,
    journal: Journal<'a>,
    /// By number of the map layer.
    layers: Vec<Mutex<MadeLayer>>,
    markers: Mutex<MapMarkers>,
}

/// The result of a map's jobs.
#[derive(Debug)]
pub(crate) struct MapResult {
    /// By number of the map layer.
    pub(crate) layers: Vec<MadeLayer>,
    /// The keys of the journal: first those of the map layers, then those of each dimension's markers.
    pub(crate) keys: Vec<LayerKey>,
    pub(crate) markers: MapMarkers,
}

impl<'a> TileStore<'a> {
    /// Reads what earlier runs recorded of these map layers, and then of the dimensions' markers, under `keys`. To be
    /// called before any region is read.
    ///
    /// # Errors
    /// The records cannot be read.
    pub(crate) fn open(
        output: &'a Output,
        map_layers: Arc<MapLayers>,
        keys: Vec<LayerKey>,
        is_staged: bool,
    ) -> Result<Self, PublishError> {
        let journal = Journal::open(output, keys)?;
        let layers = map_layers.all().map(|_| Mutex::default()).collect();
        Ok(Self { output, map_layers, is_staged, journal, layers, markers: Mutex::default() })
    }

    /// Returns the results when no worker is left.
    pub(crate) fn end(self) -> MapResult {
        MapResult {
            layers: self.layers.into_iter().map(mutex::into_inner).collect(),
            keys: self.journal.layers().to_vec(),
            markers: mutex::into_inner(self.markers),
        }
    }

    /// Returns whether written tiles are staged.
    pub(crate) fn is_staged(&self) -> bool {
        self.is_staged
    }

    /// The number of records of earlier runs.
    pub(crate) fn record_count(&self) -> usize {
        self.journal.count()
    }

    /// A map layer as far as it is made.
    pub(crate) fn lock_layer(&self, map_layer: MapLayer) -> MutexGuard<'_, MadeLayer> {
        mutex::lock(&self.layers[self.map_layers.number(map_layer)])
    }

    /// The last record of a tile.
    pub(crate) fn last_record(&self, map_layer: MapLayer, tile: TilePos) -> Result<Option<Recorded>, PublishError> {
        self.journal.find(self.journal_number(map_layer, tile), tile)
    }

    /// Finds the last record of a region, among those that are wanted, whose tile is in its place as it was recorded. Of
    /// a run that was killed the last record may be of a tile that never took its place.
    ///
    /// # Errors
    /// A record or a tile is there and cannot be read.
    pub(crate) fn find_region(
        &self,
        map_layer: MapLayer,
        region: RegionPos,
        is_wanted: impl Fn(&RegionRecord) -> bool,
    ) -> Result<Option<LocatedRegion>, PublishError> {
        for recorded in self.journal.find_all(self.map_layers.number(map_layer), region.tile()) {
            let recorded = recorded?;
            let Some(record) = parse_region(&recorded.payload).filter(&is_wanted) else { continue };
            if let Some(place) = self.locate(map_layer, region.tile(), record.tile, &recorded)? {
                return Ok(Some(LocatedRegion { map_layer, record, place }));
            }
        }
        Ok(None)
    }

    /// Finds the newest record of an inner tile whose file is there as it was recorded, and reads that.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub(crate) fn read_inner(&self, map_layer: MapLayer, tile: TilePos) -> Result<Option<Vec<u8>>, PublishError> {
        for recorded in self.journal.find_all(self.journal_number(map_layer, tile), tile) {
            let recorded = recorded?;
            let Some(facts) = parse_parent(&recorded.payload).and_then(|record| record.tile) else { continue };
            if let Some(place) = self.locate(map_layer, tile, Some(facts), &recorded)? {
                return self.read(map_layer, tile, place).map(Some);
            }
        }
        Ok(None)
    }

    /// Finds the place where a tile is as it was recorded; `None`: nowhere. A tile whose record is unsure, or that has
    /// another time, is read whole.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub(crate) fn locate(
        &self,
        map_layer: MapLayer,
        tile: TilePos,
        published: Option<TileFacts>,
        recorded: &Recorded,
    ) -> Result<Option<TilePlace>, PublishError> {
        let Some(published) = published else { return Ok(Some(TilePlace::Published)) };
        if self.is_staged && self.is_at(&self.path(map_layer, tile, TilePlace::Staged), published, recorded)? {
            return Ok(Some(TilePlace::Staged));
        }
        let is_published = self.is_at(&self.path(map_layer, tile, TilePlace::Published), published, recorded)?;
        Ok(is_published.then_some(TilePlace::Published))
    }

    fn is_at(&self, path: &str, published: TileFacts, recorded: &Recorded) -> Result<bool, PublishError> {
        let TileFacts { record, modified } = published;
        let Some(there) = self.output.file_facts(path)?.filter(|there| there.len == u64::from(record.bytes)) else {
            return Ok(false);
        };
        // A map may be copied without its times: then its bytes decide.
        let is_untouched = recorded.sure && there.modified == modified;
        Ok(is_untouched || XxHash3_64::oneshot(&self.output.read(path)?) == record.file)
    }

    fn path(&self, map_layer: MapLayer, tile: TilePos, place: TilePlace) -> String {
        let path = self.map_layers.tile_path(map_layer, tile);
        match place {
            TilePlace::Published => path,
            TilePlace::Staged => self.output.staged_path(&path),
        }
    }

    /// The path of a tile of this run.
    pub(crate) fn path_now(&self, map_layer: MapLayer, tile: TilePos) -> String {
        let is_staged = self.lock_layer(map_layer).staged.contains(&tile);
        let place = if is_staged { TilePlace::Staged } else { TilePlace::Published };
        self.path(map_layer, tile, place)
    }

    /// Reads the file of a tile.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn read(&self, map_layer: MapLayer, tile: TilePos, place: TilePlace) -> Result<Vec<u8>, PublishError> {
        self.output.read(&self.path(map_layer, tile, place))
    }

    /// Reads the file of a tile of this run.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn read_now(&self, map_layer: MapLayer, tile: TilePos) -> Result<Vec<u8>, PublishError> {
        self.output.read(&self.path_now(map_layer, tile))
    }

    /// Puts the file of a tile in its place, or stages it. Calls `record` before it takes the place of another.
    ///
    /// # Errors
    /// It cannot be written or recorded.
    pub(crate) fn put(
        &self,
        map_layer: MapLayer,
        tile: TilePos,
        file: &[u8],
        facts: TileRecord,
        record: impl FnOnce(TileFacts) -> Result<(), PublishError>,
    ) -> Result<Put, PublishError> {
        let path = self.map_layers.tile_path(map_layer, tile);
        let record = |modified| record(TileFacts { record: facts, modified });
        let put = if self.is_staged {
            self.output.stage(&path, file, record)?
        } else {
            self.output.put_recorded(&path, file, record)?
        };
        let is_staged = self.is_staged && put == Put::Written;
        self.leave(map_layer, tile, facts, if is_staged { TilePlace::Staged } else { TilePlace::Published });
        Ok(put)
    }

    /// Notes that the file of a tile is in a place.
    pub(crate) fn leave(&self, map_layer: MapLayer, tile: TilePos, facts: TileRecord, place: TilePlace) {
        let mut made = self.lock_layer(map_layer);
        if place == TilePlace::Staged {
            made.staged.insert(tile);
        }
        made.manifest.tiles.insert(tile, facts);
    }

    /// Adds the names of what is on a tile to those of its map layer.
    pub(crate) fn show(&self, map_layer: MapLayer, names: &ShownNames) {
        if !names.is_empty() {
            self.lock_layer(map_layer).shown.add_all(names);
        }
    }

    /// Records a region with its tile of one map layer. The tile takes its place after that: so it has a record should
    /// the run be killed in between, and the pixels of chunks that cannot be read later are preserved.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(crate) fn record_region(
        &self,
        map_layer: MapLayer,
        region: RegionPos,
        record: &RegionRecord,
    ) -> Result<(), PublishError> {
        self.journal.add(self.map_layers.number(map_layer), region.tile(), &region_bytes(record))
    }

    /// Records an outer or inner tile; it takes its place after that.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(crate) fn record_parent(
        &self,
        map_layer: MapLayer,
        tile: TilePos,
        record: &ParentRecord,
    ) -> Result<(), PublishError> {
        self.journal.add(self.journal_number(map_layer, tile), tile, &parent_bytes(record))
    }

    /// Records that a tile has no valid record, wherever it is.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(crate) fn forget(&self, map_layer: MapLayer, tile: TilePos) -> Result<(), PublishError> {
        self.journal.add(self.journal_number(map_layer, tile), tile, &[])
    }

    /// The last record of a region's markers.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn last_markers(
        &self,
        dimension: usize,
        region: RegionPos,
    ) -> Result<Option<MarkersRecord>, PublishError> {
        let recorded = self.journal.find(self.number_of_markers(dimension), region.tile())?;
        Ok(recorded.and_then(|recorded| parse_markers(&recorded.payload)))
    }

    /// Records the markers of a region, and keeps them for this run.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(crate) fn put_markers(
        &self,
        dimension: usize,
        region: RegionPos,
        record: MarkersRecord,
    ) -> Result<(), PublishError> {
        self.journal.add(self.number_of_markers(dimension), region.tile(), &markers_bytes(&record))?;
        self.leave_markers(dimension, region, record.markers);
        Ok(())
    }

    /// Keeps markers of a region for this run that are recorded, or need not be.
    pub(crate) fn leave_markers(&self, dimension: usize, region: RegionPos, markers: RegionMarkers) {
        let mut all = mutex::lock(&self.markers);
        all.insert((dimension, region), markers);
    }

    /// The number of a tile's map layer in the journal: further in than the native ones, tiles have numbers after those
    /// of markers.
    fn journal_number(&self, map_layer: MapLayer, tile: TilePos) -> usize {
        let number = self.map_layers.number(map_layer);
        if tile.zoom > NATIVE_ZOOM { self.number_of_markers(self.map_layers.dimensions()) + number } else { number }
    }

    /// The number of a dimension's markers in the journal: they follow the map layers.
    fn number_of_markers(&self, dimension: usize) -> usize {
        self.map_layers.all().count() + dimension
    }
}
