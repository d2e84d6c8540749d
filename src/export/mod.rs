//! From a map folder to something else: one picture, an archive, a folder with a picture a region.
//!
//! Reads tiles and manifests and draws nothing. A tile that is not the one its manifest names ends the export, so that
//! no export shows what the map does not.

mod archive;
#[cfg(feature = "object-store")]
mod bucket;
mod extent;
mod grid;
mod groups;
mod layer;
mod mean;
mod picture;
mod poster;
mod regions;
mod world_file;

pub use archive::{Archived, write_archive};
#[cfg(feature = "object-store")]
pub use bucket::{Bucket, BucketCounts, BucketError, Sent, write_bucket};
pub use extent::{drawn_area, extent};
pub use grid::{Grid, PictureError, Scale, Size};
pub use groups::{Choice, Group, choose};
pub use layer::MapLayer;
pub use picture::{Picture, PictureOptions, picture_texts};
pub use poster::Poster;
pub use regions::{RegionCounts, open_regions, write_regions};
pub use world_file::world_file;

use std::fmt;
use std::path::{Path, PathBuf};

use crate::atlas::{AtlasError, Content, Facts, LayerFacts, ManifestError, MapFolder};
use crate::store::PublishError;

/// Why an export is not made.
#[derive(Debug)]
pub enum ExportError {
    /// The map cannot be read, or the output cannot be written.
    Publish(PublishError),
    /// The picture that is asked for cannot be made.
    Picture(PictureError),
    /// The folder holds something else than a map.
    NotAMap(PathBuf, Content),
    /// The map does not show what is asked for: what that is, and what it shows.
    NotShown(String, Vec<String>),
    /// The map shows several, and none is named: the option that names one, and what the map shows.
    Several(&'static str, Vec<String>),
    /// A manifest cannot be read.
    Manifest(PathBuf, ManifestError),
    /// A tile is not the one that the manifest names: its path, and what is wrong.
    Tile(PathBuf, String),
    /// The output lies in the map, where the map's own files are, or the map in the output.
    InMap(PathBuf),
    /// Threads cannot be started.
    Threads(String),
    /// The bucket cannot be written.
    #[cfg(feature = "object-store")]
    Bucket(BucketError),
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Publish(error) => error.fmt(f),
            Self::Picture(error) => error.fmt(f),
            Self::NotAMap(path, content) => {
                write!(f, "{} holds {content}: an export is made from a map, so name the folder of one", path.display())
            }
            Self::NotShown(wanted, found) => {
                write!(f, "this map does not show {wanted}; it shows {}", found.join(", "))
            }
            Self::Several(option, found) => {
                write!(f, "this map shows {}: name one of them with {option}", found.join(", "))
            }
            Self::Manifest(path, error) => {
                write!(f, "{}: {error}: draw the map again with pixelmap render", path.display())
            }
            Self::Tile(path, wrong) => {
                write!(f, "{} {wrong}: draw the map again with pixelmap render --force", path.display())
            }
            Self::InMap(path) => write!(
                f,
                "{} lies where the map's own files are, or the map lies in it: name a place elsewhere with -o",
                path.display()
            ),
            Self::Threads(error) => write!(f, "threads cannot be started: {error}"),
            #[cfg(feature = "object-store")]
            Self::Bucket(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExportError {}

impl From<AtlasError> for ExportError {
    fn from(error: AtlasError) -> Self {
        Self::Publish(error.into())
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
            Self::Publish(error) => error.retryable(),
            #[cfg(feature = "object-store")]
            Self::Bucket(error) => error.retryable(),
            _ => false,
        }
    }
}

/// Opens the map in a folder.
///
/// # Errors
/// There is no map, or something else is there.
pub fn open_map(root: &Path) -> Result<MapFolder, ExportError> {
    let map = MapFolder::open(root)?;
    match map.content() {
        Content::Map => Ok(map),
        other => Err(ExportError::NotAMap(root.to_owned(), other)),
    }
}

/// The layers of a map that are asked for by their dimensions and layers. Of a dimension that is not asked for, the
/// overworld counts, or the only one there is; of a layer `day`, or the only one.
///
/// # Errors
/// The map does not show one of them, or it shows several and none of these is the one that counts.
pub fn layers<'m>(
    map: &'m MapFolder,
    dimensions: &[String],
    layers: &[String],
) -> Result<Vec<(&'m Facts, &'m LayerFacts)>, ExportError> {
    let mut found = Vec::new();
    let shown: Vec<&str> = map.dimensions().iter().map(|dimension| dimension.id.as_str()).collect();
    let wanted = asked(dimensions, &shown, "overworld", "-d")?;
    for dimension in map.dimensions().iter().filter(|dimension| wanted.contains(&&*dimension.id)) {
        let ids: Vec<&str> = dimension.layers.iter().map(|layer| layer.id.as_str()).collect();
        let wanted = asked(layers, &ids, "day", "-l")?;
        let layers = dimension.layers.iter().filter(|layer| wanted.contains(&&*layer.id));
        found.extend(layers.map(|layer| (dimension, layer)));
    }
    Ok(found)
}

/// Returns those of the `shown` that are asked for; where no name is given, the `usual` one, or the only one.
fn asked<'a>(
    names: &'a [String],
    shown: &[&'a str],
    usual: &'a str,
    option: &'static str,
) -> Result<Vec<&'a str>, ExportError> {
    let found = || shown.iter().map(|&name| name.to_owned()).collect();
    if names.iter().any(|name| name == "all") {
        return Ok(shown.to_vec());
    }
    if let Some(wrong) = names.iter().find(|name| !shown.contains(&name.as_str())) {
        return Err(ExportError::NotShown(wrong.clone(), found()));
    }
    match (names, shown) {
        ([], _) if shown.contains(&usual) => Ok(vec![usual]),
        ([], [only]) => Ok(vec![only]),
        ([], _) => Err(ExportError::Several(option, found())),
        _ => Ok(shown.iter().copied().filter(|shown| names.iter().any(|name| name == shown)).collect()),
    }
}

/// Fails where an output would lie among the files of the map, or around them.
///
/// # Errors
/// It would.
pub fn check_outside(map: &MapFolder, output: &Path, is_folder: bool) -> Result<(), ExportError> {
    if map.is_in_the_way(output, is_folder) { Err(ExportError::InMap(output.to_owned())) } else { Ok(()) }
}

/// The threads of an export, and what ends it.
pub struct Workers<'a> {
    /// The number of threads.
    pub threads: usize,
    /// Returns whether the export is to stop.
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
}

impl fmt::Debug for Workers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers").field("threads", &self.threads).finish_non_exhaustive()
    }
}

impl Workers<'_> {
    /// Runs `work` where rayon has these threads, or where they cannot be started in this one.
    fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, ExportError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.max(1)).build();
        let alone = |_| rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
        Ok(pool.or_else(alone).map_err(|error| ExportError::Threads(error.to_string()))?.install(work))
    }
}
