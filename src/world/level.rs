//! What level.dat says: name, version, spawn, and the ids that mods were given. A render needs none of it, so whatever
//! is missing or damaged is left out.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use fastnbt::Value;
use flate2::read::GzDecoder;

use super::Dimension;
use crate::nbt;

/// The most bytes level.dat may inflate to; more is not read.
pub const MAX_LEVEL_BYTES: u64 = 64 << 20;

/// What level.dat says.
#[derive(Debug, Default)]
pub struct Level {
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
}

impl Level {
    /// Reads the world's level.dat, or the backup beside it. For a dimension or region folder it is looked for in the
    /// folders around.
    pub(super) fn of(folder: &Path, dimensions: &[Dimension], notes: &mut Vec<String>) -> Self {
        let full = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let around = full.ancestors().take(6);
        let beside = dimensions.iter().flat_map(|dimension| dimension.folder.ancestors().skip(1).take(3));
        for candidate in around.chain(beside) {
            for name in ["level.dat", "level.dat_old"] {
                let path = candidate.join(name);
                if !path.is_file() {
                    continue;
                }
                match read(&path) {
                    Ok(level) => return level,
                    Err(error) => notes.push(format!("{name} cannot be read and is left out: {error}")),
                }
            }
        }
        Self::default()
    }
}

fn read(path: &Path) -> Result<Level, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    let read = GzDecoder::new(file).take(MAX_LEVEL_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_LEVEL_BYTES {
        return Err("it inflates to more than 64 MiB".to_owned());
    }
    // Walked first by the reader that bounds depth and lengths: the one below does not.
    walk(&bytes).map_err(|error| error.to_string())?;
    let root: Value = fastnbt::from_bytes(&bytes).map_err(|error| error.to_string())?;
    Ok(from_root(&root))
}

fn walk(bytes: &[u8]) -> Result<(), nbt::Error> {
    let mut reader = nbt::Reader::root(bytes)?;
    while let Some((tag, _)) = reader.entry()? {
        reader.skip(tag)?;
    }
    Ok(())
}

fn from_root(root: &Value) -> Level {
    let data = child(root, "Data").unwrap_or(root);
    let (block_ids, biome_ids) = child(root, "FML").map(mod_ids).unwrap_or_default();
    Level {
        name: child(data, "LevelName").and_then(text),
        data_version: child(data, "DataVersion").and_then(int),
        spawn: spawn(data),
        block_ids,
        biome_ids,
    }
}

fn spawn(data: &Value) -> Option<(String, [i32; 3])> {
    if let Some(spawn) = child(data, "spawn") {
        let Some(Value::IntArray(pos)) = child(spawn, "pos") else { return None };
        let pos: [i32; 3] = pos.iter().copied().collect::<Vec<_>>().try_into().ok()?;
        let dimension = child(spawn, "dimension").and_then(text).unwrap_or_else(|| "overworld".to_owned());
        return Some((super::canonical_id(&dimension), pos));
    }
    let at = |name| child(data, name).and_then(int);
    Some(("overworld".to_owned(), [at("SpawnX")?, at("SpawnY").unwrap_or(64), at("SpawnZ")?]))
}

/// Forge's tables: `Registries` since 1.8, `ItemData` in 1.7, whose names start with a byte that is 1 for blocks.
fn mod_ids(fml: &Value) -> (BTreeMap<u32, String>, BTreeMap<u32, String>) {
    let registry = |name: &str| {
        let ids = child(fml, "Registries").and_then(|registries| child(registries, name));
        ids.and_then(|registry| child(registry, "ids")).map(pairs).unwrap_or_default()
    };
    let mut blocks = registry("minecraft:blocks");
    if let Some(items) = child(fml, "ItemData") {
        let named =
            pairs(items).into_iter().filter_map(|(id, name)| Some((id, name.strip_prefix('\u{1}')?.to_owned())));
        blocks.extend(named);
    }
    (blocks, registry("minecraft:biomes"))
}

fn pairs(list: &Value) -> BTreeMap<u32, String> {
    let Value::List(entries) = list else { return BTreeMap::new() };
    let pair = |entry: &Value| {
        let id = u32::try_from(child(entry, "V").and_then(int)?).ok()?;
        Some((id, child(entry, "K").and_then(text)?))
    };
    entries.iter().filter_map(pair).collect()
}

fn child<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    match value {
        Value::Compound(children) => children.get(name),
        _ => None,
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

fn int(value: &Value) -> Option<i32> {
    match *value {
        Value::Byte(n) => Some(i32::from(n)),
        Value::Short(n) => Some(i32::from(n)),
        Value::Int(n) => Some(n),
        Value::Long(n) => i32::try_from(n).ok(),
        _ => None,
    }
}
