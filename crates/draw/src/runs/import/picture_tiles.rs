//! Draws an import: the pictures of a region become a native tile, and parents are made from native
//! tiles.

use std::path::Path;

use twox_hash::XxHash3_64;

use crate::import::{Picture, file_name};
use crate::publish::account::{Account, HideState, cut_lists};
use crate::publish::drawn::{PublishSettings, UnpublishedMap};
use crate::report::progress::Progress;
use crate::report::{
    BadChunk, Damage, Options, RegionDamage, ShownNames, Stage, Tally, WorldFacts,
};
use crate::request::layers::MapLayer;
use crate::request::settings::Settings;
use crate::request::shown_layer::ShownLayer;
use crate::request::shown_options::shown_options;
use crate::run_state::{Interruption, JobResults};
use crate::runs::import::plan::ImportPlan;
use crate::schedule::{self, Stop};
use crate::tiles::jobs::jobs_over;
use crate::tiles::map_tiles::{MapTiles, TilePlan, make_tiles};
use crate::tiles::record::NativeRecord;
use crate::tiles::tile_jobs::{JobWorker as _, NativeTiles, TileJobs};
use crate::tiles::tile_store::LocatedNative;
use crate::tiles::tile_worker::TileWorker;
use pixelmap_base::coord::RegionPos;
use pixelmap_base::disk::read_file;
use pixelmap_base::retry::retryable;
use pixelmap_map::store::{Output, PublishError};
use pixelmap_paint::markers::OwnerFiles;
use pixelmap_tile::decode_picture;
use pixelmap_world::internal::{ChunkHash, UNSTABLE};

/// Draws one dimension of an import. `warnings` are reported with it.
pub(crate) fn draw<'a>(
    plan: &'a ImportPlan<'_>,
    settings: &'a Settings,
    own: &'a OwnerFiles,
    warnings: &[String],
    output: &Output,
    progress: &Progress,
    stop: &Stop,
) -> Result<UnpublishedMap<'a>, PublishError> {
    let dimension = plan.on_map();
    let tile_plan = TilePlan {
        dimensions: vec![dimension],
        map_layers: plan.map_layers.clone(),
        keys: plan.keys(),
        threads: plan.threads,
        is_staged: settings.is_staged(),
        is_forced: settings.is_forced(),
    };

    let jobs = jobs_over(&[dimension], plan.order.iter().copied().zip(plan.costs()));
    let (made, results) = make_tiles(output, tile_plan, progress, stop, |tiles| {
        let source = PictureTiles { plan, tiles };
        Ok::<_, PublishError>(schedule::run(
            &TileJobs::new(tiles, &source),
            jobs,
            &settings.schedule(plan.threads),
            stop,
        ))
    })?;

    Ok(UnpublishedMap {
        dimensions: vec![dimension],
        map_layers: plan.map_layers.clone(),
        made,
        hidden: None,
        division: None,
        world_markers: plan.markers(settings),
        marker_warnings: Vec::new(),
        publishing: PublishSettings::new(settings, own),
        account: account(plan, settings, output, warnings, results),
    })
}

fn account(
    plan: &ImportPlan<'_>,
    settings: &Settings,
    output: &Output,
    warnings: &[String],
    drawn: JobResults,
) -> Account {
    let bad_chunks: Vec<BadChunk> = drawn
        .tally
        .bad
        .clone()
        .into_sorted()
        .into_iter()
        .map(|position| bad_picture(plan, position))
        .collect();

    let layers = plan.map_layers.layers().iter().map(ShownLayer::name);
    Account {
        options: Options {
            layers: layers.map(ToOwned::to_owned).collect(),
            ..shown_options(settings, output.naming())
        },
        world: WorldFacts {
            name: plan.explored.name.clone(),
            path: None,
            data_version: None,
            dimensions: vec![plan.id().to_owned()],
        },
        regions_total: plan.order.len() as u64,
        regions_hidden: 0,
        first_warnings: warnings.to_vec(),
        warnings: Vec::new(),
        last_warnings: cut_lists(&bad_chunks, &drawn.tally),
        bad_chunks,
        hiding: HideState::Off,
        drawn,
    }
}

/// Describes a picture that could not be read.
fn bad_picture(
    plan: &ImportPlan<'_>,
    RegionDamage { region, damage, .. }: RegionDamage,
) -> BadChunk {
    BadChunk {
        dimension: plan.id().to_owned(),
        region: file_name(region),
        chunk: None,
        reason: damage.reason,
        message: damage.message,
    }
}

/// Makes native tiles of the pictures of a map mod.
struct PictureTiles<'a> {
    plan: &'a ImportPlan<'a>,
    tiles: &'a MapTiles<'a>,
}

impl<'s> NativeTiles<'s> for PictureTiles<'_> {
    type Worker = TileWorker<'s>;

    fn worker(&'s self) -> TileWorker<'s> {
        TileWorker::new(self.tiles.run)
    }

    /// Makes the tiles of a region in all layers that have pictures of it, unless the pictures are
    /// unchanged.
    fn make_region(
        &self,
        worker: &mut TileWorker<'s>,
        _: usize,
        region: RegionPos,
    ) -> Result<(), Interruption> {
        let mut is_drawn = false;
        let mut is_damaged = false;
        for map_layer in self.tiles.map_layers.all() {
            let pictures = self.plan.pictures(map_layer, region);
            if pictures.is_empty() {
                continue;
            }

            let key = pictures_key(pictures);
            if let Some(located) = self.find_unchanged(map_layer, region, key)? {
                self.tiles
                    .leave_native(&mut worker.tally.job, region, &located);
                continue;
            }

            is_drawn = true;
            let damage = self.compose(worker, region, pictures)?;
            let is_whole = damage.is_empty();
            is_damaged |= !is_whole;

            for damage in damage {
                worker.tally.job.count_bad(0, region, damage);
            }

            self.put(
                worker,
                map_layer,
                region,
                if is_whole { key } else { UNSTABLE },
            )?;
        }

        self.count(&mut worker.tally.job, region, is_drawn, is_damaged);
        Ok(())
    }
}

impl PictureTiles<'_> {
    fn count(&self, tally: &mut Tally, region: RegionPos, is_drawn: bool, is_damaged: bool) {
        let cost = self.plan.cost(region);
        match (is_drawn, is_damaged) {
            (false, _) => {
                tally.regions_unchanged += 1;
                self.tiles.run.progress.count_unchanged(cost);
            }
            (true, false) => {
                tally.regions_drawn += 1;
                self.tiles.run.progress.count_region(cost, 0, 0);
            }
            (true, true) => {
                tally.regions_failed += 1;
                self.tiles.run.progress.count_region(cost, 0, 1);
            }
        }
    }

    /// Returns the tile of a region if it was made from these pictures and still exists.
    fn find_unchanged(
        &self,
        map_layer: MapLayer,
        region: RegionPos,
        key: ChunkHash,
    ) -> Result<Option<LocatedNative>, Interruption> {
        if self.tiles.is_forced {
            return Ok(None);
        }

        let located = self
            .tiles
            .store
            .find_native(map_layer, region, |record| record.sources == key)?;

        Ok(located)
    }

    /// Draws pictures on the canvas, with the first one on top: where a picture is transparent, the
    /// next one shows. Returns the damage of the pictures that cannot be read.
    fn compose(
        &self,
        worker: &mut TileWorker<'_>,
        region: RegionPos,
        pictures: &[Picture],
    ) -> Result<Vec<Damage>, Interruption> {
        let TileWorker { canvas, clock, .. } = worker;
        let mut damage = Vec::new();
        canvas.clear();

        for picture in pictures {
            self.tiles.run.check_stop()?;

            let path = picture.path(region);
            match read_file(&path) {
                Ok(bytes) => match decode_picture(&bytes) {
                    Ok(below) => {
                        canvas.put_below(&below);
                    }
                    Err(error) => damage.push(picture_damage("content", &path, &error)),
                },
                Err(error) if retryable(&error) => {
                    return Err(Interruption::reading(&path, &error));
                }
                Err(error) => damage.push(picture_damage("unreadable", &path, &error)),
            }
        }

        clock.end_stage(Stage::Draw);
        Ok(damage)
    }

    /// Publishes the canvas as the tile of a region. If a picture could not be read, the key is
    /// [`UNSTABLE`], and the pixels of the earlier tile fill the gaps.
    fn put(
        &self,
        worker: &mut TileWorker<'_>,
        map_layer: MapLayer,
        region: RegionPos,
        key: ChunkHash,
    ) -> Result<(), Interruption> {
        if key == UNSTABLE
            && let Some(earlier) = self.tiles.read_preserved(map_layer, region)?.pixels
        {
            worker.canvas.put_below(&earlier);
        }

        let filled = worker.canvas.drawn_bounds();
        let store = &self.tiles.store;
        let put = self
            .tiles
            .publish(worker.buffers(), map_layer, region.tile(), None, |tile| {
                let record = NativeRecord {
                    sources: key,
                    tile,
                    filled,
                    shown: ShownNames::default(),
                    unlit: 0,
                };
                store.record_native(map_layer, region, &record)
            });

        if put? {
            store.lock_layer(map_layer).fill(region, filled);
        }

        Ok(())
    }
}

/// Returns a hash of the times and lengths of pictures, which is never [`UNSTABLE`].
fn pictures_key(pictures: &[Picture]) -> ChunkHash {
    let words = pictures
        .iter()
        .flat_map(|picture| [picture.len, picture.modified.cast_unsigned()]);
    let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
    XxHash3_64::oneshot(&bytes).min(UNSTABLE - 1)
}

fn picture_damage(reason: &'static str, path: &Path, error: &dyn std::fmt::Display) -> Damage {
    Damage::new(None, reason, format!("{}: {error}", path.display()))
}
