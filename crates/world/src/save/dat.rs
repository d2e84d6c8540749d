//! Reads level.dat and the other small NBT files of a world, including level.dat of Bedrock
//! Edition.
//!
//! Such a file may come from anyone. At most [`MAX_BYTES`] of it are inflated, and no tree is built
//! from it: each value is read separately, so that a damaged one affects no other. Depth, lengths
//! and tags are checked by `nbt` first, because fastnbt skips nested values by unlimited recursion
//! and panics on lists that claim to hold end tags.
//!
//! Mod loaders store tables with 30,000 entries in level.dat. If fastnbt looked for a value itself,
//! it would decode everything before that value. So `nbt` finds the value and jumps over long ones.
//! Then fastnbt decodes only this value if it is from Java Edition, and `little_values` decodes it
//! if it is from Bedrock Edition, whose numbers are little-endian.

use std::collections::HashMap;
use std::io::{self, Read as _};
use std::path::Path;

use flate2::read::GzDecoder;
use libdeflater::Decompressor;
use serde::de::DeserializeOwned;

use crate::nbt::{Error, OrderedReader, Span, Tag};
use crate::save::error::WorldError;
use crate::save::little_values::LittleValue;
use pixelmap_base::files::Files;
use pixelmap_base::retry::retryable;

/// The most bytes that a file may inflate to.
const MAX_BYTES: u64 = 16 << 20;

/// Payloads of at least this many bytes are noted as long.
const LONG: usize = 1 << 10;
/// The depth to which long payloads are noted, because paths have about four names.
const LONG_DEPTH: usize = 4;

/// The length of the header before the NBT in level.dat of Bedrock Edition: a format number and the
/// length of the rest.
const BEDROCK_HEAD: usize = 8;

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The NBT of a file, inflated and checked.
pub(crate) struct Dat {
    /// Little-endian if it is from Bedrock Edition, else big-endian.
    nbt: Vec<u8>,
    /// The ends of long payloads by their starts, so that a search can jump over them.
    long_payloads: HashMap<usize, usize>,
    pub(crate) is_bedrock: bool,
}

impl Dat {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// Fails if the file cannot be read, is too long, or is neither gzipped NBT nor a level.dat of
    /// Bedrock Edition.
    pub(crate) fn open(files: &Files, path: &Path) -> io::Result<Self> {
        // Opening a pipe would wait until another program writes to it.
        if !files.facts(path)?.is_file() {
            return Err(io::Error::other("it is not a file"));
        }

        let mut packed = files.read(path, MAX_BYTES)?;
        if is_bedrock(&packed) {
            let nbt = packed.split_off(BEDROCK_HEAD);
            return Self::from_little_endian(nbt).map_err(io::Error::other);
        }

        let bytes = match inflate_at_once(&packed) {
            Some(bytes) => bytes,
            None => inflate_in_steps(&packed)?,
        };

        Self::check(bytes).map_err(io::Error::other)
    }

    /// Reads a file that a world can do without; `None`: it does not exist, or it is damaged. The
    /// first attempt to read a damaged file adds a warning.
    ///
    /// # Errors
    /// Fails if the file cannot be read now, but perhaps later.
    pub(crate) fn open_optional(
        files: &Files,
        path: &Path,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Self>, WorldError> {
        match Self::open(files, path) {
            Ok(dat) => Ok(Some(dat)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) if retryable(&error) => Err(WorldError::Unreadable(path.to_owned(), error)),
            Err(error) => {
                let warning = format!("{} is left out: {error}", path.display());
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
                Ok(None)
            }
        }
    }

    /// Checks the little-endian NBT of Bedrock Edition.
    pub(crate) fn from_little_endian(nbt: Vec<u8>) -> Result<Self, Error> {
        Ok(Self {
            is_bedrock: true,
            ..Self::check_order::<true>(nbt)?
        })
    }

    fn check(nbt: Vec<u8>) -> Result<Self, Error> {
        Self::check_order::<false>(nbt)
    }

    fn check_order<const LITTLE: bool>(nbt: Vec<u8>) -> Result<Self, Error> {
        let mut long_payloads = HashMap::new();
        let mut reader = OrderedReader::<LITTLE>::root(&nbt)?;
        note_long_payloads(&mut reader, 1, &mut long_payloads)?;

        Ok(Self {
            nbt,
            long_payloads,
            is_bedrock: false,
        })
    }

    /// Reads the value at a path of names, such as `Data/LevelName`; `None`: it is missing or has
    /// another type.
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Option<T> {
        if self.is_bedrock {
            let FoundEntry {
                mut reader, tag, ..
            } = self.find::<true>(path)?;
            let value = LittleValue {
                bytes: &self.nbt,
                reader: &mut reader,
                tag,
            };
            return T::deserialize(value).ok();
        }

        let FoundEntry {
            start,
            mut reader,
            tag,
        } = self.find::<false>(path)?;
        self.pass(&mut reader, tag)?;

        // fastnbt begins at a root compound, so this one contains only the entry.
        let entry = &self.nbt[start..reader.position()];
        let root = [&[10, 0, 0], entry, &[0]].concat();
        let values: HashMap<String, T> = fastnbt::from_bytes(&root).ok()?;
        values.into_values().next()
    }

    /// Returns the byte array at a path of names; `None`: it is missing or has another type.
    pub(crate) fn bytes(&self, path: &str) -> Option<&[u8]> {
        let span = if self.is_bedrock {
            let mut entry = self.find::<true>(path)?;
            entry.reader.array(entry.tag, Tag::ByteArray)
        } else {
            let mut entry = self.find::<false>(path)?;
            entry.reader.array(entry.tag, Tag::ByteArray)
        };
        Some(span.ok()??.slice(&self.nbt))
    }

    /// Finds the entry at a path.
    fn find<const LITTLE: bool>(&self, path: &str) -> Option<FoundEntry<'_, LITTLE>> {
        let mut path = path.as_bytes();
        let mut reader = OrderedReader::root(&self.nbt).ok()?;
        loop {
            let start = reader.position();
            let (tag, name) = reader.entry().ok()??;

            // A name may itself contain slashes, as in `minecraft:worldgen/biome`.
            match path.strip_prefix(name) {
                Some([]) => return Some(FoundEntry { start, reader, tag }),
                Some([b'/', below @ ..]) if tag == Tag::Compound => path = below,
                Some([b'/', ..]) => return None,
                _ => self.pass(&mut reader, tag)?,
            }
        }
    }

    /// Skips a payload, in one step if it is long.
    fn pass<'a, const LITTLE: bool>(
        &'a self,
        reader: &mut OrderedReader<'a, LITTLE>,
        tag: Tag,
    ) -> Option<()> {
        match self.long_payloads.get(&reader.position()) {
            Some(&end) => *reader = OrderedReader::at_payload(&self.nbt, Span::new(end, 0)),
            None => reader.skip(tag).ok()?,
        }
        Some(())
    }
}

/// An entry of a compound: the position of its tag, and a reader at its payload.
struct FoundEntry<'a, const LITTLE: bool> {
    start: usize,
    reader: OrderedReader<'a, LITTLE>,
    tag: Tag,
}

/// Checks the rest of a compound. Notes its long payloads, and the long payloads of compounds
/// inside it.
fn note_long_payloads<const LITTLE: bool>(
    reader: &mut OrderedReader<'_, LITTLE>,
    depth: usize,
    long_payloads: &mut HashMap<usize, usize>,
) -> Result<(), Error> {
    while let Some((tag, _)) = reader.entry()? {
        let start = reader.position();

        if depth < LONG_DEPTH && tag == Tag::Compound {
            reader.compound(tag)?;
            note_long_payloads(reader, depth + 1, long_payloads)?;
        } else {
            reader.skip(tag)?;
        }

        if reader.position() - start >= LONG {
            long_payloads.insert(start, reader.position());
        }
    }

    Ok(())
}

/// Inflates a gzip file into as many bytes as its end states. Returns `None` if the file is
/// damaged, or if it has another number of bytes, because it may consist of several members or end
/// early.
fn inflate_at_once(packed: &[u8]) -> Option<Vec<u8>> {
    let len = u32::from_le_bytes(*packed.last_chunk()?);
    let mut bytes = vec![
        0;
        usize::try_from(len)
            .ok()
            .filter(|&len| len as u64 <= MAX_BYTES)?
    ];
    let inflated = Decompressor::new()
        .gzip_decompress(packed, &mut bytes)
        .ok()?;
    (inflated == bytes.len()).then_some(bytes)
}

/// Inflates any gzip file. It takes three times as long as [`inflate_at_once`], but reports the
/// fault of a damaged file.
fn inflate_in_steps(packed: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();

    // Packed bytes are limited as well, because any number of them can inflate to nothing.
    GzDecoder::new(packed)
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)?;

    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!(
            "it inflates to more than {} MiB",
            MAX_BYTES >> 20
        )));
    }

    Ok(bytes)
}

/// Returns whether a file is level.dat of Bedrock Edition. More bytes may follow the NBT; the game
/// ignores them.
fn is_bedrock(file: &[u8]) -> bool {
    let len = file
        .get(4..BEDROCK_HEAD)
        .and_then(|len| len.first_chunk())
        .map(|&len| u32::from_le_bytes(len) as usize);
    let is_inside = len.is_some_and(|len| (1..=file.len() - BEDROCK_HEAD).contains(&len));
    is_inside && file.get(BEDROCK_HEAD) == Some(&10) && !file.starts_with(&GZIP)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A compound of entries, each with its tag.
    fn compound(entries: &[(u8, &str, &[u8])]) -> Vec<u8> {
        let entry = |(tag, name, payload): &(u8, &str, &[u8])| {
            [&[*tag, 0, name.len() as u8], name.as_bytes(), payload].concat()
        };
        entries.iter().flat_map(entry).chain([0]).collect()
    }

    fn dat(entries: &[(u8, &str, &[u8])]) -> Result<Dat, Error> {
        Dat::check([&[10, 0, 0][..], &compound(entries)].concat())
    }

    #[test]
    fn values_are_read_by_their_path_and_type() {
        let slashed = [
            (8, "b", &b"\0\x01x"[..]),
            (3, "c", &[0, 0, 0, 7]),
            (8, "bad", b"\0\x01\xff"),
            (1, "x/y", &[8]),
        ];

        let inner = compound(&slashed);
        let dat = dat(&[(8, "bad", b"\0\x01\xff"), (10, "a", &inner), (1, "d", &[5])]).unwrap();
        assert_eq!(dat.get::<String>("a/b").as_deref(), Some("x"));
        assert_eq!(
            (dat.get::<i64>("a/c"), dat.get::<i64>("d")),
            (Some(7), Some(5))
        );
        assert_eq!(dat.get::<i64>("a/x/y"), Some(8));

        for path in [
            "a/x", "a/x/y/z", "a/bad", "bad", "a", "a/c", "a/b/c", "d/a", "e", "a/e",
        ] {
            assert_eq!(dat.get::<String>(path), None, "{path}");
        }
    }

    #[test]
    fn values_after_long_ones_are_found() {
        let table = [&[1, 0, 0, 8, 0][..], &[7; 2048]].concat();
        let inner = compound(&[(9, "table", &table), (3, "c", &[0, 0, 0, 7])]);
        let dat = dat(&[
            (10, "long", &inner),
            (10, "a", &inner),
            (9, "list", &table),
            (1, "d", &[5]),
        ])
        .unwrap();

        assert!(dat.long_payloads.len() >= 4);
        assert_eq!(
            (
                dat.get::<i64>("a/c"),
                dat.get::<i64>("long/c"),
                dat.get::<i64>("d")
            ),
            (Some(7), Some(7), Some(5))
        );

        assert_eq!(
            dat.get::<Vec<i8>>("a/table").map(|table| table.len()),
            Some(2048)
        );
        assert_eq!(dat.get::<i64>("list/c"), None);
    }

    #[test]
    fn nesting_without_end_is_refused() {
        let lists = [9, 0, 0, 0, 1].repeat(3_000_000);
        let compounds = [10, 0, 0].repeat(5_000_000);
        for (tag, deep) in [(9, lists), (10, compounds)] {
            assert!(matches!(dat(&[(tag, "a", &deep)]), Err(Error::Depth(_))));
        }
    }

    #[test]
    fn lengths_beyond_the_bytes_are_refused() {
        const MOST: [u8; 4] = [0x7f, 0xff, 0xff, 0xff];

        for tag in [7, 11, 12] {
            assert!(dat(&[(tag, "a", &MOST)]).is_err(), "array {tag}");
        }

        for tag in 0..=12 {
            assert!(
                dat(&[(9, "a", &[&[tag][..], &MOST].concat())]).is_err(),
                "list of {tag}"
            );
        }
    }

    /// The little-endian root compound with a value of each type.
    fn little_values() -> Vec<u8> {
        [
            &[10, 0, 0][..],
            b"\x01\x01\0a\x05",
            b"\x02\x01\0b\x01\x02",
            b"\x03\x01\0c\x01\x02\x03\x04",
            b"\x04\x01\0d\x01\x02\x03\x04\x05\x06\x07\x08",
            b"\x07\x01\0e\x02\0\0\0\x01\x02",
            b"\x08\x01\0f\x02\0hi",
            b"\x09\x01\0g\x02\x02\0\0\0\x01\x02\x03\x04",
            b"\x0a\x01\0h\x03\x01\0i\x01\x02\x03\x04\x08\x01\0j\x01\0k\0",
            b"\x0c\x01\0l\x01\0\0\0\x01\x02\x03\x04\x05\x06\x07\x08",
            b"\x05\x01\0m\0\0\xc0\x3f",
            b"\x06\x01\0n\0\0\0\0\0\0\xf8\x3f\0",
            b"rest",
        ]
        .concat()
    }

    #[test]
    fn values_of_bedrock_edition_are_read() {
        #[derive(Debug, PartialEq, serde::Deserialize)]
        struct Inner {
            i: i32,
            #[serde(default)]
            missing: Option<i32>,
        }

        let dat = Dat::from_little_endian(little_values()).unwrap();
        assert!(dat.is_bedrock);
        let ints = ["a", "b", "c", "d"].map(|name| dat.get::<i64>(name));
        assert_eq!(
            ints,
            [5, 0x0201, 0x0403_0201, 0x0807_0605_0403_0201].map(Some)
        );
        assert_eq!(dat.get::<i8>("b"), None, "it does not fit");
        assert_eq!(dat.bytes("e"), Some(&[1, 2][..]));
        assert_eq!((dat.bytes("g"), dat.bytes("l")), (None, None));
        assert_eq!(dat.get::<String>("f").as_deref(), Some("hi"));
        assert_eq!(dat.get::<Vec<i16>>("g"), Some(vec![0x0201, 0x0403]));
        assert_eq!(dat.get::<i32>("h/i"), Some(0x0403_0201));
        assert_eq!(
            dat.get::<Inner>("h"),
            Some(Inner {
                i: 0x0403_0201,
                missing: None
            })
        );
        assert_eq!(
            (dat.get::<f32>("m"), dat.get::<f64>("n")),
            (Some(1.5), Some(1.5))
        );
        assert_eq!(dat.get::<bool>("a"), Some(true));
        assert_eq!(dat.get::<String>("a"), None);
    }

    #[test]
    fn damaged_values_of_bedrock_edition_are_refused() {
        let whole = little_values();
        for end in 0..whole.len() - b"rest".len() {
            assert!(
                Dat::from_little_endian(whole[..end].to_vec()).is_err(),
                "cut at {end}"
            );
        }

        for bytes in [
            &b"\x0a\0\0\x07\0\0\xff\xff\xff\xff"[..],
            b"\x0a\0\0\x09\0\0\0\x01\0\0\0",
            b"\x0a\0\0\x63\0\0",
            // A list that claims a billion compounds must fail as soon as its bytes end.
            b"\x0a\0\0\x09\0\0\x0a\xff\xff\xff\x3f",
        ] {
            assert!(Dat::from_little_endian(bytes.to_vec()).is_err());
        }

        let deep = [&[10, 0, 0, 9, 0, 0][..], &[9, 1, 0, 0, 0].repeat(100_000)].concat();
        assert!(matches!(
            Dat::from_little_endian(deep),
            Err(Error::Depth(_))
        ));
    }
}
