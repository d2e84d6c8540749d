//! Earlier versions of tiles and files, each with the moment until which it was shown.
//!
//! They lie in scripts below `history`, so that a page that is opened from disk can load them: `pixelmapPast(FOLDER,
//! PIECE, [...]);` with an entry a line. Tiles of a layer are in pieces of 16 by 16 regions with the zoom levels above
//! them, those of zoom levels further out in one piece: `[zoom, x, y, until, bytes, file, pixels]`, as its manifest has
//! them and scheme signed counts them. Other files are in a piece `files` of their folder: `[path, until, bytes, file]`,
//! the path below the folder. A version with no bytes is none: the tile or file was not there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;

use super::{HISTORY, OBJECTS};
use crate::atlas::{Scheme, TileRecord, in_folder};
use crate::base::coord::TilePos;
use crate::base::disk::{entries, if_there, read_file};
use crate::base::hash::parse_hash;
use crate::base::json;

/// The zoom level of which a tile is a piece.
const PIECE_ZOOM: u8 = 13;
const OUTER: &str = "outer";
const FILES: &str = "files";
const HEAD: &str = "pixelmapPast(";
const TAIL: &str = "\n]);\n";

/// What was shown in the place of a tile or a file until a moment came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version<T> {
    /// The id of the moment that showed another one, the first that is later than this version.
    pub until: u32,
    /// `None`: it was not there.
    pub record: Option<T>,
}

/// A file that is no tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileRecord {
    pub bytes: u32,
    /// XXH3-64 of its bytes.
    pub file: u64,
}

/// The place of a piece: its folder in the map, and which of the folder's pieces it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PastPlace {
    pub folder: String,
    pub piece: String,
}

impl PastPlace {
    /// The piece with a tile of the layer in this folder.
    pub fn for_tile(folder: &str, mut tile: TilePos) -> Self {
        while tile.zoom > PIECE_ZOOM {
            tile = tile.parent();
        }
        let TilePos { zoom, x, y } = tile;
        let piece = if zoom == PIECE_ZOOM { format!("{x}_{y}") } else { OUTER.to_owned() };
        Self { folder: folder.to_owned(), piece }
    }

    /// The piece with a file of the map that is no tile: that of its uppermost folder. Returns the file's path in it, too.
    pub fn for_file(path: &str) -> (Self, &str) {
        let (folder, name) = path.split_once('/').unwrap_or(("", path));
        (Self { folder: folder.to_owned(), piece: FILES.to_owned() }, name)
    }

    /// The path of its script in the map.
    pub fn path(&self) -> String {
        in_folder(&in_folder(HISTORY, &self.folder), &format!("{}.js", self.piece))
    }

    /// The pieces of a layer's tiles in a map's folder.
    ///
    /// # Errors
    /// They cannot be listed.
    pub fn all_of_layer(root: &Path, folder: &str) -> io::Result<Vec<Self>> {
        let mut pieces = Vec::new();
        for entry in entries(&root.join(HISTORY).join(folder))? {
            let name = entry.file_name();
            let piece = name.to_str().and_then(|name| name.strip_suffix(".js")).filter(|piece| *piece != FILES);
            pieces.extend(piece.map(|piece| Self { folder: folder.to_owned(), piece: piece.to_owned() }));
        }
        pieces.sort_unstable();
        Ok(pieces)
    }

    /// All pieces in a map's folder.
    ///
    /// # Errors
    /// They cannot be listed.
    pub fn all(root: &Path) -> io::Result<Vec<Self>> {
        let mut pieces = Vec::new();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            for entry in entries(&root.join(HISTORY).join(&folder))? {
                let Ok(name) = entry.file_name().into_string() else { continue };
                let is_top = folder.is_empty();
                if entry.file_type()?.is_dir() && !(is_top && name == OBJECTS) {
                    folders.push(in_folder(&folder, &name));
                } else if let Some(piece) = name.strip_suffix(".js").filter(|piece| !is_top || *piece == FILES) {
                    pieces.push(Self { folder: folder.clone(), piece: piece.to_owned() });
                }
            }
        }
        pieces.sort_unstable();
        Ok(pieces)
    }

    /// Returns whether it is of files that are no tiles.
    pub fn is_of_files(&self) -> bool {
        self.piece == FILES
    }
}

/// What has earlier versions: a tile, or the path of a file that is none.
pub trait PastKey: Ord + Sized {
    type Record: Copy + fmt::Debug + Eq;
    /// An entry of a list, as JSON has it.
    type Entry: DeserializeOwned;

    /// The version of an entry; `None`: it is damaged.
    fn from_entry(entry: Self::Entry) -> Option<(Self, Version<Self::Record>)>;

    /// The JSON of an entry.
    fn entry(&self, version: &Version<Self::Record>) -> String;

    /// The file of a version.
    fn file(record: Self::Record) -> FileRecord;
}

impl PastKey for TilePos {
    type Record = TileRecord;
    type Entry = (u8, i32, i32, u32, u32, String, String);

    fn from_entry((zoom, x, y, until, bytes, file, pixels): Self::Entry) -> Option<(Self, Version<TileRecord>)> {
        let record = match bytes {
            0 => None,
            _ => Some(TileRecord { bytes, file: parse_hash(&file)?, pixels: parse_hash(&pixels)? }),
        };
        Some((Scheme::Signed.tile_at(zoom, x, y)?, Version { until, record }))
    }

    fn entry(&self, &Version { until, record }: &Version<TileRecord>) -> String {
        let Self { zoom, x, y } = self;
        match record {
            Some(TileRecord { bytes, file, pixels }) => {
                format!("[{zoom},{x},{y},{until},{bytes},\"{file:016x}\",\"{pixels:016x}\"]")
            }
            None => format!("[{zoom},{x},{y},{until},0,\"\",\"\"]"),
        }
    }

    fn file(TileRecord { bytes, file, .. }: TileRecord) -> FileRecord {
        FileRecord { bytes, file }
    }
}

impl PastKey for String {
    type Record = FileRecord;
    type Entry = (Self, u32, u32, Self);

    fn from_entry((path, until, bytes, file): Self::Entry) -> Option<(Self, Version<FileRecord>)> {
        let record = if bytes == 0 { None } else { Some(FileRecord { bytes, file: parse_hash(&file)? }) };
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

/// A piece of the past: of each tile, or of each path of a file, the earlier versions, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past<K: PastKey>(pub BTreeMap<K, Vec<Version<K::Record>>>);

impl<K: PastKey> Past<K> {
    /// Reads a piece of the map in a folder; it is empty where there is none.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub fn read(root: &Path, place: &PastPlace) -> io::Result<Self> {
        let Some(bytes) = if_there(read_file(&root.join(place.path())))? else { return Ok(Self(BTreeMap::new())) };
        Self::parse(&bytes, place).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, format!("{} is damaged: restore the file", place.path()))
        })
    }

    fn parse(script: &[u8], place: &PastPlace) -> Option<Self> {
        let list = std::str::from_utf8(script).ok()?.strip_prefix(&head(place))?.strip_suffix(TAIL)?;
        let mut all: BTreeMap<K, Vec<Version<K::Record>>> = BTreeMap::new();
        for line in list.lines() {
            let (key, version) = K::from_entry(serde_json::from_str(line.trim_end_matches(',')).ok()?)?;
            all.entry(key).or_default().push(version);
        }
        let is_in_order = all.values().all(|versions| versions.is_sorted_by(|a, b| a.until < b.until));
        is_in_order.then_some(Self(all))
    }

    /// The text of a piece.
    pub fn script(&self, place: &PastPlace) -> String {
        let entries: Vec<String> = self.versions().map(|(key, version)| key.entry(version)).collect();
        head(place) + &entries.join(",\n") + TAIL
    }

    /// The version that the moment `id` showed; `None`: the newest one, which is in its place.
    pub fn at<Q: Ord + ?Sized>(&self, key: &Q, id: u32) -> Option<Version<K::Record>>
    where
        K: std::borrow::Borrow<Q>,
    {
        self.0.get(key)?.iter().find(|version| version.until > id).copied()
    }

    /// Adds the version that is replaced now, by the moment `until`; returns whether it is kept. What that moment itself
    /// has shown before, if it is drawn again, is not.
    pub fn add(&mut self, key: K, until: u32, record: Option<K::Record>) -> bool {
        let versions = self.0.entry(key).or_default();
        let is_kept = versions.last().is_none_or(|last| last.until < until);
        if is_kept {
            versions.push(Version { until, record });
        }
        is_kept
    }

    /// All versions, by tile or file.
    pub fn versions(&self) -> impl Iterator<Item = (&K, &Version<K::Record>)> {
        self.0.iter().flat_map(|(key, versions)| versions.iter().map(move |version| (key, version)))
    }

    /// The files of all versions, each with its key.
    pub fn files(&self) -> impl Iterator<Item = (&K, FileRecord)> {
        self.versions().filter_map(|(key, version)| Some((key, K::file(version.record?))))
    }

    /// Drops the versions that none of the `kept` moments showed; returns whether anything has changed. A version never
    /// ends after the number behind the last kept moment, because the next moment gets that number.
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

fn head(PastPlace { folder, piece }: &PastPlace) -> String {
    let text = |text: &String| json::text(text).unwrap_or_default();
    format!("{HEAD}{},{},[\n", text(folder), text(piece))
}
