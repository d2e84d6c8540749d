//! Writes level.dat of Bedrock Edition: a version, a length, and uncompressed NBT.

use crate::world::nbt::Tag;

/// A level.dat of a game version such as `[1, 21, 62, 1, 0]`, with more fields or others.
pub fn bytes(name: &str, version: &[i32], more: &[(&str, Tag)]) -> Vec<u8> {
    let mut root = Tag::compound([
        ("LevelName", Tag::string(name)),
        (
            "lastOpenedWithVersion",
            Tag::List(version.iter().map(|part| Tag::Int(*part)).collect()),
        ),
        ("SpawnX", Tag::Int(8)),
        ("SpawnY", Tag::Int(32767)),
        ("SpawnZ", Tag::Int(-8)),
        ("Time", Tag::Long(24_000)),
        ("LastPlayed", Tag::Long(1_750_000_000)),
        ("RandomSeed", Tag::Long(-5)),
        ("Generator", Tag::Int(1)),
        ("StorageVersion", Tag::Int(10)),
        ("experiments", Tag::compound([])),
    ]);

    for (name, tag) in more {
        root.set(name, tag.clone());
    }

    let nbt = root.bedrock_document();
    [
        &10_u32.to_le_bytes()[..],
        &(nbt.len() as u32).to_le_bytes(),
        &nbt,
    ]
    .concat()
}
