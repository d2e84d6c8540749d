//! Opens one side of a comparison: a map's folder, an archive, a picture, or a saved manifest. The
//! content decides, not the name.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::picture::PictureFile;
use super::trouble::Trouble;
use crate::atlas::{Content, FinishedMap, Manifest, ManifestLines, MapFolder, Scheme, TileArchive};
use pixelmap_base::disk::{facts, is_one_place, open_file};
use pixelmap_base::files::Files;

/// The first bytes of a PNG.
const PNG: [u8; 8] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n'];
/// The first bytes of a WebP, and the bytes after the length that follows them.
const WEBP: (&[u8], &[u8]) = (b"RIFF", b"WEBP");
const START_BYTES: u64 = 12;

/// One side of a comparison.
#[derive(Debug)]
pub enum Side {
    /// A map in its folder, or one layer of a map in one file.
    Map(FinishedMap),
    /// The saved manifest of one layer.
    Manifest(PathBuf),
    Picture(PictureFile),
}

/// The two sides of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct Sides<'a> {
    /// The first side, which is shown as "before".
    pub a: &'a Side,
    /// The second side, which is shown as "after".
    pub b: &'a Side,
}

impl Side {
    /// Opens a map, an archive, a picture or a manifest.
    ///
    /// # Errors
    /// Fails if the file or folder cannot be read, or is of another kind.
    pub fn open(path: &Path) -> Result<Self, Trouble> {
        if facts(path)
            .map_err(Trouble::io(path))?
            .is_none_or(|there| there.is_dir())
        {
            let files = [Content::Map, Content::Regions].map(|content| path.join(content.facts()));
            let pointer = files
                .into_iter()
                .find(|file| Files::Disk.is_lfs_pointer(file));
            let map = MapFolder::open(path)
                .map_err(|error| pointer.map_or(error.into(), Trouble::Pointer))?;
            return Ok(Self::Map(FinishedMap::Folder(map)));
        }

        let mut file = open_file(path).map_err(Trouble::io(path))?;
        let mut start = Vec::new();
        file.by_ref()
            .take(START_BYTES)
            .read_to_end(&mut start)
            .map_err(Trouble::io(path))?;

        if start.starts_with(&PNG) || start.starts_with(WEBP.0) && start.ends_with(WEBP.1) {
            return PictureFile::open(path).map(Self::Picture);
        }
        if TileArchive::is_at(path).map_err(Trouble::io(path))? {
            return Ok(Self::Map(FinishedMap::Archive(TileArchive::open(path)?)));
        }

        // The manifest of a layer without tiles is an empty file, so only the ending identifies it.
        let is_empty =
            start.is_empty() && path.extension() == Path::new(Manifest::FILE).extension();
        for scheme in Scheme::ALL {
            if manifest_lines(path, scheme)?
                .next()
                .map_or(is_empty, |line| line.is_ok())
            {
                return Ok(Self::Manifest(path.to_owned()));
            }
        }

        let path = path.to_owned();
        Err(if Files::Disk.is_lfs_pointer(&path) {
            Trouble::Pointer(path)
        } else {
            Trouble::NotARender(path)
        })
    }

    /// Returns the name of the world that a map shows, or the name of the file without its ending.
    pub fn name(&self) -> String {
        match self {
            Self::Map(map) => map.facts().name.clone(),
            _ => self
                .path()
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
        }
    }

    pub fn path(&self) -> &Path {
        match self {
            Self::Map(map) => map.path(),
            Self::Manifest(path) => path,
            Self::Picture(picture) => picture.path(),
        }
    }

    const fn kind(&self) -> &'static str {
        match self {
            Self::Map(FinishedMap::Folder(_)) => "a map",
            Self::Map(FinishedMap::Archive(_)) => "an archive",
            Self::Manifest(_) => "a manifest",
            Self::Picture(_) => "a picture",
        }
    }
}

/// Fails if both sides are the same render. They would always be equal, so a check that names a
/// wrong path must not pass.
pub(super) fn check_two(a: &Side, b: &Side) -> Result<(), Trouble> {
    let is_one = match (a, b) {
        (Side::Manifest(path), Side::Map(FinishedMap::Folder(map)))
        | (Side::Map(FinishedMap::Folder(map)), Side::Manifest(path)) => map
            .facts()
            .layers()
            .any(|layer| is_one_place(path, &map.manifest_place(layer))),
        (Side::Map(FinishedMap::Folder(a)), Side::Map(FinishedMap::Folder(b))) => {
            a.moment_id() == b.moment_id() && is_one_place(a.root(), b.root())
        }
        _ => is_one_place(a.path(), b.path()),
    };

    if is_one {
        Err(Trouble::One(a.path().to_owned(), b.path().to_owned()))
    } else {
        Ok(())
    }
}

pub(super) fn unlike_error(a: &Side, b: &Side) -> Trouble {
    Trouble::Unlike(a.kind(), b.kind())
}

/// Reads a saved manifest whose tiles are counted in `scheme`.
pub(super) fn saved_manifest(path: &Path, scheme: Scheme) -> Result<Manifest, Trouble> {
    Ok(manifest_lines(path, scheme)?.read_all(path)?)
}

fn manifest_lines(path: &Path, scheme: Scheme) -> Result<ManifestLines, Trouble> {
    let file = open_file(path).map_err(Trouble::io(path))?;
    Ok(ManifestLines::new(file, scheme))
}
