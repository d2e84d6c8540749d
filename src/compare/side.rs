//! One side of a comparison: a map's folder, an archive, a picture, or a saved manifest.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::{Picture, Trouble};
use crate::atlas::{Archive, Content, Manifest, ManifestLines, MapFolder, Scheme};
use crate::base::disk::{is_one_place, open_file};
use crate::world::files::Files;

/// The first bytes of a PNG.
const PNG: [u8; 8] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n'];
/// The first bytes of a WebP, and those behind its length.
const WEBP: (&[u8], &[u8]) = (b"RIFF", b"WEBP");
const START_BYTES: u64 = 12;

/// One side of a comparison.
#[derive(Debug)]
pub enum Side {
    /// A map in its folder.
    Map(MapFolder),
    /// The manifest of one layer.
    Manifest(PathBuf),
    /// One picture.
    Picture(Picture),
    /// One layer of a map in one file.
    Archive(Archive),
}

impl Side {
    /// Opens a map, a picture or a manifest.
    ///
    /// # Errors
    /// It cannot be read, or is none of these.
    pub fn open(path: &Path) -> Result<Self, Trouble> {
        if path.is_dir() || !path.exists() {
            let facts = [Content::Map, Content::Regions].map(|content| path.join(content.facts()));
            let pointer = facts.into_iter().find(|facts| Files::Disk.is_lfs_pointer(facts));
            let map = MapFolder::open(path).map_err(|error| pointer.map_or(error.into(), Trouble::Pointer))?;
            return Ok(Self::Map(map));
        }
        let mut file = open_file(path).map_err(Trouble::io(path))?;
        let mut start = Vec::new();
        file.by_ref().take(START_BYTES).read_to_end(&mut start).map_err(Trouble::io(path))?;
        if start.starts_with(&PNG) || start.starts_with(WEBP.0) && start.ends_with(WEBP.1) {
            return Picture::open(path).map(Self::Picture);
        }
        if Archive::is_at(path).map_err(Trouble::io(path))? {
            return Ok(Self::Archive(Archive::open(path)?));
        }
        // A manifest without tiles is empty.
        let is_empty = start.is_empty() && path.extension() == Path::new(Manifest::FILE).extension();
        for scheme in Scheme::ALL {
            if lines_of(path, scheme)?.next().map_or(is_empty, |line| line.is_ok()) {
                return Ok(Self::Manifest(path.to_owned()));
            }
        }
        Err(Trouble::of(path.to_owned(), Trouble::NotARender))
    }

    /// The name of what it shows: of a map its world's, else that of the file.
    pub fn name(&self) -> String {
        match self {
            Self::Map(map) => map.name().to_owned(),
            Self::Archive(archive) => archive.facts().name.clone(),
            _ => self.path().file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    /// The folder or file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Map(map) => map.root(),
            Self::Manifest(path) => path,
            Self::Picture(picture) => picture.path(),
            Self::Archive(archive) => archive.path(),
        }
    }

    const fn kind(&self) -> &'static str {
        match self {
            Self::Map(_) => "a map",
            Self::Manifest(_) => "a manifest",
            Self::Picture(_) => "a picture",
            Self::Archive(_) => "an archive",
        }
    }
}

/// Fails where both sides are one: that would always be the same, and a check must not pass because of it.
pub(super) fn check_two(a: &Side, b: &Side) -> Result<(), Trouble> {
    let is_manifest_of = |map: &MapFolder, path: &Path| {
        map.layers().any(|(_, layer)| is_one_place(path, &map.root().join(MapFolder::manifest_path(layer))))
    };
    let is_one = match (a, b) {
        (Side::Manifest(path), Side::Map(map)) | (Side::Map(map), Side::Manifest(path)) => is_manifest_of(map, path),
        _ => is_one_place(a.path(), b.path()),
    };
    if is_one { Err(Trouble::One(a.path().to_owned(), b.path().to_owned())) } else { Ok(()) }
}

pub(super) fn unlike(a: &Side, b: &Side) -> Trouble {
    Trouble::Unlike(a.kind(), b.kind())
}

/// A saved manifest, whose tiles are counted as `scheme` counts them.
pub(super) fn saved_manifest(path: &Path, scheme: Scheme) -> Result<Manifest, Trouble> {
    whole(path, lines_of(path, scheme)?)
}

fn lines_of(path: &Path, scheme: Scheme) -> Result<ManifestLines, Trouble> {
    let file = open_file(path).map_err(Trouble::io(path))?;
    Ok(ManifestLines::new(file, scheme))
}

/// The manifest of these lines, which are those of the file at `path`.
pub(super) fn whole(path: &Path, lines: ManifestLines) -> Result<Manifest, Trouble> {
    let tiles = lines.collect::<Result<_, _>>();
    let tiles = tiles.map_err(|error| Trouble::of(path.to_owned(), |path| Trouble::Manifest(path, error)))?;
    Ok(Manifest { tiles })
}
