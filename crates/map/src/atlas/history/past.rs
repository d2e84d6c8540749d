//! The earlier versions of tiles and files, each with the moment until which it was shown.
//!
//! They are listed in scripts below `history`, so that a page that is opened from disk can load
//! them: `pixelmapPast(FOLDER, PIECE, [...]);` with one entry per line. The tiles of a layer are
//! split into pieces of 16 by 16 regions together with the zoom levels above them; the outermost
//! zoom levels share the piece `outer`. An entry is `[zoom, x, y, until, bytes, file, pixels]` with
//! the fields of the manifest, and x and y counted in scheme signed. Other files are listed in the
//! piece `files` of their top-level folder as `[path, until, bytes, file]`, with the path relative
//! to that folder. If `bytes` is 0, the tile or file did not exist until that moment.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;

use serde::de::DeserializeOwned;
use twox_hash::XxHash3_64;

use super::paths::{HISTORY, OBJECTS};
use crate::atlas::manifest::{Manifest, TileRecord};
use crate::atlas::naming::{Scheme, in_folder};
use pixelmap_base::coord::TilePos;
use pixelmap_base::disk::if_there;
use pixelmap_base::hash::parse_hash;
use pixelmap_base::json;
use pixelmap_base::own_folder::OwnFolder;

/// The zoom level at which one tile covers one piece.
const PIECE_ZOOM: u8 = 13;
const OUTER: &str = "outer";
const FILES: &str = "files";
const HEAD: &str = "pixelmapPast(";
const TAIL: &str = "\n]);\n";

/// The version of a tile or a file that was shown until a moment replaced it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version<T> {
    /// The id of the moment that replaced this version: the first moment that shows another
    /// version.
    pub until: u32,
    /// The file, or `None` if the tile or file did not exist until that moment.
    pub record: Option<T>,
}

/// The length and hash of a file. Used for files other than tiles, and for tiles where their pixels
/// do not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileRecord {
    pub bytes: u32,
    /// XXH3-64 of its bytes.
    pub file: u64,
}

impl FileRecord {
    /// Returns the record of a file with these bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.len() as u32,
            file: XxHash3_64::oneshot(bytes),
        }
    }
}

impl From<TileRecord> for FileRecord {
    fn from(TileRecord { bytes, file, .. }: TileRecord) -> Self {
        Self { bytes, file }
    }
}

/// Identifies a piece: its folder in the map, and the name of the piece within that folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PastPlace {
    pub folder: String,
    pub piece: String,
}

impl PastPlace {
    /// Returns the piece that lists a tile of the layer in this folder.
    pub fn for_tile(folder: &str, mut tile: TilePos) -> Self {
        while tile.zoom > PIECE_ZOOM {
            tile = tile.parent();
        }

        let TilePos { zoom, x, y } = tile;
        let piece = if zoom == PIECE_ZOOM {
            format!("{x}_{y}")
        } else {
            OUTER.to_owned()
        };

        Self {
            folder: folder.to_owned(),
            piece,
        }
    }

    /// Returns the piece that lists a file other than a tile, and the file's path within that
    /// piece. The file's top-level folder selects the piece.
    pub fn for_file(path: &str) -> (Self, &str) {
        let (folder, name) = path.split_once('/').unwrap_or(("", path));
        (
            Self {
                folder: folder.to_owned(),
                piece: FILES.to_owned(),
            },
            name,
        )
    }

    /// Returns the path of its script in the map.
    pub fn path(&self) -> String {
        in_folder(
            &in_folder(HISTORY, &self.folder),
            &format!("{}.js", self.piece),
        )
    }

    /// Returns all pieces with tiles of the layer in this folder, sorted.
    ///
    /// # Errors
    /// Fails if a folder cannot be listed.
    pub fn all_of_layer(map: &OwnFolder, folder: &str) -> io::Result<Vec<Self>> {
        let mut pieces = Vec::new();
        for (name, _) in map.place(in_folder(HISTORY, folder))?.entries()? {
            let piece = name
                .to_str()
                .and_then(|name| name.strip_suffix(".js"))
                .filter(|piece| *piece != FILES);
            pieces.extend(piece.map(|piece| Self {
                folder: folder.to_owned(),
                piece: piece.to_owned(),
            }));
        }

        pieces.sort_unstable();
        Ok(pieces)
    }

    /// Returns all pieces of the map in a folder, sorted.
    ///
    /// # Errors
    /// Fails if a folder cannot be listed.
    pub fn all(map: &OwnFolder) -> io::Result<Vec<Self>> {
        let mut pieces = Vec::new();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            let here = if folder.is_empty() {
                HISTORY.to_owned()
            } else {
                in_folder(HISTORY, &folder)
            };

            for (name, kind) in map.place(here)?.entries()? {
                let Ok(name) = name.into_string() else {
                    continue;
                };

                let is_top = folder.is_empty();
                if kind.is_dir() && !(is_top && name == OBJECTS) {
                    folders.push(in_folder(&folder, &name));
                } else if let Some(piece) = name
                    .strip_suffix(".js")
                    .filter(|piece| !is_top || *piece == FILES)
                {
                    pieces.push(Self {
                        folder: folder.clone(),
                        piece: piece.to_owned(),
                    });
                }
            }
        }

        pieces.sort_unstable();
        Ok(pieces)
    }

    /// Returns whether it lists files other than tiles.
    pub fn is_of_files(&self) -> bool {
        self.piece == FILES
    }
}

/// The key of a list of earlier versions: a tile, or the path of another file.
pub trait PastKey: Ord + Sized {
    type Record: Copy + fmt::Debug + Eq;
    /// An entry of a list, in the form that JSON has.
    type Entry: DeserializeOwned;

    /// Parses an entry. Returns `None` if it is damaged.
    fn from_entry(entry: Self::Entry) -> Option<(Self, Version<Self::Record>)>;

    /// Returns the JSON of an entry.
    fn entry(&self, version: &Version<Self::Record>) -> String;

    /// Returns the length and hash of a version's file.
    fn file(record: Self::Record) -> FileRecord;
}

impl PastKey for TilePos {
    type Record = TileRecord;
    type Entry = (u8, i32, i32, u32, u32, String, String);

    fn from_entry(
        (zoom, x, y, until, bytes, file, pixels): Self::Entry,
    ) -> Option<(Self, Version<TileRecord>)> {
        let record = match bytes {
            0 => None,
            _ => Some(TileRecord {
                bytes,
                file: parse_hash(&file)?,
                pixels: parse_hash(&pixels)?,
            }),
        };

        Some((
            Scheme::Signed.tile_at(zoom, x, y)?,
            Version { until, record },
        ))
    }

    fn entry(&self, &Version { until, record }: &Version<TileRecord>) -> String {
        let Self { zoom, x, y } = self;
        match record {
            Some(TileRecord {
                bytes,
                file,
                pixels,
            }) => {
                format!("[{zoom},{x},{y},{until},{bytes},\"{file:016x}\",\"{pixels:016x}\"]")
            }
            None => format!("[{zoom},{x},{y},{until},0,\"\",\"\"]"),
        }
    }

    fn file(record: TileRecord) -> FileRecord {
        record.into()
    }
}

impl PastKey for String {
    type Record = FileRecord;
    type Entry = (Self, u32, u32, Self);

    fn from_entry((path, until, bytes, file): Self::Entry) -> Option<(Self, Version<FileRecord>)> {
        let record = if bytes == 0 {
            None
        } else {
            Some(FileRecord {
                bytes,
                file: parse_hash(&file)?,
            })
        };
        Some((path, Version { until, record }))
    }

    fn entry(&self, &Version { until, record }: &Version<FileRecord>) -> String {
        let path = json::text(self).unwrap_or_default();
        match record {
            Some(FileRecord { bytes, file }) => format!("[{path},{until},{bytes},\"{file:016x}\"]"),
            None => format!("[{path},{until},0,\"\"]"),
        }
    }

    fn file(record: FileRecord) -> FileRecord {
        record
    }
}

/// One piece of the history: the earlier versions of each tile or path, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past<K: PastKey>(pub BTreeMap<K, Vec<Version<K::Record>>>);

impl<K: PastKey> Past<K> {
    /// Reads a piece of the map in a folder. A piece without a file is empty.
    ///
    /// # Errors
    /// Fails if the file exists but cannot be read or is damaged.
    pub fn read(map: &OwnFolder, place: &PastPlace) -> io::Result<Self> {
        let Some(bytes) = if_there(map.place(place.path())?.read())? else {
            return Ok(Self(BTreeMap::new()));
        };
        Self::parse(&bytes, place).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{} is damaged: restore the file", place.path()),
            )
        })
    }

    fn parse(script: &[u8], place: &PastPlace) -> Option<Self> {
        let list = std::str::from_utf8(script)
            .ok()?
            .strip_prefix(&head(place))?
            .strip_suffix(TAIL)?;

        let mut all: BTreeMap<K, Vec<Version<K::Record>>> = BTreeMap::new();
        for line in list.lines() {
            let (key, version) =
                K::from_entry(serde_json::from_str(line.trim_end_matches(',')).ok()?)?;
            all.entry(key).or_default().push(version);
        }

        let is_in_order = all
            .values()
            .all(|versions| versions.is_sorted_by(|a, b| a.until < b.until));

        is_in_order.then_some(Self(all))
    }

    /// Returns the text of the piece's file.
    pub fn script(&self, place: &PastPlace) -> String {
        let entries: Vec<String> = self
            .versions()
            .map(|(key, version)| key.entry(version))
            .collect();
        head(place) + &entries.join(",\n") + TAIL
    }

    /// Returns the version that the moment `id` showed, or `None` if that is still the newest one,
    /// which is at its normal path.
    pub fn at<Q: Ord + ?Sized>(&self, key: &Q, id: u32) -> Option<Version<K::Record>>
    where
        K: std::borrow::Borrow<Q>,
    {
        self.0
            .get(key)?
            .iter()
            .find(|version| version.until > id)
            .copied()
    }

    /// Adds the version that the moment `until` replaces, and returns whether it must be kept. If
    /// that moment is drawn again, the version to be replaced is the moment's own earlier result,
    /// which is not kept.
    pub fn add(&mut self, key: K, until: u32, record: Option<K::Record>) -> bool {
        let versions = self.0.entry(key).or_default();
        let is_kept = versions.last().is_none_or(|last| last.until < until);
        if is_kept {
            versions.push(Version { until, record });
        }
        is_kept
    }

    /// Returns all versions with their keys, sorted by key.
    pub fn versions(&self) -> impl Iterator<Item = (&K, &Version<K::Record>)> {
        self.0
            .iter()
            .flat_map(|(key, versions)| versions.iter().map(move |version| (key, version)))
    }

    /// Returns the files of all versions, each with its key.
    pub fn files(&self) -> impl Iterator<Item = (&K, FileRecord)> {
        self.versions()
            .filter_map(|(key, version)| Some((key, K::file(version.record?))))
    }

    /// Gives each moment the number of its place in `ids`, counted from 1.
    pub fn renumber(&mut self, ids: &[u32]) {
        for version in self.0.values_mut().flatten() {
            let earlier = ids.partition_point(|&id| id < version.until);
            version.until = earlier as u32 + 1;
        }
    }

    /// Drops the versions that none of the `kept` moments showed, and returns whether anything
    /// changed. Limits `until` to the number after the last kept moment, because the next moment
    /// gets that number.
    pub fn retain(&mut self, kept: &BTreeSet<u32>) -> bool {
        let end = kept.last().map_or(1, |last| last + 1);
        let mut is_changed = false;
        for versions in self.0.values_mut() {
            let mut since = 0;
            versions.retain_mut(|version| {
                let is_shown = kept.range(since..version.until).next().is_some();
                since = version.until;
                is_changed |= !is_shown || version.until > end;
                version.until = version.until.min(end);
                is_shown
            });
        }

        self.0.retain(|_, versions| !versions.is_empty());
        is_changed
    }
}

impl Past<TilePos> {
    /// Changes the newest tiles of a layer to its tiles at the moment `id`, as far as this piece
    /// has them.
    pub fn show_at(&self, id: u32, manifest: &mut Manifest) {
        for tile in self.0.keys() {
            match self.at(tile, id).map(|version| version.record) {
                Some(Some(record)) => drop(manifest.tiles.insert(*tile, record)),
                Some(None) => drop(manifest.tiles.remove(tile)),
                None => {}
            }
        }
    }
}

fn head(PastPlace { folder, piece }: &PastPlace) -> String {
    let [folder, piece] = [folder, piece].map(|text| json::text(text).unwrap_or_default());
    format!("{HEAD}{folder},{piece},[\n")
}
