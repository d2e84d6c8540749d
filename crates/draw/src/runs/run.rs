//! A run, which draws maps into one folder and publishes them.

use crate::map::Map;
use crate::map::context::RunContext;
use crate::painter::early::EarlyColumns;
use crate::publish::drawn::UnpublishedMap;
use crate::publish::facts::{WorldLabel, last_played};
use crate::publish::finish;
use crate::publish::removals::check_removals;
use crate::report::Report;
use crate::report::progress::Progress;
use crate::request::error::{MOST_INNER, MomentRefusal, RenderError};
use crate::request::prepare::{RunPlan, prepare, prepare_with};
use crate::request::settings::{OutputRequest, Settings};
use crate::request::shown_places::ShownPlaces;
use crate::runs::live;
use crate::runs::live::{DrawnTile, Live};
use crate::runs::open_map::{MapOpening, OpenedMap, open_map};
use crate::runs::open_world::EarlyReading;
use crate::runs::shards;
use crate::schedule::{self, Stop, Summary};
use crate::tiles::jobs::TileJob;
use crate::tiles::tile_jobs::TileJobs;
use pixelmap_base::disk::is_file;
use pixelmap_map::atlas::Moments;
use pixelmap_map::store::{Output, PublishError};
use pixelmap_world::internal::World;

/// A run that draws maps into one folder, which it has locked.
#[derive(Debug)]
pub struct Run<'a> {
    world: &'a World,
    maps: Vec<(&'a Settings, RunPlan)>,
    early: Option<EarlyColumns>,
    output: Output,
    /// The time of the moment that the run adds to the map.
    moment_time: Option<i64>,
}

impl<'a> Run<'a> {
    /// Prepares maps of `world` that go into one folder, and locks the folder.
    ///
    /// # Errors
    /// Fails if the colours or the hidden places cannot be read, a request does not fit the world,
    /// the folder cannot be used, or too many tiles would be removed. Nothing is drawn then.
    pub fn open(world: &'a World, maps: &'a [Settings]) -> Result<Self, RenderError> {
        let prepared = maps.iter().map(|map| Ok((map, prepare(world, map)?)));
        let prepared = prepared.collect::<Result<Vec<_>, RenderError>>()?;
        Self::lock(world, prepared, None)
    }

    /// Prepares a map like [`Run::open`], with the chunks that were decoded `early` for this map.
    ///
    /// # Errors
    /// Fails for the same reasons as [`Run::open`].
    pub fn open_early(
        world: &'a World,
        map: &'a Settings,
        early: EarlyReading,
    ) -> Result<Self, RenderError> {
        let EarlyReading { colours, columns } = early;
        let prepared = prepare_with(world, map, colours)?;
        Self::lock(world, vec![(map, prepared)], Some(columns))
    }

    /// Locks the folder of prepared maps.
    fn lock(
        world: &'a World,
        maps: Vec<(&'a Settings, RunPlan)>,
        early: Option<EarlyColumns>,
    ) -> Result<Self, RenderError> {
        let Some((settings, first)) = maps.first() else {
            return Err(RenderError::NoMap);
        };

        for (settings, prepared) in &maps {
            check_inner(prepared, settings)?;
        }

        let OutputRequest {
            naming, path: root, ..
        } = &settings.output;
        if let Some(shard) = settings.request.shard {
            let list = root.join(Moments::path());
            if is_file(&list).map_err(PublishError::io(&list))? {
                return Err(RenderError::Moment(MomentRefusal::Shard(root.clone())));
            }

            let output = Output::open_part(
                &shard.name(),
                *naming,
                root,
                &first.identity,
                &world.folders,
            )?
            .over(settings.output.elsewhere.clone());
            shards::begin(world, &output, &maps)?;

            keep_cache(world, &output)?;
            return Ok(Self {
                world,
                maps,
                early,
                output,
                moment_time: None,
            });
        }

        let opening = MapOpening {
            naming: *naming,
            root,
            identity: &first.identity,
            folders: &world.folders,
            moment: &settings.output.moment,
            is_staged: maps.iter().all(|(settings, _)| settings.is_staged()),
            is_hiding: maps.iter().any(|(settings, _)| settings.is_hiding()),
            elsewhere: settings.output.elsewhere.clone(),
        };

        let OpenedMap {
            output,
            moment_time,
            ..
        } = open_map(
            opening,
            || last_played(world),
            |output| {
                for (settings, prepared) in &maps {
                    check_removals(output, prepared, settings)?;
                }
                Ok(())
            },
            |_| Ok(()),
        )?;
        keep_cache(world, &output)?;

        Ok(Self {
            world,
            maps,
            early,
            output,
            moment_time,
        })
    }

    /// Draws the map with this number, or as much of it as possible before `stop`.
    ///
    /// # Errors
    /// Fails if the records of earlier runs cannot be read. Nothing is drawn then.
    pub fn draw(
        &self,
        number: usize,
        progress: &Progress,
        stop: &Stop,
    ) -> Result<UnpublishedMap<'_>, RenderError> {
        self.draw_by(number, progress, stop, |map, jobs, how| {
            schedule::run(&TileJobs::new(map.tiles, map), jobs, how, stop)
        })
    }

    /// Returns the map with this number for users who look at it while it is drawn. `on_drawn` is
    /// called with each drawn tile. With `is_on_demand`, only regions that somebody looks at are
    /// drawn.
    pub fn live(
        &self,
        number: usize,
        is_on_demand: bool,
        on_drawn: impl Fn(DrawnTile) + Send + Sync + 'static,
    ) -> Live {
        let (settings, prepared) = &self.maps[number];
        Live::new(
            self.world,
            settings,
            prepared,
            self.output.naming(),
            is_on_demand,
            Box::new(on_drawn),
        )
    }

    /// Draws a map like [`Run::draw`], but begins with the places that the pages of `live` show.
    /// The stop of `live` ends it.
    ///
    /// # Errors
    /// Fails for the same reasons as [`Run::draw`].
    pub fn draw_live(
        &self,
        number: usize,
        live: &Live,
        progress: &Progress,
    ) -> Result<UnpublishedMap<'_>, RenderError> {
        self.draw_by(number, progress, live.stop(), |map, jobs, how| {
            live::draw(map, jobs, how, live)
        })
    }

    /// Draws a map. `run` runs its jobs.
    fn draw_by(
        &self,
        number: usize,
        progress: &Progress,
        stop: &Stop,
        run: impl FnOnce(&Map<'_>, schedule::JobPlan<TileJob>, &schedule::ScheduleSettings) -> Summary,
    ) -> Result<UnpublishedMap<'_>, RenderError> {
        let (settings, prepared) = &self.maps[number];
        let context = RunContext {
            world: self.world,
            settings,
            prepared,
            early: self.early.as_ref(),
            output: &self.output,
            progress,
            stop,
        };

        UnpublishedMap::draw(context, run)
    }

    /// Publishes drawn maps in one commit, if all of them are complete and meet their thresholds.
    /// Returns one report per map. A shard publishes only its part, which waits for the merge.
    pub fn publish(&self, maps: Vec<UnpublishedMap<'_>>, stop: &Stop) -> Vec<Report> {
        let shard = self
            .maps
            .first()
            .and_then(|(settings, _)| settings.request.shard);
        if let Some(shard) = shard {
            return shards::finish::publish(self.world, &self.output, maps, shard, stop);
        }

        finish::publish(
            &WorldLabel::new(self.world, self.moment_time),
            &self.output,
            maps,
            stop,
        )
    }

    /// Returns the number of regions of all maps.
    pub fn regions(&self) -> u64 {
        self.maps
            .iter()
            .map(|(_, prepared)| prepared.plan.order.len() as u64)
            .sum()
    }

    /// Returns the places that the map with this number may show.
    pub fn shown_places(&self, number: usize) -> ShownPlaces {
        let (settings, prepared) = &self.maps[number];
        ShownPlaces::new(settings, &prepared.plan)
    }

    /// Returns the folder, which this run has locked.
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// Ends the run. The folder stays locked until it is dropped.
    pub fn into_output(self) -> Output {
        self.output
    }
}

/// Returns the path in a map's folder where a staged run writes a file of the map first.
pub fn staged_path(path: &str) -> String {
    Output::staged_in_map(path)
}

/// Fails if there are very many tiles with textures, unless the user confirmed it.
fn check_inner(prepared: &RunPlan, settings: &Settings) -> Result<(), RenderError> {
    let count = prepared.inner_tiles(settings);
    if count > MOST_INNER && !settings.run.sure {
        Err(RenderError::TooManyInner(count))
    } else {
        Ok(())
    }
}

/// Stores the cache of the world for the next run.
fn keep_cache(world: &World, output: &Output) -> Result<(), RenderError> {
    world
        .cache()
        .map_or(Ok(()), |cache| output.put_world_cache(&cache))
        .map_err(RenderError::Output)
}

#[cfg(test)]
mod kill_tests;
#[cfg(test)]
mod tests;
