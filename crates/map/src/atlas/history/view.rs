//! Shows a map at one of its earlier moments: the newest state, with the tiles and files that later
//! moments changed replaced by their earlier versions.

use super::moment::Moments;
use super::past::{Past, PastPlace};
use super::paths::object_path;
use crate::atlas::error::AtlasError;
use crate::atlas::manifest::Manifest;
use crate::atlas::map_file::{LayerFacts, MapFile};
use pixelmap_base::coord::TilePos;
use pixelmap_base::own_folder::OwnFolder;

/// A moment of a map in a folder, used to look up earlier versions.
#[derive(Debug, Clone)]
pub(crate) struct MomentView {
    id: u32,
}

/// The location of a file's version at a moment.
pub(crate) enum FileThen {
    /// At its normal path, because it has not changed since.
    Newest,
    /// At this path below `history`.
    Kept(String),
    /// Nowhere: the file did not exist at that moment.
    Absent,
}

impl MomentView {
    /// Returns the view of the moment with this id.
    pub(crate) fn new(id: u32) -> Self {
        Self { id }
    }

    /// Finds a moment of the map in a folder. Returns `None` if it is the newest one, because the
    /// newest state is read without lookups.
    ///
    /// # Errors
    /// Fails if the moment does not exist or the list cannot be read.
    pub(crate) fn find(map: &OwnFolder, wanted: &str) -> Result<Option<Self>, AtlasError> {
        let moments = Moments::open(map)?;
        let moment = moments.find(wanted)?;
        let is_newest = moments.last().is_some_and(|last| last.id == moment.id);
        Ok((!is_newest).then_some(Self::new(moment.id)))
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// Returns the facts of the map at the moment. `newest` are the current facts, which are
    /// returned if they have not changed since.
    ///
    /// # Errors
    /// Fails if the map did not exist at the moment, or if its facts cannot be read.
    pub(crate) fn facts(&self, map: &OwnFolder, newest: MapFile) -> Result<MapFile, AtlasError> {
        let relative = match self.find_file(map, MapFile::FILE)? {
            FileThen::Newest => return Ok(newest),
            FileThen::Kept(path) => path,
            FileThen::Absent => return Err(AtlasError::NoMap(map.path().to_owned())),
        };
        let path = map.path().join(&relative);
        let text = map
            .place(relative)
            .and_then(|place| place.read())
            .map_err(AtlasError::io(&path))?;
        MapFile::parse(&text).ok_or(AtlasError::Changed(path))
    }

    /// Finds the version of a file other than a tile.
    ///
    /// # Errors
    /// Fails if a list of earlier versions cannot be read.
    pub(crate) fn find_file(&self, map: &OwnFolder, path: &str) -> Result<FileThen, AtlasError> {
        let (place, name) = PastPlace::for_file(path);
        let past = Past::<String>::read(map, &place)
            .map_err(AtlasError::io(&map.path().join(place.path())))?;
        Ok(match past.at(name, self.id).map(|version| version.record) {
            None => FileThen::Newest,
            Some(Some(record)) => FileThen::Kept(object_path(record.file, path)),
            Some(None) => FileThen::Absent,
        })
    }

    /// Returns the tiles of a layer at the moment. `manifest` is the newest manifest.
    ///
    /// # Errors
    /// Fails if a list of earlier versions cannot be read.
    pub(crate) fn manifest(
        &self,
        map: &OwnFolder,
        layer: &LayerFacts,
        mut manifest: Manifest,
    ) -> Result<Manifest, AtlasError> {
        let pieces =
            PastPlace::all_of_layer(map, &layer.path).map_err(AtlasError::io(map.path()))?;
        for place in pieces {
            let past = Past::<TilePos>::read(map, &place);
            past.map_err(AtlasError::io(&map.path().join(place.path())))?
                .show_at(self.id, &mut manifest);
        }

        Ok(manifest)
    }
}
