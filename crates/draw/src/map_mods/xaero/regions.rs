//! Writes the regions of a world in the form of the mod. One job writes one region, so a worker
//! holds one region of the world and one file of the player at a time.

use std::path::Path;

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::error::XaeroError;
use super::lock::check_locks;
use super::options::Keep;
use super::plan::XaeroPlan;
use crate::painter::chunk::ChunkReader;
use pixelmap_base::coord::{RegionPos, Slot};
use pixelmap_base::own_folder::{OwnFolder, Place};
use pixelmap_map::export::Workers;
use pixelmap_map::store::{PublishError, put_at};
use pixelmap_world::internal::{
    Dimension, Inflater, RegionEntry, WorldError, XaeroNumbers, XaeroRegion, xaero_names,
};

/// The start of the names of the mod's folders with finished pictures.
const CACHE: &str = "cache";
/// The zoom steps of these pictures, each with half the detail of the one before.
const ZOOM_STEPS: i32 = 3;
/// The most chunks and files that are named because they cannot be read.
const MAX_NAMED: usize = 20;

/// The counts of an export to Xaero's World Map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct XaeroCounts {
    pub written: u64,
    pub unchanged: u64,
    /// The chunks in the files that are written or unchanged.
    pub chunks: u64,
    /// Columns with a block that has only a number.
    pub unnamed: u64,
    /// Chunks and files that cannot be read.
    pub bad: u64,
    /// The first of these, each with the reason.
    pub reasons: Vec<String>,
}

impl XaeroCounts {
    fn add(mut self, other: Self) -> Self {
        self.written += other.written;
        self.unchanged += other.unchanged;
        self.chunks += other.chunks;
        self.unnamed += other.unnamed;
        self.bad += other.bad;
        self.reasons.extend(other.reasons);
        self.reasons.truncate(MAX_NAMED);
        self
    }

    fn lose(&mut self, reason: String) {
        self.bad += 1;
        if self.reasons.len() < MAX_NAMED {
            self.reasons.push(reason);
        }
    }
}

/// Writes a world into a folder of the mod. Returns `None` if it was stopped.
///
/// # Errors
/// Fails if a game has the map open, or if a file cannot be read now or written.
pub fn put_xaero(
    folder: &Path,
    plan: &XaeroPlan<'_>,
    workers: &Workers<'_>,
) -> Result<Option<XaeroCounts>, XaeroError> {
    let folder = OwnFolder::make(folder).map_err(PublishError::io(folder))?;
    check_maps(&folder, plan)?;

    let mut jobs = Vec::new();
    for (dimension, name) in &plan.dimensions {
        let map = format!("{}/{name}/{}", plan.options.server.name(), plan.map);
        for entry in &dimension.regions {
            jobs.push((*dimension, *entry, map.clone()));
        }
    }

    workers.pieces.expect(jobs.len() as u64);

    let done: Option<Vec<XaeroCounts>> = workers.run(|| {
        jobs.into_par_iter()
            .map(|(dimension, entry, map)| {
                if (workers.is_stopped)() {
                    return Ok(None);
                }

                let counts = put_region(&folder, plan, dimension, entry, &map)?;
                workers.pieces.end(1);
                Ok(Some(counts))
            })
            .collect::<Result<_, XaeroError>>()
    })??;
    let Some(done) = done else { return Ok(None) };

    let counts = done.into_iter();
    Ok(Some(counts.fold(XaeroCounts::default(), XaeroCounts::add)))
}

/// Fails if a game has one of the maps open.
fn check_maps(folder: &OwnFolder, plan: &XaeroPlan<'_>) -> Result<(), XaeroError> {
    let server = plan.options.server.name();
    let mut paths = vec![server.to_owned()];
    for (_, name) in &plan.dimensions {
        paths.push(format!("{server}/{name}"));
        paths.push(format!("{server}/{name}/{}", plan.map));
    }

    check_locks(folder, &paths)
}

/// Writes one region. `map` is the folder of its map.
fn put_region(
    folder: &OwnFolder,
    plan: &XaeroPlan<'_>,
    dimension: &Dimension,
    entry: RegionEntry,
    map: &str,
) -> Result<XaeroCounts, XaeroError> {
    let mut counts = XaeroCounts::default();
    let region = read_region(plan, dimension, entry, &mut counts)?;
    if region.tiles() == 0 {
        return Ok(counts);
    }

    let RegionPos { x, z } = entry.region;
    let relative = format!("{map}/{x}_{z}.zip");
    let failed = |error| PublishError::Io(folder.path().join(&relative), error);
    let place = folder.place(&relative).map_err(failed)?;

    let merged = if place.is_file().map_err(failed)? {
        match XaeroRegion::read(&place.path()) {
            Ok(theirs) => match plan.options.keep {
                Keep::Theirs => theirs.over(&region),
                Keep::Ours => region.over(&theirs),
            },
            Err(error) => {
                counts.lose(format!(
                    "{} is kept unchanged: {error}, or move it away to replace it",
                    place.path().display()
                ));
                return Ok(counts);
            }
        }
    } else {
        region
    };

    counts.chunks = merged.tiles() as u64;
    let bytes = merged.to_zip().map_err(failed)?;
    if place.is_file().map_err(failed)? && place.has_bytes(&bytes).map_err(failed)? {
        counts.unchanged = 1;
        return Ok(counts);
    }

    // The mod shows its finished pictures without reading the region again. They go first, so that
    // a run that is killed here is completed by the next one.
    let maps = folder.place(map).map_err(failed)?;
    remove_pictures(&maps, entry.region).map_err(failed)?;
    put_at(&place, &bytes)?;
    counts.written = 1;
    Ok(counts)
}

/// Reads the chunks of a region, and turns them into the columns of the mod.
fn read_region(
    plan: &XaeroPlan<'_>,
    dimension: &Dimension,
    entry: RegionEntry,
    counts: &mut XaeroCounts,
) -> Result<XaeroRegion, XaeroError> {
    let mut region = XaeroRegion::default();
    let path = dimension.store.path(entry);
    let Some(mut file) = dimension.open(entry)? else {
        counts.lose(format!("{}: the file cannot be opened", path.display()));
        return Ok(region);
    };

    // Each region has its own names, so that their number is bounded and no other region matters.
    let names = xaero_names(plan.numeric.clone());
    let mut reader = ChunkReader::new(names, Inflater::default(), true);
    let mut numbers = XaeroNumbers::default();
    let is_bedrock = plan.world.is_bedrock();

    for slot in file.stored().collect::<Vec<Slot>>() {
        let chunk = file.pos().chunk(slot);
        let reason = reader.read(&mut file, slot, |read, _| match read {
            None => None,
            Some(Ok(mut chunk)) => {
                region.add(slot, &mut chunk, &mut numbers, is_bedrock);
                None
            }
            Some(Err(reason)) => Some(reason),
        });
        let Some(reason) = reason else { continue };

        if let Some(error) = reason.retryable_error() {
            return Err(WorldError::Unreadable(path, error).into());
        }

        counts.lose(format!(
            "{}: chunk {} {}: {reason}",
            path.display(),
            chunk.x,
            chunk.z
        ));
    }

    counts.unnamed = numbers.unnamed;
    Ok(region)
}

/// Removes the finished pictures that show a region.
fn remove_pictures(map: &Place, region: RegionPos) -> std::io::Result<()> {
    if map.facts()?.is_none() {
        return Ok(());
    }

    for name in map.names()? {
        let cache = map.inside(&name);
        if !name.starts_with(CACHE) || !cache.facts()?.is_some_and(|facts| facts.is_dir()) {
            continue;
        }

        for step in 0..=ZOOM_STEPS {
            let place = if step == 0 {
                cache.clone()
            } else {
                cache.inside(&step.to_string())
            };

            let picture = format!("{}_{}.xwmc", region.x >> step, region.z >> step);
            for ending in ["", ".outdated", ".temp"] {
                place.inside(&format!("{picture}{ending}")).remove()?;
            }
        }
    }

    Ok(())
}
