//! One entry of a journal: its length, a check over its bytes, its key, and its record. A file of entries begins with a
//! line that names the format. After an entry that is not whole, nothing more is read.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;

use twox_hash::XxHash3_64;

use crate::at::{AtStart, read_at, read_exact_at};
use crate::coord::TilePos;

/// The first line of a file of entries. Another version of the format has another line, and its files count as absent.
pub(super) const FIRST_LINE: &[u8; 19] = b"pixelmap journal 1\n";
/// Length and check.
pub(super) const HEAD: usize = 12;
/// The most bytes an entry may have: a region of which every chunk is bad and every block unknown needs less.
pub(super) const MAX_ENTRY: usize = 64 << 20;
/// Set in the place of an entry that is in the journal, which is further on than the state.
pub(super) const IN_JOURNAL: u64 = 1 << 63;
/// Set in the place of an entry whose tile may not have reached the disk.
pub(super) const UNSURE: u64 = 1 << 62;
/// Nearly every entry is shorter: one read gives it whole.
const SHORT: usize = 512;
const TILE: u8 = 0;
const SYNCED: u8 = 1;
const UNSURE_TILE: u8 = 2;

/// The key of an entry: its map layer, options and tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// The dimension and the layer, as a hash of their path.
    pub(super) layer: u64,
    /// Everything beside the world that decides a pixel, as a hash.
    pub(super) options: u64,
    /// The tile.
    pub(super) tile: TilePos,
}

/// The place of an entry: 24 bytes a tile is all that is held of it in memory.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) tile: TilePos,
    /// The number of its layer, in a list of those that hold the key.
    pub(super) layer: u32,
    /// The start of the entry in its file, with marks such as [`IN_JOURNAL`].
    pub(super) at: u64,
}

/// An entry of a journal.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entry<'a> {
    /// The record of a tile, and `true` if the tile has reached the disk; in a journal, [`Entry::Synced`] decides that.
    Tile(Key, &'a [u8], bool),
    /// Every tile that is named from one place in the file on and before the other stands on the disk itself.
    Synced(u64, u64),
}

impl<'a> Entry<'a> {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; HEAD];
        match self {
            Self::Tile(Key { layer, options, tile: TilePos { zoom, x, y } }, says, is_sure) => {
                bytes.extend([if *is_sure { TILE } else { UNSURE_TILE }, *zoom]);
                bytes.extend(layer.to_le_bytes());
                bytes.extend(options.to_le_bytes());
                bytes.extend(x.to_le_bytes());
                bytes.extend(y.to_le_bytes());
                bytes.extend_from_slice(says);
            }
            Self::Synced(from, to) => {
                bytes.extend([SYNCED, 0]);
                bytes.extend(from.to_le_bytes());
                bytes.extend(to.to_le_bytes());
            }
        }
        let (head, body) = bytes.split_at_mut(HEAD);
        head[..4].copy_from_slice(&(body.len() as u32).to_le_bytes());
        head[4..].copy_from_slice(&XxHash3_64::oneshot(body).to_le_bytes());
        bytes
    }

    pub(super) fn parse(body: &'a [u8]) -> Option<Self> {
        let (kind, body) = body.split_first_chunk::<2>()?;
        let (one, body) = body.split_first_chunk()?;
        let (two, body) = body.split_first_chunk()?;
        let (one, two) = (u64::from_le_bytes(*one), u64::from_le_bytes(*two));
        match *kind {
            [kind @ (TILE | UNSURE_TILE), zoom] => {
                let (x, body) = body.split_first_chunk()?;
                let (y, says) = body.split_first_chunk()?;
                let tile = TilePos { zoom, x: i32::from_le_bytes(*x), y: i32::from_le_bytes(*y) };
                Some(Self::Tile(Key { layer: one, options: two, tile }, says, kind == TILE))
            }
            [SYNCED, _] => Some(Self::Synced(one, two)),
            _ => None,
        }
    }
}

/// Reads the entries of a file from its start, one after the other.
#[derive(Debug)]
pub(super) struct Entries<R> {
    from: R,
    body: Vec<u8>,
    /// The start of the next entry; 0: the file has a format that this version does not read.
    pub(super) end: u64,
}

impl<R: BufRead> Entries<R> {
    /// # Errors
    /// The file cannot be read.
    pub(super) fn new(mut from: R) -> io::Result<Self> {
        let mut line = [0; FIRST_LINE.len()];
        let known = is_whole(from.read_exact(&mut line))? && line == *FIRST_LINE;
        Ok(Self { from, body: Vec::new(), end: if known { line.len() as u64 } else { 0 } })
    }

    /// Returns the next entry and where it starts; `None` at the end, or where an entry is not whole.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn next(&mut self) -> io::Result<Option<(Entry<'_>, u64)>> {
        let mut head = [0; HEAD];
        if self.end == 0 || !is_whole(self.from.read_exact(&mut head))? {
            return Ok(None);
        }
        let [l0, l1, l2, l3, check @ ..] = head;
        let len = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        if len > MAX_ENTRY {
            return Ok(None);
        }
        self.body.clear();
        // Grows only with the bytes that are there, also where the length is damaged.
        let read = self.from.by_ref().take(len as u64).read_to_end(&mut self.body)?;
        let whole = read == len && XxHash3_64::oneshot(&self.body).to_le_bytes() == check;
        let Some(entry) = Entry::parse(&self.body).filter(|_| whole) else { return Ok(None) };
        let start = self.end;
        self.end += (HEAD + len) as u64;
        Ok(Some((entry, start)))
    }
}

/// Returns whether all bytes that were to be read were there.
///
/// # Errors
/// It cannot be read.
pub(super) fn is_whole(read: io::Result<()>) -> io::Result<bool> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

/// The end of the part of a file that could be read, and the ranges in it whose tiles are synced.
pub(super) struct Extent {
    pub(super) end: u64,
    synced: Vec<Range<u64>>,
}

impl Extent {
    /// Marks the places of a journal, which have `flag`, whose tiles were not synced. In a state, each entry holds this
    /// itself.
    pub(super) fn mark_unsure(&self, places: &mut [Place], flag: u64) {
        for place in places.iter_mut().filter(|_| flag != 0) {
            if !self.synced.iter().any(|range| range.contains(&(place.at & !(flag | UNSURE)))) {
                place.at |= UNSURE;
            }
        }
    }
}

/// Calls `tile` with each entry of a tile: its key, its start, and `true` if it is recorded as having reached the disk.
///
/// # Errors
/// The file cannot be read; one that is torn ends where it is.
pub(super) fn each_tile(file: &File, mut tile: impl FnMut(Key, u64, bool)) -> io::Result<Extent> {
    let mut entries = Entries::new(BufReader::with_capacity(1 << 16, AtStart { file, at: 0 }))?;
    let mut synced: Vec<Range<u64>> = Vec::new();
    while let Some((entry, at)) = entries.next()? {
        match entry {
            Entry::Tile(key, _, is_sure) => tile(key, at, is_sure),
            // A run's batches all begin where it began: the last one holds the others.
            Entry::Synced(from, to) => {
                synced.retain(|range| range.start != from);
                synced.push(from..to);
            }
        }
    }
    Ok(Extent { end: entries.end, synced })
}

/// The entry that starts at `at`; `None`: no entry starts there, as the file may change after its entries are counted.
pub(super) fn read_entry(file: &File, at: u64) -> io::Result<Option<Vec<u8>>> {
    let mut entry = vec![0; SHORT];
    let read = read_at(file, &mut entry, at)?;
    let len = entry[..read].first_chunk().map(|len| u32::from_le_bytes(*len) as usize);
    let Some(len) = len.filter(|&len| len <= MAX_ENTRY).map(|len| HEAD + len) else { return Ok(None) };
    entry.resize(len, 0);
    let whole = len <= read || is_whole(read_exact_at(file, &mut entry, at))?;
    Ok(whole.then_some(entry))
}

/// Parses an entry that was read whole.
pub(super) fn parse(entry: &[u8]) -> Option<Entry<'_>> {
    Entry::parse(entry.get(HEAD..)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(x: i32) -> Key {
        Key { layer: 1, options: u64::MAX, tile: TilePos { zoom: 17, x, y: -9 } }
    }

    #[test]
    fn what_follows_a_torn_entry_is_not_read() {
        let mut file = FIRST_LINE.to_vec();
        let entries = [Entry::Tile(key(-4), b"one", true), Entry::Synced(77, 78), Entry::Tile(key(5), b"", false)];
        let mut starts = Vec::new();
        for entry in &entries {
            starts.push(file.len());
            file.extend(entry.bytes());
        }
        let read = |file: &[u8]| {
            let (mut from, mut count) = (Entries::new(file).unwrap(), 0);
            while let Some((entry, start)) = from.next().unwrap() {
                assert_eq!((&entry, start), (&entries[count], starts[count] as u64));
                count += 1;
            }
            (count, from.end)
        };
        assert_eq!(read(&file), (3, file.len() as u64));
        for len in 0..file.len() {
            let whole = starts.iter().skip(1).filter(|&&start| start <= len).count();
            assert_eq!(read(&file[..len]).0, whole, "{len}");
        }
        file[starts[1] + HEAD + 4] ^= 1;
        assert_eq!(read(&file), (1, starts[1] as u64), "a changed bit");
        file[3] ^= 1;
        assert_eq!(read(&file), (0, 0), "another format");
    }

    #[test]
    fn a_length_that_cannot_be_takes_no_room() {
        let mut file = FIRST_LINE.to_vec();
        file.extend([0xff, 0xff, 0xff, 0x03]);
        file.extend([0; 100]);
        let mut from = Entries::new(&file[..]).unwrap();
        assert!(from.next().unwrap().is_none() && from.body.capacity() < 4096);
    }
}
