//! Reads the tables of add-ons: names of biomes, and the lowest sections of chunks.

use super::database::Database;
use super::files::Bytes;

/// The keys of the tables.
pub const KEYS: [&[u8]; 2] = [BIOMES, FACTS];

const BIOMES: &[u8] = b"BiomeIdsTable";
const FACTS: &[u8] = b"LevelChunkMetaDataDictionary";

/// The payload of a tag, as far as the tables need it.
enum Value {
    Number(i64),
    Text(String),
    List(Vec<Value>),
    Compound(Vec<(String, Value)>),
    Other,
}

impl Value {
    fn child(&self, wanted: &str) -> Option<&Value> {
        let Self::Compound(children) = self else {
            return None;
        };
        let found = children.iter().rfind(|(name, _)| name == wanted);
        found.map(|(_, child)| child)
    }

    fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }
}

/// The name of a biome.
pub fn biome_name(database: &Database, number: u32) -> Option<String> {
    let root = document(&mut Bytes(database.value(BIOMES)?))?;
    let Some(Value::List(entries)) = root.child("list") else {
        return None;
    };

    let own = entries
        .iter()
        .find(|entry| entry.child("id").and_then(Value::number) == Some(i64::from(number)));
    match own?.child("name") {
        Some(Value::Text(name)) => Some(name.clone()),
        _ => None,
    }
}

/// The lowest section of the chunks with this hash.
pub fn lowest_section(database: &Database, wanted: u64) -> Option<i32> {
    let mut bytes = Bytes(database.value(FACTS)?);
    let mut found = None;
    for _ in 0..bytes.u32()? {
        let hash = bytes.u64()?;
        let facts = document(&mut bytes)?;
        let range = facts
            .child("LastSavedDimensionHeightRange")
            .or_else(|| facts.child("OriginalDimensionHeightRange"));
        let low = range.and_then(|range| range.child("min")?.number());
        if hash == wanted {
            found = low.map(|low| low.div_euclid(16) as i32);
        }
    }

    found
}

/// A root compound with its name.
fn document(bytes: &mut Bytes<'_>) -> Option<Value> {
    let kind = bytes.byte()?;
    text(bytes)?;
    payload(kind, bytes)
}

fn text(bytes: &mut Bytes<'_>) -> Option<String> {
    let length = bytes.u16()?;
    let text = bytes.take(usize::from(length))?;
    Some(String::from_utf8_lossy(text).into_owned())
}

fn payload(kind: u8, bytes: &mut Bytes<'_>) -> Option<Value> {
    Some(match kind {
        1 => Value::Number(i64::from(bytes.byte()? as i8)),
        2 => Value::Number(i64::from(bytes.u16()? as i16)),
        3 => Value::Number(i64::from(bytes.u32()? as i32)),
        4 => Value::Number(bytes.u64()? as i64),
        5 => bytes.take(4).map(|_| Value::Other)?,
        6 => bytes.take(8).map(|_| Value::Other)?,
        7 | 11 | 12 => {
            let width = [1, 4, 8][usize::from(kind.saturating_sub(10))];
            let length = (bytes.u32()? as usize).checked_mul(width)?;
            bytes.take(length).map(|_| Value::Other)?
        }
        8 => Value::Text(text(bytes)?),
        9 => {
            let kind = bytes.byte()?;
            let count = bytes.u32()?;
            Value::List(
                (0..count)
                    .map(|_| payload(kind, bytes))
                    .collect::<Option<_>>()?,
            )
        }
        10 => {
            let mut children = Vec::new();
            loop {
                let kind = bytes.byte()?;
                if kind == 0 {
                    break Value::Compound(children);
                }
                let name = text(bytes)?;
                children.push((name, payload(kind, bytes)?));
            }
        }
        _ => return None,
    })
}
