//! The tiles of a layer beside those that the bucket's manifest names.

use std::fs::File;
use std::io::{BufWriter, Seek as _};
use std::path::{Path, PathBuf};

use super::file_list::{FileList, ListedFile};
use super::{Bucket, temporary};
use crate::atlas::{
    AtlasError, LayerFacts, Manifest, ManifestLines, MapFolder, Naming, STATE, Scheme, TilePair, TileRecord, in_folder,
    join,
};
use crate::base::coord::TilePos;
use crate::export::ExportError;
use crate::store::PublishError;

/// The record of a marked tile, which is equal to that of no file.
pub(super) const MARK: TileRecord = TileRecord { bytes: 0, file: 0, pixels: 0 };

/// A layer of the map, and its manifest in the bucket.
#[derive(Debug)]
pub(super) struct BucketLayer<'m> {
    pub(super) facts: &'m LayerFacts,
    /// The path of its manifest in the map and in the bucket.
    pub(super) path: String,
    /// The path of the manifest on this machine, for messages.
    place: PathBuf,
    /// The map's manifest.
    manifest: File,
    /// The entry for that in the list.
    pub(super) listed: ListedFile,
    /// The bucket's manifest, if it has one and another one.
    other: Option<File>,
    /// Whether the bucket has the map's manifest, without marks.
    pub(super) is_same: bool,
}

impl<'m> BucketLayer<'m> {
    /// Opens the manifest of a layer, and gets the bucket's where that is another one.
    ///
    /// # Errors
    /// The first cannot be read, or the store is away or refuses.
    pub(super) async fn open(
        map: &MapFolder,
        facts: &'m LayerFacts,
        bucket: &Bucket,
        list: &FileList,
    ) -> Result<Self, ExportError> {
        let path = MapFolder::manifest_path(facts);
        let place = map.manifest_place(facts);
        let mut manifest = map.open_file(&path)?;
        let listed = ListedFile::read_manifest(&mut manifest, facts).map_err(PublishError::io(&place))?;
        let is_same = list.has(&path, listed);
        let other = if is_same { None } else { bucket_manifest(bucket, &path).await? };
        Ok(Self { facts, path, place, manifest, listed, other, is_same })
    }

    /// The map's manifest, from its start.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn manifest(&self) -> Result<File, ExportError> {
        from_start(&self.manifest, &self.place)
    }

    /// The number of the map's tiles.
    ///
    /// # Errors
    /// The manifest cannot be read.
    pub(super) fn count(&self) -> Result<u64, ExportError> {
        Ok(ManifestLines::new(self.manifest()?, self.facts.scheme).count() as u64)
    }

    /// The tiles of the map and of the bucket, in their order. Lines of the bucket's manifest that are damaged are left
    /// out.
    ///
    /// # Errors
    /// The map's manifest cannot be read, or a line of it is damaged.
    pub(super) fn pairs(&self) -> Result<impl Iterator<Item = Result<TilePair, ExportError>>, ExportError> {
        let scheme = self.facts.scheme;
        let tiles = ManifestLines::new(self.manifest()?, scheme);
        let other = self.other.as_ref().map(|file| from_start(file, Path::new("a temporary file"))).transpose()?;
        let others = other.into_iter().flat_map(move |file| whole_lines(file, scheme));
        let pairs = join(tiles, others, move |tile| scheme.place(tile));
        Ok(pairs.map(|pair| pair.map_err(|error| AtlasError::Manifest(self.place.clone(), error).into())))
    }
}

/// The record of a tile that is to be put: the map has it, and the bucket another one or none.
pub(super) fn to_put(pair: TilePair) -> Option<TileRecord> {
    pair.a.filter(|_| !pair.has_same_file())
}

/// The path of the manifest that marks tiles, and names all that may be in the bucket.
pub(super) fn marks_path(manifest: &str) -> String {
    format!("{STATE}/{manifest}")
}

/// The manifest of a layer that counts in a bucket: that with marks, or else the one at `path`.
pub(super) async fn bucket_manifest(bucket: &Bucket, path: &str) -> Result<Option<File>, ExportError> {
    match bucket.get(&marks_path(path)).await? {
        Some(file) => Ok(Some(file)),
        None => Ok(bucket.get(path).await?),
    }
}

/// The lines of a manifest, but for damaged ones.
fn whole_lines(manifest: File, scheme: Scheme) -> impl Iterator<Item = (TilePos, TileRecord)> {
    ManifestLines::new(manifest, scheme).filter_map(Result::ok)
}

/// The paths of all tiles of a manifest, which is at `path` in a bucket.
pub(super) fn tile_paths(path: &str, naming: Naming, manifest: File) -> impl Iterator<Item = String> {
    let folder = path.strip_suffix(Manifest::FILE).unwrap_or(path).trim_end_matches('/').to_owned();
    whole_lines(manifest, naming.scheme).map(move |(tile, _)| in_folder(&folder, &naming.path(tile)))
}

/// A manifest of the same tiles, in which all are marked.
pub(super) fn mark_all(scheme: Scheme, manifest: File) -> Result<File, ExportError> {
    let mut lines = Lines::new(scheme)?;
    for (tile, _) in whole_lines(manifest, scheme) {
        lines.add(tile, MARK)?;
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

/// Opens the file again, to be read from its start.
fn from_start(mut file: &File, place: &Path) -> Result<File, ExportError> {
    file.rewind().and_then(|()| file.try_clone()).map_err(|error| PublishError::Io(place.to_owned(), error).into())
}
