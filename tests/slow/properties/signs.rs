//! Promises for the markers of any chunk and for the texts of signs.

use pixelmap_base::coord::ChunkPos;
use pixelmap_draw::{MarkerKind, Pattern};
use pixelmap_paint::markers::{Marker, MarkerSelection, chunk_markers};
use pixelmap_world::chunk::Chunk;
use pixelmap_world::internal::Form;

use super::{BUFFERS, name_cache};

/// The versions of the forms in which the game stores texts: lenient JSON, strict JSON, and plain
/// text.
const TEXT_VERSIONS: [i32; 3] = [99, 3955, 4325];

/// The text of a sign: a page can show it. The four fields of 1.19 and the list since 1.20 give the
/// same text.
pub fn sign(bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(usize::from(u16::MAX))];
    for version in TEXT_VERSIONS {
        let in_fields = nbt_field(8, "Text1", &nbt_string(bytes));
        let list = [&[8, 0, 0, 0, 1][..], &nbt_string(bytes)].concat();
        let in_list = [
            nbt_field(10, "front_text", &nbt_field(9, "messages", &list)),
            vec![0],
        ]
        .concat();
        assert_eq!(
            sign_markers(version, &in_fields),
            sign_markers(version, &in_list)
        );
    }

    // Treats the bytes as the fields of a text in NBT.
    let list = [&[10, 0, 0, 0, 1][..], bytes, &[0]].concat();

    sign_markers(
        4325,
        &[
            nbt_field(10, "front_text", &nbt_field(9, "messages", &list)),
            vec![0],
        ]
        .concat(),
    );
}

fn nbt_string(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u16).to_be_bytes()[..], bytes].concat()
}

fn nbt_field(tag: u8, name: &str, payload: &[u8]) -> Vec<u8> {
    [&[tag][..], &nbt_string(name.as_bytes()), payload].concat()
}

/// Reads the markers of a chunk with one sign, given the fields of its text.
fn sign_markers(version: i32, fields: &[u8]) -> Vec<Marker> {
    let place = ["x", "y", "z"]
        .map(|name| nbt_field(3, name, &[0; 4]))
        .concat();

    let sign = [
        &nbt_field(8, "id", &nbt_string(b"minecraft:sign")),
        &place,
        fields,
        &[0],
    ]
    .concat();

    let chunk = [
        &[10, 0, 0][..],
        &nbt_field(3, "DataVersion", &version.to_be_bytes()),
        &nbt_field(8, "Status", &nbt_string(b"full")),
        &nbt_field(9, "sections", &[10, 0, 0, 0, 0]),
        &nbt_field(
            9,
            "block_entities",
            &[&[10, 0, 0, 0, 1][..], &sign].concat(),
        ),
        &[0],
    ];

    BUFFERS.with_borrow_mut(|(_, buffers)| {
        Chunk::parse(&chunk.concat(), Form::Nbt, buffers, &mut name_cache())
            .map_or(Vec::new(), |chunk| markers(&chunk))
    })
}

/// Reads all markers of a chunk at 0, 0. Each of them is inside the chunk, and its JSON is short.
pub(super) fn markers(chunk: &Chunk<'_>) -> Vec<Marker> {
    let wanted = MarkerSelection {
        kinds: MarkerKind::choices().collect(),
        signs: Some(Pattern::new("").unwrap()),
        players: true,
        find: None,
    };

    let markers = chunk_markers(chunk, ChunkPos { x: 0, z: 0 }, &wanted).into_markers();
    for Marker {
        properties, kind, ..
    } in &markers
    {
        let read: serde_json::Value = serde_json::from_str(properties).unwrap();

        // Parts of a structure are named when they are joined.
        assert!(
            read["name"].is_string() || *kind == MarkerKind::Structures,
            "{kind:?}"
        );
        assert!(properties.len() <= 8 << 10, "{kind:?}");

        let lines = ["front", "back"]
            .iter()
            .filter_map(|side| read[*side].as_array())
            .flatten();

        for line in lines.map(|line| line.as_str().unwrap()) {
            assert!(
                line.chars().count() <= 384 && !line.contains(char::is_control),
                "{line:?}"
            );
        }
    }

    markers
}
