//! The tiles of a map that is being made. This module joins the tile store and the pyramid: it
//! publishes tiles, makes parents from children, and keeps unchanged tiles. It works without a
//! world, because a merge of shards has only tiles.

use std::sync::Arc;

use twox_hash::XxHash3_64;

use crate::report::progress::Progress;
use crate::report::{Clock, Failure, FailureKind, Findings, ShownNames, Stage, Tally};
use crate::request::descriptors;
use crate::request::layers::{MapLayer, MapLayers};
use crate::request::plan::MapDimension;
use crate::run_state::{Interruption, JobResults, RunState, defect};
use crate::schedule::{Stop, Summary};
use crate::tiles::pyramid::Pyramid;
use crate::tiles::record::{NativeRecord, ParentRecord, TileFacts, parse_parent};
use crate::tiles::tile_store::{LocatedNative, MapResult, TileLocation, TileStore};
use pixelmap_base::coord::{RegionPos, TilePos};
use pixelmap_base::own_folder::RecentFolders;
use pixelmap_map::atlas::TileRecord;
use pixelmap_map::store::{JournalRecord, LayerKey, Output, PublishError, Put};
use pixelmap_tile::{Canvas, Encoder, Quarter};
use pixelmap_world::internal::{UNSTABLE, join_hashes};

#[derive(Debug)]
pub(crate) struct MapTiles<'a> {
    pub(crate) run: &'a RunState<'a>,
    pub(crate) map_layers: Arc<MapLayers>,
    pub(crate) store: TileStore<'a>,
    pub(crate) pyramid: Pyramid<'a>,
    /// Whether tiles are made again even if their sources are unchanged.
    pub(crate) is_forced: bool,
}

/// The tiles that a map will have, and how they are made.
pub(crate) struct TilePlan<'a> {
    pub(crate) dimensions: Vec<MapDimension<'a>>,
    pub(crate) map_layers: Arc<MapLayers>,
    /// The keys of the map in the journal, in the order of `JournalSubject::all`.
    pub(crate) keys: Vec<LayerKey>,
    /// The number of workers.
    pub(crate) threads: usize,
    /// Whether new tiles are staged even in a map without history.
    pub(crate) is_staged: bool,
    /// Whether tiles are made again even if their sources are unchanged.
    pub(crate) is_forced: bool,
}

/// Makes the tiles of a map: opens its records, and calls `run_jobs` with the tiles. Must be called
/// before any source of a tile is read.
///
/// # Errors
/// Fails if the records of earlier runs cannot be read, or if `run_jobs` fails.
pub(crate) fn make_tiles<E>(
    output: &Output,
    plan: TilePlan<'_>,
    progress: &Progress,
    stop: &Stop,
    run_jobs: impl FnOnce(&MapTiles<'_>) -> Result<Summary, E>,
) -> Result<(MapResult, JobResults), E>
where
    E: From<PublishError>,
{
    let run = RunState::new(progress, stop);
    let TilePlan {
        dimensions,
        map_layers,
        keys,
        threads,
        is_staged,
        is_forced,
    } = plan;
    let is_staged = is_staged || output.has_history()?;

    let recent = RecentFolders::new(descriptors::folders(threads));
    let tiles = MapTiles {
        run: &run,
        store: TileStore::open(output, map_layers.clone(), keys, is_staged, recent)?,
        map_layers,
        pyramid: Pyramid::new(
            dimensions.iter().map(|dimension| dimension.tiles).collect(),
            threads,
        ),
        is_forced,
    };

    let summary = run_jobs(&tiles)?;
    let made = tiles.store.end();

    Ok((made, run.end(summary)))
}

/// The buffers of a worker for making one tile.
#[derive(Debug)]
pub(crate) struct TileBuffers<'w> {
    pub(crate) canvas: &'w mut Canvas,
    pub(crate) encoder: &'w mut Encoder,
    pub(crate) clock: &'w mut Clock,
    pub(crate) tally: &'w mut Tally,
}

/// The pixels and names of a region that earlier runs published.
#[derive(Debug, Default)]
pub(crate) struct EarlierTile {
    pub(crate) names: ShownNames,
    /// `None` if the tile has details instead of pixels, or is damaged.
    pub(crate) pixels: Option<Canvas>,
}

impl MapTiles<'_> {
    /// Publishes a canvas as a tile unless it is empty, and stores its quarter for the parent.
    /// `details` are the bytes of the tile's file if it is a details tile and not a picture. Calls
    /// `record` before the tile replaces another. Returns whether there is a tile.
    pub(crate) fn publish(
        &self,
        buffers: TileBuffers<'_>,
        map_layer: MapLayer,
        tile: TilePos,
        details: Option<&[u8]>,
        record: impl FnOnce(Option<TileFacts>) -> Result<(), PublishError>,
    ) -> Result<bool, PublishError> {
        let TileBuffers {
            canvas,
            encoder,
            clock,
            tally,
        } = buffers;
        if canvas.is_empty() {
            return record(None).map(|()| false);
        }

        let samples = self.map_layers.samples(map_layer);
        let filled = samples.filled(canvas);

        let shown = filled.as_ref().unwrap_or(canvas);
        let file = details.unwrap_or_else(|| self.map_layers.encode(map_layer, encoder, shown));
        let hash = XxHash3_64::oneshot(file);
        let pixels = if details.is_some() {
            hash
        } else {
            samples.hash(shown)
        };

        let facts = TileRecord {
            bytes: file.len() as u32,
            file: hash,
            pixels,
        };

        clock.end_stage(Stage::Encode);
        let put = self.store.put(map_layer, tile, file, facts, |published| {
            record(Some(published))
        });
        clock.end_stage(Stage::Write);

        match put? {
            // A staged tile is counted when the commit publishes it, and a tile of a scratch map is
            // not published.
            Put::Written if self.store.is_staged() || self.store.is_scratch() => {}
            Put::Written => tally.tiles_written += 1,
            Put::Unchanged => tally.tiles_unchanged += 1,
        }

        if self.pyramid.has_parent(map_layer, tile) && !self.map_layers.is_details(map_layer) {
            self.pyramid
                .keep(map_layer, tile, samples.quarter(tile, canvas));
            clock.end_stage(Stage::Reduce);
        }

        Ok(true)
    }

    /// Makes a parent tile in all layers from its children and publishes it, unless its children
    /// are unchanged.
    pub(crate) fn make_parent(
        &self,
        mut buffers: TileBuffers<'_>,
        dimension: usize,
        tile: TilePos,
    ) -> Result<(), Interruption> {
        for map_layer in self
            .map_layers
            .in_dimension(dimension)
            .filter(|&map_layer| !self.map_layers.is_details(map_layer))
        {
            // The run may be stopping because one of the children failed, and then that child was
            // not drawn.
            self.run.check_stop()?;
            self.make_layer_parent(&mut buffers, map_layer, tile)?;
        }

        Ok(())
    }

    fn make_layer_parent(
        &self,
        buffers: &mut TileBuffers<'_>,
        map_layer: MapLayer,
        tile: TilePos,
    ) -> Result<(), Interruption> {
        let children = self.children_key(map_layer, tile);
        if self.leave_unchanged_parent(buffers.tally, map_layer, tile, children)? {
            // A child may have been drawn again with the same pixels, which left its quarter in
            // memory.
            self.pyramid.drop_children(map_layer, tile);
            return Ok(());
        }

        self.pyramid
            .compose(buffers.canvas, map_layer, tile, |child| {
                self.read_back(map_layer, child)
            })?;
        buffers.clock.end_stage(Stage::Reduce);

        let TileBuffers {
            canvas,
            encoder,
            clock,
            tally,
        } = buffers;

        let buffers = TileBuffers {
            canvas,
            encoder,
            clock,
            tally,
        };
        self.publish_parent(buffers, map_layer, tile, children)
    }

    /// Publishes a canvas as an outer or inner tile, and records it with the hash of the tiles or
    /// chunks that it was made from.
    pub(crate) fn publish_parent(
        &self,
        buffers: TileBuffers<'_>,
        map_layer: MapLayer,
        tile: TilePos,
        children: u64,
    ) -> Result<(), Interruption> {
        self.publish(buffers, map_layer, tile, None, |published| {
            let record = ParentRecord {
                children,
                tile: published,
            };
            self.store.record_parent(map_layer, tile, &record)
        })?;

        Ok(())
    }

    /// Fails the run because the job of a tile panicked. The other jobs go on, so that the next run
    /// finds their tiles.
    pub(crate) fn lose(&self, dimension: usize, tile: TilePos, message: &str) {
        let path = self.map_layers.dimension_path(dimension);
        self.run.note_failure(defect(format!(
            "tile {tile} of {path} could not be made: {message}"
        )));
    }

    /// Returns the key of an outer tile: the joined pixel hashes of its children.
    fn children_key(&self, map_layer: MapLayer, tile: TilePos) -> u64 {
        let made = self.store.lock_layer(map_layer);
        let pixels: [u64; 4] = std::array::from_fn(|child| {
            made.manifest
                .tiles
                .get(&tile.child(child))
                .map_or(0, |record| record.pixels)
        });

        join_hashes(&pixels.map(|pixels| pixels.min(UNSTABLE - 1)))
    }

    /// Keeps an outer tile if it is unchanged, and returns whether it is.
    fn leave_unchanged_parent(
        &self,
        tally: &mut Tally,
        map_layer: MapLayer,
        tile: TilePos,
        children: u64,
    ) -> Result<bool, Interruption> {
        if self.is_forced {
            return Ok(false);
        }

        let Some(JournalRecord {
            value: Some(record),
            sure,
            ..
        }) = self.store.last_record(map_layer, tile, parse_parent)?
        else {
            return Ok(false);
        };
        if record.children != children {
            return Ok(false);
        }

        let location = self.store.locate(map_layer, tile, record.tile, sure)?;
        if let Some(location) = location {
            self.leave(tally, map_layer, tile, record.tile, location);
        }

        Ok(location.is_some())
    }

    /// Reads a quarter that is no longer in memory from the tile of this run. Returns `None` if
    /// there is no tile.
    ///
    /// If the bytes of the tile are not the published ones, then its disk has damaged it, and the
    /// damage must not spread to outer tiles. So the tile's record is deleted and the run fails.
    /// The next run draws the tile again.
    fn read_back(
        &self,
        map_layer: MapLayer,
        tile: TilePos,
    ) -> Result<Option<Quarter>, Interruption> {
        let Some(record) = self
            .store
            .lock_layer(map_layer)
            .manifest
            .tiles
            .get(&tile)
            .copied()
        else {
            return Ok(None);
        };

        let path = self.store.path_now(map_layer, tile);

        let read = self.store.read_now(map_layer, tile);
        let is_damaged = match &read {
            Ok(file) => XxHash3_64::oneshot(file) != record.file,
            Err(error) => !error.retryable(),
        };

        if is_damaged {
            self.store.forget(map_layer, tile)?;
            let message = format!("{path} is damaged: run the same command again to draw it again");
            return Err(Failure {
                kind: FailureKind::Output,
                message,
                retryable: true,
            }
            .into());
        }

        let samples = self.map_layers.samples(map_layer);
        samples
            .decode(&read?)
            .map(|canvas| Some(samples.quarter(tile, &canvas)))
            .map_err(|error| {
                let message = format!("{path} was changed while the map was drawn: {error}");
                Interruption::new(FailureKind::Output, message)
            })
    }

    /// Keeps the tiles of a region in their places and counts its findings. `layers` has one record
    /// per layer.
    pub(crate) fn leave_region(
        &self,
        tally: &mut Tally,
        dimension: usize,
        region: RegionPos,
        findings: Findings,
        layers: &[LocatedNative],
    ) {
        for located in layers {
            self.leave_native(tally, region, located);
        }

        let unlit = layers.iter().map(|located| located.record.unlit);
        tally.unlit += unlit.max().unwrap_or_default();
        tally.count_unchanged(dimension, region, findings);
    }

    /// Keeps the tile of a region in one layer.
    pub(crate) fn leave_native(
        &self,
        tally: &mut Tally,
        region: RegionPos,
        located: &LocatedNative,
    ) {
        let LocatedNative {
            map_layer,
            record:
                NativeRecord {
                    tile,
                    filled,
                    shown,
                    ..
                },
            location,
        } = located;
        self.leave(tally, *map_layer, region.tile(), *tile, *location);

        if tile.is_some() {
            self.store.lock_layer(*map_layer).fill(region, *filled);
        }

        self.store.show(*map_layer, shown);
    }

    pub(crate) fn leave(
        &self,
        tally: &mut Tally,
        map_layer: MapLayer,
        tile: TilePos,
        published: Option<TileFacts>,
        location: TileLocation,
    ) {
        let Some(TileFacts { record, .. }) = published else {
            return;
        };
        tally.tiles_unchanged += u64::from(location == TileLocation::Published);
        self.store.leave(map_layer, tile, record, location);
    }

    /// Reads the pixels and names of a region from an earlier run with the same options, to fill
    /// gaps with them.
    ///
    /// # Errors
    /// Fails if the tile exists and cannot be read.
    pub(crate) fn read_preserved(
        &self,
        map_layer: MapLayer,
        region: RegionPos,
    ) -> Result<EarlierTile, Interruption> {
        let located = self
            .store
            .find_native(map_layer, region, |record| record.tile.is_some());
        let Some(LocatedNative {
            record, location, ..
        }) = located?
        else {
            return Ok(EarlierTile::default());
        };

        // A details tile numbers its names itself, so its pixels cannot be mixed with another
        // tile's. Gaps have no details.
        if self.map_layers.is_details(map_layer) {
            return Ok(EarlierTile {
                names: record.shown,
                pixels: None,
            });
        }

        let file = self.store.read(map_layer, region.tile(), location)?;
        Ok(EarlierTile {
            names: record.shown,
            pixels: self.map_layers.samples(map_layer).decode(&file).ok(),
        })
    }
}
