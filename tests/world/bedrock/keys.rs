//! Writes the values of a world other than terrain: players, portals, villages, and values that are
//! stored with chunks.

use super::database::Changes;
use crate::world::nbt::Tag;

/// The player of the device, one of a server, a portal and a village.
pub fn world_values() -> Changes {
    let values = players().into_iter().chain(places());
    values
        .map(|(key, tag)| (key.as_bytes().to_vec(), Some(tag.bedrock_document())))
        .collect()
}

/// The player of the device, a player of a server, and the value that names the second one.
fn players() -> [(&'static str, Tag); 3] {
    let pos = |x: f32, y: f32, z: f32| Tag::List(vec![Tag::Float(x), Tag::Float(y), Tag::Float(z)]);
    let unset = Tag::Int(i32::MIN);

    let local = Tag::compound([
        ("Pos", pos(-20.5, 66.62, -9.5)),
        ("DimensionId", Tag::Int(0)),
        ("SpawnBlockPositionX", Tag::Int(-20)),
        ("SpawnBlockPositionY", Tag::Int(65)),
        ("SpawnBlockPositionZ", Tag::Int(-9)),
        ("SpawnDimension", Tag::Int(0)),
        ("SpawnX", Tag::Int(-20)),
        ("SpawnY", Tag::Int(65)),
        ("SpawnZ", Tag::Int(-9)),
    ]);

    let served = Tag::compound([
        ("Pos", pos(-7.25, 35.62, -360.0)),
        ("DimensionId", Tag::Int(1)),
        ("SpawnBlockPositionX", unset.clone()),
        ("SpawnBlockPositionY", unset.clone()),
        ("SpawnBlockPositionZ", unset.clone()),
        ("SpawnDimension", Tag::Int(3)),
        ("SpawnX", unset.clone()),
        ("SpawnY", unset.clone()),
        ("SpawnZ", unset),
    ]);

    let pointer = Tag::compound([
        ("MsaId", Tag::string("0")),
        (
            "ServerId",
            Tag::string("player_server_11039e54-2e79-4a48-b53a-7c0961e9b934"),
        ),
    ]);

    [
        ("~local_player", local),
        ("player_server_11039e54-2e79-4a48-b53a-7c0961e9b934", served),
        ("player_9b388e47-dc9c-358e-b561-c4cc495a8b01", pointer),
    ]
}

/// A portal and a village.
fn places() -> [(&'static str, Tag); 2] {
    let portal = Tag::compound([
        ("DimId", Tag::Int(0)),
        ("Span", Tag::Byte(2)),
        ("TpX", Tag::Int(-40)),
        ("TpY", Tag::Int(64)),
        ("TpZ", Tag::Int(-8)),
        ("Xa", Tag::Byte(1)),
        ("Za", Tag::Byte(0)),
    ]);

    let portals = Tag::compound([(
        "data",
        Tag::compound([("PortalRecords", Tag::List(vec![portal]))]),
    )]);

    let village = Tag::compound([
        ("Initialized", Tag::Byte(1)),
        ("X0", Tag::Int(-60)),
        ("X1", Tag::Int(-20)),
        ("Y0", Tag::Int(52)),
        ("Y1", Tag::Int(76)),
        ("Z0", Tag::Int(-30)),
        ("Z1", Tag::Int(10)),
    ]);

    [
        ("portals", portals),
        (
            "VILLAGE_Overworld_7d1f2c3a-0000-4000-8000-000000000001_INFO",
            village,
        ),
    ]
}

/// The table with the names of add-ons' dimensions. If they `are_nested`, they are in a compound.
pub fn dimension_names(names: &[(&str, i32)], are_nested: bool) -> (Vec<u8>, Option<Vec<u8>>) {
    let names = names
        .iter()
        .map(|(name, number)| ((*name).to_owned(), Tag::Int(*number)));
    let names = Tag::Compound(names.collect());
    let root = if are_nested {
        Tag::compound([("entries", names)])
    } else {
        names
    };

    (
        b"DimensionNameIdTable".to_vec(),
        Some(root.bedrock_document()),
    )
}

/// The table with the names of add-ons' biomes.
pub fn biome_names(names: &[(i16, &str)]) -> (Vec<u8>, Option<Vec<u8>>) {
    let entries = names.iter().map(|(number, name)| {
        Tag::compound([("id", Tag::Short(*number)), ("name", Tag::string(name))])
    });
    let root = Tag::compound([("list", Tag::List(entries.collect()))]);
    (b"BiomeIdsTable".to_vec(), Some(root.bedrock_document()))
}

/// The table with the lowest blocks of chunks, by the hash that is the value of their tag 63.
pub fn chunk_facts(facts: &[(u64, i16)]) -> (Vec<u8>, Option<Vec<u8>>) {
    let mut table = (facts.len() as u32).to_le_bytes().to_vec();
    for (hash, low) in facts {
        let range = Tag::compound([("max", Tag::Short(512)), ("min", Tag::Short(*low))]);
        let facts = Tag::compound([
            ("DimensionName", Tag::string("test:sky")),
            ("LastSavedDimensionHeightRange", range),
        ]);
        table.extend(hash.to_le_bytes());
        table.extend(facts.bedrock_document());
    }

    (b"LevelChunkMetaDataDictionary".to_vec(), Some(table))
}

/// A block entity at a place.
pub fn block_entity<const N: usize>(
    id: &str,
    [x, y, z]: [i32; 3],
    more: [(&str, Tag); N],
) -> Vec<u8> {
    let mut tag = Tag::compound([
        ("id", Tag::string(id)),
        ("isMovable", Tag::Byte(1)),
        ("x", Tag::Int(x)),
        ("y", Tag::Int(y)),
        ("z", Tag::Int(z)),
    ]);

    for (name, child) in more {
        tag.set(name, child);
    }

    tag.bedrock_document()
}

/// A half of a bed in a dye, 0 (white) to 15 (black).
pub fn bed(place: [i32; 3], dye: i8) -> Vec<u8> {
    block_entity("Bed", place, [("color", Tag::Byte(dye))])
}

/// A banner in a dye, 15 (white) to 0 (black).
pub fn banner(place: [i32; 3], base: i32) -> Vec<u8> {
    block_entity(
        "Banner",
        place,
        [("Base", Tag::Int(base)), ("Type", Tag::Int(0))],
    )
}

/// A banner of raiders, which is white.
pub fn raiders_banner(place: [i32; 3]) -> Vec<u8> {
    block_entity(
        "Banner",
        place,
        [("Base", Tag::Int(0)), ("Type", Tag::Int(1))],
    )
}

/// A sign with both sides, an old sign, a blue bed, a banner with a name and two without, in the
/// chunk that begins at x, z, 70 high.
pub fn block_entities(x: i32, z: i32) -> Vec<u8> {
    let side = |text: &str| {
        Tag::compound([
            ("HideGlowOutline", Tag::Byte(0)),
            ("IgnoreLighting", Tag::Byte(0)),
            ("PersistFormatting", Tag::Byte(1)),
            ("SignTextColor", Tag::Int(-16_777_216)),
            ("Text", Tag::string(text)),
            ("TextOwner", Tag::string("")),
        ])
    };

    let sign = [
        ("FrontText", side("Inn\nby the §lsea§r")),
        ("BackText", side("closed")),
        ("IsWaxed", Tag::Byte(0)),
    ];

    let old_sign = [("Text", Tag::string("To the mine\n->"))];
    let named = [
        ("Base", Tag::Int(1)),
        ("Type", Tag::Int(0)),
        ("CustomName", Tag::string("Harbour")),
    ];
    let place = |dx: i32, dz: i32| [x + dx, 70, z + dz];

    [
        block_entity("Sign", place(2, 2), sign),
        block_entity("Sign", place(4, 2), old_sign),
        bed(place(6, 2), 11),
        bed(place(6, 3), 11),
        block_entity("Banner", place(8, 2), named),
        block_entity("Chest", place(10, 2), [("Items", Tag::List(Vec::new()))]),
        banner(place(12, 2), 10),
        raiders_banner(place(14, 2)),
    ]
    .concat()
}

/// The boxes in which the mobs of an outpost and of a witch hut appear, in the chunk that begins at
/// x, z.
pub fn spawners(x: i32, z: i32) -> Vec<u8> {
    boxes(&[(5, 60), (2, 64)].map(|(kind, low)| (kind, [x, low, z], [x + 15, low + 21, z + 15])))
}

/// The value of tag 57: boxes of structures, by the number of the type and two corners.
pub fn boxes(boxes: &[(u8, [i32; 3], [i32; 3])]) -> Vec<u8> {
    let mut out = (boxes.len() as i32).to_le_bytes().to_vec();
    for (kind, low, high) in boxes {
        out.extend(
            low.iter()
                .chain(high)
                .flat_map(|number| number.to_le_bytes()),
        );
        out.push(*kind);
    }

    out
}
