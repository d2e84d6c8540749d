//! What level.dat says: name, version, spawn, and the ids that mods were given. A render needs none of it, so whatever
//! is missing or damaged is left out.
//!
//! The file may come from anyone: it is read without building a tree of it, so that a small file that inflates to
//! millions of tags costs no more than the bytes it inflates to.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use super::kinds::{Kind, KindOf};
use super::seed::Seed;
use super::{Dimension, WorldError};
use crate::nbt::{Error, Reader, Span, Tag};
use crate::pack::open_file;
use crate::retry::retryable;

/// The most bytes level.dat may inflate to; more is not read.
pub const MAX_LEVEL_BYTES: u64 = 16 << 20;
/// The most entries of a mod loader's tables that are read; 65,536 ids are the most that a chunk can tell apart.
pub const MAX_MOD_IDS: usize = 70_000;
/// The longest name in such a table, and of the world, in bytes; longer ones are left out.
pub const MAX_NAME_BYTES: usize = 256;

/// The most data packs, and the most dimensions, that are read.
const MAX_LIST: usize = 1000;

/// level.dat and the backup that the game keeps of it.
pub(super) const FILES: [&str; 2] = ["level.dat", "level.dat_old"];

/// What level.dat says.
#[derive(Debug, Default)]
pub struct Level {
    /// The folder whose level.dat was read.
    pub folder: Option<PathBuf>,
    /// The world's name.
    pub name: Option<String>,
    /// The version that last saved level.dat; it says nothing of any chunk.
    pub data_version: Option<i32>,
    /// The dimension and the block that players start at.
    pub spawn: Option<(String, [i32; 3])>,
    /// Block names of numeric ids that mods were given.
    pub block_ids: BTreeMap<u32, String>,
    /// Biome names of numeric ids that mods were given.
    pub biome_ids: BTreeMap<u32, String>,
    /// The data packs in use, in the order in which the game lays them over each other, and those that are not in use:
    /// names such as `file/pack.zip`.
    pub data_packs: [Vec<String>; 2],
    /// The kind of each dimension, by its id as the game writes it (1.16 to 1.21).
    pub kinds: BTreeMap<String, KindOf>,
    /// The seed, which level.dat holds until 1.21.
    pub(super) seed: Option<Seed>,
}

impl Level {
    /// Reads the world's level.dat, or the backup beside it. For a dimension or region folder it is looked for in the
    /// folders around.
    ///
    /// # Errors
    /// Those that pass by.
    pub(super) fn of(folder: &Path, dimensions: &[Dimension], notes: &mut Vec<String>) -> Result<Self, WorldError> {
        let full = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let around = full.ancestors().take(6).map(Path::to_owned);
        // A server's folder holds the world's; in the layout of 26.1 it is four above the region files.
        let regions = dimensions.iter().filter_map(|dimension| dimension.folder.canonicalize().ok());
        let beside = regions.flat_map(|full| full.ancestors().skip(1).take(4).map(Path::to_owned).collect::<Vec<_>>());
        let mut seen = HashSet::new();
        for candidate in around.chain(beside) {
            if !seen.insert(candidate.clone()) {
                continue;
            }
            for name in FILES {
                let path = candidate.join(name);
                if path.symlink_metadata().is_err() {
                    continue;
                }
                match read(&path) {
                    Ok(level) => return Ok(Self { folder: Some(candidate), ..level }),
                    Err(error) if retryable(&error) => return Err(WorldError::Unreadable(path, error)),
                    Err(error) => notes.push(format!("{name} cannot be read and is left out: {error}")),
                }
            }
        }
        Ok(Self::default())
    }
}

fn read(path: &Path) -> io::Result<Level> {
    from_root(&inflated(path)?).map_err(io::Error::other)
}

/// The bytes of a gzip file of NBT.
pub(super) fn inflated(path: &Path) -> io::Result<Vec<u8>> {
    // Opening a pipe would wait for somebody to write to it.
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let file = open_file(path, MAX_LEVEL_BYTES)?;
    let mut bytes = Vec::new();
    // Bounded on both sides: what is stored may also inflate to nothing.
    GzDecoder::new(file).take(MAX_LEVEL_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_LEVEL_BYTES {
        return Err(io::Error::other(format!("it inflates to more than {} MiB", MAX_LEVEL_BYTES >> 20)));
    }
    Ok(bytes)
}

fn from_root(bytes: &[u8]) -> Result<Level, Error> {
    let mut reader = Reader::root(bytes)?;
    let mut mods = ModIds::default();
    // The fields are in `Data`; some tools leave it out.
    let (mut root, mut data) = (Fields::default(), None);
    while let Some((tag, name)) = reader.entry()? {
        match name {
            b"Data" if tag == Tag::Compound => data = Some(Fields::read(&mut reader, tag)?),
            b"FML" => mods.read(&mut reader, tag)?,
            _ => root.field(&mut reader, tag, name)?,
        }
    }
    let Fields { name, data_version, spawn, old_spawn, data_packs, kinds, seed, old_seed } = data.unwrap_or(root);
    let [x, y, z] = old_spawn;
    let old_spawn = x.zip(z).map(|(x, z)| ("overworld".to_owned(), [x, y.unwrap_or(64), z]));
    let spawn = spawn.map_or(old_spawn, |spawn| spawn.finish(bytes));
    // Forge wrote one of the two, by its version; where both are there, the second adds to the first.
    let ModIds { mut blocks, items, biomes, .. } = mods;
    blocks.extend(items);
    let (block_ids, biome_ids, seed) = (blocks, biomes, seed.or(old_seed).map(Seed::new));
    Ok(Level { folder: None, name, data_version, spawn, block_ids, biome_ids, data_packs, kinds, seed })
}

/// The fields of `Data` that are of use.
#[derive(Default)]
struct Fields {
    name: Option<String>,
    data_version: Option<i32>,
    spawn: Option<Spawn>,
    /// `SpawnX`, `SpawnY`, `SpawnZ`, until 1.21.8.
    old_spawn: [Option<i32>; 3],
    data_packs: [Vec<String>; 2],
    kinds: BTreeMap<String, KindOf>,
    /// `WorldGenSettings.seed`, since 1.16.
    seed: Option<i64>,
    /// `RandomSeed`, before.
    old_seed: Option<i64>,
}

impl Fields {
    fn read(reader: &mut Reader<'_>, tag: Tag) -> Result<Self, Error> {
        let mut data = Self::default();
        each(reader, tag, |reader, tag, name| data.field(reader, tag, name))?;
        Ok(data)
    }

    fn field(&mut self, reader: &mut Reader<'_>, tag: Tag, name: &[u8]) -> Result<(), Error> {
        match name {
            b"LevelName" => self.name = short_text(reader, tag)?,
            b"DataVersion" => self.data_version = int(reader, tag)?,
            b"spawn" if tag == Tag::Compound => self.spawn = Some(Spawn::read(reader, tag)?),
            b"RandomSeed" => self.old_seed = reader.int(tag)?,
            b"SpawnX" => self.old_spawn[0] = int(reader, tag)?,
            b"SpawnY" => self.old_spawn[1] = int(reader, tag)?,
            b"SpawnZ" => self.old_spawn[2] = int(reader, tag)?,
            b"DataPacks" => each(reader, tag, |reader, tag, name| {
                match name {
                    b"Enabled" => self.data_packs[0] = texts(reader, tag)?,
                    b"Disabled" => self.data_packs[1] = texts(reader, tag)?,
                    _ => reader.skip(tag)?,
                }
                Ok(())
            })?,
            b"WorldGenSettings" => each(reader, tag, |reader, tag, name| match name {
                b"dimensions" => each(reader, tag, |reader, tag, name| self.dimension(reader, tag, name)),
                b"seed" => reader.int(tag).map(|seed| self.seed = seed),
                _ => reader.skip(tag),
            })?,
            _ => reader.skip(tag)?,
        }
        Ok(())
    }
}

impl Fields {
    /// A dimension of `WorldGenSettings`: its kind is a name, or stands there in full.
    fn dimension(&mut self, reader: &mut Reader<'_>, tag: Tag, id: &[u8]) -> Result<(), Error> {
        let mut kind = None;
        each(reader, tag, |reader, tag, name| {
            match (name, tag) {
                (b"type", Tag::String) => kind = short_text(reader, tag)?.map(KindOf::Named),
                (b"type", Tag::Compound) => kind = Some(KindOf::Here(whole_kind(reader, tag)?)),
                _ => reader.skip(tag)?,
            }
            Ok(())
        })?;
        if let (Some(kind), true) = (kind, id.len() <= MAX_NAME_BYTES && self.kinds.len() < MAX_LIST) {
            self.kinds.insert(text(id), kind);
        }
        Ok(())
    }
}

fn whole_kind(reader: &mut Reader<'_>, tag: Tag) -> Result<Kind, Error> {
    let mut kind = Kind::default();
    each(reader, tag, |reader, tag, name| {
        match name {
            b"has_ceiling" => kind.has_ceiling = int(reader, tag)?.unwrap_or(0) != 0,
            b"min_y" => kind.min_y = int(reader, tag)?.unwrap_or(kind.min_y),
            b"height" => kind.height = int(reader, tag)?.unwrap_or(kind.height),
            b"logical_height" => kind.logical_height = int(reader, tag)?,
            _ => reader.skip(tag)?,
        }
        Ok(())
    })?;
    Ok(kind)
}

/// A list of short texts.
fn texts(reader: &mut Reader<'_>, tag: Tag) -> Result<Vec<String>, Error> {
    let mut texts = Vec::new();
    let Some(list) = reader.list(tag)? else { return Ok(texts) };
    for _ in 0..list.len {
        if list.tag == Tag::String && texts.len() < MAX_LIST {
            texts.extend(short_text(reader, list.tag)?);
        } else {
            reader.skip(list.tag)?;
        }
    }
    reader.leave();
    Ok(texts)
}

/// `spawn`, since 1.21.9.
#[derive(Default)]
struct Spawn {
    dimension: Option<String>,
    pos: Option<Span>,
}

impl Spawn {
    fn read(reader: &mut Reader<'_>, tag: Tag) -> Result<Self, Error> {
        let mut spawn = Self::default();
        each(reader, tag, |reader, tag, name| {
            match name {
                b"dimension" => spawn.dimension = short_text(reader, tag)?,
                b"pos" => spawn.pos = reader.array(tag, Tag::IntArray)?,
                _ => reader.skip(tag)?,
            }
            Ok(())
        })?;
        Ok(spawn)
    }

    fn finish(self, bytes: &[u8]) -> Option<(String, [i32; 3])> {
        let dimension = self.dimension.as_deref().unwrap_or("overworld");
        Some((super::canonical_id(dimension), position(self.pos?.of(bytes))?))
    }
}

fn position(bytes: &[u8]) -> Option<[i32; 3]> {
    let (numbers, rest) = bytes.as_chunks::<4>();
    let numbers: [[u8; 4]; 3] = numbers.try_into().ok().filter(|_| rest.is_empty())?;
    Some(numbers.map(i32::from_be_bytes))
}

/// Forge's tables: `Registries` since 1.8, `ItemData` in 1.7, whose names start with a byte that is 1 for blocks.
#[derive(Default)]
struct ModIds {
    blocks: BTreeMap<u32, String>,
    items: BTreeMap<u32, String>,
    biomes: BTreeMap<u32, String>,
    /// The entries that were read, of all tables.
    entries: usize,
}

impl ModIds {
    fn read(&mut self, reader: &mut Reader<'_>, tag: Tag) -> Result<(), Error> {
        each(reader, tag, |reader, tag, name| match name {
            b"Registries" => each(reader, tag, |reader, tag, name| self.registry(reader, tag, name)),
            b"ItemData" => {
                let items = pairs(reader, tag, &mut self.entries)?;
                let named =
                    items.into_iter().filter_map(|(id, name)| Some((id, name.strip_prefix('\u{1}')?.to_owned())));
                self.items = named.collect();
                Ok(())
            }
            _ => reader.skip(tag),
        })
    }

    fn registry(&mut self, reader: &mut Reader<'_>, tag: Tag, name: &[u8]) -> Result<(), Error> {
        let table = match name {
            b"minecraft:blocks" => &mut self.blocks,
            b"minecraft:biomes" => &mut self.biomes,
            _ => return reader.skip(tag),
        };
        each(reader, tag, |reader, tag, name| {
            if name == b"ids" {
                *table = pairs(reader, tag, &mut self.entries)?;
                return Ok(());
            }
            reader.skip(tag)
        })
    }
}

/// A list of `{K: name, V: id}`.
fn pairs(reader: &mut Reader<'_>, tag: Tag, entries: &mut usize) -> Result<BTreeMap<u32, String>, Error> {
    let mut pairs = BTreeMap::new();
    let Some(list) = reader.list(tag)? else { return Ok(pairs) };
    for _ in 0..list.len {
        if list.tag != Tag::Compound || *entries >= MAX_MOD_IDS {
            reader.skip(list.tag)?;
            continue;
        }
        *entries += 1;
        let (mut id, mut name) = (None, None);
        each(reader, list.tag, |reader, tag, field| {
            match field {
                b"V" => id = int(reader, tag)?.and_then(|id| u32::try_from(id).ok()),
                b"K" => name = short_text(reader, tag)?,
                _ => reader.skip(tag)?,
            }
            Ok(())
        })?;
        pairs.extend(id.zip(name));
    }
    reader.leave();
    Ok(pairs)
}

/// Hands every entry of a compound to `take`, which takes or skips its payload; any other payload is skipped.
pub(super) fn each<'a>(
    reader: &mut Reader<'a>,
    tag: Tag,
    mut take: impl FnMut(&mut Reader<'a>, Tag, &'a [u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    if reader.compound(tag)? {
        while let Some((tag, name)) = reader.entry()? {
            take(reader, tag, name)?;
        }
    }
    Ok(())
}

fn int(reader: &mut Reader<'_>, tag: Tag) -> Result<Option<i32>, Error> {
    Ok(reader.int(tag)?.and_then(|number| i32::try_from(number).ok()))
}

fn short_text(reader: &mut Reader<'_>, tag: Tag) -> Result<Option<String>, Error> {
    Ok(reader.string(tag)?.filter(|bytes| bytes.len() <= MAX_NAME_BYTES).map(text))
}

/// The game's modified UTF-8, where what lies beyond the first plane is two surrogates of three bytes each; or UTF-8, as
/// some tools write it. Bytes that are neither are replaced.
fn text(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        let low = |byte: u8| u16::from(byte & 0x3f);
        let (unit, len) = match (*first, after) {
            (..0x80, _) => (u16::from(*first), 1),
            (0xc0..0xe0, [b @ 0x80..0xc0, ..]) => (u16::from(first & 0x1f) << 6 | low(*b), 2),
            (0xe0..0xf0, [b @ 0x80..0xc0, c @ 0x80..0xc0, ..]) => {
                (u16::from(first & 0xf) << 12 | low(*b) << 6 | low(*c), 3)
            }
            _ => (0xfffd, 1),
        };
        units.push(unit);
        rest = &rest[len..];
    }
    String::from_utf16_lossy(&units)
}
