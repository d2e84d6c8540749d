//! A map in one file: a `PMTiles` archive of version 3 (github.com/protomaps/PMTiles, spec/v3/spec.md).
//!
//! The file is in the order of tile ids, which no worker knows before the last tile is there. So tiles go to a spool
//! first, a file beside the output that has no name and is gone with its process, and only their places are held: some
//! 100 bytes a tile. At the end equal tiles are found, and the file is written from its start to its end.

mod directory;
mod earlier;
mod header;

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use twox_hash::XxHash3_64;

use self::directory::{Directories, Entry, gzip};
pub use self::earlier::EarlierArchive;
use self::header::{Header, tile_id};
use super::partial_file::Part;
use super::{Format, MapFile, PublishError};
use crate::at::{read_exact_at, write_all_at};
use crate::coord::{Area, NATIVE_ZOOM, TilePos};
use crate::json;

/// An archive that is being made.
#[derive(Debug)]
pub struct ArchiveFile {
    part: Part,
    spool: File,
    spooled: Mutex<Spooled>,
}

/// What is in the spool.
#[derive(Debug, Default)]
struct Spooled {
    /// By tile id.
    tiles: BTreeMap<u64, Stored>,
    end: u64,
    /// The columns that the native tiles show, and the outermost zoom level.
    area: Option<Area>,
    min_zoom: Option<u8>,
}

/// Where a tile lies in the spool.
#[derive(Debug, Clone, Copy)]
struct Stored {
    at: u64,
    hash: u64,
    len: u32,
}

/// What an archive says of itself.
#[derive(Debug, Serialize)]
pub struct Metadata {
    /// The world's name.
    pub name: String,
    /// What it shows.
    pub description: String,
    /// `baselayer`, or `overlay` where it is to be laid over another.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// What tells with which options it was drawn, and of which world.
    pub pixelmap_options: String,
    /// What a map's folder would say, for the viewer.
    pub pixelmap: MapFile,
}

/// An archive that stands in its place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Archived {
    /// Its length in bytes.
    pub bytes: u64,
    /// The map's tiles.
    pub tiles: u64,
    /// How many of them differ.
    pub contents: u64,
}

impl ArchiveFile {
    /// Begins an archive at `path`; `folders` are those of the world, in which it must not lie.
    ///
    /// # Errors
    /// The path is a folder or lies in the world, another run is at this archive, or its files cannot be made.
    pub fn create(path: &Path, folders: &[PathBuf]) -> Result<Self, PublishError> {
        let part = Part::create(path, folders)?;
        let folder = part.path().parent().unwrap_or(Path::new("."));
        let spool = tempfile::tempfile_in(folder).map_err(|error| part.failed(error))?;
        Ok(Self { part, spool, spooled: Mutex::default() })
    }

    fn spooled(&self) -> MutexGuard<'_, Spooled> {
        self.spooled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a tile, which has bytes. Any number of workers may do so at once.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&self, tile: TilePos, bytes: &[u8]) -> Result<(), PublishError> {
        let (hash, len) = (XxHash3_64::oneshot(bytes), bytes.len() as u32);
        let at = {
            let mut spooled = self.spooled();
            spooled.end += bytes.len() as u64;
            spooled.end - bytes.len() as u64
        };
        write_all_at(&self.spool, bytes, at).map_err(|error| self.part.failed(error))?;
        let mut spooled = self.spooled();
        spooled.tiles.insert(tile_id(tile), Stored { at, hash, len });
        spooled.min_zoom = spooled.min_zoom.into_iter().chain([tile.zoom]).min();
        if tile.zoom == NATIVE_ZOOM {
            spooled.area = spooled.area.into_iter().chain([tile.area()]).reduce(Area::union);
        }
        Ok(())
    }

    /// Reads a tile back; `None`: none was added.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&self, tile: TilePos) -> Result<Option<Vec<u8>>, PublishError> {
        let stored = self.spooled().tiles.get(&tile_id(tile)).copied();
        let read = stored.map(|stored| read(&self.spool, stored)).transpose();
        read.map_err(|error| self.part.failed(error))
    }

    /// The columns that the native tiles show.
    pub fn area(&self) -> Option<Area> {
        self.spooled().area
    }

    /// Puts the archive in its place; `None`: `is_stopped` said that the run is to end. An archive must hold a tile, so
    /// one without any is given `blank`, a tile with nothing on it, for the whole world.
    ///
    /// # Errors
    /// It cannot be written: what stood there before still stands.
    pub fn finish(
        self,
        metadata: &Metadata,
        blank: &[u8],
        is_stopped: impl Fn() -> bool,
    ) -> Result<Option<Archived>, PublishError> {
        if self.spooled().tiles.is_empty() {
            write_all_at(&self.spool, blank, 0).map_err(|error| self.part.failed(error))?;
            self.spooled().tiles.insert(0, Stored { at: 0, hash: 0, len: blank.len() as u32 });
        }
        let Self { mut part, spool, spooled } = self;
        let Spooled { tiles, area, min_zoom, .. } = spooled.into_inner().unwrap_or_else(PoisonError::into_inner);
        let count = if min_zoom.is_some() { tiles.len() as u64 } else { 0 };
        let tiles: Vec<(u64, Stored)> = tiles.into_iter().collect();
        let Some(firsts) = firsts(&spool, &tiles, &is_stopped).map_err(|error| part.failed(error))? else {
            return Ok(None);
        };
        let (entries, data, contents) = entries(&tiles, &firsts);
        let directories = Directories::of(&entries).map_err(|error| part.failed(error))?;
        let format = metadata.pixelmap.layers().next().map_or(Format::default(), |layer| layer.format);
        // These types have nothing that JSON cannot hold.
        let metadata = json::text(metadata).unwrap_or_default();
        let metadata = gzip(metadata.as_bytes()).map_err(|error| part.failed(error))?;
        let header = Header {
            root: directories.root.len() as u64,
            metadata: metadata.len() as u64,
            leaves: directories.leaves.len() as u64,
            data,
            addressed: tiles.len() as u64,
            entries: entries.len() as u64,
            contents,
            zooms: min_zoom.map_or((0, 0), |min| (min, NATIVE_ZOOM)),
            area,
            format,
        };
        part.add(&header.bytes())?;
        part.add(&directories.root)?;
        part.add(&metadata)?;
        part.add(&directories.leaves)?;
        for (number, &(_, stored)) in tiles.iter().enumerate() {
            if is_stopped() {
                return Ok(None);
            }
            if firsts[number] as usize == number {
                let bytes = read(&spool, stored).map_err(|error| part.failed(error))?;
                part.add(&bytes)?;
            }
        }
        let bytes = part.appear()?;
        Ok(Some(Archived { bytes, tiles: count, contents: contents.min(count) }))
    }
}

fn read(spool: &File, stored: Stored) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; stored.len as usize];
    read_exact_at(spool, &mut bytes, stored.at)?;
    Ok(bytes)
}

/// For each tile the number of the first one with the same bytes, which may be itself; `None`: the run is to end.
fn firsts(spool: &File, tiles: &[(u64, Stored)], is_stopped: impl Fn() -> bool) -> io::Result<Option<Vec<u32>>> {
    let mut firsts: Vec<u32> = (0..tiles.len() as u32).collect();
    let key = |number: u32| {
        let Stored { hash, len, .. } = tiles[number as usize].1;
        (hash, len)
    };
    let mut order = firsts.clone();
    order.sort_unstable_by_key(|&number| (key(number), number));
    for alike in order.chunk_by(|&one, &other| key(one) == key(other)).filter(|alike| alike.len() > 1) {
        // Equal hashes are no proof.
        let mut different: Vec<(u32, Vec<u8>)> = Vec::new();
        for &number in alike {
            if is_stopped() {
                return Ok(None);
            }
            let bytes = read(spool, tiles[number as usize].1)?;
            match different.iter().find(|(_, known)| *known == bytes) {
                Some((first, _)) => firsts[number as usize] = *first,
                None => different.push((number, bytes)),
            }
        }
    }
    Ok(Some(firsts))
}

/// The entries of the directories, the length of the data, and how many tiles differ.
fn entries(tiles: &[(u64, Stored)], firsts: &[u32]) -> (Vec<Entry>, u64, u64) {
    let (mut entries, mut offsets) = (Vec::<Entry>::new(), Vec::with_capacity(tiles.len()));
    let (mut end, mut contents) = (0, 0);
    for (number, &(id, stored)) in tiles.iter().enumerate() {
        let first = firsts[number] as usize;
        let offset = if first == number {
            contents += 1;
            end += u64::from(stored.len);
            end - u64::from(stored.len)
        } else {
            offsets[first]
        };
        offsets.push(offset);
        match entries.last_mut() {
            Some(last) if last.offset == offset && last.id + u64::from(last.run) == id => last.run += 1,
            _ => entries.push(Entry { id, offset, len: stored.len, run: 1 }),
        }
    }
    (entries, end, contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata() -> Metadata {
        let pixelmap = MapFile::new("w".to_owned());
        let (name, pixelmap_options) = ("w".to_owned(), "abc".to_owned());
        Metadata { name, description: String::new(), kind: "baselayer", pixelmap_options, pixelmap }
    }

    const fn tile(x: i32) -> TilePos {
        TilePos { zoom: 17, x, y: 0 }
    }

    #[test]
    fn tiles_with_one_hash_are_one_only_if_their_bytes_are() {
        let spool = tempfile::tempfile().unwrap();
        write_all_at(&spool, b"abcabd", 0).unwrap();
        let stored = |at| Stored { at, hash: 7, len: 3 };
        let tiles = [(1, stored(0)), (2, stored(3)), (3, stored(0)), (4, stored(3))];
        assert_eq!(firsts(&spool, &tiles, || false).unwrap().unwrap(), [0, 1, 0, 1]);
        assert!(firsts(&spool, &tiles, || true).unwrap().is_none());
    }

    #[test]
    fn equal_tiles_in_a_row_are_one_entry_and_later_ones_point_back() {
        let stored = |len| Stored { at: 0, hash: 0, len };
        let tiles = [(5, stored(10)), (6, stored(10)), (7, stored(20)), (9, stored(10)), (10, stored(10))];
        let (entries, data, contents) = entries(&tiles, &[0, 0, 2, 0, 0]);
        let entry = |id, offset, len, run| Entry { id, offset, len, run };
        assert_eq!(entries, [entry(5, 0, 10, 2), entry(7, 10, 20, 1), entry(9, 0, 10, 2)]);
        assert_eq!((data, contents), (30, 2));
    }

    #[test]
    fn what_is_not_finished_leaves_what_was_there_and_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("world.pmtiles");
        io::Write::write_all(&mut File::create(&path).unwrap(), b"earlier").unwrap();
        for stopped in [true, false] {
            let archive = ArchiveFile::create(&path, &[]).unwrap();
            archive.add(tile(0), b"one").unwrap();
            assert_eq!(archive.read(tile(0)).unwrap().unwrap(), b"one");
            assert!(archive.read(tile(1)).unwrap().is_none());
            if stopped {
                assert!(archive.finish(&metadata(), b"", || true).unwrap().is_none());
            } else {
                drop(archive);
            }
            assert_eq!(std::fs::read(&path).unwrap(), b"earlier");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        }
    }

    #[test]
    fn an_earlier_archive_gives_its_tiles_and_one_that_is_damaged_what_is_left_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("world.pmtiles");
        // So many that the directory has leaves.
        let archive = ArchiveFile::create(&path, &[]).unwrap();
        let bytes = |x: i32| vec![7; XxHash3_64::oneshot(&x.to_le_bytes()) as usize & 0xff | 1];
        (0..24_000).step_by(2).for_each(|x| archive.add(tile(x), &bytes(x)).unwrap());
        archive.finish(&metadata(), b"", || false).unwrap();
        let whole = std::fs::read(&path).unwrap();
        assert!(u64::from_le_bytes(whole[48..56].try_into().unwrap()) > 0, "leaves");
        assert!(EarlierArchive::open(&path, "abd").is_none(), "other options");
        let earlier = EarlierArchive::open(&path, "abc").unwrap();
        assert_eq!(earlier.facts().name, "w");
        for x in [0, 2, 4096, 11_998] {
            assert_eq!((earlier.tile(tile(x)), earlier.tile(tile(x + 1))), (Some(bytes(x)), None), "{x}");
        }
        assert!(earlier.tile(TilePos { zoom: 1, x: 0, y: 0 }).is_none());
        drop(earlier);
        let put = |bytes: &[u8]| io::Write::write_all(&mut File::create(&path).unwrap(), bytes).unwrap();
        let read = || EarlierArchive::open(&path, "abc").map(|earlier| [0, 4096].map(|x| earlier.tile(tile(x))));
        for at in (0..127).chain((127..whole.len()).step_by(997)) {
            put(&whole[..at]);
            read();
            for change in [0xff, 0x80] {
                put(&[&whole[..at], &[whole[at] ^ change], &whole[at + 1..]].concat());
                read();
            }
        }
        put(&whole[..whole.len() / 2]);
        assert!(read().is_none_or(|tiles| tiles[1].is_none()));
    }

    #[test]
    fn the_order_in_which_tiles_come_is_not_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let make = |order: &[i32]| {
            let path = folder.path().join("world.pmtiles");
            let archive = ArchiveFile::create(&path, &[]).unwrap();
            for &x in order {
                archive.add(tile(x), if x % 3 == 0 { b"sea" } else { b"land" }).unwrap();
            }
            let archived = archive.finish(&metadata(), b"", || false).unwrap().unwrap();
            assert_eq!((archived.tiles, archived.contents), (5, 2));
            let bytes = std::fs::read(&path).unwrap();
            assert_eq!(bytes.len() as u64, archived.bytes);
            bytes
        };
        assert!(make(&[0, 1, 2, 3, 4]) == make(&[4, 2, 0, 3, 1]));
    }
}
