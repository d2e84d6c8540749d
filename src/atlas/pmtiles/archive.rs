//! An archive that pixelmap wrote, to be read. It has no manifest, so one is made of its tiles.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use twox_hash::XxHash3_64;

use super::directory::{DirectoryEntry, entries, gunzip};
use super::header::{ArchiveSection, ArchiveSections, HEADER_BYTES, MAGIC};
use super::{Metadata, tile_at};
use crate::atlas::{AtlasError, Manifest, MapFile, TileRecord};
use crate::base::at::read_exact_at;
use crate::base::coord::TilePos;
use crate::base::disk::open_file;
use crate::tile::Samples;

/// The most tiles: a damaged archive must not fill the memory.
const MAX_TILES: usize = 1 << 26;
const DAMAGED: &str = "a directory is damaged";
const NOT_OURS: &str = "it is no archive that pixelmap wrote";

/// The place of a tile's bytes in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct ByteRange {
    at: u64,
    len: u32,
}

#[derive(Debug)]
pub struct TileArchive {
    path: PathBuf,
    file: File,
    facts: MapFile,
    tiles: BTreeMap<TilePos, ByteRange>,
    manifest: OnceLock<Manifest>,
}

impl TileArchive {
    /// Opens an archive and reads its directories.
    ///
    /// # Errors
    /// It cannot be read, is damaged, or is none of pixelmap.
    pub fn open(path: &Path) -> Result<Self, AtlasError> {
        let file = open_file(path).map_err(AtlasError::io(path))?;
        let (facts, tiles) = read_all(&file).map_err(|error| AtlasError::Archive(path.to_owned(), error))?;
        Ok(Self { path: path.to_owned(), file, facts, tiles, manifest: OnceLock::new() })
    }

    /// Returns whether the first bytes of a file are those of an archive.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn is_at(path: &Path) -> io::Result<bool> {
        let mut start = Vec::new();
        open_file(path)?.take(MAGIC.len() as u64).read_to_end(&mut start)?;
        Ok(start == MAGIC)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The facts of the map, which shows one layer.
    pub fn facts(&self) -> &MapFile {
        &self.facts
    }

    /// The tiles as a manifest would name them. Reads all of them the first time.
    ///
    /// # Errors
    /// A tile cannot be read.
    pub(crate) fn manifest(&self, samples: Samples) -> Result<Manifest, AtlasError> {
        if let Some(manifest) = self.manifest.get() {
            return Ok(manifest.clone());
        }
        let records = self.records(samples);
        let tiles = self.tiles.iter().map(|(&tile, place)| match &records[place] {
            Ok(record) => Ok((tile, *record)),
            Err(error) => Err(self.tile_error(tile, error)),
        });
        let tiles = tiles.collect::<Result<_, _>>()?;
        Ok(self.manifest.get_or_init(|| Manifest { tiles }).clone())
    }

    /// The tiles that cannot be read, each with its fault.
    pub(crate) fn faults(&self, samples: Samples) -> Vec<(TilePos, String)> {
        let records = self.records(samples);
        self.tiles.iter().filter_map(|(&tile, place)| Some((tile, records[place].as_ref().err()?.clone()))).collect()
    }

    /// Each of the tiles in the file once: equal ones share their bytes.
    fn records(&self, samples: Samples) -> HashMap<ByteRange, Result<TileRecord, String>> {
        let mut places: Vec<ByteRange> = self.tiles.values().copied().collect();
        places.sort_unstable_by_key(|place| (place.at, place.len));
        places.dedup();
        places.into_par_iter().map(|place| (place, self.record(place, samples))).collect()
    }

    fn record(&self, place: ByteRange, samples: Samples) -> Result<TileRecord, String> {
        let bytes = self.bytes(place)?;
        let canvas = samples.decode(&bytes).map_err(|error| error.to_string())?;
        Ok(TileRecord { bytes: place.len, file: XxHash3_64::oneshot(&bytes), pixels: samples.hash(&canvas) })
    }

    /// The tiles with their lengths and without hashes, for which they would have to be read.
    pub(crate) fn tile_lengths(&self) -> Manifest {
        let tiles = self.tiles.iter().map(|(&tile, place)| {
            let record = TileRecord { bytes: place.len, file: 0, pixels: 0 };
            (tile, record)
        });
        Manifest { tiles: tiles.collect() }
    }

    /// The bytes of a tile.
    ///
    /// # Errors
    /// It is missing, or cannot be read.
    pub(crate) fn file(&self, tile: TilePos) -> Result<Vec<u8>, AtlasError> {
        let place = self.tiles.get(&tile).ok_or_else(|| self.tile_error(tile, "it is missing"))?;
        self.bytes(*place).map_err(|error| self.tile_error(tile, &error))
    }

    /// The error of a tile that is damaged.
    pub(crate) fn tile_error(&self, tile: TilePos, error: &str) -> AtlasError {
        AtlasError::Archive(self.path.clone(), format!("tile {tile}: {error}"))
    }

    fn bytes(&self, ByteRange { at, len }: ByteRange) -> Result<Vec<u8>, String> {
        read(&self.file, ArchiveSection { at, len: len.into() })
    }
}

/// The places of the tiles of an archive, while its directories are read.
struct Directory<'a> {
    file: &'a File,
    sections: ArchiveSections,
    tiles: BTreeMap<TilePos, ByteRange>,
    /// The end of the last leaf: each is read once, in the order in which they are written.
    leaves_end: u64,
}

impl Directory<'_> {
    /// Adds the tiles of the root and of its leaves, or of a leaf.
    fn add(&mut self, directory: ArchiveSection, is_leaf: bool) -> Result<(), String> {
        let plain = gunzip(&read(self.file, directory)?).ok_or(DAMAGED)?;
        for DirectoryEntry { id, offset, len, run } in entries(&plain).ok_or(DAMAGED)? {
            if run > 0 {
                let at = self.sections.data.at.checked_add(offset).ok_or(DAMAGED)?;
                if run > (MAX_TILES - self.tiles.len()) as u64 {
                    return Err("it has too many tiles".to_owned());
                }
                // An empty map has a tile of zoom level 0 with nothing on it, which is none of its tiles.
                let ids = id..id.saturating_add(run);
                self.tiles.extend(ids.filter_map(|id| Some((tile_at(id)?, ByteRange { at, len }))));
            } else if is_leaf || offset < self.leaves_end {
                return Err(DAMAGED.to_owned());
            } else {
                let at = self.sections.leaves.at.checked_add(offset).ok_or(DAMAGED)?;
                self.leaves_end = offset + u64::from(len).max(1);
                self.add(ArchiveSection { at, len: len.into() }, true)?;
            }
        }
        Ok(())
    }
}

/// Reads the facts of an archive, and the places of its tiles.
fn read_all(file: &File) -> Result<(MapFile, BTreeMap<TilePos, ByteRange>), String> {
    let header = read(file, ArchiveSection { at: 0, len: HEADER_BYTES as u64 })?;
    let sections = header.first_chunk().and_then(ArchiveSections::parse).ok_or(NOT_OURS)?;
    let metadata = gunzip(&read(file, sections.metadata)?).ok_or(DAMAGED)?;
    let metadata: Metadata = serde_json::from_slice(&metadata).map_err(|_| NOT_OURS)?;
    if !metadata.pixelmap.is_sound() {
        return Err(NOT_OURS.to_owned());
    }
    let mut directory = Directory { file, sections, tiles: BTreeMap::new(), leaves_end: 0 };
    directory.add(sections.root, false)?;
    Ok((metadata.pixelmap, directory.tiles))
}

/// Reads a part of the file.
fn read(file: &File, ArchiveSection { at, len }: ArchiveSection) -> Result<Vec<u8>, String> {
    let there = file.metadata().map_err(|error| error.to_string())?.len();
    if at.checked_add(len).is_none_or(|end| end > there) {
        return Err("the file is shorter than it says".to_owned());
    }
    let mut bytes = vec![0; len as usize];
    read_exact_at(file, &mut bytes, at).map_err(|error| error.to_string())?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::atlas::pmtiles::directory::directory;

    /// The fault of an archive with these entries in its root, and these in its only leaf.
    fn fault(root: &[DirectoryEntry], leaf: &[DirectoryEntry]) -> String {
        let [root, leaf] = [root, leaf].map(|entries| directory(entries).unwrap());
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[&root[..], &leaf].concat()).unwrap();
        let at = root.len() as u64;
        let mut sections = ArchiveSections::in_a_row(at, 0, leaf.len() as u64, 0);
        sections.root.at = 0;
        sections.leaves.at = at;
        let mut directory = Directory { file: &file, sections, tiles: BTreeMap::new(), leaves_end: 0 };
        directory.add(sections.root, false).unwrap_err()
    }

    #[test]
    fn a_directory_that_would_never_end_is_damaged() {
        let tile = DirectoryEntry { id: 5, offset: 0, len: 1, run: 1 };
        let len = directory(&[tile]).unwrap().len() as u32;
        let pointer = DirectoryEntry { id: 5, offset: 0, len, run: 0 };
        assert_eq!(fault(&[pointer, pointer], &[tile]), DAMAGED, "a leaf is read once");
        let len = directory(&[pointer]).unwrap().len() as u32;
        assert_eq!(
            fault(&[DirectoryEntry { len, ..pointer }], &[DirectoryEntry { len, ..pointer }]),
            DAMAGED,
            "a leaf has no leaves"
        );
        let tiles = DirectoryEntry { run: 1 << 40, ..tile };
        assert_eq!(fault(&[tiles], &[]), "it has too many tiles");
    }
}
