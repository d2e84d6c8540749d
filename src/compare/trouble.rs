//! Why two renders cannot be compared, each with its remedy.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::publish::{ManifestError, PublishError};
use crate::tile::NotATile;

/// Why two renders cannot be compared, or one of them not be checked.
#[derive(Debug)]
pub enum Trouble {
    /// A folder or file cannot be read.
    Publish(PublishError),
    /// The path is none of what can be compared.
    NotARender(PathBuf),
    /// They are of different kinds.
    Unlike(&'static str, &'static str),
    /// A dimension and layer that only one of them shows.
    OnlyInOne(String, PathBuf),
    /// A dimension or layer that was asked for and is in neither.
    NotShown(String),
    /// Nothing of what was asked for is in either.
    Nothing,
    /// A saved manifest is that of one layer, and the map shows several.
    WhichLayer(PathBuf, Vec<String>),
    /// What is asked for needs pixels, and a manifest holds none.
    NeedsPixels(PathBuf),
    /// They differ in something that pixels hang on: what, and what each says.
    Differ(&'static str, String, String),
    /// A manifest that is not whole.
    Manifest(PathBuf, ManifestError),
    /// A tile that the manifest names and that is not there.
    Missing(PathBuf),
    /// A tile that is not the one the manifest names.
    Changed(PathBuf),
    /// A tile that is none.
    NotATile(PathBuf, NotATile),
    /// A picture that cannot be read.
    Picture(PathBuf, String),
    /// No threads can be had.
    Threads(String),
}

impl Trouble {
    /// For what could not be read at `path`.
    pub(super) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Publish(PublishError::Io(path, error))
    }
}

impl From<PublishError> for Trouble {
    fn from(error: PublishError) -> Self {
        Self::Publish(error)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Publish(error) => error.fmt(f),
            Self::NotARender(path) => write!(
                f,
                "{} is nothing that can be compared: name a map's folder, a picture in PNG, or a saved tiles.tsv",
                path.display()
            ),
            Self::Unlike(a, b) => write!(
                f,
                "{a} cannot be compared with {b}: name two maps, two pictures, or a saved tiles.tsv and then a map"
            ),
            Self::OnlyInOne(layer, path) => write!(
                f,
                "{} is in {} alone: draw it in both, or say with -d and --layer what to compare",
                layer.escape_debug(),
                path.display()
            ),
            Self::NotShown(name) => {
                write!(f, "neither shows {}: see -d and --layer", name.escape_debug())
            }
            Self::Nothing => write!(f, "neither shows such a layer of such a dimension: see -d and --layer"),
            Self::WhichLayer(path, layers) => write!(
                f,
                "{} is the manifest of one layer: say with -d and --layer of which ({})",
                path.display(),
                layers.join(", ").escape_debug()
            ),
            Self::NeedsPixels(path) => write!(
                f,
                "{} is a manifest, which holds no pixels: name the map's folder, or leave out what needs them \
                 (--tolerance, a share in --max-changed, --image, --heatmap)",
                path.display()
            ),
            Self::Differ(what, a, b) => {
                let (a, b) = (a.escape_debug(), b.escape_debug());
                write!(f, "the {what} differ ({a} and {b}): draw both with the same options")
            }
            Self::Manifest(path, error) => {
                write!(f, "{}: {error}: draw the map again, or take the saved file again", path.display())
            }
            Self::Missing(path) => {
                write!(f, "{} is missing: see pixelmap verify, and draw the map again", path.display())
            }
            Self::Changed(path) => write!(
                f,
                "{} is not the file that its manifest names: see pixelmap verify, and draw the map again",
                path.display()
            ),
            Self::NotATile(path, error) => write!(f, "{} is {error}: draw the map again", path.display()),
            Self::Picture(path, error) => write!(f, "{} cannot be read as a picture: {error}", path.display()),
            Self::Threads(error) => write!(f, "no threads can be had ({error}): ask for fewer with --threads"),
        }
    }
}

impl std::error::Error for Trouble {}
