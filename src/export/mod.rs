//! Turns a finished map into something else: one picture, an archive, a GeoTIFF, a folder with one
//! picture per region, a folder of a player's map mod, a time-lapse, or a bucket.
//!
//! Exports read tiles and manifests, and draw nothing. A tile that differs from its record in the
//! manifest ends the export, because otherwise the export would show something that the map does
//! not.

mod archive;
#[cfg(feature = "object-store")]
mod bucket;
mod extent;
mod geotiff;
mod layer;
pub(crate) mod map_mods;
pub(crate) mod pictures;
mod regions;
mod target;
mod timelapse;
mod world_file;

pub use archive::{WrittenArchive, put_archive};
#[cfg(feature = "object-store")]
pub use bucket::{Bucket, BucketCounts, BucketError, put_bucket};
pub use extent::{drawn_area, extent};
pub use geotiff::{GeoTiffCounts, GeoTiffPlan, put_geotiff};
pub use layer::ExportLayer;
pub use map_mods::journeymap::{
    JourneymapCounts, JourneymapOptions, JourneymapPlan, WaypointForm, put_journeymap,
};
pub use map_mods::squaremap::{SquaremapCounts, put_squaremap};
pub use pictures::grid::{Grid, PictureError, Scale, Size};
pub use pictures::groups::{Choice, Group, choose};
pub use pictures::picture::{PictureOptions, PicturePlan, picture_texts, put_picture};
pub use pictures::poster::Poster;
pub use regions::{PictureCounts, open_regions, put_regions};
pub use target::FileTarget;
pub use timelapse::{
    MomentRange, TimelapseCounts, TimelapseKind, TimelapseOptions, TimelapsePlan, open_frames,
    put_animation, put_frames,
};
pub use world_file::world_file;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::atlas::{AtlasError, Content, FinishedLayer, FinishedMap};
use crate::base::disk::is_one_place;
use crate::base::words::{DIMENSION, FORCE, LAYER, OUTPUT, RENDER, THREADS, TO, Word};
use crate::store::{Identity, PublishError};

/// Why an export cannot be made.
#[derive(Debug)]
pub enum ExportError {
    /// The map cannot be read, or one of its tiles differs from its record in the manifest.
    Map(AtlasError),
    /// The output cannot be written.
    Publish(PublishError),
    /// The requested picture cannot be made.
    Picture(PictureError),
    /// The folder contains something other than a map.
    NotAMap(PathBuf, Content),
    /// The map does not show the requested layer or dimension: the requested name, and all names
    /// that the map shows.
    NotShown(String, Vec<String>),
    /// The map shows several layers or dimensions, and none was named: the option that names one,
    /// and the names that the map shows.
    Several(Word, Vec<String>),
    /// The map is an archive, which does not contain all files that a bucket needs.
    BucketOfArchive(PathBuf),
    /// The output is among the map's own files, or the map is inside the output.
    InMap(PathBuf),
    Threads(String),
    /// The map is an archive, which has no moments for a time-lapse.
    TimelapseOfArchive(PathBuf),
    /// One moment of a map was named, but a time-lapse shows all of them.
    TimelapseOfMoment(PathBuf),
    /// An earlier moment of a map was named, but map mods only take the newest one.
    MapModOfMoment(PathBuf),
    /// One moment of a map was named, but a bucket takes the newest map together with all its
    /// moments.
    #[cfg(feature = "object-store")]
    BucketOfMoment(PathBuf),
    /// The bucket cannot be written.
    #[cfg(feature = "object-store")]
    Bucket(BucketError),
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Map(error) => fmt_map(error, f),
            Self::Publish(error) => error.fmt(f),
            Self::Picture(error) => error.fmt(f),
            Self::NotAMap(path, content) => {
                write!(
                    f,
                    "{} contains {content}, but an export needs a map: name the folder of one",
                    path.display()
                )
            }
            Self::NotShown(wanted, shown) => {
                write!(
                    f,
                    "this map does not show {wanted}; it shows {}",
                    shown.join(", ")
                )
            }
            Self::Several(option, shown) => {
                write!(
                    f,
                    "this map shows {}: name one of them with {option}",
                    shown.join(", ")
                )
            }
            Self::BucketOfArchive(path) => {
                write!(
                    f,
                    "{} is an archive, but a bucket needs a map in a folder: name that folder",
                    path.display()
                )
            }
            #[cfg(feature = "object-store")]
            Self::BucketOfMoment(path) => {
                write!(
                    f,
                    "a bucket gets the newest state of a map, with its moments: name {}",
                    path.display()
                )
            }
            Self::MapModOfMoment(path) => {
                write!(
                    f,
                    "a map mod gets the newest state of a map: name {}",
                    path.display()
                )
            }
            Self::InMap(path) => write!(
                f,
                "{} is inside the map, or the map is inside it: name another place with {OUTPUT}",
                path.display()
            ),
            Self::TimelapseOfArchive(path) => {
                write!(
                    f,
                    "{} is an archive, which has no history: name the folder of a map",
                    path.display()
                )
            }
            Self::TimelapseOfMoment(path) => write!(
                f,
                "a time-lapse shows all moments of a map: name {}, and the last moment with {TO}",
                path.display()
            ),
            Self::Threads(error) => {
                write!(
                    f,
                    "threads cannot be started ({error}): ask for fewer with {THREADS}"
                )
            }
            #[cfg(feature = "object-store")]
            Self::Bucket(error) => error.fmt(f),
        }
    }
}

/// Formats the reason why a map cannot be read, with a remedy that fits an export.
fn fmt_map(error: &AtlasError, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (path, wrong) = match error {
        AtlasError::Manifest(path, error) => {
            return write!(
                f,
                "{}: {error}: draw the map again with {RENDER}",
                path.display()
            );
        }
        AtlasError::Missing(path) => (path, "is missing".to_owned()),
        AtlasError::Changed(path) => (path, "is not the file that tiles.tsv names".to_owned()),
        AtlasError::NotATile(path, error) => (path, format!("cannot be decoded ({error})")),
        AtlasError::NoMap(_)
        | AtlasError::Io(..)
        | AtlasError::Archive(..)
        | AtlasError::Moment(_) => {
            return fmt::Display::fmt(error, f);
        }
    };

    write!(
        f,
        "{} {wrong}: draw the map again with {RENDER} {FORCE}",
        path.display()
    )
}

impl std::error::Error for ExportError {}

impl From<AtlasError> for ExportError {
    fn from(error: AtlasError) -> Self {
        Self::Map(error)
    }
}

impl From<PublishError> for ExportError {
    fn from(error: PublishError) -> Self {
        Self::Publish(error)
    }
}

#[cfg(feature = "object-store")]
impl From<BucketError> for ExportError {
    fn from(error: BucketError) -> Self {
        Self::Bucket(error)
    }
}

impl ExportError {
    /// Returns whether the same call may succeed later.
    pub fn retryable(&self) -> bool {
        match self {
            Self::Map(error) => error.retryable(),
            Self::Publish(error) => error.retryable(),
            #[cfg(feature = "object-store")]
            Self::Bucket(error) => error.retryable(),
            _ => false,
        }
    }
}

/// Opens a map for an export.
///
/// # Errors
/// Fails if there is no map at `path`, or if something else is there.
pub fn open_map(path: &Path) -> Result<FinishedMap, ExportError> {
    let map = FinishedMap::open(path)?;
    match map.content() {
        Content::Map => Ok(map),
        other => Err(ExportError::NotAMap(path.to_owned(), other)),
    }
}

/// Returns the world that a map shows. The path is empty for an archive, because an archive does
/// not record it.
///
/// # Errors
/// Fails if the folder records its world, but the record cannot be read.
pub fn world(map: &FinishedMap) -> Result<Identity, PublishError> {
    Ok(match map {
        FinishedMap::Folder(folder) => Identity::read(folder)?,
        FinishedMap::Archive(archive) => {
            let facts = archive.facts();
            let spawn = facts
                .dimensions
                .iter()
                .find_map(|dimension| dimension.spawn);

            Identity {
                name: facts.name.clone(),
                spawn,
                path: PathBuf::new(),
            }
        }
    })
}

/// Returns the layers of a map with these dimensions and layer ids. Without a dimension, this is
/// the overworld or the map's only dimension; without a layer, it is `day` or the dimension's only
/// layer.
///
/// # Errors
/// Fails if the map does not show one of the names. Also fails if no name is given and the map
/// shows several without the usual one.
pub fn layers<'m>(
    map: &'m FinishedMap,
    dimensions: &[String],
    layers: &[String],
) -> Result<Vec<FinishedLayer<'m>>, ExportError> {
    let mut chosen = Vec::new();
    let shown: Vec<&str> = map
        .facts()
        .dimensions
        .iter()
        .map(|dimension| dimension.id.as_str())
        .collect();

    for dimension in choose_names(dimensions, &shown, "overworld", DIMENSION)? {
        let all: Vec<FinishedLayer<'_>> = map
            .layers()
            .filter(|layer| layer.dimension.id == dimension)
            .collect();
        let ids: Vec<&str> = all.iter().map(|layer| layer.facts.id.as_str()).collect();
        let wanted = choose_names(layers, &ids, "day", LAYER)?;
        chosen.extend(
            all.into_iter()
                .filter(|layer| wanted.contains(&&*layer.facts.id)),
        );
    }

    Ok(chosen)
}

/// Returns those `names` that are in `shown`, in the order of `shown`. Without any names, returns
/// the `usual` one or the only one.
fn choose_names<'a>(
    names: &'a [String],
    shown: &[&'a str],
    usual: &'a str,
    option: Word,
) -> Result<Vec<&'a str>, ExportError> {
    if names.iter().any(|name| name == "all") {
        return Ok(shown.to_vec());
    }
    if let Some(wrong) = names.iter().find(|name| !shown.contains(&name.as_str())) {
        return Err(ExportError::NotShown(wrong.clone(), owned_names(shown)));
    }

    match (names, shown) {
        ([], _) if shown.contains(&usual) => Ok(vec![usual]),
        ([], [only]) => Ok(vec![only]),
        ([], _) => Err(ExportError::Several(option, owned_names(shown))),
        _ => Ok(shown
            .iter()
            .copied()
            .filter(|shown| names.iter().any(|name| name == shown))
            .collect()),
    }
}

fn owned_names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Checks that an output is outside the map, and the map outside the output.
///
/// # Errors
/// Fails if one is inside the other.
pub fn check_outside(map: &FinishedMap, output: &Path, is_folder: bool) -> Result<(), ExportError> {
    let is_inside = match map {
        FinishedMap::Folder(folder) => folder.is_in_the_way(output, is_folder),
        FinishedMap::Archive(archive) => is_one_place(archive.path(), output),
    };
    if is_inside {
        Err(ExportError::InMap(output.to_owned()))
    } else {
        Ok(())
    }
}

/// Progress of an export, counted in pieces that take about the same time: bytes for a bucket,
/// tiles or strips for others.
#[derive(Debug, Default)]
pub struct Pieces {
    done: AtomicU64,
    all: AtomicU64,
}

impl Pieces {
    /// Returns the number of finished pieces, and the number of all pieces.
    pub fn counts(&self) -> (u64, u64) {
        (
            self.done.load(Ordering::Relaxed),
            self.all.load(Ordering::Relaxed),
        )
    }

    fn expect(&self, pieces: u64) {
        self.all.fetch_add(pieces, Ordering::Relaxed);
    }

    fn end(&self, pieces: u64) {
        self.done.fetch_add(pieces, Ordering::Relaxed);
    }
}

/// The number of threads of an export, its progress, and the function that can stop it.
pub struct Workers<'a> {
    pub threads: usize,
    pub pieces: &'a Pieces,
    /// Returns whether the export has to stop.
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
}

impl fmt::Debug for Workers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers")
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl Workers<'_> {
    /// Runs `work` in a rayon pool with these threads, or in the current thread if they cannot be
    /// started.
    fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, ExportError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.max(1))
            .build();
        let pool = pool.or_else(|_| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(1)
                .use_current_thread()
                .build()
        });
        Ok(pool
            .map_err(|error| ExportError::Threads(error.to_string()))?
            .install(work))
    }
}
