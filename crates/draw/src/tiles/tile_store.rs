//! The tiles and markers of a map that is being made. For each tile the store finds the record of
//! earlier runs, checks whether the recorded file still exists, writes the new file and adds the
//! new record. It does not use worlds or pixels, and it returns every error to its caller.
//!
//! A tile is written to its place in the map, or staged as long as the run must not publish
//! anything. A tile with the same bytes as the published one is not written. A tile that an
//! interrupted run staged stays staged if it is still valid.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};

use twox_hash::XxHash3_64;

use crate::report::{Failure, ShownNames};
use crate::request::layers::{MapLayer, MapLayers};
use crate::run_state::Interruption;
use crate::tiles::journal_subject::JournalSubject;
use crate::tiles::map_markers::MapMarkers;
use crate::tiles::record::{
    MarkersRecord, NativeRecord, ParentRecord, RegionFacts, TileFacts, facts_bytes, markers_bytes,
    native_bytes, parent_bytes, parse_facts, parse_markers, parse_native, parse_parent,
};
use pixelmap_base::coord::{Area, NATIVE_ZOOM, RegionPos, TilePos};
use pixelmap_base::mutex;
use pixelmap_base::own_folder::RecentFolders;
use pixelmap_map::atlas::{Manifest, TileRecord};
use pixelmap_map::export::extent;
use pixelmap_map::store::{Journal, JournalRecord, LayerKey, Output, PublishError, Put};
use pixelmap_paint::markers::RegionMarkers;
use pixelmap_world::internal::ChunkHash;

/// A file of the output cannot be read or written. The run must not go on without it, because it
/// may hold the only remains of chunks that are damaged now.
impl From<PublishError> for Interruption {
    fn from(error: PublishError) -> Self {
        Self::Failed(Failure::from(&error))
    }
}

/// The place of a tile's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TileLocation {
    Published,
    Staged,
}

/// The record of a region's tile in a map layer, and the place of the recorded tile.
#[derive(Debug)]
pub(crate) struct LocatedNative {
    pub(crate) map_layer: MapLayer,
    pub(crate) record: NativeRecord,
    pub(crate) location: TileLocation,
}

/// A map layer that the jobs of a run are making.
#[derive(Debug, Default)]
pub(crate) struct MadeLayer {
    /// The tiles that are on disk.
    pub(crate) manifest: Manifest,
    /// The tiles of the manifest that are staged.
    pub(crate) staged: BTreeSet<TilePos>,
    /// The drawn part of each region whose tile is not drawn from edge to edge.
    pub(crate) rims: BTreeMap<RegionPos, Area>,
    /// The names that the layer shows.
    pub(crate) shown: ShownNames,
}

impl MadeLayer {
    /// Notes which part of a region's tile is drawn.
    pub(crate) fn fill(&mut self, region: RegionPos, filled: Area) {
        let filled = region.area_within(filled);
        if filled != region.area() {
            self.rims.insert(region, filled);
        }
    }

    /// Returns the part of an area that the tiles show something in, in whole chunks.
    pub(crate) fn shown_in(&self, area: Area) -> Option<Area> {
        let regions = self.manifest.tiles.keys().filter_map(|tile| tile.region());
        let shown = extent(area, regions, |region| {
            let rim = self.rims.get(&region);
            Ok(Some(rim.copied().unwrap_or(region.area())))
        });
        shown.unwrap_or_else(|never: Infallible| match never {})
    }
}

/// The tiles of a map that is being drawn, shared by its workers.
#[derive(Debug)]
pub(crate) struct TileStore<'a> {
    output: &'a Output,
    map_layers: Arc<MapLayers>,
    is_staged: bool,
    journal: Journal<'a>,
    recent: RecentFolders,
    /// Indexed by the number of the map layer.
    layers: Vec<Mutex<MadeLayer>>,
    markers: Mutex<MapMarkers>,
    emptied: Mutex<BTreeSet<(usize, RegionPos)>>,
}

/// The result of a map's jobs.
#[derive(Debug)]
pub(crate) struct MapResult {
    /// Indexed by the number of the map layer.
    pub(crate) layers: Vec<MadeLayer>,
    /// The keys of the journal, in the order of `JournalSubject::all`.
    pub(crate) keys: Vec<LayerKey>,
    pub(crate) markers: MapMarkers,
    /// Regions whose tile is missing in some layer because of hiding, with the numbers of their
    /// dimensions.
    pub(crate) emptied: BTreeSet<(usize, RegionPos)>,
}

impl<'a> TileStore<'a> {
    /// Reads the records that earlier runs made under `keys`, which are in the order of
    /// `JournalSubject::all`. `recent` keeps folders of tiles open. Must be called before
    /// any region is read.
    ///
    /// # Errors
    /// Fails if the records cannot be read.
    pub(crate) fn open(
        output: &'a Output,
        map_layers: Arc<MapLayers>,
        keys: Vec<LayerKey>,
        is_staged: bool,
        recent: RecentFolders,
    ) -> Result<Self, PublishError> {
        let journal = Journal::open(output, keys)?;
        let layers = map_layers.all().map(|_| Mutex::default()).collect();
        let (markers, emptied) = (Mutex::default(), Mutex::default());
        Ok(Self {
            output,
            map_layers,
            is_staged,
            journal,
            recent,
            layers,
            markers,
            emptied,
        })
    }

    /// Returns the results after all workers have ended.
    pub(crate) fn end(self) -> MapResult {
        MapResult {
            layers: self.layers.into_iter().map(mutex::into_inner).collect(),
            keys: self.journal.layers().to_vec(),
            markers: mutex::into_inner(self.markers),
            emptied: mutex::into_inner(self.emptied),
        }
    }

    /// Returns whether newly written tiles are staged.
    pub(crate) fn is_staged(&self) -> bool {
        self.is_staged
    }

    /// Returns whether the map is drawn only to be exported.
    pub(crate) fn is_scratch(&self) -> bool {
        self.output.is_scratch()
    }

    /// Returns the number of records of earlier runs.
    pub(crate) fn record_count(&self) -> usize {
        self.journal.count()
    }

    /// Locks the current state of a map layer.
    pub(crate) fn lock_layer(&self, map_layer: MapLayer) -> MutexGuard<'_, MadeLayer> {
        mutex::lock(&self.layers[self.map_layers.number(map_layer)])
    }

    /// Returns the last record of a tile. `parse` gets its bytes.
    pub(crate) fn last_record<T>(
        &self,
        map_layer: MapLayer,
        tile: TilePos,
        parse: impl Fn(&[u8]) -> T,
    ) -> Result<Option<JournalRecord<T>>, PublishError> {
        self.journal
            .find(self.number_of_tile(map_layer, tile), tile, parse)
    }

    /// Returns the last facts of a region. `parse` gets their bytes.
    ///
    /// # Errors
    /// Fails if the facts cannot be read.
    pub(crate) fn last_facts<T>(
        &self,
        dimension: usize,
        region: RegionPos,
        parse: impl Fn(&[u8]) -> T,
    ) -> Result<Option<JournalRecord<T>>, PublishError> {
        let number = self.number(JournalSubject::Regions(dimension));
        self.journal.find(number, region.tile(), parse)
    }

    /// Finds the last facts of a region that have this key. These need not be the last facts,
    /// because a killed run may have recorded facts before it drew a tile.
    ///
    /// # Errors
    /// Fails if the facts cannot be read.
    pub(crate) fn find_facts(
        &self,
        dimension: usize,
        region: RegionPos,
        key: ChunkHash,
    ) -> Result<Option<RegionFacts>, PublishError> {
        let number = self.number(JournalSubject::Regions(dimension));
        for recorded in self.journal.find_all(number, region.tile(), parse_facts) {
            if let Some(facts) = recorded?.value
                && facts.key() == key
            {
                return Ok(Some(facts));
            }
        }

        Ok(None)
    }

    /// Finds the last wanted record of a region's tile that exists as recorded. This need not be
    /// the last record, because a killed run may have recorded a tile that it never published.
    ///
    /// # Errors
    /// Fails if a record or a tile exists and cannot be read.
    pub(crate) fn find_native(
        &self,
        map_layer: MapLayer,
        region: RegionPos,
        is_wanted: impl Fn(&NativeRecord) -> bool,
    ) -> Result<Option<LocatedNative>, PublishError> {
        let number = self.number(JournalSubject::Tiles(map_layer));
        for recorded in self.journal.find_all(number, region.tile(), parse_native) {
            let JournalRecord { value, sure, .. } = recorded?;
            let Some(record) = value.filter(&is_wanted) else {
                continue;
            };

            if let Some(location) = self.locate(map_layer, region.tile(), record.tile, sure)? {
                return Ok(Some(LocatedNative {
                    map_layer,
                    record,
                    location,
                }));
            }
        }

        Ok(None)
    }

    /// Finds the newest record of an inner tile whose file exists as recorded, and reads the file.
    ///
    /// # Errors
    /// Fails if a record or the file exists and cannot be read.
    pub(crate) fn read_inner(
        &self,
        map_layer: MapLayer,
        tile: TilePos,
    ) -> Result<Option<Vec<u8>>, PublishError> {
        for recorded in
            self.journal
                .find_all(self.number_of_tile(map_layer, tile), tile, parse_parent)
        {
            let JournalRecord { value, sure, .. } = recorded?;
            let Some(facts) = value.and_then(|record| record.tile) else {
                continue;
            };
            if let Some(location) = self.locate(map_layer, tile, Some(facts), sure)? {
                return self.read(map_layer, tile, location).map(Some);
            }
        }

        Ok(None)
    }

    /// Finds the place where the recorded tile exists, or returns `None` if it exists nowhere. If
    /// the record is not `sure`, or the file has another time, the whole file is read and its hash
    /// decides.
    ///
    /// # Errors
    /// Fails if the file exists and cannot be read.
    pub(crate) fn locate(
        &self,
        map_layer: MapLayer,
        tile: TilePos,
        published: Option<TileFacts>,
        sure: bool,
    ) -> Result<Option<TileLocation>, PublishError> {
        let Some(published) = published else {
            return Ok(Some(TileLocation::Published));
        };

        if self.is_staged
            && self.is_at(
                &self.path(map_layer, tile, TileLocation::Staged),
                published,
                sure,
            )?
        {
            return Ok(Some(TileLocation::Staged));
        }

        let is_published = self.is_at(
            &self.path(map_layer, tile, TileLocation::Published),
            published,
            sure,
        )?;
        Ok(is_published.then_some(TileLocation::Published))
    }

    fn is_at(&self, path: &str, published: TileFacts, sure: bool) -> Result<bool, PublishError> {
        let TileFacts { record, modified } = published;
        let Some(there) = self
            .output
            .tile_facts(path, &self.recent)?
            .filter(|there| there.len == u64::from(record.bytes))
        else {
            return Ok(false);
        };

        if let Some(hash) = there.hash {
            return Ok(hash == record.file);
        }

        // Someone may have copied the map without its file times. Then the bytes decide.
        let is_untouched = sure && there.modified == modified;
        Ok(is_untouched || XxHash3_64::oneshot(&self.output.read(path)?) == record.file)
    }

    fn path(&self, map_layer: MapLayer, tile: TilePos, location: TileLocation) -> String {
        let path = self.map_layers.tile_path(map_layer, tile);
        match location {
            TileLocation::Published => path,
            TileLocation::Staged => self.output.staged_path(&path),
        }
    }

    /// Returns the path of a tile that this run made or kept.
    pub(crate) fn path_now(&self, map_layer: MapLayer, tile: TilePos) -> String {
        let is_staged = self.lock_layer(map_layer).staged.contains(&tile);
        let location = if is_staged {
            TileLocation::Staged
        } else {
            TileLocation::Published
        };
        self.path(map_layer, tile, location)
    }

    /// Reads the file of a tile.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub(crate) fn read(
        &self,
        map_layer: MapLayer,
        tile: TilePos,
        location: TileLocation,
    ) -> Result<Vec<u8>, PublishError> {
        self.output.read(&self.path(map_layer, tile, location))
    }

    /// Reads the file of a tile that this run made or kept.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub(crate) fn read_now(
        &self,
        map_layer: MapLayer,
        tile: TilePos,
    ) -> Result<Vec<u8>, PublishError> {
        self.output.read(&self.path_now(map_layer, tile))
    }

    /// Writes the file of a tile to its place, or stages it. Calls `record` before the file
    /// replaces another.
    ///
    /// # Errors
    /// Fails if the file cannot be written or recorded.
    pub(crate) fn put(
        &self,
        map_layer: MapLayer,
        tile: TilePos,
        file: &[u8],
        facts: TileRecord,
        record: impl FnOnce(TileFacts) -> Result<(), PublishError>,
    ) -> Result<Put, PublishError> {
        let path = self.map_layers.tile_path(map_layer, tile);

        let record = |modified| {
            record(TileFacts {
                record: facts,
                modified,
            })
        };

        let put = if self.is_staged {
            self.output.stage(&path, file, record)?
        } else {
            self.output.put_recorded(&path, file, record)?
        };

        let is_staged = self.is_staged && put == Put::Written;
        self.leave(
            map_layer,
            tile,
            facts,
            if is_staged {
                TileLocation::Staged
            } else {
                TileLocation::Published
            },
        );

        Ok(put)
    }

    /// Notes where the file of a tile is.
    pub(crate) fn leave(
        &self,
        map_layer: MapLayer,
        tile: TilePos,
        facts: TileRecord,
        location: TileLocation,
    ) {
        let mut made = self.lock_layer(map_layer);
        if location == TileLocation::Staged {
            made.staged.insert(tile);
        }

        made.manifest.tiles.insert(tile, facts);
    }

    /// Adds the names on a tile to the names of its map layer.
    pub(crate) fn show(&self, map_layer: MapLayer, names: &ShownNames) {
        if !names.is_empty() {
            self.lock_layer(map_layer).shown.add_all(names);
        }
    }

    /// Records the facts of a region. Its tiles are recorded and written later, so that no tile
    /// names facts that a killed run did not record.
    ///
    /// # Errors
    /// Fails if the journal cannot be written.
    pub(crate) fn record_facts(
        &self,
        dimension: usize,
        region: RegionPos,
        facts: &RegionFacts,
    ) -> Result<(), PublishError> {
        let number = self.number(JournalSubject::Regions(dimension));
        self.journal.add(number, region.tile(), &facts_bytes(facts))
    }

    /// Records the tile of a region in one map layer. The tile is written afterwards, so that it
    /// has a record even if the run is killed in between. Without a record, its pixels could not
    /// fill gaps later.
    ///
    /// # Errors
    /// Fails if the journal cannot be written.
    pub(crate) fn record_native(
        &self,
        map_layer: MapLayer,
        region: RegionPos,
        record: &NativeRecord,
    ) -> Result<(), PublishError> {
        let number = self.number(JournalSubject::Tiles(map_layer));
        self.journal
            .add(number, region.tile(), &native_bytes(record))
    }

    /// Records an outer or inner tile, which is written afterwards.
    ///
    /// # Errors
    /// Fails if the journal cannot be written.
    pub(crate) fn record_parent(
        &self,
        map_layer: MapLayer,
        tile: TilePos,
        record: &ParentRecord,
    ) -> Result<(), PublishError> {
        self.journal.add(
            self.number_of_tile(map_layer, tile),
            tile,
            &parent_bytes(record),
        )
    }

    /// Invalidates the record of a tile, wherever its file is.
    ///
    /// # Errors
    /// Fails if the journal cannot be written.
    pub(crate) fn forget(&self, map_layer: MapLayer, tile: TilePos) -> Result<(), PublishError> {
        self.journal
            .add(self.number_of_tile(map_layer, tile), tile, &[])
    }

    /// Returns the last record of a region's markers.
    ///
    /// # Errors
    /// Fails if the record cannot be read.
    pub(crate) fn last_markers(
        &self,
        dimension: usize,
        region: RegionPos,
    ) -> Result<Option<MarkersRecord>, PublishError> {
        let recorded = self.journal.find(
            self.number(JournalSubject::Markers(dimension)),
            region.tile(),
            parse_markers,
        )?;
        Ok(recorded.and_then(|recorded| recorded.value))
    }

    /// Records the markers of a region, and adds them to this run's markers.
    ///
    /// # Errors
    /// Fails if the journal cannot be written.
    pub(crate) fn put_markers(
        &self,
        dimension: usize,
        region: RegionPos,
        record: MarkersRecord,
    ) -> Result<(), PublishError> {
        self.journal.add(
            self.number(JournalSubject::Markers(dimension)),
            region.tile(),
            &markers_bytes(&record),
        )?;
        self.leave_markers(dimension, region, record.markers);
        Ok(())
    }

    /// Adds markers of a region to this run's markers. They are recorded already, or need no
    /// record.
    pub(crate) fn leave_markers(
        &self,
        dimension: usize,
        region: RegionPos,
        markers: RegionMarkers,
    ) {
        let mut all = mutex::lock(&self.markers);
        all.insert((dimension, region), markers);
    }

    /// Remembers a region that lacks a tile in at least one layer because of hiding, so that the
    /// removal of such a tile is intended.
    pub(crate) fn note_emptied(&self, dimension: usize, region: RegionPos) {
        mutex::lock(&self.emptied).insert((dimension, region));
    }

    /// Returns the number of a tile's subject in the journal.
    fn number_of_tile(&self, map_layer: MapLayer, tile: TilePos) -> usize {
        self.number(if tile.zoom > NATIVE_ZOOM {
            JournalSubject::Inner(map_layer)
        } else {
            JournalSubject::Tiles(map_layer)
        })
    }

    /// Returns the number of a subject in the journal.
    fn number(&self, subject: JournalSubject) -> usize {
        subject.number(&self.map_layers)
    }
}
