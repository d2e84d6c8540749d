//! The reasons why two renders cannot be compared or one cannot be checked. Each message names the
//! remedy.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::atlas::AtlasError;
use pixelmap_base::files::Files;
use pixelmap_base::words::{
    DIFF, DIMENSION, HEATMAP, IGNORE, IMAGE, LONG_LAYER, MAX_CHANGED, THREADS, TOLERANCE,
};

/// A reason why two renders cannot be compared, or why one cannot be checked.
#[derive(Debug, Error)]
pub enum Trouble {
    /// A map cannot be read, or a tile differs from the one that its manifest names.
    #[error(transparent)]
    Map(AtlasError),
    /// The path is not a map, an archive, a picture or a manifest.
    #[error(
        "{} cannot be compared: give a map's folder, an archive (.pmtiles), a picture (PNG or \
         WebP), or a saved tiles.tsv",
        .0.display()
    )]
    NotARender(PathBuf),
    /// The file is a pointer of Git LFS instead of the content.
    #[error(
        "{} is a pointer of Git LFS in the place of the file: run git lfs pull in the repository",
        .0.display()
    )]
    Pointer(PathBuf),
    /// Both paths lead to the same render.
    #[error(
        "{} and {} are the same map: draw into another folder, and compare it with the earlier one",
        .0.display(),
        .1.display()
    )]
    One(PathBuf, PathBuf),
    /// `verify` was given a manifest, which cannot be checked without its tiles.
    #[error(
        "{} is a manifest: give the folder of its map, an archive or a picture, or compare it with \
         {DIFF}",
        .0.display()
    )]
    NotVerified(PathBuf),
    /// The two are of different kinds.
    #[error(
        "{0} cannot be compared with {1}: give two maps, or two pictures; a map may be a folder, an \
         archive or a saved tiles.tsv"
    )]
    Unlike(&'static str, &'static str),
    /// Neither map has a requested dimension or layer.
    #[error("neither map shows {}: check {DIMENSION} and {LONG_LAYER}", .0.escape_debug())]
    NotShown(String),
    /// Neither map has any of the requested layers in the requested dimensions.
    #[error("neither map shows this layer of this dimension: check {DIMENSION} and {LONG_LAYER}")]
    Nothing,
    /// A saved manifest describes one layer, but the request selects several layers of the map.
    #[error(
        "{} is the manifest of one layer: choose that layer of the map with {DIMENSION} and \
         {LONG_LAYER} ({})",
        .0.display(),
        .1.join(", ").escape_debug()
    )]
    WhichLayer(PathBuf, Vec<String>),
    /// The request needs pixels, but a manifest does not contain them.
    #[error(
        "{} is a manifest, which contains only hashes: give the map's folder, or leave out the \
         options that need pixels ({TOLERANCE}, {IGNORE}, {MAX_CHANGED}, {IMAGE}, {HEATMAP})",
        .0.display()
    )]
    NeedsPixels(PathBuf),
    /// The two differ in a setting that affects pixels: the setting and both values.
    #[error(
        "the {} differ ({} and {}): draw both maps with the same options",
        .0,
        .1.escape_debug(),
        .2.escape_debug()
    )]
    Differ(&'static str, String, String),
    /// A picture that cannot be read.
    #[error("{} cannot be read as a picture: {}", .0.display(), .1)]
    Picture(PathBuf, String),
    #[error("threads cannot be started ({0}): ask for fewer with {THREADS}")]
    Threads(String),
}

impl Trouble {
    /// Returns whether a file of a map cannot be read because it is a link, or because a link is on
    /// the way to it.
    pub(super) fn is_link(&self) -> bool {
        matches!(self, Self::Map(error) if error.is_link())
    }

    /// Converts an error that happened when `path` was read.
    pub(super) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Map(AtlasError::Io(path, error))
    }
}

impl From<AtlasError> for Trouble {
    fn from(error: AtlasError) -> Self {
        match error {
            AtlasError::Manifest(path, _) | AtlasError::Changed(path)
                if Files::Disk.is_lfs_pointer(&path) =>
            {
                Self::Pointer(path)
            }
            error => Self::Map(error),
        }
    }
}
