//! The directories of an archive: which tile lies where, sorted by id. Where they do not fit into one, leaves of some
//! thousand entries hang below the root.

use std::io::{self, Read as _};

use flate2::read::GzDecoder;
use libdeflater::{CompressionLvl, Compressor};

use super::header::HEADER_BYTES;

/// Header and root together have fewer bytes than this, so that a reader has both after its first request.
const FIRST_BYTES: usize = 16_384;
/// Entries of a leaf; more where the root would grow too long. A leaf has some 20 KiB then.
const LEAF_ENTRIES: usize = 4096;
/// Directories are small, and read over a network.
const GZIP_LEVEL: i32 = 9;

/// Tiles with consecutive ids and the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// The id of the first of them.
    pub(super) id: u64,
    /// Where their bytes begin, counted from the start of the data; of a leaf, from the start of all leaves.
    pub(super) offset: u64,
    /// How many bytes these are.
    pub(super) len: u32,
    /// How many tiles there are; 0: it is a leaf.
    pub(super) run: u32,
}

/// The directories as they stand in the file.
#[derive(Debug)]
pub(super) struct Directories {
    pub(super) root: Vec<u8>,
    pub(super) leaves: Vec<u8>,
}

impl Directories {
    /// Of these entries, which are sorted by id.
    ///
    /// # Errors
    /// The compressor refuses, or the root cannot be made short enough.
    pub(super) fn of(entries: &[Entry]) -> io::Result<Self> {
        let fits = |root: &[u8]| root.len() + HEADER_BYTES < FIRST_BYTES;
        // An entry takes a byte at least, however well it is compressed.
        if entries.len() < FIRST_BYTES {
            let root = directory(entries)?;
            if fits(&root) {
                return Ok(Self { root, leaves: Vec::new() });
            }
        }
        let mut size = LEAF_ENTRIES;
        while size < 2 * entries.len() {
            let (mut leaves, mut pointers) = (Vec::new(), Vec::new());
            for leaf in entries.chunks(size) {
                let bytes = directory(leaf)?;
                let (offset, len) = (leaves.len() as u64, bytes.len() as u32);
                pointers.push(Entry { id: leaf[0].id, offset, len, run: 0 });
                leaves.extend(bytes);
            }
            let root = directory(&pointers)?;
            if fits(&root) {
                return Ok(Self { root, leaves });
            }
            size *= 2;
        }
        Err(io::Error::other("the archive has too many tiles"))
    }
}

/// A directory in the file: the number of entries, then number by number of all of them, compressed.
fn directory(entries: &[Entry]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    varint(&mut bytes, entries.len() as u64);
    let mut last = 0;
    for entry in entries {
        varint(&mut bytes, entry.id - last);
        last = entry.id;
    }
    for number in entries.iter().map(|entry| entry.run).chain(entries.iter().map(|entry| entry.len)) {
        varint(&mut bytes, number.into());
    }
    let mut end = None;
    for entry in entries {
        // 0: it begins where the one before ends.
        varint(&mut bytes, if end == Some(entry.offset) { 0 } else { entry.offset + 1 });
        end = Some(entry.offset + u64::from(entry.len));
    }
    gzip(&bytes)
}

/// Seven bits a byte, the low ones first; the highest bit says that more follow.
fn varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The entries of a directory, unpacked; `None`: it is none.
pub(super) fn entries_of(mut bytes: &[u8]) -> Option<Vec<Entry>> {
    let from = &mut bytes;
    // Each entry takes four bytes at least.
    let count = usize::try_from(number_of(from)?).ok().filter(|&count| count <= from.len() / 4)?;
    let mut entries = vec![Entry { id: 0, offset: 0, len: 0, run: 0 }; count];
    let mut id = 0_u64;
    for entry in &mut entries {
        id = id.checked_add(number_of(from)?)?;
        entry.id = id;
    }
    for entry in &mut entries {
        entry.run = number_of(from)?.try_into().ok()?;
    }
    for entry in &mut entries {
        entry.len = number_of(from)?.try_into().ok()?;
    }
    let mut end = 0;
    for entry in &mut entries {
        entry.offset = number_of(from)?.checked_sub(1).unwrap_or(end);
        end = entry.offset.checked_add(entry.len.into())?;
    }
    Some(entries)
}

/// A number, as [`varint`] writes it.
fn number_of(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let byte = *from.split_off_first()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Unpacks a directory or the metadata; `None`: it is damaged, or has more than `most` bytes.
pub(super) fn gunzip(packed: &[u8], most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed).take(most + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}

/// Compresses a directory or the metadata.
pub(super) fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let level = CompressionLvl::new(GZIP_LEVEL).map_err(|_| io::Error::other("no such level"))?;
    let mut compressor = Compressor::new(level);
    let mut packed = vec![0; compressor.gzip_compress_bound(bytes.len())];
    let len = compressor.gzip_compress(bytes, &mut packed).map_err(io::Error::other)?;
    packed.truncate(len);
    Ok(packed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(bytes: &[u8]) -> Vec<u8> {
        gunzip(bytes, 1 << 30).unwrap()
    }

    #[test]
    fn a_directory_is_written_number_by_number() {
        let entry = |id, offset, len, run| Entry { id, offset, len, run };
        let entries = [entry(5, 0, 10, 2), entry(300, 10, 200, 1), entry(301, 0, 10, 1)];
        let expected = [3, 5, 0xa7, 0x02, 1, 2, 1, 1, 10, 0xc8, 0x01, 10, 1, 0, 1];
        assert_eq!(unpacked(&directory(&entries).unwrap()), expected);
        assert_eq!(entries_of(&expected).unwrap(), entries);
    }

    #[test]
    fn what_is_no_directory_is_not_read_and_bombs_are_not_unpacked() {
        let entry = |id, offset, len, run| Entry { id, offset, len, run };
        let entries = [entry(5, 0, 10, 2), entry(300, u64::MAX / 2, 200, 1), entry(u64::MAX - 1, 0, 10, 1)];
        let bytes = unpacked(&directory(&entries).unwrap());
        assert_eq!(entries_of(&bytes).unwrap(), entries);
        for at in 0..bytes.len() {
            assert!(entries_of(&bytes[..at]).is_none(), "{at}");
            for value in 0..=255 {
                let mut changed = bytes.clone();
                changed[at] = value;
                // Whatever it says: no panic, and no more entries than there are bytes.
                assert!(entries_of(&changed).is_none_or(|entries| entries.len() < bytes.len()));
            }
        }
        let many = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        assert!(entries_of(&many).is_none(), "so many entries there are not");
        let bomb = gzip(&vec![0; 100_001]).unwrap();
        assert!(gunzip(&bomb, 100_000).is_none() && gunzip(&bomb, 100_001).is_some());
        assert!(gunzip(&bomb[..bomb.len() - 1], 100_001).is_none());
    }

    #[test]
    fn the_root_stays_within_the_first_16_kib_however_many_tiles_there_are() {
        let mut offset = 0;
        let mut noise = 1_u64;
        let mut entry = |number: u64| {
            noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let len = 1 + (noise >> 45) as u32;
            offset += u64::from(len);
            Entry { id: number * 3 + (noise >> 62), offset: offset - u64::from(len), len, run: 1 }
        };
        for count in [1, 3_000, 6_000, 200_000] {
            let entries: Vec<Entry> = (0..count).map(&mut entry).collect();
            let Directories { root, leaves } = Directories::of(&entries).unwrap();
            assert!(root.len() + HEADER_BYTES < FIRST_BYTES, "{count}: {}", root.len());
            assert_eq!(leaves.is_empty(), count <= 3_000, "{count}");
        }
    }
}
