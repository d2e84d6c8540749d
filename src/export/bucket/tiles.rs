//! The tiles of a layer beside those that the bucket's manifest tells.

use std::cmp::Ordering;
use std::fs::File;
use std::io::{BufWriter, Seek as _};
use std::iter::from_fn;
use std::path::{Path, PathBuf};

use super::listed::{Listed, Stands};
use super::{Bucket, ExportError, temporary};
use crate::atlas::{
    AtlasError, LayerFacts, Manifest, ManifestError, ManifestLines, MapFolder, Naming, Scheme, TileRecord, in_folder,
};
use crate::base::coord::TilePos;
use crate::store::PublishError;

/// The record of a tile that may be there: no file is equal to it.
pub(super) const ON_ITS_WAY: TileRecord = TileRecord { bytes: 0, file: 0, pixels: 0 };

/// A tile of the map, of the bucket, or of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) tile: TilePos,
    /// As the map has it.
    pub(super) ours: Option<TileRecord>,
    /// As it stands in the bucket.
    pub(super) there: Option<TileRecord>,
}

impl Pair {
    /// The record of a tile that is to be put.
    pub(super) fn to_put(self) -> Option<TileRecord> {
        let is_there =
            |ours: &TileRecord| self.there.is_some_and(|there| (there.bytes, there.file) == (ours.bytes, ours.file));
        self.ours.filter(|ours| !is_there(ours))
    }
}

/// A layer, and what the bucket has of it.
#[derive(Debug)]
pub(super) struct LayerTiles<'m> {
    pub(super) facts: &'m LayerFacts,
    /// The path of its manifest in the map.
    pub(super) path: String,
    /// The same on this machine, for messages.
    place: PathBuf,
    ours: File,
    /// What is to stand in the bucket for the map's manifest.
    pub(super) stands: Stands,
    /// What stands in the bucket, if there is anything.
    there: Option<File>,
    /// Whether that is the same.
    pub(super) is_same: bool,
}

impl<'m> LayerTiles<'m> {
    /// Opens the manifest of a layer, and gets the bucket's where that is another one.
    ///
    /// # Errors
    /// The first cannot be read, or the store is away or refuses.
    pub(super) async fn open(
        map: &MapFolder,
        facts: &'m LayerFacts,
        bucket: &Bucket,
        listed: &Listed,
    ) -> Result<Self, ExportError> {
        let path = MapFolder::manifest_path(facts);
        let place = map.root().join(&path);
        let mut ours = map.open_file(&path)?;
        let stands = Stands::of_manifest(&mut ours, facts).map_err(PublishError::io(&place))?;
        let is_same = listed.holds(&path, stands);
        let there = if is_same { None } else { standing(bucket, &path).await? };
        Ok(Self { facts, path, place, ours, stands, there, is_same })
    }

    /// The map's manifest, from its start.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn manifest(&self) -> Result<File, ExportError> {
        from_start(&self.ours, &self.place)
    }

    /// The number of its tiles.
    ///
    /// # Errors
    /// The manifest cannot be read.
    pub(super) fn count(&self) -> Result<u64, ExportError> {
        Ok(ManifestLines::new(self.manifest()?, self.facts.scheme).count() as u64)
    }

    /// The tiles of both, in their order. Lines of the bucket's manifest that are damaged are left out.
    ///
    /// # Errors
    /// The map's manifest cannot be read, or a line of it is damaged.
    pub(super) fn pairs(&self) -> Result<impl Iterator<Item = Result<Pair, ExportError>>, ExportError> {
        let ours = ManifestLines::new(self.manifest()?, self.facts.scheme);
        let there = self.there.as_ref().map(|file| from_start(file, Path::new("a temporary file"))).transpose()?;
        let pairs = joined(ours, there.map(|file| ManifestLines::new(file, self.facts.scheme)));
        Ok(pairs.map(|pair| pair.map_err(|error| AtlasError::Manifest(self.place.clone(), error).into())))
    }
}

/// The place of the manifest of a layer that is under way. It names all tiles that may stand there, those that were on
/// their way with no content: neither a kill nor a lost answer of the store leaves a tile that no manifest tells of.
pub(super) fn under_way(manifest: &str) -> String {
    format!(".pixelmap/{manifest}")
}

/// What stands in a bucket of a layer with this manifest.
pub(super) async fn standing(bucket: &Bucket, manifest: &str) -> Result<Option<File>, ExportError> {
    match bucket.get(&under_way(manifest)).await? {
        Some(file) => Ok(Some(file)),
        None => Ok(bucket.get(manifest).await?),
    }
}

/// The tiles of two manifests of one scheme, in their order.
fn joined(ours: ManifestLines, there: Option<ManifestLines>) -> impl Iterator<Item = Result<Pair, ManifestError>> {
    let (mut ours, mut there) = (ours, there.into_iter().flatten().filter_map(Result::ok).peekable());
    let mut waits = None;
    from_fn(move || {
        let next = match waits.take().or_else(|| ours.next()) {
            Some(Err(error)) => return Some(Err(error)),
            Some(Ok(next)) => Some(next),
            None => None,
        };
        let place = |tile: TilePos| ours.place(tile);
        let order = match (next, there.peek()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((tile, _)), Some((other, _))) => place(tile).cmp(&place(*other)),
        };
        let standing = if order == Ordering::Less { None } else { there.next() };
        if order == Ordering::Greater {
            waits = next.map(Ok);
        }
        let own = next.filter(|_| order != Ordering::Greater);
        let tile = own.or(standing)?.0;
        Some(Ok(Pair { tile, ours: own.map(|(_, record)| record), there: standing.map(|(_, record)| record) }))
    })
}

/// The paths of all tiles of a manifest, which lies at a path in a bucket.
pub(super) fn paths(path: &str, naming: Naming, manifest: File) -> impl Iterator<Item = String> {
    let folder = path.strip_suffix(Manifest::FILE).unwrap_or(path).trim_end_matches('/').to_owned();
    let tiles = ManifestLines::new(manifest, naming.scheme).filter_map(Result::ok);
    tiles.map(move |(tile, _)| in_folder(&folder, &naming.path(tile)))
}

/// A manifest of the same tiles, in which all are marked.
pub(super) fn all_marked(scheme: Scheme, manifest: File) -> Result<File, ExportError> {
    let mut lines = Lines::new(scheme)?;
    for (tile, _) in ManifestLines::new(manifest, scheme).filter_map(Result::ok) {
        lines.add(tile, ON_ITS_WAY)?;
    }
    lines.end()
}

/// Lines of a manifest in a temporary file.
pub(super) struct Lines {
    scheme: Scheme,
    file: BufWriter<File>,
}

impl Lines {
    pub(super) fn new(scheme: Scheme) -> Result<Self, ExportError> {
        Ok(Self { scheme, file: BufWriter::new(tempfile::tempfile().map_err(temporary)?) })
    }

    pub(super) fn add(&mut self, tile: TilePos, record: TileRecord) -> Result<(), ExportError> {
        Ok(Manifest::write_line(self.scheme, tile, record, &mut self.file).map_err(temporary)?)
    }

    /// The file, from its start.
    pub(super) fn end(self) -> Result<File, ExportError> {
        let mut file = self.file.into_inner().map_err(|error| temporary(error.into_error()))?;
        file.rewind().map_err(temporary)?;
        Ok(file)
    }
}

/// The same file, to be read from its start.
fn from_start(mut file: &File, place: &Path) -> Result<File, ExportError> {
    file.rewind().and_then(|()| file.try_clone()).map_err(|error| PublishError::Io(place.to_owned(), error).into())
}
