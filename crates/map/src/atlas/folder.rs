//! Reads a finished map, or pictures of regions, from a folder: its facts, manifests and tiles. A
//! map with history can also be opened in its state at an earlier moment. The room `store` changes
//! such folders; this module never writes.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use super::content::{Content, STATE};
use super::elsewhere::Elsewhere;
use super::error::AtlasError;
use super::history::{FileRecord, FileThen, HISTORY, MomentView, object_path, split_moment};
use super::manifest::{Manifest, ManifestLines, TileRecord};
use super::map_file::{LayerFacts, MapFile, script_text};
use super::naming::in_folder;
use super::own_names::is_fixed_name;
use super::tile_lists::is_list_name;
use pixelmap_base::coord::TilePos;
use pixelmap_base::disk::{full_path, is_absent};
use pixelmap_base::own_folder::{Entry, OwnFolder, Place};

/// A map in a folder, or pictures of regions.
#[derive(Debug)]
pub struct MapFolder {
    folder: OwnFolder,
    /// Folders to search for a file that is not in `folder`.
    below: Vec<OwnFolder>,
    /// The place of the files that are in none of these folders.
    elsewhere: Option<Elsewhere>,
    content: Content,
    /// In a box, because a map is often one of several variants, and the facts have many fields.
    map: Box<MapFile>,
    /// The earlier moment to show; `None` shows the newest state.
    moment: Option<MomentView>,
}

impl MapFolder {
    /// Opens the map in a folder. `MAP@MOMENT` opens its state at the moment that
    /// [`Moments::find`](super::Moments::find) returns for the text after the `@`.
    ///
    /// # Errors
    /// Fails if the folder does not contain a map, or if the moment does not exist.
    pub fn open(path: &Path) -> Result<Self, AtlasError> {
        let Some((root, wanted)) = split_moment(path) else {
            return Self::open_newest(path);
        };
        let newest = Self::open_newest(&root)?;
        match MomentView::find(&newest.folder, &wanted)? {
            Some(moment) => newest.looked_at(moment),
            None => Ok(newest),
        }
    }

    /// Opens the map in a folder in its state at the moment with this id.
    ///
    /// # Errors
    /// Fails if the folder does not contain a map, or if its earlier state cannot be read.
    pub fn open_at(root: &Path, moment: u32) -> Result<Self, AtlasError> {
        Self::open_newest(root)?.looked_at(MomentView::new(moment))
    }

    fn looked_at(self, moment: MomentView) -> Result<Self, AtlasError> {
        let map = moment.facts(&self.folder, *self.map)?;
        Ok(Self {
            moment: Some(moment),
            map: Box::new(map),
            ..self
        })
    }

    fn open_newest(root: &Path) -> Result<Self, AtlasError> {
        let folder = OwnFolder::open(root).map_err(AtlasError::io(root))?;
        let read = MapFile::read_any(&folder).map_err(AtlasError::io(root))?;
        let (content, map) = read.ok_or_else(|| AtlasError::NoMap(root.to_owned()))?;
        Ok(Self {
            folder,
            below: Vec::new(),
            elsewhere: None,
            content,
            map: Box::new(map),
            moment: None,
        })
    }

    /// Returns a map with these facts instead of the ones in the folder's `map.json`, which is not
    /// read. Files that are missing in `folder` are searched for in the folders `below`.
    pub fn with_facts(folder: OwnFolder, below: Vec<OwnFolder>, map: MapFile) -> Self {
        Self {
            folder,
            below,
            elsewhere: None,
            content: Content::Map,
            map: Box::new(map),
            moment: None,
        }
    }

    /// Returns the map with these files for the paths that its folders do not have.
    #[must_use]
    pub fn over(self, elsewhere: Option<Elsewhere>) -> Self {
        Self { elsewhere, ..self }
    }

    /// Returns the id of the earlier moment that is shown, or `None` for the newest state.
    pub fn moment_id(&self) -> Option<u32> {
        self.moment.as_ref().map(MomentView::id)
    }

    pub fn name(&self) -> &str {
        &self.map.name
    }

    /// Returns whether a file at this path, or the files of a folder at this path, could be
    /// mistaken for the map's own. Returns `false` for the map's folder itself, because that is
    /// recognised by its content.
    pub fn is_in_the_way(&self, path: &Path, is_folder: bool) -> bool {
        let root = full_path(self.root());
        let path = full_path(path);
        let Ok(relative) = path.strip_prefix(&root) else {
            return is_folder && root.starts_with(&path);
        };
        let meets_layer = self.map.with_details().any(|layer| {
            relative.starts_with(&layer.path)
                || is_folder && Path::new(&layer.path).starts_with(relative)
        });
        let is_root = relative == Path::new("");
        let is_kept = relative.starts_with(STATE) || relative.starts_with(HISTORY);
        !is_root && (is_kept || is_fixed_name(relative) || meets_layer)
    }

    pub fn content(&self) -> Content {
        self.content
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the opened folder, through which all files of the map are read.
    pub fn folder(&self) -> &OwnFolder {
        &self.folder
    }

    /// Returns the facts of the map, from `map.json` or from `with_facts`.
    pub fn facts(&self) -> &MapFile {
        &self.map
    }

    /// Returns the path of a layer's manifest, relative to the map's folder.
    pub fn manifest_path(layer: &LayerFacts) -> String {
        in_folder(&layer.path, Manifest::FILE)
    }

    /// Returns the full path of a layer's manifest.
    pub fn manifest_place(&self, layer: &LayerFacts) -> PathBuf {
        self.root().join(Self::manifest_path(layer))
    }

    /// Returns the path of a tile, relative to the map's folder.
    pub fn tile_path(&self, layer: &LayerFacts, tile: TilePos) -> String {
        in_folder(&layer.path, &self.content.tile_name(layer.naming(), tile))
    }

    /// Returns the path of the world file that belongs to a region's picture, or `None` in a map,
    /// because only pictures of regions have world files.
    pub fn world_file_path(&self, layer: &LayerFacts, tile: TilePos) -> Option<String> {
        self.content
            .world_file_name(tile)
            .map(|name| in_folder(&layer.path, &name))
    }

    /// Returns the tiles of a layer at the shown moment.
    ///
    /// # Errors
    /// Fails if the manifest, or the earlier versions of its tiles, cannot be read.
    pub fn manifest(&self, layer: &LayerFacts) -> Result<Manifest, AtlasError> {
        let lines = ManifestLines::new(self.open_file(&Self::manifest_path(layer))?, layer.scheme);
        let manifest = lines.read_all(&self.manifest_place(layer))?;
        match &self.moment {
            Some(moment) => moment.manifest(&self.folder, layer, manifest),
            None => Ok(manifest),
        }
    }

    fn place(&self, relative: &str) -> Result<Place, AtlasError> {
        let failed = |error| AtlasError::Io(self.root().join(relative), error);
        let own = self.folder.place(relative).map_err(failed)?;
        if self.below.is_empty() || own.facts().map_err(failed)?.is_some() {
            return Ok(own);
        }
        Ok(OwnFolder::first_existing(&self.below, relative)
            .map_err(failed)?
            .unwrap_or(own))
    }

    /// Opens a file of the map, for callers that read it piece by piece. Always opens the newest
    /// state.
    ///
    /// # Errors
    /// Fails if the path leads out of the folder or the file cannot be read.
    pub fn open_file(&self, relative: &str) -> Result<File, AtlasError> {
        let place = self.place(relative)?;
        place.open().map_err(AtlasError::at(&place))
    }

    /// Returns the bytes of a file of the map at the shown moment, or `None` if it did not exist
    /// then.
    ///
    /// # Errors
    /// Fails if the path leads out of the folder or the file cannot be read.
    pub fn read(&self, relative: &str) -> Result<Option<Vec<u8>>, AtlasError> {
        let then = self
            .moment
            .as_ref()
            .map(|moment| moment.find_file(&self.folder, relative))
            .transpose()?;
        match then {
            None | Some(FileThen::Newest) => self.read_newest(relative),
            Some(FileThen::Kept(object)) => self.read_newest(&object),
            Some(FileThen::Absent) => Ok(None),
        }
    }

    fn read_newest(&self, relative: &str) -> Result<Option<Vec<u8>>, AtlasError> {
        let place = self.place(relative)?;
        match place.read() {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(AtlasError::Io(place.path(), error)),
        }
    }

    /// Returns the bytes of a tile's file, given its path in the folder.
    ///
    /// # Errors
    /// Fails if the file cannot be read or does not match `record`.
    pub fn tile_file(&self, relative: &str, record: TileRecord) -> Result<Vec<u8>, AtlasError> {
        match self.kept_file(relative, record.into()) {
            Err(AtlasError::Missing(path) | AtlasError::Changed(path)) if self.moment.is_some() => {
                let object = self.kept_file(&object_path(record.file, relative), record.into());
                object.map_err(|error| {
                    if matches!(error, AtlasError::Missing(_)) {
                        AtlasError::Missing(path)
                    } else {
                        error
                    }
                })
            }
            read => read,
        }
    }

    /// Returns the bytes of the file at a path in the folder.
    ///
    /// # Errors
    /// Fails if the file cannot be read or does not match `record`.
    pub fn kept_file(&self, relative: &str, record: FileRecord) -> Result<Vec<u8>, AtlasError> {
        let place = self.place(relative)?;
        let len = u64::from(record.bytes);
        let mut bytes = Vec::new();

        // Reads at most one byte more than the record's length, which is enough to notice a file
        // that is too long.
        match place
            .open()
            .and_then(|file| file.take(len + 1).read_to_end(&mut bytes))
        {
            Ok(_) if bytes.len() as u64 == len && XxHash3_64::oneshot(&bytes) == record.file => {
                Ok(bytes)
            }
            Ok(_) => Err(AtlasError::Changed(self.root().join(relative))),
            Err(error) if is_absent(&error) => self.file_elsewhere(relative, record),
            // The path leads to something other than a file, such as a folder.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                Err(AtlasError::Changed(self.root().join(relative)))
            }
            Err(error) => Err(AtlasError::Io(place.path(), error)),
        }
    }

    /// Returns the bytes of a file that no folder of the map has.
    fn file_elsewhere(&self, relative: &str, record: FileRecord) -> Result<Vec<u8>, AtlasError> {
        let place = || self.root().join(relative);
        let read = match &self.elsewhere {
            Some(elsewhere) => elsewhere.read(relative),
            None => Ok(None),
        };

        let bytes = read
            .map_err(|error| AtlasError::Io(place(), error))?
            .ok_or_else(|| AtlasError::Missing(place()))?;
        if bytes.len() as u64 == u64::from(record.bytes)
            && XxHash3_64::oneshot(&bytes) == record.file
        {
            Ok(bytes)
        } else {
            Err(AtlasError::Changed(place()))
        }
    }

    /// Returns the sorted paths of all files except tiles, both the map's own and the user's. Skips
    /// links and names that begin with a dot, because those belong to pixelmap's state or to other
    /// programs.
    ///
    /// # Errors
    /// Fails if a folder cannot be read, or if a name is not Unicode or contains control
    /// characters.
    pub fn other_files(&self) -> Result<Vec<String>, AtlasError> {
        let mut paths = Vec::new();
        self.gather("", &mut paths)?;
        paths.sort_unstable();
        Ok(paths)
    }

    /// Returns the entries of a folder of the map, and none if it does not exist. The path of the
    /// map's own folder is empty.
    pub(crate) fn entries(&self, folder: &str) -> Result<Vec<Entry>, AtlasError> {
        let entries = match folder {
            "" => self.folder.entries(),
            folder => self.folder.place(folder).and_then(|place| place.entries()),
        };
        entries.map_err(|error| AtlasError::Io(self.root().join(folder), error))
    }

    fn gather(&self, folder: &str, paths: &mut Vec<String>) -> Result<(), AtlasError> {
        let path = self.root().join(folder);
        let is_layer = self.map.with_details().any(|layer| layer.path == folder);
        for (name, kind) in self.entries(folder)? {
            let plain = name
                .to_str()
                .filter(|name| !name.contains(char::is_control))
                .map(str::to_owned);
            let name = plain.ok_or_else(|| {
                AtlasError::Io(path.join(&name), io::ErrorKind::InvalidFilename.into())
            })?;
            let relative = in_folder(folder, &name);
            let is_hidden = name.starts_with('.');

            // Folders of zoom levels contain only tiles.
            let is_zoom_level = is_layer && name.parse::<u8>().is_ok();
            if kind.is_file() && !is_hidden {
                paths.push(relative);
            } else if kind.is_dir() && !is_hidden && !is_zoom_level {
                self.gather(&relative, paths)?;
            }
        }

        Ok(())
    }

    /// Returns whether the page requests this file with a hash of its content in the address. A
    /// browser may keep such a file forever, because the same address never returns other content.
    /// Tiles are not considered here.
    pub fn is_versioned(&self, relative: &str) -> bool {
        let (folder, name) = relative.rsplit_once('/').unwrap_or_default();
        relative == MapFile::SCRIPT
            || !crate::page::is_page_path(relative)
                && crate::page::paths().any(|own| own == relative)
            || is_list_name(name) && self.map.with_details().any(|layer| layer.path == folder)
            || self
                .map
                .marker_files()
                .chain(self.map.icon_files())
                .any(|own| own == relative)
            || relative
                .strip_prefix(HISTORY)
                .is_some_and(|rest| rest.starts_with('/'))
    }

    /// Returns whether `map.js`, the script for the page, contains the same facts as `map.json`.
    ///
    /// # Errors
    /// Fails if one of them cannot be read.
    pub fn script_agrees(&self) -> Result<bool, AtlasError> {
        let json = self.newest_text(MapFile::FILE)?;
        let script = self.newest_text(MapFile::SCRIPT)?;
        let (Some(json), Some(script)) = (json, script) else {
            return Ok(false);
        };

        Ok(script == script_text(&json))
    }

    /// Reads the newest state of a file as text. Returns `None` if its bytes are not text.
    fn newest_text(&self, name: &str) -> Result<Option<String>, AtlasError> {
        let bytes = self.read_newest(name)?;
        Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::map_file::DimensionFacts;
    use crate::atlas::markers::{IconFile, MarkerFile};
    use crate::atlas::named_maps;
    use crate::atlas::naming::Naming;

    /// A map with layer `day` and a file of markers.
    fn map_in(root: &Path) -> MapFolder {
        let day = LayerFacts::new(
            "day",
            "overworld/day".to_owned(),
            Naming::default(),
            1,
            16,
            &Manifest::default(),
        );

        let mut map = MapFile::new("w".to_owned());
        map.dimensions = vec![DimensionFacts {
            id: "overworld".to_owned(),
            path: "overworld".to_owned(),
            name: "Overworld".to_owned(),
            spawn: None,
            markers: vec![
                MarkerFile::new("overworld", "portals", 1, "{}"),
                MarkerFile::new("overworld", "beds", 1, "{}"),
            ],
            details: None,
            layers: vec![day],
        }];
        map.icons = vec![IconFile::new("shop", b"")];

        MapFolder::with_facts(OwnFolder::open(root).unwrap(), Vec::new(), map)
    }

    #[test]
    fn addresses_with_a_hash_are_the_requested_ones() {
        let map = map_in(Path::new(""));
        let addressed = [
            "map.js",
            "viewer.js",
            "overworld/day/tiles-17_0.js",
            "overworld/day/tiles-17_-1.js",
            "markers/icons/shop.png",
        ];

        for path in addressed.into_iter().chain(map.map.marker_files()) {
            assert!(map.is_versioned(path), "{path}");
        }

        let others = [
            "map.json",
            "index.html",
            "terrain.html",
            named_maps::PAGE,
            "tiles-17_0.js",
            "overworld/tiles-17_0.js",
            "markers/icons/other.png",
            "own.js",
        ];

        for path in others
            .into_iter()
            .chain(["overworld/day/tiles.tsv", "overworld/night/tiles-17_0.js"])
        {
            assert!(!map.is_versioned(path), "{path}");
        }
    }

    #[test]
    fn files_named_like_map_files_are_obstacles() {
        let around = tempfile::tempdir().unwrap();
        let root = around.path().join("map");
        let map = map_in(&root);
        for (path, as_file, as_folder) in [
            ("overworld/day", true, true),
            ("overworld/day/17", true, true),
            (".pixelmap/x", true, true),
            ("map.json", true, true),
            // This folder contains the folder of a layer.
            ("overworld", false, true),
            ("..", false, true),
            ("picture.png", false, false),
            ("../other", false, false),
            ("", false, false),
        ] {
            let in_the_way =
                [false, true].map(|is_folder| map.is_in_the_way(&root.join(path), is_folder));
            assert_eq!(in_the_way, [as_file, as_folder], "{path}");
        }
    }
}
