//! The directories of an archive: which tile lies where, sorted by id. Where they do not fit into one, leaves of some
//! thousand entries hang below the root.

use std::io;

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
    /// The place of their bytes, counted from the start of the data; of a leaf, from the start of all leaves.
    pub(super) offset: u64,
    /// The number of these bytes.
    pub(super) len: u32,
    /// The number of tiles; 0: it is a leaf.
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

    fn unpacked(packed: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed), &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_directory_is_written_number_by_number() {
        let entry = |id, offset, len, run| Entry { id, offset, len, run };
        let entries = [entry(5, 0, 10, 2), entry(300, 10, 200, 1), entry(301, 0, 10, 1)];
        let expected = [3, 5, 0xa7, 0x02, 1, 2, 1, 1, 10, 0xc8, 0x01, 10, 1, 0, 1];
        assert_eq!(unpacked(&directory(&entries).unwrap()), expected);
    }

    #[test]
    fn the_archive_root_stays_within_16_kib() {
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
