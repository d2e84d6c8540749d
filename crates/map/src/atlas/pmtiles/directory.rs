//! Writes and reads the directories of an archive, which give the position of each tile, sorted by
//! id. If the entries do not fit into the root directory, they are written as leaf directories of
//! some thousand entries, and the root points to the leaves. Also compresses directories and
//! metadata.

use std::io;

use libdeflater::{CompressionLvl, Compressor, Decompressor};

use super::header::HEADER_BYTES;

/// Header and root together must be shorter than this, so that a reader has both after its first
/// request.
const FIRST_BYTES: usize = 16_384;
/// The number of entries per leaf, which makes about 20 KiB. Doubled until the root is short
/// enough.
const LEAF_ENTRIES: usize = 4096;
/// A high level, because directories are small and read over a network.
const GZIP_LEVEL: i32 = 9;
/// The maximum length of an inflated directory, so that a damaged archive cannot fill the memory.
pub(super) const MAX_PLAIN: usize = 64 << 20;
/// The maximum number of entries in a directory. The longest leaf that we write for the maximum
/// number of tiles has 32,768.
const MAX_ENTRIES: usize = 1 << 20;

/// Tiles with consecutive ids and the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DirectoryEntry {
    /// The id of the first tile.
    pub(crate) id: u64,
    /// The position of their bytes, relative to the start of the tile data; for a leaf, relative to
    /// the start of all leaves.
    pub(crate) offset: u64,
    /// The number of bytes.
    pub(crate) len: u32,
    /// The number of tiles, or 0 if the entry points to a leaf.
    pub(crate) run: u64,
}

/// The compressed directories.
#[derive(Debug)]
pub(crate) struct Directories {
    pub(crate) root: Vec<u8>,
    pub(crate) leaves: Vec<u8>,
}

impl Directories {
    /// Writes entries, which must be sorted by id.
    ///
    /// # Errors
    /// Fails if the compressor fails or the root cannot be made short enough.
    pub(crate) fn new(entries: &[DirectoryEntry]) -> io::Result<Self> {
        let fits = |root: &[u8]| root.len() + HEADER_BYTES < FIRST_BYTES;

        // Skips this attempt for long lists: even compressed, an entry takes at least one byte.
        if entries.len() < FIRST_BYTES {
            let root = directory(entries)?;
            if fits(&root) {
                return Ok(Self {
                    root,
                    leaves: Vec::new(),
                });
            }
        }

        let mut size = LEAF_ENTRIES;
        while size < 2 * entries.len() {
            let mut leaves = Vec::new();
            let mut pointers = Vec::new();
            for leaf in entries.chunks(size) {
                let bytes = directory(leaf)?;
                let offset = leaves.len() as u64;
                pointers.push(DirectoryEntry {
                    id: leaf[0].id,
                    offset,
                    len: bytes.len() as u32,
                    run: 0,
                });
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

/// Returns a compressed directory: the number of entries, followed by one field of all entries
/// after the other.
pub(super) fn directory(entries: &[DirectoryEntry]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    put_varint(&mut bytes, entries.len() as u64);

    let mut last = 0;
    for entry in entries {
        put_varint(&mut bytes, entry.id - last);
        last = entry.id;
    }

    for number in entries
        .iter()
        .map(|entry| entry.run)
        .chain(entries.iter().map(|entry| entry.len.into()))
    {
        put_varint(&mut bytes, number);
    }

    let mut end = None;
    for entry in entries {
        // 0 means that it begins where the previous entry ends.
        put_varint(
            &mut bytes,
            if end == Some(entry.offset) {
                0
            } else {
                entry.offset + 1
            },
        );
        end = Some(entry.offset + u64::from(entry.len));
    }

    gzip(&bytes)
}

/// Writes a number with seven bits per byte, low bits first. The highest bit is set if more bytes
/// follow.
fn put_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Parses an inflated directory. Returns `None` if it is damaged.
pub(super) fn entries(mut bytes: &[u8]) -> Option<Vec<DirectoryEntry>> {
    let count = usize::try_from(take_varint(&mut bytes)?).ok()?;

    // Each of an entry's four numbers takes at least one byte.
    if count > MAX_ENTRIES.min(bytes.len() / 4) {
        return None;
    }

    let ids = take_varints(&mut bytes, count)?;
    let runs = take_varints(&mut bytes, count)?;
    let lens = take_varints(&mut bytes, count)?;
    let offsets = take_varints(&mut bytes, count)?;

    let mut id = 0_u64;
    let mut end = 0_u64;
    let mut entries = Vec::with_capacity(count);
    for number in 0..count {
        id = id.checked_add(ids[number])?;
        let len = u32::try_from(lens[number]).ok()?;

        let offset = if offsets[number] == 0 {
            end
        } else {
            offsets[number] - 1
        };

        end = offset.checked_add(len.into())?;
        entries.push(DirectoryEntry {
            id,
            offset,
            len,
            run: runs[number],
        });
    }

    Some(entries)
}

/// Reads several numbers that [`put_varint`] wrote.
fn take_varints(bytes: &mut &[u8], count: usize) -> Option<Vec<u64>> {
    (0..count).map(|_| take_varint(bytes)).collect()
}

/// Reads a number that [`put_varint`] wrote.
fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
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

/// Compresses a directory or the metadata.
pub(crate) fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let level = CompressionLvl::new(GZIP_LEVEL).map_err(|_| io::Error::other("no such level"))?;
    let mut compressor = Compressor::new(level);
    let mut packed = vec![0; compressor.gzip_compress_bound(bytes.len())];
    let len = compressor
        .gzip_compress(bytes, &mut packed)
        .map_err(io::Error::other)?;
    packed.truncate(len);
    Ok(packed)
}

/// Inflates a directory or the metadata; the last four bytes contain the length. Returns `None` if
/// the data are damaged or have more than `most` bytes.
pub(super) fn gunzip(packed: &[u8], most: usize) -> Option<Vec<u8>> {
    let len = u32::from_le_bytes(*packed.last_chunk()?) as usize;
    let mut plain = vec![0; Some(len).filter(|&len| len <= most)?];
    let read = Decompressor::new()
        .gzip_decompress(packed, &mut plain)
        .ok()?;
    (read == plain.len()).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: u64, offset: u64, len: u32, run: u64) -> DirectoryEntry {
        DirectoryEntry {
            id,
            offset,
            len,
            run,
        }
    }

    #[test]
    fn directories_are_written_and_read_number_by_number() {
        let three = [
            entry(5, 0, 10, 2),
            entry(300, 10, 200, 1),
            entry(301, 0, 10, 1),
        ];

        let bytes = [3, 5, 0xa7, 0x02, 1, 2, 1, 1, 10, 0xc8, 0x01, 10, 1, 0, 1];
        assert_eq!(
            gunzip(&directory(&three).unwrap(), MAX_PLAIN).unwrap(),
            bytes
        );
        assert_eq!(entries(&bytes).unwrap(), three);
        assert!((0..bytes.len()).all(|len| entries(&bytes[..len]).is_none()));
        assert!(entries(&[0xff; 40]).is_none());
    }

    #[test]
    fn the_archive_root_stays_within_16_kib() {
        let mut offset = 0;
        let mut noise = 1_u64;

        let mut numbered = |number: u64| {
            noise = noise
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let len = 1 + (noise >> 45) as u32;
            offset += u64::from(len);
            entry(number * 3 + (noise >> 62), offset - u64::from(len), len, 1)
        };

        for count in [1, 3_000, 6_000, 200_000] {
            let entries: Vec<DirectoryEntry> = (0..count).map(&mut numbered).collect();
            let Directories { root, leaves } = Directories::new(&entries).unwrap();
            assert!(
                root.len() + HEADER_BYTES < FIRST_BYTES,
                "{count}: {}",
                root.len()
            );
            assert_eq!(leaves.is_empty(), count <= 3_000, "{count}");
        }
    }
}
