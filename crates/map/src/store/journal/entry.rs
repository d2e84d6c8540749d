//! The binary format of journal entries. An entry consists of its length, a checksum of its bytes,
//! its key and its record. A file of entries begins with a line that names the format. Reading
//! stops at the first entry that is not whole, because after it we cannot find the start of the
//! next one.

use std::fs::File;
use std::io::{self, BufRead, Read as _};

use twox_hash::XxHash3_64;

use crate::atlas::Scheme;
use pixelmap_base::at::{read_at, read_exact_at};
use pixelmap_base::coord::TilePos;

/// The first line of a file of entries. Other versions of the entries and of their records have a
/// different line, and their files count as absent.
pub(crate) const FIRST_LINE: &[u8; 19] = b"pixelmap journal 4\n";
/// Bytes of the length and the checksum, which precede the body of an entry.
const HEAD: usize = 12;
/// The most bytes that an entry may have. Even a region in which every chunk is bad and every block
/// is unknown needs less.
const MAX_ENTRY: usize = 64 << 20;
/// The most bytes of a record. The difference leaves room for the other fields of the entry.
pub(crate) const MAX_RECORD: usize = MAX_ENTRY - 64;
/// The bytes of the first read of an entry. Nearly every entry is shorter, so one read is enough.
pub(crate) const SHORT: usize = 512;
const SURE_TILE: u8 = 0;
const UNSURE_TILE: u8 = 1;

/// Identifies one layer of one dimension together with everything that affects its pixels, except
/// the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LayerKey {
    /// A hash of the path of dimension and layer.
    pub layer: u64,
    /// A hash of everything other than the world that affects a pixel.
    pub options: u64,
}

/// The position of an entry in its file. Only these 32 bytes per tile are held in memory; the
/// record is read when needed.
#[derive(Debug)]
pub(crate) struct EntryPosition {
    pub(crate) tile: TilePos,
    /// The number of the entry's layer: an index into a list of layer keys.
    pub(crate) layer: u32,
    /// The offset of the entry in its file.
    pub(crate) at: u64,
    /// See [`JournalEntry::sure`].
    pub(crate) sure: bool,
}

impl EntryPosition {
    /// Returns a number that sorts entries by layer, zoom level, x and y, because a number is
    /// compared without branches.
    pub(crate) fn order(layer: u32, TilePos { zoom, x, y }: TilePos) -> u128 {
        let plane =
            u64::from(x.cast_unsigned() ^ 1 << 31) << 32 | u64::from(y.cast_unsigned() ^ 1 << 31);
        u128::from(layer) << 72 | u128::from(zoom) << 64 | u128::from(plane)
    }
}

/// An entry of a journal, which holds the record of one tile.
#[derive(Debug, PartialEq, Eq)]
pub struct JournalEntry<'a> {
    /// The key of the layer and of all options that affect its pixels.
    pub layer: LayerKey,
    /// The tile.
    pub tile: TilePos,
    /// The bytes of the record. Their meaning is defined by the code that draws.
    pub payload: &'a [u8],
    /// Whether the tile is known to have taken its place and reached the disk.
    pub sure: bool,
}

impl<'a> JournalEntry<'a> {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let Self {
            layer: LayerKey { layer, options },
            tile: TilePos { zoom, x, y },
            payload,
            sure,
        } = *self;

        let mut bytes = vec![0; HEAD];
        bytes.extend([if sure { SURE_TILE } else { UNSURE_TILE }, zoom]);
        bytes.extend(layer.to_le_bytes());
        bytes.extend(options.to_le_bytes());
        bytes.extend(x.to_le_bytes());

        bytes.extend(y.to_le_bytes());
        bytes.extend_from_slice(payload);
        let (head, body) = bytes.split_at_mut(HEAD);
        head[..4].copy_from_slice(&(body.len() as u32).to_le_bytes());
        head[4..].copy_from_slice(&XxHash3_64::oneshot(body).to_le_bytes());

        bytes
    }

    fn parse(body: &'a [u8]) -> Option<Self> {
        let (&[kind, zoom], body) = body.split_first_chunk()?;
        let (layer, body) = body.split_first_chunk()?;
        let (options, body) = body.split_first_chunk()?;
        let (x, body) = body.split_first_chunk()?;
        let (y, payload) = body.split_first_chunk()?;
        let tile = Scheme::Signed.tile_at(zoom, i32::from_le_bytes(*x), i32::from_le_bytes(*y))?;

        let layer = LayerKey {
            layer: u64::from_le_bytes(*layer),
            options: u64::from_le_bytes(*options),
        };

        (kind <= UNSURE_TILE).then_some(Self {
            layer,
            tile,
            payload,
            sure: kind == SURE_TILE,
        })
    }

    /// Parses an entry that was read whole.
    pub(crate) fn from_bytes(bytes: &'a [u8]) -> Option<Self> {
        Self::parse(bytes.get(HEAD..)?)
    }
}

/// Calls `visit` with each entry of a file and its offset, until the file ends or an entry is not
/// whole. Returns the offset after the last whole entry, or 0 if this version cannot read the
/// file's format.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn each_entry(
    mut from: impl BufRead,
    mut visit: impl FnMut(JournalEntry<'_>, u64),
) -> io::Result<u64> {
    let mut line = [0; FIRST_LINE.len()];
    if !is_whole(from.read_exact(&mut line))? || line != *FIRST_LINE {
        return Ok(0);
    }

    let mut at = line.len() as u64;
    let mut head = [0; HEAD];
    let mut body = Vec::new();
    while is_whole(from.read_exact(&mut head))? {
        let [l0, l1, l2, l3, check @ ..] = head;
        let len = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        if len > MAX_ENTRY {
            break;
        }

        body.clear();

        // The buffer only grows with bytes that exist, so a damaged length cannot claim much
        // memory.
        let read = from.by_ref().take(len as u64).read_to_end(&mut body)?;
        let is_sound = read == len && XxHash3_64::oneshot(&body).to_le_bytes() == check;
        let (true, Some(entry)) = (is_sound, JournalEntry::parse(&body)) else {
            break;
        };

        visit(entry, at);
        at += (HEAD + len) as u64;
    }

    Ok(at)
}

/// Returns whether a read filled its buffer. Returns `false` if the file ended before.
///
/// # Errors
/// The file cannot be read.
fn is_whole(read: io::Result<()>) -> io::Result<bool> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

/// Returns the length of the entry that starts with these bytes, or `None` if none does.
pub(crate) fn entry_len(bytes: &[u8]) -> Option<usize> {
    let len = bytes
        .first_chunk()
        .map(|len| u32::from_le_bytes(*len) as usize);
    len.filter(|&len| len <= MAX_ENTRY).map(|len| HEAD + len)
}

/// Returns the bytes of the entry at the offset `at`. Returns `None` if no whole entry is there,
/// because the file may have changed since its entries were listed.
pub(crate) fn read_entry(file: &File, at: u64) -> io::Result<Option<Vec<u8>>> {
    let mut entry = vec![0; SHORT];
    let read = read_at(file, &mut entry, at)?;
    let Some(len) = entry_len(&entry[..read]) else {
        return Ok(None);
    };
    entry.resize(len, 0);
    let whole = len <= read || is_whole(read_exact_at(file, &mut entry, at))?;
    Ok(whole.then_some(entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYER: LayerKey = LayerKey {
        layer: 1,
        options: u64::MAX,
    };

    #[test]
    fn entries_after_a_torn_one_are_not_read() {
        let mut file = FIRST_LINE.to_vec();
        let entries = [
            (-4, &b"one"[..], true),
            (4, b"two and more", false),
            (5, b"", false),
        ];

        let tile = |x| TilePos { zoom: 17, x, y: -9 };
        let entries = entries.map(|(x, payload, sure)| JournalEntry {
            layer: LAYER,
            tile: tile(x),
            payload,
            sure,
        });

        let mut starts = Vec::new();
        for entry in &entries {
            starts.push(file.len());
            file.extend(entry.bytes());
        }

        let read = |file: &[u8]| {
            let mut count = 0;
            let end = each_entry(file, |entry, start| {
                assert_eq!((&entry, start), (&entries[count], starts[count] as u64));
                count += 1;
            });
            (count, end.unwrap())
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
    fn an_impossible_length_ends_the_journal() {
        for len in [MAX_ENTRY as u32, u32::MAX] {
            let mut file = FIRST_LINE.to_vec();
            file.extend(len.to_le_bytes());
            file.extend([0; 100]);
            assert_eq!(
                each_entry(&file[..], |_, _| panic!("there is none")).unwrap(),
                FIRST_LINE.len() as u64
            );
        }
    }
}
