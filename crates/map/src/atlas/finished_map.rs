//! Reads a finished map, whether it is a folder or a single archive file. Gives access to its
//! layers, their manifests, the files of their tiles, and the decoded pixels.

use std::path::Path;

use super::content::Content;
use super::elsewhere::Elsewhere;
use super::error::AtlasError;
use super::folder::MapFolder;
use super::manifest::{Manifest, TileRecord};
use super::map_file::{DimensionFacts, Encoding, LayerFacts, MapFile};
use super::naming::Format;
use super::pmtiles::TileArchive;
use pixelmap_base::coord::TilePos;
use pixelmap_base::disk::is_file;
use pixelmap_tile::{Canvas, Samples};

/// A finished map, or pictures of regions.
#[derive(Debug)]
pub enum FinishedMap {
    Folder(MapFolder),
    /// One layer of a map in one file.
    Archive(TileArchive),
}

/// One layer of one dimension of a finished map, or the details of a dimension.
#[derive(Debug, Clone, Copy)]
pub struct FinishedLayer<'m> {
    pub map: &'m FinishedMap,
    pub dimension: &'m DimensionFacts,
    pub facts: &'m LayerFacts,
}

impl FinishedMap {
    /// Opens the map in a folder or in an archive file.
    ///
    /// # Errors
    /// Fails if `path` does not lead to a map, or if the map cannot be read.
    pub fn open(path: &Path) -> Result<Self, AtlasError> {
        if is_file(path)
            .and_then(|is_file| Ok(is_file && TileArchive::is_at(path)?))
            .map_err(AtlasError::io(path))?
        {
            return TileArchive::open(path).map(Self::Archive);
        }
        MapFolder::open(path).map(Self::Folder)
    }

    /// Returns the map with these files for the paths that its folder does not have. An archive has
    /// all of its files.
    #[must_use]
    pub fn over(self, elsewhere: Option<Elsewhere>) -> Self {
        match self {
            Self::Folder(folder) => Self::Folder(folder.over(elsewhere)),
            archive @ Self::Archive(_) => archive,
        }
    }

    pub fn path(&self) -> &Path {
        match self {
            Self::Folder(folder) => folder.root(),
            Self::Archive(archive) => archive.path(),
        }
    }

    /// Returns the content of the folder; an archive always holds a map.
    pub fn content(&self) -> Content {
        match self {
            Self::Folder(folder) => folder.content(),
            Self::Archive(_) => Content::Map,
        }
    }

    /// Returns the facts from `map.json`, or from the metadata of an archive.
    pub fn facts(&self) -> &MapFile {
        match self {
            Self::Folder(folder) => folder.facts(),
            Self::Archive(archive) => archive.facts(),
        }
    }

    /// Returns all layers except the details.
    pub fn layers(&self) -> impl Iterator<Item = FinishedLayer<'_>> {
        self.facts()
            .dimension_layers()
            .map(|(dimension, facts)| FinishedLayer {
                map: self,
                dimension,
                facts,
            })
    }

    /// Returns the details of the dimensions. An archive does not contain any.
    pub fn details(&self) -> impl Iterator<Item = FinishedLayer<'_>> {
        let dimensions = self.facts().dimensions.iter();
        dimensions.flat_map(move |dimension| {
            dimension.details.iter().map(move |facts| FinishedLayer {
                map: self,
                dimension,
                facts,
            })
        })
    }
}

impl FinishedLayer<'_> {
    /// Returns `dimension/layer`, the ids of its dimension and of itself.
    pub fn name(&self) -> String {
        format!("{}/{}", self.dimension.id, self.facts.id)
    }

    /// Returns whether it is the same layer of the same dimension, in any map.
    pub fn is_same(&self, other: &FinishedLayer<'_>) -> bool {
        (&self.dimension.id, &self.facts.id) == (&other.dimension.id, &other.facts.id)
    }

    /// Returns whether its tiles are pictures rather than details.
    pub fn is_picture(&self) -> bool {
        self.facts.format != Format::Js
    }

    pub fn samples(&self) -> Samples {
        match (self.facts.numbers, self.facts.encoding) {
            (Some(_), _) => Samples::Numbers,
            (None, Some(Encoding::Terrarium)) => Samples::Heights,
            (None, None) => Samples::Colours,
        }
    }

    /// Returns the manifest of the layer. An archive does not store one, so it is made by reading
    /// all tiles.
    ///
    /// # Errors
    /// Fails if the manifest or, in an archive, a tile cannot be read or is damaged.
    pub fn manifest(&self) -> Result<Manifest, AtlasError> {
        match self.map {
            FinishedMap::Folder(folder) => folder.manifest(self.facts),
            FinishedMap::Archive(archive) => archive.manifest(self.samples()),
        }
    }

    /// Returns the tiles with their lengths, without reading any tile. The hashes are only set for
    /// a folder; an archive does not store them.
    ///
    /// # Errors
    /// Fails if the manifest cannot be read or is damaged.
    pub fn tile_lengths(&self) -> Result<Manifest, AtlasError> {
        match self.map {
            FinishedMap::Folder(_) => self.manifest(),
            FinishedMap::Archive(archive) => Ok(archive.tile_lengths()),
        }
    }

    /// Returns the bytes of a tile's file.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or if it differs from the one that the folder's manifest
    /// names.
    pub fn file(&self, tile: TilePos, record: TileRecord) -> Result<Vec<u8>, AtlasError> {
        match self.map {
            FinishedMap::Folder(folder) => {
                folder.tile_file(&folder.tile_path(self.facts, tile), record)
            }
            FinishedMap::Archive(archive) => archive.file(tile),
        }
    }

    /// Returns the decoded pixels of a tile.
    ///
    /// # Errors
    /// Fails like [`Self::file`], or if the file cannot be decoded as a tile.
    pub fn canvas(&self, tile: TilePos, record: TileRecord) -> Result<Canvas, AtlasError> {
        let canvas = self.samples().decode(&self.file(tile, record)?);
        canvas.map_err(|error| match self.map {
            FinishedMap::Folder(folder) => AtlasError::NotATile(
                folder.root().join(folder.tile_path(self.facts, tile)),
                error,
            ),
            FinishedMap::Archive(archive) => archive.tile_error(tile, &error.to_string()),
        })
    }
}
