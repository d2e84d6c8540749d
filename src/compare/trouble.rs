//! The reasons why two renders cannot be compared or one cannot be checked. Each message names the
//! remedy.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::atlas::AtlasError;
use crate::base::words::{
    DIFF, DIMENSION, HEATMAP, IGNORE, IMAGE, LONG_LAYER, MAX_CHANGED, THREADS, TOLERANCE,
};
use crate::world::files::Files;

/// A reason why two renders cannot be compared, or why one cannot be checked.
#[derive(Debug)]
pub enum Trouble {
    /// A map cannot be read, or a tile differs from the one that its manifest names.
    Map(AtlasError),
    /// The path is not a map, an archive, a picture or a manifest.
    NotARender(PathBuf),
    /// The file is a pointer of Git LFS instead of the content.
    Pointer(PathBuf),
    /// Both paths lead to the same render.
    One(PathBuf, PathBuf),
    /// `verify` was given a manifest, which cannot be checked without its tiles.
    NotVerified(PathBuf),
    /// The two are of different kinds.
    Unlike(&'static str, &'static str),
    /// Neither map has a requested dimension or layer.
    NotShown(String),
    /// Neither map has any of the requested layers in the requested dimensions.
    Nothing,
    /// A saved manifest describes one layer, but the request selects several layers of the map.
    WhichLayer(PathBuf, Vec<String>),
    /// The request needs pixels, but a manifest does not contain them.
    NeedsPixels(PathBuf),
    /// The two differ in a setting that affects pixels: the setting and both values.
    Differ(&'static str, String, String),
    /// A picture that cannot be read.
    Picture(PathBuf, String),
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

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Map(error) => error.fmt(f),
            Self::NotARender(path) => write!(
                f,
                "{} cannot be compared: give a map's folder, an archive (.pmtiles), a picture (PNG \
                 or WebP), or a saved tiles.tsv",
                path.display()
            ),
            Self::Pointer(path) => write!(
                f,
                "{} is a pointer of Git LFS in the place of the file: run git lfs pull in the \
                 repository",
                path.display()
            ),
            Self::One(a, b) => write!(
                f,
                "{} and {} are the same map: draw into another folder, and compare it with the \
                 earlier one",
                a.display(),
                b.display()
            ),
            Self::NotVerified(path) => write!(
                f,
                "{} is a manifest: give the folder of its map, an archive or a picture, or compare \
                 it with {DIFF}",
                path.display()
            ),
            Self::Unlike(a, b) => write!(
                f,
                "{a} cannot be compared with {b}: give two maps, or two pictures; a map may be a \
                 folder, an archive or a saved tiles.tsv"
            ),
            Self::NotShown(name) => {
                write!(
                    f,
                    "neither map shows {}: check {DIMENSION} and {LONG_LAYER}",
                    name.escape_debug()
                )
            }
            Self::Nothing => {
                write!(
                    f,
                    "neither map shows this layer of this dimension: check {DIMENSION} and \
                     {LONG_LAYER}"
                )
            }
            Self::WhichLayer(path, layers) => write!(
                f,
                "{} is the manifest of one layer: choose that layer of the map with {DIMENSION} \
                 and {LONG_LAYER} ({})",
                path.display(),
                layers.join(", ").escape_debug()
            ),
            Self::NeedsPixels(path) => write!(
                f,
                "{} is a manifest, which contains only hashes: give the map's folder, or leave out \
                 the options that need pixels ({TOLERANCE}, {IGNORE}, {MAX_CHANGED}, {IMAGE}, \
                 {HEATMAP})",
                path.display()
            ),
            Self::Differ(what, a, b) => {
                let (a, b) = (a.escape_debug(), b.escape_debug());
                write!(
                    f,
                    "the {what} differ ({a} and {b}): draw both maps with the same options"
                )
            }
            Self::Picture(path, error) => {
                write!(f, "{} cannot be read as a picture: {error}", path.display())
            }
            Self::Threads(error) => {
                write!(
                    f,
                    "threads cannot be started ({error}): ask for fewer with {THREADS}"
                )
            }
        }
    }
}

impl std::error::Error for Trouble {}
