//! A map in one file, to be compared and checked: a `PMTiles` archive of version 3 that pixelmap wrote. It has no
//! manifest, so one is made of its tiles.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libdeflater::Decompressor;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use serde::Deserialize;
use twox_hash::XxHash3_64;

use super::Trouble;
use crate::atlas::{Facts, LayerFacts, Manifest, MapFile, Scheme, TileRecord};
use crate::base::at::read_exact_at;
use crate::base::coord::{TilePos, hilbert_place};
use crate::base::disk::open_file;
use crate::tile::{Canvas, Samples};

/// The first bytes of an archive.
pub(super) const START: &[u8] = b"PMTiles\x03";
const HEADER_BYTES: usize = 127;
/// The most bytes of a directory or the metadata when they are inflated, and the most tiles: a damaged archive must not
/// fill the memory.
const MAX_PLAIN: usize = 256 << 20;
const MAX_TILES: usize = 1 << 26;
/// Leaves below leaves.
const MAX_DEPTH: u32 = 3;

/// The facts that an archive holds beside its tiles.
#[derive(Deserialize)]
struct Metadata {
    pixelmap: MapFile,
}

/// The place of a tile's bytes in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    at: u64,
    len: u32,
}

/// An archive.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    file: File,
    facts: MapFile,
    tiles: BTreeMap<TilePos, Place>,
    manifest: OnceLock<Manifest>,
}

impl Archive {
    /// Opens an archive and reads its directories.
    ///
    /// # Errors
    /// It cannot be read, is damaged, or is none of pixelmap.
    pub(super) fn open(path: &Path) -> Result<Self, Trouble> {
        let file = open_file(path).map_err(Trouble::io(path))?;
        let read = Reading { file: &file }.all();
        let (facts, tiles) = read.map_err(|error| Trouble::Archive(path.to_owned(), error))?;
        Ok(Self { path: path.to_owned(), file, facts, tiles, manifest: OnceLock::new() })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn name(&self) -> &str {
        &self.facts.name
    }

    /// The layer that it shows.
    pub(super) fn layers(&self) -> impl Iterator<Item = (&Facts, &LayerFacts)> {
        let dimensions = self.facts.dimensions.iter();
        dimensions.flat_map(|dimension| dimension.layers.iter().map(move |layer| (dimension, layer)))
    }

    /// The tiles as a manifest would name them. Reads all of them the first time.
    pub(super) fn manifest(&self, samples: Samples) -> Result<Manifest, Trouble> {
        if let Some(manifest) = self.manifest.get() {
            return Ok(manifest.clone());
        }
        let records = self.records(samples);
        let record = |(tile, place): (&TilePos, &Place)| match &records[place] {
            Ok(record) => Ok((*tile, *record)),
            Err(error) => Err(Trouble::Archive(self.path.clone(), format!("tile {tile}: {error}"))),
        };
        let tiles = self.tiles.iter().map(record).collect::<Result<_, _>>()?;
        Ok(self.manifest.get_or_init(|| Manifest { tiles }).clone())
    }

    /// The tiles that cannot be read, each with its fault.
    pub(super) fn faults(&self, samples: Samples) -> Vec<(TilePos, String)> {
        let records = self.records(samples);
        let fault = |(tile, place): (&TilePos, &Place)| Some((*tile, records[place].as_ref().err()?.clone()));
        self.tiles.iter().filter_map(fault).collect()
    }

    /// Each of the tiles in the file once: equal ones share their bytes.
    fn records(&self, samples: Samples) -> HashMap<Place, Result<TileRecord, String>> {
        let record = |place: Place| {
            let bytes = self.bytes(place)?;
            let canvas = samples.decode(&bytes).map_err(|error| error.to_string())?;
            Ok(TileRecord { bytes: place.len, file: XxHash3_64::oneshot(&bytes), pixels: samples.hash(&canvas) })
        };
        let mut places: Vec<Place> = self.tiles.values().copied().collect();
        places.sort_unstable_by_key(|place| (place.at, place.len));
        places.dedup();
        places.into_par_iter().map(|place| (place, record(place))).collect()
    }

    /// The pixels of a tile.
    pub(super) fn canvas(&self, samples: Samples, tile: TilePos) -> Result<Canvas, Trouble> {
        let failed = |error: String| Trouble::Archive(self.path.clone(), format!("tile {tile}: {error}"));
        let place = self.tiles.get(&tile).ok_or_else(|| failed("it is missing".to_owned()))?;
        let bytes = self.bytes(*place).map_err(failed)?;
        samples.decode(&bytes).map_err(|error| failed(error.to_string()))
    }

    fn bytes(&self, Place { at, len }: Place) -> Result<Vec<u8>, String> {
        Reading { file: &self.file }.bytes(at, len.into())
    }
}

/// An archive that is being read.
struct Reading<'a> {
    file: &'a File,
}

impl Reading<'_> {
    fn bytes(&self, at: u64, len: u64) -> Result<Vec<u8>, String> {
        let there = self.file.metadata().map_err(|error| error.to_string())?.len();
        if at.checked_add(len).is_none_or(|end| end > there) {
            return Err("the file is shorter than it says".to_owned());
        }
        let mut bytes = vec![0; len as usize];
        read_exact_at(self.file, &mut bytes, at).map_err(|error| error.to_string())?;
        Ok(bytes)
    }

    /// The facts and the places of the tiles.
    fn all(&self) -> Result<(MapFile, BTreeMap<TilePos, Place>), String> {
        let header = self.bytes(0, HEADER_BYTES as u64)?;
        let number = |index: usize| {
            let (numbers, _) = header[8..].as_chunks();
            u64::from_le_bytes(numbers[index])
        };
        // Compressed with gzip, as pixelmap writes them; the tiles themselves are not.
        if !header.starts_with(START) || (header[97], header[98]) != (2, 1) {
            return Err("it is no archive that pixelmap wrote".to_owned());
        }
        let metadata = plain(&self.bytes(number(2), number(3))?)?;
        let metadata: Metadata =
            serde_json::from_slice(&metadata).map_err(|_| "it is no archive that pixelmap wrote".to_owned())?;
        let (leaves, data) = (number(4), number(6));
        let mut tiles = BTreeMap::new();
        self.directory(&self.bytes(number(0), number(1))?, (leaves, data), MAX_DEPTH, &mut tiles)?;
        Ok((metadata.pixelmap, tiles))
    }

    fn directory(
        &self,
        packed: &[u8],
        (leaves, data): (u64, u64),
        depth: u32,
        tiles: &mut BTreeMap<TilePos, Place>,
    ) -> Result<(), String> {
        for Entry { id, run, offset, len } in entries(&plain(packed)?).ok_or("a directory is damaged")? {
            let at = |from: u64| from.checked_add(offset).ok_or("a directory is damaged");
            match (run, depth) {
                (0, 0) => return Err("a directory is damaged".to_owned()),
                (0, _) => self.directory(&self.bytes(at(leaves)?, len.into())?, (leaves, data), depth - 1, tiles)?,
                _ => {
                    let place = Place { at: at(data)?, len };
                    // A tile of zoom level 0 has nothing on it: it stands for an empty map.
                    let ids = (id..id.saturating_add(run)).take(MAX_TILES);
                    tiles.extend(ids.filter_map(|id| Some((tile_of(id)?, place))));
                }
            }
            if tiles.len() >= MAX_TILES {
                return Err("it has too many tiles".to_owned());
            }
        }
        Ok(())
    }
}

/// Tiles with consecutive ids and the same bytes, or a leaf.
struct Entry {
    id: u64,
    /// 0: a leaf.
    run: u64,
    offset: u64,
    len: u32,
}

/// Inflates gzip, whose last bytes tell the length.
fn plain(packed: &[u8]) -> Result<Vec<u8>, String> {
    let damaged = || "a directory is damaged".to_owned();
    let len = packed.last_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize);
    let mut plain = vec![0; len.filter(|&len| len <= MAX_PLAIN).ok_or_else(damaged)?];
    let read = Decompressor::new().gzip_decompress(packed, &mut plain).map_err(|_| damaged())?;
    if read == plain.len() { Ok(plain) } else { Err(damaged()) }
}

/// The entries of a directory: number by number of all of them.
fn entries(mut bytes: &[u8]) -> Option<Vec<Entry>> {
    let count = usize::try_from(varint(&mut bytes)?).ok()?;
    // Each number of an entry has a byte at least.
    if count > bytes.len() / 4 {
        return None;
    }
    let mut numbers = || (0..count).map(|_| varint(&mut bytes)).collect::<Option<Vec<u64>>>();
    let (ids, runs, lens, offsets) = (numbers()?, numbers()?, numbers()?, numbers()?);
    let (mut id, mut end, mut entries) = (0_u64, 0_u64, Vec::with_capacity(count));
    for number in 0..count {
        id = id.checked_add(ids[number])?;
        let len = u32::try_from(lens[number]).ok()?;
        let offset = if offsets[number] == 0 { end } else { offsets[number] - 1 };
        end = offset.checked_add(len.into())?;
        entries.push(Entry { id, run: runs[number], offset, len });
    }
    Some(entries)
}

/// Seven bits a byte, the low ones first; the highest bit says that more follow.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// The tile with this number.
fn tile_of(id: u64) -> Option<TilePos> {
    let further_out = |zoom: u8| ((1_u64 << (2 * u32::from(zoom))) - 1) / 3;
    let zoom = (1..=17).rev().find(|&zoom| further_out(zoom) <= id)?;
    let (x, y) = hilbert_place(zoom.into(), id - further_out(zoom));
    Scheme::Xyz.tile(zoom, i32::try_from(x).ok()?, i32::try_from(y).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_tiles_are_read_as_the_format_says() {
        let tile = |id| tile_of(id).map(|tile| (tile.zoom, tile.x, tile.y));
        assert_eq!([tile(1), tile(2), tile(3), tile(4)], [(1, -1, -1), (1, -1, 0), (1, 0, 0), (1, 0, -1)].map(Some));
        assert_eq!([tile(5), tile(6), tile(20)], [(2, -2, -2), (2, -1, -2), (2, 1, -2)].map(Some));
        assert_eq!((tile(0), tile(((1 << 36) - 1) / 3 - 1)), (None, Some((17, 65_535, -65_536))));
    }

    #[test]
    fn a_directory_is_read_number_by_number() {
        let bytes = [3, 5, 0xa7, 0x02, 1, 2, 1, 1, 10, 0xc8, 0x01, 10, 1, 0, 1];
        let read: Vec<_> =
            entries(&bytes).unwrap().iter().map(|entry| (entry.id, entry.offset, entry.len, entry.run)).collect();
        assert_eq!(read, [(5, 0, 10, 2), (300, 10, 200, 1), (301, 0, 10, 1)]);
        assert!((0..bytes.len()).all(|len| entries(&bytes[..len]).is_none()));
        assert!(entries(&[0xff; 40]).is_none());
    }
}
