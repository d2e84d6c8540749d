//! Reads archives that pixelmap wrote. An archive does not contain a manifest, so a manifest is
//! made from its tiles on request. Limits protect against damaged files that claim huge sizes.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use twox_hash::XxHash3_64;

use super::directory::{DirectoryEntry, MAX_PLAIN, entries, gunzip};
use super::header::{ArchiveSection, ArchiveSections, HEADER_BYTES, MAGIC};
use super::metadata::Metadata;
use super::tile_ids::{tile_at, tile_id};
use crate::atlas::error::AtlasError;
use crate::atlas::manifest::{Manifest, TileRecord};
use crate::atlas::map_file::MapFile;
use pixelmap_base::at::read_exact_at;
use pixelmap_base::coord::TilePos;
use pixelmap_base::disk::open_file;
use pixelmap_tile::Samples;

/// The maximum number of tiles in any archive, and in one with short directories. One entry can
/// stand for any number of equal tiles, but listing the tiles of an archive needs memory for each
/// of them.
const MAX_TILES: u64 = 1 << 26;
const MAX_EQUAL_TILES: u64 = 1 << 18;
/// The number of tiles allowed in addition for each byte of the directories. An entry of a single
/// tile has at least two bytes.
const TILES_PER_BYTE: u64 = 16;
/// The maximum length of the inflated metadata and of a tile, in bytes. Real metadata have a few
/// thousand bytes, and the samples of a tile 1 MiB.
const MAX_METADATA: usize = 4 << 20;
const MAX_TILE_BYTES: u64 = 16 << 20;
const DAMAGED: &str = "a directory is damaged";
const NOT_OURS: &str = "pixelmap did not write this archive";

/// The position and length of a tile's bytes in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct ByteRange {
    at: u64,
    len: u32,
}

/// Tiles with consecutive ids and the same bytes.
#[derive(Debug, Clone, Copy)]
struct TileRun {
    first: u64,
    count: u64,
    range: ByteRange,
}

#[derive(Debug)]
pub struct TileArchive {
    path: PathBuf,
    file: File,
    facts: Box<MapFile>,
    runs: Vec<TileRun>,
    manifest: OnceLock<Manifest>,
}

impl TileArchive {
    /// Opens an archive and reads its directories.
    ///
    /// # Errors
    /// Fails if the archive cannot be read, is damaged, or was not written by pixelmap.
    pub fn open(path: &Path) -> Result<Self, AtlasError> {
        let file = open_file(path).map_err(AtlasError::io(path))?;
        let (facts, runs) =
            read_all(&file).map_err(|error| AtlasError::Archive(path.to_owned(), error))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            facts: Box::new(facts),
            runs,
            manifest: OnceLock::new(),
        })
    }

    /// Returns whether a file begins like an archive.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn is_at(path: &Path) -> io::Result<bool> {
        let mut start = Vec::new();
        open_file(path)?
            .take(MAGIC.len() as u64)
            .read_to_end(&mut start)?;
        Ok(start == MAGIC)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the facts of the map, which has only one layer.
    pub fn facts(&self) -> &MapFile {
        &self.facts
    }

    /// Returns the tiles with the positions of their bytes, in the order of their ids. Skips the
    /// tile of zoom level 0, which the archive of an empty map contains, because it shows nothing.
    fn tiles(&self) -> impl Iterator<Item = (TilePos, ByteRange)> + '_ {
        self.runs.iter().flat_map(
            |&TileRun {
                 first,
                 count,
                 range,
             }| {
                (first..first + count).filter_map(move |id| Some((tile_at(id)?, range)))
            },
        )
    }

    /// Returns the tiles as a manifest. The first call reads all tiles.
    ///
    /// # Errors
    /// Fails if a tile cannot be read.
    pub(crate) fn manifest(&self, samples: Samples) -> Result<Manifest, AtlasError> {
        if let Some(manifest) = self.manifest.get() {
            return Ok(manifest.clone());
        }

        let records = self.records(samples);
        let tiles = self.tiles().map(|(tile, range)| match &records[&range] {
            Ok(record) => Ok((tile, *record)),
            Err(error) => Err(self.tile_error(tile, error)),
        });
        let tiles = tiles.collect::<Result<_, _>>()?;

        Ok(self.manifest.get_or_init(|| Manifest { tiles }).clone())
    }

    /// Returns the tiles that cannot be read, each with its fault.
    pub(crate) fn faults(&self, samples: Samples) -> Vec<(TilePos, String)> {
        let records = self.records(samples);
        self.tiles()
            .filter_map(|(tile, range)| Some((tile, records[&range].as_ref().err()?.clone())))
            .collect()
    }

    /// Reads all tiles. Equal tiles share their bytes in the file and are read only once.
    fn records(&self, samples: Samples) -> HashMap<ByteRange, Result<TileRecord, String>> {
        let mut ranges: Vec<ByteRange> = self.runs.iter().map(|run| run.range).collect();
        ranges.sort_unstable_by_key(|range| (range.at, range.len));
        ranges.dedup();
        ranges
            .into_par_iter()
            .map(|range| (range, self.record(range, samples)))
            .collect()
    }

    fn record(&self, range: ByteRange, samples: Samples) -> Result<TileRecord, String> {
        let bytes = self.bytes(range)?;
        let canvas = samples.decode(&bytes).map_err(|error| error.to_string())?;
        Ok(TileRecord {
            bytes: range.len,
            file: XxHash3_64::oneshot(&bytes),
            pixels: samples.hash(&canvas),
        })
    }

    /// Returns the tiles with their lengths. The hashes are 0, because computing them would mean
    /// reading all tiles.
    pub(crate) fn tile_lengths(&self) -> Manifest {
        let tiles = self.tiles().map(|(tile, range)| {
            let record = TileRecord {
                bytes: range.len,
                file: 0,
                pixels: 0,
            };
            (tile, record)
        });
        Manifest {
            tiles: tiles.collect(),
        }
    }

    /// Returns the bytes of a tile.
    ///
    /// # Errors
    /// Fails if the tile is missing or cannot be read.
    pub(crate) fn file(&self, tile: TilePos) -> Result<Vec<u8>, AtlasError> {
        let id = tile_id(tile);
        let run = self.runs[..self.runs.partition_point(|run| run.first <= id)].last();
        let run = run
            .filter(|run| id - run.first < run.count)
            .ok_or_else(|| self.tile_error(tile, "it is missing"))?;
        self.bytes(run.range)
            .map_err(|error| self.tile_error(tile, &error))
    }

    /// Returns the error for a damaged tile.
    pub(crate) fn tile_error(&self, tile: TilePos, error: &str) -> AtlasError {
        AtlasError::Archive(self.path.clone(), format!("tile {tile}: {error}"))
    }

    fn bytes(&self, ByteRange { at, len }: ByteRange) -> Result<Vec<u8>, String> {
        read(
            &self.file,
            ArchiveSection {
                at,
                len: len.into(),
            },
            MAX_TILE_BYTES,
        )
    }
}

/// The state of reading an archive's directories.
struct Directory<'a> {
    file: &'a File,
    sections: ArchiveSections,
    runs: Vec<TileRun>,
    /// The id after the last tile. Ids must grow from entry to entry.
    next: u64,
    tiles: u64,
    /// The length of all directories read so far, in bytes.
    bytes: u64,
    /// The end of the last leaf. Leaves must be in the order in which they were written, so that
    /// none is read twice.
    leaves_end: u64,
}

impl<'a> Directory<'a> {
    fn new(file: &'a File, sections: ArchiveSections) -> Self {
        Self {
            file,
            sections,
            runs: Vec::new(),
            next: 0,
            tiles: 0,
            bytes: 0,
            leaves_end: 0,
        }
    }

    /// Adds the tiles of a directory: of the root with all its leaves, or of one leaf.
    fn add(&mut self, directory: ArchiveSection, is_leaf: bool) -> Result<(), String> {
        let plain =
            gunzip(&read(self.file, directory, MAX_PLAIN as u64)?, MAX_PLAIN).ok_or(DAMAGED)?;
        self.bytes += directory.len;

        for entry in entries(&plain).ok_or(DAMAGED)? {
            let DirectoryEntry {
                offset, len, run, ..
            } = entry;
            if run > 0 {
                self.add_run(entry)?;
            } else if is_leaf || offset < self.leaves_end {
                return Err(DAMAGED.to_owned());
            } else {
                let at = self.sections.leaves.at.checked_add(offset).ok_or(DAMAGED)?;
                self.leaves_end = offset + u64::from(len).max(1);
                self.add(
                    ArchiveSection {
                        at,
                        len: len.into(),
                    },
                    true,
                )?;
            }
        }

        Ok(())
    }

    fn add_run(
        &mut self,
        DirectoryEntry {
            id: first,
            offset,
            len,
            run: count,
        }: DirectoryEntry,
    ) -> Result<(), String> {
        let at = self.sections.data.at.checked_add(offset).ok_or(DAMAGED)?;
        self.tiles = self.tiles.saturating_add(count);

        let most = (MAX_EQUAL_TILES + TILES_PER_BYTE * self.bytes).min(MAX_TILES);
        if self.tiles > most {
            return Err(format!(
                "its directories of {} bytes name more than {most} tiles, most of them equal",
                self.bytes
            ));
        }

        if first < self.next {
            return Err(DAMAGED.to_owned());
        }

        self.next = first.checked_add(count).ok_or(DAMAGED)?;
        self.runs.push(TileRun {
            first,
            count,
            range: ByteRange { at, len },
        });

        Ok(())
    }
}

/// Reads the facts of an archive and the positions of its tiles.
fn read_all(file: &File) -> Result<(MapFile, Vec<TileRun>), String> {
    let header = read(
        file,
        ArchiveSection {
            at: 0,
            len: HEADER_BYTES as u64,
        },
        HEADER_BYTES as u64,
    )?;

    let sections = header
        .first_chunk()
        .and_then(ArchiveSections::parse)
        .ok_or(NOT_OURS)?;
    let metadata = gunzip(
        &read(file, sections.metadata, MAX_METADATA as u64)?,
        MAX_METADATA,
    )
    .ok_or(DAMAGED)?;

    let metadata: Metadata = serde_json::from_slice(&metadata).map_err(|_| NOT_OURS)?;
    if !metadata.pixelmap.is_sound() {
        return Err(NOT_OURS.to_owned());
    }

    let mut directory = Directory::new(file, sections);
    directory.add(sections.root, false)?;

    Ok((metadata.pixelmap, directory.runs))
}

/// Reads a part of the file, of at most `most` bytes. The length of the file is not a sufficient
/// limit, because a file with holes can be longer than the memory.
fn read(
    file: &File,
    ArchiveSection { at, len }: ArchiveSection,
    most: u64,
) -> Result<Vec<u8>, String> {
    let there = file.metadata().map_err(|error| error.to_string())?.len();
    if at.checked_add(len).is_none_or(|end| end > there) {
        return Err("the file is shorter than its header requires".to_owned());
    }

    if len > most {
        return Err(format!(
            "a part of it has {len} bytes, but at most {most} are allowed"
        ));
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

    /// Returns the fault of an archive with these entries in its root and in its only leaf.
    fn fault(root: &[DirectoryEntry], leaf: &[DirectoryEntry]) -> String {
        let [root, leaf] = [root, leaf].map(|entries| directory(entries).unwrap());
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[&root[..], &leaf].concat()).unwrap();
        let at = root.len() as u64;
        let mut sections = ArchiveSections::in_a_row(at, 0, leaf.len() as u64, 0);
        sections.root.at = 0;
        sections.leaves.at = at;
        let mut directory = Directory::new(&file, sections);
        directory.add(sections.root, false).unwrap_err()
    }

    #[test]
    fn an_endless_directory_counts_as_damaged() {
        let tile = DirectoryEntry {
            id: 5,
            offset: 0,
            len: 1,
            run: 1,
        };

        let len = directory(&[tile]).unwrap().len() as u32;
        let pointer = DirectoryEntry {
            id: 5,
            offset: 0,
            len,
            run: 0,
        };

        assert_eq!(
            fault(&[pointer, pointer], &[tile]),
            DAMAGED,
            "a leaf is read once"
        );

        let len = directory(&[pointer]).unwrap().len() as u32;
        assert_eq!(
            fault(
                &[DirectoryEntry { len, ..pointer }],
                &[DirectoryEntry { len, ..pointer }]
            ),
            DAMAGED,
            "a leaf has no leaves"
        );

        assert_eq!(
            fault(
                &[
                    DirectoryEntry { run: 2, ..tile },
                    DirectoryEntry { id: 6, ..tile }
                ],
                &[]
            ),
            DAMAGED,
            "numbers grow"
        );
    }

    #[test]
    fn few_bytes_cannot_name_millions_of_tiles() {
        for run in [MAX_TILES - 1, 1 << 40, u64::MAX >> 2] {
            let fault = fault(
                &[DirectoryEntry {
                    id: 5,
                    offset: 0,
                    len: 1,
                    run,
                }],
                &[],
            );
            assert!(fault.contains("bytes name more than 26"), "{fault}");
        }
    }

    #[test]
    fn a_run_of_equal_tiles_stays_one() {
        let root = directory(&[DirectoryEntry {
            id: 5,
            offset: 0,
            len: 1,
            run: MAX_EQUAL_TILES,
        }])
        .unwrap();

        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&root).unwrap();

        let sections = ArchiveSections::in_a_row(root.len() as u64, 0, 0, 0);
        let mut directory = Directory::new(&file, sections);
        directory
            .add(
                ArchiveSection {
                    at: 0,
                    len: root.len() as u64,
                },
                false,
            )
            .unwrap();

        assert_eq!(
            (directory.runs.len(), directory.tiles),
            (1, MAX_EQUAL_TILES)
        );
    }

    #[test]
    fn impossible_archive_parts_take_no_memory() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(1 << 42).unwrap();
        let section = ArchiveSection {
            at: 0,
            len: 1 << 41,
        };
        assert!(
            read(&file, section, 1 << 20)
                .unwrap_err()
                .contains("at most 1048576 are allowed")
        );
    }
}
