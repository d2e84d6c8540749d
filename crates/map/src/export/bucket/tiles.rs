//! Compares the tiles of a layer with the tiles that the bucket's manifest names, and writes
//! manifests with marks. Temporary files hold the manifests, so that memory does not grow with the
//! number of tiles.

use std::fs::File;
use std::io::{self, BufWriter, Seek as _};
use std::path::{Path, PathBuf};

use super::file_list::{FileList, ListedFile, MARK};
use super::store::Bucket;
use super::upload::ExportSetup;
use crate::atlas::{
    AtlasError, LayerFacts, Manifest, ManifestLines, MapFolder, Naming, STATE, Scheme, TilePair,
    TileRecord, in_folder, join,
};
use crate::export::error::ExportError;
use crate::store::PublishError;
use pixelmap_base::coord::TilePos;

/// A layer of the map, with its manifest in the bucket.
#[derive(Debug)]
pub(super) struct BucketLayer<'m> {
    pub(super) facts: &'m LayerFacts,
    /// The path of its manifest, in the map and in the bucket.
    pub(super) path: String,
    /// The path of the manifest on this machine, for messages.
    place: PathBuf,
    /// The map's manifest.
    manifest: File,
    /// The entry of the map's manifest in the list.
    pub(super) listed: ListedFile,
    /// The bucket's manifest, if there is one and it differs from the map's.
    other: Option<File>,
    /// Whether the bucket has the map's manifest, without a mark, or the run has not drawn the layer.
    pub(super) is_same: bool,
    /// Whether the run has not drawn the layer, so that its marks stay.
    pub(super) is_untouched: bool,
}

impl<'m> BucketLayer<'m> {
    /// Opens the manifest of a layer, and downloads the bucket's manifest if that is different.
    ///
    /// # Errors
    /// Fails if the map's manifest cannot be read, or if the store is away or refuses.
    pub(super) async fn open(
        ExportSetup {
            map, bucket, files, ..
        }: ExportSetup<'_>,
        facts: &'m LayerFacts,
        list: &FileList,
        is_untouched: bool,
    ) -> Result<Self, ExportError> {
        let path = MapFolder::manifest_path(facts);
        let place = map.manifest_place(facts);

        let mut manifest = map.open_file(&path)?;
        let listed =
            ListedFile::read_manifest(&mut manifest, facts).map_err(PublishError::io(&place))?;
        let is_same = is_untouched || list.has(&path, listed);
        let other = match files {
            _ if is_same => None,
            Some(files) => files
                .manifest(&facts.path, facts.scheme)
                .map_err(temporary)?,
            None => bucket_manifest(bucket, &path).await?,
        };

        Ok(Self {
            facts,
            path,
            place,
            manifest,
            listed,
            other,
            is_same,
            is_untouched,
        })
    }

    /// Returns the map's manifest, to be read from its start.
    ///
    /// # Errors
    /// Fails if the file cannot be rewound or duplicated.
    pub(super) fn manifest(&self) -> Result<File, ExportError> {
        from_start(&self.manifest, &self.place)
    }

    /// Counts the map's tiles.
    ///
    /// # Errors
    /// Fails if the manifest cannot be read.
    pub(super) fn count(&self) -> Result<u64, ExportError> {
        Ok(ManifestLines::new(self.manifest()?, self.facts.scheme).count() as u64)
    }

    /// Pairs the tiles of the map (`a`) with the tiles in the bucket (`b`), in order. Damaged lines
    /// of the bucket's manifest are skipped.
    ///
    /// # Errors
    /// Fails if the map's manifest cannot be read, or if one of its lines is damaged.
    pub(super) fn pairs(
        &self,
    ) -> Result<impl Iterator<Item = Result<TilePair, ExportError>>, ExportError> {
        let scheme = self.facts.scheme;
        let tiles = ManifestLines::new(self.manifest()?, scheme);
        let other = self
            .other
            .as_ref()
            .map(|file| from_start(file, Path::new("a temporary file")))
            .transpose()?;

        let others = other
            .into_iter()
            .flat_map(move |file| whole_lines(file, scheme));
        let pairs = join(tiles, others, move |tile| scheme.sort_key(tile));
        Ok(pairs.map(|pair| {
            pair.map_err(|error| AtlasError::Manifest(self.place.clone(), error).into())
        }))
    }
}

/// Returns the record of a tile to upload: the map has it, and the bucket has another version of it
/// or none.
pub(super) fn to_put(pair: TilePair) -> Option<TileRecord> {
    if pair.has_same_file() { None } else { pair.a }
}

/// Returns the path of the manifest that contains marks, and names all tiles that may be in the
/// bucket.
pub(super) fn marks_path(manifest: &str) -> String {
    format!("{STATE}/{manifest}")
}

/// Downloads the manifest that describes a layer in a bucket: the one with marks if there is one,
/// otherwise the one at `path`.
pub(super) async fn bucket_manifest(
    bucket: &Bucket,
    path: &str,
) -> Result<Option<File>, ExportError> {
    match bucket.get(&marks_path(path)).await? {
        Some(file) => Ok(Some(file)),
        None => Ok(bucket.get(path).await?),
    }
}

/// Returns the undamaged lines of a manifest.
fn whole_lines(manifest: File, scheme: Scheme) -> impl Iterator<Item = (TilePos, TileRecord)> {
    ManifestLines::new(manifest, scheme).filter_map(Result::ok)
}

/// Returns the paths of all tiles in a manifest, which is at `path` in a bucket.
pub(super) fn tile_paths(
    path: &str,
    naming: Naming,
    manifest: File,
) -> impl Iterator<Item = String> {
    let folder = path
        .strip_suffix(Manifest::FILE)
        .unwrap_or(path)
        .trim_end_matches('/')
        .to_owned();
    whole_lines(manifest, naming.scheme)
        .map(move |(tile, _)| in_folder(&folder, &naming.path(tile)))
}

/// Returns a manifest of the same tiles in which all tiles are marked.
pub(super) fn mark_all(scheme: Scheme, manifest: File) -> Result<File, ExportError> {
    let mut lines = Lines::new(scheme)?;
    for (tile, _) in whole_lines(manifest, scheme) {
        lines.add(tile, MARK)?;
    }
    lines.end()
}

/// Writes the lines of a manifest to a temporary file.
pub(super) struct Lines {
    scheme: Scheme,
    file: BufWriter<File>,
}

impl Lines {
    pub(super) fn new(scheme: Scheme) -> Result<Self, ExportError> {
        Ok(Self {
            scheme,
            file: BufWriter::new(tempfile::tempfile().map_err(temporary)?),
        })
    }

    pub(super) fn add(&mut self, tile: TilePos, record: TileRecord) -> Result<(), ExportError> {
        Ok(Manifest::write_line(self.scheme, tile, record, &mut self.file).map_err(temporary)?)
    }

    /// Returns the file, to be read from its start.
    pub(super) fn end(self) -> Result<File, ExportError> {
        let mut file = self
            .file
            .into_inner()
            .map_err(|error| temporary(error.into_error()))?;
        file.rewind().map_err(temporary)?;
        Ok(file)
    }
}

/// Duplicates the handle of a file, and rewinds it so that it is read from its start.
fn from_start(mut file: &File, place: &Path) -> Result<File, ExportError> {
    file.rewind()
        .and_then(|()| file.try_clone())
        .map_err(|error| PublishError::Io(place.to_owned(), error).into())
}

/// Reports an error of a temporary file as an error of the folder for temporary files.
fn temporary(error: io::Error) -> PublishError {
    PublishError::Io(std::env::temp_dir(), error)
}
