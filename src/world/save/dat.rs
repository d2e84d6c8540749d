//! Reads level.dat and the other small NBT files of a world, including level.dat of Bedrock Edition.
//!
//! Such a file may come from anyone. At most [`MAX_BYTES`] of it are inflated, and no tree is built from it: each value
//! is read separately, so that a damaged one affects no other. Depth, lengths and tags are checked by `nbt` first,
//! because fastnbt skips nested values by unlimited recursion and panics on lists that claim to hold end tags.

use std::fmt;
use std::io::{self, Read as _};
use std::marker::PhantomData;
use std::path::Path;

use fastnbt::DeOpts;
use flate2::read::GzDecoder;
use serde::Deserialize;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::world::big_endian;
use crate::world::files::Files;
use crate::world::nbt::{Error, Reader};

/// The most bytes that a file may inflate to.
const MAX_BYTES: u64 = 16 << 20;

/// The length of the header before the NBT in level.dat of Bedrock Edition: a format number and the length of the rest.
const BEDROCK_HEAD: usize = 8;

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The NBT of a file, inflated and checked.
pub(crate) struct Dat {
    /// Always big-endian: the little-endian NBT of Bedrock Edition is converted.
    nbt: Vec<u8>,
    pub(crate) is_bedrock: bool,
}

impl Dat {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// Fails if the file cannot be read, is too long, or is neither gzipped NBT nor a level.dat of Bedrock Edition.
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
        let mut bytes = Vec::new();
        // Packed bytes are limited as well, because any number of them can inflate to nothing.
        GzDecoder::new(&*packed).take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(io::Error::other(format!("it inflates to more than {} MiB", MAX_BYTES >> 20)));
        }
        Self::check(bytes).map_err(io::Error::other)
    }

    /// Checks the little-endian NBT of Bedrock Edition and converts it.
    pub(crate) fn from_little_endian(mut nbt: Vec<u8>) -> Result<Self, Error> {
        let len = big_endian::turn(&mut nbt)?;
        nbt.truncate(len);
        Ok(Self { nbt, is_bedrock: true })
    }

    fn check(nbt: Vec<u8>) -> Result<Self, Error> {
        let mut reader = Reader::root(&nbt)?;
        while let Some((tag, _)) = reader.entry()? {
            reader.skip(tag)?;
        }
        Ok(Self { nbt, is_bedrock: false })
    }

    /// Reads the value at a path of names, such as `Data/LevelName`; `None`: it is missing or has another type.
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Option<T> {
        let mut file = fastnbt::de::Deserializer::from_bytes(&self.nbt, DeOpts::new());
        ValueAt { path, value: PhantomData }.deserialize(&mut file).ok().flatten()
    }
}

/// Returns whether a file is level.dat of Bedrock Edition. More bytes may follow the NBT; the game ignores them.
fn is_bedrock(file: &[u8]) -> bool {
    let len = file.get(4..BEDROCK_HEAD).and_then(|len| len.first_chunk()).map(|&len| u32::from_le_bytes(len) as usize);
    let is_inside = len.is_some_and(|len| (1..=file.len() - BEDROCK_HEAD).contains(&len));
    is_inside && file.get(BEDROCK_HEAD) == Some(&10) && !file.starts_with(&GZIP)
}

/// Reads the value at a path below the current compound.
struct ValueAt<'p, T> {
    path: &'p str,
    value: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for ValueAt<'_, T> {
    type Value = Option<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
        if self.path.is_empty() { T::deserialize(deserializer).map(Some) } else { deserializer.deserialize_map(self) }
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for ValueAt<'_, T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a compound with {}", self.path)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<T>, A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            // A name may itself contain slashes, as in `minecraft:worldgen/biome`.
            let below = self.path.strip_prefix(&*name).filter(|rest| rest.is_empty() || rest.starts_with('/'));
            if let Some(below) = below {
                let path = below.strip_prefix('/').unwrap_or(below);
                return map.next_value_seed(ValueAt { path, value: PhantomData });
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(None)
    }
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
        let slashed = [(8, "b", &b"\0\x01x"[..]), (3, "c", &[0, 0, 0, 7]), (8, "bad", b"\0\x01\xff"), (1, "x/y", &[8])];
        let inner = compound(&slashed);
        let dat = dat(&[(8, "bad", b"\0\x01\xff"), (10, "a", &inner), (1, "d", &[5])]).unwrap();
        assert_eq!(dat.get::<String>("a/b").as_deref(), Some("x"));
        assert_eq!((dat.get::<i64>("a/c"), dat.get::<i64>("d")), (Some(7), Some(5)));
        assert_eq!(dat.get::<i64>("a/x/y"), Some(8));
        for path in ["a/x", "a/x/y/z", "a/bad", "bad", "a", "a/c", "a/b/c", "d/a", "e", "a/e"] {
            assert_eq!(dat.get::<String>(path), None, "{path}");
        }
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
            assert!(dat(&[(9, "a", &[&[tag][..], &MOST].concat())]).is_err(), "list of {tag}");
        }
    }
}
